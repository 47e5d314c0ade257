/**
 * Convolution NHWC on tensor cores by mma.sync, any shape: with what matmul_mma does. Arguments
 * and result are NHWC, HWIO and NHWC. Where the batch has whole tiles of 64 and the channels whole tiles of 16, a block computes
 * one pixel of some tiles of the batch by some tiles of output channels; taps and chunks of input channels are one loop, whose
 * copies run ahead of it in `stages` arrays: whole rows of channels, 16 bytes a lane, zeros beyond the border. Both arrays are
 * swizzled; a lane writes the sums it keeps. Elsewhere the rows of a block are pixels of all images (nhwc-rows.ts).
 */
import { type Bound, mmaSync, type Schedule } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { outlineOf } from "../outline.ts";
import { listed } from "../starts.ts";
import { type ConvArgs, convPlaces, layoutConvArgs, ungroupedCheck } from "./conv-args.ts";
import { nhwcRows, nhwcRowsGraph } from "./nhwc-rows.ts";
import { nhwcGraph, pixelTiles, rowsOfChannels, tile, weightTiles, wholeTilesCheck } from "./nhwc-tiles.ts";
import { blockOf, copyByLanes, scheduleProduct, warpKnobs, warpSize } from "./product-of-tiles.ts";

const vector = 8;

/** Blocks of one pixel of a whole number of images have no tails; otherwise a block's rows are pixels of all images. */
const imagesOfBlock = 64;
const hasTilesOfImages = (args: ConvArgs): boolean => args.N % imagesOfBlock === 0 && wholeTilesCheck(args) === undefined;

const starts = listed(
  ["row_warps", "col_warps", "warp_rows", "warp_cols", "chunk", "stages"],
  [
    [2, 2, 4, 2, 4, 3],
    [2, 1, 1, 4, 2, 1],
    [1, 4, 4, 2, 4, 3],
    [1, 2, 4, 2, 4, 5],
    [1, 1, 1, 8, 2, 3],
    [1, 4, 4, 1, 2, 4],
    [1, 4, 2, 1, 4, 3],
  ],
);

export const conv2dNhwcMma = defineTemplate({
  name: "conv2d_nhwc_mma",
  aliases: [],
  summary: "convolution NHWC float16 on tensor cores (mma.sync, ldmatrix, cp.async)",
  targets: [{ kind: "cuda", from: 80 }],
  args: layoutConvArgs,
  check: ungroupedCheck,
  // Chosen here: blocks of 128x128 by 64 channels of a tap, four warps of 64x64, three arrays; two blocks fit an SM.
  published: { row_warps: 2, col_warps: 2, warp_rows: 4, warp_cols: 4, chunk: 4, stages: 3 },

  starts: () => starts,
  graph: (context) => (hasTilesOfImages(context.args) ? nhwcGraph(context) : nhwcRowsGraph(context.args)),
  reference: nhwcGraph,

  space: warpKnobs,

  outline: (knobs, { args }) => {
    const { N, CI, CO, KH, KW } = args;
    const [OH, OW] = convPlaces(args);
    // Blocks of images are of one pixel each.
    const [M, batch] = hasTilesOfImages(args) ? [N, OH * OW] : [N * OH * OW, 1];
    return outlineOf({ M, N: CO, K: KH * KW * CI, batch }, blockOf(knobs));
  },

  schedule: (sch, knobs, { args }) => {
    if (hasTilesOfImages(args)) return scheduleImages(sch, knobs);
    const { stages, ...warps } = knobs;
    const share = { ...warps, group: 1 };
    const { copied, ...operands } = nhwcRows(sch, args);
    scheduleProduct(
      sch,
      share,
      operands,
      (tiles) => sch.bind(tiles, "blockIdx.x"),
      (copies) => copyByLanes(sch, copies, { share, stages, swizzle: 1, copied }),
    );
  },
});

type Knobs = Bound<ReturnType<typeof warpKnobs>>;

function scheduleImages(sch: Schedule, { rowWarps, colWarps, warpRows, warpCols, chunk, stages }: Knobs): void {
  const { loadA, loadB, mma } = mmaSync("float16");
  const Conv = sch.stage("Conv");
  const Apad = sch.stage("Apad");
  const [, W] = exactly(2, sch.graph.inputs);

  sch.computeInline(Apad);
  const AS = sch.cacheRead(Apad, "shared", [Conv]);
  const WS = sch.cacheRead(W, "shared", [Conv]);
  const AF = sch.cacheRead(AS, "wmma.matrix_a", [Conv]);
  const WF = sch.cacheRead(WS, "wmma.matrix_b", [Conv]);
  const ConvF = sch.cacheWrite(Conv, "wmma.accumulator");
  sch.transformLayout(AS, rowsOfChannels);
  sch.transformLayout(AF, pixelTiles);
  sch.transformLayout(WF, weightTiles);
  sch.transformLayout(ConvF, pixelTiles);

  // A lane has two neighbours in each 8x8 part of a tile: rows of four lanes.
  const [n, y, x, f] = exactly(4, sch.axes(Conv));
  const [blockN, warpN, tileN, highN, laneN] = exactly(5, sch.split(n, [null, rowWarps, warpRows, 2, 8]));
  const [blockF, warpF, tileF, highF, laneF, pair] = exactly(6, sch.split(f, [null, colWarps, warpCols, 2, 4, 2]));
  const pixel = sch.fuse([y, x]);
  sch.reorder([pixel, blockN, blockF, warpN, warpF, laneN, laneF, tileN, highN, tileF, highF, pair]);
  sch.bind(pixel, "blockIdx.z");
  sch.bind(blockN, "blockIdx.y");
  sch.bind(blockF, "blockIdx.x");
  sch.bind(warpN, "threadIdx.y");
  sch.bind(warpF, "threadIdx.z");
  sch.bind(sch.fuse([laneN, laneF]), "threadIdx.x");
  sch.vectorize(pair);

  sch.computeAt(ConvF, Conv, warpF);
  const [nf, yf, xf, of, nnf, off] = exactly(6, sch.axes(ConvF));
  const [ry, rx, rc] = exactly(3, sch.reduceAxes(ConvF));
  const [ko, ki, kk] = exactly(3, sch.split(rc, [null, chunk, tile]));
  sch.reorder([yf, xf, ry, rx, ko, ki, nf, of, nnf, off, kk]);
  const step = sch.fuse([ry, rx, ko]);
  sch.unroll(ki);

  for (const fragment of [AF, WF]) {
    sch.computeAt(fragment, ConvF, ki);
    if (chunk > 1) sch.doubleBuffer(fragment);
  }
  for (const copy of [AS, WS]) {
    sch.computeAt(copy, ConvF, step);
    sch.swizzle(copy);
    if (stages > 1) sch.pipeline(copy, stages);
    const [, , row, channel] = exactly(4, sch.axes(copy));
    const factors = [null, rowWarps, colWarps, warpSize, vector];
    const [turn, ty, tz, tx, element] = exactly(5, sch.split(sch.fuse([row, channel]), factors));
    sch.unroll(turn);
    sch.bind(ty, "threadIdx.y");
    sch.bind(tz, "threadIdx.z");
    sch.bind(tx, "threadIdx.x");
    sch.vectorize(element);
  }

  sch.tensorize(exactly(6, sch.axes(AF))[4], loadA.row);
  sch.tensorize(exactly(6, sch.axes(WF))[4], loadB.row);
  sch.tensorize(nnf, mma);
}
