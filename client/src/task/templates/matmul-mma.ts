/**
 * Matrix product on tensor cores by mma.sync: C (M, N) = A B, operands float16 or bfloat16, summed in float32, result of the
 * operands' type. The letters of `layout` are A's and B's, T for transposed in memory, as BLAS has them: NN A(M,K) B(K,N); NT
 * B(N,K); TN A(K,M); TT both.
 *
 * A block computes row_warps x warp_rows tiles of 16 rows by col_warps x warp_cols tiles of 16 columns. Chunks of the reduction
 * go through `stages` arrays of shared memory, copied by themselves while earlier ones are multiplied, swizzled so that ldmatrix
 * finds its rows in different banks; fragments' layouts are known, so each lane writes what it has summed up itself. Blocks that
 * run together share rows and columns: they are numbered in groups of `group` rows of blocks.
 * Source: the techniques of CUTLASS's sm_80 kernels (multistage, ldmatrix, threadblock swizzle).
 */
import {
  at,
  cast,
  compute,
  type Expr,
  floorDiv,
  floorMod,
  graphOf,
  indexMap,
  matmul,
  mmaSync,
  placeholder,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { whole, word } from "../template-args.ts";

const tile = 16;
const warpSize = 32;
/** Elements of 16 bytes. */
const vector = 8;

const outer = (axis: Expr): Expr => floorDiv(axis, tile);
const inner = (axis: Expr): Expr => floorMod(axis, tile);
const tiles = indexMap(["i", "j"], (i, j) => [outer(i), outer(j), inner(i), inner(j)]);
/** Of an operand that lies transposed. */
const turnedTiles = indexMap(["i", "j"], (i, j) => [outer(j), outer(i), inner(j), inner(i)]);

export const matmulMma = defineTemplate({
  name: "matmul_mma",
  aliases: [],
  summary: "matrix product float16 or bfloat16 on tensor cores (mma.sync, ldmatrix, cp.async)",
  targets: [{ kind: "cuda", from: 80 }],
  args: {
    M: whole(4096),
    N: whole(4096),
    K: whole(4096),
    dtype: word("float16", ["float16", "bfloat16"]),
    layout: word("NN", ["NN", "NT", "TN", "TT"]),
  },
  check: (args) => {
    const odd = (["M", "N", "K"] as const).find((name) => args[name] % tile !== 0);
    return odd && `${odd} is ${args[odd]}; tiles need a multiple of ${tile}`;
  },

  // Published by no one: blocks of 128x128 by 64, four warps of 64x64, three arrays, swizzled, groups of 8; two blocks fit an SM.
  published: 12280,

  graph: ({ args: { M, N, K, dtype, layout } }) => {
    const A = placeholder("A", layout[0] === "T" ? [K, M] : [M, K], dtype);
    const B = placeholder("B", layout[1] === "T" ? [N, K] : [K, N], dtype);
    // The operator names B's letter first.
    const letters = `${layout[1]}${layout[0]}` as typeof layout;
    const sums = matmul(A, B, { layout: letters, name: "sums", outDtype: "float32" });
    const axes = [
      ["i", M],
      ["j", N],
    ] as const;
    return graphOf([A, B], [compute("C", axes, (i, j) => cast(dtype, at(sums, i, j)))]);
  },

  space: (space) => ({
    rowWarps: space.choice("row_warps", [1, 2, 4]),
    colWarps: space.choice("col_warps", [1, 2, 4]),
    warpRows: space.choice("warp_rows", [1, 2, 4]),
    warpCols: space.choice("warp_cols", [1, 2, 4, 8]),
    chunk: space.choice("chunk", [1, 2, 4]),
    stages: space.choice("stages", [1, 2, 3, 4, 5]),
    swizzle: space.choice("swizzle", [0, 1]),
    group: space.choice("group", [1, 2, 4, 8, 16]),
  }),

  schedule: (sch, { rowWarps, colWarps, warpRows, warpCols, chunk, stages, swizzle, group }, { args: { dtype, layout } }) => {
    const { loadA, loadB, mma } = mmaSync(dtype);
    const [A, B] = exactly(2, sch.graph.inputs);
    const C = sch.stage("C");
    const sums = sch.stage("sums");

    const AS = sch.cacheRead(A, "shared", [sums]);
    const BS = sch.cacheRead(B, "shared", [sums]);
    const AF = sch.cacheRead(AS, "wmma.matrix_a", [sums]);
    const BF = sch.cacheRead(BS, "wmma.matrix_b", [sums]);
    sch.setScope(sums, "wmma.accumulator");
    sch.transformLayout(AF, layout[0] === "T" ? turnedTiles : tiles);
    sch.transformLayout(BF, layout[1] === "T" ? turnedTiles : tiles);
    sch.transformLayout(sums, tiles);

    // A lane has two neighbours in each 8x8 part of a tile: rows of four lanes.
    const [i, j] = exactly(2, sch.axes(C));
    const [io, iw, it, ih, il] = exactly(5, sch.split(i, [null, rowWarps, warpRows, 2, 8]));
    const [jo, jw, jt, jh, jl, jv] = exactly(6, sch.split(j, [null, colWarps, warpCols, 2, 4, 2]));
    const [ig, ib] = exactly(2, sch.split(io, [null, group]));
    sch.reorder([ig, jo, ib, iw, jw, il, jl, it, ih, jt, jh, jv]);
    sch.bind(sch.fuse([ig, jo, ib]), "blockIdx.x");
    sch.bind(iw, "threadIdx.y");
    sch.bind(jw, "threadIdx.z");
    sch.bind(sch.fuse([il, jl]), "threadIdx.x");
    sch.vectorize(jv);

    sch.computeAt(sums, C, jw);
    const [si, sj, ii, jj] = exactly(4, sch.axes(sums));
    const [k] = exactly(1, sch.reduceAxes(sums));
    const [ko, ki, kk] = exactly(3, sch.split(k, [null, chunk, tile]));
    sch.reorder([ko, ki, si, sj, ii, jj, kk]);
    sch.unroll(ki);
    for (const fragment of [AF, BF]) {
      sch.computeAt(fragment, sums, ki);
      // The next tiles' loads stand before the products of these.
      if (chunk > 1) sch.doubleBuffer(fragment);
    }

    for (const copy of [AS, BS]) {
      sch.computeAt(copy, sums, ko);
      if (swizzle === 1) sch.swizzle(copy);
      if (stages > 1) sch.pipeline(copy, stages);
      const factors = [null, rowWarps, colWarps, warpSize, vector];
      const [turn, ty, tz, tx, element] = exactly(5, sch.split(sch.fuse(sch.axes(copy)), factors));
      sch.unroll(turn);
      sch.bind(ty, "threadIdx.y");
      sch.bind(tz, "threadIdx.z");
      sch.bind(tx, "threadIdx.x");
      sch.vectorize(element);
    }

    sch.tensorize(exactly(4, sch.axes(AF))[2], loadA[layout[0] === "T" ? "col" : "row"]);
    sch.tensorize(exactly(4, sch.axes(BF))[2], loadB[layout[1] === "T" ? "col" : "row"]);
    sch.tensorize(ii, mma);
  },
});
