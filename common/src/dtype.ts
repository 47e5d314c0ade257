/**
 * Element types. All but two are little-endian C types. int4 and int1 are packed into 32-bit words, with the first element in the
 * most significant bits: int4 element 8j + e has the bits from 4(7 - e) up of word j, in two's complement; int1 element 32j + e
 * is bit 31 - e (0 or 1). An array of them has whole words, and spare bits have no meaning.
 *
 * The two of 8 bits are those of "FP8 Formats for Deep Learning" (Micikevicius et al., 2022): e4m3fn has 3 bits of fraction, no
 * infinity, and ends at 448; e5m2 has 2, and ends at 57344. What is beyond becomes the greatest value, in both.
 */
export const dtypes = [
  "float16",
  "bfloat16",
  "float32",
  "float64",
  "float8_e4m3fn",
  "float8_e5m2",
  "int8",
  "uint8",
  "int32",
  "int64",
  "int4",
  "int1",
  "bool",
] as const;
export type DType = (typeof dtypes)[number];

const bits: Record<DType, number> = {
  float16: 16,
  bfloat16: 16,
  float32: 32,
  float64: 64,
  float8_e4m3fn: 8,
  float8_e5m2: 8,
  int8: 8,
  uint8: 8,
  int32: 32,
  int64: 64,
  int4: 4,
  int1: 1,
  bool: 8,
};
export const dtypeBits = (dtype: DType): number => bits[dtype];
export const isPacked = (dtype: DType): boolean => bits[dtype] < 8;
export const dtypeBytes = (dtype: DType, count = 1): number =>
  isPacked(dtype) ? 4 * Math.ceil((bits[dtype] * count) / 32) : (bits[dtype] / 8) * count;
export type Float8 = "float8_e4m3fn" | "float8_e5m2";
export const isFloat8 = (dtype: string): dtype is Float8 => dtype.startsWith("float8");
export const isFloat = (dtype: DType): boolean => dtype.startsWith("float") || dtype === "bfloat16";

/** Machine epsilon of a float type, the spacing of its values at 1; 0 for integers. */
export function machineEpsilon(dtype: DType): number {
  switch (dtype) {
    case "float16":
      return 2 ** -10;
    case "bfloat16":
      return 2 ** -7;
    case "float32":
      return 2 ** -23;
    case "float64":
      return 2 ** -52;
    case "float8_e4m3fn":
      return 2 ** -3;
    case "float8_e5m2":
      return 2 ** -2;
    default:
      return 0;
  }
}

/** Least and greatest value of each integer type. Those of int64 are limited to what a number holds exactly. */
export const intRanges: Readonly<Partial<Record<DType, readonly [number, number]>>> = {
  int8: [-128, 127],
  uint8: [0, 255],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  int4: [-8, 7],
  int1: [0, 1],
  bool: [0, 1],
};
