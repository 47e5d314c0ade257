/** `suite report`: a report from a suite's folder, and from those of suites on other machines. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { badInput, configWords, countWords } from "@warpfarm/common";
import type { DispatchTable } from "@warpfarm/records/suites";
import { byShape, type CrossTimes, crossTimes, readCross, resultsOf, type TaskResults, valuesOf } from "@warpfarm/records/suites";
import type { SuiteDirectory } from "../../suite/directory.ts";
import { dispatchJson } from "../../suite/dispatch-text.ts";
import { leftWords, type PlannedTask } from "../../suite/plan.ts";
import { apartWords, type Matrix, reportOf, type SuiteReport, type TaskReport } from "../../suite/report.ts";
import { bestWords, courseWords, kindWords, modelWords, percent } from "../../suite/report-words.ts";
import type { CliContext } from "../context.ts";
import { screenOf } from "../terminal/screen.ts";
import { table } from "../terminal/table.ts";
import { wallMsOf } from "./farm-suite.ts";
import { directoryOf } from "./open-suite.ts";

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

/** Suites of other machines, by the words that name their folders. */
export type Others = ReadonlyMap<string, ReadSuite>;

/** Throws bad input for a folder that is no suite, or the suite's own. */
export async function readOthers(context: CliContext, directory: SuiteDirectory, words: readonly string[]): Promise<Others> {
  const others = new Map<string, ReadSuite>();
  for (const word of words) {
    const other = await directoryOf(context, word);
    if (other.path === directory.path) throw badInput(`--beside names ${word}, the suite itself; give the folder of another one`);
    others.set(word, await readSuiteFolder(other));
  }
  return others;
}

/** The suite, and of the others what has a shape of it. The same task may be in several stores, and stays apart. */
export function besideOthers({ results, times }: ReadSuite, others: Others): Matrix {
  const shapes = new Set(results.map(byShape));
  const all: TaskResults[] = [...results];
  const known = new Map(times);
  for (const [store, other] of others) {
    const found = other.results.filter((each) => shapes.has(byShape(each)));
    if (found.length === 0)
      throw badInput(`--beside names ${store}, whose suite has no template and shape of this one; there is nothing to compare`);
    for (const each of found) {
      const id = `${store} ${each.task.id}`;
      all.push({ ...each, store, task: { ...each.task, id } });
      known.set(id, other.times.get(each.task.id) ?? new Map());
    }
  }
  return { results: all, times: known };
}

export interface ReportFlags {
  readonly beside?: readonly string[];
  readonly kernels?: number;
  readonly json?: boolean;
}

export async function reportSuite(context: CliContext, suite: ReadSuite, others: Others, flags: ReportFlags): Promise<void> {
  const { directory, results, times } = suite;
  const { ended } = await directory.progress();
  const plan = await directory.plan();
  const wallMs = await wallMsOf(directory, plan.tasks);
  const matrix = besideOthers(suite, others);
  const report = reportOf({ ...{ plan, results, ended, times, matrix, wallMs }, kernels: flags.kernels ?? defaultKernels });
  context.stdout.write(flags.json ? `${JSON.stringify(jsonOf(report))}\n` : wordsOf(report, context));
}

export const defaultKernels = 8;

const jsonOf = (report: SuiteReport) => ({
  suite: report.suite,
  framework: report.framework ?? null,
  wall_seconds: report.wallSeconds,
  device_seconds: report.deviceSeconds,
  trials: report.trials,
  left_out: report.left,
  kinds: report.kinds.map(
    ({ key, tasks, devices, deviceSeconds, weightedSeconds, untimed, overDefault, overLibrary, share, ...kind }) => ({
      key,
      tasks,
      devices,
      device_seconds: deviceSeconds,
      weighted_seconds: weightedSeconds,
      untimed,
      over_default: overDefault ?? null,
      over_library: overLibrary ?? null,
      share_of_best: share,
      share_over_device_time: kind.shareOver,
      brought: kind.brought.map(({ deviceSeconds: device_seconds, ...each }) => ({ ...each, device_seconds })),
    }),
  ),
  tasks: report.tasks.map(taskJson),
  portability: report.portability.map(({ title, devices, loss, common }) => ({
    title,
    devices,
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
        ratio(task, task.librarySeconds),
        `${task.deviceSeconds.toFixed(1)} s`,
        task.ended ?? "not ended",
      ]);
    const share = kind.share.map((at) => `${at.k}: ${(at.share * 100).toFixed(1)} %`).join(", ");
    const head = ["task", "best, 95 % interval", "speed-up over default", "speed-up over library", "device time", "ended"];
    return `${kind.key}: ${kindWords(kind)}\n${share === "" ? "" : `share of the best after k results, mean: ${share}\n`}${courseWords(kind)}${table(head, rows, { width, fold: 5 })}`;
  });
  const apart = apartWords(report);
  const losses = report.portability.map(({ title, devices, loss, common }) => {
    const rows = devices.map((device, from) => [device, ...(loss[from] ?? []).map(lossWords)]);
    const one = common
      ? `one config for all, ${configWords(valuesOf(common.config))}, loses ${percent(common.worstLoss)} at worst`
      : "no config was measured on all of them";
    return `${title}, how much slower each kind's winner is on another than that one's own:\n${table(["winner of, on", ...devices], rows, { width })}${one}\n`;
  });
  return `${leftWords(report)}${report.suite}: ${countWords(report.trials, "trial")}, ${report.deviceSeconds.toFixed(1)} s of device time\n\n${kinds.join("\n")}\n${losses.join("")}${apart === "" ? "" : `${apart}\n`}${report.tables.map(tableWords).join("")}${modelWords(report)}\n`;
}

const lossWords = (share: number | null | undefined): string =>
  share === null ? "does not run" : share === undefined ? "not measured" : percent(share);

export const tableWords = ({ task, key, kernels, shapes, meanRegret, worstRegret, unmeasured }: DispatchTable): string =>
  `${task} on ${key}: ${countWords(kernels.length, "kernel")} ${kernels.length === 1 ? "serves" : "serve"} ${countWords(shapes.length, "shape")}, ${(meanRegret * 100).toFixed(1)} % slower in the weighted mean, ${(worstRegret * 100).toFixed(1)} % at worst${unmeasured === 0 ? "" : `; ${countWords(unmeasured, "pair")} not measured`}\n`;
