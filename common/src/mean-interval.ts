/**
 * How well the repeats of one program are known, looked at after each repeat.
 *
 * Unit      the logarithm of a repeat's cost, so that all widths are shares of the time. If the noise is symmetric, the centre of
 *           the logarithms is that of their mean and of their median, which is a result's time.
 * Interval  a confidence sequence for the mean of normal values whose spread is unknown: the means that a Bayes factor has not
 *           refuted, with a normal prior on the effect size and the right Haar prior on the spread. The probability that the mean
 *           is ever outside is at most `alpha` (Ville), so repeats may end because the interval is tight. An interval by
 *           Student's t at each look would be too narrow.
 * Race      a program ends whose time is surely above `raceFactor` times the incumbent's. One repeat says nothing of its
 *           spread, so for this end there is a second interval: a normal mixture for a noise of at most 10 %, from the first
 *           repeat on. The narrower one counts.
 *
 * Sources: Robbins, Statistical methods related to the law of the iterated logarithm, Ann. Math. Statist. 41 (1970); Lai, On
 * confidence sequences, Ann. Statist. 4 (1976); Hendriksen, de Heide, Grunwald, Optional stopping with Bayes factors, Bayesian
 * Anal. 16 (2021); Wang, Ramdas, Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance,
 * Sequential Anal. 44 (2025).
 */
import type { Seconds } from "./measure.ts";

const alpha = 0.05;
/** The prior's precision: effects of about three spreads. It makes an interval of three values possible. */
const prior = 0.1;

/** Half of the interval's width, as a share of the time; Infinity for fewer than three repeats. */
export function relativeHalfWidth(costs: readonly Seconds[]): number {
  const n = costs.length;
  const refuted = 1 - (Math.sqrt((n + prior) / prior) / alpha) ** (-2 / n);
  const rest = n - refuted * (n + prior);
  if (n < 2 || rest <= 0) return Number.POSITIVE_INFINITY;
  const logs = costs.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / n;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  return Math.sqrt((refuted * (n + prior) * squares) / (n * rest));
}

/** The most that one repeat is off, as a standard deviation. It is much for a GPU, and not much for a host that others use. */
const mostNoise = 0.1;
const noisePrior = 1;
const noiseRadius = (n: number): number =>
  (mostNoise / n) * Math.sqrt(2 * (n + noisePrior) * Math.log(Math.sqrt((n + noisePrior) / noisePrior) / alpha));

/** A program's time is below `lowEnd` of its repeats at some look with a probability of at most `alpha`. Requires one. */
export function lowEnd(costs: readonly Seconds[]): Seconds {
  const mean = costs.reduce((sum, cost) => sum + Math.log(cost), 0) / costs.length;
  return Math.exp(mean - Math.min(relativeHalfWidth(costs), noiseRadius(costs.length)));
}

const raceFactor = 1.1;
/** A program that is surely slower than this ends. */
export const raceLimit = (incumbent: Seconds): Seconds => raceFactor * incumbent;
/** A single repeat above this is surely above the limit. */
export const clearlyAbove = (limit: Seconds): Seconds => limit * Math.exp(noiseRadius(1));
