/**
 * Convolution NCHW in float32 on a GPU as a matrix product, any shape: filters by pixels, summed over the fused (channel, row,
 * column) of the taps. Neither operand is stored as a matrix: `taps` and `pixels` are views, inlined into the copies to shared
 * memory, which are zero beyond the border. Blocks as simt-tile.ts has them, filters its rows, pixels of all images its columns.
 *
 * A layer of few pixels has few blocks: with `splits` above 1 as many blocks share a tile's reduction, and a second kernel adds
 * their sums.
 */
import {
  add,
  at,
  compute,
  conv2dNchw,
  type Expr,
  floorDiv,
  floorMod,
  graphOf,
  greaterEqual,
  less,
  mul,
  reduceAxis,
  type Schedule,
  sub,
  sum,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { outlineOf } from "../outline.ts";
import { type ConvArgs, convArgs, convInputs, convPlaces, ungroupedCheck, windowsOf } from "./conv-args.ts";
import { paddedExtent, zeroBeyond } from "./padded.ts";
import {
  blockOf,
  copyTogether,
  copyTransposed,
  cutIntoTiles,
  mostChunk,
  type TileShape,
  tileKnobs,
  vector,
} from "./simt-tile.ts";

type Stage = ReturnType<Schedule["stage"]>;

function paddedOf(args: ConvArgs) {
  const [OH, OW] = convPlaces(args);
  const of = (name: string, extent: number, granules: readonly number[]) => {
    const padded = paddedExtent(extent, granules);
    return { extent, padded, axis: [name, padded] as const };
  };
  return {
    K: of("k", args.CI * args.KH * args.KW, [32, 16, 8]),
    F: of("f", args.CO, [64, 32, 16]),
    P: of("p", args.N * OH * OW, [64, 32, 16]),
  };
}

/** Whether pixels lie in memory as the product reads them: one tap, every pixel used once, rows that vectors divide. */
const isPlain = ({ H, W, KH, KW, stride, padding }: ConvArgs): boolean =>
  KH * KW * stride[0] * stride[1] === 1 && padding.every((side) => side === 0) && (H * W) % vector === 0;

const splitsOf = ({ CI, KH, KW }: ConvArgs): readonly number[] =>
  [1, 2, 4, 8, 16, 32].filter((n) => n === 1 || n * mostChunk <= CI * KH * KW);

export const conv2dNchwGemm = defineTemplate({
  name: "conv2d_nchw_gemm",
  aliases: [],
  summary: "convolution NCHW float32 on CUDA cores as a matrix product, any shape, the sum split over blocks",
  targets: [{ kind: "cuda" }],
  args: convArgs,
  check: ungroupedCheck,
  // Chosen here: blocks of 128 filters by 32 pixels, eight warps, the sum over 32 blocks.
  published: {
    thread_rows: 4,
    thread_cols: 4,
    row_warps: 8,
    col_warps: 1,
    lane_rows: 4,
    chunk: 32,
    stages: 2,
    min_blocks: 1,
    splits: 32,
    sum_threads: 256,
  },

  graph: ({ args }) => {
    const { data, kernel } = convInputs(args);
    const { N, H, W, CO, KH, KW, stride, padding, dilation } = args;
    const [OH, OW] = convPlaces(args);
    const taps = KH * KW;
    const { K, F, P } = paddedOf(args);
    const tapOf = (k: Expr): readonly [Expr, Expr, Expr] => [floorDiv(k, taps), floorMod(floorDiv(k, KW), KH), floorMod(k, KW)];
    const weights = compute("taps", [K.axis, F.axis], (k, f) =>
      zeroBeyond(at(kernel, f, ...tapOf(k)), [
        [k, K],
        [f, F],
      ]),
    );
    const pixels = compute("pixels", [K.axis, P.axis], (k, p) => {
      const [c, r, s] = tapOf(k);
      const y = sub(add(mul(floorMod(floorDiv(p, OW), OH), stride[0]), mul(r, dilation[0])), padding[0]);
      const x = sub(add(mul(floorMod(p, OW), stride[1]), mul(s, dilation[1])), padding[1]);
      const inside = [greaterEqual(y, 0), less(y, H), greaterEqual(x, 0), less(x, W)];
      const padded = [
        [k, K],
        [p, P],
      ] as const;
      return zeroBeyond(at(data, floorDiv(p, OH * OW), c, y, x), padded, inside);
    });
    const k = reduceAxis("k", K.padded);
    const sums = compute("sums", [F.axis, P.axis], (f, p) => sum(mul(at(weights, k.loopVar, f), at(pixels, k.loopVar, p)), [k]));
    const conv = compute(
      "conv",
      [
        ["n", N],
        ["f", CO],
        ["y", OH],
        ["x", OW],
      ],
      (n, f, y, x) => at(sums, f, add(mul(add(mul(n, OH), y), OW), x)),
    );
    return graphOf([data, kernel], [conv]);
  },
  reference: ({ args }) => {
    const { data, kernel } = convInputs(args);
    return graphOf([data, kernel], [conv2dNchw(data, kernel, windowsOf(args))]);
  },

  space: (space, _, { args }) => ({
    ...tileKnobs(space),
    splits: space.choice("splits", splitsOf(args)),
    sumThreads: space.choice("sum_threads", [64, 128, 256]),
  }),

  outline: ({ chunk, splits, ...tile }, { args }) => {
    const { K, F, P } = paddedOf(args);
    return outlineOf({ M: F.extent, N: P.extent, K: K.extent }, { ...blockOf(tile), step: chunk, splits });
  },

  schedule: (sch, { chunk, stages, minBlocks, splits, sumThreads, ...tile }, { args }) => {
    const [OH, OW] = convPlaces(args);
    const conv = sch.stage("conv");
    const sums = sch.stage("sums");
    sch.computeInline(sch.stage("taps"));
    sch.computeInline(sch.stage("pixels"));
    const [n, f, y, x] = exactly(4, sch.axes(conv));
    sch.reorder([f, n, y, x]);
    const p = sch.fuse([n, y, x]);

    if (splits === 1) {
      const lane = placeTiles(sch, { out: conv, rows: f, columns: p, tile, minBlocks, row: OH * OW });
      sch.setScope(sums, "local");
      sch.computeAt(sums, conv, lane);
      multiply(sch, { acc: sums, tile, chunk, stages, args });
      return;
    }
    // Whole chunks for each split, whatever the knob's value.
    const each = Math.ceil(paddedOf(args).K.padded / (splits * mostChunk)) * mostChunk;
    const [split] = exactly(2, sch.split(exactly(1, sch.reduceAxes(sums))[0], [null, each]));
    const part = sch.rfactor(split, 0);
    const acc = sch.cacheWrite(part, "local");
    const [s, rows, columns] = exactly(3, sch.axes(part));
    sch.bind(s, "blockIdx.z");
    const lane = placeTiles(sch, { out: part, rows, columns, tile, minBlocks, row: paddedOf(args).P.padded });
    sch.computeAt(acc, part, lane);
    multiply(sch, { acc, tile, chunk, stages, args });

    // The second kernel.
    const [block, thread] = exactly(2, sch.split(sch.fuse([f, p]), [null, sumThreads]));
    sch.bind(block, "blockIdx.x");
    sch.bind(thread, "threadIdx.x");
    sch.setScope(sums, "local");
    sch.computeAt(sums, conv, thread);
    sch.unroll(exactly(1, sch.reduceAxes(sums))[0]);
  },
});

type Loop = ReturnType<Schedule["fuse"]>;
interface Place {
  readonly out: Stage;
  readonly rows: Loop;
  readonly columns: Loop;
  readonly tile: TileShape;
  readonly minBlocks: number;
  readonly row: number;
}

function placeTiles(sch: Schedule, { out, rows, columns, tile, minBlocks, row }: Place): Loop {
  const { rowBlock, colBlock, lane, inRow } = cutIntoTiles(sch, rows, columns, tile);
  sch.bind(rowBlock, "blockIdx.y");
  sch.bind(colBlock, "blockIdx.x");
  if (row % vector === 0) sch.vectorize(inRow);
  if (minBlocks > 0) sch.minBlocks(out, minBlocks);
  return lane;
}

interface Product {
  readonly acc: Stage;
  readonly tile: TileShape;
  readonly chunk: number;
  readonly stages: number;
  readonly args: ConvArgs;
}

function multiply(sch: Schedule, { acc, tile, chunk, stages, args }: Product): void {
  const warps = tile.rowWarps * tile.colWarps;
  const weights = sch.cacheRead(sch.stage("taps"), "shared", [acc]);
  const pixels = sch.cacheRead(sch.stage("pixels"), "shared", [acc]);
  const ownWeights = sch.cacheRead(weights, "local", [acc]);
  const ownPixels = sch.cacheRead(pixels, "local", [acc]);
  const spatial = sch.axes(acc);
  const [ko, ki] = exactly(2, sch.split(exactly(1, sch.reduceAxes(acc))[0], [null, chunk]));
  sch.reorder([ko, ki, ...spatial.slice(-2)]);
  sch.unroll(ki);
  for (const [copy, own] of [
    [weights, ownWeights],
    [pixels, ownPixels],
  ] as const) {
    sch.computeAt(copy, acc, ko);
    sch.pipeline(copy, stages);
    sch.computeAt(own, acc, ki);
    sch.vectorize(exactly(2, sch.axes(own))[1]);
  }
  copyTransposed(sch, weights, warps);
  copyTogether(sch, pixels, warps, isPlain(args) ? args.H * args.W : 1);
}
