/**
 * The block of the float32 templates without tensor cores: row_warps x col_warps warps, each of lane_rows x 32/lane_rows lanes; a
 * lane sums thread_rows x thread_cols elements in registers, in squares of 4 by 4 that lie a warp's width apart, so that lanes
 * read neighbouring vectors of shared memory without bank conflicts. Source: the blocking of CUTLASS's SIMT kernels.
 */
import type { LoopRef, Schedule, SpaceBuilder } from "@warpfarm/compiler/language";
import { exactly } from "../exactly.ts";

type Stage = ReturnType<Schedule["cacheRead"]>;

const warpLanes = 32;
/** Elements of 16 bytes, and the side of a lane's squares. */
export const vector = 4;

const chunks = [8, 16, 32];
export const mostChunk = 32;

export const tileKnobs = (space: SpaceBuilder) => ({
  threadRows: space.choice("thread_rows", [4, 8, 16]),
  threadCols: space.choice("thread_cols", [4, 8, 16]),
  rowWarps: space.choice("row_warps", [1, 2, 4, 8]),
  colWarps: space.choice("col_warps", [1, 2, 4]),
  laneRows: space.choice("lane_rows", [2, 4, 8]),
  chunk: space.choice("chunk", chunks),
  stages: space.choice("stages", [2, 3, 4]),
  minBlocks: space.choice("min_blocks", [0, 1, 2, 3]),
});

export interface TileShape {
  readonly threadRows: number;
  readonly threadCols: number;
  readonly rowWarps: number;
  readonly colWarps: number;
  readonly laneRows: number;
  /** Whether lanes above each other have neighbouring rows, not squares of 4: for operands that are read along the reduction. */
  readonly alternates?: boolean;
  /**
   * Lanes in squares of two by two. A read of 16 bytes per lane serves two quarters of a warp at once if neighbouring lanes, or
   * those two apart, read the same: the former share rows, the latter columns. (Otherwise the columns take four steps.)
   */
  readonly interleaved?: boolean;
}

/** Rows and columns of a block, and its threads. */
export const blockOf = ({ threadRows, threadCols, rowWarps, colWarps, laneRows }: TileShape) => ({
  rows: threadRows * rowWarps * laneRows,
  columns: threadCols * colWarps * (warpLanes / laneRows),
  threads: warpLanes * rowWarps * colWarps,
});

type Parts = [block: LoopRef, vthread: LoopRef, warp: LoopRef, ...rest: LoopRef[]];
const lanesOf = (lanes: number, interleaved: boolean): readonly number[] => (interleaved ? [lanes / 2, 2] : [lanes]);

/**
 * Cuts rows and columns of the result into blocks of such tiles and binds all but the blocks. Gives the two loops over blocks,
 * and the loop over lanes, where a lane's sums are computed.
 */
export function cutIntoTiles(sch: Schedule, rows: LoopRef, cols: LoopRef, shape: TileShape) {
  const { threadRows, threadCols, rowWarps, colWarps, laneRows, alternates = false, interleaved = false } = shape;
  const laneCols = warpLanes / laneRows;
  const side = alternates ? 1 : vector;
  const rowParts = [null, threadRows / side, rowWarps, ...lanesOf(laneRows, interleaved), side];
  const colParts = [null, threadCols / vector, colWarps, ...lanesOf(laneCols, interleaved), vector];
  const [rowBlock, rv, rw, ...ofRow] = sch.split(rows, rowParts) as Parts;
  const [colBlock, cv, cw, ...ofCol] = sch.split(cols, colParts) as Parts;
  const [ri, ci] = [ofRow.pop() as LoopRef, ofCol.pop() as LoopRef];
  const lanes = ofRow.flatMap((row, i) => [row, ofCol[i] as LoopRef]);
  sch.reorder([rowBlock, colBlock, rv, cv, rw, cw, ...lanes, ri, ci]);
  sch.bind(rv, "vthread");
  sch.bind(cv, "vthread");
  sch.bind(sch.fuse([rw, cw]), "threadIdx.y");
  const lane = sch.fuse(lanes);
  sch.bind(lane, "threadIdx.x");
  sch.unroll(ri);
  return { rowBlock, colBlock, lane, inRow: ci };
}

/**
 * All threads of the block copy a chunk, neighbours to neighbours: in vectors if every row of the operand, of `row` elements in
 * global memory, begins at one.
 */
export function copyTogether(sch: Schedule, copy: Stage, warps: number, row: number): void {
  const lanes = row % vector === 0 ? vector : 1;
  const element = shareOut(sch, sch.fuse(sch.axes(copy)), warps, lanes);
  if (lanes > 1) sch.vectorize(element);
}

/** The same for a chunk (k, r), or (z, k, r), of an operand that lies in rows along the reduction. */
export function copyTransposed(sch: Schedule, copy: Stage, warps: number): void {
  const axes = sch.axes(copy);
  const batch = axes.slice(0, -2);
  const [k, r] = exactly(2, axes.slice(-2));
  // A warp takes 8 neighbours along k, a sector of global memory, of 4 rows: with rows that are 4 more than a multiple of 8 it
  // writes 32 banks.
  const [ko, ki] = exactly(2, sch.split(k, [null, 8]));
  const [ro, ri] = exactly(2, sch.split(r, [null, vector]));
  sch.reorder([...batch, ko, ro, ri, ki]);
  shareOut(sch, sch.fuse([...batch, ko, ro, ri, ki]), warps, 1);
  sch.storageAlign(copy, batch.length, 8, 4);
}

/**
 * The same for a chunk (z, k, r) of windows, whose terms k are `taps` for each channel: a thread copies all taps of its element
 * of a channel. Where it lies is then computed once for all, and a tap adds a constant to its place, and to the tests of the
 * border.
 */
export function copyWindows(sch: Schedule, copy: Stage, warps: number, taps: number): void {
  const [z, k, r] = exactly(3, sch.axes(copy));
  const [channel, tap] = exactly(2, sch.split(k, [null, taps]));
  sch.reorder([z, channel, r, tap]);
  shareOut(sch, sch.fuse([z, channel, r]), warps, 1);
  sch.unroll(tap);
}

function shareOut(sch: Schedule, all: LoopRef, warps: number, lanes: number): LoopRef {
  const [turn, warp, lane, element] = exactly(4, sch.split(all, [null, warps, warpLanes, lanes]));
  sch.unroll(turn);
  sch.bind(warp, "threadIdx.y");
  sch.bind(lane, "threadIdx.x");
  return element;
}
