/**
 * Moves that people make on a schedule, with random arguments: single primitives whose arguments are seldom found at random, and
 * a few compositions (launch a nest, accumulate in registers, load cooperatively through shared memory). A primitive without a
 * move here gets arguments drawn by their types (generate.ts).
 */
import type { Scope } from "../../compiler/src/ir/buffer.ts";
import type { Expr, Var } from "../../compiler/src/ir/expr.ts";
import type { ThreadTag } from "../../compiler/src/ir/stmt.ts";
import { walkExpr } from "../../compiler/src/ir/visit.ts";
import { indexMap } from "../../compiler/src/json/index-map.ts";
import type * as primitives from "../../compiler/src/schedule/primitives/index.ts";
import { attachedAt, type LoopRef, loopOf, type Stage, type StageRef } from "../../compiler/src/schedule/state.ts";
import { add, floorDiv, floorMod, mul } from "../../compiler/src/te/expr.ts";
import type { Draft, Flavour } from "./draft.ts";

export type Move = (draft: Draft) => void;

const split: Move = (draft) => void draft.sch.split(draft.leaf(), draft.factors());
const fuse: Move = (draft) => {
  const { leaves } = draft.stage();
  const at = draft.random.below(Math.max(1, leaves.length - 1));
  draft.sch.fuse(leaves.slice(at, at + 2 + draft.random.below(2)));
};
/** Of two neighbours, as rows and columns. */
const curve: Move = (draft) => {
  const leaves = draft.spatialLeaves(draft.stage()).filter((l) => loopOf(draft.state, l).forKind === "serial");
  const at = draft.random.below(Math.max(1, leaves.length - 1));
  const order = draft.pick(["group", "hilbert"] as const);
  const fused = draft.sch.curve(leaves.slice(at, at + 2), order, order === "group" ? 1 + draft.random.below(4) : 1);
  if (draft.random.below(2) === 0) draft.sch.split(fused, draft.factors());
};
const reorder: Move = (draft) => {
  const { leaves } = draft.stage();
  draft.sch.reorder(draft.random.shuffle(leaves).slice(0, 2 + draft.random.below(3)));
};
const tile: Move = (draft) => {
  const loops = draft.random.shuffle(draft.stage().leaves);
  draft.sch.tile(
    draft.pick(loops.slice(0, 1)),
    draft.pick(loops.slice(1, 2)),
    1 + draft.random.below(4),
    1 + draft.random.below(4),
  );
};
const bind: Move = (draft) => {
  const tags: ThreadTag[] = [
    "threadIdx.x",
    "threadIdx.y",
    "threadIdx.z",
    "blockIdx.x",
    "blockIdx.y",
    "blockIdx.z",
    "vthread",
    "vthread",
  ];
  draft.sch.bind(draft.leaf(), draft.pick(tags));
};
const parallel: Move = (draft) => {
  const { leaves } = draft.stage();
  draft.sch.parallel(leaves[draft.random.below(Math.min(2, leaves.length))] as LoopRef);
};
const unroll: Move = (draft) => draft.sch.unroll(draft.leaf());
/** The last axis of a stage, or a part of it of length 2, 4 or 8, sometimes moved innermost. */
const vectorize: Move = (draft) => {
  const stage = draft.stage();
  const loop = draft.spatialLeaves(stage).at(-1) ?? draft.leaf();
  const whole = draft.random.below(3) === 0;
  const lanes = whole ? loop : (draft.sch.split(loop, [null, draft.pick([2, 4, 4, 8])])[1] as LoopRef);
  const leaves = draft.sch.leaves(stage.ref);
  if (draft.random.below(2) === 0) draft.sch.reorder([...leaves.filter((l) => l !== lanes), lanes]);
  draft.sch.vectorize(lanes);
};
const pragma: Move = (draft) => {
  if (draft.random.below(2) === 0) draft.sch.pragma(draft.leaf(), "auto_unroll_max_step", draft.pick([0, 4, 16, 64]));
  else draft.sch.pragma(draft.leaf(), "unroll_explicit", draft.random.below(2));
};
const computeAt: Move = (draft) => {
  const stage = draft.pick(draft.stages.filter((s) => !s.isOutput));
  const readers = draft.readersOf(stage.buffer.name);
  const consumer = readers.length > 0 && draft.random.below(5) > 0 ? draft.pick(readers) : draft.stage();
  draft.sch.computeAt(stage.ref, consumer.ref, draft.pick(consumer.leaves));
};
/** A place inside a nest for each cache that cannot be at the root. */
export const attachLoose: Move = (draft) => {
  for (const stage of draft.stages) {
    if (stage.leaves.some((leaf) => attachedAt(draft.state, leaf, ["after"]).length > 0)) continue;
    if (stage.placement.kind !== "root" || stage.scope === undefined || stage.scope === "global") continue;
    const [reader] = draft.readersOf(stage.buffer.name);
    if (reader) draft.sch.computeAt(stage.ref, reader.ref, draft.pick(reader.leaves));
  }
};
const computeInline: Move = (draft) => {
  draft.sch.computeInline(draft.pick(draft.stages.filter((s) => !s.isOutput)).ref);
};
const cacheRead: Move = (draft) => {
  const tensors = [...draft.graph.inputs, ...draft.stages.map((s) => s.buffer)];
  const tensor = draft.pick(tensors);
  const readers = draft.readersOf(tensor.name);
  const some = draft.random.below(3) === 0 ? readers.slice(0, 1) : readers;
  draft.sch.cacheRead(
    tensor,
    draft.scope(),
    some.map((s) => s.ref),
  );
};
const cacheWrite: Move = (draft) => void draft.sch.cacheWrite(draft.stage().ref, draft.scope());

/** Stages computed inside a nest whose memory the schedule created. */
function inner(draft: Draft): Stage {
  return draft.pick(draft.stages.filter((s) => s.placement.kind === "at"));
}
const setScope: Move = (draft) => draft.sch.setScope(inner(draft).ref, draft.scope());
/** Double-buffers a new copy at a loop of a sum, or any stage inside a nest. */
const doubleBuffer: Move = (draft) => {
  if (draft.random.below(3) === 0) draft.sch.doubleBuffer(inner(draft).ref);
  else draft.sch.doubleBuffer(copyInSum(draft, draft.scope()));
};
const pipeline: Move = (draft) => {
  const stages = 2 + draft.random.below(3);
  if (draft.random.below(4) === 0) draft.sch.pipeline(inner(draft).ref, stages);
  else {
    const copy = copyInSum(draft, draft.scope());
    // Only whole vectors are copied by the machine itself.
    const row = draft.sch.axes(copy).at(-1) as LoopRef;
    if (draft.random.below(2) === 0) draft.sch.vectorize(draft.sch.split(row, [null, draft.pick([2, 4])])[1] as LoopRef);
    draft.sch.pipeline(copy, stages);
  }
};
/** Swizzles a copy in shared memory after making its rows a power of two long. */
const swizzle: Move = (draft) => {
  const cache = copyInSum(draft, "shared", true);
  draft.sch.swizzle(cache);
};
/** A copy at a loop of a sum; with `cut`, split into rows of 8 or 16 at the first loop. */
function copyInSum(draft: Draft, scope: Scope, cut = false): StageRef {
  const reader = draft.pick(draft.stages.filter((s) => s.combiner));
  const sums = reader.leaves.filter((l) => loopOf(draft.state, l).kind === "reduce");
  const tensors: Stage["buffer"][] = [];
  walkExpr(reader.body, (e) => {
    if (e.kind === "Load") tensors.push(e.buffer);
  });
  const cache = draft.sch.cacheRead(draft.pick(tensors), scope, [reader.ref]);
  if (cut) {
    const names = (draft.state.stages[cache] as Stage).axes.map((_, d) => `d${d}`);
    const row = draft.pick([8, 16]);
    const { shape } = (draft.state.stages[cache] as Stage).buffer;
    const rows = indexMap(names, (...axes) => {
      const all = axes.slice(1).reduce<Expr>((sum, axis, d) => add(mul(sum, shape[d + 1] as number), axis), axes[0] as Expr);
      return [floorDiv(all, row), floorMod(all, row)];
    });
    draft.sch.transformLayout(cache, rows);
  }
  draft.sch.computeAt(cache, reader.ref, cut ? (sums[0] as LoopRef) : draft.pick(sums));
  if (draft.flavour === "cuda" && draft.random.below(2) === 0) draft.sch.bind(draft.pick(draft.sch.axes(cache)), "threadIdx.x");
  return cache;
}
const storageAlign: Move = (draft) => {
  const { ref, axes } = inner(draft);
  const factor = draft.pick([2, 4, 8, 8, 3]);
  draft.sch.storageAlign(ref, draft.random.below(axes.length), factor, draft.random.below(factor));
};

/** Splits, fuses and permutes axes of a new cache, or of a stage whose loops are unchanged. */
const transformLayout: Move = (draft) => {
  const fresh = draft.random.below(2) === 0;
  if (fresh) cacheRead(draft);
  const stage = fresh
    ? (draft.state.stages.at(-1) as Stage)
    : draft.pick(draft.stages.filter((s) => !s.isOutput && s.spatial.every((l) => s.leaves.includes(l))));
  const names = stage.axes.map((_, d) => `d${d}`);
  draft.sch.transformLayout(
    stage.ref,
    indexMap(names, (...axes) => layout(draft, axes, stage.buffer.shape)),
  );
  if (fresh) attachLoose(draft);
};
function layout(draft: Draft, axes: readonly Var[], shape: readonly number[]): Expr[] {
  let whole: Expr[] = [...axes];
  if (axes.length > 1 && draft.random.below(3) === 0) {
    const [first, second, ...rest] = axes as [Var, Var, ...Var[]];
    whole = [add(mul(first, shape[1] as number), second), ...rest];
  }
  const to = whole.flatMap((axis) => {
    const by = draft.pick([2, 3, 4, 4]);
    return draft.random.below(2) === 0 ? [axis] : [floorDiv(axis, by), floorMod(axis, by)];
  });
  return draft.random.below(3) === 0 ? to : draft.random.shuffle(to);
}

/** Binds blocks and threads to the spatial loops of a root stage. */
const launch: Move = (draft) => {
  const stage = draft.pick(draft.stages.filter((s) => s.placement.kind === "root"));
  const loops = draft.spatialLeaves(stage).filter((l) => loopOf(draft.state, l).forKind === "serial");
  const axes = ["x", "y", "z"] as const;
  const outer: LoopRef[] = [];
  const inner: LoopRef[] = [];
  loops.slice(-2).forEach((loop, i) => {
    const [block, thread] = draft.sch.split(
      loop,
      draft.random.below(2) === 0 ? [null, 1 + draft.random.below(4)] : [1 + draft.random.below(4), null],
    );
    draft.sch.bind(block as LoopRef, `blockIdx.${axes[i] ?? "x"}`);
    draft.sch.bind(thread as LoopRef, `threadIdx.${axes[i] ?? "x"}`);
    outer.push(block as LoopRef);
    inner.push(thread as LoopRef);
  });
  draft.sch.reorder([...loops.slice(0, -2), ...outer, ...inner]);
};
/** A reduction accumulated in registers inside its output's threads. */
const accumulate: Move = (draft) => {
  const stage = draft.pick(draft.stages.filter((s) => s.combiner));
  const cache = draft.sch.cacheWrite(stage.ref, draft.pick<Scope>(["local", "local", draft.scope()]));
  draft.sch.computeAt(cache, stage.ref, draft.pick((draft.state.stages[stage.ref] as Stage).leaves));
};
/** Moves a stage, or the rest of it after its cache has taken the computation, behind a loop of a stage that it reads. */
const reverseComputeAt: Move = (draft) => {
  const stage = draft.stage();
  if (draft.random.below(4) > 0) {
    const cache = draft.sch.cacheWrite(stage.ref, draft.scope());
    const sum = draft.sch.leaves(cache).findIndex((l) => loopOf(draft.state, l).kind === "reduce");
    const leaves = draft.sch.leaves(cache).slice(0, sum < 0 ? undefined : sum);
    if (draft.random.below(2) === 0) draft.sch.split(draft.pick(leaves), [null, 1 + draft.random.below(4)]);
    if (draft.flavour === "cuda" && draft.random.below(2) === 0)
      draft.sch.bind(draft.sch.leaves(cache)[0] as LoopRef, draft.pick(["blockIdx.x", "threadIdx.x"]));
    draft.sch.reverseComputeAt(stage.ref, cache, draft.pick(draft.sch.leaves(cache).slice(0, leaves.length + 1)));
    return;
  }
  const producers = draft.stages.filter((s) => draft.readersOf(s.buffer.name).includes(stage));
  const producer = draft.pick(producers);
  draft.sch.reverseComputeAt(stage.ref, producer.ref, draft.pick(producer.leaves));
};
/** Of a stage, or of what a cache has left of it. */
const reverseComputeInline: Move = (draft) => {
  const stage = draft.pick(
    draft.stages.filter((s) => s.relations.length === 0 && s.leaves.every((l) => loopOf(draft.state, l).forKind === "serial")),
  );
  if (draft.random.below(4) === 0) {
    draft.sch.reverseComputeInline(stage.ref);
    return;
  }
  const cache = draft.sch.cacheWrite(stage.ref, draft.scope());
  if (stage.combiner) draft.sch.cacheWrite(cache, draft.scope());
  draft.sch.reorder(draft.random.shuffle(draft.sch.leaves(cache)));
  draft.sch.reverseComputeInline(stage.ref);
};
const decomposeReduction: Move = (draft) => {
  const { ref, leaves } = draft.pick(draft.stages.filter((s) => s.combiner));
  const sum = leaves.findIndex((l) => loopOf(draft.state, l).kind === "reduce");
  draft.sch.decomposeReduction(ref, draft.random.below(8) > 0 ? draft.pick(leaves.slice(0, sum + 1)) : draft.pick(leaves));
};
const rfactor: Move = (draft) => {
  const stage = draft.pick(draft.stages.filter((s) => s.combiner));
  const sums = stage.leaves.filter((l) => loopOf(draft.state, l).kind === "reduce");
  const whole = draft.pick(sums);
  const loop =
    draft.random.below(2) === 0 ? whole : draft.pick(draft.sch.split(whole, [null, 2 + draft.random.below(3)] as const));
  draft.sch.rfactor(loop, draft.random.below(stage.axes.length + 1));
};
/** A copy whose loops are shared out over the threads. */
const fetch: Move = (draft) => {
  const reader = draft.pick(draft.stages);
  const reads: Stage["buffer"][] = [];
  walkExpr(reader.body, (e) => {
    if (e.kind === "Load") reads.push(e.buffer);
  });
  const cache = draft.sch.cacheRead(draft.pick(reads), draft.flavour === "cuda" ? "shared" : draft.scope(), [reader.ref]);
  draft.sch.computeAt(cache, reader.ref, draft.pick(reader.leaves));
  const fused = draft.sch.fuse(draft.sch.axes(cache));
  const [, thread] = draft.sch.split(
    fused,
    draft.random.below(2) === 0 ? [null, 1 + draft.random.below(6)] : [1 + draft.random.below(6), null],
  );
  if (draft.flavour === "cuda") draft.sch.bind(thread as LoopRef, draft.pick(["threadIdx.x", "threadIdx.y"]));
};

const swizzles = Array.from({ length: 6 }, () => swizzle);
const common = [split, split, fuse, reorder, tile, unroll, vectorize, pragma];
const ofStages = [
  ...[
    computeAt,
    computeAt,
    computeInline,
    cacheRead,
    cacheWrite,
    accumulate,
    fetch,
    setScope,
    setScope,
    storageAlign,
    storageAlign,
  ],
  ...[doubleBuffer, pipeline, transformLayout, decomposeReduction, rfactor, reverseComputeAt, reverseComputeInline],
];
/** Each as often as its weight. */
export const moves: Record<Flavour, readonly Move[]> = {
  cuda: [...common, ...ofStages, bind, bind, launch, launch, ...swizzles],
  cpu: [...common, ...ofStages, parallel, parallel],
};

/** Further moves for random walks whose programs are not pinned (client/test/codegen/corpus.ts pins the texts of the others). */
export const laterMoves: readonly Move[] = [curve, curve];

/** Primitives that a move here makes, on at least one kind of device; tiles.ts tensorizes, boxes.ts specializes. */
export const composed: ReadonlySet<string> = new Set<keyof typeof primitives>([
  ...(["split", "fuse", "curve", "reorder", "tile", "bind", "unroll", "vectorize", "parallel", "pragma", "computeAt"] as const),
  ...(["computeInline", "cacheRead", "cacheWrite", "setScope", "storageAlign", "transformLayout"] as const),
  ...(["decomposeReduction", "rfactor", "reverseComputeAt", "reverseComputeInline"] as const),
  ...(["doubleBuffer", "pipeline", "swizzle", "tensorize", "specialize"] as const),
]);
