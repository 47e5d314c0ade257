/**
 * Elements of a raw buffer by dtype. Packed types (int4, int1) are 32-bit words, the first element most significant; float16 and bfloat16 are
 * decoded to float32, which holds every value of theirs. 64-bit integers are read as bigint: they are compared exactly.
 */
import type { DType } from "@warpfarm/common";

export type Elements = ArrayLike<number> | BigInt64Array;

/** A view where JavaScript has one, else a decoded copy. Requires that `bytes` starts at an address aligned to the element. */
export function elementsOf(dtype: DType, bytes: Uint8Array, count: number): Elements {
  const { buffer, byteOffset } = bytes;
  switch (dtype) {
    case "float32":
      return new Float32Array(buffer, byteOffset, count);
    case "float64":
      return new Float64Array(buffer, byteOffset, count);
    case "int8":
      return new Int8Array(buffer, byteOffset, count);
    case "uint8":
    case "bool":
      return new Uint8Array(buffer, byteOffset, count);
    case "int32":
      return new Int32Array(buffer, byteOffset, count);
    case "int64":
      return new BigInt64Array(buffer, byteOffset, count);
    case "float16":
      return Float32Array.from(new Uint16Array(buffer, byteOffset, count), float16ToNumber);
    case "bfloat16": {
      const wide = new Uint32Array(count);
      const narrow = new Uint16Array(buffer, byteOffset, count);
      for (let i = 0; i < count; i++) wide[i] = (narrow[i] ?? 0) << 16;
      return new Float32Array(wide.buffer);
    }
    case "int4":
      return Int8Array.from({ length: count }, (_, i) => (((bytes[(i >> 1) ^ 3] ?? 0) << (i % 2 === 0 ? 24 : 28)) >> 28) | 0);
    case "int1":
      return Uint8Array.from({ length: count }, (_, i) => ((bytes[(i >> 3) ^ 3] ?? 0) >> (7 - (i & 7))) & 1);
  }
}

/** IEEE 754 binary16. */
export function float16ToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Bits of a float16 for a value that float16 holds exactly, such as k/256 with |k| <= 256. */
export function float16Bits(value: number): number {
  if (value === 0) return 0;
  const magnitude = Math.abs(value);
  const exponent = Math.floor(Math.log2(magnitude));
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | Math.round((magnitude / 2 ** exponent - 1) * 1024);
}
