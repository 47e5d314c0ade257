/**
 * Is every element that a body reads one of its tensor's? Decided for the computation, before any schedule: schedules read what
 * it reads. Intervals decide most indices at once. The others are proven under the conditions that guard the read (select, all,
 * any), first by sums, whatever the extents are, then by halving the box of all variables until each part is inside, is excluded
 * by a condition, or is one point. What is neither proven nor refuted within `mostBoxes` parts is refused, too.
 */
import { isFloat } from "@warpfarm/common";
import { Analyzer } from "../arith/analyzer.ts";
import type { Interval } from "../arith/interval.ts";
import { addScaled, type Linear, scaled, shift, single } from "../arith/linear.ts";
import type { Buffer } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import { exprEqual } from "../ir/equal.ts";
import { type CompareKind, compareKinds, type Expr, type Load, type Var } from "../ir/expr.ts";
import { children, mapChildren, substitute, walkExpr } from "../ir/visit.ts";
import type { ComputeOp } from "./graph.ts";
import { type Box, isKnown, rangeOf, type ValuesOf } from "./value-range.ts";

const mostBoxes = 2 ** 14;
/** Nodes of an expression with the formulas of the integer stages that it reads in it. */
const mostNodes = 400;

/** A read that is not proven to be inside. */
export interface Outside {
  readonly load: Load;
  readonly dimension: number;
  /** Bounds of the index, without regard to conditions. */
  readonly range: Interval;
  readonly conditions: readonly Expr[];
  /** A place outside; undefined where none was found within the limit. */
  readonly example?: Example;
}

interface Example {
  readonly index: number;
  readonly at: readonly (readonly [what: Expr, value: number])[];
  /** Whether the read happens there, whatever tensors hold. */
  readonly isSure: boolean;
}

export interface Tensors {
  readonly valuesOf: ValuesOf;
  readonly opOf: (tensor: Buffer) => ComputeOp | undefined;
}

const isInside = ({ lo, hi }: Interval, extent: number): boolean => lo >= 0 && hi < extent;

/** The first read of the body that may be outside. */
export function readOutside(body: Expr, box: Box, tensors: Tensors): Outside | undefined {
  let found: Outside | undefined;
  const visit = (e: Expr, path: readonly Expr[]): void => {
    if (found) return;
    if (e.kind === "Load") found = outsideOf(e, path, box, tensors);
    if (e.kind === "Select") {
      visit(e.cond, path);
      visit(e.whenTrue, [...path, e.cond]);
      visit(e.whenFalse, [...path, b.not(e.cond)]);
    } else if (e.kind === "And" || e.kind === "Or") {
      visit(e.a, path);
      visit(e.b, [...path, e.kind === "And" ? e.a : b.not(e.a)]);
    } else for (const child of children(e)) visit(child, path);
  };
  visit(body, []);
  return found;
}

function outsideOf(load: Load, conditions: readonly Expr[], box: Box, tensors: Tensors): Outside | undefined {
  for (const [dimension, index] of load.indices.entries()) {
    const extent = load.buffer.shape[dimension] ?? 0;
    const range = rangeOf(index, box, tensors.valuesOf);
    if (isInside(range, extent)) continue;
    const proof = new Proof(index, extent, conditions, box, tensors);
    if (proof.isImplied()) continue;
    const result = proof.search();
    if (result !== "inside") return { load, dimension, range, conditions, ...(result === "unknown" ? {} : { example: result }) };
  }
  return undefined;
}

function conjuncts(e: Expr, holds = true): Expr[] {
  if (e.kind === "Not") return conjuncts(e.value, !holds);
  if (e.kind === (holds ? "And" : "Or") && "a" in e) return [...conjuncts(e.a, holds), ...conjuncts(e.b, holds)];
  return [holds ? e : b.not(e)];
}

const variablesOf = (e: Expr): ReadonlySet<Var> => {
  const found = new Set<Var>();
  walkExpr(e, (part) => {
    if (part.kind === "Var") found.add(part);
  });
  return found;
};

function nodes(e: Expr): number {
  let count = 0;
  walkExpr(e, () => count++);
  return count;
}

/** What holds of each quotient q = floor(base / d) in the sums: base - d*q >= 0, and d*q + d - 1 - base >= 0. */
function quotientsIn(sums: readonly Linear[]): readonly Linear[] {
  const atoms = new Set(sums.flatMap(({ atoms }) => atoms));
  return [...atoms].flatMap((atom) => {
    if (atom.kind !== "split" || atom.upper !== Infinity) return [];
    const rest = addScaled(atom.base, single(atom), -atom.lower);
    return [rest, shift(scaled(rest, -1), atom.lower - 1)];
  });
}

const isInt32 = (e: Expr): boolean => e.dtype === "int32";

class Proof {
  readonly #extent: number;
  readonly #tensors: Tensors;
  readonly #box: Map<Var, Interval>;
  readonly #index: Expr;
  readonly #guards: readonly Expr[];
  readonly #analyzer: Analyzer;
  /** Elements that are read, each as a variable: equal ones have one value. */
  readonly #read: { readonly load: Load; readonly value: Expr; readonly variable: Var }[] = [];

  constructor(index: Expr, extent: number, conditions: readonly Expr[], box: Box, tensors: Tensors) {
    this.#extent = extent;
    this.#tensors = tensors;
    this.#box = new Map(box);
    const plain = (e: Expr): Expr => this.#withoutLoads(this.#inlined(e));
    const [raw, ...guards] = [index, ...conditions.flatMap((e) => conjuncts(e))].map(plain) as [Expr, ...Expr[]];
    this.#analyzer = new Analyzer([...this.#box].flatMap(([v, { hi }]) => (isInt32(v) ? [[v, hi + 1] as const] : [])));
    // Sums do not describe arithmetic that overflows, so it stays as written.
    const simple = (e: Expr): Expr => (this.#mayOverflow(e) ? e : this.#analyzer.simplify(e));
    this.#index = simple(raw);
    this.#guards = guards.map(simple).flatMap((e) => conjuncts(e));
  }

  /** Inlines the formulas of integer stages, as far as `mostNodes` allow. */
  #inlined(e: Expr): Expr {
    let left = mostNodes;
    const inline = (part: Expr): Expr => {
      const op = part.kind === "Load" && !isFloat(part.dtype) ? this.#tensors.opOf(part.buffer) : undefined;
      if (part.kind !== "Load" || op === undefined || op.combiner !== undefined || op.scan !== undefined)
        return mapChildren(part, inline);
      const formula = substitute(op.body, new Map(op.axes.map(({ loopVar }, d) => [loopVar, part.indices[d] as Expr])));
      left -= nodes(formula);
      return left < 0 ? part : inline(formula);
    };
    return inline(e);
  }

  /** Replaces each element that is read by a variable from 0. */
  #withoutLoads(e: Expr): Expr {
    if (e.kind !== "Load") return mapChildren(e, (child) => this.#withoutLoads(child));
    const known = this.#read.find(({ load }) => exprEqual(load, e));
    if (known) return known.value;
    const { lo, hi } = this.#tensors.valuesOf(e.buffer);
    const variable = b.variable(e.buffer.name, e.dtype);
    const isShifted = Number.isFinite(lo) && lo !== 0 && isInt32(e);
    this.#box.set(variable, isShifted ? { lo: 0, hi: hi - lo } : { lo, hi });
    const value = isShifted ? b.add(variable, b.int(lo)) : variable;
    this.#read.push({ load: e, value, variable });
    return value;
  }

  #rangeOf(e: Expr, box: Box = this.#box): Interval {
    return rangeOf(e, box, this.#tensors.valuesOf);
  }

  #mayOverflow(e: Expr): boolean {
    return (isInt32(e) && !isKnown(this.#rangeOf(e))) || children(e).some((child) => this.#mayOverflow(child));
  }

  /** Whether sums prove index >= 0 and extent - 1 - index >= 0, under guards of that form. */
  isImplied(): boolean {
    if (this.#mayOverflow(this.#index)) return false;
    const index = this.#analyzer.linear(this.#index);
    const given = this.#guards.flatMap((guard) => this.#notNegative(guard));
    const guards = [...given, ...quotientsIn([index, ...given])];
    return this.#follows(index, guards) && this.#follows(shift(scaled(index, -1), this.#extent - 1), guards);
  }

  /** The sums that are at least 0 where a comparison holds. */
  #notNegative(guard: Expr): readonly Linear[] {
    if (!(compareKinds as readonly string[]).includes(guard.kind) || !("a" in guard) || !isInt32(guard.a)) return [];
    if (this.#mayOverflow(guard)) return [];
    const difference = this.#analyzer.linear(b.sub(guard.a, guard.b));
    const negated = scaled(difference, -1);
    const sums: Record<CompareKind, readonly Linear[]> = {
      LT: [shift(negated, -1)],
      LE: [negated],
      GT: [shift(difference, -1)],
      GE: [difference],
      EQ: [difference, negated],
      NE: [],
    };
    return sums[guard.kind as CompareKind];
  }

  /**
   * Whether `goal` / `scale` >= 0: by its bounds, or by those of the remainder after subtracting a multiple of a guard that
   * cancels a term; of three guards at most. Integers: greater than -1 suffices.
   */
  #follows(goal: Linear, guards: readonly Linear[], scale = 1, left = 3): boolean {
    if (this.#analyzer.boundsOf(goal).lo > -scale) return true;
    if (left === 0) return false;
    return guards.some((guard) =>
      goal.atoms.some((atom, i) => {
        const [of, its] = [goal.coefs[i] as number, guard.coefs[guard.atoms.indexOf(atom)] ?? 0];
        if (of * its <= 0) return false;
        const rest = addScaled(scaled(goal, Math.abs(its)), guard, -Math.abs(of));
        return this.#follows(rest, guards, scale * Math.abs(its), left - 1);
      }),
    );
  }

  /** Searches by halving: under few guards first, because each variable of a guard multiplies the boxes. */
  search(): "inside" | "unknown" | Example {
    const own = variablesOf(this.#index);
    const some = (isNear: (v: readonly Var[]) => boolean) => this.#guards.filter((guard) => isNear([...variablesOf(guard)]));
    const stages = [some((vars) => vars.every((v) => own.has(v))), some((vars) => vars.some((v) => own.has(v))), this.#guards];
    let result: ReturnType<Proof["search"]> = "unknown";
    for (const [i, guards] of stages.entries()) {
      if (i > 0 && guards.length === stages[i - 1]?.length) continue;
      result = this.#halve(guards);
      if (result === "inside") break;
    }
    return result;
  }

  #halve(guards: readonly Expr[]): ReturnType<Proof["search"]> {
    const inIndex = [...variablesOf(this.#index)];
    const inGuard = guards.map((guard) => [...variablesOf(guard)]);
    const boxes: Map<Var, Interval>[] = [new Map(this.#box)];
    for (let count = 0; count < mostBoxes; count++) {
      const box = boxes.pop();
      if (box === undefined) return "inside";
      const held = guards.map((guard) => this.#rangeOf(guard, box));
      if (held.some(({ hi }) => hi === 0)) continue;
      const range = this.#rangeOf(this.#index, box);
      if (isInside(range, this.#extent)) continue;
      const isAllOutside = isKnown(range) && (range.hi < 0 || range.lo >= this.#extent);
      const open = inGuard.filter((_, i) => held[i]?.lo === 0).flat();
      const widest = this.#widest(isAllOutside ? open : [...inIndex, ...open], box);
      if (widest === undefined) return this.#example(guards, box);
      const { lo, hi } = box.get(widest) as Interval;
      const middle = Math.floor((lo + hi) / 2);
      boxes.push(new Map(box).set(widest, { lo: middle + 1, hi }));
      box.set(widest, { lo, hi: middle });
      boxes.push(box);
    }
    return "unknown";
  }

  /** The variable of most values; undefined when each has one, or is a float. */
  #widest(variables: readonly Var[], box: Box): Var | undefined {
    let [widest, most]: [Var | undefined, number] = [undefined, 0];
    for (const v of variables) {
      const { lo, hi } = box.get(v) ?? { lo: 0, hi: 0 };
      if (hi - lo > most && Number.isFinite(hi - lo) && !isFloat(v.dtype)) [widest, most] = [v, hi - lo];
    }
    return widest;
  }

  #example(guards: readonly Expr[], box: Box): Example {
    const point = new Map([...box].map(([v, { lo }]) => [v, { lo, hi: lo }]));
    const { lo: index } = this.#rangeOf(this.#index, point);
    const named = new Set([this.#index, ...guards].flatMap((e) => [...variablesOf(e)]));
    const at = [...named].map((v): readonly [Expr, number] => {
      const read = this.#read.find(({ variable }) => variable === v);
      return [read?.load ?? v, this.#rangeOf(read?.value ?? v, point).lo];
    });
    const isSure = at.every(([what]) => what.kind === "Var") && guards.every((guard) => this.#rangeOf(guard, point).lo === 1);
    return { index, at, isSure };
  }
}
