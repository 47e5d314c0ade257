/**
 * Knobs and schedule of the matrix products by wgmma (sm_90a). The copy engine (TMA) brings the operands, tensor cores multiply.
 *
 *   tile        A block computes 64 rows for each of its `consumers` (warpgroups), by `columns`.
 *   ring        The engine brings 128 bytes of the reduction at a time into a ring of `stages` slots in shared memory.
 *               Products of the next slot begin before those of this slot have ended.
 *   producer    With `producer` registers per thread, a warpgroup of its own starts the copies, ahead into the next tile. With
 *               0, a consumer starts them.
 *   waves       A block computes this number of tiles one after the other; 0 = one block for each multiprocessor.
 *   order       Tiles are numbered in groups of `group` rows of tiles, or along Hilbert's curve, so that blocks that run together
 *               share rows and columns.
 *   cluster     Two blocks have neighbouring tiles. Each starts half of the copies of the operand that both read, and every copy
 *               comes to both.
 *   epilogue    Threads store the result; or they write it to shared memory and the engine stores it (tma), the tile in `parts`;
 *               or the reduction is split: blocks write sums of 1/2, 1/4 or 1/8 of it, and a second kernel adds them (2, 4, 8).
 *   chunk       Of floats of 8 and 32 bits: tensor cores add up so many steps, then lanes add them to float32 sums of their own.
 *
 * An operand of 16 bits that does not lie along the reduction comes in panels of 64; tensor cores do not take one of 8 bits. The
 * engine takes rows of whole 16 bytes. Other extents are free: tiles reach beyond the end, where the engine reads zeros and
 * stores nothing.
 */
import { type DType, dtypeBytes, isFloat8, type TargetNeed } from "@warpfarm/common";
import {
  type Bound,
  bulkProcessors,
  type Expr,
  floorDiv,
  floorMod,
  type IndexMap,
  indexMap,
  type LoopRef,
  type Schedule,
  type SpaceBuilder,
  type StageRef,
  wgmma,
} from "@warpfarm/compiler/language";
import { exactly } from "../exactly.ts";
import { addByLanes, checkLaneSums } from "./lane-sums.ts";
import { inlinedView, paddedExtent } from "./padded.ts";
import type { Product } from "./product-of-tiles.ts";

export const tmaTypes = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8"] as const;
export type TmaProduct = Product<(typeof tmaTypes)[number] | "float32">;

export const rows = 64;
/** Elements of 128 bytes: a row in shared memory, a chunk of the reduction, the width of a panel. */
export const lineOf = (dtype: DType): number => 128 / dtypeBytes(dtype);
/** Elements of 16 bytes, of which the engine takes whole ones. */
export const unitOf = (dtype: DType): number => 16 / dtypeBytes(dtype);
/** Registers per thread, summed over the block's warpgroups: 65536 / 128. */
const registerFile = 512;
const mostRegisters = 240;
const addingThreads = 128;
const pairOfBlocks = 2;
const wholeEights = (registers: number): number => Math.floor(registers / 8) * 8;

const panelsOf = (width: number) => indexMap(["k", "j"], (k, j) => [floorDiv(j, width), k, floorMod(j, width)]);
const panelsOfBatch = (width: number) => indexMap(["z", "k", "j"], (z, k, j) => [z, floorDiv(j, width), k, floorMod(j, width)]);

const liesAlong = (layout: TmaProduct["layout"]): readonly [boolean, boolean] => [layout[0] === "N", layout[1] === "T"];

export function checkTma({ M, N, K, dtype, layout }: TmaProduct): string | undefined {
  if (dtypeBytes(dtype) === 1 && layout !== "NT")
    return `layout is ${layout}; tensor cores take ${dtype} along the reduction alone, which is NT`;
  const [a, b] = liesAlong(layout);
  const unit = unitOf(dtype);
  const rowOf = { A: a ? K : M, B: b ? K : N };
  const odd = (["A", "B"] as const).find((operand) => rowOf[operand] % unit !== 0);
  return odd && `a row of ${odd} has ${rowOf[odd]} elements; the copy engine takes multiples of ${unit}, which are 16 bytes`;
}

/** The common part of these templates. Their published entries were measured here. */
export const tmaTemplate = {
  aliases: [],
  targets: [{ kind: "cuda", from: 90, to: 90, features: ["a"] }] satisfies readonly TargetNeed[],
  // 128x256 by 64, four slots, groups of 8, a producer, a block for each multiprocessor, pairs along m, stored in two parts.
  published: {
    consumers: 2,
    columns: 256,
    stages: 4,
    group: 8,
    waves: 0,
    producer: 40,
    epilogue: "tma",
    cluster: "2m",
    order: "rows",
    parts: 2,
  },
};

/** Extents, padded to whole tiles: to a large tile where that adds little. */
export const paddedSides = ({ M, N, K, dtype }: TmaProduct) => ({
  M: { extent: M, padded: paddedExtent(M, [128, rows]) },
  N: { extent: N, padded: paddedExtent(N, [256, 192, 128, 64]) },
  K: { extent: K, padded: paddedExtent(K, [lineOf(dtype)]) },
});

/** Tiles may reach beyond the end where that adds at most 1/20 of the rows. */
export const fits = (extent: number, tile: number): boolean => Math.ceil(extent / tile) * tile <= extent * 1.05;

/**
 * Registers per thread of the producer and of a consumer. Consumers share the registers that the producer gives away. A single
 * consumer has enough from the start.
 */
export function registersOf(consumers: number, producer: number): readonly [number, number] {
  if (consumers === 1) return [0, 0];
  const groups = consumers + 1;
  const held = groups * wholeEights(registerFile / groups);
  return [producer, Math.min(mostRegisters, wholeEights((held - producer) / consumers))];
}

export type TmaKnobs = Bound<ReturnType<typeof tmaSpace>>;

type FeedKnobs = Pick<TmaKnobs, "consumers" | "columns" | "stages" | "cluster">;
type Tiles = Pick<TmaKnobs, "consumers" | "columns" | "group" | "waves" | "cluster" | "order">;
interface Place {
  readonly stage: StageRef;
  readonly loop: LoopRef;
  /** Absent where lanes come several times to a tile. */
  readonly lanes?: LoopRef;
  /** A lane's loops over what it stores, where they are not repeated already. */
  readonly own?: readonly LoopRef[];
}

/** The loops over tiles, in the order in which they are fused, and the loop over the blocks of a cluster. */
interface Grid {
  readonly tiles: readonly LoopRef[];
  readonly rank: readonly LoopRef[];
}

/**
 * Two blocks of a cluster have neighbouring tiles, along m or along n; from here on the two tiles count as one. Tiles are
 * numbered in whole groups of rows, or in one order over all of them.
 */
function gridOf(sch: Schedule, rowsOfTiles: LoopRef, columnsOfTiles: LoopRef, { cluster, order, group }: Tiles): Grid {
  const pair = (loop: LoopRef) => exactly(2, sch.split(loop, [null, pairOfBlocks]));
  const [io, ...rowRank] = cluster === "2m" ? pair(rowsOfTiles) : [rowsOfTiles];
  const [jo, ...columnRank] = cluster === "2n" ? pair(columnsOfTiles) : [columnsOfTiles];
  const rank = [...rowRank, ...columnRank];
  if (order !== "rows") return { tiles: [io, jo], rank };
  const [it, ib] = exactly(2, sch.split(io, [null, group]));
  return { tiles: [it, jo, ib], rank };
}

/**
 * Numbers the tiles and gives them to blocks, `waves` to each; returns the innermost loop over tiles. Where waves do not divide
 * the tiles, the last ones lie below the last row: the engine reads zeros there, and nothing is stored.
 */
function bindTiles(sch: Schedule, loops: readonly LoopRef[], rank: readonly LoopRef[], { waves, order, group }: Tiles): LoopRef {
  const curved =
    order === "rows" ? loops : [...loops.slice(0, -2), sch.curve(loops.slice(-2), order, order === "group" ? group : 1)];
  const tiles = curved.length > 1 ? sch.fuse(curved) : (curved[0] as LoopRef);
  for (const loop of rank) sch.bind(loop, "clusterIdx.x");
  if (waves === 1) {
    sch.bind(tiles, "blockIdx.x");
    return rank.at(-1) ?? tiles;
  }
  const clusters = rank.length > 0 ? bulkProcessors / pairOfBlocks : bulkProcessors;
  const [wave, block] = exactly(2, sch.split(tiles, waves === 0 ? [null, clusters] : [waves, null]));
  sch.reorder([block, ...rank, wave]);
  sch.bind(block, "blockIdx.x");
  return wave;
}

/**
 * Each lane stores its own sums: two neighbouring columns of every 8, in two of its warp's 16 rows. `out`: the result, or the
 * sums of parts of the reduction. `axes`: its loops, of which the last two are rows and columns. `arePairs`: whether neighbouring
 * columns are neighbours in memory.
 */
export function placeLanes(sch: Schedule, out: StageRef, tiles: Tiles, axes = sch.axes(out), arePairs = true): Place {
  const [i, j] = exactly(2, axes.slice(-2));
  const parts = axes.slice(0, -2);
  const [io, ig, iw, ih, il] = exactly(5, sch.split(i, [null, tiles.consumers, 4, 2, 8]));
  const [columns, jt, jl, jv] = exactly(4, sch.split(j, [null, tiles.columns / 8, 4, 2]));
  const grid = gridOf(sch, io, columns, tiles);
  sch.reorder([...parts, ...grid.tiles, ...grid.rank, ig, iw, il, jl, ih, jt, jv]);
  bindTiles(sch, [...parts, ...grid.tiles], grid.rank, tiles);
  sch.bind(ig, "threadIdx.y");
  const lanes = sch.fuse([iw, il, jl]);
  sch.bind(lanes, "threadIdx.x");
  if (arePairs) sch.vectorize(jv);
  return { stage: out, loop: ig, lanes, own: [ih, jt] };
}

/**
 * Threads write their sums into panels of 128 bytes in shared memory, from where the copy engine stores them, at a loop of the
 * result C.
 */
function writePanels(sch: Schedule, { C, CS, line, panels = panelsOf }: Stored, at: LoopRef): Place {
  sch.transformLayout(CS, panels(line));
  sch.swizzle(CS);
  sch.computeAt(CS, C, at);
  const [panel, row, column] = exactly(3, sch.axes(CS));
  const [ig, iw, ih, il] = exactly(4, sch.split(row, [null, 4, 2, 8]));
  const [jt, jl, jv] = exactly(3, sch.split(column, [null, 4, 2]));
  sch.reorder([ig, iw, il, jl, ih, panel, jt, jv]);
  for (const each of [ih, panel, jt]) sch.unroll(each);
  sch.bind(ig, "threadIdx.y");
  const lanes = sch.fuse([iw, il, jl]);
  sch.bind(lanes, "threadIdx.x");
  sch.vectorize(jv);
  return { stage: CS, loop: ig, lanes };
}

/**
 * Parts of the tile's columns go through the memory of one part, one after the other, while sums wait in registers. The memory
 * saved makes room for one more slot, as in cuBLAS's kernels of 128x256 with four slots and 16 KiB for the result. Each
 * warpgroup writes and stores its own rows, and meets no other.
 */
export function storedByEngine(sch: Schedule, stored: Stored, tiles: Tiles & { readonly parts: number }): Place {
  const { C, i, j, line } = stored;
  const [io, consumer, ii] = exactly(3, sch.split(i, [null, tiles.consumers, rows]));
  const [columns, part, jp, jj] = exactly(4, sch.split(j, [null, tiles.parts, tiles.columns / line / tiles.parts, line]));
  const grid = gridOf(sch, io, columns, tiles);
  sch.reorder([...grid.tiles, ...grid.rank, consumer, part, jp, ii, jj]);
  bindTiles(sch, grid.tiles, grid.rank, tiles);
  sch.bind(consumer, "threadIdx.y");
  sch.unroll(part);
  sch.copyBy(C, "tma");
  const written = writePanels(sch, stored, part);
  // Sums are made once for all parts.
  return tiles.parts > 1 ? { stage: C, loop: consumer } : written;
}

/** A second kernel adds the sums of the parts of the reduction, and rounds. */
function addParts(sch: Schedule, C: StageRef, sums: StageRef, N: number): void {
  const lanes = [4, 2, 1].find((count) => N % count === 0) as number;
  const [block, thread, lane] = exactly(3, sch.split(sch.fuse(sch.axes(C)), [null, addingThreads, lanes]));
  sch.bind(block, "blockIdx.x");
  sch.bind(thread, "threadIdx.x");
  sch.computeAt(sums, C, thread);
  const [, column] = exactly(2, sch.axes(sums));
  const [part] = exactly(1, sch.reduceAxes(sums));
  sch.reorder([part, column]);
  sch.unroll(part);
  sch.vectorize(column);
  sch.vectorize(lane);
}

export function tmaSpace(space: SpaceBuilder, sch: Schedule, args: TmaProduct) {
  const { M, N, K } = paddedSides(args);
  const line = lineOf(args.dtype);
  const [C] = exactly(1, sch.graph.outputs);
  // The engine stores rows of whole 16 bytes, from panels of 64 rows of 128 bytes.
  const isStored = args.N % unitOf(C.dtype) === 0 && args.M >= rows;
  const stored = isStored ? (["direct", "tma"] as const) : (["direct"] as const);
  const isSmall = (M.padded * N.padded) / rows ** 2 <= 4 * bulkProcessors;
  const splits = isSmall ? ([2, 4, 8] as const).filter((parts) => K.padded % (line * parts) === 0) : [];
  const chunks = isFloat8(args.dtype) ? [4, 8, 16].filter((steps) => K.padded % (line * steps) === 0) : [];
  return {
    consumers: space.choice(
      "consumers",
      [1, 2, 3, 4].filter((consumers) => fits(M.padded, rows * consumers)),
    ),
    columns: space.choice(
      "columns",
      [64, 96, 128, 160, 192, 224, 256].filter(
        (columns) => N.padded % columns === 0 && (liesAlong(args.layout)[1] || columns % line === 0),
      ),
    ),
    stages: space.choice("stages", [2, 3, 4, 5, 6, 7, 8]),
    group: space.choice("group", [1, 2, 3, 4, 6, 8, 16, 32]),
    /** Tiles that a block computes one after the other; 0: one block for each multiprocessor. */
    waves: space.choice("waves", [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 0]),
    /** Registers per thread of the producer; 0: no producer. */
    producer: space.choice("producer", [0, 24, 40]),
    /** Who writes the result: the threads; the engine, out of shared memory; or a second kernel, from this number of parts. */
    epilogue: space.choice("epilogue", [...stored, ...splits]),
    /** Pairs of blocks that share an operand: neighbours along m share B, along n A. */
    cluster: space.choice("cluster", [1, "2m", "2n"], { absent: 1 }),
    /**
     * The order of tiles. rows: whole groups of `group` rows, of which the last may reach beyond the last row; group: the last
     * group is narrower; hilbert: a curve whose neighbours are near, for any number of tiles.
     */
    order: space.choice("order", ["rows", "group", "hilbert"], { absent: "rows" }),
    /** Parts of a tile's columns that the engine stores one after the other, all out of the memory of one. */
    parts: space.choice("parts", [1, 2, 4], { absent: 1 }),
    /** Steps of 128 bytes that tensor cores add up before lanes add them to float32 sums of their own; 0: all. */
    chunk: space.choice("chunk", [0, ...chunks], { absent: 0 }),
  };
}

/** Each block of a cluster copies a share (of panels, rows or steps of the reduction) to all blocks. `axes`: without a batch. */
function shareOut(sch: Schedule, [first, second]: readonly LoopRef[], panelCount: number): void {
  const loop = panelCount % pairOfBlocks === 0 || panelCount === 1 ? first : second;
  const [rank] = sch.split(loop as LoopRef, [pairOfBlocks, null]);
  sch.bind(rank as LoopRef, "clusterIdx.x");
}

/** `views`: what copies of A and B read. */
export function scheduleTma(
  sch: Schedule,
  knobs: TmaKnobs,
  { N, dtype, layout }: TmaProduct,
  views = sch.graph.inputs.map((input) => inlinedView(sch, input)),
): void {
  const line = lineOf(dtype);
  const { consumers, columns, producer, epilogue, chunk } = knobs;
  const isSplit = typeof epilogue === "number";
  if (chunk > 0) checkLaneSums(knobs);
  const isAlong = liesAlong(layout);
  const lies = (along: boolean) => ({ major: along ? "k" : "mn", swizzle: 128 }) as const;
  const product = wgmma({ dtype, n: columns, a: lies(isAlong[0]), b: lies(isAlong[1]) });
  const [A, B] = exactly(2, views);
  const C = sch.stage("C");
  const whole = sch.stage("sums");
  const factors = isSplit ? [epilogue, null] : chunk > 0 ? [null, chunk * line] : undefined;
  const part = factors && sch.rfactor(exactly(2, sch.split(sch.reduceAxes(whole)[0] as LoopRef, factors))[0], 0);
  const out = isSplit && part ? part : C;
  const sums = isSplit ? sch.cacheWrite(out, "warpgroup.accumulator") : (part ?? whole);
  const AS = sch.cacheRead(A, "shared", [sums]);
  const BS = sch.cacheRead(B, "shared", [sums]);
  if (!isSplit) sch.setScope(sums, "warpgroup.accumulator");
  const tilesOf = inTiles(columns, isAlong[1] ? undefined : line);
  sch.transformLayout(
    sums,
    part === undefined ? indexMap(["i", "j"], tilesOf) : indexMap(["s", "i", "j"], (s, i, j) => [s, ...tilesOf(i, j)]),
  );

  const stored = () => {
    const CS = sch.cacheWrite(C, "shared");
    const [i, j] = exactly(2, sch.axes(C));
    const [result] = exactly(1, sch.graph.outputs);
    return storedByEngine(sch, { C, CS, i, j, line: lineOf(result.dtype) }, knobs);
  };
  const place = epilogue === "tma" ? stored() : placeLanes(sch, out, knobs);
  if (isSplit) addParts(sch, C, whole, N);
  if (producer > 0) sch.specialize(out, ...registersOf(consumers, producer));
  if (part && !isSplit) {
    // Sums of a lane's own stay in registers where their numbers are constants; behind a long epilogue nvcc leaves loops as they
    // are.
    for (const each of place.own ?? []) sch.unroll(each);
    sch.computeAt(sums, whole, addByLanes(sch, whole, place.stage, place.lanes ?? place.loop));
  } else sch.computeAt(sums, place.stage, place.loop);
  const panels = [isAlong[0] ? undefined : line, isAlong[1] ? undefined : line] as const;
  const tileAxes = part === undefined ? sch.axes(sums) : sch.axes(sums).slice(1);
  feedTiles(sch, { sums, tileAxes, copies: [AS, BS], product, panels, step: line }, knobs);
}

/** The layout of sums: tiles of 64 rows by `columns`, which lie in panels where those of B do. */
export const inTiles =
  (columns: number, panel: number | undefined) =>
  (i: Expr, j: Expr): readonly Expr[] => {
    const column = floorMod(j, columns);
    const inner = panel !== undefined && columns > panel ? [floorDiv(column, panel), floorMod(column, panel)] : [column];
    return [floorDiv(i, rows), floorDiv(j, columns), floorMod(i, rows), ...inner];
  };

/** A result, its copy in shared memory, and the loops over its rows and columns. */
interface Stored {
  readonly C: StageRef;
  readonly CS: StageRef;
  readonly i: LoopRef;
  readonly j: LoopRef;
  /** Elements of 128 bytes. */
  readonly line: number;
  /** The layout of CS in panels of so many columns, where it is no matrix. */
  readonly panels?: (width: number) => IndexMap;
}

interface Fed {
  readonly sums: StageRef;
  /** The loops of the tile: of 64 rows, of columns, a row in 64, and of the columns in it. */
  readonly tileAxes: readonly LoopRef[];
  /** Of A and B in shared memory; before their two dimensions they may have that of a batch. */
  readonly copies: readonly [StageRef, StageRef];
  readonly product: ReturnType<typeof wgmma>;
  /** The width of the panels of an operand that does not lie along the reduction. */
  readonly panels: readonly [number | undefined, number | undefined];
  /** Elements of the reduction that a slot of the ring has. */
  readonly step: number;
}

/** The sums of a tile, from a ring of slots that the engine fills. A slot serves all values of a second axis of the reduction. */
export function feedTiles(sch: Schedule, { sums, tileAxes, copies, product, panels, step }: Fed, knobs: FeedKnobs): void {
  const { consumers, columns, stages, cluster } = knobs;
  const [k, ...terms] = sch.reduceAxes(sums);
  const [{ extent: depth }] = exactly(1, product.op.reduce);
  const [si, sj, ii, ...columnAxes] = tileAxes;
  if (si === undefined || sj === undefined || ii === undefined) throw new TypeError("the layout of sums has tiles of 64 rows");
  const [ko, ki, kk] = exactly(3, sch.split(k as LoopRef, [null, step / depth, depth]));
  sch.reorder([ko, ...terms, ki, si, sj, ii, ...columnAxes, kk]);
  for (const each of [...terms, ki]) sch.unroll(each);
  const sides = [rows * consumers, columns] as const;
  for (const [operand, copy] of copies.entries()) {
    const width = panels[operand];
    const panelCount = width === undefined ? 1 : Math.ceil((sides[operand] ?? 0) / width);
    const batch = sch.axes(copy).length - 2;
    if (width !== undefined && panelCount > 1) sch.transformLayout(copy, batch > 0 ? panelsOfBatch(width) : panelsOf(width));
    sch.computeAt(copy, sums, ko);
    if (cluster === (operand === 0 ? "2n" : "2m")) shareOut(sch, sch.axes(copy).slice(batch), panelCount);
    sch.swizzle(copy);
    sch.pipeline(copy, stages);
    sch.copyBy(copy, "tma");
  }
  sch.tensorize(ii, product);
}
