/**
 * Direct convolution NCHW of batch 1 on a GPU: the template `tutorial/conv2d_no_batching` of TVM's tutorial "Tuning High
 * Performance Convolution on NVIDIA GPUs", step by step (docs/reference/source-programs.md 1), one call a step.
 *
 * A block computes a tile of output channels x rows x columns; its threads are bound over all three, each with virtual threads.
 * Input and weights go through shared memory, one chunk of the reduction after the other, and then through registers, where the
 * accumulator stays.
 */
import { conv2dNchw, graphOf, type Schedule } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { convArgs, convInputs, ungroupedCheck, windowsOf } from "./conv-args.ts";

type Loop = ReturnType<Schedule["fuse"]>;

export const conv2dNoBatching = defineTemplate({
  name: "tutorial/conv2d_no_batching",
  aliases: ["conv2d_nchw"],
  summary: "convolution NCHW of batch 1 on CUDA, as TVM's tutorial schedules it",
  targets: [{ kind: "cuda" }],
  args: convArgs,
  check: (args) => (args.N === 1 ? ungroupedCheck(args) : `N is ${args.N}; this template takes 1`),
  published: {
    tile_f: [-1, 2, 64, 1],
    tile_y: [-1, 1, 1, 7],
    tile_x: [-1, 1, 7, 1],
    tile_rc: [-1, 2, 2],
    tile_ry: [-1, 3, 1],
    tile_rx: [-1, 1, 3],
    auto_unroll_max_step: 1500,
    unroll_explicit: 0,
  },

  graph: ({ args }) => {
    const { data, kernel } = convInputs(args);
    return graphOf([data, kernel], [conv2dNchw(data, kernel, windowsOf(args))]);
  },

  space: (space, sch) => {
    const conv = sch.stage("conv");
    const [, f, y, x] = exactly(4, sch.axes(conv));
    const [rc, ry, rx] = exactly(3, sch.reduceAxes(conv));
    const axis = (loop: Loop) => ({ loop, extent: sch.extent(loop) });
    return {
      tileF: space.split("tile_f", axis(f), { parts: 4 }),
      tileY: space.split("tile_y", axis(y), { parts: 4 }),
      tileX: space.split("tile_x", axis(x), { parts: 4 }),
      tileRc: space.split("tile_rc", axis(rc), { parts: 3 }),
      tileRy: space.split("tile_ry", axis(ry), { parts: 3 }),
      tileRx: space.split("tile_rx", axis(rx), { parts: 3 }),
      autoUnrollMaxStep: space.choice("auto_unroll_max_step", [0, 512, 1500]),
      unrollExplicit: space.choice("unroll_explicit", [0, 1]),
    };
  },

  schedule: (sch, { tileF, tileY, tileX, tileRc, tileRy, tileRx, autoUnrollMaxStep, unrollExplicit }) => {
    const conv = sch.stage("conv");
    const [n] = exactly(4, sch.axes(conv));
    const [, ry, rx] = exactly(3, sch.reduceAxes(conv));

    sch.computeInline(sch.stage("pad_temp"));
    // From here the reduction belongs to OL, and conv is a copy of it.
    const OL = sch.cacheWrite(conv, "local");
    const AA = sch.cacheRead(sch.stage("pad_temp"), "shared", [OL]);
    const WW = sch.cacheRead(kernelOf(sch), "shared", [OL]);
    const AL = sch.cacheRead(AA, "local", [OL]);
    const WL = sch.cacheRead(WW, "local", [OL]);

    const [bf, vf, tf, fi] = exactly(4, tileF.apply(sch));
    const [by, vy, ty, yi] = exactly(4, tileY.apply(sch));
    const [bx, vx, tx, xi] = exactly(4, tileX.apply(sch));
    sch.bind(bf, "blockIdx.z");
    sch.bind(by, "blockIdx.y");
    sch.bind(bx, "blockIdx.x");
    sch.bind(vf, "vthread");
    sch.bind(vy, "vthread");
    sch.bind(vx, "vthread");
    sch.bind(tf, "threadIdx.z");
    sch.bind(ty, "threadIdx.y");
    sch.bind(tx, "threadIdx.x");
    sch.reorder([n, bf, by, bx, vf, vy, vx, tf, ty, tx, fi, yi, xi]);
    sch.computeAt(OL, conv, tx);

    const [rco, rcm, rci] = exactly(3, tileRc.apply(sch));
    // The tutorial crosses these two: tile_rx splits ry and tile_ry splits rx. Both have extent 3 there, so it went unnoticed.
    // Its published indices and figures depend on it, so it stays.
    const [ryo, rym, ryi] = exactly(3, tileRx.apply(sch, ry));
    const [rxo, rxm, rxi] = exactly(3, tileRy.apply(sch, rx));
    sch.reorder([rco, ryo, rxo, rcm, rym, rxm, rci, ryi, rxi, ...sch.axes(OL)]);

    // The outer caches are attached while their readers still stand at the root.
    sch.computeAt(AA, OL, rxo);
    sch.computeAt(WW, OL, rxo);
    sch.computeAt(AL, OL, rxm);
    sch.computeAt(WL, OL, rxm);

    // Cooperative fetch: a thread copies one contiguous run.
    for (const load of [AA, WW]) {
      const fused = sch.fuse(sch.axes(load));
      const [tz, afterZ] = exactly(2, sch.split(fused, [threads(tileF.sizes), null]));
      const [ty, afterY] = exactly(2, sch.split(afterZ, [threads(tileY.sizes), null]));
      const [tx] = exactly(2, sch.split(afterY, [threads(tileX.sizes), null]));
      sch.bind(tz, "threadIdx.z");
      sch.bind(ty, "threadIdx.y");
      sch.bind(tx, "threadIdx.x");
    }

    // On the outermost loop, so the pragmas apply to the whole kernel.
    sch.pragma(n, "auto_unroll_max_step", autoUnrollMaxStep);
    sch.pragma(n, "unroll_explicit", unrollExplicit);
  },
});

const kernelOf = (sch: Schedule) => exactly(2, sch.graph.inputs)[1];
/** The third number of an entity `[-1, vthreads, threads, inner]`. */
const threads = (sizes: readonly number[]): number => exactly(4, sizes)[2];
