/**
 * Matrix product on tensor cores by mma.sync: C (M, N) = A B, operands float16 or bfloat16, summed in float32, result of the
 * operands' type, any M, N and K: each config pads the operands to its own blocks. The letters of `layout` are those of BLAS, T
 * for transposed in memory: NN A(M,K) B(K,N); NT B(N,K); TN A(K,M); TT both.
 *
 * A block computes row_warps x warp_rows tiles of 16 rows by col_warps x warp_cols tiles of 16 columns. Chunks of the reduction
 * go through `stages` arrays of shared memory; asynchronous copies fill the next arrays while products read this one. Arrays are
 * swizzled, so that ldmatrix finds its rows in different banks. Layouts of fragments are known, so each lane writes its own sums.
 * Blocks are numbered in groups of `group` rows of blocks, so that those that run together share rows and columns.
 * Source: the techniques of CUTLASS's sm_80 kernels (multistage, ldmatrix, threadblock swizzle).
 */
import type { Graph } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { outlineOf } from "../outline.ts";
import { listed } from "../starts.ts";
import { wholeMultiple } from "./padded.ts";
import {
  blockOf,
  copiedAtOnce,
  copyByLanes,
  type Product,
  paddedTo,
  productArgs,
  productGraph,
  productOperands,
  type Share,
  scheduleProduct,
  warpKnobs,
} from "./product-of-tiles.ts";

const starts = listed(
  ["row_warps", "col_warps", "warp_rows", "warp_cols", "chunk", "stages", "swizzle", "group"],
  [
    [2, 2, 4, 4, 4, 3, 1, 8],
    [1, 2, 1, 4, 1, 4, 1, 1],
    [1, 1, 1, 4, 2, 5, 1, 1],
    [2, 2, 4, 1, 4, 2, 1, 2],
    [1, 2, 4, 4, 2, 5, 1, 8],
    [2, 1, 2, 4, 1, 2, 1, 1],
    [1, 2, 1, 1, 4, 4, 1, 16],
    [1, 1, 1, 4, 1, 5, 0, 1],
  ],
);

export const matmulMma = defineTemplate({
  name: "matmul_mma",
  // Before, blocks and groups had to divide the extents, padded once for all configs.
  version: "2",
  summary: "matrix product float16 or bfloat16 on tensor cores (mma.sync, ldmatrix, cp.async), blocks of any size for any shape",
  targets: [{ kind: "cuda", from: 80 }],
  args: productArgs,
  // Chosen here: blocks of 128x128 by 64, four warps of 64x64, three arrays, swizzled, groups of 8; two blocks fit an SM.
  published: { row_warps: 2, col_warps: 2, warp_rows: 4, warp_cols: 4, chunk: 4, stages: 3, swizzle: 1, group: 8 },

  starts: () => starts,
  graph: ({ args }) => productGraph(args),
  space: (space) => ({
    ...warpKnobs(space),
    swizzle: space.choice("swizzle", [0, 1]),
    group: space.choice("group", [1, 2, 4, 8, 16]),
  }),
  scheduled: (knobs, { args }) => paddedToBlocks(knobs, args),

  outline: (knobs, { args }) => outlineOf(args, blockOf(knobs)),

  schedule: (sch, { stages, swizzle, ...given }, { args }) => {
    const share = { ...given, group: groupOf(given, args) };
    scheduleProduct(
      sch,
      share,
      productOperands(sch, args),
      (tiles) => sch.bind(tiles, "blockIdx.x"),
      (copies) => copyByLanes(sch, copies, { share, stages, swizzle, copied: copiedAtOnce(args) }),
    );
  },
});

function paddedToBlocks(share: Share, args: Product): Graph {
  const { rows, columns, step } = blockOf(share);
  return paddedTo(args, {
    M: wholeMultiple(args.M, rows * groupOf(share, args)),
    N: wholeMultiple(args.N, columns),
    K: wholeMultiple(args.K, step),
  });
}

const groups = [16, 8, 4, 2, 1] as const;

/** Rows of blocks in a group: at most `group`, and so few that the last group, made whole, adds at most 1/20 of the rows. */
function groupOf(share: Share, { M }: Product): number {
  const blocks = Math.ceil(M / blockOf(share).rows);
  return groups.find((group) => group <= share.group && wholeMultiple(blocks, group).padded <= blocks * 1.05) ?? 1;
}
