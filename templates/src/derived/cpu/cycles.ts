/**
 * An estimate of a register tile's time, to choose a config before any is measured: the logarithm of processor cycles, and small
 * preferences where the cycles do not tell. Two multiply-adds and two loads a cycle, a multiply-add's result after four.
 */
import { dtypeBytes } from "@warpfarm/common";
import { type Axis, accessesOf, grainOf, reads } from "@warpfarm/compiler/language";
import { vectorUnit } from "../../built-in/vector-unit.ts";
import { sizeOf } from "../stages.ts";
import type { TileChoice, TileOf } from "./tile.ts";

const firstCache = 24 << 10;
const secondCache = 512 << 10;
/** Bytes a cycle from the caches behind these. */
const rates = { second: 32, third: 12 };

const product = (numbers: readonly number[]): number => numbers.reduce((a, b) => a * b, 1);

export function cyclesOf(of: TileOf, choice: TileChoice): number {
  const { op, groups, windows, plain } = of;
  const { vectors, tile, unroll, step, tasks, inside } = choice;
  const along = (position: number): number => tile[of.tiled.indexOf(position)] ?? 1;
  const side = (axes: readonly number[]): number => product(axes.map(along));
  const sums = product(tile);
  const extent = vectors.axis === undefined ? 1 : (op.axes[vectors.axis] as Axis).extent;
  const used = extent / (Math.ceil(extent / vectors.lanes) * vectors.lanes);
  const terms = (sizeOf(op.axes) * sizeOf(op.reduce)) / (vectors.axis === undefined ? 1 : vectors.lanes * used);
  const isProduct = groups.length > 1;
  const loads = isProduct ? groups.reduce((n, axes) => n + side(axes), 0) / sums : 1 + 1 / sums;
  let cycles = Math.max(terms / Math.min(2, sums / 4), (terms * loads) / 2);
  // The sums, one operand's side and an element stay in registers; beyond these the compiler stores some.
  const needed = sums + (isProduct ? Math.min(...groups.map(side)) : 1) + 1;
  if (needed > vectorUnit(of.target).registers + 1) cycles *= 1.6;
  if (isUnaligned(of, choice)) cycles *= 1.3;
  if (isProduct) cycles += traffic(of, choice, along);
  if (vectors.packs.length > 0)
    cycles += 2 * vectors.packs.reduce((n, { buffer }) => n + product(buffer.shape), 0) + 2 * sizeOf(op.axes);
  const isUsual = windows.length > 0 ? unroll === 1 : unroll === (plain.length > 0 ? 1 : 0);
  const isUsualStep = windows.length > 0 ? step === 1 : step === 2 || step === 4;
  const preferred = [isUsual ? 0.3 : 0, isUsualStep ? 0.2 : 0, tasks === 1 ? 0.2 : 0, inside === "windows" ? 0.1 : 0];
  return 4 * Math.log2(cycles) - preferred.reduce((a, b) => a + b, 0);
}

/** Windows move vectors along by elements, so that they begin anywhere in memory. */
function isUnaligned({ op }: TileOf, { vectors }: TileChoice): boolean {
  const axis = vectors.axis === undefined ? undefined : (op.axes[vectors.axis] as Axis).loopVar;
  return (
    axis !== undefined &&
    vectors.axis === op.axes.length - 1 &&
    accessesOf(op.body).some(({ indices }) => {
      const last = indices.at(-1);
      return last !== undefined && reads(last, (v) => v === axis) && reads(last, (v) => op.reduce.some((r) => r.loopVar === v));
    })
  );
}

/** Cycles in which the operand of the inner group is brought again for each tile of the outer one. */
function traffic({ op, groups }: TileOf, { vectors, outer }: TileChoice, along: (position: number) => number): number {
  const [outermost, innermost] = (outer === "first" ? groups : groups.toReversed()) as readonly [
    readonly number[],
    readonly number[],
  ];
  const extent = sizeOf(outermost.map((position) => op.axes[position] as Axis));
  const tile = product(outermost.map((position) => along(position) * (position === vectors.axis ? vectors.lanes : 1)));
  const inner = accessesOf(op.body).filter((load) =>
    innermost.some((position) => grainOf(load, (op.axes[position] as Axis).loopVar) === 1),
  );
  const bytes = inner.reduce((n, { buffer }) => n + dtypeBytes(buffer.dtype, product(buffer.shape)), 0);
  if (bytes <= firstCache) return 0;
  return ((extent / tile) * bytes) / (bytes > secondCache ? rates.third : rates.second);
}
