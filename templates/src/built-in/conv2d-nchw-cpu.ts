/**
 * Direct convolution NCHW on a CPU. The weights are packed so that a vector register holds `lanes` output channels of one weight
 * position, the result is kept in that layout too, and unpacked at the end:
 *
 *   kernel_packed[fo, rc, ry, rx, fi] = kernel[fo·lanes + fi, rc, ry, rx]
 *   conv_packed[n, fo, y, x, fi]      = sum over (rc, ry, rx) of pad_temp[n, rc, y·s + ry, x·s + rx] · kernel_packed[fo, rc, ry, rx, fi]
 *   conv[n, f, y, x]                  = conv_packed[n, f / lanes, y, x, f % lanes]
 *
 * A register tile of F x Y x X vectors is accumulated over the whole reduction: each step loads F weight vectors and broadcasts
 * Y·X pixels for F·Y·X multiply-adds (Georganas et al., "Anatomy of High-Performance Deep Learning Convolutions on SIMD
 * Architectures", SC 2018).
 */
import {
  add,
  at,
  compute,
  conv2dNchw,
  divisors,
  type Expr,
  floorDiv,
  floorMod,
  graphOf,
  mul,
  pad,
  reduceAxis,
  type Schedule,
  sum,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { type ConvArgs, convArgs, convInputs, convPlaces, ungroupedCheck, windowsOf } from "./conv-args.ts";
import { lanesFor, registerTiles } from "./vector-unit.ts";

/** Register tiles [F, Y, X] in vectors. */
function tilesOf(args: ConvArgs, target: string) {
  const [height, width] = convPlaces(args);
  const tiles = divisors(args.CO / lanesFor(args.CO, target)).flatMap((f) =>
    divisors(height).flatMap((y) => divisors(width).map((x) => [f, y, x] as const)),
  );
  return registerTiles(tiles, target);
}

export const conv2dNchwCpu = defineTemplate({
  name: "conv2d_nchw_cpu",
  aliases: [],
  summary: "convolution NCHW on a CPU: packed weights, register tiles, vectors over output channels",
  targets: [{ kind: "cpu" }],
  args: convArgs,
  check: ungroupedCheck,

  graph: ({ args, target }) => {
    const { N, CO, CI, KH, KW, stride, padding, dilation } = args;
    const { data, kernel } = convInputs(args);
    const lanes = lanesFor(CO, target);
    const [height, width] = convPlaces(args);
    const [top, left, bottom, right] = padding;
    const border = { before: [0, 0, top, left], after: [0, 0, bottom, right] };
    const padded = pad(data, { axes: ["n", "c", "y", "x"], ...border });
    const packed = compute(
      "kernel_packed",
      [
        ["fo", CO / lanes],
        ["c", CI],
        ["ky", KH],
        ["kx", KW],
        ["fi", lanes],
      ],
      (fo, c, ky, kx, fi) => at(kernel, add(mul(fo, lanes), fi), c, ky, kx),
    );
    const tap = (place: Expr, k: Expr, d: 0 | 1) => add(mul(place, stride[d]), mul(k, dilation[d]));
    const rc = reduceAxis("rc", CI);
    const ry = reduceAxis("ry", KH);
    const rx = reduceAxis("rx", KW);
    const blocked = compute(
      "conv_packed",
      [
        ["n", N],
        ["fo", CO / lanes],
        ["y", height],
        ["x", width],
        ["fi", lanes],
      ],
      (n, fo, y, x, fi) =>
        sum(
          mul(
            at(padded, n, rc.loopVar, tap(y, ry.loopVar, 0), tap(x, rx.loopVar, 1)),
            at(packed, fo, rc.loopVar, ry.loopVar, rx.loopVar, fi),
          ),
          [rc, ry, rx],
        ),
    );
    const conv = compute(
      "conv",
      [
        ["n", N],
        ["f", CO],
        ["y", height],
        ["x", width],
      ],
      (n, f, y, x) => at(blocked, n, floorDiv(f, lanes), y, x, floorMod(f, lanes)),
    );
    return graphOf([data, kernel], [conv]);
  },

  reference: ({ args }) => {
    const { data, kernel } = convInputs(args);
    return graphOf([data, kernel], [conv2dNchw(data, kernel, windowsOf(args))]);
  },

  space: (space, sch, { args, target }) => {
    const [rc] = exactly(3, sch.reduceAxes(sch.stage("conv_packed")));
    return {
      tile: space.choice("tile", tilesOf(args, target)),
      /** Input channels summed between two kernel positions when `order` has the channels inside. */
      tileRc: space.split("tile_rc", { loop: rc, extent: sch.extent(rc) }, { parts: 2, maxFactor: 64 }),
      order: space.choice("order", ["channels_outside", "channels_inside"]),
      unroll: space.choice("unroll", [0, 1, 2]),
      /** The unit of a task: channel blocks with all rows, or with one row of tiles. */
      parallel: space.choice("parallel", ["channels", "channels_rows"]),
    };
  },

  schedule: (sch, { tile, tileRc, order, unroll, parallel }, { args, target }) => {
    const lanes = lanesFor(args.CO, target);
    const [tileF, tileY, tileX] = tile;
    parallelPad(sch);
    parallelPacking(sch);
    parallelUnpacking(sch, lanes);

    const packed = sch.stage("conv_packed");
    const [, ry, rx] = exactly(3, sch.reduceAxes(packed));
    const acc = sch.cacheWrite(packed, "local");
    const [n, fo, y, x, fi] = exactly(5, sch.axes(packed));
    const [fTask, f] = exactly(2, sch.split(fo, [null, tileF]));
    const [yOuter, yi] = exactly(2, sch.split(y, [null, tileY]));
    const [xOuter, xi] = exactly(2, sch.split(x, [null, tileX]));
    sch.reorder([n, fTask, yOuter, xOuter, f, yi, xi, fi]);
    sch.parallel(sch.fuse(parallel === "channels" ? [n, fTask] : [n, fTask, yOuter]));
    writeOut(sch, [f, yi, xi], fi, lanes);
    sch.computeAt(acc, packed, xOuter);

    const [rco, rci] = exactly(2, tileRc.apply(sch));
    const [an, af, ay, ax, afi] = exactly(5, sch.axes(acc));
    const reduction = order === "channels_inside" ? [rco, ry, rx, rci] : [rco, rci, ry, rx];
    sch.reorder([...reduction, an, af, ay, ax, afi]);
    writeOut(sch, [af, ay, ax], afi, lanes);
    if (unroll >= 1) sch.unroll(rx);
    if (unroll >= 2) sch.unroll(ry);
  },
});

type Loop = ReturnType<Schedule["fuse"]>;

function writeOut(sch: Schedule, loops: readonly Loop[], lane: Loop, lanes: number): void {
  for (const loop of loops) sch.unroll(loop);
  if (lanes > 1) sch.vectorize(lane);
}

function parallelPad(sch: Schedule): void {
  const [n, c] = exactly(4, sch.axes(sch.stage("pad_temp")));
  sch.parallel(sch.fuse([n, c]));
}

function parallelPacking(sch: Schedule): void {
  const [fo] = exactly(5, sch.axes(sch.stage("kernel_packed")));
  sch.parallel(fo);
}

function parallelUnpacking(sch: Schedule, lanes: number): void {
  const [n, f] = exactly(4, sch.axes(sch.stage("conv")));
  const [fo] = exactly(2, sch.split(f, [null, lanes]));
  sch.parallel(sch.fuse([n, fo]));
}
