/**
 * Element types as a C compiler has them. A type may be emulated: kept in memory as bits, computed with as float, rounded after
 * each operation. That is exact for + - * / and square root of floats of 16 and 8 bits: float has more than twice their digits
 * (double rounding is innocuous at 2p + 2 bits).
 *
 * int4 and int1 are packed into words (common/dtype.ts) wherever others see them: arguments, shared memory. A value of theirs,
 * and an array that one thread keeps to itself, is a char an element.
 */
import { type DType, dtypeBits, isPacked } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import type { MathName } from "../../ir/expr.ts";

export interface CTypes {
  readonly constants: string;
  /** Type of an element in memory; for a packed type, that of an element alone. */
  readonly storage: (dtype: DType) => string;
  readonly value: (dtype: DType) => string;
  readonly isEmulated: (dtype: DType) => boolean;
  /** Whether a plain cast of a float to this integer type saturates. */
  readonly castSaturates: (dtype: DType) => boolean;
  readonly literal: (dtype: DType, value: number) => string;
  readonly math: (name: MathName, dtype: DType) => string;
}

/** The short name of a type in helpers and vector types: f32, i8. */
export const shortName: Record<DType, string> = {
  float16: "f16",
  bfloat16: "bf16",
  float32: "f32",
  float64: "f64",
  float8_e4m3fn: "f8",
  float8_e5m2: "bf8",
  int8: "i8",
  uint8: "u8",
  int32: "i32",
  int64: "i64",
  int4: "i4",
  int1: "i1",
  bool: "b8",
};

/** Both targets have all types. */
export const allDTypes: ReadonlySet<DType> = new Set(Object.keys(shortName) as readonly DType[]);

export const integerTypes: Partial<Record<DType, string>> = {
  int8: "signed char",
  uint8: "unsigned char",
  int32: "int",
  int64: "long long",
  int4: "signed char",
  int1: "unsigned char",
  bool: "unsigned char",
};

/** The declaration of a shared array: elements, or the words of a packed type. Its shape is flat. */
export function sharedArray(types: CTypes, { dtype, shape }: Buffer): { readonly type: string; readonly length: number } {
  const elements = shape[0] ?? 1;
  if (!isPacked(dtype)) return { type: types.storage(dtype), length: elements };
  return { type: "unsigned int", length: Math.ceil((elements * dtypeBits(dtype)) / 32) };
}

/** An integer as a C literal. The smallest value of a type has no literal of its own. */
export function integerLiteral(dtype: DType, value: number): string {
  if (dtype === "int64") return `${value}LL`;
  return value === -(2 ** 31) ? "(-2147483647 - 1)" : String(value);
}

/** The C library's function of a float. Its `rint` rounds halves to the even number. */
export function mathFunction(name: MathName, dtype: DType): string {
  const word = name === "abs" ? "fabs" : name === "round" ? "rint" : name;
  return dtype === "float64" ? word : `${word}f`;
}

/** A finite float that reads back exactly. */
export function finiteLiteral(dtype: DType, value: number): string {
  const rounded = dtype === "float64" ? value : Math.fround(value);
  const text = Object.is(rounded, -0) ? "-0" : String(rounded);
  const pointed = /^-?\d+$/.test(text) ? `${text}.0` : text;
  return dtype === "float64" ? pointed : `${pointed}f`;
}
