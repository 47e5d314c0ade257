/**
 * Convolution NHWC on tensor cores in one kernel: arguments and result keep their layouts (NHWC, HWIO, NHWC); only what lies in
 * shared memory and in fragments is laid out for the tensor cores, by transformLayout. Otherwise as conv2d_nhwcnc_wmma: a block
 * computes one pixel of some tiles of the batch by some tiles of output channels. After TVM's conv2d_nhwc_tensorcore
 * (docs/reference/source-programs.md 5): knobs, padded rows in shared memory, copies whose neighbouring lanes take neighbouring
 * vectors of a row.
 *
 *   Apad.shared [y, x, n, c]        rows of input channels, one for each image, `offset` halves longer than they need be
 *   W.shared [ry, rx, c, f]         rows of output channels, padded likewise
 *   fragments                       16x16 tiles innermost
 */
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { layoutConvArgs } from "./conv-args.ts";
import { nhwcGraph, pixelTiles, rowsOfChannels, tile, weightTiles, wholeTilesCheck } from "./nhwc-tiles.ts";
import { wmmaTiles } from "./wmma-tiles.ts";

const warpSize = 32;

export const conv2dNhwcWmma = defineTemplate({
  name: "conv2d_nhwc_wmma",
  aliases: [],
  summary: "convolution NHWC float16 on tensor cores (wmma), layouts changed on the way to shared memory",
  targets: [{ kind: "cuda", from: 75 }],
  args: layoutConvArgs,
  check: (args) => wholeTilesCheck(args),
  // Chosen here, as for program C.
  published: {
    block_row_warps: 4,
    block_col_warps: 2,
    warp_row_tiles: 2,
    warp_col_tiles: 4,
    chunk: 2,
    offset: 8,
    vector_width: 8,
  },

  graph: nhwcGraph,

  space: (space) => ({
    blockRowWarps: space.choice("block_row_warps", [1, 2, 4]),
    blockColWarps: space.choice("block_col_warps", [1, 2, 4]),
    warpRowTiles: space.choice("warp_row_tiles", [1, 2, 4]),
    warpColTiles: space.choice("warp_col_tiles", [1, 2, 4]),
    chunk: space.choice("chunk", [1, 2, 4, 8]),
    offset: space.choice("offset", [0, 8]),
    vector: space.choice("vector_width", [1, 2, 4, 8]),
  }),

  schedule: (sch, { blockRowWarps, blockColWarps, warpRowTiles, warpColTiles, chunk, offset, vector }) => {
    const tiles = wmmaTiles();
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

    const [n, y, x, f] = exactly(4, sch.axes(Conv));
    const blockK = sch.fuse([y, x]);
    sch.bind(blockK, "blockIdx.z");
    const [blockI, rowWarp, rowTile, nn] = exactly(4, sch.split(n, [null, blockRowWarps, warpRowTiles, tile]));
    const [blockJ, colWarp, colTile, ff] = exactly(4, sch.split(f, [null, blockColWarps, warpColTiles, tile]));
    sch.reorder([blockK, blockI, blockJ, rowWarp, colWarp, rowTile, colTile, nn, ff]);
    sch.bind(blockI, "blockIdx.x");
    sch.bind(blockJ, "blockIdx.y");
    sch.bind(rowWarp, "threadIdx.y");
    sch.bind(colWarp, "threadIdx.z");

    sch.computeAt(ConvF, Conv, colWarp);
    const [nf, , , of, nnf, off] = exactly(6, sch.axes(ConvF));
    const [ry, rx, rc] = exactly(3, sch.reduceAxes(ConvF));
    const [ko, ki, kk] = exactly(3, sch.split(rc, [null, chunk, tile]));
    sch.reorder([ko, ry, ki, rx, nf, of, nnf, off, kk]);

    sch.computeAt(AF, ConvF, rx);
    sch.computeAt(WF, ConvF, rx);
    sch.computeAt(AS, ConvF, ry);
    sch.computeAt(WS, ConvF, ry);

    // Cooperative fetch: a row's vectors to neighbouring lanes, rows to warps, pixels and taps one after the other.
    for (const copy of [AS, WS]) {
      if (offset > 0) sch.storageAlign(copy, 2, tile, offset);
      const [, , row, channel] = exactly(4, sch.axes(copy));
      const factors = [null, blockRowWarps, blockColWarps, warpSize, vector];
      const [, ty, tz, lane, element] = exactly(5, sch.split(sch.fuse([row, channel]), factors));
      sch.bind(ty, "threadIdx.y");
      sch.bind(tz, "threadIdx.z");
      sch.bind(lane, "threadIdx.x");
      sch.vectorize(element);
    }

    sch.tensorize(exactly(6, sch.axes(AF))[4], tiles.loadA);
    sch.tensorize(exactly(6, sch.axes(WF))[4], tiles.loadB);
    sch.tensorize(nn, tiles.store);
    sch.tensorize(nnf, tiles.gemm);
  },
});
