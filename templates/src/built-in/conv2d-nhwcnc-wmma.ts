/**
 * Convolution NHWCnc on tensor cores: TVM's tutorial "How to optimize convolution using TensorCores", step by step
 * (docs/reference/source-programs.md 3), one call a step. Batch and channels are cut into 16x16 tiles by the layout itself.
 *
 * A block computes one pixel of block_row_warps · warp_row_tiles tiles of the batch by block_col_warps · warp_col_tiles tiles of
 * output channels; a warp its warp_row_tiles x warp_col_tiles of them, in fragments. Input and weights go through shared memory,
 * `chunk` tiles of input channels of one kernel row after the other, then through fragments. threadIdx.x, the lanes of a warp, is
 * bound in the copies only.
 */
import { conv2dNhwcnc, graphOf, placeholder } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { layoutConvArgs, windowsOf } from "./conv-args.ts";
import { tile, wholeTilesCheck } from "./nhwc-tiles.ts";
import { wmmaTiles } from "./wmma-tiles.ts";

const warpSize = 32;

export const conv2dNhwcncWmma = defineTemplate({
  name: "conv2d_nhwcnc_wmma",
  aliases: [],
  summary: "convolution NHWCnc float16 on tensor cores (wmma), as TVM's tutorial schedules it",
  targets: [{ kind: "cuda", from: 75 }],
  args: layoutConvArgs,
  check: (args) => wholeTilesCheck(args, "the layout's tiles"),
  published: { block_row_warps: 4, block_col_warps: 2, warp_row_tiles: 2, warp_col_tiles: 4, chunk: 2, vector_a: 1, vector_w: 8 },

  graph: ({ args }) => {
    const A = placeholder("A", [args.N / tile, args.H, args.W, args.CI / tile, tile, tile], "float16");
    const W = placeholder("W", [args.KH, args.KW, args.CI / tile, args.CO / tile, tile, tile], "float16");
    return graphOf([A, W], [conv2dNhwcnc(A, W, windowsOf(args))]);
  },

  space: (space) => ({
    blockRowWarps: space.choice("block_row_warps", [1, 2, 4]),
    blockColWarps: space.choice("block_col_warps", [1, 2, 4]),
    warpRowTiles: space.choice("warp_row_tiles", [1, 2, 4]),
    warpColTiles: space.choice("warp_col_tiles", [1, 2, 4]),
    chunk: space.choice("chunk", [1, 2, 4, 8]),
    vectorA: space.choice("vector_a", [1, 2, 4, 8]),
    vectorW: space.choice("vector_w", [1, 2, 4, 8]),
  }),

  schedule: (sch, { blockRowWarps, blockColWarps, warpRowTiles, warpColTiles, chunk, vectorA, vectorW }) => {
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

    const [n, h, w, o, nnc, ooc] = exactly(6, sch.axes(Conv));
    const blockK = sch.fuse([h, w]);
    sch.bind(blockK, "blockIdx.z");
    const [nOuter, nci] = exactly(2, sch.split(n, [null, warpRowTiles]));
    const [blockI, nc] = exactly(2, sch.split(nOuter, [null, blockRowWarps]));
    const [oOuter, oci] = exactly(2, sch.split(o, [null, warpColTiles]));
    const [blockJ, oc] = exactly(2, sch.split(oOuter, [null, blockColWarps]));
    sch.reorder([blockK, blockI, blockJ, nc, oc, nci, oci, nnc, ooc]);
    sch.bind(blockI, "blockIdx.x");
    sch.bind(blockJ, "blockIdx.y");
    sch.bind(nc, "threadIdx.y");
    sch.bind(oc, "threadIdx.z");

    sch.computeAt(ConvF, Conv, oc);
    const [nf, , , of, nnf, oof] = exactly(6, sch.axes(ConvF));
    const [ic, kh, kw, ii] = exactly(4, sch.reduceAxes(ConvF));
    const [ko, ki] = exactly(2, sch.split(ic, [null, chunk]));
    // The pixel's two loops, of one iteration each, are not named and end after ko.
    sch.reorder([ko, kh, ki, kw, nf, of, nnf, oof, ii]);

    sch.computeAt(AF, ConvF, kw);
    sch.computeAt(WF, ConvF, kw);
    sch.computeAt(AS, ConvF, kh);
    sch.computeAt(WS, ConvF, kh);

    // Cooperative fetch: the block's warps share out the tiles, the lanes of a warp a tile.
    const [nAs, , , , nnAs, iiAs] = exactly(6, sch.axes(AS));
    const [, , , oWs, iiWs, ooWs] = exactly(6, sch.axes(WS));
    for (const copy of [
      { tiles: nAs, inTile: [nnAs, iiAs], vector: vectorA },
      { tiles: oWs, inTile: [iiWs, ooWs], vector: vectorW },
    ]) {
      const [ty, rest] = exactly(2, sch.split(copy.tiles, [blockRowWarps, null]));
      const [tz] = exactly(2, sch.split(rest, [blockColWarps, null]));
      const t = sch.fuse(copy.inTile);
      // The tutorial splits A's tile by 32 lanes of one element and W's into 32 parts of 8: both are this.
      const [, lane, element] = exactly(3, sch.split(t, [null, warpSize, copy.vector]));
      sch.bind(ty, "threadIdx.y");
      sch.bind(tz, "threadIdx.z");
      sch.bind(lane, "threadIdx.x");
      sch.vectorize(element);
    }

    sch.tensorize(exactly(6, sch.axes(AF))[4], tiles.loadA);
    sch.tensorize(exactly(6, sch.axes(WF))[4], tiles.loadB);
    sch.tensorize(nnc, tiles.store);
    sch.tensorize(nnf, tiles.gemm);
  },
});
