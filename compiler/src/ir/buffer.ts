/**
 * A buffer is a named array with a place. Buffers are compared by identity: two buffers may share a name, never a meaning.
 */
import type { DType } from "@warpfarm/common";
import type { Team } from "./agent.ts";

/** Fragments: arrays that the lanes of a team keep in their registers together. */
const fragmentTeams = {
  "wmma.matrix_a": "warp",
  "wmma.matrix_b": "warp",
  "wmma.accumulator": "warp",
  "warpgroup.accumulator": "warpgroup",
} as const satisfies Readonly<Record<string, Team>>;
type FragmentScope = keyof typeof fragmentTeams;
export const fragmentScopes = Object.keys(fragmentTeams) as readonly FragmentScope[];
/** Where an array lives. `global`: arguments and workspace; `shared`: one block; `local`: one thread; the others: fragments. */
export const scopes = ["global", "shared", "warp", "local", ...fragmentScopes] as const;
export type Scope = (typeof scopes)[number];
/** Whose fragments the scope holds; undefined = none. */
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
 * Rows whose 16-byte units change places, so that units above each other lie in different banks: element o of the array stands at
 * o ^ (o / line mod ways) * unit. All powers of two; a whole `line * ways` elements change places among themselves.
 */
export interface Swizzle {
  readonly unit: number;
  readonly line: number;
  readonly ways: number;
}

export interface Buffer {
  readonly name: string;
  readonly dtype: DType;
  /** Elements per dimension, outermost first; constant. One dimension after flattening. */
  readonly shape: readonly number[];
  readonly scope: Scope;
  /** Elements between neighbours per dimension; absent = dense row-major. Set by storageAlign. */
  readonly strides?: readonly number[];
  /**
   * How elements stand in memory, given where strides put them. Everything but the printing of addresses counts as if they stood
   * there.
   */
  readonly swizzle?: Swizzle;
}

export const bufferSize = (buffer: Buffer): number => buffer.shape.reduce((a, b) => a * b, 1);

/** Elements between neighbours of each dimension. */
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
 * Elements from one of several arrays in a row to the next: the array, up to whole vectors of 16 bytes (128 bits, of 1 or more
 * each), or whole swizzles. `unit`: what else it must be a multiple of.
 */
export function slotOf(span: number, swizzle?: Swizzle, unit = 16): number {
  const whole = swizzle ? swizzle.line * swizzle.ways : unit;
  return Math.ceil(span / whole) * whole;
}
