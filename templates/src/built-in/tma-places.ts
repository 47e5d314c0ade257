/**
 * Where the tiles of a product by wgmma are computed and stored (tma-product.ts has the knobs): the numbering of tiles, their
 * blocks, clusters and warpgroups, and the way of the sums to the result.
 */
import {
  type Buffer,
  bulkProcessors,
  floorDiv,
  floorMod,
  type IndexMap,
  indexMap,
  type LoopRef,
  type Schedule,
  ScheduleError,
  type StageRef,
  walkExpr,
} from "@warpfarm/compiler/language";
import { exactly } from "../exactly.ts";
import type { Product } from "./product-of-tiles.ts";

/** Of a tile, for each consumer. */
export const rows = 64;
const addingThreads = 128;

/**
 * Blocks that bring each other operands: neighbours along m read the same columns of B, neighbours along n the same rows of A.
 */
const clusters = {
  1: { m: 1, n: 1 },
  "2m": { m: 2, n: 1 },
  "2n": { m: 1, n: 2 },
  "4n": { m: 1, n: 4 },
  "2m4n": { m: 2, n: 4 },
} as const;
export type Cluster = keyof typeof clusters;
export const blocksOf = (cluster: Cluster): { readonly m: number; readonly n: number } => clusters[cluster];

/** Blocks of clusters of four and of eight that run at once on an H200 (cudaOccupancyMaxActiveClusters). */
export const inLargeClusters = 120;
/** Clusters that run at once. The blocks of one lie in one GPC, of which large ones leave some multiprocessors free. */
export function clustersAtOnce(cluster: Cluster): number {
  const { m, n } = blocksOf(cluster);
  return Math.floor((m * n > 2 ? inLargeClusters : bulkProcessors) / m / n);
}
/** The most rows of A that more than two blocks share (ADR 136). */
const fewRows = 256;
/**
 * Clusters of more than two blocks: for products of few tiles, which read as much as they multiply (docs/tried.md). Along m there
 * have to be tiles.
 */
export function largeClustersFor({ M, batch }: Pick<Product, "M" | "batch">): readonly Cluster[] {
  if (M > fewRows) return [];
  return (batch?.count ?? 1) * Math.ceil(M / rows) === 1 ? ["4n"] : ["4n", "2m4n"];
}

/**
 * Of two dimensions? Then a turn needs boxes along both (compiler/src/verify/clusters.ts), and a residual comes in a turn of its
 * own.
 */
export const isSquare = (cluster: Cluster): boolean => blocksOf(cluster).m > 1 && blocksOf(cluster).n > 1;
/** The axis of the cluster along m; that along n is clusterIdx.x. */
export const tagOfRows = (cluster: Cluster) => (blocksOf(cluster).n > 1 ? "clusterIdx.y" : "clusterIdx.x");

/** A matrix in panels of `width` columns; of a batch, each matrix. */
export const panelsOf = (width: number, isBatch: boolean) =>
  isBatch
    ? indexMap(["z", "k", "j"], (z, k, j) => [z, floorDiv(j, width), k, floorMod(j, width)])
    : indexMap(["k", "j"], (k, j) => [floorDiv(j, width), k, floorMod(j, width)]);

/** The knobs that say where tiles are. */
interface Tiles {
  readonly consumers: number;
  readonly columns: number;
  readonly group: number;
  readonly waves: number;
  readonly cluster: Cluster;
  readonly order: "rows" | "group" | "hilbert";
}
interface Place {
  readonly stage: StageRef;
  readonly loop: LoopRef;
  /** Absent where lanes come several times to a tile. */
  readonly lanes?: LoopRef;
  /** A lane's loops over what it stores, where they are not repeated already. */
  readonly own?: readonly LoopRef[];
}

/** The loops of a result. */
export interface Sides {
  readonly i: LoopRef;
  readonly j: LoopRef;
  /** Around the rows. Rows of tiles of all its matrices are numbered as those of one. */
  readonly batch?: LoopRef | undefined;
  /** Around all: each has tiles that are numbered for themselves. */
  readonly before?: readonly LoopRef[];
}

/** A result, and its copy in shared memory. */
interface Stored extends Sides {
  readonly C: StageRef;
  readonly CS: StageRef;
  /** The width of a panel: elements of 128, 64 or 32 bytes. */
  readonly line: number;
  /** The layout of CS in panels of so many columns, where it is no matrix and no batch of them. */
  readonly panels?: (width: number) => IndexMap;
  /** Where the residual comes in slots: the operands' copies, and the elements of the reduction that a slot has. */
  readonly ring?: { readonly copies: readonly [StageRef, StageRef]; readonly step: number };
}

/** An input of the graph of which the result reads the element that it writes: the residual of an epilogue. */
export function residualOf(sch: Schedule, result: StageRef): Buffer | undefined {
  const { graph, stages } = sch.state;
  const { axes, body } = stages[result] as (typeof stages)[number];
  let found: Buffer | undefined;
  walkExpr(body, (e) => {
    if (e.kind !== "Load" || !graph.inputs.includes(e.buffer)) return;
    if (e.indices.length === axes.length && e.indices.every((index, d) => index === axes[d])) found ??= e.buffer;
  });
  return found;
}

/** The loops over tiles, in the order in which they are fused, and those over the blocks of a cluster. */
interface Grid {
  readonly tiles: readonly LoopRef[];
  readonly rank: readonly LoopRef[];
}

/**
 * The blocks of a cluster have neighbouring tiles, along m or along n; from here on their tiles count as one. Tiles are
 * numbered in whole groups of rows, or in one order over all of them.
 */
function gridOf(
  sch: Schedule,
  { batch }: Sides,
  rowsOfOne: LoopRef,
  columnsOfTiles: LoopRef,
  { cluster, order, group }: Tiles,
): Grid {
  const rowsOfTiles = batch === undefined ? rowsOfOne : sch.fuse([batch, rowsOfOne]);
  const together = (loop: LoopRef, blocks: number): readonly [LoopRef, ...LoopRef[]] =>
    blocks > 1 ? exactly(2, sch.split(loop, [null, blocks])) : [loop];
  const { m, n } = blocksOf(cluster);
  const [io, ...rowRank] = together(rowsOfTiles, m);
  const [jo, ...columnRank] = together(columnsOfTiles, n);
  const rank = [...rowRank, ...columnRank];
  if (order !== "rows") return { tiles: [io, jo], rank };
  // A group of more rows than there are would have tiles without any.
  const [it, ib] = exactly(2, sch.split(io, [null, Math.min(group, sch.extent(io))]));
  return { tiles: [it, jo, ib], rank };
}

/**
 * Numbers the tiles and gives them to blocks, `waves` to each, or with 0 to as many blocks as run at once. Where waves do not
 * divide the tiles, the last ones lie below the last row: the engine reads zeros there, and nothing is stored.
 */
function bindTiles(
  sch: Schedule,
  loops: readonly LoopRef[],
  rank: readonly LoopRef[],
  { waves, order, group, cluster }: Tiles,
): void {
  const curved =
    order === "rows" ? loops : [...loops.slice(0, -2), sch.curve(loops.slice(-2), order, order === "group" ? group : 1)];
  const tiles = curved.length > 1 ? sch.fuse(curved) : (curved[0] as LoopRef);
  for (const [place, loop] of rank.entries()) sch.bind(loop, place < rank.length - 1 ? "clusterIdx.y" : "clusterIdx.x");
  // Of a single tile the engine could not tell what lies beyond it: a tile's number is no longer in its coordinates.
  if (waves === 1 || sch.extent(tiles) === 1) {
    sch.bind(tiles, "blockIdx.x");
    return;
  }
  const [wave, block] = exactly(2, sch.split(tiles, waves === 0 ? [null, clustersAtOnce(cluster)] : [waves, null]));
  sch.reorder([block, ...rank, wave]);
  sch.bind(block, "blockIdx.x");
}

/**
 * Each lane stores its own sums: two neighbouring columns of every 8, in two of its warp's 16 rows. `out`: the result, or the
 * sums of parts of the reduction. `arePairs`: whether neighbouring columns are neighbours in memory.
 */
export function placeLanes(sch: Schedule, out: StageRef, tiles: Tiles, sides: Sides, arePairs = true): Place {
  const { i, j, before = [] } = sides;
  const [io, ig, iw, ih, il] = exactly(5, sch.split(i, [null, tiles.consumers, 4, 2, 8]));
  const [columns, jt, jl, jv] = exactly(4, sch.split(j, [null, tiles.columns / 8, 4, 2]));
  const grid = gridOf(sch, sides, io, columns, tiles);
  sch.reorder([...before, ...grid.tiles, ...grid.rank, ig, iw, il, jl, ih, jt, jv]);
  bindTiles(sch, [...before, ...grid.tiles], grid.rank, tiles);
  sch.bind(ig, "threadIdx.y");
  const lanes = sch.fuse([iw, il, jl]);
  sch.bind(lanes, "threadIdx.x");
  if (arePairs) sch.vectorize(jv);
  return { stage: out, loop: ig, lanes, own: [ih, jt] };
}

/**
 * Threads write their sums into panels of `line` columns in shared memory, from where the copy engine stores them, at a loop of
 * the result C.
 */
function writePanels(sch: Schedule, { C, CS, line, batch, panels }: Stored, joined: readonly StageRef[], at: LoopRef): Place {
  for (const each of [CS, ...joined]) {
    sch.transformLayout(each, panels?.(line) ?? panelsOf(line, batch !== undefined));
    sch.swizzle(each);
    sch.computeAt(each, C, at);
  }
  const [panel, row, column] = exactly(3, sch.axes(CS).slice(-3));
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
 * warpgroup writes and stores its own rows, and meets no other. A residual comes in parts, too, each in a slot of the ring.
 */
export function storedByEngine(sch: Schedule, stored: Stored, tiles: Tiles & { readonly parts: number }): Place {
  const { C, i, j, line } = stored;
  const [io, consumer, ii] = exactly(3, sch.split(i, [null, tiles.consumers, rows]));
  const [columns, part, jp, jj] = exactly(4, sch.split(j, [null, tiles.parts, tiles.columns / line / tiles.parts, line]));
  const grid = gridOf(sch, stored, io, columns, tiles);
  sch.reorder([...grid.tiles, ...grid.rank, consumer, part, jp, ii, jj]);
  bindTiles(sch, grid.tiles, grid.rank, tiles);
  sch.bind(consumer, "threadIdx.y");
  sch.unroll(part);
  sch.copyBy(C, "tma");
  const joined = joinResidual(sch, stored, tiles);
  const written = writePanels(sch, stored, joined, part);
  // Sums are made once for all parts, and before what joins their ring.
  return tiles.parts > 1 || joined.length > 0 ? { stage: C, loop: consumer } : written;
}

/** A part of the residual is as large as a slot of B, or fits into one of A. */
function joinResidual(sch: Schedule, { CS, ring }: Stored, { consumers, parts, cluster }: Tiles & { readonly parts: number }) {
  const residual = residualOf(sch, CS);
  if (!ring || !residual) return [];
  if (isSquare(cluster))
    throw new ScheduleError({
      rule: "pairs",
      message: `cluster is ${cluster}, whose blocks share along two axes; a residual in the ring takes one`,
    });
  const [A, B] = ring.copies;
  const RS = sch.cacheRead(residual, "shared", [CS]);
  sch.copyBy(RS, "tma");
  sch.joinRing(RS, rows * consumers <= ring.step * parts ? B : A);
  return [RS];
}

/** The sums of each part of the reduction, which is split into these factors, as a stage of their own. */
export const sumsOfParts = (sch: Schedule, sums: StageRef, factors: readonly [number | null, number | null]): StageRef =>
  sch.rfactor(exactly(2, sch.split(sch.reduceAxes(sums)[0] as LoopRef, factors))[0], 0);

/** Sums that so many parts of the reduction have in registers, and `out`, where blocks store them for addParts. */
export function splitSums(sch: Schedule, whole: StageRef, parts: number): { readonly out: StageRef; readonly sums: StageRef } {
  const out = sumsOfParts(sch, whole, [parts, null]);
  return { out, sums: sch.cacheWrite(out, "warpgroup.accumulator") };
}

/** A second kernel adds the sums of the parts of the reduction, and rounds. */
export function addParts(sch: Schedule, C: StageRef, sums: StageRef): void {
  const axes = sch.axes(C);
  const width = sch.extent(axes.at(-1) as LoopRef);
  const lanes = [4, 2, 1].find((count) => width % count === 0) as number;
  const [block, thread, lane] = exactly(3, sch.split(sch.fuse(axes), [null, addingThreads, lanes]));
  sch.bind(block, "blockIdx.x");
  sch.bind(thread, "threadIdx.x");
  sch.computeAt(sums, C, thread);
  const column = sch.axes(sums).at(-1) as LoopRef;
  const [part] = exactly(1, sch.reduceAxes(sums));
  sch.reorder([part, column]);
  sch.unroll(part);
  sch.vectorize(column);
  sch.vectorize(lane);
}
