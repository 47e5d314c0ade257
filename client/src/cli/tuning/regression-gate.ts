/**
 * Whether a program is slower than allowed. The verdict uses the interval of the ratio of two programs measured interleaved; a
 * report is JUnit's XML. A regression must be proven: the whole interval is above the limit. An undecided result does not fail.
 */
import {
  defaultConfidence,
  type Interval,
  leastRoundsOf,
  type MeasureResult,
  measureErrorName,
  type TimedResult,
} from "@warpfarm/common";
import { verdictOf } from "@warpfarm/records/suites";
import { costsInTurns } from "../../measure/costs-in-turns.ts";

type GateVerdict = "passed" | "regression" | "undecided";

interface Gate {
  readonly verdict: GateVerdict;
  readonly ratio: Interval;
  readonly failAbove: number;
}

/** Fewer rounds than the confidence needs prove nothing. */
export function gateOf(ratio: Interval, failAbove: number): Gate {
  const isEnough = ratio.confidence >= defaultConfidence;
  const verdict = isEnough && ratio.low > failAbove ? "regression" : isEnough && ratio.high <= failAbove ? "passed" : "undecided";
  return { verdict, ratio, failAbove };
}

export function gateOfResult(result: TimedResult, failAbove: number): Gate {
  return gateOf(verdictOf([costsInTurns(result, 2) ?? []]).ratioOf(0, 1), failAbove);
}

export function gateWords({ verdict, ratio, failAbove }: Gate): string {
  const measured = `${ratio.estimate.toFixed(4)} times the base's time [${ratio.low.toFixed(4)}, ${ratio.high.toFixed(4)}] at ${(100 * ratio.confidence).toFixed(1)} %`;
  switch (verdict) {
    case "regression":
      return `regression: ${measured}, all of it above ${failAbove}`;
    case "passed":
      return `passed: ${measured}, none of it above ${failAbove}`;
    default:
      if (ratio.confidence < defaultConfidence)
        return `undecided, which does not fail: ${measured}; too few rounds for a verdict: give --rounds ${leastRoundsOf(2)} or more`;
      return `undecided, which does not fail: ${measured}, and the limit is ${failAbove}; give more --rounds to narrow the interval`;
  }
}

export interface JunitCase {
  readonly name: string;
  readonly against: string;
  readonly seconds: number;
  readonly timestamp: Date;
  readonly outcome: Gate | Exclude<MeasureResult, TimedResult>;
}

const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    // XML allows no control characters.
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, "?");

function errorLine(outcome: Exclude<MeasureResult, TimedResult>): string {
  const isSlower = outcome.kind === "slower";
  const name = isSlower ? "SLOWER" : measureErrorName(outcome.errorNo);
  const message = isSlower ? `it ended early: a run takes at least ${outcome.atLeast} s` : outcome.message;
  return `      <error type="${name}" message="${escaped(message)}">${escaped(isSlower ? "" : (outcome.log ?? ""))}</error>\n`;
}

export function junitXml({ name, against, seconds, timestamp, outcome }: JunitCase): string {
  const [failures, errors] = "verdict" in outcome ? [outcome.verdict === "regression" ? 1 : 0, 0] : [0, 1];
  const counts = `tests="1" failures="${failures}" errors="${errors}" skipped="0" time="${seconds}"`;
  const body =
    "verdict" in outcome
      ? `${failures > 0 ? `      <failure type="regression" message="${escaped(gateWords(outcome))}"/>\n` : ""}      <system-out>${escaped(gateWords(outcome))}</system-out>\n`
      : errorLine(outcome);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="warpfarm" ${counts} timestamp="${timestamp.toISOString().slice(0, 19)}">`,
    `    <testcase classname="${escaped(name)}" name="${escaped(`against ${against}`)}" time="${seconds}">`,
    `${body}    </testcase>`,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}
