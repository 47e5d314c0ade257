/**
 * What of a tensor its readers need inside the loop where it is computed (docs/reference/source-programs.md 6.3, 6.4): per
 * dimension [base, constant extent). A reader's index is a sum over the loops around the read. Each of those is
 *   fixed    its value is known where the tensor is computed: it goes into the base
 *   relaxed  all its values count: its whole range goes into the extent
 * A plain loop is relaxed below the attach point and fixed above. A bound loop is relaxed, wherever it is, when the buffer is
 * shared by what the loop distinguishes (scope rank <= rank of the axis; a fragment by the lanes of its warp), else fixed.
 */

import type { Refusal } from "@warpfarm/common";
import type { Analyzer } from "../../arith/analyzer.ts";
import type { Interval } from "../../arith/interval.ts";
import {
  type Atom,
  constantOf,
  equalLinear,
  isConstant,
  type Linear,
  type SplitAtom,
  shift,
  type VarAtom,
  zero,
} from "../../arith/linear.ts";
import { teamSize } from "../../ir/agent.ts";
import { type Scope, scopeRank, teamOf } from "../../ir/buffer.ts";
import type { Expr, Load, Var } from "../../ir/expr.ts";
import { printExpr } from "../../ir/print.ts";
import { type ThreadTag, threadRank } from "../../ir/stmt.ts";
import { substitute } from "../../ir/visit.ts";
import { type Loop, type LoopRef, loopOf, type Stage, stageOf, stepsOf } from "../state.ts";
import { refuseAt } from "./loops.ts";
import { isCopiedByEngine, type Plan, type StagePlan } from "./plan.ts";

export interface Region {
  readonly base: readonly Linear[];
  readonly extents: readonly number[];
}

/** The values in [base, base + width], for every choice of the relaxed loops. */
interface Span {
  readonly base: Linear;
  readonly width: number;
}

/** A value that is below an extent wherever it is used. */
interface Guarded {
  readonly value: Linear;
  readonly extent: number;
}

/** Values that the guards of a stage's own splits keep below the split loops (guards.ts). */
const guardedIn = ({ extents, values }: Plan, { stage }: StagePlan): readonly Guarded[] =>
  stage.relations.flatMap((relation) => {
    if (relation.kind !== "split") return [];
    const covered = relation.parts.reduce((product, part) => product * (extents[part] as number), 1);
    const extent = extents[relation.parent] as number;
    return covered === extent ? [] : [{ value: values[relation.parent] as Linear, extent }];
  });

/** A fixed loop below the attach point, where it has no value. */
export class Unreachable {
  readonly loop: LoopRef;
  constructor(loop: LoopRef) {
    this.loop = loop;
  }
}

type Role = "fixed" | "relaxed" | "unreachable";

export type Renaming = ReadonlyMap<Var, Expr>;
const asItIs: Renaming = new Map();

/** A value over the loops that stand around a tensor, where one thread has the value of both. */
export const renamed = (analyzer: Analyzer, value: Linear, same: Renaming): Linear =>
  same.size === 0 ? value : analyzer.linear(substitute(analyzer.expr(value), same));

export class Relaxation {
  readonly #plan: Plan;
  readonly #roles: Role[] = [];
  readonly #guarded: readonly Guarded[];
  /**
   * A loop below the attach point whose thread index a loop around that point has too, with as many iterations: both have one
   * value, which is known where the tensor is computed.
   */
  readonly sameThreads: Renaming;

  /** `guarded`: values that conditions of the reader keep below an extent. */
  constructor(plan: Plan, scope: Scope, loops: readonly LoopRef[], attach: LoopRef, guarded: readonly Guarded[] = []) {
    this.#plan = plan;
    this.#guarded = guarded;
    const rank = scopeRank(scope);
    const lanes = lanesIn(plan, scope, loops);
    let below = true;
    const same = new Map<Var, Expr>();
    for (const ref of loops) {
      if (ref === attach) below = false;
      const { thread } = loopOf(plan.state, ref);
      if (thread ? rank <= threadRank(thread) || lanes.includes(thread) : below) this.#roles[ref] = "relaxed";
      else this.#roles[ref] = below ? "unreachable" : "fixed";
      if (this.#roles[ref] !== "unreachable") continue;
      const around = loops
        .slice(loops.indexOf(attach))
        .find((outer) => loopOf(plan.state, outer).thread === thread && plan.extents[outer] === plan.extents[ref]);
      if (around !== undefined) same.set(loopOf(plan.state, ref).loopVar, loopOf(plan.state, around).loopVar);
    }
    this.sameThreads = same.size > 0 ? same : asItIs;
  }

  #isRelaxed(atom: VarAtom): boolean {
    const loop = this.#plan.loopOfVariable(atom);
    const role = loop === undefined ? "fixed" : this.#roles[loop];
    if (role === "unreachable") throw new Unreachable(loop as LoopRef);
    return role === "relaxed";
  }

  isRelaxed(atom: Atom): boolean {
    return atom.variables.some((v) => this.#isRelaxed(v));
  }

  /** Undefined when nothing is known of the values. Throws Unreachable. */
  span(l: Linear): Span | undefined {
    const { analyzer } = this.#plan;
    const atoms: (typeof l.atoms)[number][] = [];
    const coefs: number[] = [];
    let extra: Linear = zero;
    let constant = l.constant;
    let width = 0;
    for (let i = 0; i < l.atoms.length; i++) {
      const atom = l.atoms[i] as (typeof l.atoms)[number];
      const coef = l.coefs[i] as number;
      let relaxed = 0;
      for (const variable of atom.variables) if (this.#isRelaxed(variable)) relaxed++;
      if (relaxed === 0) {
        atoms.push(atom);
        coefs.push(coef);
      } else if (relaxed < atom.variables.length && atom.kind === "split" && atom.upper === Infinity) {
        const part = this.#quotient(atom);
        if (!part) return undefined;
        extra = analyzer.sum(extra, coef > 0 ? part.base : shift(part.base, part.width), coef);
        width += Math.abs(coef) * part.width;
      } else {
        const { lo, hi } = this.#boundsOf(atom);
        constant += coef * (coef > 0 ? lo : hi);
        width += Math.abs(coef) * (hi - lo);
      }
    }
    if (!Number.isFinite(width) || !Number.isFinite(constant)) return undefined;
    const base: Linear = { atoms, coefs, constant };
    return { base: extra === zero ? base : analyzer.sum(base, extra), width };
  }

  /** Bounds of a fused loop's leading part, as far as the guard of a split that runs past the fused loop's end allows. */
  #boundsOf(atom: Atom): Interval {
    const { lo, hi } = atom.bounds;
    if (atom.kind !== "split" || atom.upper < Infinity) return { lo, hi };
    const guarded = this.#guarded.find(({ value }) => equalLinear(value, atom.base));
    return { lo, hi: guarded ? Math.min(hi, Math.floor((guarded.extent - 1) / atom.lower)) : hi };
  }

  /** floor((fixed + 0..w) / d) lies in floor(fixed / d) + 0..floor((w + d - 1) / d) */
  #quotient(atom: SplitAtom): Span | undefined {
    const inner = this.span(atom.base);
    if (!inner) return undefined;
    const width = Math.floor((inner.width + atom.lower - 1) / atom.lower);
    return { base: this.#plan.analyzer.floorDiv(inner.base, atom.lower), width };
  }
}

/**
 * The thread axes among the loops that tell the lanes of a team apart, who share a fragment: x, and y where x is a part of it.
 */
export function lanesIn(plan: Plan, scope: Scope, loops: readonly LoopRef[]): readonly ThreadTag[] {
  const team = teamOf(scope);
  if (team === undefined) return [];
  const threads = (tag: ThreadTag): number =>
    loops.reduce((most, ref) => (loopOf(plan.state, ref).thread === tag ? Math.max(most, plan.extents[ref] as number) : most), 0);
  const [x, y] = [threads("threadIdx.x"), threads("threadIdx.y")];
  if (x === 0 || x > teamSize[team]) return [];
  return x * y <= teamSize[team] ? ["threadIdx.x", "threadIdx.y"] : ["threadIdx.x"];
}

function union(plan: Plan, a: Span, b: Span): Span | undefined {
  if (equalLinear(a.base, b.base)) return { base: a.base, width: Math.max(a.width, b.width) };
  const difference = plan.analyzer.sum(b.base, a.base, -1);
  if (difference.atoms.length > 0) return undefined;
  const lo = Math.min(0, difference.constant);
  const hi = Math.max(a.width, difference.constant + b.width);
  return { base: shift(a.base, lo), width: hi - lo };
}

/** Stages that read this one's result, each with its path to the root. */
export const readersOf = (plan: Plan, stage: Stage): StagePlan[] =>
  plan.stages.filter((p): p is StagePlan => p?.loads.some((load) => load.buffer === stage.buffer) ?? false);

const loopsAround = (reader: StagePlan): LoopRef[] => [...reader.stage.leaves].reverse().concat(reader.path);

/**
 * The loop around a reader at which it finds what a stage has computed: the stage's own; of a scan that goes along with the steps
 * of a recurrence also the loop at which that is computed, where it finds the last element. Undefined where it finds none.
 */
export function seenAt(plan: Plan, stage: Stage, reader: StagePlan): LoopRef | undefined {
  const { placement } = stage;
  if (placement.kind !== "at") return undefined;
  const around = loopsAround(reader);
  if (around.includes(placement.loop)) return placement.loop;
  const steps = stepsOf(plan.state, stage);
  const owner = steps && stageOf(plan.state, steps.stage).placement;
  return owner?.kind === "at" && around.includes(owner.loop) ? owner.loop : undefined;
}

/** The relaxation of a reader's loops where a stage is computed; undefined where it is not computed at a loop. */
function relaxationOf(plan: Plan, stage: Stage, scope: Scope, reader: StagePlan): Relaxation | undefined {
  const at = seenAt(plan, stage, reader);
  return at === undefined ? undefined : new Relaxation(plan, scope, loopsAround(reader), at, guardedIn(plan, reader));
}

/** Loops of a stage that are loops around it, since what one thread keeps is computed between the two. */
export function sameThreadsOf(plan: Plan, reader: StagePlan): Renaming {
  const read = new Set(reader.loads.map(({ buffer }) => buffer));
  const producers = plan.stages.filter((p): p is StagePlan => p !== undefined && p !== reader && read.has(p.stage.buffer));
  return new Map(producers.flatMap(({ stage, scope }) => [...(relaxationOf(plan, stage, scope, reader)?.sameThreads ?? [])]));
}

/** Requires that every reader has been planned. */
export function inferRegion(plan: Plan, stage: Stage, scope: Scope): Region | Refusal {
  const { placement, buffer } = stage;
  if (placement.kind !== "at") return { base: buffer.shape.map(() => zero), extents: buffer.shape };
  // A scan begins at its axis's first element, whatever its readers need; with the steps of a loop it makes that of the step.
  const scanned = scannedOf(plan, stage);
  const steps = stepsOf(plan.state, stage);
  const wrong = steps && checkSteps(plan, stage, steps, scanned);
  if (wrong) return wrong;
  let hasGuards = true;
  const spans: (Span | undefined | "none")[] = buffer.shape.map((_, d) => (d === scanned ? undefined : "none"));
  for (const reader of readersOf(plan, stage)) {
    const relaxation = relaxationOf(plan, stage, scope, reader) as Relaxation;
    for (const load of reader.loads) {
      if (load.buffer !== buffer) continue;
      hasGuards &&= !readsUnguarded(reader, stage);
      for (let d = 0; d < spans.length; d++) {
        const before = spans[d];
        const index = load.indices[d];
        if (before === undefined || index === undefined) continue;
        try {
          const span = relaxation.span(renamed(plan.analyzer, plan.analyzer.linear(index, reader.env), relaxation.sameThreads));
          spans[d] = before === "none" || !span ? (span as Span | undefined) : union(plan, before, span);
        } catch (error) {
          if (error instanceof Unreachable) return unreachable(plan, stage, scope, reader, error.loop, placement.step);
          throw error;
        }
      }
    }
  }
  const base: Linear[] = [];
  const extents: number[] = [];
  for (const [d, span] of spans.entries()) {
    const whole = buffer.shape[d] as number;
    // Guards keep the reads inside the tensor, so a region as long as the dimension is the dimension.
    const step = d === scanned && steps ? { base: plan.values[steps.ref] as Linear, width: 0 } : undefined;
    const known = step ?? (span !== undefined && span !== "none" ? span : undefined);
    const fits = known !== undefined && (known.width + 1 < whole || !hasGuards);
    base.push(fits ? known.base : constantOf(0));
    extents.push(fits ? known.width + 1 : whole);
  }
  return { base, extents };
}

/** The dimension of a scan's axis; -1 of other stages. */
const scannedOf = (plan: Plan, { spatial }: Stage): number => spatial.findIndex((ref) => loopOf(plan.state, ref).ordered);

/**
 * How many steps before the last one made a reader reads a scan that goes along with a loop: 0 or 1; undefined: it is another.
 */
export function stepsBack(plan: Plan, scan: Stage, reader: StagePlan, load: Load): number | undefined {
  const steps = stepsOf(plan.state, scan) as Loop;
  const index = plan.analyzer.linear(load.indices[scannedOf(plan, scan)] as Expr, reader.env);
  const isInside = loopsAround(reader).includes(steps.ref);
  const now = isInside ? (plan.values[steps.ref] as Linear) : constantOf((plan.extents[steps.ref] as number) - 1);
  const back = plan.analyzer.sum(now, index, -1);
  return isConstant(back) && (back.constant === 0 || back.constant === 1) && (isInside || back.constant === 0)
    ? back.constant
    : undefined;
}

function checkSteps(plan: Plan, stage: Stage, steps: Loop, scanned: number): Refusal | undefined {
  const { placement, name, buffer } = stage;
  const refuse = (why: string) =>
    refuseAt(
      "scan.steps",
      "step" in placement ? placement.step : 0,
      `computeAt: "${name}" is a scan, and goes along with the steps of loop "${steps.name}" of "${stageOf(plan.state, steps.stage).name}"; ${why}`,
    );
  if (buffer.shape[scanned] !== plan.extents[steps.ref])
    return refuse(`it has ${buffer.shape[scanned]} steps, and the loop ${plan.extents[steps.ref]}`);
  const owner = stageOf(plan.state, steps.stage);
  // Where the owner is read outside of its loops, what the scan keeps is too, once for all of their iterations.
  const around = owner.placement.kind === "at" ? owner.leaves.slice(0, owner.leaves.indexOf(steps.ref)) : [];
  const parallel = around.map((leaf) => loopOf(plan.state, leaf)).find(({ forKind }) => forKind === "parallel");
  if (parallel) return refuse(`iterations of the parallel loop "${parallel.name}" around it would share what it keeps`);
  for (const reader of readersOf(plan, stage))
    for (const load of reader.loads)
      if (load.buffer === buffer && stepsBack(plan, stage, reader, load) === undefined)
        return refuse(
          `"${reader.stage.name}" reads it at ${printExpr(load.indices[scanned] as Expr)}: inside the loop it has the element of the step and the one before, after it the last`,
        );
  return undefined;
}

/** Tiles beyond the end run, too, and what the engine brings to tensor cores, or stores, is read there without guards. */
const readsUnguarded = ({ stage: reader }: StagePlan, stage: Stage): boolean =>
  isCopiedByEngine(reader) || (reader.annotations.tensorized !== undefined && isCopiedByEngine(stage));

function unreachable(plan: Plan, stage: Stage, scope: Scope, reader: StagePlan, ref: LoopRef, step: number): Refusal {
  const loop = loopOf(plan.state, ref);
  return refuseAt(
    "computeAt.thread",
    step,
    `computeAt: "${stage.name}" is ${scope}, of one thread, but is attached outside loop "${loop.name}" of "${stageOf(plan.state, loop.stage).name}" (${loop.thread}), on which its reader "${reader.stage.name}" depends; attach it inside`,
  );
}
