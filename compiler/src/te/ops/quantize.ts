/**
 * Integers for floats, by scales of a whole tensor or of a channel: q = round(x / scale) + zero, within the type. Scales are
 * broadcast.
 */
import { type DType, intRanges } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { add, cast, div, maximum, minimum, mul, round, sub } from "../expr.ts";
import { optionsOf, refuse } from "../graph-error.ts";
import { elementwise } from "./elementwise.ts";

export interface QuantizeOptions {
  readonly name?: string;
  /** The integer that stands for 0; absent: 0. */
  readonly zero?: number;
  /** Absent: int8. */
  readonly dtype?: DType;
}

const isChosen = (dtype: DType): boolean => dtype === "int8" || dtype === "uint8";

/** round(x) + zero, within int8 or uint8. */
export function saturated(x: Expr, zero: Expr | number, dtype: DType): Expr {
  const [least, most] = intRanges[dtype] ?? [0, 0];
  return cast(dtype, cast("int32", minimum(maximum(add(round(x), zero), least), most)));
}

/** Floats and their scales to integers. Throws GraphError for a type that is none of int8 and uint8. */
export function quantize(x: Buffer, scale: Buffer, options: QuantizeOptions = {}): Buffer {
  const { name = "quantized", zero = 0, dtype = "int8" } = optionsOf("quantize", options, ["name", "zero", "dtype"]);
  if (!isChosen(dtype)) refuse(`${name}: the type is ${dtype}; it is int8 or uint8`);
  return elementwise(name, [x, scale], (a, s) => saturated(div(a as Expr, s as Expr), zero, dtype));
}

/** (q - zero) scale, in the type of the scale. */
export function dequantize(q: Buffer, scale: Buffer, options: Omit<QuantizeOptions, "dtype"> = {}): Buffer {
  const { name = "dequantized", zero = 0 } = optionsOf("dequantize", options, ["name", "zero"]);
  return elementwise(name, [q, scale], (a, s) => mul(cast(scale.dtype, sub(cast("int32", a as Expr), zero)), s as Expr));
}

/** Sums of products of integers (int32) to integers: round(sum factor) + zero, where the factor is scaleA scaleB / scaleOut. */
export function requantize(sums: Buffer, factor: Buffer, options: QuantizeOptions = {}): Buffer {
  const { name = "requantized", zero = 0, dtype = "int8" } = optionsOf("requantize", options, ["name", "zero", "dtype"]);
  if (!isChosen(dtype)) refuse(`${name}: the type is ${dtype}; it is int8 or uint8`);
  return elementwise(name, [sums, factor], (a, f) => saturated(mul(cast(factor.dtype, a as Expr), f as Expr), zero, dtype));
}
