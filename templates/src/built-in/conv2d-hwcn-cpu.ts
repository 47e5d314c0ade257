/**
 * Convolution HWCN on a CPU: per pixel a matrix product, with vectors over the batch and rows over output channels: a vector of
 * images times a broadcast weight. A tile of rows by vectors is accumulated in registers over the whole reduction, each step of
 * which loads the vectors of the images and broadcasts one weight a row.
 *
 * The padding is a stage of its own. float16 is converted to float32 once, data within the padding, weights in a stage of their
 * own; the arithmetic and the result are float32.
 */
import {
  type Buffer,
  castTensor,
  conv2dHwcn,
  divisors,
  graphOf,
  type LoopRef,
  placeholder,
  type Schedule,
  type StageRef,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { type ArgValues, word } from "../template-args.ts";
import { layoutConvArgsWith, ungroupedCheck, windowsOf } from "./conv-args.ts";
import { lanesFor, registerTiles } from "./vector-unit.ts";

const args = layoutConvArgsWith({ dtype: word("float32", ["float32", "float16"]) });
type Args = ArgValues<typeof args>;

const inputs = ({ N, H, W, KH, KW, CI, CO, dtype }: Args): readonly [Buffer, Buffer] => [
  placeholder("A", [H, W, CI, N], dtype),
  placeholder("W", [KH, KW, CI, CO], dtype),
];
const names = { name: "B", padName: "Apad", outDtype: "float32" } as const;

export const conv2dHwcnCpu = defineTemplate({
  name: "conv2d_hwcn_cpu",
  aliases: [],
  summary: "convolution HWCN on a CPU: register tiles of output channels by vectors over the batch",
  targets: [{ kind: "cpu" }],
  args,
  check: ungroupedCheck,

  graph: ({ args: values }) => {
    const [A, W] = inputs(values);
    const wide = (t: Buffer) => (values.dtype === "float32" ? t : castTensor(t, "float32", { name: `${t.name}_wide` }));
    return graphOf([A, W], [conv2dHwcn(wide(A), wide(W), { ...names, ...windowsOf(values) })]);
  },
  reference: ({ args: values }) => {
    const [A, W] = inputs(values);
    return graphOf([A, W], [conv2dHwcn(A, W, { ...names, ...windowsOf(values) })]);
  },

  space: (space, sch, { args: { CO, N }, target }) => {
    const tiles = divisors(CO).flatMap((r) => divisors(N / lanesFor(N, target)).map((v) => [r, v] as const));
    const [, , rc] = exactly(3, sch.reduceAxes(sch.stage("B")));
    return {
      tile: space.choice("tile", registerTiles(tiles, target)),
      /** Input channels summed of one kernel position before the next, and how many of them are written out. */
      tileRc: space.split("tile_rc", { loop: rc, extent: sch.extent(rc) }, { parts: 3, maxFactor: 64 }),
      /** The next tile of a task: along the vectors, or along the rows. */
      order: space.choice("order", ["rows_outside", "columns_outside"]),
    };
  },

  schedule: (sch, { tile: [rows, vectors], tileRc, order }, { args: values, target }) => {
    const lanes = lanesFor(values.N, target);
    if (values.dtype !== "float32") {
      sch.computeInline(sch.stage("A_wide"));
      parallelCopy(sch, sch.stage("W_wide"), 1);
    }
    parallelCopy(sch, sch.stage("Apad"), 2);

    const B = sch.stage("B");
    const [ry, rx] = exactly(3, sch.reduceAxes(B));
    const acc = sch.cacheWrite(B, "local");
    const [y, x, row, column] = exactly(4, sch.axes(B));
    const [rowOuter, r] = exactly(2, sch.split(row, [null, rows]));
    const [columnOuter, v, lane] = exactly(3, sch.split(column, [null, vectors, lanes]));
    writeOut(sch, [r, v], lane, lanes);
    const tiles = order === "rows_outside" ? [rowOuter, columnOuter] : [columnOuter, rowOuter];
    sch.reorder([y, x, ...tiles, r, v, lane]);
    sch.parallel(sch.fuse([y, x]));
    sch.computeAt(acc, B, tiles[1] as LoopRef);

    const [rco, rcm, rci] = exactly(3, tileRc.apply(sch));
    const [, , accRow, accColumn] = exactly(4, sch.axes(acc));
    const [accVector, accLane] = exactly(2, sch.split(accColumn, [null, lanes]));
    sch.reorder([rco, ry, rx, rcm, rci, accRow, accVector, accLane]);
    writeOut(sch, [rci, accRow, accVector], accLane, lanes);
  },
});

/** Straight-line code over vectors. */
function writeOut(sch: Schedule, loops: readonly LoopRef[], lane: LoopRef, lanes: number): void {
  for (const loop of loops) sch.unroll(loop);
  if (lanes > 1) sch.vectorize(lane);
}

/** A stage that only moves or converts: its loops in parallel, all but the last `inside`. */
function parallelCopy(sch: Schedule, stage: StageRef, inside: number): void {
  sch.parallel(sch.fuse(sch.axes(stage).slice(0, -inside)));
}
