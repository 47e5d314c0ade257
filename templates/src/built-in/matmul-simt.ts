/** Matrix product in float32 without tensor cores (simt-product.ts). matmul_simt_2 has these configs and more. */
import { defineTemplate } from "../define-template.ts";
import { scheduleSimt, simtArgs, simtGraph, simtKnobs, simtOutline } from "./simt-product.ts";

export const matmulSimt = defineTemplate({
  name: "matmul_simt",
  aliases: [],
  summary: "matrix product float32 on CUDA cores, any shape",
  targets: [{ kind: "cuda" }],
  args: simtArgs,
  // Published by no one: blocks of 32x256 by 16, four warps, two arrays, groups of 8.
  published: {
    thread_rows: 8,
    thread_cols: 8,
    row_warps: 2,
    col_warps: 2,
    lane_rows: 2,
    chunk: 16,
    stages: 2,
    min_blocks: 1,
    group: 8,
    along_k: 0,
  },

  graph: ({ args }) => simtGraph(args),
  space: (space, _, { args }) => simtKnobs(space, args),
  outline: (knobs, context) => simtOutline(knobs, context),
  schedule: (sch, knobs, { args, target }) => scheduleSimt(sch, { ...knobs, interleaved: 0, turned: 0 }, args, target),
});
