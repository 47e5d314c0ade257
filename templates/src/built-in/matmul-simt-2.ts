/**
 * matmul_simt with more knobs. The knobs of matmul_simt come first, and the first value of each new knob keeps its behaviour, so
 * a config of matmul_simt has the same index, entries and program here.
 */
import { defineTemplate } from "../define-template.ts";
import { alongReduction, scheduleSimt, simtArgs, simtGraph, simtKnobs, simtOutline } from "./simt-product.ts";

export const matmulSimt2 = defineTemplate({
  name: "matmul_simt_2",
  aliases: [],
  summary: "matmul_simt with more to choose: lanes that share reads of shared memory, operands that a kernel before transposes",
  targets: [{ kind: "cuda" }],
  args: simtArgs,
  // The best that a search of matmul_simt found for 4096, NN: blocks of 64x256 by 32, eight warps, two arrays, groups of 16.
  published: {
    thread_rows: 8,
    thread_cols: 8,
    row_warps: 4,
    col_warps: 2,
    lane_rows: 2,
    chunk: 32,
    stages: 2,
    min_blocks: 2,
    group: 16,
    along_k: 0,
    interleaved: 0,
    turned: 0,
  },

  graph: ({ args }) => simtGraph(args),
  space: (space, _, { args }) => {
    const { turnsA, turnsB } = alongReduction(args);
    return {
      ...simtKnobs(space, args),
      interleaved: space.choice("interleaved", [0, 1], { absent: 0 }),
      turned: space.choice("turned", turnsA || turnsB ? [0, 1] : [0], { absent: 0 }),
    };
  },
  outline: (knobs, context) => simtOutline(knobs, context),
  schedule: (sch, knobs, { args, target }) => scheduleSimt(sch, knobs, args, target),
});
