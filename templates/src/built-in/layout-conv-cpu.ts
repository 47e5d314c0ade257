/**
 * Convolutions HWCN and NHWC on a CPU: per pixel, or per row of pixels, a matrix product of the innermost dimension by another.
 *
 *   HWCN  vectors over the batch, rows over output channels: a vector of images times a broadcast weight
 *   NHWC  vectors over output channels, rows over pixels of one image row: a vector of weights times a broadcast pixel
 *
 * The padding is a stage of its own. float16 is converted to float32 once, data within the padding, weights in a stage of their
 * own; the arithmetic and the result are float32.
 */
import {
  type Buffer,
  type ConvolutionOptions,
  castTensor,
  conv2dHwcn,
  conv2dNhwc,
  divisors,
  graphOf,
  type LoopRef,
  placeholder,
  type Schedule,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { type ArgValues, word } from "../template-args.ts";
import { convPlaces, layoutConvArgsWith, ungroupedCheck, windowsOf } from "./conv-args.ts";
import { parallelCopy, tileAccumulator, tileStage } from "./register-tile.ts";
import { lanesFor, registerTiles } from "./vector-unit.ts";

const args = layoutConvArgsWith({ dtype: word("float32", ["float32", "float16"]) });
type Args = ArgValues<typeof args>;

interface Layout {
  readonly name: "conv2d_hwcn_cpu" | "conv2d_nhwc_cpu";
  readonly summary: string;
  readonly operator: (data: Buffer, kernel: Buffer, options: ConvolutionOptions) => Buffer;
  readonly dataShape: (args: Args) => readonly number[];
  /** The result's axes that are the rows of a tile and its vectors; the others in order. */
  readonly axesOf: (axes: readonly LoopRef[]) => {
    readonly row: LoopRef;
    readonly column: LoopRef;
    readonly rest: readonly LoopRef[];
  };
  readonly extents: (args: Args) => { readonly rows: number; readonly columns: number };
}

function inputs({ dataShape }: Layout, values: Args): readonly [Buffer, Buffer] {
  const { KH, KW, CI, CO, dtype } = values;
  return [placeholder("A", dataShape(values), dtype), placeholder("W", [KH, KW, CI, CO], dtype)];
}
const names = { name: "B", padName: "Apad", outDtype: "float32" } as const;

const convolutionOnCpu = (layout: Layout) =>
  defineTemplate({
    name: layout.name,
    aliases: [],
    summary: layout.summary,
    targets: [{ kind: "cpu" }],
    args,
    check: ungroupedCheck,

    graph: ({ args: values }) => {
      const [A, W] = inputs(layout, values);
      const wide = (t: Buffer) => (values.dtype === "float32" ? t : castTensor(t, "float32", { name: `${t.name}_wide` }));
      return graphOf([A, W], [layout.operator(wide(A), wide(W), { ...names, ...windowsOf(values) })]);
    },
    reference: ({ args: values }) => {
      const [A, W] = inputs(layout, values);
      return graphOf([A, W], [layout.operator(A, W, { ...names, ...windowsOf(values) })]);
    },

    space: (space, sch, { args: values, target }) => {
      const { rows, columns } = layout.extents(values);
      const tiles = divisors(rows).flatMap((r) => divisors(columns / lanesFor(columns, target)).map((v) => [r, v] as const));
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
      const lanes = lanesFor(layout.extents(values).columns, target);
      widen(sch, values);
      parallelCopy(sch, sch.stage("Apad"), 2);

      const B = sch.stage("B");
      const [ry, rx] = exactly(3, sch.reduceAxes(B));
      const acc = sch.cacheWrite(B, "local");
      const { row, column, rest } = layout.axesOf(sch.axes(B));
      const { rowOuter, columnOuter, inner } = tileStage(sch, row, column, { rows, vectors, lanes });
      const tiles = order === "rows_outside" ? [rowOuter, columnOuter] : [columnOuter, rowOuter];
      sch.reorder([...rest, ...tiles, ...inner]);
      sch.parallel(sch.fuse(rest));
      sch.computeAt(acc, B, tiles[1] as LoopRef);

      const [rco, rcm, rci] = exactly(3, tileRc.apply(sch));
      tileAccumulator(sch, acc, [rco, ry, rx, rcm, rci], 1, lanes);
    },
  });

function widen(sch: Schedule, { dtype }: Args): void {
  if (dtype === "float32") return;
  sch.computeInline(sch.stage("A_wide"));
  parallelCopy(sch, sch.stage("W_wide"), 1);
}

export const conv2dHwcnCpu = convolutionOnCpu({
  name: "conv2d_hwcn_cpu",
  summary: "convolution HWCN on a CPU: register tiles of output channels by vectors over the batch",
  operator: conv2dHwcn,
  dataShape: ({ N, H, W, CI }) => [H, W, CI, N],
  axesOf: (axes) => {
    const [y, x, f, n] = exactly(4, axes);
    return { row: f, column: n, rest: [y, x] };
  },
  extents: ({ N, CO }) => ({ rows: CO, columns: N }),
});

export const conv2dNhwcCpu = convolutionOnCpu({
  name: "conv2d_nhwc_cpu",
  summary: "convolution NHWC on a CPU: register tiles of pixels by vectors over output channels",
  operator: conv2dNhwc,
  dataShape: ({ N, H, W, CI }) => [N, H, W, CI],
  axesOf: (axes) => {
    const [n, y, x, f] = exactly(4, axes);
    return { row: x, column: f, rest: [n, y] };
  },
  extents: (values) => ({ rows: convPlaces(values)[1], columns: values.CO }),
});
