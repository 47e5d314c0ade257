/**
 * Numbers as devices keep them: how a dtype rounds or wraps, and which typed array holds it. A Float32Array holds values of
 * narrower floats, a Float64Array int64 values up to 2^53; int4 and int1 have one element per byte.
 */
import { type DType, type Float8, intRanges, largestFloat8 } from "@warpfarm/common";

export type TensorData = Float64Array | Float32Array | Int32Array | Int8Array | Uint8Array;

export function createData(dtype: DType, length: number): TensorData {
  switch (dtype) {
    case "float64":
    case "int64":
      return new Float64Array(length);
    case "float32":
    case "float16":
    case "bfloat16":
    case "float8_e4m3fn":
    case "float8_e5m2":
      return new Float32Array(length);
    case "int32":
      return new Int32Array(length);
    case "int8":
    case "int4":
      return new Int8Array(length);
    case "uint8":
    case "int1":
    case "bool":
      return new Uint8Array(length);
  }
}

const bits64 = new Float64Array(1);
const words = new Uint32Array(bits64.buffer);

/**
 * Round to nearest even at `precision` significant bits, with gradual underflow below 2^leastExponent and overflow beyond
 * `largest`.
 */
function roundFloat(x: number, precision: number, leastExponent: number, largest: number): number {
  if (x === 0 || !Number.isFinite(x)) return x;
  bits64[0] = x;
  const exponent = (((words[1] as number) >>> 20) & 0x7ff) - 1023;
  const quantum = 2 ** (Math.max(exponent, leastExponent) - precision + 1);
  // Adding 1.5 * 2^52 quanta leaves no bits below one quantum: the hardware rounds to nearest even.
  const magic = 1.5 * 2 ** 52 * quantum;
  const rounded = x + magic - magic;
  if (Math.abs(rounded) > largest) return rounded > 0 ? Infinity : -Infinity;
  return rounded === 0 ? x * 0 : rounded;
}

export const toFloat16 = (x: number): number => roundFloat(x, 11, -14, 65504);
export const toBfloat16 = (x: number): number => roundFloat(x, 8, -126, 2 ** 127 * (2 - 2 ** -7));

/** What is beyond the greatest value becomes it. */
function rounded8(x: number, dtype: Float8, digits: number, least: number): number {
  const most = largestFloat8[dtype];
  return roundFloat(Number.isNaN(x) ? x : Math.max(-most, Math.min(most, x)), digits, least, most);
}
export const toE4m3 = (x: number): number => rounded8(x, "float8_e4m3fn", 4, -6);
export const toE5m2 = (x: number): number => rounded8(x, "float8_e5m2", 3, -14);

export function toInt64(x: number): number {
  if (!Number.isSafeInteger(x)) throw new RangeError(`int64 value ${x} is beyond what the interpreter carries (2^53)`);
  return x;
}

/** The value of a register of this dtype after an operation with the exact (float64) result x. Integers wrap around. */
export function roundTo(dtype: DType): (x: number) => number {
  switch (dtype) {
    case "float64":
      return (x) => x;
    case "float32":
      return Math.fround;
    case "float16":
      return toFloat16;
    case "bfloat16":
      return toBfloat16;
    case "float8_e4m3fn":
      return toE4m3;
    case "float8_e5m2":
      return toE5m2;
    case "int64":
      return toInt64;
    case "int32":
      return (x) => x | 0;
    case "int8":
      return (x) => (x << 24) >> 24;
    case "uint8":
      return (x) => x & 255;
    case "int4":
      return (x) => (x << 28) >> 28;
    case "int1":
      return (x) => x & 1;
    case "bool":
      return (x) => (x ? 1 : 0);
  }
}

/** Float to integer: rounds towards zero. Out of range saturates and NaN gives 0, as on CUDA (C leaves it undefined). */
export function truncateTo(dtype: DType): (x: number) => number {
  const [least, most] = intRanges[dtype] ?? [0, 1];
  return (x) => (Number.isNaN(x) ? 0 : Math.min(most, Math.max(least, Math.trunc(x))) + 0);
}

export function floorMod(a: number, b: number): number {
  const r = a % b;
  return r !== 0 && r < 0 !== b < 0 ? r + b : r + 0;
}
