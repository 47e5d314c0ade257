/**
 * A buffer is a named array in a scope. Buffers are compared by identity: two buffers may have one name, but not one meaning.
 */
import type { DType } from "@warpfarm/common";
import type { Team } from "./agent.ts";

/** Scopes of fragments: arrays that the lanes of a team keep together in their registers. */
const fragmentTeams = {
  "wmma.matrix_a": "warp",
  "wmma.matrix_b": "warp",
  "wmma.accumulator": "warp",
  "warpgroup.matrix_a": "warpgroup",
  "warpgroup.accumulator": "warpgroup",
} as const satisfies Readonly<Record<string, Team>>;
type FragmentScope = keyof typeof fragmentTeams;
export const fragmentScopes = Object.keys(fragmentTeams) as readonly FragmentScope[];
/** Where an array lives. `global`: arguments and workspace; `shared`: one block; `local`: one thread; the others: fragments. */
export const scopes = ["global", "shared", "warp", "local", ...fragmentScopes] as const;
export type Scope = (typeof scopes)[number];
/** The team whose fragments the scope holds; undefined = none. */
export const teamOf = (scope: Scope): Team | undefined => fragmentTeams[scope as FragmentScope];
export const isFragmentScope = (scope: Scope): boolean => teamOf(scope) !== undefined;

/**
 * TVM's storage rank: a buffer is relaxed over (covers) every bound loop whose rank is at least its own.
 * blockIdx has rank 0, threadIdx and vthread rank 1 (docs/reference/source-programs.md 6.3).
 */
export function scopeRank(scope: Scope): number {
  switch (scope) {
    case "global":
      return 0;
    case "shared":
      return 1;
    case "warp":
      return 2;
    case "local":
      return 3;
    default:
      return 4;
  }
}

/**
 * Permutes the 16-byte units of rows, so that units above each other are in different banks: element o of the array is at o ^ (o
 * / line mod ways) * unit. All are powers of two. Each `line * ways` elements are permuted among themselves.
 */
export interface Swizzle {
  readonly unit: number;
  readonly line: number;
  readonly ways: number;
}

/** Of an array in memory: its elements are numbered in int32. */
export const mostElements = 2 ** 31 - 1;

export interface Buffer {
  readonly name: string;
  readonly dtype: DType;
  /** Elements per dimension, outermost first; constant. One dimension after flattening. */
  readonly shape: readonly number[];
  readonly scope: Scope;
  /** Elements between neighbours per dimension; absent = dense row-major. Set by storageAlign. */
  readonly strides?: readonly number[];
  /** The permutation of elements in memory, after strides. Only printed addresses show it. */
  readonly swizzle?: Swizzle;
}

export const bufferSize = (buffer: Buffer): number => buffer.shape.reduce((a, b) => a * b, 1);

export function bufferStrides(buffer: Buffer): readonly number[] {
  if (buffer.strides) return buffer.strides;
  const strides: number[] = new Array(buffer.shape.length);
  let stride = 1;
  for (let d = buffer.shape.length - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= buffer.shape[d] as number;
  }
  return strides;
}

/** Elements to allocate: the last element's offset plus one, over all dimensions. */
export const bufferSpan = (buffer: Buffer): number =>
  bufferStrides(buffer).reduce((span, stride, d) => Math.max(span, stride * (buffer.shape[d] as number)), 1);

/**
 * Elements from one of several consecutive arrays to the next: the array's size, rounded up to whole vectors of 16 bytes (128
 * bits) or whole swizzles. `unit`: another number of which it must be a multiple.
 */
export function slotOf(span: number, swizzle?: Swizzle, unit = 16): number {
  const whole = swizzle ? swizzle.line * swizzle.ways : unit;
  return Math.ceil(span / whole) * whole;
}
