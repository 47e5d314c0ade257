/**
 * Convolution NCHW of few pixels and many channels on a GPU: the sum over channels is split over blocks. A block sums `warps` x `channels` input
 * channels for 32 filters; each of its warps has `channels` of them and keeps all pixels of one filter in a lane's registers. The warps' sums
 * meet in shared memory, the blocks' in a workspace, which a second kernel adds up.
 *
 *   conv.rf.rf[w, s, f, pixel]  the sums of one warp       (shared)
 *   conv.rf[s, pixel, f]        the sums of one block      (global; lanes write neighbours)
 *   conv[n, f, y, x]            the result                 (second kernel)
 *
 * A layer of 512 channels and 49 pixels gives 9 times as many blocks so as one block a tile of the output would. The border is skipped, not
 * padded (compiler/src/te/ops/conv-window.ts): the results differ where a weight is infinite or not a number.
 */
import { borders, conv2dNchw, graphOf, indexMap, type Schedule } from "@warpfarm/compiler";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { word } from "../template-args.ts";
import { type ConvArgs, convArgs, convCheck, convInputs } from "./conv-args.ts";

const filters = 32;
/** Sums of a lane that stay in registers. */
const mostPixels = 64;
/** Channels that a warp may have: the weights of all of them are in a lane's registers. */
const mostChannels = 16;

const pixelsOf = ({ H, W, KH, KW, stride, padding }: ConvArgs): number =>
  (Math.floor((H + 2 * padding[0] - KH) / stride[0]) + 1) * (Math.floor((W + 2 * padding[1] - KW) / stride[1]) + 1);

const graphWith = (args: ConvArgs, border: (typeof borders)[number]) => {
  const { data, kernel } = convInputs(args);
  return graphOf([data, kernel], [conv2dNchw(data, kernel, { stride: args.stride[0], padding: args.padding[0], border })]);
};

export const conv2dSplitk = defineTemplate({
  name: "conv2d_splitk",
  aliases: [],
  summary: "convolution NCHW of few pixels and many channels on CUDA, channels split over blocks",
  targets: [{ kind: "cuda" }],
  args: { ...convArgs, border: word("skip", [...borders]) },
  check: (args) => {
    if (args.N !== 1) return `N is ${args.N}; this template takes 1`;
    if (args.CO % filters !== 0) return `CO is ${args.CO}; this template takes multiples of ${filters}`;
    const refused = convCheck(args);
    if (refused !== undefined) return refused;
    const pixels = pixelsOf(args);
    return pixels > mostPixels
      ? `the output has ${pixels} pixels; this template keeps at most ${mostPixels} in registers`
      : undefined;
  },
  // Published by no one: eight warps of four channels, weights and pixels read four at a time.
  published: 0,

  graph: ({ args }) => graphWith(args, args.border),
  counted: ({ args }) => graphWith(args, "pad"),

  space: (space, _, { args: { CI } }) => ({
    warps: space.choice("warps", [8, 4, 16]),
    channels: space.choice(
      "channels",
      [4, 8, 2, 16, 1].filter((n) => n <= Math.min(CI, mostChannels)),
    ),
    /** Weights of all taps at once and rows of pixels, in vectors of 4; else one channel's taps, element by element. */
    vectors: space.choice("vectors", [1, 0]),
    sumThreads: space.choice("sum_threads", [128, 64, 256]),
  }),

  schedule: (sch, { warps, channels, vectors, sumThreads }, { args: { CI, border } }) => {
    const conv = sch.stage("conv");
    const [input, kernel] = exactly(2, sch.graph.inputs);
    if (border === "pad") sch.computeInline(sch.stage("pad_temp"));

    const [split] = exactly(2, sch.split(exactly(3, sch.reduceAxes(conv))[0], [Math.ceil(CI / (warps * channels)), null]));
    const part = sch.rfactor(split, 0);
    const [warp] = exactly(2, sch.split(exactly(3, sch.reduceAxes(part))[0], [warps, null]));
    const perWarp = sch.rfactor(warp, 0);
    sch.setScope(perWarp, "shared");
    const acc = sch.cacheWrite(perWarp, "local");
    const pixels = sch.cacheRead(border === "pad" ? sch.stage("pad_temp") : input, "shared", [acc]);
    const weights = sch.cacheRead(kernel, "shared", [acc]);
    const ownWeights = sch.cacheRead(weights, "local", [acc]);
    const ownPixels = sch.cacheRead(pixels, "local", [acc]);
    const sums = sch.cacheWrite(part, "local");

    sch.transformLayout(
      part,
      indexMap(["s", "n", "f", "y", "x"], (s, n, f, y, x) => [s, n, y, x, f]),
    );
    const [s, n, y, x, f] = exactly(5, sch.axes(part));
    const [fo, fi] = exactly(2, sch.split(f, [null, filters]));
    sch.reorder([s, fo, n, y, x, fi]);
    sch.bind(s, "blockIdx.x");
    sch.bind(fo, "blockIdx.y");
    const [turn, ty] = exactly(2, sch.split(sch.fuse([n, y, x]), [null, warps]));
    sch.bind(ty, "threadIdx.y");
    sch.bind(fi, "threadIdx.x");
    sch.reorder([ty, fi, turn]);
    sch.unroll(turn);
    sch.computeAt(sums, part, turn);
    sch.unroll(exactly(1, sch.reduceAxes(sums))[0]);

    sch.computeAt(perWarp, part, fo);
    const [pw, ps, pn, pf, py, px] = exactly(6, sch.axes(perWarp));
    sch.reorder([pw, pf, ps, pn, py, px]);
    sch.bind(pw, "threadIdx.y");
    sch.bind(pf, "threadIdx.x");
    sch.unroll(py);
    sch.unroll(px);

    sch.computeAt(acc, perWarp, pf);
    const [rc, ry, rx] = exactly(3, sch.reduceAxes(acc));
    const [, , , , ay, ax] = exactly(6, sch.axes(acc));
    sch.reorder([rc, ay, ry, rx, ax]);
    for (const loop of [rc, ay, ry, rx, ax]) sch.unroll(loop);

    sch.computeAt(pixels, part, fo);
    sch.computeAt(weights, part, fo);
    copyTogether(sch, weights, warps, 4);
    copyTogether(sch, pixels, warps, 1);
    // Lanes read the weights of neighbouring filters: rows that are 4 more than a multiple of 8 lie in different banks.
    sch.storageAlign(weights, 0, 8, 4);
    if (vectors) sch.storageAlign(pixels, 2, 4, 0);
    readOwn(sch, { acc, perWarp, pf, rc, ownWeights, ownPixels, vectors });

    // The second kernel.
    const [cn, cf, cy, cx] = exactly(4, sch.axes(conv));
    sch.reorder([cn, cy, cx, cf]);
    const [block, thread] = exactly(2, sch.split(sch.fuse([cn, cy, cx, cf]), [null, sumThreads]));
    sch.bind(block, "blockIdx.x");
    sch.bind(thread, "threadIdx.x");
    sch.unroll(exactly(1, sch.reduceAxes(conv))[0]);
  },
});

type Stage = ReturnType<Schedule["cacheRead"]>;
type Loop = ReturnType<Schedule["fuse"]>;

/** All threads of the block copy an array, neighbours to neighbours. */
function copyTogether(sch: Schedule, copy: Stage, warps: number, lanes: number): void {
  const [turn, ty, tx, element] = exactly(4, sch.split(sch.fuse(sch.axes(copy)), [null, warps, filters, lanes]));
  sch.unroll(turn);
  sch.bind(ty, "threadIdx.y");
  sch.bind(tx, "threadIdx.x");
  if (lanes > 1) sch.vectorize(element);
}

interface OwnReads {
  readonly acc: Stage;
  readonly perWarp: Stage;
  readonly pf: Loop;
  readonly rc: Loop;
  readonly ownWeights: Stage;
  readonly ownPixels: Stage;
  readonly vectors: number;
}

/** What a lane takes from shared memory into registers: vectors of 4, or one element after the other. */
function readOwn(sch: Schedule, { acc, perWarp, pf, rc, ownWeights, ownPixels, vectors }: OwnReads): void {
  sch.computeAt(ownPixels, acc, rc);
  if (!vectors) {
    sch.computeAt(ownWeights, acc, rc);
    for (const loop of [...sch.axes(ownWeights), ...sch.axes(ownPixels)]) sch.unroll(loop);
    return;
  }
  sch.computeAt(ownWeights, perWarp, pf);
  const [outer, inner] = exactly(2, sch.split(sch.fuse(sch.axes(ownWeights)), [null, 4]));
  sch.unroll(outer);
  sch.vectorize(inner);
  const [n, c, y, x] = exactly(4, sch.axes(ownPixels));
  const [xo, xi] = exactly(2, sch.split(x, [null, 4]));
  for (const loop of [n, c, y, xo]) sch.unroll(loop);
  sch.vectorize(xi);
}
