/**
 * Elements of a raw buffer by dtype. Packed types (int4, int1) are 32-bit words with the first element in the most significant
 * bits. float16 and bfloat16 are decoded to float32, which holds all their values. 64-bit integers are read as bigint, because
 * they are compared exactly.
 */
import type { DType } from "@warpfarm/common";

export type Elements = ArrayLike<number> | BigInt64Array;

/**
 * A view where JavaScript has one, otherwise a decoded copy. Requires that `bytes` starts at an address aligned to the element.
 */
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
    case "float16": {
      const decoded = new Float32Array(count);
      const bits = new Uint16Array(buffer, byteOffset, count);
      const table = float16Values();
      for (let i = 0; i < count; i++) decoded[i] = table[bits[i] as number] as number;
      return decoded;
    }
    case "bfloat16": {
      const wide = new Uint32Array(count);
      const narrow = new Uint16Array(buffer, byteOffset, count);
      for (let i = 0; i < count; i++) wide[i] = (narrow[i] ?? 0) << 16;
      return new Float32Array(wide.buffer);
    }
    case "int4": {
      const unpacked = new Int8Array(count);
      for (let i = 0; i < count; i++) unpacked[i] = ((bytes[(i >> 1) ^ 3] ?? 0) << (i % 2 === 0 ? 24 : 28)) >> 28;
      return unpacked;
    }
    case "int1": {
      const unpacked = new Uint8Array(count);
      for (let i = 0; i < count; i++) unpacked[i] = ((bytes[(i >> 3) ^ 3] ?? 0) >> (7 - (i & 7))) & 1;
      return unpacked;
    }
  }
}

let values: Float32Array | undefined;
/** Values by bits, because a tensor has millions of elements, and computing one value took 0.8 us. */
function float16Values(): Float32Array {
  values ??= Float32Array.from({ length: 0x1_0000 }, (_, bits) => float16ToNumber(bits));
  return values;
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

const word = new Float32Array(1);
const wordBits = new Uint32Array(word.buffer);

/** Bits of the float16 nearest to a float32, ties to even. */
export function float16Bits(value: number): number {
  word[0] = value;
  const bits = wordBits[0] ?? 0;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fff_ffff;
  if (magnitude >= 0x4780_0000) return sign | (magnitude > 0x7f80_0000 ? 0x7e00 : 0x7c00);
  // Below 2^-14 the spacing is 2^-24.
  if (magnitude < 0x3880_0000) return sign | nearestEven(Math.abs(word[0] ?? 0) * 2 ** 24);
  return sign | ((magnitude - 0x3800_0000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
}

/** Bits of the bfloat16 nearest to a number's float32, ties to even. */
export function bfloat16Bits(value: number): number {
  word[0] = value;
  const bits = wordBits[0] ?? 0;
  if ((bits & 0x7fff_ffff) > 0x7f80_0000) return (bits >>> 16) | 0x40;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

function nearestEven(x: number): number {
  const down = Math.floor(x);
  const rest = x - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
}
