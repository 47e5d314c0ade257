/**
 * matmul_mma whose operands the copy engine of sm_90 (TMA) brings. One thread starts the copies of boxes of both operands into a
 * ring of `stages` slots. Warps wait for the bytes and not for each other. Boxes are at most 64 elements wide, the widest rows
 * that the engine swizzles, so an operand that does not lie along the reduction comes in panels of 64. With `blocks`, a block
 * computes one tile after the other.
 */
import { floorDiv, floorMod, indexMap } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { oddSize, productArgs, productGraph, productOperands, scheduleProduct, tile } from "./product-of-tiles.ts";

const panel = 64;
const mostBox = 256;
const panels = indexMap(["i", "j"], (i, j) => [floorDiv(j, panel), i, floorMod(j, panel)]);

export const matmulTmaMma = defineTemplate({
  name: "matmul_tma_mma",
  aliases: [],
  summary: "matrix product float16 or bfloat16 on tensor cores (mma.sync, ldmatrix), fed by the copy engine (TMA)",
  targets: [{ kind: "cuda", from: 90 }],
  args: productArgs,
  check: oddSize,

  // Chosen here: blocks of 128x256 by 64, eight warps of 64x64, four slots, groups of 8.
  published: { row_warps: 2, col_warps: 4, warp_rows: 4, warp_cols: 4, chunk: 4, stages: 4, group: 8, blocks: 0 },

  graph: ({ args }) => productGraph(args),

  space: (space) => ({
    rowWarps: space.choice("row_warps", [1, 2, 4]),
    colWarps: space.choice("col_warps", [1, 2, 4]),
    warpRows: space.choice("warp_rows", [2, 4]),
    warpCols: space.choice("warp_cols", [2, 4, 8]),
    chunk: space.choice("chunk", [2, 4]),
    stages: space.choice("stages", [2, 3, 4, 5, 6]),
    group: space.choice("group", [1, 2, 4, 8, 16]),
    /** Blocks of the grid; 0: as many as there are tiles. */
    blocks: space.choice("blocks", [0, 128]),
  }),

  schedule: (sch, { stages, blocks, ...share }, { args }) => {
    const { layout } = args;
    const sides = [share.rowWarps * share.warpRows * tile, share.colWarps * share.warpCols * tile] as const;
    scheduleProduct(
      sch,
      share,
      productOperands(sch, args),
      (tiles) => {
        if (blocks === 0) sch.bind(tiles, "blockIdx.x");
        else {
          const [wave, block] = exactly(2, sch.split(tiles, [null, blocks]));
          sch.reorder([block, wave]);
          sch.bind(block, "blockIdx.x");
        }
      },
      (copies) => {
        for (const { copy, operand, at, sums } of copies) {
          // Whether the operand lies along the reduction.
          const isAlong = layout[operand] === (operand === 0 ? "N" : "T");
          if (!isAlong && sides[operand] > panel) sch.transformLayout(copy, panels);
          sch.computeAt(copy, sums, at);
          sch.swizzle(copy);
          sch.pipeline(copy, stages);
          sch.copyBy(copy, "tma");
          if (isAlong && sides[operand] > mostBox) sch.split(exactly(2, sch.axes(copy))[0], [null, mostBox]);
        }
      },
    );
  },
});
