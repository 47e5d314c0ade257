/** How a reduction combines two values, and its start value. */
import { assertNever, type DType, isFloat } from "@warpfarm/common";
import * as b from "./build.ts";
import type { Expr } from "./expr.ts";
import type { Combiner } from "./stmt.ts";

const intRange: Partial<Record<DType, readonly [number, number]>> = {
  int8: [-128, 127],
  uint8: [0, 255],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int4: [-8, 7],
  int1: [0, 1],
};

/** Undefined for a dtype without extremes that an immediate can hold (bool, int64). */
export function identityOf(combiner: Combiner, dtype: DType): Expr | undefined {
  if (combiner === "sum" || combiner === "prod")
    return dtype === "bool" ? undefined : b.constant(combiner === "sum" ? 0 : 1, dtype);
  if (isFloat(dtype)) return b.float(combiner === "max" ? -Infinity : Infinity, dtype);
  const range = intRange[dtype];
  return range && b.int(range[combiner === "max" ? 0 : 1], dtype);
}

export function combine(combiner: Combiner, a: Expr, x: Expr): Expr {
  switch (combiner) {
    case "sum":
      return b.add(a, x);
    case "prod":
      return b.mul(a, x);
    case "max":
      return b.max(a, x);
    case "min":
      return b.min(a, x);
    default:
      return assertNever(combiner);
  }
}

/** The same on numbers, which the interpreters compute with. `round`: to the dtype. */
export function combineNumbers(combiner: Combiner, round: (x: number) => number): (a: number, x: number) => number {
  switch (combiner) {
    case "sum":
      return (a, x) => round(a + x);
    case "prod":
      return (a, x) => round(a * x);
    case "max":
      return (a, x) => (a > x ? a : x);
    case "min":
      return (a, x) => (a < x ? a : x);
    default:
      return assertNever(combiner);
  }
}
