/** Schedules that tests of several folders need, by the steps of the tutorials. */

import type { Buffer } from "../src/ir/buffer.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { compute, placeholder, reduceAxis, sum } from "../src/te/compute.ts";
import { add, at, floorDiv, floorMod, mul } from "../src/te/expr.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { conv2dNchw } from "../src/te/ops/conv2d.ts";
import { pad } from "../src/te/ops/pad.ts";

export interface ConvSize {
  readonly batch: number;
  readonly size: number;
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernel: number;
  readonly stride: number;
  readonly padding: number;
}
/** The last 3x3 convolution of ResNet: program A of the tutorials. */
export const resnetConv: ConvSize = { batch: 1, size: 7, inChannels: 512, outChannels: 512, kernel: 3, stride: 1, padding: 1 };

export function convGraph(c: ConvSize, name = "conv"): Graph {
  const data = placeholder("data", [c.batch, c.inChannels, c.size, c.size]);
  const kernel = placeholder("kernel", [c.outChannels, c.inChannels, c.kernel, c.kernel]);
  return graphOf([data, kernel], [conv2dNchw(data, kernel, { stride: c.stride, padding: c.padding, name })]);
}

/** Parts of the split knobs of `tutorial/conv2d_no_batching`, without their leading -1, and its two choices. */
export interface ConvConfig {
  readonly f: readonly [number, number, number];
  readonly y: readonly [number, number, number];
  readonly x: readonly [number, number, number];
  readonly rc: readonly [number, number];
  readonly ry: readonly [number, number];
  readonly rx: readonly [number, number];
  readonly maxStep: number;
  readonly explicit: number;
}
/** Index 4881186 of the tutorial's space. */
export const published: ConvConfig = {
  f: [2, 64, 1],
  y: [1, 1, 7],
  x: [1, 7, 1],
  rc: [2, 2],
  ry: [3, 1],
  rx: [1, 3],
  maxStep: 1500,
  explicit: 0,
};

/** Program A, step by step (docs/reference/source-programs.md 1), its crossing of tile_ry and tile_rx kept. */
export function scheduleA(graph: Graph, config: ConvConfig): Schedule {
  const s = createSchedule(graph);
  const output = graph.outputs[0]?.name ?? "";
  const conv = s.stage(output);
  const padded = s.stage(graph.ops[0]?.output.name ?? "");
  const [, kernel] = graph.inputs as readonly [Buffer, Buffer];
  const [n, f, y, x] = s.axes(conv) as [LoopRef, LoopRef, LoopRef, LoopRef];
  const [rc, ry, rx] = s.reduceAxes(conv) as [LoopRef, LoopRef, LoopRef];
  const four = (loop: LoopRef, parts: readonly number[]) =>
    s.split(loop, [null, ...parts]) as [LoopRef, LoopRef, LoopRef, LoopRef];
  const three = (loop: LoopRef, parts: readonly number[]) => s.split(loop, [null, ...parts]) as [LoopRef, LoopRef, LoopRef];
  s.computeInline(padded);
  const ol = s.cacheWrite(conv, "local");
  const aa = s.cacheRead(padded, "shared", [ol]);
  const ww = s.cacheRead(kernel, "shared", [ol]);
  const al = s.cacheRead(aa, "local", [ol]);
  const wl = s.cacheRead(ww, "local", [ol]);
  const [bf, vf, tf, fi] = four(f, config.f);
  const [by, vy, ty, yi] = four(y, config.y);
  const [bx, vx, tx, xi] = four(x, config.x);
  s.bind(bf, "blockIdx.z");
  s.bind(by, "blockIdx.y");
  s.bind(bx, "blockIdx.x");
  for (const v of [vf, vy, vx]) s.bind(v, "vthread");
  s.bind(tf, "threadIdx.z");
  s.bind(ty, "threadIdx.y");
  s.bind(tx, "threadIdx.x");
  s.reorder([n, bf, by, bx, vf, vy, vx, tf, ty, tx, fi, yi, xi]);
  s.computeAt(ol, conv, tx);
  const [rco, rcm, rci] = three(rc, config.rc);
  const [ryo, rym, ryi] = three(ry, config.rx);
  const [rxo, rxm, rxi] = three(rx, config.ry);
  const spatial = s.axes(ol);
  s.reorder([rco, ryo, rxo, rcm, rym, rxm, rci, ryi, rxi, ...spatial]);
  s.computeAt(aa, ol, rxo);
  s.computeAt(ww, ol, rxo);
  s.computeAt(al, ol, rxm);
  s.computeAt(wl, ol, rxm);
  for (const stage of [aa, ww]) {
    const fused = s.fuse(s.axes(stage));
    const [tz, rest] = s.split(fused, [config.f[1], null]) as [LoopRef, LoopRef];
    const [tyo, rest2] = s.split(rest, [config.y[1], null]) as [LoopRef, LoopRef];
    const [txo] = s.split(rest2, [config.x[1], null]) as [LoopRef, LoopRef];
    s.bind(tz, "threadIdx.z");
    s.bind(tyo, "threadIdx.y");
    s.bind(txo, "threadIdx.x");
  }
  s.pragma(n, "auto_unroll_max_step", config.maxStep);
  s.pragma(n, "unroll_explicit", config.explicit);
  return s;
}

/**
 * The convolution with its output channels in blocks of `block`, innermost: what a CPU's vectors want. Weights are repacked by a
 * stage.
 */
export function packedConvGraph(c: ConvSize, block: number): Graph {
  const data = placeholder("data", [c.batch, c.inChannels, c.size, c.size]);
  const kernel = placeholder("kernel", [c.outChannels, c.inChannels, c.kernel, c.kernel]);
  const padded = pad(data, { axes: ["n", "c", "y", "x"], before: [0, 0, c.padding, c.padding] });
  const blocks = c.outChannels / block;
  const size = Math.floor((c.size + 2 * c.padding - c.kernel) / c.stride) + 1;
  const packed = compute(
    "kernel_packed",
    [
      ["fo", blocks],
      ["rc", c.inChannels],
      ["ry", c.kernel],
      ["rx", c.kernel],
      ["fi", block],
    ],
    (fo, rc, ry, rx, fi) => at(kernel, add(mul(fo, block), fi), rc, ry, rx),
  );
  const rc = reduceAxis("rc", c.inChannels);
  const ry = reduceAxis("ry", c.kernel);
  const rx = reduceAxis("rx", c.kernel);
  const conv = compute(
    "conv_packed",
    [
      ["n", c.batch],
      ["fo", blocks],
      ["y", size],
      ["x", size],
      ["fi", block],
    ],
    (n, fo, y, x, fi) => {
      const pixel = at(padded, n, rc.loopVar, add(mul(y, c.stride), ry.loopVar), add(mul(x, c.stride), rx.loopVar));
      return sum(mul(pixel, at(packed, fo, rc.loopVar, ry.loopVar, rx.loopVar, fi)), [rc, ry, rx]);
    },
  );
  const out = compute(
    "conv",
    [
      ["n", c.batch],
      ["f", c.outChannels],
      ["y", size],
      ["x", size],
    ],
    (n, f, y, x) => at(conv, n, floorDiv(f, block), y, x, floorMod(f, block)),
  );
  return graphOf([data, kernel], [out]);
}

/** Accumulators of a whole row (or `tileX` of it) in registers, reduction outside them, rows in parallel. */
export function schedulePacked(graph: Graph, tileX: number): Schedule {
  const s = createSchedule(graph);
  const conv = s.stage("conv_packed");
  const acc = s.cacheWrite(conv, "local");
  const [n, fo, y, x, fi] = s.axes(conv) as [LoopRef, LoopRef, LoopRef, LoopRef, LoopRef];
  const [xo, xi] = s.split(x, [null, tileX]) as [LoopRef, LoopRef];
  s.reorder([n, fo, y, xo, xi, fi]);
  s.parallel(s.fuse([n, fo, y]));
  s.computeAt(acc, conv, xo);
  s.unroll(xi);
  s.vectorize(fi);
  const [, , , ax, afi] = s.axes(acc) as [LoopRef, LoopRef, LoopRef, LoopRef, LoopRef];
  const [rc, ry, rx] = s.reduceAxes(acc) as [LoopRef, LoopRef, LoopRef];
  s.reorder([rc, ry, rx, ax, afi]);
  s.unroll(ax);
  s.vectorize(afi);
  for (const name of ["pad_temp", "kernel_packed", "conv"]) {
    const stage = s.stage(name);
    s.parallel(s.fuse(s.axes(stage).slice(0, 2)));
  }
  return s;
}
