/**
 * Attention in one kernel on the tensor cores of sm_90a (wgmma), fed by the copy engine (TMA): softmax(Q K^T / sqrt(D)) V of each
 * head. A block has 64 queries for each of its `consumers` (warpgroups) and goes over the keys, `keys` of them in a step:
 *
 *   scores   64 x keys of a step, in fragments: Q, which stays in shared memory, by K out of a ring of `stages` slots
 *   m        the greatest score of a row so far; a row lies with four lanes, who fold what each of them has
 *   weights  2^(score - m), rounded, where they are: lanes have scores just as tensor cores take a left factor from registers
 *   sums     what a row has of V so far, with lanes: times 2^(m before - m), then weights by V of this step, from the ring
 *   total    the sum of a row's weights so far, scaled alike; in the end it divides the sums
 *
 * The maximum and the total are scans along the steps, and the sums have a decay (docs/adr/0096, 0111). Any numbers of queries
 * and keys: the engine reads zeros beyond them, and keys beyond the last one have no weight. With a causal mask a block leaves
 * the steps out that none of its queries sees (ADR 111). Source: Dao, "FlashAttention-2", 2023.
 */
import {
  add,
  all,
  at,
  type Bound,
  type Buffer,
  cast,
  compute,
  constant,
  div,
  type Expr,
  exp2,
  floorDiv,
  floorMod,
  type Graph,
  graphOf,
  greater,
  indexMap,
  type LoopRef,
  less,
  lessEqual,
  maximum,
  maxOf,
  mul,
  reduceAxis,
  type Schedule,
  type SpaceBuilder,
  type StageRef,
  scan,
  select,
  sub,
  sum,
  wgmma,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { listed } from "../starts.ts";
import type { ArgValues } from "../template-args.ts";
import { attentionArgs, attentionGraph, attentionOperands } from "./attention-args.ts";
import { type PaddedAxis, wholeMultiple, zeroBeyond } from "./padded.ts";
import { rows } from "./tma-places.ts";
import { registersOf, tmaTemplate } from "./tma-product.ts";

const args = attentionArgs("float16", ["float16", "bfloat16"]);
type Args = ArgValues<typeof args>;

/** Halves of 128 bytes: a row in shared memory, a panel. */
const line = 64;
/** Elements of the reduction that an instruction takes. */
const depth = 16;
const mostDepth = 128;
/** Elements of 16 bytes, of which the engine takes whole ones. */
const unit = 8;
const mostConsumers = 3;
/** Of an order of tiles (curve). */
const mostPlaces = 2 ** 14;
/** A third of what an H100 has: the blocks in flight have keys of two groups of heads, and read queries. */
const cachedBytes = 2 ** 24;

const check = ({ D }: Args): string | undefined =>
  D % unit !== 0 || D > mostDepth
    ? `D is ${D}; heads have a multiple of ${unit} elements, which are the 16 bytes that the copy engine takes, up to ${mostDepth}`
    : undefined;

/** The row that lane, warp and half name: lanes keep two rows of 16, eight apart (intrinsic wgmma). */
const rowOf = (w: Expr, r: Expr, h: Expr): Expr => add(add(mul(w, 16), mul(h, 8)), r);
/** The column: groups of 8, of which each of four lanes has two neighbours. */
const columnOf = (q: Expr, t: Expr, v: Expr): Expr => add(add(mul(t, 8), mul(q, 2)), v);
const ofRow = (i: Expr): readonly [Expr, Expr, Expr] => [floorDiv(i, 16), floorMod(i, 8), floorMod(floorDiv(i, 8), 2)];
const ofColumn = (j: Expr): readonly [Expr, Expr, Expr] => [floorDiv(floorMod(j, 8), 2), floorDiv(j, 8), floorMod(j, 2)];

/** A tensor (B, H, rows, D) as (B * H, rows, D), with zeros beyond its rows and columns. */
function paddedHeads(name: string, of: Buffer, heads: number, [rowsOf, columnsOf]: readonly [PaddedAxis, PaddedAxis]): Buffer {
  const axes = [
    ["z", (of.shape[0] as number) * heads],
    ["i", rowsOf.padded],
    ["d", columnsOf.padded],
  ] as const;
  return compute(name, axes, (z, i, d) =>
    zeroBeyond(at(of, floorDiv(z, heads), floorMod(z, heads), i, d), [
      [i, rowsOf],
      [d, columnsOf],
    ]),
  );
}

/** Each row's sums times its share, where queries and elements exist. */
function meansOf({ B, H, M, D, dtype }: Args, sums: Buffer, share: Buffer): Buffer {
  const axes = [
    ["b", B],
    ["h", H],
    ["i", M],
    ["e", D],
  ] as const;
  return compute("attention", axes, (b, head, i, e) => {
    const z = add(mul(b, H), head);
    const [w, r, h] = ofRow(i);
    const [q, t, v] = ofColumn(e);
    return cast(dtype, mul(at(sums, z, w, r, q, h, t, v), at(share, z, w, r, h)));
  });
}

/** The steps of a config over blocks of keys. Rows and columns are named as lanes keep them: w, r, h and q, t, v. */
function steppedGraph(values: Args, { consumers, keys }: Pick<Knobs, "consumers" | "keys">): Graph {
  const { B, H, M, N, D, dtype, mask } = values;
  const [Q, K, V] = attentionOperands(values);
  const [I, J, E] = [wholeMultiple(M, rows * consumers), wholeMultiple(N, keys), wholeMultiple(D, line)];
  const [Z, steps] = [["z", B * H] as const, J.padded / keys];
  const viewOf = (name: string, of: Buffer, axis: PaddedAxis) => paddedHeads(name, of, H, [axis, E]);
  const [queries, known, given] = [viewOf("queries", Q, I), viewOf("known", K, J), viewOf("given", V, J)];
  const product = (a: Expr, b: Expr) => mul(cast("float32", a), cast("float32", b));
  const d = reduceAxis("d", E.padded);
  const scores = compute("scores", [Z, ["i", I.padded], ["j", J.padded]], (z, i, j) =>
    sum(product(at(queries, z, i, d.loopVar), at(known, z, j, d.loopVar)), [d]),
  );
  const seen = (z: Expr, i: Expr, j: Expr): Expr => {
    const tests = [...(J.padded > J.extent ? [less(j, N)] : []), ...(mask === "causal" ? [lessEqual(j, i)] : [])];
    const score = at(scores, z, i, j);
    return tests.length === 0 ? score : select(all(...tests), score, Number.NEGATIVE_INFINITY);
  };
  const scale = Math.LOG2E / Math.sqrt(D);
  const rowAxes = [Z, ["w", I.padded / 16], ["r", 8], ["h", 2]] as const;
  const stepAxes = [...rowAxes, ["b", steps]] as const;
  const inStep = () => [reduceAxis("t", keys / 8), reduceAxis("q", 4), reduceAxis("v", 2)] as const;
  const [t, q, v] = inStep();
  const most = compute("most", stepAxes, (z, w, r, h, b) => {
    const j = add(mul(b, keys), columnOf(q.loopVar, t.loopVar, v.loopVar));
    return maxOf(seen(z, rowOf(w, r, h), j), [t, q, v]);
  });
  // A block of queries needs no step whose first key comes after its last query.
  const block = rows * consumers;
  const inReach = (w: Expr, b: Expr) => less(mul(b, keys), mul(add(floorDiv(w, block / 16), 1), block));
  const ifSeen = (w: Expr, b: Expr, then: Expr, otherwise: Expr | number): Expr =>
    mask === "causal" ? select(inReach(w, b), then, otherwise) : then;
  const none = () => constant(Number.NEGATIVE_INFINITY, "float32");
  const m = scan("m", stepAxes, "b", none, (before, z, w, r, h, b) =>
    ifSeen(w, b, maximum(before, mul(at(most, z, w, r, h, b), scale)), before),
  );
  const decay = compute("decay", stepAxes, (z, w, r, h, b) =>
    select(greater(b, 0), exp2(sub(at(m, z, w, r, h, sub(b, 1)), at(m, z, w, r, h, b))), 0),
  );
  const powerAxes = [Z, ["w", I.padded / 16], ["r", 8], ["q", 4], ["h", 2], ["b", steps], ["t", keys / 8], ["v", 2]] as const;
  const powers = compute("powers", powerAxes, (z, w, r, q, h, b, t, v) => {
    const score = seen(z, rowOf(w, r, h), add(mul(b, keys), columnOf(q, t, v)));
    return exp2(sub(mul(score, scale), at(m, z, w, r, h, b)));
  });
  const [tt, tq, tv] = inStep();
  const parts = compute("parts", stepAxes, (z, w, r, h, b) =>
    sum(at(powers, z, w, r, tq.loopVar, h, b, tt.loopVar, tv.loopVar), [tt, tq, tv]),
  );
  const total = scan(
    "total",
    stepAxes,
    "b",
    () => constant(0, "float32"),
    (before, z, w, r, h, b) => ifSeen(w, b, add(mul(before, at(decay, z, w, r, h, b)), at(parts, z, w, r, h, b)), before),
  );
  const weights = compute("weights", [Z, ["i", I.padded], ["j", J.padded]], (z, i, j) => {
    const [w, r, h] = ofRow(i);
    const [q, t, v] = ofColumn(floorMod(j, keys));
    return cast(dtype, at(powers, z, w, r, q, h, floorDiv(j, keys), t, v));
  });
  const k = reduceAxis("k", keys);
  const blocks = compute("blocks", [Z, ["b", steps], ["i", I.padded], ["e", E.padded]], (z, b, i, e) => {
    const j = add(mul(b, keys), k.loopVar);
    return sum(product(at(weights, z, i, j), at(given, z, j, e)), [k]);
  });
  const step = reduceAxis("step", steps);
  const sumAxes = [Z, ["w", I.padded / 16], ["r", 8], ["q", 4], ["h", 2], ["t", E.padded / 8], ["v", 2]] as const;
  const sums = compute("sums", sumAxes, (z, w, r, q, h, t, v) =>
    sum(ifSeen(w, step.loopVar, at(blocks, z, step.loopVar, rowOf(w, r, h), columnOf(q, t, v)), 0), [step], {
      decay: ifSeen(w, step.loopVar, at(decay, z, w, r, h, step.loopVar), 1),
    }),
  );
  const share = compute("share", rowAxes, (...row) => div(1, at(total, ...row, steps - 1)));
  return graphOf([Q, K, V], [meansOf(values, sums, share)]);
}

function spaceOf(space: SpaceBuilder, values: Args) {
  const consumers = [1, 2, mostConsumers].filter((count) => count === 1 || values.M > rows * (count - 1));
  return {
    consumers: space.choice("consumers", consumers),
    /** Of a step. */
    keys: space.choice("keys", [64, 128]),
    /** Slots of the ring of keys and values. */
    stages: space.choice("stages", [2, 3, 4]),
    /** Registers per thread of the producer; 0: no producer. */
    producer: space.choice("producer", [0, 24, 40]),
  };
}
type Knobs = Bound<ReturnType<typeof spaceOf>>;

/** Two warpgroups have registers for heads of 128 with a producer beside them; three share keys best where heads are short. */
const startsOf = ({ D }: Args) => {
  const others = [
    [2, 64, 3, 40],
    [2, 128, 2, 0],
    [1, 64, 2, 0],
  ];
  const first =
    D > line
      ? [
          [2, 128, 2, 40],
          [2, 128, 3, 24],
        ]
      : [
          [3, 128, 2, 24],
          [2, 128, 3, 24],
          [3, 64, 4, 24],
        ];
  return listed(["consumers", "keys", "stages", "producer"], [...first, ...others]);
};

const tilesOf = (width: number) =>
  indexMap(["z", "i", "j"], (z, i, j) => [z, floorDiv(i, rows), floorDiv(j, width), floorMod(i, rows), floorMod(j, width)]);
const panels = indexMap(["z", "i", "d"], (z, i, d) => [z, floorDiv(d, line), i, floorMod(d, line)]);
const blocksInTiles = (width: number) =>
  indexMap(["z", "b", "i", "e"], (z, b, i, e) => [
    ...[z, b, floorDiv(i, rows), floorMod(i, rows)],
    ...(width > line ? [floorDiv(e, line), floorMod(e, line)] : [e]),
  ]);

/**
 * The last queries see the most keys. If blocks that begin last have the longest way to go, multiprocessors wait for them: 6 to
 * 8 % of 64 heads of 4,096 queries. So tiles go from the last to the first, through several heads at a time.
 */
function longestFirst(
  sch: Schedule,
  [b, head, tile]: readonly [LoopRef, LoopRef, LoopRef],
  { B, H, M, N, D }: Args,
): readonly LoopRef[] {
  const together = headsTogether(B * H, 4 * N * D);
  const [group, inGroup] = exactly(2, sch.split(sch.fuse([b, head]), [null, together]));
  sch.reorder([group, tile, inGroup]);
  return [group, M <= rows * mostPlaces ? sch.curve(sch.split(tile, [1, null]), "reverse", 1) : tile, inGroup];
}

/** The most heads that divide all, and whose keys and values, so many bytes each, stay in a second-level cache together. */
function headsTogether(heads: number, bytes: number): number {
  for (let count = Math.min(heads, Math.floor(cachedBytes / bytes)); count > 1; count--) if (heads % count === 0) return count;
  return 1;
}

function schedule(sch: Schedule, { consumers, keys, stages, producer }: Knobs, values: Args): void {
  const { D, dtype, mask } = values;
  const width = wholeMultiple(D, line).padded;
  const [out, sums, scores, blocks, weights] = ["attention", "sums", "scores", "blocks", "weights"].map((name) =>
    sch.stage(name),
  ) as [StageRef, StageRef, StageRef, StageRef, StageRef];

  const [b, head, i, e] = exactly(4, sch.axes(out));
  const [tile, group, warp, half, row] = exactly(5, sch.split(i, [null, consumers, 4, 2, 8]));
  const [columns, lane, pair] = exactly(3, sch.split(e, [width / 8, 4, 2]));
  sch.reorder([b, head, tile, group, warp, row, lane, half, columns, pair]);
  const tiles = sch.fuse(mask === "causal" ? longestFirst(sch, [b, head, tile], values) : [b, head, tile]);
  sch.bind(tiles, "blockIdx.x");
  sch.bind(group, "threadIdx.z");
  bindRow(sch, warp, row, lane);
  sch.vectorize(pair);
  if (producer > 0) sch.specialize(out, ...registersOf(consumers, producer));

  // What lanes keep over all steps.
  sch.setScope(sums, "local");
  sch.computeAt(sums, out, lane);
  sch.computeAt(sch.stage("share"), out, lane);
  const [step] = exactly(1, sch.reduceAxes(sums));
  const own = sch.axes(sums);
  sch.reorder([step, ...own]);
  for (const loop of own.slice(-3)) sch.unroll(loop);

  const a = { major: "k", swizzle: 128 } as const;
  const [QS, KS, VS] = (
    [
      ["queries", scores],
      ["known", scores],
      ["given", blocks],
    ] as const
  ).map(([name, reader]) => {
    const view = sch.stage(name);
    sch.computeInline(view);
    const copy = sch.cacheRead(view, "shared", [reader]);
    if (width > line) sch.transformLayout(copy, panels);
    sch.swizzle(copy);
    sch.copyBy(copy, "tma");
    return copy;
  }) as [StageRef, StageRef, StageRef];
  sch.computeAt(QS, out, tiles);
  for (const copy of [KS, VS]) {
    sch.computeAt(copy, sums, step);
    sch.pipeline(copy, stages);
  }

  for (const name of ["most", "m", "decay", "powers", "parts", "total"]) sch.computeAt(sch.stage(name), sums, step);
  for (const name of ["most", "parts"]) sch.bind(exactly(3, sch.reduceAxes(sch.stage(name)))[1], "threadIdx.x");
  for (const stage of [scores, blocks]) {
    sch.setScope(stage, "warpgroup.accumulator");
    sch.computeAt(stage, sums, step);
  }
  unrollOwn(sch);

  sch.transformLayout(scores, tilesOf(keys));
  multiply(sch, scores, wgmma({ dtype, n: keys, a, b: a }), { at: 3, by: [width / line, line / depth] });
  sch.transformLayout(blocks, blocksInTiles(width));
  multiply(sch, blocks, wgmma({ dtype, n: width, a: "registers", b: { major: "mn", swizzle: 128 } }), {
    at: 3,
    by: [keys / depth],
  });
  keepWeights(sch, weights, sums, step);
}

/** Lanes of four are threadIdx.x, so that a row's values are folded over it; eight rows of four warps are threadIdx.y. */
function bindRow(sch: Schedule, warp: LoopRef, row: LoopRef, lane: LoopRef): void {
  sch.bind(sch.fuse([warp, row]), "threadIdx.y");
  sch.bind(lane, "threadIdx.x");
}

/** Loops over what a lane keeps in registers: two rows, groups of columns, neighbours. */
function unrollOwn(sch: Schedule): void {
  const ofRows = ["most", "m", "decay", "parts", "total"].flatMap((name) => {
    const stage = sch.stage(name);
    const [t, , v] = sch.reduceAxes(stage);
    return [sch.axes(stage)[3], t, v];
  });
  const [, , , , h, , t, v] = exactly(8, sch.axes(sch.stage("powers")));
  for (const loop of [...ofRows, h, t, v]) if (loop !== undefined) sch.unroll(loop);
}

function multiply(
  sch: Schedule,
  stage: StageRef,
  product: ReturnType<typeof wgmma>,
  { at: place, by }: { readonly at: number; readonly by: readonly number[] },
): void {
  const axes = sch.axes(stage);
  const [k] = exactly(1, sch.reduceAxes(stage));
  const parts = sch.split(k, [...by, depth]);
  const outer = parts.slice(0, -1);
  sch.reorder([...axes.slice(0, place), ...outer, ...axes.slice(place), parts.at(-1) as LoopRef]);
  for (const loop of outer) sch.unroll(loop);
  sch.tensorize(axes[place] as LoopRef, product);
}

/** Each lane rounds the weights that it has, and keeps them as tensor cores take their left factor. */
function keepWeights(sch: Schedule, weights: StageRef, stage: StageRef, step: LoopRef): void {
  sch.transformLayout(weights, tilesOf(depth));
  sch.setScope(weights, "warpgroup.matrix_a");
  sch.computeAt(weights, stage, step);
  const [z, tile, part, i, j] = exactly(5, sch.axes(weights));
  const [warp, half, row] = exactly(3, sch.split(i, [4, 2, 8]));
  const [columns, lane, pair] = exactly(3, sch.split(j, [2, 4, 2]));
  sch.reorder([warp, row, lane, z, tile, part, half, columns, pair]);
  bindRow(sch, warp, row, lane);
  for (const loop of [part, half, columns]) sch.unroll(loop);
  sch.vectorize(pair);
}

const { targets, aliases } = tmaTemplate;
export const attentionTma = defineTemplate({
  ...{ targets, aliases },
  name: "attention_tma",
  summary: "attention float16 or bfloat16 in one kernel on tensor cores (wgmma), fed by the copy engine (TMA)",
  args,
  check,
  graph: ({ args: values }) => attentionGraph(values),
  space: (space, _, { args: values }) => spaceOf(space, values),
  starts: ({ args: values }) => startsOf(values),
  scheduled: (knobs, { args: values }) => steppedGraph(values, knobs),
  schedule: (sch, knobs, { args: values }) => schedule(sch, knobs, values),
});
