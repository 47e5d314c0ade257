/**
 * Convolution NCHW of few pixels and many channels on a GPU: the sum over channels is split over blocks. A block sums warps x
 * channels input channels, `arrays` times, for some filters and a tile of the image. Each warp has `channels` of the channels;
 * each lane keeps the tile's pixels of one filter in registers. The sums of the warps meet in shared memory, the sums of the
 * blocks in a workspace, and a second kernel adds those.
 *
 *   conv.rf.rf[w, s, f, pixel]  the sums of one warp       (shared)
 *   conv.rf[s, pixel, f]        the sums of one block      (global; lanes write neighbours)
 *   conv[n, f, y, x]            the result                 (second kernel)
 *
 * A layer of 512 channels and 49 pixels has 9 times as many blocks in this way as with one block per tile of the output. Where
 * one block has all channels there is one kernel. The border is skipped, not padded (compiler/src/te/ops/convolution.ts): results
 * differ where a weight is infinite or not a number.
 */
import { parseTarget } from "@warpfarm/common";
import { borders, conv2dNchw, graphOf, indexMap, type Schedule } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { word } from "../template-args.ts";
import { type ConvArgs, convArgsWith, convInputs, convPlaces, ungroupedCheck, windowsOf } from "./conv-args.ts";

/** The most sums of a lane that stay in registers. */
const mostPixels = 64;
/** Channels that a warp may have: the weights of all of them are in a lane's registers. */
const mostChannels = 16;
/** The most products of a lane: they are unrolled, and more take a compiler seconds. */
const mostProducts = 4096;

/** Tiles of rows by columns that fit a lane's registers and waste at most an eighth at the edges, the smallest first. */
function tilesOf(args: ConvArgs): readonly (readonly [number, number])[] {
  const [OH, OW] = convPlaces(args);
  const sides = (extent: number) =>
    [...new Set([extent, 1, 2, 4, 7, 8, 14, 16, 28, 56])].filter(
      (side) => side <= extent && 8 * (Math.ceil(extent / side) * side - extent) <= extent,
    );
  const tiles = sides(OH).flatMap((y) => sides(OW).map((x): readonly [number, number] => [y, x]));
  const fitting = tiles.filter(([y, x]) => y * x <= mostPixels && (y * x >= 14 || (y === OH && x === OW)));
  return (fitting.length > 0 ? fitting : [[1, 1] as const]).toSorted((a, b) => a[0] * a[1] - b[0] * b[1] || a[1] - b[1]);
}

const splitkGraph = (args: ConvArgs, border: (typeof borders)[number]) => {
  const { data, kernel } = convInputs(args);
  return graphOf([data, kernel], [conv2dNchw(data, kernel, { ...windowsOf(args), border })]);
};

type Stage = ReturnType<Schedule["cacheRead"]>;
type Loop = ReturnType<Schedule["fuse"]>;

const splitkArgs = convArgsWith({ border: word("skip", [...borders]) });
type Args = ConvArgs & { readonly border: (typeof borders)[number] };

export const conv2dSplitk = defineTemplate({
  name: "conv2d_splitk",
  summary: "convolution NCHW of few pixels and many channels on CUDA, channels split over blocks",
  targets: [{ kind: "cuda" }],
  args: splitkArgs,
  check: ungroupedCheck,
  // Chosen here: eight warps of four channels, weights and pixels read four at a time.
  published: { tile: [7, 7], warps: 8, channels: 4, vectors: 1, sum_threads: 128 },
  starts: ({ args }) => {
    // Seven searches found tiles of about 28 pixels best, or the whole image of 49.
    const tiles = tilesOf(args).toSorted(([a, b], [c, d]) => Math.abs(a * b - 28) - Math.abs(c * d - 28));
    const of = (tile: readonly [number, number], channels: number) => ({
      tile,
      warps: 4,
      channels,
      vectors: 1,
      sum_threads: 256,
    });
    return tiles.slice(0, 3).flatMap((tile) => [of(tile, 8), of(tile, 4)]);
  },

  graph: ({ args }) => splitkGraph(args, args.border),
  counted: ({ args }) => splitkGraph(args, "pad"),
  space: (space, _, { args, target }) => {
    const tiles = tilesOf(args);
    const products = Math.max(...tiles.map(([y, x]) => y * x)) * args.KH * args.KW;
    return {
      tile: space.choice("tile", tiles),
      warps: space.choice("warps", [4, 8, 16]),
      channels: space.choice(
        "channels",
        [1, 2, 4, 8, 16].filter((n) => n === 1 || (n <= Math.min(args.CI, mostChannels) && n * products <= mostProducts)),
      ),
      /** Weights of all taps at once and rows of pixels, in vectors of 4; else one channel's taps, element by element. */
      vectors: space.choice("vectors", [0, 1]),
      sumThreads: space.choice("sum_threads", [64, 128, 256]),
      filters: space.choice("filters", [32, 64], { absent: 32 }),
      /** Chunks of channels of a block, each in an array of its own: the first is summed while the others come. */
      arrays: space.choice("arrays", [1, 2, 3], { absent: 1 }),
      /** The second kernel starts while the first one ends. */
      dependent: space.choice("dependent", parseTarget(target).level >= 90 ? [0, 1] : [0], { absent: 0 }),
    };
  },
  schedule: (sch, knobs, { args }) => scheduleSplitk(sch, knobs, args),
});

interface SplitkKnobs {
  readonly tile: readonly [number, number];
  readonly warps: number;
  readonly channels: number;
  readonly vectors: number;
  readonly sumThreads: number;
  readonly filters: number;
  readonly arrays: number;
  readonly dependent: number;
}

function scheduleSplitk(sch: Schedule, knobs: SplitkKnobs, { CI, border }: Args): void {
  const { warps, channels, vectors, arrays } = knobs;
  const conv = sch.stage("conv");
  const [input, kernel] = exactly(2, sch.graph.inputs);
  if (border === "pad") sch.computeInline(sch.stage("pad_temp"));

  const splits = Math.ceil(CI / (warps * channels * arrays));
  let part = conv;
  if (splits > 1) part = sch.rfactor(exactly(2, sch.split(exactly(3, sch.reduceAxes(conv))[0], [splits, null]))[0], 0);
  const own = exactly(3, sch.reduceAxes(part))[0];
  const warp = arrays > 1 ? exactly(3, sch.split(own, [arrays, warps, null]))[1] : exactly(2, sch.split(own, [warps, null]))[0];
  const perWarp = sch.rfactor(warp, 0);
  sch.setScope(perWarp, "shared");
  const acc = sch.cacheWrite(perWarp, "local");
  const pixels = sch.cacheRead(border === "pad" ? sch.stage("pad_temp") : input, "shared", [acc]);
  const weights = sch.cacheRead(kernel, "shared", [acc]);
  const ownWeights = sch.cacheRead(weights, "local", [acc]);
  const ownPixels = sch.cacheRead(pixels, "local", [acc]);
  const sums = sch.cacheWrite(part, "local");

  const place = placePart(sch, part, splits, knobs);
  sch.computeAt(sums, part, place.turn);
  sch.unroll(exactly(1, sch.reduceAxes(sums))[0]);

  sch.computeAt(perWarp, part, place.block);
  const [pw, ...outer] = sch.axes(perWarp);
  const [pf, py, px] = exactly(3, outer.slice(-3));
  sch.reorder([pw as Loop, pf, ...outer.slice(0, -3), py, px]);
  sch.bind(pw as Loop, "threadIdx.y");
  sch.bind(pf, "threadIdx.x");
  sch.unroll(py);
  sch.unroll(px);

  sch.computeAt(acc, perWarp, pf);
  const [rc, ry, rx] = exactly(3, sch.reduceAxes(acc).slice(-3));
  const chunks = sch.reduceAxes(acc).slice(0, -3);
  const [ay, ax] = exactly(2, sch.axes(acc).slice(-2));
  sch.reorder([...chunks, rc, ay, ry, rx, ax]);
  for (const loop of [rc, ay, ry, rx, ax]) sch.unroll(loop);

  for (const copy of [pixels, weights]) {
    sch.computeAt(copy, ...(chunks[0] ? ([acc, chunks[0]] as const) : ([part, place.block] as const)));
    if (arrays > 1) sch.pipeline(copy, arrays);
  }
  copyTogether(sch, weights, knobs, 4);
  copyTogether(sch, pixels, knobs, 1);
  // Lanes read the weights of neighbouring filters: rows that are 4 more than a multiple of 8 lie in different banks.
  sch.storageAlign(weights, 0, 8, 4);
  if (vectors) sch.storageAlign(pixels, 2, 4, 0);
  const weightsAt = chunks[0] ? ([acc, chunks[0]] as const) : ([perWarp, pf] as const);
  readOwn(sch, { acc, weightsAt, rc, ownWeights, ownPixels, vectors });
  if (splits > 1) addUp(sch, conv, knobs);
}

/**
 * The second kernel. One that starts early may read nothing before it waits, so its pointers are not said to be apart: it sums in
 * a register, or else each addition would be stored before the next part is read.
 */
function addUp(sch: Schedule, conv: Stage, { sumThreads, dependent }: SplitkKnobs): void {
  const total = dependent ? sch.cacheWrite(conv, "local") : conv;
  const [cn, cf, cy, cx] = exactly(4, sch.axes(conv));
  sch.reorder([cn, cy, cx, cf]);
  const [block, thread] = exactly(2, sch.split(sch.fuse([cn, cy, cx, cf]), [null, sumThreads]));
  sch.bind(block, "blockIdx.x");
  sch.bind(thread, "threadIdx.x");
  if (dependent) {
    sch.computeAt(total, conv, thread);
    sch.dependent(conv);
  }
  sch.unroll(exactly(1, sch.reduceAxes(total))[0]);
}

/**
 * Blocks over splits, filters and tiles; the loop inside them, where a block's work stands, and a thread's turns at writing its
 * sums.
 */
function placePart(sch: Schedule, part: Stage, splits: number, { tile, warps, filters }: SplitkKnobs) {
  if (splits > 1)
    sch.transformLayout(
      part,
      indexMap(["s", "n", "f", "y", "x"], (s, n, f, y, x) => [s, n, y, x, f]),
    );
  const axes = sch.axes(part);
  const [n, y, x, f] = splits > 1 ? exactly(4, axes.slice(1)) : pixelsFirst(axes);
  const [fo, fi] = exactly(2, sch.split(f, [null, filters]));
  const [yo, yi] = exactly(2, sch.split(y, [null, tile[0]]));
  const [xo, xi] = exactly(2, sch.split(x, [null, tile[1]]));
  const split = splits > 1 ? [axes[0] as Loop] : [];
  sch.reorder([...split, fo, n, yo, xo, yi, xi, fi]);
  for (const loop of split) sch.bind(loop, "blockIdx.x");
  sch.bind(fo, "blockIdx.y");
  const block = sch.fuse([n, yo, xo]);
  sch.bind(block, "blockIdx.z");
  const [turn, ty] = exactly(2, sch.split(sch.fuse([yi, xi]), [null, warps]));
  sch.bind(ty, "threadIdx.y");
  sch.bind(fi, "threadIdx.x");
  sch.reorder([ty, fi, turn]);
  sch.unroll(turn);
  return { block, turn };
}

function pixelsFirst(axes: readonly Loop[]): readonly [Loop, Loop, Loop, Loop] {
  const [n, f, y, x] = exactly(4, axes);
  return [n, y, x, f];
}

function copyTogether(sch: Schedule, copy: Stage, { warps, filters }: SplitkKnobs, lanes: number): void {
  const [turn, ty, tx, element] = exactly(4, sch.split(sch.fuse(sch.axes(copy)), [null, warps, filters, lanes]));
  sch.unroll(turn);
  sch.bind(ty, "threadIdx.y");
  sch.bind(tx, "threadIdx.x");
  if (lanes > 1) sch.vectorize(element);
}

interface OwnReads {
  readonly acc: Stage;
  readonly weightsAt: readonly [Stage, Loop];
  readonly rc: Loop;
  readonly ownWeights: Stage;
  readonly ownPixels: Stage;
  readonly vectors: number;
}

/** Reads from shared memory into a lane's registers: vectors of 4, or one element after the other. */
function readOwn(sch: Schedule, { acc, weightsAt, rc, ownWeights, ownPixels, vectors }: OwnReads): void {
  sch.computeAt(ownPixels, acc, rc);
  if (!vectors) {
    sch.computeAt(ownWeights, acc, rc);
    for (const loop of [...sch.axes(ownWeights), ...sch.axes(ownPixels)]) sch.unroll(loop);
    return;
  }
  sch.computeAt(ownWeights, ...weightsAt);
  const [outer, inner] = exactly(2, sch.split(sch.fuse(sch.axes(ownWeights)), [null, 4]));
  sch.unroll(outer);
  sch.vectorize(inner);
  const [n, c, y, x] = exactly(4, sch.axes(ownPixels));
  const [xo, xi] = exactly(2, sch.split(x, [null, 4]));
  for (const loop of [n, c, y, xo]) sch.unroll(loop);
  sch.vectorize(xi);
}
