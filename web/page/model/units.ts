import { endedEarly } from "../../src/api.ts";

/** Shares, dates and sizes in words. Times and counts are in words.ts of common. */
export const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)} %`;

/** A relative half-width, in seven letters at most: 0.021 -> "2.1 %", 1.68 -> "168 %", none -> "". */
export function spreadWords(spread: number): string {
  if (!(spread > 0)) return "";
  if (spread >= 9.995) return "> 999 %";
  return percent(spread, spread < 0.0995 ? 1 : 0);
}

export const dateWords = (ms: number): string => (ms > 0 ? new Date(ms).toISOString().slice(0, 16).replace("T", " ") : "–");

export const argsWords = (args: readonly unknown[]): string => args.map((arg) => JSON.stringify(arg)).join(" ");

export const bytesWords = (bytes: number): string => {
  const unit = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes > 0 ? Math.min(4, Math.floor(Math.log2(bytes) / 10)) : 0;
  const n = bytes / 1024 ** power;
  return `${n < 999.5 ? n.toPrecision(3) : Math.round(n)} ${unit[power]}`;
};

const errorWords: readonly string[] = [
  "timed",
  "instantiation",
  "compile host",
  "compile device",
  "runtime on device",
  "wrong answer",
  "build timeout",
  "run timeout",
  "unknown",
];

/** By a trial's errorNo. */
export const outcomeWords = (errorNo: number): string =>
  errorNo === endedEarly ? "ended early" : (errorWords[errorNo] ?? "unknown");

/** By a trial's sequence. */
export const trialWords = (sequence: number): string => (sequence === 0 ? "default schedule" : `trial ${sequence}`);

/**
 * Follows the number of ended trials: how many there will be. The default schedule is measured besides, so there may be more.
 */
export const ofTrials = ({ finished, trials }: { readonly finished: number; readonly trials?: number }): string =>
  trials === undefined || finished >= trials ? "" : ` of ${trials.toLocaleString("en")}`;
