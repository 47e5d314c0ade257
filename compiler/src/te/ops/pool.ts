/** The greatest or the mean element of each window of a channel. data (N, C, ...) -> (N, C, ...), or with channels last. */
import type { Buffer } from "../../ir/buffer.ts";
import { identityOf } from "../../ir/combiner.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute, maxOf, type Reduction, reduceAxis, sum } from "../compute.ts";
import { at, cast, div, maximum, minimum, mul, type Operand, select, sub } from "../expr.ts";
import { optionsOf, refuse } from "../graph-error.ts";
import { axesOf } from "./elementwise.ts";
import { meanOver } from "./reductions.ts";
import { areInside, positionOf, type Reach, reachesOf, type WindowOptions } from "./window.ts";

export interface PoolOptions extends WindowOptions {
  /** Extents of a window. */
  readonly size: readonly number[];
  readonly name?: string;
  /** Data and result (N, ..., C); absent: they are (N, C, ...). */
  readonly channelsLast?: boolean;
}

const poolNames = ["size", "name", "channelsLast", "stride", "dilation", "padding"] as const;

/** The dimension of the data that the first of the windows' is. */
const firstOf = ({ channelsLast = false }: Pick<PoolOptions, "channelsLast">): number => (channelsLast ? 1 : 2);

function pooled(
  name: string,
  data: Buffer,
  reaches: readonly Reach[],
  first: number,
  border: Operand,
  reduce: (term: Expr, axes: Parameters<typeof sum>[1]) => Reduction,
): Buffer {
  const window = reaches.map(({ size }, d) => reduceAxis(`r${d}`, size));
  const axes = data.shape.map((extent, d): readonly [string, number] => {
    const reach = reaches[d - first];
    return reach ? [`i${d - first}`, reach.places] : [d === 0 ? "n" : "c", extent];
  });
  return compute(name, axes, (...index) => {
    const positions = reaches.map((reach, d) =>
      positionOf(reach, index[d + first] as Expr, (window[d] as { loopVar: Expr }).loopVar),
    );
    const element = at(data, ...index.map((i, d) => positions[d - first] ?? i));
    return reduce(select(areInside(reaches, positions), element, border), window);
  });
}

/** Does no element of some window lie in the data? */
const isLost = ({ extent, size, stride, dilation, before, places }: Reach): boolean =>
  Array.from({ length: places }, (_, i) => i * stride - before).some((start) => {
    const element = Math.ceil(Math.max(0, -start) / dilation);
    return element >= size || start + element * dilation >= extent;
  });

/** Of a window in the border alone there is no greatest and no mean element. */
function refuseBorderWindows(name: string, reaches: readonly Reach[], first: number): void {
  const lost = reaches.findIndex(isLost);
  if (lost >= 0) refuse(`${name}: padding in dimension ${lost + first} is so large that a window lies in the border alone`);
}

/** A window's part in the border is as if it were not there. Throws GraphError that names the fault. */
export function maxPool(data: Buffer, options: PoolOptions): Buffer {
  const { size, name = "pool" } = optionsOf("maxPool", options, poolNames);
  const first = firstOf(options);
  const reaches = reachesOf(name, data, size, options, first);
  refuseBorderWindows(name, reaches, first);
  return pooled(name, data, reaches, first, identityOf("max", data.dtype) ?? 0, maxOf);
}

/** `countsBorder`: whether elements of the border count, as zeros; absent: they do not. Floats; windows of dilation 1. */
export function averagePool(data: Buffer, options: PoolOptions & { readonly countsBorder?: boolean }): Buffer {
  const { size, name = "pool", countsBorder = false } = optionsOf("averagePool", options, [...poolNames, "countsBorder"]);
  const first = firstOf(options);
  const reaches = reachesOf(name, data, size, options, first);
  if (reaches.some(({ dilation }) => dilation !== 1)) refuse(`${name}: dilation is not 1, and means are of neighbours`);
  if (!countsBorder) refuseBorderWindows(name, reaches, first);
  const total = pooled(`${name}_sum`, data, reaches, first, 0, sum);
  return compute(name, axesOf(total.shape), (...index) => {
    const counts = reaches.map(({ extent, size: reach, stride, before, after }, d): Expr | number => {
      if (countsBorder || before + after === 0) return reach;
      const from = sub(mul(index[d + first] as Expr, stride), before);
      return sub(minimum(sub(from, -reach), extent), maximum(from, 0));
    });
    const count = counts.reduce<Expr | number>((a, b) => (typeof a === "number" && typeof b === "number" ? a * b : mul(a, b)), 1);
    const divisor = typeof count === "number" ? count : cast(data.dtype, count);
    return div(at(total, ...index), divisor);
  });
}

/** (N, C, ...) -> (N, C, 1, ...) */
export const globalAveragePool = (data: Buffer, options: { readonly name?: string } = {}): Buffer =>
  meanOver(
    data,
    data.shape.slice(2).map((_, d) => d + 2),
    { name: optionsOf("globalAveragePool", options, ["name"]).name ?? "pool" },
  );
