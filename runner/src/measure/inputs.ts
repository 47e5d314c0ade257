/**
 * Contents of input buffers: Philox4x32-10 by (seed, buffer number, element) as common/philox.ts defines it, the same bits on every device.
 * The generator is written out here once more because a large input has millions of elements and must not cost a second; the tests hold it
 * against common's.
 */
import type { DType, ManifestBuffer } from "@warpfarm/common";
import { float16Bits } from "./elements.ts";

/** One seed for all workloads: what differs between inputs is their position among the manifest's buffers. */
export const inputSeed = 0x5eed;

export const elementCount = (spec: Pick<ManifestBuffer, "shape">): number =>
  spec.shape.reduce((product, extent) => product * extent, 1);

/** High 32 bits of the unsigned product, from 16-bit halves: no intermediate leaves 32 bits. */
function mulHigh(a: number, b: number): number {
  const al = a & 0xffff;
  const ah = a >>> 16;
  const bl = b & 0xffff;
  const bh = b >>> 16;
  const mid = (Math.imul(ah, bl) >>> 0) + (Math.imul(al, bl) >>> 16);
  const mid2 = (Math.imul(al, bh) >>> 0) + (mid & 0xffff);
  return (Math.imul(ah, bh) + (mid >>> 16) + (mid2 >>> 16)) | 0;
}

/** First output word of Philox4x32-10 with counter [index, 0, buffer, 0]. Requires index < 2^32. */
function bitsAt(index: number, number: number, seedLow: number, seedHigh: number): number {
  let c0 = index | 0;
  let c1 = 0;
  let c2 = number | 0;
  let c3 = 0;
  let k0 = seedLow | 0;
  let k1 = seedHigh | 0;
  for (let round = 0; round < 10; round++) {
    const high0 = mulHigh(0xd2511f53, c0);
    const high1 = mulHigh(0xcd9e8d57, c2);
    const low0 = Math.imul(0xd2511f53, c0);
    const low1 = Math.imul(0xcd9e8d57, c2);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + 0x9e3779b9) | 0;
    k1 = (k1 + 0xbb67ae85) | 0;
  }
  return c0;
}

/** What an input of this spec holds: seeded values, or zeros. Returns the largest absolute value. */
export function fillBytes(spec: ManifestBuffer, bytes: Uint8Array, seed: number, number: number): number {
  if (spec.fill !== "zeros") return fillElements(spec.dtype, bytes, elementCount(spec), seed, number);
  bytes.fill(0);
  return 0;
}

/** Writes `count` elements of buffer `number`; returns the largest absolute value. The values are those of common's fillValue. */
export function fillElements(dtype: DType, bytes: Uint8Array, count: number, seed: number, number: number): number {
  const low = seed >>> 0;
  const high = Math.floor(seed / 0x1_0000_0000);
  const { buffer, byteOffset } = bytes;
  let largest = 0;
  const fill = (write: (i: number, value: number) => void, toValue: (bits: number) => number): void => {
    for (let i = 0; i < count; i++) {
      const value = toValue(bitsAt(i, number, low, high));
      largest = Math.max(largest, Math.abs(value));
      write(i, value);
    }
  };
  const float = (bits: number): number => ((bits >>> 23) - 256) / 256;
  const byte = (bits: number): number => (bits >>> 24) - 128;
  switch (dtype) {
    case "float32": {
      const out = new Float32Array(buffer, byteOffset, count);
      fill((i, v) => (out[i] = v), float);
      break;
    }
    case "float64": {
      const out = new Float64Array(buffer, byteOffset, count);
      fill((i, v) => (out[i] = v), float);
      break;
    }
    case "float16": {
      const out = new Uint16Array(buffer, byteOffset, count);
      fill((i, v) => (out[i] = float16Bits(v)), float);
      break;
    }
    case "bfloat16": {
      const out = new Uint16Array(buffer, byteOffset, count);
      const word = new Float32Array(1);
      const wordBits = new Uint32Array(word.buffer);
      fill((i, v) => {
        // k/256 with |k| <= 256 has at most 8 significant bits: bfloat16 holds it exactly.
        word[0] = v;
        out[i] = (wordBits[0] ?? 0) >>> 16;
      }, float);
      break;
    }
    case "int8": {
      const out = new Int8Array(buffer, byteOffset, count);
      fill((i, v) => (out[i] = v), byte);
      break;
    }
    case "int32": {
      const out = new Int32Array(buffer, byteOffset, count);
      fill((i, v) => (out[i] = v), byte);
      break;
    }
    case "int64": {
      const out = new BigInt64Array(buffer, byteOffset, count);
      fill((i, v) => (out[i] = BigInt(v)), byte);
      break;
    }
    case "uint8":
      fill(
        (i, v) => (bytes[i] = v),
        (bits) => bits >>> 24,
      );
      break;
    case "bool":
      fill(
        (i, v) => (bytes[i] = v),
        (bits) => bits >>> 31,
      );
      break;
    // Of a little-endian word the first elements are in the last byte.
    case "int4":
      bytes.fill(0);
      fill(
        (i, v) => (bytes[(i >> 1) ^ 3] = (bytes[(i >> 1) ^ 3] ?? 0) | ((v & 15) << (i % 2 === 0 ? 4 : 0))),
        (bits) => (bits >>> 28) - 8,
      );
      break;
    case "int1":
      bytes.fill(0);
      fill(
        (i, v) => (bytes[(i >> 3) ^ 3] = (bytes[(i >> 3) ^ 3] ?? 0) | (v << (7 - (i & 7)))),
        (bits) => bits >>> 31,
      );
      break;
  }
  return largest;
}
