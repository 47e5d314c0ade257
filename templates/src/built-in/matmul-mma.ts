/**
 * Matrix product on tensor cores by mma.sync: C (M, N) = A B, operands float16 or bfloat16, summed in float32, result of the
 * operands' type, any M, N and K. The letters of `layout` are those of BLAS, T for transposed in memory: NN A(M,K) B(K,N); NT
 * B(N,K); TN A(K,M); TT both.
 *
 * A block computes row_warps x warp_rows tiles of 16 rows by col_warps x warp_cols tiles of 16 columns. Chunks of the reduction
 * go through `stages` arrays of shared memory; asynchronous copies fill the next arrays while products read this one. Arrays are
 * swizzled, so that ldmatrix finds its rows in different banks. Layouts of fragments are known, so each lane writes its own sums.
 * Blocks are numbered in groups of `group` rows of blocks, so that those that run together share rows and columns.
 * Source: the techniques of CUTLASS's sm_80 kernels (multistage, ldmatrix, threadblock swizzle).
 */
import type { TargetNeed } from "@warpfarm/common";
import type { Bound, Schedule, SpaceBuilder } from "@warpfarm/compiler/language";
import { type Context, defineTemplate } from "../define-template.ts";
import type { Outline } from "../outline.ts";
import {
  copiedAtOnce,
  copyByLanes,
  paddedProductGraph,
  productArgs,
  productGraph,
  productOperands,
  type Share,
  scheduleProduct,
  tile,
  warpSize,
} from "./product-of-tiles.ts";

const mmaKnobs = (space: SpaceBuilder) => ({
  rowWarps: space.choice("row_warps", [1, 2, 4]),
  colWarps: space.choice("col_warps", [1, 2, 4]),
  warpRows: space.choice("warp_rows", [1, 2, 4]),
  warpCols: space.choice("warp_cols", [1, 2, 4, 8]),
  chunk: space.choice("chunk", [1, 2, 4]),
  stages: space.choice("stages", [1, 2, 3, 4, 5]),
  swizzle: space.choice("swizzle", [0, 1]),
  group: space.choice("group", [1, 2, 4, 8, 16]),
});
export type MmaKnobs = Bound<ReturnType<typeof mmaKnobs>>;
type MmaContext = Context<typeof productArgs>;

/** Elements of a block: rows and columns of C, and of the reduction at a time. */
export const blockOf = ({ rowWarps, colWarps, warpRows, warpCols, chunk }: Omit<Share, "group">) => ({
  rows: tile * rowWarps * warpRows,
  columns: tile * colWarps * warpCols,
  step: tile * chunk,
});

/** Of both editions. */
export const mmaTemplate = {
  aliases: [],
  targets: [{ kind: "cuda", from: 80 }] satisfies readonly TargetNeed[],
  args: productArgs,

  // Published by no one: blocks of 128x128 by 64, four warps of 64x64, three arrays, swizzled, groups of 8; two blocks fit an SM.
  published: { row_warps: 2, col_warps: 2, warp_rows: 4, warp_cols: 4, chunk: 4, stages: 3, swizzle: 1, group: 8 },

  space: mmaKnobs,

  outline: (knobs: MmaKnobs, { args }: MmaContext): Outline => {
    const { rows, columns, step } = blockOf(knobs);
    return {
      extents: [args.M, args.N, args.K],
      block: [rows, columns, step],
      threads: warpSize * knobs.rowWarps * knobs.colWarps,
      splits: 1,
    };
  },

  schedule: (sch: Schedule, { stages, swizzle, ...share }: MmaKnobs, { args }: MmaContext): void => {
    scheduleProduct(
      sch,
      share,
      productOperands(sch, args),
      (tiles) => sch.bind(tiles, "blockIdx.x"),
      (copies) => copyByLanes(sch, copies, { share, stages, swizzle, copied: copiedAtOnce(args) }),
    );
  },
};

export const matmulMma = defineTemplate({
  ...mmaTemplate,
  name: "matmul_mma",
  summary: "matrix product float16 or bfloat16 on tensor cores (mma.sync, ldmatrix, cp.async); blocks divide its extents",
  graph: ({ args }) => paddedProductGraph(args),
  reference: ({ args }) => productGraph(args),
});
