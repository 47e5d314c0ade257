/**
 * How much faster one program is than another that was interleaved with it, and how sure that is.
 *
 * Unit      two rounds, one forwards and one backwards: the mean of the two logarithms of a ratio of costs. A steady change of
 *           the device, and the place in the round, cancel. A last round without a partner is a unit too.
 * Estimate  Hodges-Lehmann: the median of the means of all pairs of units (Walsh averages), each with itself included.
 * Interval  the shifts that Wilcoxon's signed-rank test does not reject: from the q-th smallest Walsh average to the q-th
 *           largest. Exact up to 50 units, by the normal approximation beyond. Source: Hollander, Wolfe, Nonparametric
 *           Statistical Methods, sections 3.1 to 3.3.
 *
 * It assumes that differences are symmetric about their median, and no distribution.
 */
import type { Seconds } from "@warpfarm/common";

export interface Interval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /**
   * The confidence of [low, high]: the requested one or slightly more. Less when there are too few values, and then [low, high]
   * is their whole range.
   */
  readonly confidence: number;
}

/** The costs by round: costs[i] of programs measured interleaved. */
export type Rounds = readonly Seconds[];

const exactUpTo = 50;

/** Means over pairs of rounds of `value`. */
function inPairs(rounds: number, value: (round: number) => number): readonly number[] {
  const units: number[] = [];
  for (let i = 0; i < rounds; i += 2) units.push(i + 1 < rounds ? (value(i) + value(i + 1)) / 2 : value(i));
  return units;
}

export const logRatios = (a: Rounds, b: Rounds): readonly number[] =>
  inPairs(Math.min(a.length, b.length), (i) => Math.log((a[i] as number) / (b[i] as number)));

export const logTimes = (a: Rounds): readonly number[] => inPairs(a.length, (i) => Math.log(a[i] as number));

/** Requires at least one value. */
export function signedRank(values: readonly number[], confidence: number): Interval {
  const n = values.length;
  const walsh: number[] = [];
  for (let i = 0; i < n; i++) for (let j = i; j < n; j++) walsh.push(((values[i] as number) + (values[j] as number)) / 2);
  walsh.sort((a, b) => a - b);
  const tail = lowerTail(n);
  let q = 1;
  while (q + 1 <= walsh.length / 2 && 2 * tail(q) <= 1 - confidence) q++;
  const [low, high] = [walsh[q - 1] as number, walsh[walsh.length - q] as number];
  return { estimate: median(walsh), low, high, confidence: Math.max(0, 1 - 2 * tail(q - 1)) };
}

/** Rounds of each of `runs` with which signedRank reaches the confidence. */
export function leastRounds(confidence: number, runs = 1): number {
  // Its widest interval has two tails of 1 in 2^units.
  const units = Math.ceil(Math.log2(2 / (1 - confidence)) - 1e-9);
  return 2 * Math.ceil(units / runs) - 1;
}

const median = (sorted: readonly number[]): number => {
  const mid = sorted.length >> 1;
  const upper = sorted[mid] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[mid - 1] as number) + upper) / 2;
};

/** P(W <= w) of the sum W of the ranks of positive values among n, when positive and negative are equally likely. */
function lowerTail(n: number): (w: number) => number {
  if (n > exactUpTo) {
    const mean = (n * (n + 1)) / 4;
    const deviation = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24);
    return (w) => normal((w + 0.5 - mean) / deviation);
  }
  const most = (n * (n + 1)) / 2;
  /** ways[w]: the share of sign patterns with W = w. Ranks are added one after another. */
  const ways = new Float64Array(most + 1);
  ways[0] = 1;
  for (let rank = 1; rank <= n; rank++)
    for (let w = most; w >= 0; w--) ways[w] = ((ways[w] as number) + (w >= rank ? (ways[w - rank] as number) : 0)) / 2;
  return (w) => {
    let sum = 0;
    for (let i = 0; i <= Math.min(w, most); i++) sum += ways[i] as number;
    return sum;
  };
}

/** The normal distribution, to 1.5e-7 (Abramowitz, Stegun, Handbook of Mathematical Functions, 7.1.26). */
function normal(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const upper = 0.5 * poly * Math.exp(-x * x);
  return z < 0 ? upper : 1 - upper;
}
