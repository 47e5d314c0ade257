/**
 * Matrix product whose schedule names tensor cores by a pragma alone: the template `tutorial/auto_tensorcore/test_gemm` of TVM's
 * tutorial "How to optimize matmul with Auto TensorCore CodeGen", step by step (docs/reference/source-programs.md 4), one call
 * per step.
 *
 * C (N, M) is cut into tiles of by·TY rows and bx·TX columns. A chunk of step_k·warp_tile_k of the reduction goes through shared
 * memory, then through registers, warp_tile_k at a time. Where the threads of a warp together hold a tile of the hardware's
 * shape, the pragma turns registers into fragments and sums into matrix instructions. Elsewhere the product stays on CUDA cores,
 * and a note of the artifact says why.
 */
import { graphOf, matmul, placeholder } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { whole, word } from "../template-args.ts";

const dtypes = ["float16", "int8", "int4", "int1"] as const;
const layouts = ["NN", "NT", "TN", "TT"] as const;

/** Columns and rows of a thread, the warp's tile, and how rows of shared memory are padded, by type. */
const shapes = {
  float16: { TX: 8, TY: 1, warpTileM: 16, warpTileK: 16, align: [16, 8] },
  int8: { TX: 8, TY: 1, warpTileM: 16, warpTileK: 16, align: [32, 16] },
  int4: { TX: 2, TY: 1, warpTileM: 8, warpTileK: 32, align: [64, 32] },
  int1: { TX: 2, TY: 1, warpTileM: 8, warpTileK: 128, align: [256, 128] },
} as const;

export const autoTensorcore = defineTemplate({
  name: "tutorial/auto_tensorcore/test_gemm",
  aliases: ["test_gemm"],
  summary: "matrix product on CUDA, tensor cores by a pragma, as TVM's tutorial schedules it",
  targets: [{ kind: "cuda", from: 75 }],
  args: { N: whole(32), L: whole(512), M: whole(512), dtype: word("float16", dtypes), layout: word("NN", layouts) },
  check: ({ dtype, layout }) =>
    (dtype === "int4" || dtype === "int1") && layout !== "TN" ? `layout is ${layout}; ${dtype} takes TN` : undefined,
  published: { bx: 4, by: 32, step_k: 16, v: 8 },

  graph: ({ args: { N, L, M, dtype, layout } }) => {
    // The second letter tells whether A is transposed, the first whether B is.
    const A = placeholder("A", layout[1] === "T" ? [L, N] : [N, L], dtype);
    const B = placeholder("B", layout[0] === "T" ? [M, L] : [L, M], dtype);
    return graphOf([A, B], [matmul(A, B, { layout, outDtype: dtype === "float16" ? "float32" : "int32" })]);
  },

  space: (space) => ({
    bx: space.choice("bx", [2, 4, 8]),
    by: space.choice("by", [8, 16, 32, 64]),
    stepK: space.choice("step_k", [1, 2, 4, 8, 16, 32]),
    v: space.choice("v", [4, 8, 16, 32]),
  }),

  schedule: (sch, { bx, by, stepK, v }, { args: { dtype, layout } }) => {
    const { TX, TY, warpTileM, warpTileK, align } = shapes[dtype];
    const [factor, offset] = align;
    const [tileX, tileY] = [bx * TX, by * TY];
    const WX = Math.min(warpTileM, tileX);
    const C = sch.stage("C");
    const [y, x] = exactly(2, sch.axes(C));
    const [k] = exactly(1, sch.reduceAxes(C));
    const [A, B] = exactly(2, sch.graph.inputs);

    const AA = sch.cacheRead(A, "shared", [C]);
    if (layout[1] === "N") sch.storageAlign(AA, 0, factor, offset);
    const AL = sch.cacheRead(AA, "local", [C]);
    const BB = sch.cacheRead(B, "shared", [C]);
    if (layout[1] === "T") sch.storageAlign(BB, 0, factor, offset);
    const BL = sch.cacheRead(BB, "local", [C]);
    const CL = sch.cacheWrite(C, "local");

    const [yo, yTile] = exactly(2, sch.split(y, [null, tileY]));
    const [ty, yi] = exactly(2, sch.split(yTile, [null, TY]));
    const [xo, xTile] = exactly(2, sch.split(x, [null, tileX]));
    const [tz, xWarp] = exactly(2, sch.split(xTile, [null, WX]));
    const [tx, xi] = exactly(2, sch.split(xWarp, [null, TX]));
    sch.reorder([yo, xo, tz, ty, tx, yi, xi]);
    sch.bind(yo, "blockIdx.y");
    sch.bind(xo, "blockIdx.x");
    sch.bind(ty, "threadIdx.y");
    sch.bind(tz, "threadIdx.z");
    sch.bind(tx, "threadIdx.x");

    const [ko, kChunk] = exactly(2, sch.split(k, [null, stepK * warpTileK]));
    const [kl, ki] = exactly(2, sch.split(kChunk, [null, warpTileK]));
    sch.computeAt(CL, C, tx);
    const [i, j] = exactly(2, sch.axes(CL));
    sch.reorder([ko, kl, ki, i, j]);

    for (const load of [AA, BB]) {
      sch.computeAt(load, CL, ko);
      const [rows, columns] = exactly(2, sch.axes(load));
      const [co, ci] = exactly(2, sch.split(columns, [null, bx * v]));
      const [tzCopy, run] = exactly(2, sch.split(ci, [null, (WX / TX) * v]));
      const [txCopy, lane] = exactly(2, sch.split(run, [null, v]));
      const [, tyCopy] = exactly(2, sch.split(sch.fuse([rows, co]), [null, by]));
      sch.bind(tyCopy, "threadIdx.y");
      sch.bind(tzCopy, "threadIdx.z");
      sch.bind(txCopy, "threadIdx.x");
      sch.vectorize(lane);
    }

    sch.computeAt(AL, CL, kl);
    sch.computeAt(BL, CL, kl);
    sch.pragma(ko, "tensor_core", 1);
  },
});
