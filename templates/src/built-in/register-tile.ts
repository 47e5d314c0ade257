/**
 * What the CPU schedules of matrix-like computations share: a tile of rows by vectors is accumulated in registers over the whole
 * reduction. Each step of the reduction loads the vectors of one operand and broadcasts one element a row of the other.
 *
 *   for rows outer, columns outer:
 *     for reduction outer: for reduction inner (written out): for row, vector: acc[row, vector] += broadcast * vector
 *     for row, vector: out[row, vector] = acc[row, vector]
 */
import type { LoopRef, Schedule, StageRef } from "@warpfarm/compiler/language";
import { exactly } from "../exactly.ts";

interface RegisterTile {
  readonly rows: number;
  readonly vectors: number;
  readonly lanes: number;
}

interface TileLoops {
  readonly rowOuter: LoopRef;
  readonly columnOuter: LoopRef;
  readonly inner: readonly LoopRef[];
}

/** Splits a stage's row and column loops into tiles; what is inside a tile is straight-line code over vectors. */
export function tileStage(sch: Schedule, row: LoopRef, column: LoopRef, { rows, vectors, lanes }: RegisterTile): TileLoops {
  const [rowOuter, r] = exactly(2, sch.split(row, [null, rows]));
  const [columnOuter, v, lane] = exactly(3, sch.split(column, [null, vectors, lanes]));
  sch.unroll(r);
  sch.unroll(v);
  if (lanes > 1) sch.vectorize(lane);
  return { rowOuter, columnOuter, inner: [r, v, lane] };
}

/** The accumulator's own loops below its reduction; the last loops of `reduction`, `writtenOut` of them, are written out. */
export function tileAccumulator(
  sch: Schedule,
  acc: StageRef,
  reduction: readonly LoopRef[],
  writtenOut: number,
  lanes: number,
): void {
  const spatial = sch.axes(acc);
  const [v, lane] = exactly(2, sch.split(spatial.at(-1) as LoopRef, [null, lanes]));
  const row = spatial.at(-2) as LoopRef;
  sch.reorder([...reduction, row, v, lane]);
  for (const loop of reduction.slice(reduction.length - writtenOut)) sch.unroll(loop);
  sch.unroll(row);
  sch.unroll(v);
  if (lanes > 1) sch.vectorize(lane);
}

/** A stage that only moves or converts: its loops in parallel, all but the last `inside`. Requires that some are left. */
export function parallelCopy(sch: Schedule, stage: StageRef, inside: number): void {
  const outer = sch.axes(stage).slice(0, -inside);
  sch.parallel(outer.length > 1 ? sch.fuse(outer) : (outer[0] as LoopRef));
}
