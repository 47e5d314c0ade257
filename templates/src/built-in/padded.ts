/** Extents slightly larger than the tensors', so that tiles divide them. */
import {
  all,
  at,
  type Buffer,
  compute,
  type Expr,
  less,
  type Schedule,
  type StageRef,
  select,
} from "@warpfarm/compiler/language";

/** The least multiple of the first of `granules` that adds at most an eighth; if none does, that of the last one. */
export function paddedExtent(extent: number, granules: readonly number[]): number {
  const multiple = (of: number) => wholeMultiple(extent, of).padded;
  const granule = granules.find((of) => (multiple(of) - extent) * 8 <= multiple(of)) ?? granules.at(-1) ?? 1;
  return multiple(granule);
}

export interface PaddedAxis {
  readonly extent: number;
  readonly padded: number;
}

export const wholeMultiple = (extent: number, of: number): PaddedAxis => ({ extent, padded: Math.ceil(extent / of) * of });

/**
 * `value` where every index is within its extent and `tests` hold, otherwise zero. The value itself where nothing can be beyond.
 */
export function zeroBeyond(
  value: Expr,
  axes: readonly (readonly [index: Expr, axis: PaddedAxis])[],
  tests: readonly Expr[] = [],
): Expr {
  const within = axes.filter(([, { extent, padded }]) => padded > extent).map(([index, { extent }]) => less(index, extent));
  const every = [...tests, ...within];
  return every.length === 0 ? value : select(all(...every), value, 0);
}

const tile = 16;
/** Granules of rows and columns of a product on tensor cores, and of its reduction. */
const sideGranules = [128, 64, 32, tile];
const sumGranules = [64, 32, tile];

const unlessWhole = (extent: number, granules: readonly number[]): PaddedAxis => ({
  extent,
  padded: extent % tile === 0 ? extent : paddedExtent(extent, granules),
});
/** Pads to whole tiles, and to blocks where that adds little; whole tiles stay as they are. */
export const paddedSide = (extent: number): PaddedAxis => unlessWhole(extent, sideGranules);
export const paddedSum = (extent: number): PaddedAxis => unlessWhole(extent, sumGranules);

export const viewName = (operand: Buffer): string => `${operand.name}_padded`;

/** The operand, or each matrix of a batch, with zeros beyond its extents; the operand itself where nothing is beyond. */
export function paddedMatrix(operand: Buffer, rows: PaddedAxis, columns: PaddedAxis): Buffer {
  if (rows.padded === rows.extent && columns.padded === columns.extent) return operand;
  const batch = operand.shape.slice(0, -2).map((extent) => ["z", extent] as const);
  return compute(viewName(operand), [...batch, ["i", rows.padded], ["j", columns.padded]], (...index) => {
    const [i, j] = index.slice(-2) as [Expr, Expr];
    return zeroBeyond(at(operand, ...index), [
      [i, rows],
      [j, columns],
    ]);
  });
}

/** What copies of an operand read: the view of paddedMatrix, which is inlined from now on, or the operand. */
export function inlinedView(sch: Schedule, operand: Buffer): StageRef | Buffer {
  if (!sch.graph.ops.some(({ output }) => output.name === viewName(operand))) return operand;
  const view = sch.stage(viewName(operand));
  sch.computeInline(view);
  return view;
}

/** Elements of two bytes that a lane copies at once, at most 16 bytes: so many that every row begins with a whole vector. */
export const halvesAtOnce = (row: number): number => [8, 4, 2].find((lanes) => row % lanes === 0) ?? 1;
