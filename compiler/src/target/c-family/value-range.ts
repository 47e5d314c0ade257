/** Possible values of integer expressions, from the types of casts and the loops in them. */
import { type DType, isFloat } from "@warpfarm/common";
import type { Analyzer } from "../../arith/analyzer.ts";
import { everything, hull, type Interval, times } from "../../arith/interval.ts";
import type { Expr } from "../../ir/expr.ts";

/** Integer types in which C computes directly, and which do not wrap. */
export const isWide = (dtype: DType): boolean => dtype === "int32" || dtype === "int64";

/** Whether the last step of `e` may leave its type. */
export const mayWrap = (e: Expr, analyzer: Analyzer): boolean => !fits(e.dtype, sumRange(e, analyzer));

const narrow: Partial<Record<DType, readonly [number, number]>> = {
  bool: [0, 1],
  int1: [0, 1],
  int4: [-8, 7],
  int8: [-128, 127],
  uint8: [0, 255],
};

const rangeOfType = (dtype: DType): Interval => {
  const [lo, hi] = narrow[dtype] ?? (dtype === "int32" ? [-(2 ** 31), 2 ** 31 - 1] : [-Infinity, Infinity]);
  return { lo, hi };
};
const fits = (dtype: DType, { lo, hi }: Interval): boolean => {
  const most = dtype === "int32" ? 2 ** 31 : Number.MAX_SAFE_INTEGER;
  return lo >= -most && hi < most;
};

/** The possible values of an integer expression, from casts and loops. */
function rangeOf(e: Expr, analyzer: Analyzer): Interval {
  if (!isWide(e.dtype)) return rangeOfType(e.dtype);
  const range = sumRange(e, analyzer);
  return fits(e.dtype, range) ? range : rangeOfType(e.dtype);
}

/** The same for exact arithmetic in the last step. */
function sumRange(e: Expr, analyzer: Analyzer): Interval {
  switch (e.kind) {
    case "Cast":
      return isFloat(e.value.dtype) ? everything : rangeOf(e.value, analyzer);
    case "Add":
    case "Sub": {
      const [x, y] = [rangeOf(e.a, analyzer), rangeOf(e.b, analyzer)];
      return e.kind === "Add" ? { lo: x.lo + y.lo, hi: x.hi + y.hi } : { lo: x.lo - y.hi, hi: x.hi - y.lo };
    }
    case "Mul":
      return times(rangeOf(e.a, analyzer), rangeOf(e.b, analyzer));
    case "Select":
      return hull(rangeOf(e.whenTrue, analyzer), rangeOf(e.whenFalse, analyzer));
    default:
      return e.dtype === "int32" ? analyzer.boundsOf(analyzer.linear(e)) : everything;
  }
}
