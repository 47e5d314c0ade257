/** How a config divides a matrix product, before any build. Searches read other shapes' records by it. */
import { usualMultiprocessors } from "@warpfarm/common/occupancy";

export interface Outline {
  readonly extents: readonly [rows: number, columns: number, sum: number];
  readonly block: readonly [rows: number, columns: number, step: number];
  readonly threads: number;
  readonly splits: number;
  /** Products of these extents; absent: 1. */
  readonly batch?: number;
}

export interface Sizes extends Readonly<Record<"M" | "N" | "K", number>> {
  /** Products of these sizes. */
  readonly batch?: number | undefined;
}
interface Block extends Readonly<Record<"rows" | "columns" | "step" | "threads", number>> {
  readonly splits?: number;
}

export const outlineOf = ({ M, N, K, batch = 1 }: Sizes, { rows, columns, step, threads, splits = 1 }: Block): Outline => ({
  extents: [M, N, K],
  block: [rows, columns, step],
  threads,
  splits,
  batch,
});

export const blocksOf = ({ extents: [rows, columns], block, splits, batch = 1 }: Outline): number =>
  Math.ceil(rows / block[0]) * Math.ceil(columns / block[1]) * splits * batch;

/** Blocks of the grid, as a multiple of the multiprocessors of a usual card of the target. */
export const wavesOf = (outline: Outline, target: string): number => blocksOf(outline) / usualMultiprocessors(target);

/** Iterations of a block's loop over its sum. */
export const stepsOf = ({ extents: [, , sum], block, splits }: Outline): number => Math.ceil(sum / (splits * block[2]));
