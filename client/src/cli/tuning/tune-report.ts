/** The results of a tuning run: the JSON of `tune --json` and the summary for people. */

import { configWords, countWords, firstLine, type MeasureResult, type Seconds, timeWords } from "@warpfarm/common";
import { tieWords } from "@warpfarm/records/logs";
import { valuesOf } from "@warpfarm/records/suites";
import type { FinalsOutcome, TuneSummary } from "../../search/tune-events.ts";
import { untilResults } from "../../tuner/stop-rules.ts";
import { withRule } from "../exit.ts";
import { columns } from "../terminal/words.ts";
import { finalistsLines, finalistsReport, type IndexOf, intervalJson, ratioLine, secondsWords } from "./finalists-report.ts";

export type TuneReport = ReturnType<typeof tuneReport>;

export function tuneReport(summary: TuneSummary, log: string, indexOf: IndexOf) {
  const { best, runnerUp, default: base, speedUp } = summary;
  return {
    trials: summary.trials,
    ended: summary.reason,
    errors: summary.errors,
    slower: summary.slower,
    best: best
      ? {
          index: best.trial.config.index,
          config: valuesOf(best.trial.config.entity),
          seconds: best.seconds,
          gflops: best.gflops,
          spread_seconds: spreadOf(summary),
        }
      : null,
    finalists: summary.finals ? finalistsReport(summary.finals, indexOf) : null,
    runner_up: runnerUp ? { index: runnerUp.trial.config.index, seconds: runnerUp.seconds, gflops: runnerUp.gflops } : null,
    failures: summary.failures.map(({ error, rule, count, message }) => ({ error, rule: rule ?? null, count, message })),
    default: base?.score ? { seconds: base.score.seconds, gflops: base.score.gflops } : null,
    /** Over the default schedule, in interleaved rounds; null when the two were not measured so. */
    speed_up: speedUp ? intervalJson("ratio", speedUp) : null,
    wall_seconds: summary.wallSeconds,
    /** Of this run: trials of a resumed log and equal programs do not count. */
    trials_per_second: summary.trialsPerSecond,
    log,
  };
}

/** With a fixed cutoff nothing may be as fast. */
const noneWords = ({ slower, failures }: TuneReport): string =>
  slower > 0
    ? `none: ${countWords(slower, "candidate")} ended early, slower than the cutoff${failures.length > 0 ? ", and the others failed" : ""}`
    : "none: no candidate could be timed";

function spreadOf({ best, finals }: TuneSummary): Seconds {
  const of = (costs: readonly Seconds[]): Seconds => Math.max(...costs) - Math.min(...costs);
  if (finals?.kind === "judged") {
    const at = finals.finals.finalists.findIndex(({ program }) => program === best?.trial.program);
    return Math.max(...finals.finals.runs.map(({ costs }) => of(costs[at] ?? [0])));
  }
  const result: MeasureResult | undefined = best?.trial.result;
  return result?.kind === "timed" ? of(result.costs) : 0;
}

export interface SummaryFacts {
  readonly title: string;
  readonly device: string;
  /** Whether every timed candidate's output was compared with the reference. */
  readonly checked: boolean;
  readonly files: readonly (readonly [what: string, path: string])[];
  readonly finals?: FinalsOutcome | undefined;
  readonly indexOf: IndexOf;
}

const endWords: Readonly<Record<Exclude<TuneSummary["reason"], "trials">, string>> = {
  exhausted: "the space has no more valid configs",
  aborted: "the run was stopped",
  patience: "--patience results in a row were no better",
  until: `the last ${untilResults} results made less difference than --until allows`,
  device_seconds: "devices have been busy for --device-time",
  wall_seconds: "the run has lasted --wall-time",
  parked: "its share of the trials is spent for now",
  budget: "its share of the suite's budget is spent",
};

export function summaryWords(
  report: TuneReport,
  { title, device, checked, files, finals, indexOf }: SummaryFacts,
  width?: number,
): string {
  const { best, default: base, speed_up: speedUp } = report;
  const errors = Object.entries(report.errors).map(([name, count]) => `${name} ${count}`);
  const trials = `${report.trials} (${errors.join(", ")}) in ${report.wall_seconds.toFixed(1)} s, ${report.trials_per_second.toFixed(2)}/s`;
  const lines: (readonly [string, string])[] = [
    ["task", title],
    ["device", device],
    ["trials", trials],
  ];
  for (const { error, rule, count, message } of report.failures)
    lines.push([
      "failed",
      `${count} ${error}, first: ${withRule({ message: shortened(message), ...(rule === null ? {} : { rule }) })}`,
    ]);
  if (report.ended !== "trials") lines.push(["ended early", endWords[report.ended]]);
  if (best) {
    lines.push(["best config", `index ${best.index}: ${configWords(best.config)}`]);
    const proof = checked ? "checked against the reference" : "NOT checked (check=none)";
    const time =
      finals?.kind === "judged"
        ? secondsWords(finals.verdict.winner.seconds)
        : `${timeWords(best.seconds)}, ${best.spread_seconds > 0 ? `repeats within ${timeWords(best.spread_seconds)}` : "all repeats equal"}`;
    lines.push(["best", `${time}, ${best.gflops.toFixed(2)} GFLOPS, ${proof}`]);
    if (finals?.kind !== "judged") lines.push(...runnerUpLines(best, report.runner_up));
  } else lines.push(["best", noneWords(report)]);
  if (finals) lines.push(...finalistsLines(finals, indexOf));
  else if (best && report.ended === "aborted")
    lines.push([
      "no verdict",
      `the search was cut short, so nothing was measured interleaved; the best is by medians, and ${tieWords}`,
    ]);
  if (base) lines.push(["default schedule", `${timeWords(base.seconds)}, ${base.gflops.toFixed(2)} GFLOPS`]);
  if (speedUp) {
    const { ratio, ratio_low: low, ratio_high: high } = speedUp;
    lines.push(["speed-up", `${ratioLine({ estimate: ratio, low, high })} times the default schedule, interleaved`]);
  } else if (best && base)
    lines.push([
      "speed-up",
      `${(base.seconds / best.seconds).toFixed(2)} times the default schedule, not interleaved; measure --index ${best.index} --paired default interleaves both`,
    ]);
  return columns([...lines, ...files], width);
}

/** One line. */
function shortened(message: string): string {
  const line = firstLine(message);
  return line.length > 160 ? `${line.slice(0, 160)}...` : line;
}

function runnerUpLines(best: NonNullable<TuneReport["best"]>, next: TuneReport["runner_up"]): (readonly [string, string])[] {
  if (!next) return [];
  const gap = next.seconds - best.seconds;
  const share = ((100 * gap) / best.seconds).toFixed(1);
  const behind = gap > 0 ? `${timeWords(gap)} (${share} %) slower` : `within noise; ${tieWords}`;
  const lines: (readonly [string, string])[] = [["runner-up", `index ${next.index}: ${timeWords(next.seconds)}, ${behind}`]];
  if (best.spread_seconds > gap)
    lines.push([
      "warning",
      `the best's repeats differ by ${timeWords(best.spread_seconds)}, more than the gap to the runner-up: which of the two is faster is not settled; ` +
        "measure both with a larger repeat",
    ]);
  return lines;
}

/** `./warpfarm-logs/<task>-<key>-<UTC>.jsonl`, `/` as `_`: its file name. */
export function defaultLogName(task: string, key: string, nowMs: number): string {
  const utc = new Date(nowMs)
    .toISOString()
    .replace(/[-:]/g, "")
    .replace(/\.\d+Z$/, "Z");
  return `${task}-${key}-${utc}.jsonl`.replaceAll("/", "_");
}
