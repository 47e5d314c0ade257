/**
 * Who won among finalists that were measured interleaved, on one node or several. The rounds of all nodes are pooled, so
 * disagreement between nodes widens the intervals.
 * The fastest has the least time relative to all programs of its round. Two programs are distinguished when the interval of their
 * ratio excludes 1, at 1 - (1 - confidence) / pairs. So the statements on all k (k - 1) / 2 pairs hold together at `confidence`
 * (Bonferroni), whichever pairs are examined. Programs that cannot be distinguished from the fastest are as good as it: of them
 * and the fastest THE WINNER IS THE CONFIG WHOSE NAME SORTS FIRST, so two searches with the same leaders have the same winner.
 */
import { type DeviceFacts, invariant, type Seconds } from "@warpfarm/common";
import { type Interval, leastRounds, logRatios, logTimes, type Rounds, signedRank } from "./statistics.ts";

export const defaultConfidence = 0.95;

/** One measurement of all finalists, interleaved. */
export interface TurnsRun {
  readonly device: DeviceFacts;
  /** By finalist, as they were named. */
  readonly costs: readonly Rounds[];
}

export interface Rank {
  /** Of the config (nameOfConfig). */
  readonly name: string;
  /** Of one run. */
  readonly seconds: Interval;
  /** Its time divided by the winner's; 1 without an interval for the winner. */
  readonly ratio: Interval;
  /** From the winner. */
  readonly isToldApart: boolean;
}

export interface Verdict {
  /** Fastest first by estimate. */
  readonly ranks: readonly Rank[];
  readonly winner: Rank;
  /** The fastest of the others. */
  readonly runnerUp: Rank;
  /**
   * The distance to the winner: as a share of the winner's time, below 0 where the first by name won a tie, and its size in units
   * of noise, which is half the width of the ratio's interval.
   */
  readonly gap: number;
  readonly gapInNoise: number;
  /** Names of configs that cannot be distinguished from the winner. */
  readonly tied: readonly string[];
  /** Rounds of each run below which no two can be distinguished. */
  readonly leastRounds: number;
}

/** Requires two finalists or more, and costs of each in every run. `names`: of the configs, in the order of the programs. */
export function judge(names: readonly string[], runs: readonly TurnsRun[], confidence = defaultConfidence): Verdict {
  const count = names.length;
  invariant(count >= 2 && runs.length >= 1, "finalists are two or more, and were measured");
  invariant(
    runs.every(({ costs }) => costs.length === count && costs.every((rounds) => rounds.length > 0)),
    "every run has costs of every finalist",
  );
  const level = 1 - (1 - confidence) / ((count * (count - 1)) / 2);
  const pooled = (units: (costs: readonly Rounds[]) => readonly number[], at: number): Interval =>
    signedRank(
      runs.flatMap(({ costs }) => units(costs)),
      at,
    );
  const ratio = (a: number, b: number): Interval => pooled((costs) => logRatios(costs[a] as Rounds, costs[b] as Rounds), level);
  const isApart = ({ low, confidence: reached }: Interval): boolean => low > 0 && reached >= level - 1e-12;

  const all = names.map((_, i) => i);
  const relative = all.map((i) => pooled((costs) => logRatios(costs[i] as Rounds, meanRound(costs)), confidence).estimate);
  const fastest = all.reduce((a, b) => (isBefore([relative[a], names[a]], [relative[b], names[b]]) ? a : b));
  const leaders = all.filter((i) => i === fastest || !isApart(ratio(i, fastest)));
  const winner = leaders.reduce((a, b) => ((names[a] as string) < (names[b] as string) ? a : b));

  const ranks = all.map((i): Rank & { readonly log: Interval } => {
    const log = i === winner ? same : ratio(i, winner);
    const isToldApart = i !== winner && (isApart(log) || isApart(inverse(log)));
    const seconds = exp(pooled((costs) => logTimes(costs[i] as Rounds), confidence));
    return { name: names[i] as string, seconds, ratio: exp(log), isToldApart, log };
  });
  const won = ranks[winner] as (typeof ranks)[number];
  ranks.sort((a, b) => a.log.estimate - b.log.estimate || (a.name < b.name ? -1 : 1));
  const runnerUp = ranks.find((rank) => rank !== won) as (typeof ranks)[number];
  const { estimate, low, high } = runnerUp.log;
  const noise = (high - low) / 2;
  const rankOf = ({ log: _, ...rank }: (typeof ranks)[number]): Rank => rank;
  return {
    ranks: ranks.map(rankOf),
    winner: rankOf(won),
    runnerUp: rankOf(runnerUp),
    gap: Math.expm1(estimate),
    gapInNoise: noise > 0 ? Math.abs(estimate) / noise : estimate === 0 ? 0 : Number.POSITIVE_INFINITY,
    tied: ranks.filter((rank) => rank !== won && !rank.isToldApart).map(({ name }) => name),
    leastRounds: leastRounds(level, runs.length),
  };
}

/** The time of the first divided by that of the second, at `confidence`. */
export function ratioInTurns(first: Rounds, second: Rounds, confidence = defaultConfidence): Interval {
  return exp(signedRank(logRatios(first, second), confidence));
}

const same: Interval = { estimate: 0, low: 0, high: 0, confidence: 1 };
const exp = ({ estimate, low, high, confidence }: Interval): Interval => ({
  estimate: Math.exp(estimate),
  low: Math.exp(low),
  high: Math.exp(high),
  confidence,
});
const inverse = ({ estimate, low, high, confidence }: Interval): Interval => ({
  estimate: -estimate,
  low: -high,
  high: -low,
  confidence,
});

/** The geometric mean of all programs in each round. */
function meanRound(costs: readonly Rounds[]): readonly Seconds[] {
  const [first = []] = costs;
  return first.map((_, i) => Math.exp(costs.reduce((sum, rounds) => sum + Math.log(rounds[i] as number), 0) / costs.length));
}

type Placed = readonly [seconds: number | undefined, name: string | undefined];
const isBefore = ([a = 0, i = ""]: Placed, [b = 0, j = ""]: Placed): boolean => a < b || (a === b && i < j);
