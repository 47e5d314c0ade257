/**
 * One tuning run of a command: progress, the report at its end, the best kernel's text next to the log. Shared by `tune` and the
 * demo. An interrupt ends the run in order. Results are in the log, and the output says how to continue.
 */

import { writeFile } from "node:fs/promises";
import { relative } from "node:path";
import type { FailedResult, MeasureOptions } from "@warpfarm/common";
import { defined, invariant } from "@warpfarm/common";
import { type ConfigSpace, configNamed } from "@warpfarm/compiler/language";
import type { Measurer } from "../../measure/measurer.ts";
import type { FinalistsOptions } from "../../search/finalists.ts";
import type { MoreTrials } from "../../search/more-trials.ts";
import { runIdentity, type TunableTask, tune } from "../../search/session.ts";
import type { TuneSummary } from "../../search/tune-events.ts";
import { openTuningLog, type Search, type TuningLog } from "../../search/tuning-log.ts";
import { type TunerName, tuners } from "../../tuner/index.ts";
import type { StopRules } from "../../tuner/stop-rules.ts";
import type { ShareSource, TunerOptions } from "../../tuner/tuner.ts";
import type { CliContext } from "../context.ts";
import { openProgress } from "../terminal/progress.ts";
import type { IndexOf } from "./finalists-report.ts";
import { type TuneReport, tuneReport } from "./tune-report.ts";

export interface TuneRun {
  readonly task: TunableTask;
  /** The static check: what the tuner must not propose. */
  readonly isValid: (index: number) => boolean;
  /** Made when the log is open, which names the sessions of an interrupted run. */
  readonly measurer: (log: TuningLog) => Measurer;
  readonly options: MeasureOptions;
  readonly tuner: TunerName;
  readonly seed: number;
  /** Inputs of the tuner besides space, seed and check. `search` identifies them in the log. */
  readonly inputs?: Pick<TunerOptions, "features" | "prior" | "records" | "outline">;
  /** The inputs that a new log keeps, because nothing else does. */
  readonly warmStart?: readonly ShareSource[];
  readonly search?: Search;
  /** By program; see TuneOptions. */
  readonly knownFailures?: ReadonlyMap<string, FailedResult>;
  readonly trials: number;
  /** That are added while it runs. */
  readonly more?: MoreTrials;
  readonly inFlight: number;
  readonly stop?: StopRules;
  readonly finalists?: FinalistsOptions;
  readonly logPath: string;
  readonly resume: boolean;
  readonly signal: AbortSignal;
  /** Told of each result. */
  readonly onResult?: () => void;
}

export interface TuneEnd {
  readonly summary: TuneSummary;
  readonly report: TuneReport;
}

export async function runTune(context: CliContext, run: TuneRun): Promise<TuneEnd> {
  const { task, seed, trials, signal } = run;
  const identity = runIdentity(task, run.tuner, seed);
  await using log = await openTuningLog(run.logPath, {
    run: identity,
    resume: run.resume,
    ...defined({ search: run.search, warmStart: run.warmStart && { space: task.space, sources: run.warmStart } }),
  });
  for (const warning of log.warnings) context.stderr.write(`${warning}\n`);
  const tuner = tuners[run.tuner]({ space: task.space, seed, isValid: run.isValid, ...run.inputs });
  const progress = openProgress(context.stderr, context.clock);
  // No config is proposed twice, so a small space has fewer trials.
  const most = () => Math.min(trials + (run.more?.count ?? 0), task.space.valid.count);
  let replayed = 0;
  let current: number | undefined;
  const events = tune({
    task,
    tuner: { name: run.tuner, seed, tuner },
    measurer: run.measurer(log),
    options: run.options,
    trials,
    ...defined({ more: run.more }),
    inFlight: run.inFlight,
    ...(run.stop ? { stop: run.stop } : {}),
    ...(run.knownFailures ? { knownFailures: run.knownFailures } : {}),
    ...(run.finalists ? { finalists: run.finalists } : {}),
    log,
    session: context.newId(),
    clock: context.clock,
    signal,
  });
  try {
    for await (const event of events) {
      run.onResult?.();
      switch (event.kind) {
        case "resumed":
          replayed = event.trials;
          context.stderr.write(`continuing from ${event.trials} trials in ${shown(context, run.logPath)}\n`);
          if (event.strange > 0) context.stderr.write(`${event.strange} of them are not in this space and are left out\n`);
          if (event.diverged > 0)
            context.stderr.write(`${event.diverged} of them differ from what the tuner would propose now\n`);
          break;
        case "default":
          if (event.score) context.stderr.write(`default schedule: ${event.score.gflops.toFixed(2)} GFLOPS\n`);
          else if (event.result.kind === "failed") context.stderr.write(`default schedule: ${event.result.message}\n`);
          break;
        case "trial":
          current = event.score?.gflops ?? current;
          progress.show({ trials: most(), done: event.done, replayed, current, best: event.best?.gflops, errors: event.errors });
          break;
        case "finalists":
          progress.stop();
          context.stderr.write(
            `measuring the fastest ${event.configs.length} again, interleaved: index ${event.configs.map(indexIn(task.space)).join(", ")}\n`,
          );
          break;
        case "finished":
          progress.stop();
          return { summary: event.summary, report: tuneReport(event.summary, run.logPath, indexIn(task.space)) };
        default:
          event satisfies never;
      }
    }
  } finally {
    progress.stop();
  }
  throw new Error("the tuning session ended without a summary");
}

/** The index of a config that the space has. */
export const indexIn =
  (space: ConfigSpace): IndexOf =>
  (config) => {
    const found = configNamed(space, config);
    invariant(found.ok, "a finalist is a config of its space");
    return found.value;
  };

/** A path as the user would type it. */
export const shown = (context: Pick<CliContext, "cwd">, path: string): string => {
  const near = relative(context.cwd, path);
  return near.startsWith("..") ? path : near;
};

/** Writes the best kernel's text next to the log. Returns the path. */
export async function keepKernel(logPath: string, extension: string, text: string | Uint8Array): Promise<string> {
  const path = `${logPath.replace(/\.jsonl?$/, "")}.best.${extension}`;
  await writeFile(path, text);
  return path;
}
