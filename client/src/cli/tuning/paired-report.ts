/** A config and another program that were measured interleaved: as JSON, and in words. */
import { defaultConfidence, type Interval, type PairedOptions, type TimedResult } from "@warpfarm/common";
import { type Rank, type Verdict, verdictOf } from "@warpfarm/records/suites";
import { costsInTurns } from "../../measure/costs-in-turns.ts";
import { ratioLine, secondsWords } from "./finalists-report.ts";
import type { OtherProgram } from "./other-program.ts";

interface PairedReport {
  readonly ratio: number;
  readonly ratio_low: number;
  readonly ratio_high: number;
  /** Confidence of all intervals here; less than 0.99 when there were too few rounds. */
  readonly confidence: number;
  readonly told_apart: boolean;
  readonly seconds: number;
  readonly seconds_low: number;
  readonly seconds_high: number;
  readonly other: { readonly what: string; readonly index: number | null; readonly program: string };
  readonly other_seconds: number;
  readonly other_seconds_low: number;
  readonly other_seconds_high: number;
  readonly rounds: number;
  readonly idle_ms: number;
  /** costs[0]: the config's, costs[1]: the other's, by round. */
  readonly costs: readonly (readonly number[])[];
  readonly artifacts: readonly string[];
}

function measured(result: TimedResult) {
  const costs = costsInTurns(result, 2) ?? [];
  const verdict = verdictOf([costs]);
  const timeOf = (place: number): Interval => (verdict.ranks.find(({ at }) => at === place) as Rank).seconds;
  return { costs, verdict, ratio: verdict.ratioOf(0, 1), time: timeOf(0), otherTime: timeOf(1) };
}

export function pairedReport(result: TimedResult, other: OtherProgram, { rounds, idleMs }: PairedOptions): PairedReport {
  const { costs, verdict, ratio, time, otherTime } = measured(result);
  return {
    ratio: ratio.estimate,
    ratio_low: ratio.low,
    ratio_high: ratio.high,
    confidence: ratio.confidence,
    told_apart: verdict.ranks.some(({ isToldApart }) => isToldApart),
    seconds: time.estimate,
    seconds_low: time.low,
    seconds_high: time.high,
    other: { what: other.what, index: other.index ?? null, program: other.program.digest },
    other_seconds: otherTime.estimate,
    other_seconds_low: otherTime.low,
    other_seconds_high: otherTime.high,
    rounds,
    idle_ms: idleMs,
    costs,
    artifacts: (result.paired ?? []).map(({ artifact }) => artifact),
  };
}

export function pairedLines(result: TimedResult, { what }: OtherProgram, { rounds, idleMs }: PairedOptions): [string, string][] {
  const { verdict, ratio, time, otherTime } = measured(result);
  const percent = `${(100 * ratio.confidence).toFixed(1)} %`;
  const few = verdict.isDecided
    ? ""
    : `; --rounds ${verdict.leastRounds} or more give an interval at ${100 * defaultConfidence} %`;
  const runs = (result.paired ?? []).map(({ number }) => number).join(" and ");
  const { name, key, node } = result.device;
  return [
    ["against", what],
    ["ratio", `${ratioLine(ratio)} of its time, the interval at ${percent}${few}`],
    ["verdict", verdictWords(verdict, ratio)],
    ["time", secondsWords(time)],
    ["other's time", secondsWords(otherTime)],
    ["rounds", `${rounds} interleaved, idle for ${idleMs} ms before each repeat; ${runs} runs each`],
    ["check", result.checked ? "every output of both agrees with the reference" : "not checked"],
    ["device", `${name} (${key}) on ${node}`],
    ["artifacts", (result.paired ?? []).map(({ artifact }) => artifact).join(", ")],
  ];
}

function verdictWords({ isDecided, leastRounds, tied, tiedWithin }: Verdict, { estimate }: Interval): string {
  if (!isDecided) return `too few rounds for a verdict: give --rounds ${leastRounds} or more`;
  if (tied.length > 0) return `tied within ${(100 * tiedWithin).toFixed(2)} %`;
  return estimate < 1 ? `${(1 / estimate).toFixed(3)} times as fast` : `${estimate.toFixed(3)} times as slow`;
}
