/** The results of the finalists: for `tune --json`, and in words. */

import { defaultConfidence, type Interval, timeWords } from "@warpfarm/common";
import { tieRule, tieWords } from "@warpfarm/records/logs";
import type { Entity, FinalistRank, Finals, FinalsVerdict } from "@warpfarm/records/suites";
import type { FinalsOutcome } from "../../search/tune-events.ts";

export type IndexOf = (config: Entity) => number;

/** Estimate and bounds as three fields. */
export const intervalJson = <N extends string>(name: N, { estimate, low, high }: Omit<Interval, "confidence">) =>
  ({ [name]: estimate, [`${name}_low`]: low, [`${name}_high`]: high }) as Record<N | `${N}_low` | `${N}_high`, number>;

export function finalistsReport(outcome: FinalsOutcome, indexOf: IndexOf) {
  const failedOf = (failed: readonly { readonly config: Entity; readonly message: string }[]) =>
    failed.map(({ config, message }) => ({ index: indexOf(config), message }));
  const named = ({ config }: Pick<FinalistRank, "config">): number => indexOf(config);
  if (outcome.kind === "skipped") return { skipped: outcome.why, failed: failedOf(outcome.failed) };
  const { finals, verdict, notes } = outcome;
  return {
    winner: named(verdict.winner),
    runner_up: named(verdict.runnerUp),
    /** How much slower the runner-up is, as a share of the winner's time; below 0 where the winner won a tie. */
    gap: verdict.gap,
    /** In units of half the width of its interval; null when there is no noise. Below 1 it is not significant. */
    gap_in_noise: Number.isFinite(verdict.gapInNoise) ? verdict.gapInNoise : null,
    decided: verdict.isDecided,
    tied: verdict.tied.map(named),
    rule: tieRule,
    confidence: defaultConfidence,
    tied_within: verdict.tied.length > 0 ? verdict.tiedWithin : null,
    rounds: roundsOf(finals),
    idle_ms: finals.paired.idleMs,
    nodes: [...new Set(finals.runs.map(({ device }) => device.node))],
    ranks: verdict.ranks.map(({ config, seconds, ratio, isToldApart }) => ({
      index: indexOf(config),
      ...intervalJson("seconds", seconds),
      /** Over the winner's time. */
      ...intervalJson("ratio", ratio),
      told_apart: isToldApart,
    })),
    failed: failedOf(finals.failed),
    notes,
  };
}

const between = ({ low, high }: Pick<Interval, "low" | "high">, words: (value: number) => string): string =>
  `[${words(low)}, ${words(high)}]`;
const percentWords = (share: number): string => `${(100 * share).toFixed(2)} %`;
const ratioWords = (value: number): string => value.toFixed(value < 10 ? 4 : 1);

export const secondsWords = (seconds: Interval): string => `${timeWords(seconds.estimate)} ${between(seconds, timeWords)}`;
export const ratioLine = (ratio: Omit<Interval, "confidence">): string =>
  `${ratioWords(ratio.estimate)} ${between(ratio, ratioWords)}`;

export function finalistsLines(outcome: FinalsOutcome, indexOf: IndexOf): (readonly [string, string])[] {
  const named = ({ config }: FinalistRank): string => `index ${indexOf(config)}`;
  const { failed } = outcome.kind === "skipped" ? outcome : outcome.finals;
  const out = failed.map(
    ({ config, message }) =>
      ["finalist", `index ${indexOf(config)} failed when it was measured again, and is excluded: ${message}`] as const,
  );
  if (outcome.kind === "skipped") return [...out, ["finalists", `not measured again: ${outcome.why}`]];
  const { finals, verdict, notes } = outcome;
  const { winner, runnerUp, tied, ranks } = verdict;
  const nodes = [...new Set(finals.runs.map(({ device }) => device.node))].join(", ");
  const confidence = `${100 * defaultConfidence} %`;
  const isTooShort = !verdict.isDecided;
  const lines: (readonly [string, string])[] = [
    ...out,
    ["finalists", `${ranks.length} interleaved, ${roundsOf(finals)} rounds on ${nodes}; intervals at ${confidence}`],
    ["winner", `${named(winner)}: ${secondsWords(winner.seconds)}`],
    ["runner-up", `${named(runnerUp)}: ${isTooShort ? secondsWords(runnerUp.seconds) : behind(verdict)}`],
  ];
  if (isTooShort)
    lines.push([
      "no verdict",
      `${roundsOf(finals)} rounds are too few for a verdict on ${ranks.length} configs: give --rounds ${verdict.leastRounds} or more; the fastest wins`,
    ]);
  else if (tied.length > 0)
    lines.push([
      "tied",
      `index ${tied.map(({ config }) => indexOf(config)).join(", ")}: tied with the winner within ${percentWords(verdict.tiedWithin)}; ${tieWords}`,
    ]);
  for (const rank of ranks) if (rank.at !== winner.at) lines.push(["finalist", `${named(rank)}: ${rankWords(rank, isTooShort)}`]);
  return [...lines, ...notes.map((note) => ["note", note] as const)];
}

/** The rounds that were needed, of each run. */
const roundsOf = ({ runs }: Finals): number => Math.min(...runs.flatMap(({ costs }) => costs.map(({ length }) => length)));

function behind({ runnerUp, gap, gapInNoise, tiedWithin }: FinalsVerdict): string {
  if (!runnerUp.isToldApart) return `tied with the winner within ${percentWords(tiedWithin)}`;
  const noise = Number.isFinite(gapInNoise) ? `${gapInNoise.toFixed(1)} times the noise` : "without noise";
  return `${gap < 1 ? `${percentWords(gap)} slower` : `${(1 + gap).toFixed(1)} times the winner's time`}, ${noise}`;
}
const rankWords = ({ seconds, ratio, isToldApart }: FinalistRank, isTooShort: boolean): string =>
  `${secondsWords(seconds)}, ${ratioLine(ratio)} times the winner's${isToldApart || isTooShort ? "" : ", tied"}`;
