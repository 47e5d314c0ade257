/**
 * Windows over some dimensions of a tensor, by default those after batch and channels: how they are spaced, and what they see of
 * a border. Each option is one number for all of these dimensions, or a list with one number a dimension.
 */
import type { Buffer } from "../../ir/buffer.ts";
import { constant } from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { add, all, greaterEqual, less, mul, type Operand, sub } from "../expr.ts";
import { refuse } from "../graph-error.ts";

export interface WindowOptions {
  /** From one window to the next; absent: 1. */
  readonly stride?: number | readonly number[];
  /** From one element of a window to the next; absent: 1. */
  readonly dilation?: number | readonly number[];
  /** Elements of the border before and after the data, as [before, after] in a list of pairs where they differ; absent: 0. */
  readonly padding?: number | readonly (number | readonly [number, number])[];
}

/** One dimension of a window. */
export interface Reach {
  readonly extent: number;
  readonly size: number;
  readonly stride: number;
  readonly dilation: number;
  readonly before: number;
  readonly after: number;
  /** The number of windows. */
  readonly places: number;
}

export function each<T>(what: string, given: T | readonly T[] | undefined, otherwise: T, rank: number): readonly T[] {
  if (given === undefined) return new Array(rank).fill(otherwise);
  if (!Array.isArray(given)) return new Array(rank).fill(given);
  if (given.length !== rank) refuse(`${what} has ${given.length} entries; the windows have ${rank} dimensions`);
  return given;
}

const checkWhole = (what: string, value: unknown, least: number): number =>
  Number.isSafeInteger(value) && (value as number) >= least
    ? (value as number)
    : refuse(`${what} is ${String(value)}; it is a whole number from ${least}`);

/**
 * `first`: the dimension of the data that the first of the windows' is. Throws GraphError when an option is no such number, or
 * when there is no window.
 */
export function reachesOf(
  name: string,
  data: Buffer,
  sizes: readonly number[],
  options: WindowOptions,
  first: number,
): readonly Reach[] {
  const rank = sizes.length;
  if (data.shape.length !== rank + 2)
    refuse(`${name}: "${data.name}" has ${data.shape.length} dimensions; windows of ${rank} dimensions take ${rank + 2}`);
  return reachesAlong(
    name,
    sizes.map((size, d) => ({ size, extent: data.shape[d + first] ?? 1, where: `dimension ${d + first}` })),
    options,
  );
}

/** One dimension that windows go along; `where`: its name in messages. */
export interface Along {
  readonly extent: number;
  readonly size: number;
  readonly where: string;
}

export function reachesAlong(name: string, along: readonly Along[], options: WindowOptions): readonly Reach[] {
  const rank = along.length;
  const strides = each(`${name}: stride`, options.stride, 1, rank);
  const dilations = each(`${name}: dilation`, options.dilation, 1, rank);
  const paddings = each<number | readonly [number, number]>(`${name}: padding`, options.padding as number, 0, rank);
  return along.map(({ extent, size, where }, d) => {
    const padding = paddings[d] ?? 0;
    const [before, after] = (typeof padding === "number" ? [padding, padding] : padding).map((p) =>
      checkWhole(`${name}: padding`, p, 0),
    ) as [number, number];
    const stride = checkWhole(`${name}: stride`, strides[d], 1);
    const dilation = checkWhole(`${name}: dilation`, dilations[d], 1);
    const [room, reach] = [extent + before + after, (size - 1) * dilation + 1];
    if (room < reach) refuse(`${name}: a window reaches over ${reach} elements of ${where}, and with its border it has ${room}`);
    return { extent, size, stride, dilation, before, after, places: Math.floor((room - reach) / stride) + 1 };
  });
}

/** Where element `k` of window `i` lies in the data; in the border it is below 0 or from the extent on. */
export const positionOf = ({ stride, dilation, before }: Reach, i: Operand, k: Operand): Expr =>
  sub(add(mul(i, stride), mul(k, dilation)), before);

/** Whether these positions are inside the data. */
export function areInside(reaches: readonly Reach[], positions: readonly Expr[]): Expr {
  const terms = reaches.flatMap(({ extent, before, after }, d) => {
    const at = positions[d] as Expr;
    return [...(before > 0 ? [greaterEqual(at, 0)] : []), ...(before + after > 0 ? [less(at, extent)] : [])];
  });
  return terms.length === 0 ? constant(1, "bool") : all(...terms);
}
