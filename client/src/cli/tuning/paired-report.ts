/** A config and another program that were measured interleaved: as JSON, and in words. */
import { defaultConfidence, type Interval, type PairedOptions, type TimedResult } from "@warpfarm/common";
import { type Rank, type Verdict, verdictOf } from "@warpfarm/records/suites";
import { costsInTurns } from "../../measure/costs-in-turns.ts";
import { intervalJson, ratioLine, secondsWords } from "./finalists-report.ts";
import type { OtherProgram } from "./other-program.ts";

function measured(result: TimedResult) {
  const costs = costsInTurns(result, 2) ?? [];
  const verdict = verdictOf([costs]);
  const timeOf = (place: number): Interval => (verdict.ranks.find(({ at }) => at === place) as Rank).seconds;
  return { costs, verdict, ratio: verdict.ratioOf(0, 1), time: timeOf(0), otherTime: timeOf(1) };
}

export function pairedReport(result: TimedResult, other: OtherProgram, { rounds, idleMs }: PairedOptions) {
  const { costs, verdict, ratio, time, otherTime } = measured(result);
  return {
    ...intervalJson("ratio", ratio),
    /** Of all intervals here; less than 0.99 when there were too few rounds. */
    confidence: ratio.confidence,
    told_apart: verdict.ranks.some(({ isToldApart }) => isToldApart),
    ...intervalJson("seconds", time),
    other: { what: other.what, index: other.index ?? null, program: other.program.digest },
    ...intervalJson("other_seconds", otherTime),
    rounds,
    idle_ms: idleMs,
    /** The config's, then the other's, by round. */
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
