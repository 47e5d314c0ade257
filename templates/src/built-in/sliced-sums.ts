/**
 * Sums that the warps of a block divide: each has a part of the reduction for the same tile of the result, and brings what it
 * reads by itself; all meet in shared memory, where each thread adds and rounds its elements. Source: sliced-K kernels of
 * CUTLASS.
 */
import type { LoopRef, Schedule, StageRef } from "@warpfarm/compiler/language";
import { exactly } from "../exactly.ts";
import { warpSize } from "./product-of-tiles.ts";

interface Tile {
  readonly warps: number;
  readonly height: number;
  readonly width: number;
}

/** `sums` adds the parts of all warps where `out` is stored. Returns the loop of a block, at which the parts are computed. */
export function addSlices(sch: Schedule, out: StageRef, sums: StageRef, { warps, height, width }: Tile): LoopRef {
  // A thread adds up and rounds two neighbours; of small tiles not all warps have some.
  const adders = Math.min(warps, (height * width) / (warpSize * 2));
  const [rows, columns] = exactly(2, sch.axes(out));
  const [rowBlock, rowIn] = exactly(2, sch.split(rows, [null, height]));
  const [columnBlock, columnIn] = exactly(2, sch.split(columns, [null, width]));
  sch.reorder([rowBlock, columnBlock, rowIn, columnIn]);
  sch.bind(rowBlock, "blockIdx.y");
  sch.bind(columnBlock, "blockIdx.x");
  const [turn, ty, tx, pair] = exactly(4, sch.split(sch.fuse([rowIn, columnIn]), [null, adders, warpSize, 2]));
  sch.unroll(turn);
  sch.bind(ty, "threadIdx.y");
  sch.bind(tx, "threadIdx.x");
  sch.computeAt(sums, out, tx);
  const [, sumColumn] = exactly(2, sch.axes(sums));
  const [sumWarp] = exactly(1, sch.reduceAxes(sums));
  sch.reorder([sumWarp, sumColumn]);
  sch.unroll(sumWarp);
  sch.vectorize(pair);
  sch.vectorize(sumColumn);
  return columnBlock;
}

/** `loops`: that over warps, and those over what each copies, `copied` elements at once. */
export function copyByWarp(sch: Schedule, [warp, ...inner]: readonly LoopRef[], copied: number): void {
  const [turn, lane, element] = exactly(3, sch.split(sch.fuse(inner), [null, warpSize, copied]));
  sch.unroll(turn);
  sch.bind(warp as LoopRef, "threadIdx.y");
  sch.bind(lane, "threadIdx.x");
  sch.vectorize(element);
}
