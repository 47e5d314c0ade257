/** Parts of a suite's report as text. */
import { countWords } from "@warpfarm/common";
import { broughtWords } from "@warpfarm/records/suites";
import type { KindReport, Mean, SuiteReport, TaskReport } from "./report.ts";

export const timeText = (seconds: number): string =>
  seconds < 1e-3 ? `${(seconds * 1e6).toPrecision(4)} us` : `${(seconds * 1e3).toPrecision(4)} ms`;
export const percent = (share: number, digits = 1): string => `${(share * 100).toFixed(digits)} %`;
const times = (ratio: number): string => `${ratio.toFixed(2)}x`;
const mean = (name: string, found: Mean | undefined): string =>
  found ? `${name} ${times(found.mean)} (geometric mean of ${found.count}, least ${times(found.least)})` : "";

export const kindWords = (kind: KindReport): string =>
  [
    `${countWords(kind.tasks, "task")}, ${kind.deviceSeconds.toFixed(1)} s of device time`,
    mean("speed-up over the default schedule", kind.overDefault),
    mean("speed-up over the library", kind.overLibrary),
  ]
    .filter((part) => part !== "")
    .join("; ");

/** The share over device time, and a line for each source of knowledge. Empty before anything was timed. */
export function courseWords({ shareOver: over, brought, tasks }: KindReport): string {
  if (over.length === 0) return "";
  const steps = over.map(({ seconds, share }) => `${seconds} s: ${percent(share)}`).join(", ");
  const lines = brought.map((each) => `  ${broughtWords(each, tasks)}\n`);
  return `share of the best after device time of each task, mean: ${steps}\nwhat was known before, and what it brought:\n${lines.join("")}`;
}

/**
 * The time of the model whose kernels the tasks are: each task's best time as often as its count says; beside it that of the
 * framework's operators, or of a library's over the tasks whose times of the library the suite has.
 */
export function modelWords({ kinds, tasks, framework }: SuiteReport): string {
  return kinds
    .map(({ key, devices, weightedSeconds, untimed }) => {
      const beside = framework?.key === key ? framework : undefined;
      const own = tasks.filter((task) => task.key === key && task.best);
      const kernels = own.reduce((n, { weight }) => n + weight, 0);
      // A task without a time of the framework's is made of views there.
      const both = beside ? own : own.filter(({ librarySeconds }) => librarySeconds !== undefined);
      const sumOf = (seconds: (task: TaskReport) => number | undefined) =>
        both.reduce((n, task) => n + task.weight * (seconds(task) ?? 0), 0);
      const [ours, theirs] = [sumOf(({ best }) => best?.seconds), sumOf(({ librarySeconds }) => librarySeconds)];
      const which =
        both.length < own.length
          ? ` for ${both.length} of ${countWords(own.length, "task")}, where ours take ${timeText(ours)}`
          : "";
      const whose = beside
        ? `${beside.name}'s own operators for the same tasks, each run alone with its launch on ${beside.device}, take`
        : "the library's operators take";
      const library = both.length === 0 ? "" : `; ${whose} ${timeText(theirs)}${which}: ${times(theirs / ours)}`;
      const missing = untimed > 0 ? `, without ${countWords(untimed, "task")} of unknown time` : "";
      const on = framework && devices.length > 0 ? `${key} (${devices.join(", ")})` : key;
      const apart =
        framework && !beside
          ? `; ${framework.name}'s own operators take ${timeText(framework.seconds)} on ${framework.key} (${framework.device}), another kind of device, so the two are not compared`
          : "";
      return `the model's time on ${on}: ${timeText(weightedSeconds)}, the sum of ${countWords(kernels, "kernel")}${missing}${library}${apart}`;
    })
    .join("\n");
}

export const bestWords = ({ best }: TaskReport): string =>
  best
    ? `${timeText(best.seconds)} [${timeText(best.low)}, ${timeText(best.high)}]${best.tied.length > 0 ? `, tied with ${best.tied.length} more` : ""}`
    : "none";
