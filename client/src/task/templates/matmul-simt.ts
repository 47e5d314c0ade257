/**
 * Matrix product in float32 without tensor cores: C (M, N) = A B, any M, N and K. The letters of `layout` are A's and B's, T for
 * transposed in memory, as BLAS has them: NN A(M,K) B(K,N); NT B(N,K); TN A(K,M); TT both.
 *
 * Blocks as simt-tile.ts has them. Chunks of the reduction go through `stages` arrays, copied by the machine while earlier ones
 * are multiplied; an operand whose rows run along K is transposed on its way, element by element; with `along_k` A is not, and
 * lanes read four steps of the reduction at once. Blocks that run together share rows and columns: they are numbered in groups of
 * `group` rows of blocks.
 */
import { graphOf, indexMap, matmul, placeholder } from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { whole, word } from "../template-args.ts";
import { copyTogether, copyTransposed, cutIntoTiles, tileKnobs, vector } from "./simt-tile.ts";

/** Of an operand whose rows run along the reduction. */
const turned = indexMap(["r", "k"], (r, k) => [k, r]);
const layouts = ["NN", "NT", "TN", "TT"] as const;

export const matmulSimt = defineTemplate({
  name: "matmul_simt",
  aliases: [],
  summary: "matrix product float32 on CUDA cores, any shape",
  targets: [{ kind: "cuda" }],
  args: { M: whole(4096), N: whole(4096), K: whole(4096), layout: word("NN", [...layouts]) },
  // Published by no one: blocks of 32x256 by 16, four warps, two arrays, groups of 8.
  published: 26617,

  graph: ({ args: { M, N, K, layout } }) => {
    const A = placeholder("A", layout[0] === "T" ? [K, M] : [M, K]);
    const B = placeholder("B", layout[1] === "T" ? [N, K] : [K, N]);
    // The operator names B's letter first.
    const letters = `${layout[1]}${layout[0]}` as typeof layout;
    return graphOf([A, B], [matmul(A, B, { layout: letters, name: "C", outDtype: "float32" })]);
  },

  space: (space, _, { args: { layout } }) => ({
    ...tileKnobs(space),
    group: space.choice("group", [1, 4, 8, 16]),
    alongK: space.choice("along_k", layout[0] === "N" ? [0, 1] : [0]),
  }),

  schedule: (sch, { chunk, stages, minBlocks, group, alongK, ...tile }, { args: { N, layout } }) => {
    const C = sch.stage("C");
    const [A, B] = exactly(2, sch.graph.inputs);
    const AS = sch.cacheRead(A, "shared", [C]);
    const BS = sch.cacheRead(B, "shared", [C]);
    const AL = sch.cacheRead(AS, "local", [C]);
    const BL = sch.cacheRead(BS, "local", [C]);
    const acc = sch.cacheWrite(C, "local");
    if (minBlocks > 0) sch.minBlocks(C, minBlocks);

    const shape = { ...tile, alternates: alongK === 1 };
    const { rowBlock, colBlock, lane, inRow } = cutIntoTiles(sch, ...exactly(2, sch.axes(C)), shape);
    const [groups, inGroup] = exactly(2, sch.split(rowBlock, [null, group]));
    sch.reorder([groups, colBlock, inGroup]);
    sch.bind(sch.fuse([groups, colBlock, inGroup]), "blockIdx.x");
    if (N % vector === 0) sch.vectorize(inRow);

    sch.computeAt(acc, C, lane);
    const [i, j] = exactly(2, sch.axes(acc));
    const [ko, ks, ki] = exactly(3, sch.split(exactly(1, sch.reduceAxes(acc))[0], [null, chunk / vector, vector]));
    sch.reorder([ko, ks, ki, i, j]);
    sch.unroll(ks);
    sch.unroll(ki);
    const warps = tile.rowWarps * tile.colWarps;
    for (const [operand, copy, own, runsAlongK] of [
      [A, AS, AL, layout[0] === "N"],
      [B, BS, BL, layout[1] === "T"],
    ] as const) {
      const stays = operand === A && alongK === 1;
      sch.computeAt(copy, acc, ko);
      sch.pipeline(copy, stages);
      if (runsAlongK && !stays) {
        sch.transformLayout(copy, turned);
        copyTransposed(sch, copy, warps);
      } else copyTogether(sch, copy, warps, operand.shape[1] ?? 1);
      // Lanes above each other read rows that are 4 more than a multiple of 8 apart: different banks.
      if (stays) sch.storageAlign(copy, 0, 8, 4);
      sch.computeAt(own, acc, stays ? ks : ki);
      const [first, second] = exactly(2, sch.axes(own));
      sch.vectorize(runsAlongK && !stays ? first : second);
    }
  },
});
