/** `suite report`: reports from a suite's folder, and an earlier one's. */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { canonicalJson } from "@warpfarm/common";
import { type Log, readLog, secondsOf } from "@warpfarm/records/logs";
import { nameOfTask } from "@warpfarm/records/search";
import type { DispatchTable, ShapeTask } from "@warpfarm/records/suites";
import { type CrossTimes, crossTimes, readCross, resultsOf, type TaskResults, valuesOf } from "@warpfarm/records/suites";
import { readUnzipped } from "../../score/read-recorded.ts";
import { SuiteDirectory } from "../../suite/directory.ts";
import { dispatchJson } from "../../suite/dispatch-text.ts";
import { leftWords, type PlannedTask } from "../../suite/plan.ts";
import { apartWords, reportOf, type SuiteReport, type TaskReport } from "../../suite/report.ts";
import { bestWords, courseWords, kindWords, markdownOf, modelWords, svgOf } from "../../suite/report-markdown.ts";
import type { CliContext } from "../context.ts";
import { badInput } from "../exit.ts";
import { screenOf } from "../terminal/screen.ts";
import { table } from "../terminal/table.ts";
import { wallMsOf } from "./farm-suite.ts";

export interface ReadSuite {
  readonly directory: SuiteDirectory;
  readonly results: readonly TaskResults<PlannedTask>[];
  readonly times: CrossTimes;
}

export async function readSuiteFolder(directory: SuiteDirectory): Promise<ReadSuite> {
  const plan = await directory.plan();
  const results: TaskResults<PlannedTask>[] = [];
  for (const task of plan.tasks) results.push(resultsOf(task, await directory.log(task.id)));
  const cross = await readFile(join(directory.path, "cross.jsonl"), "utf8").catch(() => "");
  return { directory, results, times: crossTimes(results, readCross(cross)) };
}

const nameOf = ({ search: { task, args, key } }: ShapeTask): string => canonicalJson([nameOfTask(task), args, key]);

async function previousOf(context: CliContext, word: string | undefined): Promise<(each: TaskResults) => number | undefined> {
  if (word === undefined) return () => undefined;
  const path = resolve(context.cwd, word);
  const found = await stat(path).catch(() => undefined);
  if (!found) throw badInput(`--previous names ${JSON.stringify(word)}, which is not there; it takes a suite's folder or a log`);
  const best = new Map<string, number>();
  const keep = (key: string, seconds: number | undefined) => {
    if (seconds !== undefined && seconds < (best.get(key) ?? Number.POSITIVE_INFINITY)) best.set(key, seconds);
  };
  if (found.isDirectory())
    for (const { task, best: then } of (await readSuiteFolder(new SuiteDirectory(path))).results)
      keep(nameOf(task), then?.seconds);
  else {
    const text = await readUnzipped(path);
    if (!text.ok) throw badInput(text.error);
    const log: Log = readLog(text.value, word);
    for (const record of log.records)
      if (record.kind === "warpfarm" && record.trial.result.kind === "timed")
        keep(canonicalJson([record.trial.run.task, record.trial.run.args, record.trial.result.device.key]), secondsOf(record));
  }
  return ({ task }) => best.get(nameOf(task));
}

export interface ReportFlags {
  readonly format?: "text" | "json" | "markdown";
  readonly output?: string;
  readonly previous?: string;
  readonly kernels?: number;
}

export async function reportSuite(context: CliContext, directory: SuiteDirectory, flags: ReportFlags): Promise<void> {
  const { results, times } = await readSuiteFolder(directory);
  const { ended } = await directory.progress();
  const plan = await directory.plan();
  const previous = await previousOf(context, flags.previous);
  const report = reportOf({
    ...{ plan, results, ended, times, previous },
    wallMs: await wallMsOf(directory, plan.tasks),
    kernels: flags.kernels ?? defaultKernels,
  });
  const format = flags.format ?? "text";
  const plot = flags.output === undefined ? undefined : "report.svg";
  const text =
    format === "json"
      ? `${JSON.stringify(jsonOf(report))}\n`
      : format === "markdown"
        ? markdownOf(report, plot)
        : wordsOf(report, context);
  if (flags.output === undefined) {
    context.stdout.write(text);
    return;
  }
  const folder = resolve(context.cwd, flags.output);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "report.md"), markdownOf(report, plot));
  await writeFile(join(folder, "report.json"), `${JSON.stringify(jsonOf(report), null, 1)}\n`);
  await writeFile(join(folder, "report.svg"), svgOf(report));
  context.stdout.write(`${text}report.md, report.json and report.svg are in ${flags.output}\n`);
}
export const defaultKernels = 8;

const jsonOf = (report: SuiteReport) => ({
  suite: report.suite,
  wall_seconds: report.wallSeconds,
  device_seconds: report.deviceSeconds,
  trials: report.trials,
  left_out: report.left,
  kinds: report.kinds.map(
    ({ key, tasks, deviceSeconds, weightedSeconds, untimed, overDefault, overPrevious, overLibrary, share, ...kind }) => ({
      key,
      tasks,
      device_seconds: deviceSeconds,
      weighted_seconds: weightedSeconds,
      untimed,
      over_default: overDefault ?? null,
      over_previous: overPrevious ?? null,
      over_library: overLibrary ?? null,
      share_of_best: share,
      share_over_device_time: kind.shareOver,
      brought: kind.brought.map(({ deviceSeconds: device_seconds, ...each }) => ({ ...each, device_seconds })),
    }),
  ),
  tasks: report.tasks.map(taskJson),
  portability: report.portability.map(({ title, keys, loss, common }) => ({
    title,
    keys,
    /** -1: not measured, null: does not run. */
    loss: loss.map((row) => row.map((share) => (share === undefined ? -1 : share))),
    common: common ? { config: valuesOf(common.config), worst_loss: common.worstLoss, losses: common.losses } : null,
  })),
  tables: report.tables.map(dispatchJson),
});

const taskJson = (task: TaskReport) => ({
  id: task.id,
  title: task.title,
  key: task.key,
  weight: task.weight,
  ended: task.ended,
  trials: task.trials,
  failures: task.failures,
  device_seconds: task.deviceSeconds,
  best: task.best
    ? {
        config: valuesOf(task.best.config),
        seconds: task.best.seconds,
        seconds_low: task.best.low,
        seconds_high: task.best.high,
        judged: task.best.isJudged,
        tied: task.best.tied.map(valuesOf),
      }
    : null,
  default_seconds: task.defaultSeconds ?? null,
  previous_seconds: task.previousSeconds ?? null,
  library_seconds: task.librarySeconds ?? null,
  share_of_best: task.share,
});

function wordsOf(report: SuiteReport, context: Pick<CliContext, "stdout" | "env">): string {
  const { width } = screenOf(context);
  const ratio = ({ best }: TaskReport, other: number | undefined) =>
    best && other !== undefined ? `${(other / best.seconds).toFixed(2)}x` : "";
  const kinds = report.kinds.map((kind) => {
    const rows = report.tasks
      .filter(({ key }) => key === kind.key)
      .map((task) => [
        task.title,
        bestWords(task),
        ratio(task, task.defaultSeconds),
        ratio(task, task.previousSeconds),
        ratio(task, task.librarySeconds),
        `${task.deviceSeconds.toFixed(1)} s`,
        task.ended ?? "not ended",
      ]);
    const share = kind.share.map((at) => `${at.k}: ${(at.share * 100).toFixed(1)} %`).join(", ");
    const head = ["task", "best, 95 % interval", "of default", "of before", "of library", "device time", "ended"];
    return `${kind.key}: ${kindWords(kind)}\n${share === "" ? "" : `share of the best after k results, mean: ${share}\n`}${courseWords(kind)}${table(head, rows, { width, fold: 5 })}`;
  });
  const apart = apartWords(report);
  const losses = report.portability.map(({ title, keys, common }) =>
    common
      ? `${title}: one config for ${keys.join(", ")} loses ${(common.worstLoss * 100).toFixed(1)} % at worst\n`
      : `${title}: no config was measured on all of ${keys.join(", ")}\n`,
  );
  return `${leftWords(report)}${report.suite}: ${report.trials} trials, ${report.deviceSeconds.toFixed(1)} s of device time\n\n${kinds.join("\n")}\n${losses.join("")}${apart === "" ? "" : `${apart}\n`}${report.tables.map(tableWords).join("")}${modelWords(report)}\n`;
}

export const tableWords = ({ task, key, kernels, shapes, meanRegret, worstRegret, unmeasured }: DispatchTable): string =>
  `${task} on ${key}: ${kernels.length} kernels serve ${shapes.length} shapes, ${(meanRegret * 100).toFixed(1)} % slower in the weighted mean, ${(worstRegret * 100).toFixed(1)} % at worst${unmeasured === 0 ? "" : `; ${unmeasured} pairs are not measured`}\n`;
