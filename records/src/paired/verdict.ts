/**
 * Which of several programs that were measured interleaved are faster. It lives behind verdictOf alone, and its test is that of
 * common's rounds.ts, by which the runner also ends the rounds. The rounds of all runs are pooled, so disagreement between nodes
 * widens the intervals.
 * The fastest has the least time relative to all programs of its round. Two programs are distinguished when the interval of their
 * ratio excludes 1, at 1 - (1 - confidence) / pairs. So the statements on all k (k - 1) / 2 pairs hold together at `confidence`
 * (Bonferroni), whichever pairs are examined and whenever the rounds ended. Of the fastest and those that cannot be distinguished
 * from it the winner is the first by the order in which the caller names them. With fewer rounds than leastRoundsOf there is no
 * verdict, and the fastest wins.
 */
import {
  confidenceOfPair,
  defaultConfidence,
  fastestOf,
  type Interval,
  intervalOf,
  invariant,
  leastRoundsOf,
  logRatios,
  type Rounds,
} from "@warpfarm/common";

export interface Rank {
  readonly at: number;
  readonly seconds: Interval;
  /** Its time divided by the winner's; 1 without an interval for the winner. */
  readonly ratio: Interval;
  readonly isToldApart: boolean;
}

export interface Verdict {
  /** False: too few rounds. Nothing is told apart, and the winner is the fastest by estimate. */
  readonly isDecided: boolean;
  /** Rounds in all below which no two can be distinguished. */
  readonly leastRounds: number;
  /** Fastest first by estimate. */
  readonly ranks: readonly Rank[];
  readonly winner: Rank;
  readonly runnerUp: Rank;
  /**
   * The distance to the winner: as a share of the winner's time, below 0 where the winner won a tie, and its size in units of
   * noise, which is half the width of the ratio's interval.
   */
  readonly gap: number;
  readonly gapInNoise: number;
  /** The others that cannot be distinguished from the winner, fastest first. */
  readonly tied: readonly Rank[];
  /** The ratios of tied programs to the winner lie within this share of 1, at the confidence; 0 where none is tied. */
  readonly tiedWithin: number;
  readonly ratioOf: (a: number, b: number) => Interval;
}

/**
 * Requires two programs or more, and costs of each in every run. `runs`: costs by program and round, in the order of preference.
 */
export function verdictOf(runs: readonly (readonly Rounds[])[], confidence = defaultConfidence): Verdict {
  const count = runs[0]?.length ?? 0;
  invariant(count >= 2, "two programs or more were measured");
  invariant(
    runs.every((costs) => costs.length === count && costs.every((rounds) => rounds.length > 0)),
    "every run has costs of every program",
  );
  const level = confidenceOfPair(count, confidence);
  const pooled = (units: (costs: readonly Rounds[]) => readonly number[], at: number): Interval =>
    intervalOf(
      runs.flatMap((costs) => units(costs)),
      at,
    );
  const ratio = (a: number, b: number): Interval => pooled((costs) => logRatios(costs[a] as Rounds, costs[b] as Rounds), level);
  const isDecided = ratio(0, 1).confidence >= level - 1e-12;
  const isApart = ({ low }: Interval): boolean => isDecided && low > 0;

  const all = Array.from({ length: count }, (_, i) => i);
  const fastest = fastestOf(runs);
  const winner = isDecided ? (all.find((i) => i === fastest || !isApart(ratio(i, fastest))) as number) : fastest;

  const ranks = all.map((at): Rank & { readonly log: Interval } => {
    const log = at === winner ? same : ratio(at, winner);
    const isToldApart = at !== winner && (isApart(log) || isApart(inverse(log)));
    const seconds = exp(pooled((costs) => (costs[at] as Rounds).map(Math.log), confidence));
    return { at, seconds, ratio: exp(log), isToldApart, log };
  });
  const won = ranks[winner] as (typeof ranks)[number];
  ranks.sort((a, b) => a.log.estimate - b.log.estimate || a.at - b.at);
  const others = ranks.filter((rank) => rank !== won);
  const runnerUp = others[0] as (typeof ranks)[number];
  const { estimate, low, high } = runnerUp.log;
  const noise = (high - low) / 2;
  const tied = isDecided ? others.filter(({ isToldApart }) => !isToldApart) : [];
  const rankOf = ({ log: _, ...rank }: (typeof ranks)[number]): Rank => rank;
  return {
    isDecided,
    leastRounds: leastRoundsOf(count, confidence),
    ranks: ranks.map(rankOf),
    winner: rankOf(won),
    runnerUp: rankOf(runnerUp),
    gap: Math.expm1(estimate),
    gapInNoise: noise > 0 ? Math.abs(estimate) / noise : estimate === 0 ? 0 : Number.POSITIVE_INFINITY,
    tied: tied.map(rankOf),
    tiedWithin: Math.max(0, ...tied.map(({ log }) => Math.max(Math.expm1(log.high), -Math.expm1(log.low)))),
    ratioOf: (a, b) => exp(ratio(a, b)),
  };
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
