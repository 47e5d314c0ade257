/**
 * How far a prior is trusted on a task for which it was not made. It counts half until there are own results. Then its weight
 * follows the rank correlation of its scores with them, with failures as the slowest. A wrong or opposite prior has no weight
 * after the first batch. A right one loses its weight to the own model as results come.
 */
import type { ConfigIndex } from "@warpfarm/compiler";
import type { Prior } from "../tuner.ts";
import { rankCorrelation } from "./rank.ts";

/** The initial trust counts as this many results of this correlation. */
const firstBelief = { results: 8, correlation: 0.5 };
/** Below this trust the rest of a prior's first plan is dropped. */
export const leastTrust = 0.25;
/** Results after which half of the prior's share is left. */
const halfLife = 48;
/** The most results examined; of more, a regular sample. */
const mostJudged = 400;

export interface JudgedRow {
  readonly index: ConfigIndex;
  /** Runs a second, 0 for a failure. */
  readonly speed: number;
}

export function trustIn(prior: Prior, rows: readonly JudgedRow[]): number {
  const step = Math.ceil(rows.length / mostJudged);
  const judged = rows.filter((_, i) => i % step === 0);
  const { results, correlation } = firstBelief;
  const seen =
    judged.length === 0
      ? 0
      : rankCorrelation(
          prior.score(judged.map((r) => r.index)),
          judged.map((r) => r.speed),
        );
  return Math.max(0, (results * correlation + judged.length * seen) / (results + judged.length));
}

/** The remaining share of the prior next to the own model of this many results. */
export const shareOf = (results: number): number => halfLife / (halfLife + results);
