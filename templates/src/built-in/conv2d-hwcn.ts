/**
 * Direct convolution HWCN on a GPU: TVM's tutorial "How to optimize convolution on GPU", step by step
 * (docs/reference/source-programs.md 2), one call a step.
 *
 * A block computes one pixel of `tile · num_thread` output channels (y) by as many images of the batch (x), in vthread x vthread
 * virtual tiles of its num_thread x num_thread threads. Input and weights go through shared memory, `step` input channels of one
 * kernel position after the other, then through registers, where the accumulator stays.
 *
 * From 16 channels a step on, where shared memory has room, the schedule leaves the tutorial's: the products of a step are long
 * enough to hide the copies of the next, so those are in flight meanwhile, in a second pair of arrays (cp.async). Channels then
 * run innermost, which leaves copies one changing address; a step stands unrolled, so that loads from shared memory go ahead of
 * products; and neighbouring threads copy neighbouring vectors. On an H100 the best such point takes 2.27 ms, with the tutorial's
 * steps throughout 3.0 ms.
 */
import { conv2dHwcn as convolution, graphOf, type LoopRef, placeholder } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { layoutConvArgs, ungroupedCheck, windowsOf } from "./conv-args.ts";

/** Bytes of a block's shared memory, on every GPU. */
const sharedBytes = 49_152;
/** Bytes of one step's input and weights. */
const pairBytes = (step: number, blockFactor: number): number => 2 * 4 * step * blockFactor;

export const conv2dHwcn = defineTemplate({
  name: "conv2d_hwcn",
  aliases: [],
  summary: "convolution HWCN on CUDA, as TVM's tutorial schedules it",
  targets: [{ kind: "cuda" }],
  args: layoutConvArgs,
  check: ungroupedCheck,
  published: { tile: 8, num_thread: 8, step: 8, vthread: 2, vector: 4 },

  graph: ({ args }) => {
    const A = placeholder("A", [args.H, args.W, args.CI, args.N]);
    const W = placeholder("W", [args.KH, args.KW, args.CI, args.CO]);
    return graphOf([A, W], [convolution(A, W, { ...windowsOf(args), name: "B", padName: "Apad" })]);
  },

  space: (space) => ({
    tile: space.choice("tile", [2, 4, 8]),
    numThread: space.choice("num_thread", [4, 8, 16]),
    step: space.choice("step", [4, 8, 16, 32]),
    vthread: space.choice("vthread", [1, 2, 4]),
    vector: space.choice("vector", [1, 2, 4]),
  }),

  schedule: (sch, { tile, numThread, step, vthread, vector }) => {
    const blockFactor = tile * numThread;
    const runsAhead = step >= 16 && 2 * pairBytes(step, blockFactor) <= sharedBytes;
    const B = sch.stage("B");
    const Apad = sch.stage("Apad");
    const [, W] = exactly(2, sch.graph.inputs);

    sch.computeInline(Apad);
    const AA = sch.cacheRead(Apad, "shared", [B]);
    const WW = sch.cacheRead(W, "shared", [B]);
    const AL = sch.cacheRead(AA, "local", [B]);
    const WL = sch.cacheRead(WW, "local", [B]);
    // The reduction moves to BL, and with it the readers of AL and WL.
    const BL = sch.cacheWrite(B, "local");

    const [hi, wi, f, n] = exactly(4, sch.axes(B));
    const bz = sch.fuse([hi, wi]);
    const [by, fBlock] = exactly(2, sch.split(f, [null, blockFactor]));
    const [bx, nBlock] = exactly(2, sch.split(n, [null, blockFactor]));
    sch.bind(bz, "blockIdx.z");
    sch.bind(by, "blockIdx.y");
    sch.bind(bx, "blockIdx.x");

    const [tyz, fThread] = exactly(2, sch.split(fBlock, [vthread, null]));
    const [txz, nThread] = exactly(2, sch.split(nBlock, [vthread, null]));
    const [ty, fi] = exactly(2, sch.split(fThread, [numThread, null]));
    const [tx, ni] = exactly(2, sch.split(nThread, [numThread, null]));
    sch.reorder([bz, by, bx, tyz, txz, ty, tx, fi, ni]);
    sch.bind(tyz, "vthread");
    sch.bind(txz, "vthread");
    sch.bind(ty, "threadIdx.y");
    sch.bind(tx, "threadIdx.x");

    sch.computeAt(BL, B, tx);
    const [, , flLoop, nlLoop] = exactly(4, sch.axes(BL));
    const [ry, rx, rc] = exactly(3, sch.reduceAxes(BL));
    const [rco, rci] = exactly(2, sch.split(rc, [null, step]));
    // The pixel's two loops, of one iteration each, are not named and stay in front.
    sch.reorder(runsAhead ? [ry, rx, rco, rci, flLoop, nlLoop] : [rco, ry, rx, rci, flLoop, nlLoop]);
    if (runsAhead) sch.unroll(rci);

    for (const load of [AA, WW]) {
      sch.computeAt(load, BL, runsAhead ? rco : rx);
      if (runsAhead) sch.pipeline(load, 2);
    }
    sch.computeAt(AL, BL, rci);
    sch.computeAt(WL, BL, rci);

    // Cooperative fetch: rows of channels over threadIdx.y, vectors along the row over threadIdx.x: a thread's own side by side,
    // or interleaved.
    const sideBySide = (row: LoopRef) => {
      const [thread, rest] = exactly(2, sch.split(row, [numThread, null]));
      const [, lane] = exactly(2, sch.split(rest, [null, vector]));
      return { thread, inner: [lane], lane };
    };
    const inTurns = (row: LoopRef) => {
      const [turn, thread, lane] = exactly(3, sch.split(row, [null, numThread, vector]));
      return { thread, inner: [turn, lane], lane };
    };
    for (const load of [AA, WW]) {
      const [yi, xi, ci, last] = exactly(4, sch.axes(load));
      const [tyCopy, ciInner] = exactly(2, sch.split(ci, [numThread, null]));
      const { thread: txCopy, inner, lane } = runsAhead ? inTurns(last) : sideBySide(last);
      sch.reorder([tyCopy, txCopy, yi, xi, ciInner, ...inner]);
      sch.bind(tyCopy, "threadIdx.y");
      sch.bind(txCopy, "threadIdx.x");
      sch.vectorize(lane);
    }
  },
});
