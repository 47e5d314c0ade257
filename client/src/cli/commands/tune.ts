/** `tune`: searches a task's space on a farm, which is an embedded one unless a tracker is named. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pairedLimits } from "@warpfarm/common";
import { findOperator, fittingTarget } from "@warpfarm/templates";
import { defaultFinalists, defaultSeed, defaultTuner } from "../../search/defaults.ts";
import { finalsPaired } from "../../search/finalists.ts";
import { defaultNest, readTransfer, searchIdentity } from "../../search/search-inputs.ts";
import { isUnbegun, refuseOtherRun } from "../../search/tuning-log.ts";
import { type FeatureKind, featureKinds } from "../../tuner/features/features.ts";
import { type TunerName, tuners } from "../../tuner/index.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { badInput, exitCode } from "../exit.ts";
import { backendFor, checkWhere, chooseKey, deviceFor, keysWhere, openFarm } from "../farm/farm-access.ts";
import { addDeviceFlag, addFarmFlags, addWhereFlag, channelOf, type DeviceFlags, type FarmFlags } from "../farm/farm-flags.ts";
import { addKeepFlag, type KeepFlags } from "../flags/keep-flag.ts";
import { addMeasureFlags, addPairedFlags, type MeasureFlags, type PairedFlags } from "../flags/measure-flags.ts";
import { duration, integer, oneOf } from "../flags/parse.ts";
import { readSettings } from "../flags/settings.ts";
import { addTaskFlags, namedTarget, sourceOf, type TaskFlags, targetOf, tellNotes, tellSent } from "../flags/task-flags.ts";
import { taskOf } from "../flags/task-of.ts";
import { makeDirectory } from "../make-directory.ts";
import { screenOf } from "../terminal/screen.ts";
import { tuneOnFarm } from "../tuning/tune-on-farm.ts";
import { tuneOperator } from "../tuning/tune-operator.ts";
import { defaultLogName, summaryWords } from "../tuning/tune-report.ts";
import { shown } from "../tuning/tune-run.ts";

export interface TuneFlags extends KeepFlags, TaskFlags, FarmFlags, DeviceFlags, MeasureFlags, PairedFlags {
  /** 0 = none. */
  readonly finalists?: number;
  readonly tuner?: TunerName;
  readonly trials?: number;
  readonly seed?: number;
  readonly inFlight?: number;
  readonly patience?: number;
  /** Times are in milliseconds. */
  readonly deviceTime?: number;
  readonly wallTime?: number;
  readonly giveUp?: number;
  readonly features?: FeatureKind;
  readonly transfer?: readonly string[];
  readonly log?: string;
  readonly resume?: boolean;
  readonly priority?: number;
  readonly weight?: number;
  readonly reuse?: boolean;
  readonly retryFailures?: boolean;
  readonly json?: boolean;
}

const names = Object.keys(tuners) as TunerName[];
const dayMs = 86_400_000;
const budget = { lowMs: 1, highMs: 100 * dayMs };

export const register: RegisterCommand = (program, context) => {
  const command = addTaskFlags(
    program
      .command("tune")
      .description(
        "search the space of a task, or of each template of an operator; every candidate is built, checked and timed on a farm",
      ),
  )
    .option("--tuner <name>", `${names.join(", ")} (default auto)`, oneOf("--tuner", names))
    .option(
      "--trials <n>",
      "number of candidates, including those of a resumed log (default 64)",
      integer("--trials", 1, 10_000_000),
    )
    .option("--seed <n>", "makes the search repeatable (default 0)", integer("--seed", -(2 ** 31), 2 ** 31 - 1))
    .option("--in-flight <n>", "candidates outstanding at once (default 16)", integer("--in-flight", 1, 1024))
    .option("--patience <n>", "end after n results in a row without a better one", integer("--patience", 1, 10_000_000))
    .option(
      "--device-time <time>",
      "end when devices have been busy with the run for this time",
      duration("--device-time", budget),
    )
    .option("--wall-time <time>", "end when the run has lasted this time", duration("--wall-time", budget))
    .option(
      "--give-up <time>",
      "end with exit 3 when no result came for this long (default 10m)",
      duration("--give-up", { highMs: 30 * dayMs }),
    )
    .option(
      "--finalists <k>",
      `the k fastest are measured again, interleaved, on two nodes if there are two; 2 to 8, or 0 (default ${defaultFinalists})`,
      finalists,
    )
    .option(
      "--features <kind>",
      `features of xgb's model: ${featureKinds.join(", ")} (default ${defaultNest})`,
      oneOf("--features", featureKinds),
    )
    .option(
      "--transfer <log...>",
      "warm-start xgb or auto: earlier logs (other shapes, other GPUs, AutoTVM), farm (the farm's records; default with a tracker), or none",
    )
    .option("--log <file>", "write results here (default warpfarm-logs/<task>-<key>-<UTC>.jsonl)")
    .option("--resume", "continue the search of the log")
    .option(
      "--priority <n>",
      "priority among your sessions on the farm; higher runs first (default 0)",
      integer("--priority", -100, 100),
    )
    .option("--weight <n>", "share of device time among sessions of equal priority (default 1)", integer("--weight", 1, 1000))
    .option("--retry-failures", "measure programs again that failed in the last 7 days by the tracker's records")
    .option("--reuse", "accept results that other --reuse runs measured for the same program and options");
  addWhereFlag(
    addDeviceFlag(
      addFarmFlags(addKeepFlag(addPairedFlags(addMeasureFlags(command))), "default: an embedded farm for the length of the run"),
    ),
  )
    .option("--json", "one line of JSON on stdout")
    .action((name: string, flags: TuneFlags) => tuneCommand(context, name, flags));
};

/** Refuses too few --rounds for the finalists. */
function withFinalists(flags: TuneFlags): TuneFlags {
  const { finalists = defaultFinalists, rounds } = flags;
  finalsPaired({ rounds }, finalists);
  return { ...flags, finalists };
}

function finalists(text: string): number {
  const { least, most } = pairedLimits.programs;
  if (text === "0" || (/^\d$/.test(text) && Number(text) >= least && Number(text) <= most)) return Number(text);
  throw badInput(`--finalists is ${JSON.stringify(text)}; it takes an integer from ${least} to ${most}, or 0 for none`);
}

async function tuneCommand(context: CliContext, name: string, given: TuneFlags): Promise<void> {
  const flags = withFinalists(given);
  const settings = await readSettings(context);
  const operator = findOperator(name);
  if (operator) {
    const found = await tuneOperator(context, operator, flags, settings);
    if (!found) context.setExitCode(exitCode.noResult);
    return;
  }
  const source = await sourceOf(name, flags, context);
  tellNotes(source, context);
  tellSent(source, context);
  const channel = channelOf(flags, settings, context);
  const backend = backendFor(source.targets, flags);
  const device = deviceFor(backend, channel, flags.device);
  checkWhere(channel, flags.where);
  if (flags.resume && flags.log === undefined) throw badInput("--resume needs --log: the log to continue");
  // Bad input is refused before a farm is started.
  if (flags.log !== undefined && !flags.resume) refuseHeldLog(resolve(context.cwd, flags.log), flags.log);
  const { name: taskName, args } = taskOf(source, flags, await targetOf(source, flags, settings, context));
  const tuner = flags.tuner ?? defaultTuner;
  const transfer = await readTransfer(context, flags, tuner, source);
  if (flags.resume && flags.log !== undefined)
    await refuseOtherRun(
      resolve(context.cwd, flags.log),
      { task: taskName, args, tuner, seed: flags.seed ?? defaultSeed },
      searchIdentity(flags, transfer, tuner, !("spec" in source)),
    );
  await makeDirectory(
    "the log's directory",
    flags.log === undefined ? settings.logDir : dirname(resolve(context.cwd, flags.log)),
    context.stderr,
  );
  await using farm = await openFarm(context, settings, channel, device);
  const { page } = farm.embedded ?? {};
  if (page !== undefined) context.stderr.write(`page: ${page} shows the search while the command runs\n`);
  const key = chooseKey(keysWhere(farm, flags.where), backend, flags.target);
  const task = taskOf(source, flags, namedTarget(flags.target) ?? fittingTarget(source.targets, key));
  const logPath =
    flags.log === undefined
      ? resolve(settings.logDir, defaultLogName(task.name, key, context.clock.now()))
      : resolve(context.cwd, flags.log);
  const end = await tuneOnFarm(context, farm, { task, key, flags, logPath, transfer });
  const { report } = end;
  if (flags.json) context.stdout.write(`${JSON.stringify(report)}\n`);
  else
    context.stdout.write(
      summaryWords(
        report,
        { ...end.facts, files: end.files.map(([what, path]) => [what, shown(context, path)]) },
        context.stdout.isTTY ? screenOf(context).width : undefined,
      ),
    );
  if (!report.best) context.setExitCode(exitCode.noResult);
}

/** openTuningLog refuses it too, but later. */
function refuseHeldLog(path: string, name: string): void {
  if (existsSync(path) && statSync(path).isDirectory())
    throw badInput(`--log names ${JSON.stringify(name)}, which is a directory`);
  if (existsSync(path) && statSync(path).size > 0 && !isUnbegun(readFileSync(path, "utf8"), path))
    throw badInput(
      `--log names ${JSON.stringify(name)}, which holds a log already; give --resume to continue it, or another name`,
    );
}
