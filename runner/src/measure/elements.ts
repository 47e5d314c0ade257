/**
 * Elements of a raw buffer by dtype. Packed types (int4, int1) are 32-bit words with the first element in the most significant
 * bits. Narrower floats are decoded to float32, which holds all their values. 64-bit integers are read as bigint, because
 * they are compared exactly.
 */
import { type DType, float8ToNumber, float16ToNumber } from "@warpfarm/common";

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
    case "float8_e4m3fn":
    case "float8_e5m2": {
      const table = Float32Array.from({ length: 256 }, (_, bits) => float8ToNumber(dtype, bits));
      return Float32Array.from(bytes.subarray(0, count), (bits) => table[bits] as number);
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
