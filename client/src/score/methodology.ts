/**
 * How the tuning community scores a search on a recorded space (Willemsen et al., "A methodology for comparing optimization
 * algorithms for auto-tuning", FGCS 2024, doi 10.1016/j.future.2024.05.021; autotuning_methodology):
 *
 *   baseline    b(M): the expected best of M random configs: the valid times from worst to best, at position round(M (N + 1) / (M
 *               + 1)), halves to even
 *   cut-off     the evaluations at which b is worth target = optimum + (1 - p) (median - optimum): ceil(i / (N + 1 - i)), i the
 *               first position under it
 *   score       mean over the budget of (b - best so far) / (b - optimum): 0 is random search, 1 the optimum at once, below 0
 *               worse than random
 *
 * Over evaluations the mean runs over M = 1..budget; over time, over equidistant moments, an evaluation taking its recorded cost
 * and b being interpolated (monotone cubic, Fritsch and Carlson 1980) between M times the mean cost. A failed config is an
 * evaluation like any other.
 */
import type { RecordedData } from "./recorded-space.ts";

export type Yardstick = Readonly<ReturnType<typeof yardstick>>;

export function yardstick({ time, cost }: RecordedData) {
  const sorted = time.filter((t) => !Number.isNaN(t)).sort((a, b) => b - a);
  const n = sorted.length;
  const [high, low] = [sorted[Math.floor((n - 1) / 2)] as number, sorted[Math.ceil((n - 1) / 2)] as number];
  return {
    sorted,
    optimum: sorted[n - 1] as number,
    worst: sorted[0] as number,
    median: (high + low) / 2,
    meanCost: cost.reduce((sum, c) => sum + c, 0) / 1000 / cost.length,
  };
}

/** Evaluations that random search is expected to need, and the time that they take. */
export function cutoff(
  { sorted, optimum, median }: Yardstick,
  p: number,
): { readonly target: number; readonly evaluations: number } {
  const target = optimum + (median - optimum) * (1 - p);
  const at = sorted.findIndex((time) => time <= target);
  return { target, evaluations: Math.max(1, Math.ceil(at / (sorted.length + 1 - at))) };
}

export function baseline({ sorted }: Yardstick, evaluations: number): number {
  const n = sorted.length;
  return sorted[Math.min(n - 1, roundHalfEven((evaluations * (n + 1)) / (evaluations + 1)))] as number;
}

function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  return rest === 0.5 ? floor + (floor % 2) : Math.round(x);
}

/** One search: the best time after each evaluation, and when that evaluation ended, in seconds. */
export interface Curve {
  readonly best: Float64Array;
  readonly seconds: Float64Array;
}

/** Mean over 1..budget evaluations. A curve shorter than the budget stays at its last value. */
export function scoreOver(yard: Yardstick, { best }: Curve, budget: number): number {
  let sum = 0;
  let terms = 0;
  for (let m = 1; m <= budget; m++) {
    const b = baseline(yard, m);
    if (b === yard.optimum) continue;
    const reached = best[Math.min(m, best.length) - 1] ?? yard.worst;
    sum += (b - reached) / (b - yard.optimum);
    terms++;
  }
  return meanOf(yard, sum, terms);
}

const moments = 1000;

/** Mean over equidistant moments of the time that the mean evaluation would take `budget` times. */
export function scoreOverTime(yard: Yardstick, { best, seconds }: Curve, budget: number): number {
  const knots = Float64Array.from({ length: budget + 2 }, (_, m) => (m === 0 ? yard.worst : baseline(yard, m)));
  const smooth = monotone(knots);
  let sum = 0;
  let terms = 0;
  let done = 0;
  for (let i = 1; i <= moments; i++) {
    const m = (budget * i) / moments;
    while (done < best.length && (seconds[done] as number) <= m * yard.meanCost) done++;
    const b = smooth(m);
    // On its way to the optimum the baseline divides by all but nothing, and where it has arrived by nothing.
    if (baseline(yard, Math.ceil(m)) <= yard.optimum) continue;
    const reached = done === 0 ? yard.worst : (best[done - 1] as number);
    sum += (b - reached) / (b - yard.optimum);
    terms++;
  }
  return meanOf(yard, sum, terms);
}

/**
 * NaN where random search has found the optimum from the start, as in a space of two configs: there is nothing to compare with.
 */
const meanOf = ({ worst, optimum }: Yardstick, sum: number, terms: number): number =>
  terms > 0 ? sum / terms : worst === optimum ? 1 : Number.NaN;

/** Cubic through (i, y[i]) without overshoot. */
function monotone(y: Float64Array): (x: number) => number {
  const at = (i: number): number => y[Math.max(0, Math.min(y.length - 1, i))] as number;
  const slope = (i: number): number => {
    const [before, after] = [at(i) - at(i - 1), at(i + 1) - at(i)];
    return before * after <= 0 ? 0 : (2 * before * after) / (before + after);
  };
  return (x) => {
    const i = Math.floor(x);
    const t = x - i;
    const [a, b] = [at(i), at(i + 1)];
    const [da, db] = [slope(i), slope(i + 1)];
    return (
      a * (2 * t ** 3 - 3 * t ** 2 + 1) + da * (t ** 3 - 2 * t ** 2 + t) + b * (3 * t ** 2 - 2 * t ** 3) + db * (t ** 3 - t ** 2)
    );
  };
}
