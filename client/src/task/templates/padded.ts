/**
 * Extents a little larger than the tensors', so that tiles divide them: what lies beyond is a view that reads as zero, inlined
 * into copies to shared memory, and only the final store has a guard.
 */
import { all, type Expr, less, select } from "@warpfarm/compiler/language";

/** The least multiple of the first of `granules` that adds at most an eighth; if none does, of the last one. */
export function paddedExtent(extent: number, granules: readonly number[]): number {
  const multiple = (of: number) => Math.ceil(extent / of) * of;
  const granule = granules.find((of) => (multiple(of) - extent) * 8 <= multiple(of)) ?? granules.at(-1) ?? 1;
  return multiple(granule);
}

export interface PaddedAxis {
  readonly extent: number;
  readonly padded: number;
}

/** `value` where every index is within its extent and `tests` hold, else zero; the value itself where nothing can be beyond. */
export function zeroBeyond(
  value: Expr,
  axes: readonly (readonly [index: Expr, axis: PaddedAxis])[],
  tests: readonly Expr[] = [],
): Expr {
  const within = axes.filter(([, { extent, padded }]) => padded > extent).map(([index, { extent }]) => less(index, extent));
  const every = [...tests, ...within];
  return every.length === 0 ? value : select(all(...every), value, 0);
}
