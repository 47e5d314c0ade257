/**
 * What templates of matrix products by mma.sync have in common: the graph, and the schedule except for copies to shared memory. A
 * block computes row_warps x warp_rows tiles of 16 rows by col_warps x warp_cols tiles of 16 columns. Blocks are numbered in
 * groups of `group` rows of blocks, so that those that run together share rows and columns.
 */

import type { DType } from "@warpfarm/common";
import {
  all,
  at,
  type Buffer,
  batchMatmul,
  cast,
  compute,
  type Expr,
  fills,
  floorDiv,
  floorMod,
  type Graph,
  graphOf,
  greaterEqual,
  indexMap,
  type LoopRef,
  less,
  maximum,
  minimum,
  mmaSync,
  mul,
  placeholder,
  reduceAxis,
  type Schedule,
  type SpaceBuilder,
  type StageRef,
  select,
  sum,
} from "@warpfarm/compiler/language";
import { exactly } from "../exactly.ts";
import { whole, word } from "../template-args.ts";
import { halvesAtOnce, inlinedView, type PaddedAxis, paddedMatrix, paddedSide, paddedSum } from "./padded.ts";

export const tile = 16;
export const warpSize = 32;

const outer = (axis: Expr): Expr => floorDiv(axis, tile);
const inner = (axis: Expr): Expr => floorMod(axis, tile);
const tiles = indexMap(["i", "j"], (i, j) => [outer(i), outer(j), inner(i), inner(j)]);
const turnedTiles = indexMap(["i", "j"], (i, j) => [outer(j), outer(i), inner(j), inner(i)]);

export const tilesOf = (letter: string | undefined) => (letter === "T" ? turnedTiles : tiles);
export const tilesOfWarps = indexMap(["w", "i", "j"], (w, i, j) => [w, outer(i), outer(j), inner(i), inner(j)]);

/** What products are summed in, and what their result is: whole numbers stay exact, all else is rounded once, at the end. */
export const productTypes = {
  float32: { sums: "float32", out: "float32" },
  float16: { sums: "float32", out: "float16" },
  bfloat16: { sums: "float32", out: "bfloat16" },
  float64: { sums: "float64", out: "float64" },
  float8_e4m3fn: { sums: "float32", out: "bfloat16" },
  float8_e5m2: { sums: "float32", out: "bfloat16" },
  int8: { sums: "int32", out: "int32" },
  uint8: { sums: "int32", out: "int32" },
  int32: { sums: "int32", out: "int32" },
} as const satisfies Partial<Record<DType, { readonly sums: DType; readonly out: DType }>>;

type Half = "float16" | "bfloat16";
type Layout = "NN" | "NT" | "TN" | "TT";

export const productArgs = {
  M: whole(4096),
  N: whole(4096),
  K: whole(4096),
  dtype: word("float16", ["float16", "bfloat16"]),
  layout: word("NN", ["NN", "NT", "TN", "TT"]),
};
/** Products of one shape in one launch: A and the result have `count` matrices. */
export interface Batch {
  readonly count: number;
  /** How many matrices B has: as many, one for all, or `groups`, of which the input `group` names one for each of A. */
  readonly b: "own" | "shared" | { readonly groups: number };
}
export interface Product<Type extends keyof typeof productTypes = Half> {
  readonly batch?: Batch | undefined;
  readonly M: number;
  readonly N: number;
  readonly K: number;
  readonly dtype: Type;
  readonly layout: Layout;
}
type AnyProduct = Product<keyof typeof productTypes>;

function sidesOf<T>({ M, N, K }: { readonly M: T; readonly N: T; readonly K: T }, layout: Layout) {
  return {
    a: layout[0] === "T" ? ([K, M] as const) : ([M, K] as const),
    b: layout[1] === "T" ? ([N, K] as const) : ([K, N] as const),
  };
}

/** Elements that lanes copy at once of A and of B. */
export function copiedAtOnce(args: Product): readonly [number, number] {
  const { a, b } = sidesOf(args, args.layout);
  return [halvesAtOnce(a[1]), halvesAtOnce(b[1])];
}

type Operands = readonly [A: Buffer, B: Buffer, group?: Buffer];

function operandsOf(args: AnyProduct): Operands {
  const { a, b } = sidesOf(args, args.layout);
  const { dtype, batch } = args;
  if (batch === undefined) return [placeholder("A", [...a], dtype), placeholder("B", [...b], dtype)];
  const A = placeholder("A", [batch.count, ...a], dtype);
  if (typeof batch.b === "string") return [A, placeholder("B", batch.b === "own" ? [batch.count, ...b] : [...b], dtype)];
  const { groups } = batch.b;
  return [A, placeholder("B", [groups, ...b], dtype), placeholder("group", [batch.count], "int32", fills.below(groups))];
}

export function productGraph(args: AnyProduct): Graph {
  const [A, B] = operandsOf(args);
  return productWith(args, [A, B], [A, B]);
}

/** The same result, from operands padded with zeros where extents have no whole tiles. */
export const paddedProductGraph = (args: Product, K = paddedSum(args.K)): Graph =>
  paddedTo(args, { M: paddedSide(args.M), N: paddedSide(args.N), K });

export function paddedTo(args: AnyProduct, sides: Readonly<Record<"M" | "N" | "K", PaddedAxis>>): Graph {
  const operands = operandsOf(args);
  const { a, b } = sidesOf(sides, args.layout);
  return productWith(args, operands, [paddedMatrix(operands[0], ...a), paddedMatrix(operands[1], ...b)]);
}

/** The group of matrix `z`. Tiles beyond the last one read, too, though they store nothing; they have the last one's group. */
function groupAt(group: Buffer, z: Expr): Expr {
  const [count = 1] = group.shape;
  return at(group, minimum(z, count - 1));
}

/** Products of each A by the B of its group; where a number is none of the groups', by the first or the last B. */
function groupedSums([A, B]: readonly [Buffer, Buffer], group: Buffer, layout: Layout, type: DType): Buffer {
  const [groups = 1] = B.shape;
  const [count = 1, ...left] = A.shape;
  const [M = 1, K = 1] = layout[0] === "T" ? left.toReversed() : left;
  const N = B.shape.at(layout[1] === "T" ? 1 : 2) ?? 1;
  const k = reduceAxis("k", K);
  const axes = [
    ["z", count],
    ["i", M],
    ["j", N],
  ] as const;
  return compute("sums", axes, (z, i, j) => {
    const { a, b } = sidesOf<Expr>({ M: i, N: j, K: k.loopVar }, layout);
    const own = minimum(maximum(groupAt(group, z), 0), groups - 1);
    return sum(mul(cast(type, at(A, z, ...a)), cast(type, at(B, own, ...b))), [k]);
  });
}

/** `read`: the operands, or views of them. */
function productWith({ M, N, dtype, layout, batch }: AnyProduct, operands: Operands, read: readonly [Buffer, Buffer]): Graph {
  const [, B, group] = operands;
  const type = productTypes[dtype];
  const turned = { transposeA: layout[0] === "T", transposeB: layout[1] === "T" };
  const sums = group
    ? groupedSums(read, group, layout, type.sums)
    : batchMatmul(...read, { ...turned, name: "sums", outDtype: type.sums });
  const axes = [...(batch ? [["z", batch.count] as const] : []), ["i", M], ["j", N]] as const;
  const element = (index: readonly Expr[]): Expr => {
    if (!group) return at(sums, ...index);
    const own = groupAt(group, index[0] as Expr);
    return select(all(greaterEqual(own, 0), less(own, B.shape[0] ?? 1)), at(sums, ...index), 0);
  };
  const result = compute("C", axes, (...index) => cast(type.out, element(index)));
  return graphOf(
    operands.filter((each) => each !== undefined),
    [result],
  );
}

export interface Share {
  readonly rowWarps: number;
  readonly colWarps: number;
  readonly warpRows: number;
  readonly warpCols: number;
  readonly chunk: number;
  readonly group: number;
}

export const warpKnobs = (space: SpaceBuilder) => ({
  rowWarps: space.choice("row_warps", [1, 2, 4]),
  colWarps: space.choice("col_warps", [1, 2, 4]),
  warpRows: space.choice("warp_rows", [1, 2, 4]),
  warpCols: space.choice("warp_cols", [1, 2, 4, 8]),
  chunk: space.choice("chunk", [1, 2, 4]),
  stages: space.choice("stages", [1, 2, 3, 4, 5]),
});

/** Elements of a block: rows and columns of the result, and of the reduction at a time; and its threads. */
export const blockOf = ({ rowWarps, colWarps, warpRows, warpCols, chunk }: Omit<Share, "group">) => ({
  rows: tile * rowWarps * warpRows,
  columns: tile * colWarps * warpCols,
  step: tile * chunk,
  threads: warpSize * rowWarps * colWarps,
});

/** An operand's copy in shared memory, and the loop over chunks at which it is made. */
export interface Fetched {
  readonly copy: StageRef;
  readonly operand: 0 | 1;
  readonly at: LoopRef;
  readonly sums: StageRef;
}

/** The operands of a product by warps, and its result. */
export interface WarpOperands {
  readonly out: StageRef;
  readonly rows: LoopRef;
  readonly columns: LoopRef;
  readonly a: StageRef | Buffer;
  readonly b: StageRef | Buffer;
  readonly dtype: Half;
  readonly layout: Layout;
}

export function productOperands(sch: Schedule, { dtype, layout }: Product): WarpOperands {
  const [A, B] = exactly(2, sch.graph.inputs);
  const out = sch.stage("C");
  const [rows, columns] = exactly(2, sch.axes(out));
  return { out, rows, columns, a: inlinedView(sch, A), b: inlinedView(sch, B), dtype, layout };
}

export interface Lanes {
  readonly share: Share;
  readonly stages: number;
  readonly swizzle: number;
  readonly copied: readonly [number, number];
}

/** All lanes of the block copy, neighbours to neighbours. Chunks run ahead in `stages` arrays. */
export function copyByLanes(sch: Schedule, copies: readonly Fetched[], { share, stages, swizzle, copied }: Lanes): void {
  for (const { copy, operand, at, sums } of copies) {
    sch.computeAt(copy, sums, at);
    if (swizzle === 1) sch.swizzle(copy);
    if (stages > 1) sch.pipeline(copy, stages);
    const factors = [null, share.rowWarps, share.colWarps, warpSize, copied[operand]];
    const [turn, ty, tz, tx, element] = exactly(5, sch.split(sch.fuse(sch.axes(copy)), factors));
    sch.unroll(turn);
    sch.bind(ty, "threadIdx.y");
    sch.bind(tz, "threadIdx.z");
    sch.bind(tx, "threadIdx.x");
    sch.vectorize(element);
  }
}

/** `blocks` binds the loop over tiles of blocks. `fetch` copies operands to shared memory. */
export function scheduleProduct(
  sch: Schedule,
  { rowWarps, colWarps, warpRows, warpCols, chunk, group }: Share,
  { out, rows, columns, a, b, dtype, layout }: WarpOperands,
  blocks: (tiles: LoopRef) => void,
  fetch: (copies: readonly Fetched[]) => void,
): void {
  const { loadA, loadB, mma } = mmaSync(dtype);
  const sums = sch.stage("sums");

  const AS = sch.cacheRead(a, "shared", [sums]);
  const BS = sch.cacheRead(b, "shared", [sums]);
  const AF = sch.cacheRead(AS, "wmma.matrix_a", [sums]);
  const BF = sch.cacheRead(BS, "wmma.matrix_b", [sums]);
  sch.setScope(sums, "wmma.accumulator");
  sch.transformLayout(AF, tilesOf(layout[0]));
  sch.transformLayout(BF, tilesOf(layout[1]));
  sch.transformLayout(sums, tiles);

  // A lane has two neighbours in each 8x8 part of a tile: rows of four lanes.
  const [io, iw, it, ih, il] = exactly(5, sch.split(rows, [null, rowWarps, warpRows, 2, 8]));
  const [jo, jw, jt, jh, jl, jv] = exactly(6, sch.split(columns, [null, colWarps, warpCols, 2, 4, 2]));
  const [ig, ib] = exactly(2, sch.split(io, [null, group]));
  sch.reorder([ig, jo, ib, iw, jw, il, jl, it, ih, jt, jh, jv]);
  blocks(sch.fuse([ig, jo, ib]));
  sch.bind(iw, "threadIdx.y");
  sch.bind(jw, "threadIdx.z");
  sch.bind(sch.fuse([il, jl]), "threadIdx.x");
  sch.vectorize(jv);

  sch.computeAt(sums, out, jw);
  const [si, sj, ii, jj] = exactly(4, sch.axes(sums));
  const [k] = exactly(1, sch.reduceAxes(sums));
  const [ko, ki, kk] = exactly(3, sch.split(k, [null, chunk, tile]));
  sch.reorder([ko, ki, si, sj, ii, jj, kk]);
  sch.unroll(ki);
  for (const fragment of [AF, BF]) {
    sch.computeAt(fragment, sums, ki);
    // The next tiles' loads come before the products of these.
    if (chunk > 1) sch.doubleBuffer(fragment);
  }

  fetch([
    { copy: AS, operand: 0, at: ko, sums },
    { copy: BS, operand: 1, at: ko, sums },
  ]);

  sch.tensorize(exactly(4, sch.axes(AF))[2], loadA[layout[0] === "T" ? "col" : "row"]);
  sch.tensorize(exactly(4, sch.axes(BF))[2], loadB[layout[1] === "T" ? "col" : "row"]);
  sch.tensorize(ii, mma);
}
