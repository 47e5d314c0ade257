/**
 * A tuner's score on a recorded space: many seeded searches, their value by methodology.ts, and how soon they come near the
 * optimum.
 */
import type { MakeTuner } from "../tuner/tuner.ts";
import { type Curve, cutoff, scoreOver, scoreOverTime, type Yardstick, yardstick } from "./methodology.ts";
import type { Recorded } from "./recorded-space.ts";
import { repeatSeeds, replaySearch } from "./replay-search.ts";

/** Shares of the optimum that are reported: best/time >= share. */
export const shares = [0.9, 0.95, 0.99] as const;

export interface ScoreOptions {
  readonly repeats: number;
  readonly seed: number;
  readonly inFlight: number;
  /** Absent: the space's 95 % cut-off. */
  readonly budget?: number;
}

export type RepeatScore = ReturnType<typeof scoreCurve>;
export type Score = ReturnType<typeof summarize>;

function budgetOf(yard: Yardstick, budget: number | undefined): number {
  return budget ?? cutoff(yard, 0.95).evaluations;
}

export function scoreRepeats(
  recorded: Recorded,
  make: MakeTuner,
  seeds: readonly number[],
  { budget, inFlight }: Pick<ScoreOptions, "budget" | "inFlight">,
): RepeatScore[] {
  const yard = yardstick(recorded);
  const evaluations = budgetOf(yard, budget);
  return seeds.map((seed) =>
    scoreCurve(yard, replaySearch(recorded, yard, make, { seed, inFlight, budget: evaluations }), evaluations),
  );
}

export function scoreCurve(yard: Yardstick, curve: Curve, budget: number) {
  return {
    score: scoreOver(yard, curve, budget),
    scoreTime: scoreOverTime(yard, curve, budget),
    /** By share: evaluations until it was reached; Infinity when it was not. */
    evaluationsTo: shares.map((share) => {
      const at = curve.best.findIndex((time) => yard.optimum / time >= share);
      return at < 0 ? Number.POSITIVE_INFINITY : at + 1;
    }),
  };
}

export function summarize(recorded: Recorded, tuner: string, repeats: readonly RepeatScore[], budget: number | undefined) {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  return {
    space: recorded.name,
    tuner,
    repeats: repeats.length,
    cutoff: budgetOf(yardstick(recorded), budget),
    /** NaN, null in JSON, where it is undefined: random search finds the optimum of the space from the start. */
    score: mean(repeats.map((r) => r.score)),
    score_time: mean(repeats.map((r) => r.scoreTime)),
    evaluations_to: Object.fromEntries(
      shares.map((share, i) => [String(share), spread(repeats.map((r) => r.evaluationsTo[i] as number))]),
    ),
  };
}

/**
 * Evaluations of the median repeat and of the ninth in ten, null when that one did not reach the share; `reached`: share of the
 * repeats that did.
 */
function spread(evaluations: readonly number[]) {
  const sorted = [...evaluations].sort((a, b) => a - b);
  const at = (q: number): number | null => {
    const value = sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] as number;
    return Number.isFinite(value) ? value : null;
  };
  return { median: at(0.5), p90: at(0.9), reached: sorted.filter(Number.isFinite).length / sorted.length };
}

export function scoreTuner(recorded: Recorded, tuner: string, make: MakeTuner, options: ScoreOptions): Score {
  const repeats = scoreRepeats(recorded, make, repeatSeeds(options.seed, options.repeats), options);
  return summarize(recorded, tuner, repeats, options.budget);
}
