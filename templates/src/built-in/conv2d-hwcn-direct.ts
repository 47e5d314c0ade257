/**
 * Direct convolution HWCN in float32 on a GPU, any shape: for each pixel of the output a product of filters by images, summed
 * over taps and input channels. Blocks as simt-tile.ts has them, filters its rows, images its columns. Chunks of a tap's channels
 * go through `stages` arrays, copied by the machine while earlier ones are multiplied.
 *
 * With `border` skip the taps outside the image are left out, which differs from adding zeros only where a weight is infinite or
 * not a number (compiler/src/te/ops/convolution.ts). conv2d_hwcn is the same computation as TVM's tutorial schedules it.
 */
import { borders, conv2dHwcn, graphOf, placeholder } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { type ArgValues, word } from "../template-args.ts";
import { layoutConvArgsWith, ungroupedCheck, windowsOf } from "./conv-args.ts";
import { copyTogether, cutIntoTiles, tileKnobs, vector } from "./simt-tile.ts";

const args = layoutConvArgsWith({ border: word("skip", [...borders]) });

const graphWith = (values: ArgValues<typeof args>, border: (typeof borders)[number]) => {
  const A = placeholder("A", [values.H, values.W, values.CI, values.N]);
  const W = placeholder("W", [values.KH, values.KW, values.CI, values.CO]);
  return graphOf([A, W], [conv2dHwcn(A, W, { ...windowsOf(values), border, name: "B", padName: "Apad" })]);
};

export const conv2dHwcnDirect = defineTemplate({
  name: "conv2d_hwcn_direct",
  aliases: [],
  summary: "convolution HWCN float32 on CUDA cores, any shape, copies ahead of products",
  targets: [{ kind: "cuda" }],
  args,
  check: ungroupedCheck,
  // Chosen here: blocks of 64 filters by 64 images, two warps, 16 channels at a time in four arrays.
  published: { thread_rows: 8, thread_cols: 8, row_warps: 2, col_warps: 1, lane_rows: 4, chunk: 16, stages: 4, min_blocks: 0 },

  graph: ({ args: values }) => graphWith(values, values.border),
  counted: ({ args: values }) => graphWith(values, "pad"),

  space: tileKnobs,

  schedule: (sch, { chunk, stages, minBlocks, ...tile }, { args: { N, CO, border } }) => {
    const B = sch.stage("B");
    const [A, W] = exactly(2, sch.graph.inputs);
    if (border === "pad") sch.computeInline(sch.stage("Apad"));
    const AS = sch.cacheRead(border === "pad" ? sch.stage("Apad") : A, "shared", [B]);
    const WS = sch.cacheRead(W, "shared", [B]);
    const AL = sch.cacheRead(AS, "local", [B]);
    const WL = sch.cacheRead(WS, "local", [B]);
    const acc = sch.cacheWrite(B, "local");
    if (minBlocks > 0) sch.minBlocks(B, minBlocks);

    const [y, x, filters, images] = exactly(4, sch.axes(B));
    const pixel = sch.fuse([y, x]);
    const { rowBlock, colBlock, lane, inRow } = cutIntoTiles(sch, filters, images, tile);
    sch.bind(pixel, "blockIdx.z");
    sch.bind(rowBlock, "blockIdx.y");
    sch.bind(colBlock, "blockIdx.x");
    if (N % vector === 0) sch.vectorize(inRow);

    sch.computeAt(acc, B, lane);
    const [, , f, n] = exactly(4, sch.axes(acc));
    const [ry, rx, rc] = exactly(3, sch.reduceAxes(acc));
    const [ko, ki] = exactly(2, sch.split(rc, [null, chunk]));
    sch.reorder([ry, rx, ko, ki, f, n]);
    sch.unroll(ki);
    for (const [copy, own, row] of [
      [AS, AL, N],
      [WS, WL, CO],
    ] as const) {
      sch.computeAt(copy, acc, ko);
      sch.pipeline(copy, stages);
      copyTogether(sch, copy, tile.rowWarps * tile.colWarps, row);
      sch.computeAt(own, acc, ki);
      sch.vectorize(exactly(4, sch.axes(own))[3]);
    }
  },
});
