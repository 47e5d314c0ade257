/**
 * matmul_mma, where neither blocks nor groups of blocks need divide the extents: each config pads the operands to its own blocks,
 * so every config is one for every shape. Knobs, entries and indices are those of matmul_mma. Where blocks and groups divide M, N
 * and K, the program is the same.
 */

import type { Graph } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { blockOf, type MmaKnobs, mmaTemplate } from "./matmul-mma.ts";
import { wholeMultiple } from "./padded.ts";
import { type Product, paddedTo, productGraph } from "./product-of-tiles.ts";

export const matmulMma2 = defineTemplate({
  ...mmaTemplate,
  name: "matmul_mma_2",
  summary: "matrix product float16 or bfloat16 on tensor cores (mma.sync, ldmatrix, cp.async), blocks of any size for any shape",
  graph: ({ args }) => productGraph(args),
  scheduled: (knobs, { args }) => paddedToBlocks(knobs, args),
  schedule: (sch, knobs, context) => mmaTemplate.schedule(sch, { ...knobs, group: groupOf(knobs, context.args) }, context),
});

function paddedToBlocks(knobs: MmaKnobs, args: Product): Graph {
  const { rows, columns, step } = blockOf(knobs);
  return paddedTo(args, {
    M: wholeMultiple(args.M, rows * groupOf(knobs, args)),
    N: wholeMultiple(args.N, columns),
    K: wholeMultiple(args.K, step),
  });
}

const groups = [16, 8, 4, 2, 1] as const;

/** Rows of blocks in a group: at most `group`, and so few that the last group, made whole, adds at most 1/20 of the rows. */
function groupOf(knobs: MmaKnobs, { M }: Product) {
  const blocks = Math.ceil(M / blockOf(knobs).rows);
  return groups.find((group) => group <= knobs.group && wholeMultiple(blocks, group).padded <= blocks * 1.05) ?? 1;
}
