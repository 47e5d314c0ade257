/**
 * The loop nest of a plan, in the `scheduled` dialect. Each stage's nest is a statement Stage; a stage attached at a loop
 * stands first in that loop's body, under its Allocate. A reduction is initialized just before its outermost reduction loop, or
 * before the loop outside it that decomposeReduction names, by a nest over the spatial loops that stand below:
 *
 *   for y:  { alloc p; p...;  for x.init: c[y, x.init] = 0;  for k: { for x: c[y, x] += f(p) } }        attached at y; leaves y, k, x
 *
 * A scan carries its last elements in an array of the thread, outside of the loop of its steps. One that goes along with the loop
 * of another recurrence has two arrays there, of this step and of the one before, which its readers find too:
 *
 *   for i:  { alloc m, m.before;  for b: { m = f(m.before, b); use m, m.before; m.before = m };  use m }
 *
 * A sum with a decay is multiplied by it first in the loop of its steps, by such a nest.
 *
 * A loop of threads that a loop around it has too is that one, where both read what a thread keeps: it has no loop of its own.
 */
import { defined, invariant } from "@warpfarm/common";
import type { Linear } from "../../arith/linear.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import { combine, identityOf } from "../../ir/combiner.ts";
import { exprEqual, given } from "../../ir/equal.ts";
import type { Expr, Select, Var } from "../../ir/expr.ts";
import type { PrimFunc } from "../../ir/prim-func.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { children, mapChildren, substitute, substituteStmt } from "../../ir/visit.ts";
import type { Combiner } from "../../te/graph.ts";
import {
  askedOf,
  attachedAt,
  type Loop,
  type LoopRef,
  loopOf,
  type Stage,
  type StageRef,
  type State,
  stageOf,
  stepsOf,
} from "../state.ts";
import { blocksLoop, carryOf, type Kept, partOf, startOf } from "./fold.ts";
import { guardsOf, takenWhen } from "./guards.ts";
import { isCopiedByEngine, type Plan, rootsOf, type StagePlan } from "./plan.ts";
import { type Renaming, renamed, sameThreadsOf, stepsBack } from "./regions.ts";

const hasLoad = (e: Expr): boolean => e.kind === "Load" || children(e).some(hasLoad);

function loopStmt(loop: Loop, loopVar: Var, extent: number, body: Stmt): Stmt {
  if (loop.thread) return b.boundLoop(loopVar, extent, loop.thread, body);
  invariant(loop.forKind !== "bound", `loop ${loop.name} is bound to nothing`);
  return b.forLoop(loopVar, extent, body, loop.forKind);
}

class Formula {
  readonly #plan: Plan;
  readonly #stage: StagePlan;
  readonly #same: Renaming;
  constructor(plan: Plan, stage: StagePlan) {
    this.#plan = plan;
    this.#stage = stage;
    this.#same = sameThreadsOf(plan, stage);
  }

  rewrite(e: Expr): Expr {
    if (e.kind === "Load") return this.#load(e.buffer, e.indices);
    if (e.kind === "IntImm" || e.kind === "FloatImm") return e;
    if ((e.dtype === "int32" || e.dtype === "bool") && !hasLoad(e)) return this.#plan.analyzer.simplify(e, this.#stage.env);
    return mapChildren(e, (child) => this.rewrite(child));
  }

  #load(buffer: Buffer, indices: readonly Expr[]): Expr {
    const carry = buffer === this.#stage.stage.buffer ? carryOf(this.#plan, this.#stage) : undefined;
    if (carry) return b.load(carry.buffer, placesIn(carry));
    const producer = this.#plan.stages.find((p) => p?.stage.buffer === buffer);
    const { analyzer } = this.#plan;
    const back = producer?.before && stepsBack(this.#plan, producer.stage, this.#stage, b.load(buffer, indices));
    const made = indices.map((index, d) => {
      if (back !== undefined && producer && loopOf(this.#plan.state, producer.stage.spatial[d] as LoopRef).ordered)
        return b.int(0);
      const own = hasLoad(index) ? analyzer.linear(this.rewrite(index)) : analyzer.linear(index, this.#stage.env);
      const value = renamed(analyzer, own, this.#same);
      return analyzer.expr(producer ? analyzer.sum(value, producer.origin[d] as Linear, -1) : value);
    });
    return b.load((back === 1 ? producer?.before : producer?.buffer) ?? buffer, made);
  }
}

const placesIn = ({ loops }: Kept): Expr[] => (loops.length > 0 ? loops.map(({ loopVar }) => loopVar) : [b.int(0)]);

const allocated = (buffers: readonly Buffer[], body: Stmt): Stmt =>
  buffers.reduceRight<Stmt>((below, buffer) => b.allocate(buffer, below), body);

const onlyWhen = (cond: Expr | undefined, s: Stmt): Stmt => (cond ? b.ifThen(cond, given(s, cond)) : s);
/** Boxes of the copy engine need no threads; a ring may be ahead with them. */
const runsAhead = (planned: StagePlan): boolean => planned.arrays > 1 || isCopiedByEngine(planned.stage);

class NestBuilder {
  readonly #plan: Plan;
  constructor(plan: Plan) {
    this.#plan = plan;
  }

  stage(ref: StageRef): Stmt {
    const plan = this.#plan.planOf(ref);
    invariant(plan, `stage ${ref} has no plan`);
    const { stage } = plan;
    const leaves = stage.leaves.map((leaf) => loopOf(this.#plan.state, leaf));
    const startAt = stage.combiner ? startOf(this.#plan.state, stage) : -1;
    const part = partOf(this.#plan, plan);
    let body = part ? this.#update(plan, part.buffer, placesIn(part)) : this.#update(plan);
    const orderedAt = leaves.findIndex(({ ordered }) => ordered);
    const carry = carryOf(this.#plan, plan);
    const same = sameThreadsOf(this.#plan, plan);
    for (let i = leaves.length - 1; i >= 0; i--) {
      const loop = leaves[i] as Loop;
      if (i === orderedAt && stage.decay) body = b.seq([this.#decayed(plan, leaves.slice(i + 1), part), body]);
      body = this.#withAttached(loop, body, i === orderedAt ? takenWhen(this.#plan, plan, loop) : undefined);
      const outer = same.get(loop.loopVar);
      body = outer
        ? substituteStmt(body, new Map([[loop.loopVar, outer]]))
        : loopStmt(loop, loop.loopVar, this.#plan.extents[loop.ref] as number, body);
      body = b.pragma(loop.pragmas, body);
      if (i === orderedAt && carry) body = b.allocate(carry.buffer, body);
      if (i === orderedAt && stage.placement.kind !== "at") body = allocated(this.#steppedBy(stage.ref), body);
      const { tensorized } = stage.annotations;
      if (tensorized?.loop === loop.ref) body = { kind: "Tensorize", intrinsic: tensorized.intrinsic, body };
      if (i === startAt)
        body = part
          ? this.#folded(plan, part, leaves.slice(i), body)
          : b.seq([this.#initialization(plan, leaves.slice(i)), body]);
    }
    const { engine, ring: ringOf, ...ofKernel } = askedOf(stage);
    const ring = ringOf === undefined ? undefined : stageOf(this.#plan.state, ringOf).name;
    const by = stage.annotations.ahead?.by === "pipeline" ? "pipeline" : "double_buffer";
    const ahead = plan.arrays === 1 ? undefined : ({ by, arrays: plan.arrays } as const);
    return b.kernelNest(ofKernel, b.stage(stage.name, body, defined({ ahead, engine, ring })));
  }

  /** Stages computed at a loop come first in its body. Their buffers live as long as the body. `taken`: when it does anything. */
  #withAttached(loop: Loop, body: Stmt, taken?: Expr): Stmt {
    const { state } = this.#plan;
    const first = attachedAt(state, loop.ref, ["at"]);
    const last = attachedAt(state, loop.ref, ["after"]);
    if (first.length === 0 && last.length === 0) return onlyWhen(taken, body);
    const made = [...first.map((s) => s.ref), ...(last.length > 0 ? [loop.stage] : [])].map(
      (ref) => this.#plan.planOf(ref) as StagePlan,
    );
    const isAhead = ({ ref }: Stage) => taken !== undefined && runsAhead(this.#plan.planOf(ref) as StagePlan);
    const ahead = first.filter(isAhead);
    const nests = [
      ...first.filter((s) => !isAhead(s)).map((s) => this.stage(s.ref)),
      body,
      ...last.map((s) => this.stage(s.ref)),
    ];
    const step = b.seq([...nests, ...made.flatMap((p) => (p.before ? [this.#kept(p, p.before)] : []))]);
    const inner = b.seq([...ahead.map((s) => this.stage(s.ref)), onlyWhen(taken, step)]);
    const buffers = made
      .filter((p) => p.before === undefined && (p.stage.ref !== loop.stage || p.drain?.loop === loop.ref))
      .flatMap((p) => [p.buffer, ...(p.stage.ref === loop.stage ? [] : this.#steppedBy(p.stage.ref))]);
    return allocated(buffers, inner);
  }

  /** At the end of a step its elements become those of the step before. */
  #kept(plan: StagePlan, before: Buffer): Stmt {
    const same = sameThreadsOf(this.#plan, plan);
    const loops = plan.stage.leaves
      .map((leaf) => loopOf(this.#plan.state, leaf))
      .map((loop) => ({ loop, loopVar: b.variable(`${loop.name}.kept`) }));
    const renamed = new Map<Var, Expr>(loops.map(({ loop, loopVar }) => [loop.loopVar, same.get(loop.loopVar) ?? loopVar]));
    const again = (e: Expr): Expr => substitute(e, renamed);
    const indices = this.#indices(plan).map(again);
    const guards = guardsOf(this.#plan, plan).spatial.map(again);
    return loops
      .filter(({ loop }) => !same.has(loop.loopVar))
      .reduceRight<Stmt>(
        (body, { loop, loopVar }) => loopStmt(loop, loopVar, this.#plan.extents[loop.ref] as number, body),
        b.ifThen(b.and(...guards), b.store(before, indices, b.load(plan.buffer, indices))),
      );
  }

  /** The arrays of scans that go along with the steps of this stage. */
  #steppedBy(ref: StageRef): readonly Buffer[] {
    const { state, stages } = this.#plan;
    return stages.flatMap((p) => (p?.before && stepsOf(state, p.stage)?.stage === ref ? [p.buffer, p.before] : []));
  }

  #indices({ stage, env, base, origin }: StagePlan): Expr[] {
    const { analyzer, values } = this.#plan;
    return stage.axes.map((axis, d) => {
      if (origin[d] === base[d]) return analyzer.expr(values[stage.spatial[d] as LoopRef] as Linear);
      return analyzer.expr(analyzer.sum(env.get(axis) as Linear, origin[d] as Linear, -1));
    });
  }

  #update(plan: StagePlan, buffer = plan.buffer, indices = this.#indices(plan)): Stmt {
    const { stage } = plan;
    const value = new Formula(this.#plan, plan).rewrite(plan.body);
    const { spatial, reduce } = guardsOf(this.#plan, plan);
    const guards = [...spatial, ...reduce];
    const carry = carryOf(this.#plan, plan);
    if (carry) {
      const places = placesIn(carry);
      const kept = b.store(carry.buffer, places, value);
      return b.ifThen(b.and(...guards), b.seq([kept, b.store(buffer, indices, b.load(carry.buffer, places))]));
    }
    if (!stage.combiner) return b.ifThen(b.and(...guards), b.store(buffer, indices, value));
    const sum = (term: Expr): Stmt =>
      b.store(buffer, indices, combine(stage.combiner as Combiner, b.load(buffer, indices), term));
    if (!leavesOut(this.#plan.state, stage, value)) return b.ifThen(b.and(...guards), sum(value));
    return b.ifThen(b.and(...guards, value.cond), sum(value.whenTrue));
  }

  /** What the sums so far are multiplied by, over the spatial loops that stand below. */
  #decayed(plan: StagePlan, below: readonly Loop[], part: Kept | undefined): Stmt {
    const { buffer, decay } = plan;
    invariant(decay, `"${plan.stage.name}" has no decay`);
    const loops = below
      .filter(({ kind }) => kind === "spatial")
      .map((loop) => ({ loop, loopVar: b.variable(`${loop.name}.decay`) }));
    const renamed = new Map<Var, Expr>(loops.map(({ loop, loopVar }) => [loop.loopVar, loopVar]));
    const again = (e: Expr): Expr => substitute(e, renamed);
    const [array, places] = part ? [part.buffer, placesIn(part)] : [buffer, this.#indices(plan)];
    const indices = places.map(again);
    const value = b.mul(b.load(array, indices), again(new Formula(this.#plan, plan).rewrite(decay)));
    const guards = guardsOf(this.#plan, plan).spatial.map(again);
    return loops.reduceRight<Stmt>(
      (body, { loop, loopVar }) => loopStmt(loop, loopVar, this.#plan.extents[loop.ref] as number, body),
      b.ifThen(b.and(...guards), b.store(array, indices, value)),
    );
  }

  #folded(plan: StagePlan, part: Kept, below: readonly Loop[], reduced: Stmt): Stmt {
    const { stage, buffer } = plan;
    const identity = stage.combiner && identityOf(stage.combiner, buffer.dtype);
    invariant(stage.combiner && identity, `"${stage.name}" has no start value`);
    const extentOf = ({ ref }: Loop): number => this.#plan.extents[ref] as number;
    const starts = part.loops.map((loop) => ({ loop, loopVar: b.variable(`${loop.name}.init`) }));
    const places = starts.length > 0 ? starts.map(({ loopVar }) => loopVar) : [b.int(0)];
    const start = starts.reduceRight<Stmt>(
      (body, { loop, loopVar }) => b.forLoop(loopVar, extentOf(loop), body, "unrolled"),
      b.store(part.buffer, places, identity),
    );
    const loops = below.filter(({ kind }) => kind === "spatial").map((loop) => ({ loop, loopVar: b.variable(loop.name) }));
    const renamed = new Map<Var, Expr>(loops.map(({ loop, loopVar }) => [loop.loopVar, loopVar]));
    const again = (e: Expr): Expr => substitute(e, renamed);
    const guards = guardsOf(this.#plan, plan).spatial.map(again);
    const whole = b.load(part.buffer, placesIn(part).map(again));
    const stored = loops.reduceRight<Stmt>(
      (body, { loop, loopVar }) => loopStmt(loop, loopVar, extentOf(loop), body),
      b.ifThen(b.and(...guards), b.store(buffer, this.#indices(plan).map(again), whole)),
    );
    return b.allocate(
      part.buffer,
      b.seq([start, reduced, b.fold(stage.combiner, part.buffer, defined({ blocks: this.#blocksOf(plan) })), stored]),
    );
  }

  /** Of a cluster that shares the reduction out. */
  #blocksOf({ stage }: StagePlan): number | undefined {
    const loop = blocksLoop(this.#plan.state, stage);
    const extent = loop && (this.#plan.extents[loop.ref] as number);
    return extent === 1 ? undefined : extent;
  }

  #initialization(plan: StagePlan, below: readonly Loop[]): Stmt {
    const { stage, buffer } = plan;
    const start = stage.combiner && identityOf(stage.combiner, buffer.dtype);
    invariant(start, `"${stage.name}" has no start value`);
    const loops = below
      .filter((loop) => loop.kind === "spatial")
      .map((loop) => ({ loop, loopVar: b.variable(`${loop.name}.init`) }));
    const renamed = new Map<Var, Expr>(loops.map(({ loop, loopVar }) => [loop.loopVar, loopVar]));
    const indices = this.#indices(plan).map((e) => substitute(e, renamed));
    const guards = guardsOf(this.#plan, plan).spatial.map((e) => substitute(e, renamed));
    const store = b.ifThen(b.and(...guards), b.store(buffer, indices, start));
    const { tensorized } = stage.annotations;
    const mark = below.findIndex((loop) => loop.ref === tensorized?.loop);
    const marked = mark < 0 ? undefined : loops.find(({ loop }) => below.indexOf(loop) >= mark);
    return loops.reduceRight<Stmt>((body, at) => {
      const made = loopStmt(at.loop, at.loopVar, this.#plan.extents[at.loop.ref] as number, body);
      // The intrinsic that does the sum from there on also writes its start values, if it can.
      return at === marked && tensorized
        ? { kind: "Tensorize", intrinsic: tensorized.intrinsic, isInit: true, body: made }
        : made;
    }, store);
  }
}

/**
 * Whether this is a term of a reduction c = c + select(p, e, 0), or the like for a maximum. It becomes "if p: c = c + e": a
 * decided p removes the term or its test, and a p over outer loops only moves the test out. This is exact, because the start
 * value is the combiner's own: a sum that began at +0 is never -0. Vectors and intrinsics keep their selects.
 */
function leavesOut(state: State, stage: Stage, value: Expr): value is Select {
  if (value.kind !== "Select" || stage.annotations.tensorized || hasLoad(value.cond)) return false;
  if (stage.leaves.some((leaf) => loopOf(state, leaf).forKind === "vectorized")) return false;
  const identity = stage.combiner && identityOf(stage.combiner, stage.buffer.dtype);
  return identity !== undefined && exprEqual(value.whenFalse, identity);
}

/** Root nests in order. Parameters are the graph's inputs, outputs, then intermediates of root nests as workspace. */
export function buildNest(plan: Plan): PrimFunc<"scheduled"> {
  const { state } = plan;
  const builder = new NestBuilder(plan);
  const workspaces = state.order
    .map((ref) => plan.planOf(ref))
    .filter((p): p is StagePlan => p !== undefined && !p.isInner && !p.stage.isOutput);
  return {
    dialect: "scheduled",
    name: (state.graph.outputs[0] as Buffer).name,
    params: [...state.graph.inputs, ...state.graph.outputs, ...workspaces.map(({ buffer }) => buffer)],
    body: b.seq(rootsOf(plan).map((ref) => builder.stage(ref))),
  };
}
