/**
 * Philox4x32-10, counter-based (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
 * Element i of buffer b is f(Philox(key = [seed low, seed high], counter = [i low, i high, b, 0])[0]): the same bits on the CPU,
 * in CUDA and in the interpreter, and any element can be had alone.
 */
import type { DType } from "./dtype.ts";

const M0 = 0xd2511f53;
const M1 = 0xcd9e8d57;
const W0 = 0x9e3779b9;
const W1 = 0xbb67ae85;

/** High 32 bits of the unsigned product, from 16-bit halves, so no intermediate exceeds 32 bits. */
function mulHigh(a: number, b: number): number {
  const al = a & 0xffff;
  const ah = a >>> 16;
  const bl = b & 0xffff;
  const bh = b >>> 16;
  const mid = (Math.imul(ah, bl) >>> 0) + (Math.imul(al, bl) >>> 16);
  const mid2 = (Math.imul(al, bh) >>> 0) + (mid & 0xffff);
  return (Math.imul(ah, bh) + (mid >>> 16) + (mid2 >>> 16)) | 0;
}

export function philox4x32(
  counter: readonly [number, number, number, number],
  key: readonly [number, number],
): [number, number, number, number] {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < 10; round++) {
    [c0, c1, c2, c3] = [mulHigh(M1, c2) ^ c1 ^ k0, Math.imul(M1, c2), mulHigh(M0, c0) ^ c3 ^ k1, Math.imul(M0, c0)];
    k0 += W0;
    k1 += W1;
  }
  return [c0 >>> 0, c1 >>> 0, c2 >>> 0, c3 >>> 0];
}

const upperWord = (x: number): number => (x < 0x1_0000_0000 ? 0 : Math.floor(x / 0x1_0000_0000));

/**
 * 32 random bits of element `index` of buffer number `buffer` under `seed` (all integers below 2^53): the first word. Without
 * lists, because a large input has millions of elements and must not take a second.
 */
export function philoxBits(seed: number, buffer: number, index: number): number {
  let c0 = index | 0;
  let c1 = upperWord(index) | 0;
  let c2 = buffer | 0;
  let c3 = 0;
  let k0 = seed | 0;
  let k1 = upperWord(seed) | 0;
  for (let round = 0; round < 10; round++) {
    const high0 = mulHigh(M0, c0);
    const high1 = mulHigh(M1, c2);
    const low0 = Math.imul(M0, c0);
    const low1 = Math.imul(M1, c2);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + W0) | 0;
    k1 = (k1 + W1) | 0;
  }
  return c0 >>> 0;
}

/**
 * A value from those bits: floats k/256 with k in [-256, 255], of 8 bits k/8 with k in [-8, 7]; int32 [-128, 127]; other integers
 * their full range.
 */
export function fillValue(dtype: DType, bits: number): number {
  switch (dtype) {
    case "float16":
    case "bfloat16":
    case "float32":
    case "float64":
      return ((bits >>> 23) - 256) / 256;
    case "float8_e4m3fn":
    case "float8_e5m2":
      return ((bits >>> 28) - 8) / 8;
    case "int8":
    case "int32":
    case "int64":
      return (bits >>> 24) - 128;
    case "uint8":
      return bits >>> 24;
    case "int4":
      return (bits >>> 28) - 8;
    case "int1":
    case "bool":
      return bits >>> 31;
  }
}
