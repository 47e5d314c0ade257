/** Element types. int4 and int1 are packed, first element most significant; all others are little-endian C types. */
export const dtypes = [
  "float16",
  "bfloat16",
  "float32",
  "float64",
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
  int8: 8,
  uint8: 8,
  int32: 32,
  int64: 64,
  int4: 4,
  int1: 1,
  bool: 8,
};
export const dtypeBits = (dtype: DType): number => bits[dtype];
/** Bytes of `count` densely packed elements. */
export const dtypeBytes = (dtype: DType, count = 1): number => Math.ceil((bits[dtype] * count) / 8);
export const isFloat = (dtype: DType): boolean => dtype.startsWith("float") || dtype === "bfloat16";
export const isDType = (text: string): text is DType => (dtypes as readonly string[]).includes(text);

/** Unit round-off 2^-(p) times 2 = spacing at 1 (machine epsilon) of a float type; 0 for integers. */
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
    default:
      return 0;
  }
}
