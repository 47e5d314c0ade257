/**
 * Computations as a user writes them, each beside hand-written loops over plain arrays. Sizes are arguments: odd ones reach
 * guards, rests and padding; those of `usual` are what benchmarks measure.
 */
import type { Graph } from "@warpfarm/compiler/language";

type Sizes = Readonly<Record<string, number>>;
/** An input's element; 0 outside of its shape, as padding has it. */
export type Read = (input: number, ...index: readonly number[]) => number;

export interface Computation {
  readonly usual: Sizes;
  readonly odd: Sizes;
  graph(sizes: Sizes): Graph;
  /** The output's element. */
  element(sizes: Sizes, read: Read, index: readonly number[]): number;
}

export const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
export const total = (counts: readonly number[], term: (...index: readonly number[]) => number): number => {
  const [count, ...rest] = counts;
  if (count === undefined) return term();
  return range(count).reduce((sum, i) => sum + total(rest, (...index) => term(i, ...index)), 0);
};

export const computation = <S extends Sizes>(
  usual: S,
  odd: S,
  graph: (sizes: S) => Graph,
  element: (sizes: S, read: Read, index: readonly number[]) => number,
): Computation => ({
  usual,
  odd,
  graph: (sizes) => graph(sizes as S),
  element: (sizes, read, index) => element(sizes as S, read, index),
});

export type At = readonly number[];
export const [i0, i1, i2, i3] = [0, 1, 2, 3].map((d) => (index: At) => index[d] as number) as [
  (x: At) => number,
  (x: At) => number,
  (x: At) => number,
  (x: At) => number,
];
