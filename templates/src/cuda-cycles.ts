/**
 * Estimates of a product's time in processor cycles, to choose a config before any is measured: turns of blocks on the fullest
 * multiprocessor, and for each term of the sum the slowest of arithmetic, instructions, shared memory and the second-level cache,
 * and the latency that its warps do not hide.
 *
 * Rates are of Hopper's documentation where it has them. The two latencies and the rates of the cache and of mma.sync were chosen
 * by searches of hand-written templates on H100s and H200s. bench/starts.bench.mjs says what share of the best time these
 * estimates choose on the same shapes; there is no other set to hold them against.
 */
import { occupancy, usualMultiprocessors } from "@warpfarm/common/occupancy";
import type { Sizes } from "./outline.ts";

/** A block's tile, and what it needs of a multiprocessor. */
interface Block {
  readonly rows: number;
  readonly columns: number;
  readonly threads: number;
  readonly registers: number;
  readonly sharedBytes: number;
}

const mostRegisters = 255;
const allRegisters = 65_536;
const usual = "cuda/sm_90";

/** Blocks together on the fullest multiprocessor, and how many times it takes so many. */
function turnsOf({ M, N, batch = 1 }: Sizes, block: Block, splits: number, target: string) {
  const facts = { threads: block.threads, registers: block.registers, sharedBytes: block.sharedBytes };
  const most = (occupancy(target, facts) ?? occupancy(usual, facts))?.blocks ?? 1;
  const blocks = Math.ceil(M / block.rows) * Math.ceil(N / block.columns) * batch * splits;
  const each = blocks / usualMultiprocessors(target);
  const together = Math.max(1, Math.min(most, Math.ceil(each)));
  return { together, turns: Math.ceil(each / together) };
}

/** Registers that a thread may have, and what the spills of others cost. */
function heldIn(needed: number, threads: number, blocks: number) {
  const most = Math.min(mostRegisters, Math.floor(allRegisters / threads / Math.max(1, blocks) / 8) * 8);
  return { registers: Math.min(needed, most), missing: Math.max(0, needed - most) };
}

/** Multiply-adds and bytes of shared memory in a cycle of a multiprocessor; its schedulers. */
const arithmetic = 128;
const sharedBytesACycle = 128;
const schedulers = 4;

interface SimtTile {
  readonly threadRows: number;
  readonly threadCols: number;
  readonly rowWarps: number;
  readonly colWarps: number;
  readonly laneRows: number;
  readonly chunk: number;
  readonly stages: number;
  readonly min_blocks: number;
  readonly splits: number;
}

/** `passes`: cycles of shared memory for a warp's vectors of four elements, many of which are one element for several lanes. */
const simt = { passes: 3, secondLevel: 24, latency: 40, barrier: 200, block: 1500, sumKernel: 4400, elementByElement: 4 };

/** `scattered`: the sides, rows and columns, that are copied element by element. */
export function simtCycles(
  sizes: Sizes,
  tile: SimtTile,
  { scattered, target }: { readonly scattered: readonly [boolean, boolean]; readonly target: string },
): number {
  const { threadRows, threadCols, laneRows, chunk, stages, splits } = tile;
  const warps = tile.rowWarps * tile.colWarps;
  const laneCols = 32 / laneRows;
  const [rows, columns] = [threadRows * tile.rowWarps * laneRows, threadCols * tile.colWarps * laneCols];
  const sums = threadRows * threadCols;
  const { registers, missing } = heldIn(sums + 2 * (threadRows + threadCols) + 32, 32 * warps, tile.min_blocks);
  const sharedBytes = 4 * stages * chunk * (rows + columns + 8);
  const { together, turns } = turnsOf(sizes, { rows, columns, threads: 32 * warps, registers, sharedBytes }, splits, target);

  const spills = 1 + missing / sums;
  const loads = (warps * (threadRows + threadCols)) / 4;
  const copies = [rows, columns].reduce((n, side, i) => n + (side / 32) * (scattered[i] ? simt.elementByElement : 1), 0);
  const distinct = (4 * warps * (laneRows * threadRows + laneCols * threadCols)) / sharedBytesACycle;
  const busy = Math.max(
    ((rows * columns) / arithmetic) * spills,
    Math.max(simt.passes * loads, distinct),
    (((rows * columns) / 32 + loads) * spills + copies) / schedulers,
    (4 * (rows + columns)) / simt.secondLevel,
  );
  const alone = sums * Math.ceil(warps / schedulers);
  const unhidden =
    (simt.latency + (simt.barrier / chunk) * (stages === 2 ? 2 : 1)) / Math.max(1, (together * warps) / schedulers);
  const terms = Math.ceil(sizes.K / splits / 32) * 32;
  const product = turns * (terms * (Math.max(busy * together, alone) + unhidden) + simt.block + 10 * sums);
  return product + addedCycles(sizes, splits, target);
}

/** The second kernel, which adds the sums of parts. */
function addedCycles(sizes: Sizes, splits: number, target: string): number {
  const bytes = 4 * splits * sizes.M * sizes.N * (sizes.batch ?? 1);
  return splits > 1 ? simt.sumKernel + bytes / (simt.secondLevel * usualMultiprocessors(target) * 0.5) : 0;
}

export interface MmaTile {
  readonly row_warps: number;
  readonly col_warps: number;
  readonly warp_rows: number;
  readonly warp_cols: number;
  readonly chunk: number;
  readonly stages: number;
  readonly splits: number;
}

const mma = { tile: 16, products: 512, secondLevel: 40, latency: 400, block: 500 };

/** Tiles of 16x16 by 16 for mma.sync, of 2 bytes an element. */
export function mmaCycles(sizes: Sizes, choice: MmaTile, target: string): number {
  const { row_warps, col_warps, warp_rows, warp_cols, stages, splits } = choice;
  const warps = row_warps * col_warps;
  const [rows, columns] = [mma.tile * row_warps * warp_rows, mma.tile * col_warps * warp_cols];
  const chunk = mma.tile * choice.chunk;
  const needed = 8 * (warp_rows * warp_cols + warp_rows + warp_cols) + 40;
  const { registers, missing } = heldIn(needed, 32 * warps, 1);
  const sharedBytes = 2 * stages * chunk * (rows + columns);
  const { together, turns } = turnsOf(sizes, { rows, columns, threads: 32 * warps, registers, sharedBytes }, splits, target);
  const products = (rows * columns * (missing > 0 ? 2 : 1)) / mma.products / Math.min(1, (together * warps) / schedulers);
  const busy = Math.max(
    products,
    (2 * warps * mma.tile * (warp_rows + warp_cols)) / sharedBytesACycle,
    (2 * (rows + columns)) / mma.secondLevel,
  );
  const exposed = mma.latency * (stages === 1 ? 4 : stages === 2 ? 2 : 1);
  const unhidden = exposed / chunk / Math.min(schedulers, together);
  const terms = Math.ceil(sizes.K / splits / chunk) * chunk;
  return turns * (terms * (busy * together + unhidden) + mma.block) + addedCycles(sizes, splits, target);
}

interface WgmmaTile {
  readonly consumers: number;
  readonly columns: number;
  readonly line: number;
  readonly slots: number;
  readonly group: number;
  readonly waves: number;
  readonly producer: number;
  readonly cluster: number | string;
  readonly order: string;
  readonly parts: number;
  readonly splits: number;
}

const warpgroup = { rows: 64, products: 2000, secondLevel: 40, latency: 700, block: 2000, tile: 600 };

/** Tiles, with those of the last group and of the last pair that lie beyond the result. */
function tilesOf(sizes: Sizes, rows: number, { columns, cluster, group, order }: WgmmaTile): number {
  const up = (n: number, of: number) => Math.ceil(n / of) * of;
  const ofRows = up(Math.ceil(sizes.M / rows), cluster === "2m" ? 2 : 1);
  const ofColumns = up(Math.ceil(sizes.N / columns), cluster === "2n" ? 2 : 1);
  return (order === "rows" ? up(ofRows, group * (cluster === "2m" ? 2 : 1)) : ofRows) * ofColumns * (sizes.batch ?? 1);
}

/** Tiles of 64 rows for each warpgroup, of 2 bytes an element, that the copy engine brings. */
export function wgmmaCycles(sizes: Sizes, choice: WgmmaTile, target: string): number {
  const { consumers, columns, line, slots, waves, producer, cluster, parts, splits } = choice;
  const rows = warpgroup.rows * consumers;
  const threads = 128 * (consumers + (producer > 0 ? 1 : 0));
  const stored = parts === 0 ? 0 : (2 * rows * columns) / parts;
  const sharedBytes = 2 * slots * line * (rows + columns) + stored;
  // A thread of a consumer holds half a column's sums, and what it needs besides.
  const { registers, missing } = heldIn(columns / 2 + 40, 128 * consumers, 1);
  const tiles = tilesOf(sizes, rows, choice) * splits;
  const processors = usualMultiprocessors(target);
  const each = waves === 0 ? Math.ceil(tiles / processors) : waves;
  const facts = { threads, registers: Math.min(registers, allRegisters / threads), sharedBytes };
  const most = (occupancy(target, facts) ?? occupancy(usual, facts))?.blocks ?? 1;
  const blocks = Math.ceil(tiles / each);
  const together = Math.max(1, Math.min(most, Math.ceil(blocks / processors)));
  const turns = Math.ceil(blocks / processors / together);
  // Blocks of a cluster bring half of the operand that both read.
  const brought = cluster === "2m" ? rows + columns / 2 : cluster === "2n" ? rows / 2 + columns : rows + columns;
  const busy = Math.max((rows * columns * (missing > 0 ? 2 : 1)) / warpgroup.products, (2 * brought) / warpgroup.secondLevel);
  const unhidden = warpgroup.latency / line / slots / Math.min(2, consumers * together);
  const terms = Math.ceil(sizes.K / splits / line) * line;
  // Sums are stored while the producer fills slots for the next tile; without one nothing is.
  const store = (warpgroup.tile * (producer > 0 ? 1 : 2)) / Math.min(2, together * consumers) + (rows * columns) / 64;
  return turns * (each * (terms * (busy * together + unhidden) + store) + warpgroup.block) + addedCycles(sizes, splits, target);
}
