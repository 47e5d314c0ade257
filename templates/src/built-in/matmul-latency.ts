/**
 * Matrix products on tensor cores whose time is mostly launch and latency,
 * because they have few rows (a language model that makes one token at a time) or few tiles. C (M, N) = A B, operands float16 or
 * bfloat16, summed in float32, any M, N and K; `layout` as in matmul_mma.
 *
 * All warps of a block work on the same tiles, warp_rows x warp_cols of 16x16. Each warp takes its share of every chunk of the
 * reduction, so the number of loads in flight grows with the number of warps. The sums of the warps meet in shared memory, where
 * each thread adds and rounds its elements: one kernel, one wave of blocks, no workspace.
 *
 *   sums.rf[w, i, j]   the sums of one warp   (shared)
 *   C[i, j]            the result
 *
 * All warps copy a chunk together; or (`own`) each warp copies its own share and waits for no other warp.
 */
import {
  type Bound,
  floorDiv,
  floorMod,
  indexMap,
  type LoopRef,
  mmaSync,
  type Schedule,
  type SpaceBuilder,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { outlineOf } from "../outline.ts";
import { listed } from "../starts.ts";
import { whole } from "../template-args.ts";
import { paddedExtent } from "./padded.ts";
import {
  copiedAtOnce,
  copyByLanes,
  type Fetched,
  type Product,
  paddedProductGraph,
  productArgs,
  productGraph,
  productOperands,
  tile,
  tilesOf,
  tilesOfWarps,
  warpSize,
} from "./product-of-tiles.ts";
import { addSlices, copyByWarp } from "./sliced-sums.ts";

/** The reduction is padded so that some numbers of warps and steps divide it. */
const shares = [512, 256, 128, 64];

const starts = listed(
  ["warps", "warp_rows", "warp_cols", "chunk", "stages"],
  [
    [8, 2, 2, 4, 2],
    [4, 4, 2, 2, 6],
    [4, 1, 2, 4, 6],
    [2, 4, 4, 1, 4],
    [4, 1, 2, 1, 6],
    [4, 2, 4, 2, 6],
    [2, 4, 2, 2, 6],
  ],
);

const spaceOf = (space: SpaceBuilder) => ({
  warps: space.choice("warps", [2, 4, 8, 16]),
  warpRows: space.choice("warp_rows", [1, 2, 4]),
  warpCols: space.choice("warp_cols", [1, 2, 4]),
  /** Steps of 16 of the reduction for each warp at a time. */
  chunk: space.choice("chunk", [1, 2, 4, 8]),
  stages: space.choice("stages", [1, 2, 3, 4, 6]),
  own: space.choice("own", [0, 1], { absent: 0 }),
});
type Knobs = Bound<ReturnType<typeof spaceOf>>;

export const matmulLatency = defineTemplate({
  name: "matmul_latency",
  summary: "matrix product float16 or bfloat16 of few rows or few tiles on tensor cores, the sum split over the warps of a block",
  targets: [{ kind: "cuda", from: 80 }],
  args: { ...productArgs, M: whole(512), N: whole(32), K: whole(512) },
  // Chosen here: 16x16 by 512, eight warps.
  published: { warps: 8, warp_rows: 1, warp_cols: 1, chunk: 4, stages: 1 },

  starts: () => starts,
  graph: ({ args }) => paddedProductGraph(args, { extent: args.K, padded: paddedExtent(args.K, shares) }),
  reference: ({ args }) => productGraph(args),

  space: spaceOf,
  /** All warps of a block have its tile, each a part of a step. */
  outline: ({ warps, warpRows, warpCols, chunk }, { args }) =>
    outlineOf(args, { rows: warpRows * tile, columns: warpCols * tile, step: warps * chunk * tile, threads: warpSize * warps }),
  schedule: (sch, knobs, { args }) => scheduleLatency(sch, knobs, args),
});

function scheduleLatency(sch: Schedule, { warps, warpRows, warpCols, chunk, stages, own }: Knobs, args: Product): void {
  const { out, a, b, dtype, layout } = productOperands(sch, args);
  const { loadA, loadB, mma } = mmaSync(dtype);
  const sums = sch.stage("sums");

  const [, warp] = exactly(3, sch.split(exactly(1, sch.reduceAxes(sums))[0], [null, warps, chunk * tile]));
  const part = sch.rfactor(warp, 0);
  sch.setScope(part, "shared");
  sch.setScope(sums, "local");
  const acc = sch.cacheWrite(part, "wmma.accumulator");
  const AS = sch.cacheRead(a, "shared", [acc]);
  const BS = sch.cacheRead(b, "shared", [acc]);
  const AF = sch.cacheRead(AS, "wmma.matrix_a", [acc]);
  const BF = sch.cacheRead(BS, "wmma.matrix_b", [acc]);
  sch.transformLayout(AF, tilesOf(layout[0]));
  sch.transformLayout(BF, tilesOf(layout[1]));
  sch.transformLayout(acc, tilesOfWarps);

  const tiles = addSlices(sch, out, sums, { warps, height: warpRows * tile, width: warpCols * tile });

  // A lane has two neighbours in each 8x8 part of a tile: rows of four lanes.
  sch.computeAt(part, out, tiles);
  const [pw, pi, pj] = exactly(3, sch.axes(part));
  const [it, ih, il] = exactly(3, sch.split(pi, [null, 2, 8]));
  const [jt, jh, jl, jv] = exactly(4, sch.split(pj, [null, 2, 4, 2]));
  sch.reorder([pw, il, jl, it, ih, jt, jh, jv]);
  sch.bind(pw, "threadIdx.y");
  sch.bind(sch.fuse([il, jl]), "threadIdx.x");
  sch.vectorize(jv);
  // Rows that are 8 more than a multiple of 32 lie in different banks.
  sch.storageAlign(part, 1, 32, 8);

  sch.computeAt(acc, part, pw);
  const [, si, sj, ii, jj] = exactly(5, sch.axes(acc));
  const [ko, k] = exactly(2, sch.reduceAxes(acc));
  const [ki, kk] = exactly(2, sch.split(k, [null, tile]));
  sch.reorder([ko, ki, si, sj, ii, jj, kk]);
  sch.unroll(ki);
  for (const fragment of [AF, BF]) {
    sch.computeAt(fragment, acc, ki);
    // Loading the next step's fragments early, behind a guard, would reach over the end of a warp's share.
    if (chunk > 1 && !own) sch.doubleBuffer(fragment);
  }
  const copies = [
    { copy: AS, operand: 0, at: ko, sums: acc },
    { copy: BS, operand: 1, at: ko, sums: acc },
  ] as const;
  const share = { rowWarps: warps, colWarps: 1, warpRows, warpCols, chunk, group: 1 };
  const copied = copiedAtOnce(args);
  if (own) copyByWarps(sch, copies, { layout, stages, share: chunk * tile, copied });
  else copyByLanes(sch, copies, { share, stages, swizzle: 1, copied });

  sch.tensorize(exactly(4, sch.axes(AF))[2], loadA[layout[0] === "T" ? "col" : "row"]);
  sch.tensorize(exactly(4, sch.axes(BF))[2], loadB[layout[1] === "T" ? "col" : "row"]);
  sch.tensorize(ii, mma);
}

interface OwnShares {
  readonly layout: Product["layout"];
  readonly stages: number;
  readonly share: number;
  readonly copied: readonly [number, number];
}

/** Each warp copies what it will read, and no other: a warp's share lies together, so that it is seen to touch no other's. */
function copyByWarps(sch: Schedule, copies: readonly Fetched[], { layout, stages, share, copied }: OwnShares): void {
  const byShares = indexMap(["r", "k"], (r, k) => [floorDiv(k, share), r, floorMod(k, share)]);
  for (const { copy, operand, at, sums } of copies) {
    const isAlong = layout[operand] === (operand === 0 ? "N" : "T");
    if (isAlong) sch.transformLayout(copy, byShares);
    sch.computeAt(copy, sums, at);
    sch.swizzle(copy);
    if (stages > 1) sch.pipeline(copy, stages);
    const axes = sch.axes(copy);
    const [warp, ...inner] = isAlong ? axes : [...sch.split(axes[0] as LoopRef, [null, share]), axes[1] as LoopRef];
    copyByWarp(sch, [warp as LoopRef, ...inner], copied[operand]);
  }
}
