/**
 * How programs that were timed in rounds compare, and when enough rounds are done. The runner stops by it, and readers of the
 * costs judge by it, so both see the same.
 *
 * Unit      the logarithm of the ratio of two programs' costs within one round. The order of the programs is drawn anew for each
 *           round, so of two equal programs each is as likely to have the slower moment, whatever the moments are like: drifts,
 *           throttling and neighbours included. The sign of a unit is then a fair coin, given its size and all rounds before.
 * Test      a bet on that coin. Of a unit u it pays 1 + tanh(k (u - shift) / s), s the median size so far; the capital is the
 *           product, averaged over five k. If the ratio is exp(shift), the capital is 1 in the mean and reaches c at any time
 *           with a probability of at most 1 / c (Ville). So one may look after every round, and stop at any.
 * Interval  the shifts at which neither bet, upwards or downwards, has reached 2 / (1 - confidence): a confidence sequence.
 * Estimate  Hodges-Lehmann: the median of the means of all pairs of units, each with itself included.
 *
 * Sources: de la Pena, A general class of exponential inequalities for martingales and ratios, Ann. Probab. 27 (1999); Howard,
 * Ramdas, McAuliffe, Sekhon, Time-uniform, nonparametric, nonasymptotic confidence sequences, Ann. Statist. 49 (2021); Vovk,
 * Wang, Nonparametric e-tests of symmetry, NEJSDS 2 (2024). The order per round makes the symmetry, instead of assuming it.
 */
import type { Seconds } from "./measure.ts";

export interface Interval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** Of [low, high], at every stop: the requested one, or less with too few values; then [low, high] is their whole range. */
  readonly confidence: number;
}

/** The costs by round: costs[i] of programs measured interleaved. */
export type Rounds = readonly Seconds[];

/** All statements on finalists of one search hold together at this confidence. */
export const defaultConfidence = 0.99;
/** No fewer rounds are looked at. */
const floor = 5;
/** Programs whose ratio is within this share of 1 need no more rounds. */
const closeEnough = Math.log1p(0.005);
const stakes = [0.25, 0.5, 1, 2, 4] as const;

/** The logarithm of the capital that a bet on values above `shift` has at the end. */
function capital(values: readonly number[], shift: number): number {
  const sizes: number[] = [];
  const logs = stakes.map(() => 0);
  for (const value of values) {
    const above = value - shift;
    const size = Math.abs(above);
    let at = sizes.length;
    while (at > 0 && (sizes[at - 1] as number) > size) at--;
    sizes.splice(at, 0, size);
    if (size === 0) continue;
    // Nothing of this round but its size is used before the coin falls.
    const scale = medianOf(sizes);
    for (const [i, stake] of stakes.entries()) logs[i] = (logs[i] as number) + Math.log1p(Math.tanh((stake * above) / scale));
  }
  const most = Math.max(...logs);
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / stakes.length);
}

const goal = (confidence: number): number => Math.log(2 / (1 - confidence));
/** What `capital` is when all of so many values lie equally far above the shift. */
const mostCapital = (count: number): number => capital(new Array<number>(count).fill(1), 0);

/** For the centre of values that are symmetric about it. Requires at least one. */
export function intervalOf(values: readonly number[], confidence: number): Interval {
  const estimate = hodgesLehmann(values);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const reachable = mostCapital(values.length);
  const enough = goal(confidence);
  if (reachable < enough) return { estimate, low: least, high: most, confidence: Math.max(0, 1 - 2 / Math.exp(reachable)) };
  if (least === most) return { estimate, low: estimate, high: estimate, confidence };
  const negated = values.map((value) => -value);
  return {
    estimate,
    low: endOf(values, estimate, least, enough),
    high: -endOf(negated, -estimate, -most, enough),
    confidence,
  };
}

/**
 * The greatest shift below the estimate that the values refute. Zero is looked at first, so that an interval leaves it out
 * exactly when the bet against it is won.
 */
function endOf(values: readonly number[], estimate: number, least: number, enough: number): number {
  const isRefuted = (shift: number): boolean => capital(values, shift) >= enough;
  let [low, high] = [least - Math.abs(estimate - least) - Number.EPSILON, estimate];
  if (low >= high) return estimate;
  if (low < 0 && high > 0) [low, high] = isRefuted(0) ? [0, high] : [low, 0];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (isRefuted(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function hodgesLehmann(values: readonly number[]): number {
  const means = values.flatMap((a, i) => values.slice(i).map((b) => (a + b) / 2));
  return medianOf(means.sort((a, b) => a - b));
}

function medianOf(sorted: readonly number[]): number {
  const [below, above] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((below as number) + (above as number)) / 2;
}

export const logRatios = (a: Rounds, b: Rounds): readonly number[] =>
  Array.from({ length: Math.min(a.length, b.length) }, (_, i) => Math.log((a[i] as number) / (b[i] as number)));

/** The confidence of each of the statements on all pairs, which hold together at `confidence` (Bonferroni). */
export const confidenceOfPair = (programs: number, confidence: number): number =>
  1 - (1 - confidence) / ((programs * (programs - 1)) / 2);

/** Rounds below which no two of so many programs can be distinguished: 9 for 2, 13 for 5, 14 for 8. */
export function leastRoundsOf(programs: number, confidence = defaultConfidence): number {
  const enough = goal(confidenceOfPair(programs, confidence));
  let rounds = floor;
  while (mostCapital(rounds) < enough) rounds++;
  return rounds;
}

/** The place of the program with the least cost relative to all of its round. `runs`: costs by program, of each run. */
export function fastestOf(runs: readonly (readonly Rounds[])[]): number {
  const relative = (program: number): number =>
    hodgesLehmann(
      runs.flatMap((costs) => {
        const logs = costs.map((rounds) => rounds.map(Math.log));
        return (logs[program] ?? []).map(
          (log, i) => log - logs.reduce((sum, each) => sum + (each[i] as number), 0) / logs.length,
        );
      }),
    );
  const all = (runs[0] ?? []).map((_, program) => relative(program));
  return all.indexOf(Math.min(...all));
}

/** Whether each program is told apart from the fastest or as good as equal to it, so that more rounds are not needed. */
export function areSettled(costs: readonly Rounds[], confidence = defaultConfidence): boolean {
  if ((costs[0]?.length ?? 0) < leastRoundsOf(costs.length, confidence)) return false;
  const fastest = fastestOf([costs]);
  const enough = goal(confidenceOfPair(costs.length, confidence));
  return costs.every((rounds, program) => {
    if (program === fastest) return true;
    const ways = [logRatios(rounds, costs[fastest] as Rounds), logRatios(costs[fastest] as Rounds, rounds)];
    const areRefuted = (shift: number) => ways.map((units) => capital(units, shift) >= enough);
    return areRefuted(0).includes(true) || !areRefuted(-closeEnough).includes(false);
  });
}
