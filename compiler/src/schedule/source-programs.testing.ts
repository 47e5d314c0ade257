/**
 * Schedules of the source tutorials B, C and D, step by step (docs/reference/source-programs.md 2 to 4), at any size: the
 * tutorials' own for numbers, small ones for results. C ends at its first print, D has no pragma and no storage_align.
 */
import type { Buffer } from "../ir/buffer.ts";
import { constant } from "../ir/build.ts";
import type { Var } from "../ir/expr.ts";
import { compute, placeholder, reduceAxis, sum } from "../te/compute.ts";
import { add, all, at, cast, greaterEqual, less, mul, select, sub } from "../te/expr.ts";
import type { Graph } from "../te/graph.ts";
import { graphOf } from "../te/graph-of.ts";
import { matmul } from "../te/ops/matmul.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import type { LoopRef, StageRef } from "./state.ts";

type Loops<N extends number, T extends LoopRef[] = []> = T["length"] extends N ? T : Loops<N, [...T, LoopRef]>;
const axes = <N extends number>(s: Schedule, stage: StageRef, _count: N): Loops<N> => s.axes(stage) as Loops<N>;
const reduction = <N extends number>(s: Schedule, stage: StageRef, _count: N): Loops<N> => s.reduceAxes(stage) as Loops<N>;

interface SizeB {
  readonly image: number;
  readonly batch: number;
  readonly inChannels: number;
  readonly outChannels: number;
}

/** Convolution HWCN, 3x3, padding 1. */
export function graphB({ image, batch, inChannels, outChannels }: SizeB): Graph {
  const a = placeholder("A", [image, image, inChannels, batch]);
  const w = placeholder("W", [3, 3, inChannels, outChannels]);
  const padded = compute(
    "Apad",
    [
      ["yy", image + 2],
      ["xx", image + 2],
      ["cc", inChannels],
      ["nn", batch],
    ],
    (yy, xx, cc, nn) =>
      select(
        all(greaterEqual(yy, 1), less(sub(yy, 1), image), greaterEqual(xx, 1), less(sub(xx, 1), image)),
        at(a, sub(yy, 1), sub(xx, 1), cc, nn),
        constant(0, "float32"),
      ),
  );
  const [ry, rx, rc] = [reduceAxis("ry", 3), reduceAxis("rx", 3), reduceAxis("rc", inChannels)];
  const out = compute(
    "B",
    [
      ["yy", image],
      ["xx", image],
      ["ff", outChannels],
      ["nn", batch],
    ],
    (yy, xx, ff, nn) =>
      sum(
        mul(at(padded, add(yy, ry.loopVar), add(xx, rx.loopVar), rc.loopVar, nn), at(w, ry.loopVar, rx.loopVar, rc.loopVar, ff)),
        [ry, rx, rc],
      ),
  );
  return graphOf([a, w], [out]);
}

interface TilesB {
  readonly tile: number;
  readonly threads: number;
  readonly step: number;
  readonly vthreads: number;
  readonly lanes: number;
}
export const tutorialB: TilesB = { tile: 8, threads: 8, step: 8, vthreads: 2, lanes: 4 };

export function scheduleB(graph: Graph, { tile, threads, step, vthreads, lanes }: TilesB): Schedule {
  const s = createSchedule(graph);
  const block = tile * threads;
  const [apad, out] = [s.stage("Apad"), s.stage("B")];
  s.computeInline(apad);
  const aa = s.cacheRead(apad, "shared", [out]);
  const ww = s.cacheRead(graph.inputs[1] as Buffer, "shared", [out]);
  const al = s.cacheRead(aa, "local", [out]);
  const wl = s.cacheRead(ww, "local", [out]);
  const [ry, rx, rc] = reduction(s, out, 3);
  const bl = s.cacheWrite(out, "local");
  const [hi, wi, f, n] = axes(s, out, 4);
  const bz = s.fuse([hi, wi]);
  const [by, fBlock] = s.split(f, [null, block]);
  const [bx, nBlock] = s.split(n, [null, block]);
  s.bind(bz, "blockIdx.z");
  s.bind(by, "blockIdx.y");
  s.bind(bx, "blockIdx.x");
  const [tyz, fThread] = s.split(fBlock, [vthreads, null]);
  const [txz, nThread] = s.split(nBlock, [vthreads, null]);
  const [ty, fi] = s.split(fThread, [threads, null]);
  const [tx, ni] = s.split(nThread, [threads, null]);
  s.reorder([bz, by, bx, tyz, txz, ty, tx, fi, ni]);
  s.bind(tyz, "vthread");
  s.bind(txz, "vthread");
  s.bind(ty, "threadIdx.y");
  s.bind(tx, "threadIdx.x");
  s.computeAt(bl, out, tx);
  const [, , blf, bln] = axes(s, bl, 4);
  const [rco, rci] = s.split(rc, [null, step]);
  s.reorder([rco, ry, rx, rci, blf, bln]);
  s.computeAt(aa, bl, rx);
  s.computeAt(ww, bl, rx);
  s.computeAt(al, bl, rci);
  s.computeAt(wl, bl, rci);
  for (const stage of [aa, ww]) {
    const [yi, xi, ci, last] = axes(s, stage, 4);
    const [tyc, ci2] = s.split(ci, [threads, null]);
    const [txc, rest] = s.split(last, [threads, null]);
    const [, vec] = s.split(rest, [null, lanes]);
    s.reorder([tyc, txc, yi, xi, ci2, vec]);
    s.bind(tyc, "threadIdx.y");
    s.bind(txc, "threadIdx.x");
    s.vectorize(vec);
  }
  return s;
}

/** Convolution NHWCnc on 16x16 tiles, batch 256, 14x14, 256 -> 512 channels. */
export function graphC(): Graph {
  const a = placeholder("A", [16, 14, 14, 16, 16, 16], "float16");
  const w = placeholder("W", [3, 3, 16, 32, 16, 16], "float16");
  const shape = (...extents: number[]) =>
    ["n", "h", "w", "i", "nn", "ii"].map((name, d) => [name, extents[d] as number] as const);
  const padded = compute("Apad", shape(16, 16, 16, 16, 16, 16), (n, h, x, i, nn, ii) =>
    select(
      all(greaterEqual(h, 1), less(sub(h, 1), 14), greaterEqual(x, 1), less(sub(x, 1), 14)),
      at(a, n, sub(h, 1), sub(x, 1), i, nn, ii),
      constant(0, "float16"),
    ),
  );
  const reduce = [reduceAxis("ic", 16), reduceAxis("kh", 3), reduceAxis("kw", 3), reduceAxis("ii", 16)];
  const [ic, kh, kw, ii] = reduce.map((r) => r.loopVar) as [Var, Var, Var, Var];
  const names = ["n", "h", "w", "o", "nn", "oo"] as const;
  const out = compute(
    "Conv",
    names.map((name, d) => [name, [16, 14, 14, 32, 16, 16][d] as number] as const),
    (n, h, x, o, nn, oo) =>
      sum(
        mul(cast("float32", at(padded, n, add(h, kh), add(x, kw), ic, nn, ii)), cast("float32", at(w, kh, kw, ic, o, ii, oo))),
        reduce,
      ),
  );
  return graphOf([a, w], [out]);
}

export function scheduleC(graph: Graph): Schedule {
  const s = createSchedule(graph);
  const [apad, conv] = [s.stage("Apad"), s.stage("Conv")];
  s.computeInline(apad);
  const as = s.cacheRead(apad, "shared", [conv]);
  const ws = s.cacheRead(graph.inputs[1] as Buffer, "shared", [conv]);
  const af = s.cacheRead(as, "wmma.matrix_a", [conv]);
  const wf = s.cacheRead(ws, "wmma.matrix_b", [conv]);
  const [ic, kh, kw, ii] = reduction(s, conv, 4);
  const cf = s.cacheWrite(conv, "wmma.accumulator");
  const [n, h, w, o, nn, oo] = axes(s, conv, 6);
  const blockK = s.fuse([h, w]);
  const [n1, nci] = s.split(n, [null, 2]);
  const [blockI, nc] = s.split(n1, [null, 4]);
  const [o1, oci] = s.split(o, [null, 4]);
  const [blockJ, oc] = s.split(o1, [null, 2]);
  s.reorder([blockK, blockI, blockJ, nc, oc, nci, oci, nn, oo]);
  s.bind(blockK, "blockIdx.z");
  s.bind(blockI, "blockIdx.x");
  s.bind(blockJ, "blockIdx.y");
  s.bind(nc, "threadIdx.y");
  s.bind(oc, "threadIdx.z");
  s.computeAt(cf, conv, oc);
  const [ko, ki] = s.split(ic, [null, 2]);
  const [cn, , , co, cnn, coo] = axes(s, cf, 6);
  s.reorder([ko, kh, ki, kw, cn, co, cnn, coo, ii]);
  s.computeAt(af, cf, kw);
  s.computeAt(wf, cf, kw);
  s.computeAt(as, cf, kh);
  s.computeAt(ws, cf, kh);
  {
    const [an, , , , ann, aii] = axes(s, as, 6);
    const [tx, xo] = s.split(an, [4, null]);
    const [ty] = s.split(xo, [2, null]);
    const [, lane] = s.split(s.fuse([ann, aii]), [null, 32]);
    s.bind(tx, "threadIdx.y");
    s.bind(ty, "threadIdx.z");
    s.bind(lane, "threadIdx.x");
  }
  const [, , , wo, wii, woo] = axes(s, ws, 6);
  const [tx, xo] = s.split(wo, [4, null]);
  const [ty] = s.split(xo, [2, null]);
  const [lane, vec] = s.split(s.fuse([wii, woo]), [32, null]);
  s.bind(tx, "threadIdx.y");
  s.bind(ty, "threadIdx.z");
  s.bind(lane, "threadIdx.x");
  s.vectorize(vec);
  return s;
}

interface SizeD {
  readonly n: number;
  readonly l: number;
  readonly m: number;
}
export function graphD({ n, l, m }: SizeD): Graph {
  const a = placeholder("A", [n, l]);
  const b = placeholder("B", [l, m]);
  return graphOf([a, b], [matmul(a, b)]);
}

interface KnobsD {
  readonly bx: number;
  readonly by: number;
  readonly stepK: number;
  readonly v: number;
  /** 16 in the tutorial. */
  readonly warp: number;
}

export function scheduleD(graph: Graph, { bx, by, stepK, v, warp }: KnobsD): Schedule {
  const [tX, tY] = [8, 1];
  const [tileX, tileY] = [bx * tX, by * tY];
  const wX = Math.min(warp, tileX);
  const s = createSchedule(graph);
  const c = s.stage("C");
  const [y, x] = axes(s, c, 2);
  const [k] = reduction(s, c, 1);
  const [a, b] = graph.inputs as [Buffer, Buffer];
  const aa = s.cacheRead(a, "shared", [c]);
  const al = s.cacheRead(aa, "local", [c]);
  const bb = s.cacheRead(b, "shared", [c]);
  const bl = s.cacheRead(bb, "local", [c]);
  const cl = s.cacheWrite(c, "local");
  const [yo, y1] = s.split(y, [null, tileY]);
  const [ty, yi] = s.split(y1, [null, tY]);
  const [xo, x1] = s.split(x, [null, tileX]);
  const [tz, x2] = s.split(x1, [null, wX]);
  const [tx, xi] = s.split(x2, [null, tX]);
  s.reorder([yo, xo, tz, ty, tx, yi, xi]);
  s.bind(yo, "blockIdx.y");
  s.bind(xo, "blockIdx.x");
  s.bind(ty, "threadIdx.y");
  s.bind(tz, "threadIdx.z");
  s.bind(tx, "threadIdx.x");
  const [ko, k1] = s.split(k, [null, stepK * warp]);
  const [kl, ki] = s.split(k1, [null, warp]);
  s.computeAt(cl, c, tx);
  const [i, j] = axes(s, cl, 2);
  s.reorder([ko, kl, ki, i, j]);
  for (const stage of [aa, bb]) {
    s.computeAt(stage, cl, ko);
    const [row, column] = axes(s, stage, 2);
    const [co, ci] = s.split(column, [null, bx * v]);
    const [ctz, c2] = s.split(ci, [null, (wX / tX) * v]);
    const [ctx, vec] = s.split(c2, [null, v]);
    const [, cty] = s.split(s.fuse([row, co]), [null, by]);
    s.bind(cty, "threadIdx.y");
    s.bind(ctz, "threadIdx.z");
    s.bind(ctx, "threadIdx.x");
    s.vectorize(vec);
  }
  s.computeAt(al, cl, kl);
  s.computeAt(bl, cl, kl);
  return s;
}
