/**
 * What a receipt says of a time, from the medians of repeated sessions on one device under the same conditions.
 *
 *   confidence    where the kernel's own time lies:            mean +- t s / sqrt(n)
 *   prediction    where the median of one more session lies:   mean +- t s sqrt(1 + 1/n)
 *
 * in the logarithms of the medians, with n sessions, their standard deviation s between sessions, and the quantile t of Student's
 * distribution with n - 1 degrees of freedom. Source: Hahn, Meeker, Statistical Intervals, sections 4.2 and 4.8.
 *
 * Sessions that follow each other may agree by chance of the same minute. So s is at least `leastDeviation`, which a third of the
 * recorded groups of sessions lie under (records/test/vectors/repeated-sessions.json).
 */
import type { Seconds } from "@warpfarm/common";

export const level = 0.99;
export const leastSessions = 5;
export const leastDeviation = 0.002;
export const predictionFormula = `exp(mean +- t s sqrt(1 + 1/n)) of the logarithms of n sessions' medians on one device; s at least ${leastDeviation}; Hahn, Meeker, Statistical Intervals, 4.8`;

interface TimeInterval {
  readonly level: number;
  readonly low: Seconds;
  readonly high: Seconds;
}

export interface Spread {
  /** The geometric mean of the sessions' medians. */
  readonly seconds: Seconds;
  readonly sessions: number;
  /** Standard deviation of the logarithms between sessions, at least `leastDeviation`. */
  readonly deviation: number;
  readonly confidence: TimeInterval;
  readonly prediction: TimeInterval;
}

/** Requires at least two sessions. */
export function spreadOf(medians: readonly Seconds[]): Spread {
  const n = medians.length;
  const logs = medians.map(Math.log);
  const mean = logs.reduce((sum, x) => sum + x, 0) / n;
  const between = Math.sqrt(logs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1));
  const deviation = Math.max(between, leastDeviation);
  const t = studentQuantile(level, n - 1);
  const around = (half: number): TimeInterval => ({ level, low: Math.exp(mean - half), high: Math.exp(mean + half) });
  return {
    seconds: Math.exp(mean),
    sessions: n,
    deviation,
    confidence: around((t * deviation) / Math.sqrt(n)),
    prediction: around(t * deviation * Math.sqrt(1 + 1 / n)),
  };
}

/** The t with P(|T| <= t) = `share`. */
export function studentQuantile(share: number, freedom: number): number {
  // Of the angle, because t itself has no bound.
  let [low, high] = [0, Math.PI / 2];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (studentWithin(middle, freedom) < share) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan(low);
}

/** P(|T| <= t) for t = sqrt(freedom) tan(angle). Source: Abramowitz, Stegun, 26.7.3 and 26.7.4. */
function studentWithin(angle: number, freedom: number): number {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  if (freedom === 1) return (2 / Math.PI) * angle;
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = term;
  for (let k = isOdd ? 2 : 1; k <= freedom - 3; k += 2) {
    term *= (cosine * cosine * k) / (k + 1);
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}
