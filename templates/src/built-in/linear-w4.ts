/**
 * A linear layer of few rows with weights of 4 bits (W4A16): C[m, n] = sum over k of X[m, k] * scale[k / 128, n] * W[n, k]. X,
 * the scales and C are float16, W is int4, -8 to 7, and sums are float32. Such a layer takes as long as its weights take to come,
 * so a kernel of a quarter of the bytes is what there is to win.
 *
 *   packed    W lies as lanes multiply it: [n / 16, k / 16, lane, 8], where the lane of W[n, k] is n % 8 * 4 + k % 8 / 2, and its
 *             place in the lane's word k % 2 * 4 + k / 8 % 2 * 2 + n / 8 % 2. Whoever stores weights brings them in this order.
 *   tiles     16 rows of W by 16 of X, on mma.sync with W as the left factor; weights become float16 on their way from shared
 *             memory to registers (loadInt4), exactly. Whoever has one row still multiplies 16, for which there is time.
 *   scales    Tensor cores add up a group of 128; then lanes multiply by the scales of its rows, in float32, and add.
 *   warps     All warps of a block work on the same tiles. Each takes groups of its own, brings their weights and X by itself,
 *             and meets the others once, when the sums of all are added in shared memory.
 */
import {
  add,
  at,
  type Bound,
  type Buffer,
  cast,
  compute,
  type Expr,
  floorDiv,
  floorMod,
  type Graph,
  graphOf,
  indexMap,
  loadInt4,
  minimum,
  mmaSync,
  mul,
  placeholder,
  reduceAxis,
  type Schedule,
  type SpaceBuilder,
  type StageRef,
  sum,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { outlineOf } from "../outline.ts";
import { listed } from "../starts.ts";
import { type ArgValues, whole } from "../template-args.ts";
import { inlinedView, type PaddedAxis, paddedMatrix, viewName, wholeMultiple, zeroBeyond } from "./padded.ts";
import { tile, warpSize } from "./product-of-tiles.ts";
import { addSlices, copyByWarp } from "./sliced-sums.ts";

const args = { M: whole(1), N: whole(4096), K: whole(4096) };
type Args = ArgValues<typeof args>;
/** Weights of a row that have one scale. */
const group = 128;
/** Of a warp: the text of each is repeated, and its scales are in registers. */
const mostGroups = 16;
const mostWarps = 16;

function check({ N, K }: Args): string | undefined {
  if (N % tile !== 0) return `N is ${N}; weights are packed in tiles of ${tile} rows`;
  return K % group === 0 ? undefined : `K is ${K}; scales are of groups of ${group}`;
}

const inputsOf = ({ M, N, K }: Args) =>
  [
    placeholder("X", [M, K], "float16"),
    placeholder("packed", [N / tile, K / tile, warpSize, 8], "int4"),
    placeholder("scale", [K / group, N], "float16"),
  ] as const;

/** Where a weight lies. */
const placeOf = (n: Expr, k: Expr): readonly Expr[] => [
  floorDiv(n, tile),
  floorDiv(k, tile),
  add(mul(floorMod(n, 8), 4), floorDiv(floorMod(k, 8), 2)),
  add(add(mul(floorMod(k, 2), 4), mul(floorMod(floorDiv(k, 8), 2), 2)), floorMod(floorDiv(n, 8), 2)),
];

const float = (e: Expr): Expr => cast("float32", e);

function plainGraph(given: Args): Graph {
  const [X, packed, scale] = inputsOf(given);
  const { M, N, K } = given;
  const k = reduceAxis("k", K);
  const weight = (n: Expr) => mul(float(at(packed, ...placeOf(n, k.loopVar))), float(at(scale, floorDiv(k.loopVar, group), n)));
  const axes = [
    ["m", M],
    ["n", N],
  ] as const;
  const sums = compute("sums", axes, (m, n) => sum(mul(float(at(X, m, k.loopVar)), weight(n)), [k]));
  return graphOf([X, packed, scale], [compute("C", axes, (m, n) => cast("float16", at(sums, m, n)))]);
}

/** Rows of X of a tile: tensor cores take 8 or 16. */
const rowsOfTile = (M: number): 8 | 16 => (M <= 8 ? 8 : 16);

/** The same by groups, a whole number for each warp, and of rows up to whole tiles. */
function groupedGraph(given: Args, warps: number): Graph {
  const [X, packed, scale] = inputsOf(given);
  const { M, N, K } = given;
  const rows = wholeMultiple(M, rowsOfTile(M));
  const groups = wholeMultiple(K / group, warps);
  const depth = { extent: K, padded: groups.padded * group };
  const padded = paddedMatrix(X, rows, depth);
  const words = paddedWords(packed, { extent: K / tile, padded: depth.padded / tile });
  const weightAxes = [
    ["n", N],
    ["k", depth.padded],
  ] as const;
  const weights = compute("weights", weightAxes, (n, k) => cast("float16", at(words, ...placeOf(n, k))));
  const k = reduceAxis("k", group);
  const axes = [
    ["m", rows.padded],
    ["n", N],
  ] as const;
  const parts = compute("parts", [["g", groups.padded], ...axes], (g, m, n) => {
    const place = add(mul(g, group), k.loopVar);
    return sum(mul(float(at(weights, n, place)), float(at(padded, m, place))), [k]);
  });
  const g = reduceAxis("g", groups.padded);
  const scales = paddedScales(scale, groups);
  const sums = compute("sums", axes, (m, n) => sum(mul(at(parts, g.loopVar, m, n), float(at(scales, g.loopVar, n))), [g]));
  const result = [
    ["m", M],
    ["n", N],
  ] as const;
  return graphOf([X, packed, scale], [compute("C", result, (m, n) => cast("float16", at(sums, m, n)))]);
}

/** With zeros up to whole groups for each warp. */
function paddedWords(packed: Buffer, depth: PaddedAxis): Buffer {
  if (depth.padded === depth.extent) return packed;
  const axes = [
    ["n", packed.shape[0] as number],
    ["k", depth.padded],
    ["lane", warpSize],
    ["e", 8],
  ] as const;
  return compute(viewName(packed), axes, (n, k, lane, e) => zeroBeyond(at(packed, n, k, lane, e), [[k, depth]]));
}

/** Beyond the last group weights are zeros, whatever their scale, which is the last one's. */
function paddedScales(scale: Buffer, { extent, padded }: PaddedAxis): Buffer {
  if (padded === extent) return scale;
  const axes = [
    ["g", padded],
    ["n", scale.shape[1] as number],
  ] as const;
  return compute(viewName(scale), axes, (g, n) => at(scale, minimum(g, extent - 1), n));
}

function spaceOf(space: SpaceBuilder, { M, N, K }: Args) {
  const dividing = (extent: number, counts: readonly number[]) => counts.filter((count) => extent % count === 0);
  return {
    /** Of a block; each has groups of its own. */
    warps: space.choice(
      "warps",
      [1, 2, 4, 8, mostWarps].filter((warps) => warps === mostWarps || K / group <= warps * mostGroups),
    ),
    /** Tiles of 16 rows of W of a block, and of 16 rows of X. */
    weightTiles: space.choice("weight_tiles", dividing(N / tile, [1, 2, 4])),
    rowTiles: space.choice("row_tiles", dividing(Math.ceil(M / rowsOfTile(M)), [1, 2, 4])),
    /** Groups that a warp has room for in shared memory, at most all of its own. */
    stages: space.choice("stages", [1, 2, 3, 4, 6, 8]),
  };
}
type Knobs = Bound<ReturnType<typeof spaceOf>>;

/** Of searches of 1, 8 and 16 rows. */
const starts = listed(
  ["warps", "weight_tiles", "row_tiles", "stages"],
  [
    [16, 1, 1, 3],
    [8, 2, 1, 3],
    [16, 1, 1, 4],
    [8, 1, 1, 3],
  ],
);

export const linearW4 = defineTemplate({
  name: "linear_w4",
  summary:
    "linear layer float16 of few rows, weights int4 with a float16 scale for each 128 of a row, on tensor cores (mma.sync)",
  targets: [{ kind: "cuda", from: 80 }],
  args,
  check,
  starts: () => starts,
  reference: ({ args: given }) => plainGraph(given),
  graph: ({ args: given }) => groupedGraph(given, 1),
  space: (space, _sch, { args: given }) => spaceOf(space, given),
  outline: ({ warps, weightTiles, rowTiles }, { args: given }) => {
    const [rows, columns] = [rowTiles * rowsOfTile(given.M), weightTiles * tile];
    return outlineOf(given, { rows, columns, step: warps * group, threads: warps * warpSize });
  },
  scheduled: ({ warps }, { args: given }) => groupedGraph(given, warps),
  schedule: (sch, knobs, { args: given }) => schedule(sch, knobs, rowsOfTile(given.M)),
});

/** A lane has, of each tile, rows of W 8 apart and two neighbours of 8 rows of X. */
const byLanes = indexMap(["w", "m", "n"], (w, m, n) => [
  ...[w, floorMod(n, 8), floorDiv(floorMod(m, 8), 2)],
  ...[floorDiv(n, 8), floorDiv(m, 8), floorMod(m, 2)],
]);
const scalesByLanes = (warps: number) =>
  indexMap(["g", "n"], (g, n) => [floorMod(g, warps), floorMod(n, 8), floorDiv(g, warps), floorDiv(n, 8)]);
const productTiles = (rows: number) =>
  indexMap(["g", "m", "n"], (g, m, n) => [...[g, floorDiv(n, tile), floorDiv(m, rows), floorMod(n, tile), floorMod(m, rows)]]);
const tilesOfRows = (rows: number) =>
  indexMap(["m", "k"], (m, k) => [floorDiv(k, tile), floorDiv(m, rows), floorMod(k, tile), floorMod(m, rows)]);
/** 16x16, in the order of loadInt4. */
const weightTile = indexMap(["n", "k"], (n, k) => [
  ...[floorDiv(n, tile), floorDiv(k, tile), floorMod(floorDiv(n, 8), 2), floorMod(n, 8)],
  ...[floorMod(floorDiv(k, 8), 2), floorDiv(floorMod(k, 8), 2), floorMod(k, 2)],
]);
/** What a warp copies of a group lies together, so that it is seen to touch no other's. */
const rowsByGroups = indexMap(["m", "k"], (m, k) => [floorDiv(k, group), m, floorMod(k, group)]);
const weightsByGroups = indexMap(["n", "k", "lane", "e"], (n, k, lane, e) => [
  ...[floorDiv(k, group / tile), n, floorMod(k, group / tile), lane, e],
]);

function schedule(sch: Schedule, { warps, weightTiles, rowTiles, stages }: Knobs, rows: 8 | 16): void {
  const [X, packed, scale] = exactly(3, sch.graph.inputs);
  const out = sch.stage("C");
  const [sums, parts, weights] = ["sums", "parts", "weights"].map((name) => sch.stage(name)) as [StageRef, StageRef, StageRef];
  const { loadB, mma } = mmaSync("float16", rows);

  const [, warp] = exactly(2, sch.split(exactly(1, sch.reduceAxes(sums))[0], [null, warps]));
  const ofWarps = sch.rfactor(warp, 0);
  sch.setScope(ofWarps, "shared");
  sch.setScope(sums, "local");
  const own = sch.cacheWrite(ofWarps, "local");
  sch.setScope(parts, "wmma.accumulator");
  sch.setScope(weights, "wmma.matrix_a");
  const WS = sch.cacheRead(inlinedView(sch, packed), "shared", [weights]);
  const XS = sch.cacheRead(inlinedView(sch, X), "shared", [parts]);
  const scales = sch.cacheRead(inlinedView(sch, scale), "local", [own]);
  const XF = sch.cacheRead(XS, "wmma.matrix_b", [parts]);

  const tiles = addSlices(sch, out, sums, { warps, height: rowTiles * rows, width: weightTiles * tile });
  // The sums of a warp: of lanes, which write them to shared memory. Rows that are 4 more than a multiple of 16 are written to
  // different banks.
  sch.computeAt(ofWarps, out, tiles);
  sch.storageAlign(ofWarps, 1, 16, 4);
  const [pw, pm, pn] = exactly(3, sch.axes(ofWarps));
  const [mt, ml, mv] = exactly(3, sch.split(pm, [null, 4, 2]));
  const [nt, nl] = exactly(2, sch.split(pn, [null, 8]));
  sch.reorder([pw, nl, ml, nt, mt, mv]);
  sch.bind(pw, "threadIdx.y");
  const lane = sch.fuse([nl, ml]);
  sch.bind(lane, "threadIdx.x");
  sch.transformLayout(scales, scalesByLanes(warps));
  sch.computeAt(scales, ofWarps, lane);
  sch.transformLayout(own, byLanes);
  sch.computeAt(own, ofWarps, lane);
  const [groups] = exactly(1, sch.reduceAxes(own));
  const ownAxes = sch.axes(own);
  sch.reorder([groups, ...ownAxes]);
  // Scales are in registers, and so have constant numbers.
  for (const each of [...sch.axes(scales).slice(1), groups, nt, mt, mv, ...ownAxes.slice(-3)]) sch.unroll(each);

  sch.transformLayout(parts, productTiles(rows));
  sch.transformLayout(weights, weightTile);
  sch.transformLayout(XF, tilesOfRows(rows));
  sch.computeAt(parts, own, groups);
  const [, si, sj, ii, jj] = exactly(5, sch.axes(parts));
  const [ki, kk] = exactly(2, sch.split(exactly(1, sch.reduceAxes(parts))[0], [null, tile]));
  sch.reorder([ki, si, sj, ii, jj, kk]);
  sch.unroll(ki);
  for (const fragment of [weights, XF]) sch.computeAt(fragment, parts, ki);
  sch.transformLayout(XS, rowsByGroups);
  sch.swizzle(XS);
  sch.transformLayout(WS, weightsByGroups);
  for (const [copy, lanes] of [
    [XS, 8],
    [WS, 32],
  ] as const) {
    sch.computeAt(copy, own, groups);
    if (stages > 1) sch.pipeline(copy, stages);
    copyByWarp(sch, sch.axes(copy), lanes);
  }
  sch.tensorize(exactly(7, sch.axes(weights))[2], loadInt4);
  sch.tensorize(exactly(4, sch.axes(XF))[2], loadB.col);
  sch.tensorize(ii, mma);
}
