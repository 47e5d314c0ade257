/**
 * Matrix product in float32 without tensor cores: C (M, N) = A B, any M, N and K. The letters of `layout` are those of BLAS, T
 * for transposed in memory: NN A(M,K) B(K,N); NT B(N,K); TN A(K,M); TT both.
 *
 * simt-tile.ts describes the block. Chunks of the reduction go through `stages` arrays of shared memory; asynchronous copies fill
 * the next arrays while products read this one. An operand whose rows run along K is transposed as it is copied, element by
 * element, or by a kernel before. With `along_k` A is not transposed, and lanes read four steps of the reduction at once. Blocks
 * are numbered in groups of `group` rows of blocks, so that those that run together share rows and columns.
 */
import { parseTarget } from "@warpfarm/common";
import {
  type Bound,
  type Buffer,
  graphOf,
  indexMap,
  matmul,
  placeholder,
  type Schedule,
  type SpaceBuilder,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import { outlineOf } from "../outline.ts";
import { listed } from "../starts.ts";
import { type ArgValues, whole, word } from "../template-args.ts";
import { blockOf, copyTogether, copyTransposed, cutIntoTiles, tileKnobs, vector } from "./simt-tile.ts";

const turnedMap = indexMap(["r", "k"], (r, k) => [k, r]);
const layouts = ["NN", "NT", "TN", "TT"] as const;

const simtArgs = { M: whole(4096), N: whole(4096), K: whole(4096), layout: word("NN", [...layouts]) };
type Args = ArgValues<typeof simtArgs>;

const alongReduction = ({ layout }: Args) => ({ turnsA: layout[0] === "N", turnsB: layout[1] === "T" });

type Stage = ReturnType<Schedule["cacheRead"]>;

function simtGraph({ M, N, K, layout }: Args) {
  const A = placeholder("A", layout[0] === "T" ? [K, M] : [M, K]);
  const B = placeholder("B", layout[1] === "T" ? [N, K] : [K, N]);
  // The operator names B's letter first.
  const letters = `${layout[1]}${layout[0]}` as typeof layout;
  return graphOf([A, B], [matmul(A, B, { layout: letters, name: "C", outDtype: "float32" })]);
}

const starts = listed(
  ["thread_rows", "thread_cols", "row_warps", "col_warps", "lane_rows", "chunk", "stages", "min_blocks", "group", "along_k"],
  [
    [8, 8, 4, 2, 2, 32, 2, 2, 16, 0],
    [16, 4, 2, 1, 2, 32, 4, 2, 1, 1],
    [4, 4, 8, 1, 2, 32, 3, 3, 8, 0],
    [8, 8, 4, 2, 4, 32, 2, 0, 16, 0],
    [16, 16, 1, 4, 8, 8, 3, 2, 16, 0],
  ],
);

function spaceOf(space: SpaceBuilder, args: Args) {
  const { turnsA, turnsB } = alongReduction(args);
  return {
    ...tileKnobs(space),
    group: space.choice("group", [1, 4, 8, 16]),
    alongK: space.choice("along_k", turnsA ? [0, 1] : [0]),
    interleaved: space.choice("interleaved", [0, 1], { absent: 0 }),
    turned: space.choice("turned", turnsA || turnsB ? [0, 1] : [0], { absent: 0 }),
  };
}
type Knobs = Bound<ReturnType<typeof spaceOf>>;

export const matmulSimt = defineTemplate({
  name: "matmul_simt",
  summary: "matrix product float32 on CUDA cores, any shape",
  targets: [{ kind: "cuda" }],
  args: simtArgs,
  // The best that a search found for 4096, NN: blocks of 64x256 by 32, eight warps, two arrays, groups of 16.
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
  },

  starts: () => starts,
  graph: ({ args }) => simtGraph(args),
  space: (space, _, { args }) => spaceOf(space, args),
  outline: ({ chunk, interleaved: _, ...tile }, { args }) => outlineOf(args, { ...blockOf(tile), step: chunk }),
  schedule: (sch, knobs, { args, target }) => scheduleSimt(sch, knobs, args, target),
});

function scheduleSimt(sch: Schedule, knobs: Knobs, args: Args, target: string): void {
  const { chunk, stages, minBlocks, group, alongK, interleaved, turned, ...tile } = knobs;
  const { N } = args;
  const { turnsA, turnsB } = alongReduction(args);
  const C = sch.stage("C");
  const [A, B] = exactly(2, sch.graph.inputs);
  const AS = sch.cacheRead(A, "shared", [C]);
  const BS = sch.cacheRead(B, "shared", [C]);
  const isTurned = { A: turnsA && alongK === 0 && turned === 1, B: turnsB && turned === 1 };
  if (isTurned.A) turn(sch, A, AS);
  if (isTurned.B) turn(sch, B, BS);
  const AL = sch.cacheRead(AS, "local", [C]);
  const BL = sch.cacheRead(BS, "local", [C]);
  const acc = sch.cacheWrite(C, "local");
  if (minBlocks > 0) sch.minBlocks(C, minBlocks);

  const shape = { ...tile, alternates: alongK === 1, interleaved: interleaved === 1 };
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
  for (const [operand, copy, own, runsAlongK, isThere] of [
    [A, AS, AL, turnsA, isTurned.A],
    [B, BS, BL, turnsB, isTurned.B],
  ] as const) {
    const stays = operand === A && alongK === 1;
    sch.computeAt(copy, acc, ko);
    sch.pipeline(copy, stages);
    if (runsAlongK && !stays) sch.transformLayout(copy, turnedMap);
    if (runsAlongK && !stays && !isThere) copyTransposed(sch, copy, warps);
    else copyTogether(sch, copy, warps, operand.shape[isThere ? 0 : 1] ?? 1);
    // Lanes above each other read rows that are 4 more than a multiple of 8 apart: different banks.
    if (stays) sch.storageAlign(copy, 0, 8, 4);
    sch.computeAt(own, acc, stays ? ks : ki);
    const [first, second] = exactly(2, sch.axes(own));
    sch.vectorize(runsAlongK && !stays ? first : second);
  }
  if ((isTurned.A || isTurned.B) && parseTarget(target).level >= 90) sch.dependent(C);
}

/** The side of a square that a block of the transposing kernel turns, and its rows of threads. */
const square = 32;
const squareRows = 8;

/** An operand that `copy` reads is transposed by a kernel of its own, in squares that go through shared memory. */
function turn(sch: Schedule, operand: Buffer, copy: Stage): void {
  const all = sch.cacheRead(operand, "global", [copy]);
  const staged = sch.cacheRead(operand, "shared", [all]);
  sch.transformLayout(all, turnedMap);
  const [k, r] = exactly(2, sch.axes(all));
  const [ko, kt, ky] = exactly(3, sch.split(k, [null, square / squareRows, squareRows]));
  const [ro, rx] = exactly(2, sch.split(r, [null, square]));
  sch.reorder([ro, ko, ky, rx, kt]);
  const block = sch.fuse([ro, ko]);
  sch.bind(block, "blockIdx.x");
  sch.bind(ky, "threadIdx.y");
  sch.bind(rx, "threadIdx.x");
  sch.unroll(kt);
  sch.computeAt(staged, all, block);
  const [, sy, sx] = exactly(3, sch.split(sch.fuse(sch.axes(staged)), [null, squareRows, square]));
  sch.bind(sy, "threadIdx.y");
  sch.bind(sx, "threadIdx.x");
  // Rows that are one more than a multiple of 32: a column lies in 32 banks.
  sch.storageAlign(staged, 0, square, 1);
}
