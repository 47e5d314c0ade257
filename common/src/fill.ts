/**
 * How a program says that an input is filled where the default of philox.ts does not suit its computation. Every element comes
 * from the same generator, with the same bits on the CPU, in CUDA (runner/src/device/cuda/helper.cu) and in the interpreter.
 * Numbers are strings, as floats are in every document.
 */
import { type DType, intRanges, isFloat } from "./dtype.ts";
import { largestFloat8 } from "./halves.ts";
import { philox4x32, philoxBits } from "./philox.ts";

export type Fill =
  /** Floats uniform from `from` to `to`, or integers uniform from `from` to `to`, both included. */
  | { readonly kind: "range"; readonly from: string; readonly to: string }
  /** Each row (of the last dimension, n elements) holds 0 .. n-1 once each, in a random order of its own. For int32 and int64. */
  | { readonly kind: "permutation" }
  | { readonly kind: "constant"; readonly value: string }
  /** Floats of a normal distribution with full mantissas; `deviation` > 0 is its standard deviation. */
  | { readonly kind: "normal"; readonly mean: string; readonly deviation: string };

/**
 * What inputs hold where a program does not say it. `full`: floats are standard normal with full mantissas, as the data of real
 * networks, and a GPU draws the power that real data take. `exact`: floats are k/256 (of 8 bits k/8), so that sums are exact in
 * any order, and two kernels agree in every bit. Integers are the same with both.
 */
export const inputKinds = ["full", "exact"] as const;
export type InputKind = (typeof inputKinds)[number];

const standardNormal: Fill = { kind: "normal", mean: "0", deviation: "1" };

/** How an input is filled; undefined: every element is fillValue of its bits. What the program says goes before the kind. */
export const fillFor = <F>(dtype: DType, said: F | undefined, inputs: InputKind): F | Fill | undefined =>
  said ?? (inputs === "full" && isFloat(dtype) ? standardNormal : undefined);

/** The seed of all inputs, on a farm and in an exported self-test. */
export const inputSeed = 0x5eed;

/** The tensor has the bytes of a blob: the elements row by row, little-endian. */
export interface BlobFill {
  readonly kind: "blob";
  readonly digest: string;
}

/**
 * A tolerance that the program states in place of the computed one: the greatest difference of a right output from the reference.
 */
export interface StatedTolerance {
  readonly atol: string;
  readonly rtol: string;
}

const floatLimits: Partial<Record<DType, number>> = {
  float16: 65504,
  bfloat16: 2 ** 127 * (2 - 2 ** -7),
  float32: 2 ** 128 * (1 - 2 ** -24),
  ...largestFloat8,
};

export function numberOf(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) && String(value) === text ? value : undefined;
}

/** Why a tensor cannot be filled in this way, as the end of a sentence; undefined when it can. */
export function fillFault(dtype: DType, shape: readonly number[], fill: Fill): string | undefined {
  if (fill.kind === "permutation") {
    if (dtype !== "int32" && dtype !== "int64") return `a permutation is of int32 or int64, not of ${dtype}`;
    return (shape.at(-1) ?? 0) < 1 ? "a permutation needs a last dimension" : undefined;
  }
  if (fill.kind === "normal" && !isFloat(dtype)) return `a normal distribution is of floats, not of ${dtype}`;
  const texts =
    fill.kind === "range" ? [fill.from, fill.to] : fill.kind === "normal" ? [fill.mean, fill.deviation] : [fill.value];
  const values = texts.map(numberOf);
  const range = intRanges[dtype];
  for (const [i, value] of values.entries()) {
    if (value === undefined) return `${JSON.stringify(texts[i])} is not a finite number as ECMAScript prints it`;
    if (range && !(Number.isInteger(value) && value >= range[0] && value <= range[1]))
      return `${value} is not a whole number from ${range[0]} to ${range[1]}, which ${dtype} holds`;
    if (!range && Math.abs(value) > (floatLimits[dtype] ?? Infinity)) return `${value} is beyond what ${dtype} holds`;
  }
  const [from = 0, to = from] = values as number[];
  if (fill.kind === "normal") {
    if (to <= 0) return `the standard deviation is ${to}; it is greater than 0`;
    const most = Math.abs(from) + mostDeviations * to;
    return most > (floatLimits[dtype] ?? Infinity) ? `elements reach ${most}, which is beyond what ${dtype} holds` : undefined;
  }
  if (from > to) return `the range is empty: it goes from ${from} to ${to}`;
  if (range && to - from >= 2 ** 32) return `the range has ${to - from + 1} numbers; at most 4294967296`;
  return undefined;
}

/** Bit mixer of Chris Wellons' hash prospector ("lowbias32"). */
function mixed(x: number): number {
  let h = x;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Bits in each half of the smallest domain 4^bits that holds n numbers. */
export function halfBits(n: number): number {
  let bits = 1;
  while (4 ** bits < n) bits++;
  return bits;
}

/**
 * The image of `at` under a permutation of 0 .. n-1: a Feistel network of four rounds over 4^half >= n, repeated until the result
 * is below n.
 */
export function permuted(at: number, n: number, keys: readonly number[]): number {
  const half = halfBits(n);
  const mask = 2 ** half - 1;
  let value = at;
  do {
    let left = Math.floor(value / 2 ** half);
    let right = value % 2 ** half;
    for (let round = 0; round < 4; round++) [left, right] = [right, (left ^ mixed(right ^ (keys[round] ?? 0))) & mask];
    value = left * 2 ** half + right;
  } while (value >= n);
  return value;
}

export const permutationKeys = (seed: number, buffer: number, row: number): readonly number[] =>
  philox4x32([row >>> 0, Math.floor(row / 0x1_0000_0000), buffer, 1], [seed >>> 0, Math.floor(seed / 0x1_0000_0000)]);

/**
 * An element from 32 random bits, before it is rounded to the dtype. Rounded to float32 first, unless the dtype is float32 or
 * wider.
 */
export function rangeValue(dtype: DType, from: number, to: number, bits: number): number {
  if (isFloat(dtype)) return from + (to - from) * (((bits >>> 8) + 0.5) / 2 ** 24);
  // The upper half of the 64-bit product span * bits, in parts that a double holds.
  const span = to - from + 1;
  return from + Math.floor((span * (bits >>> 16) + Math.floor((span * (bits & 0xffff)) / 0x10000)) / 0x10000);
}

/**
 * A standard normal value from 32 random bits, by the inverse of the distribution: algorithm AS 241, PPND7 (Wichura, "The
 * percentage points of the normal distribution", Applied Statistics 37, 1988), right to 1.2e-7. It uses only operations that
 * IEEE 754 defines to the last bit, so a CPU and a GPU give the same double when no product and sum are contracted.
 */
export function normalValue(bits: number): number {
  const q = (bits + 0.5) / 2 ** 32 - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return (
      (q * (((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179)) /
      (((67.1875636 * r + 78.757757664) * r + 17.895169469) * r + 1)
    );
  }
  const r = Math.sqrt(-tailLog(q < 0 ? bits : 2 ** 32 - 1 - bits)) - 1.6;
  const size =
    (((0.17023821103 * r + 1.3067284816) * r + 2.75681539) * r + 1.4234372777) / ((0.12021132975 * r + 0.7370016425) * r + 1);
  return q < 0 ? -size : size;
}

/** No value of normalValue is further from 0. */
const mostDeviations = 6.338;

/** log((bits + 0.5) / 2^32), from the series of the inverse hyperbolic tangent: no library's logarithm is exact everywhere. */
function tailLog(bits: number): number {
  const odd = 2 * bits + 1;
  let exponent = 31 - Math.clz32(odd);
  let mantissa = odd / 2 ** exponent;
  exponent -= 33;
  if (mantissa > Math.SQRT2) {
    mantissa /= 2;
    exponent++;
  }
  const s = (mantissa - 1) / (mantissa + 1);
  const s2 = s * s;
  return exponent * Math.LN2 + 2 * s * (1 + s2 * (1 / 3 + s2 * (1 / 5 + s2 * (1 / 7 + s2 / 9))));
}

/**
 * Element `index` of an input that is filled in this way. Floats are not yet rounded to their dtype: one of 16 bits is rounded
 * from float32, one of 8 bits once, from here. Requires that fillFault finds nothing.
 */
export function filledValue(
  spec: { dtype: DType; shape: readonly number[] },
  fill: Fill,
  seed: number,
  buffer: number,
  index: number,
): number {
  switch (fill.kind) {
    case "constant":
      return Number(fill.value);
    case "range":
      return rangeValue(spec.dtype, Number(fill.from), Number(fill.to), philoxBits(seed, buffer, index));
    case "normal":
      return Number(fill.mean) + Number(fill.deviation) * normalValue(philoxBits(seed, buffer, index));
    case "permutation": {
      const n = spec.shape.at(-1) ?? 1;
      return permuted(index % n, n, permutationKeys(seed, buffer, Math.floor(index / n)));
    }
  }
}
