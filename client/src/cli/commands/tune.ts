/** `tune`: searches a task's space on a farm, which is an embedded one unless a tracker is named. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { badInput, defined, keyOf } from "@warpfarm/common";
import type { SearchMeasure } from "@warpfarm/records/search";
import { findOperator, fittingTarget } from "@warpfarm/templates";
import type { Command } from "commander";
import { beginSearch } from "../../search/begin-search.ts";
import { backendThere, chooseKey, keysWhere } from "../../search/farm-there.ts";
import { foresee } from "../../search/open-search.ts";
import { finalistLimits, type SearchSpec, searchDefaults, untilLimits } from "../../search/search-spec.ts";
import { taskOfSource } from "../../search/task-of-source.ts";
import { sourceOf } from "../../search/task-source.ts";
import { isUnbegun } from "../../search/tuning-log.ts";
import { type TunerName, tuners } from "../../tuner/index.ts";
import { untilResults } from "../../tuner/stop-rules.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { exitCode } from "../exit.ts";
import { backendFor, openFarm, placeOf } from "../farm/farm-access.ts";
import { addDeviceFlag, addWhereFlag, againWords, type DeviceFlags, type FarmFlags } from "../farm/farm-flags.ts";
import { inGroup } from "../flags/groups.ts";
import { addKeepFlag, type KeepFlags } from "../flags/keep-flag.ts";
import { addMeasureFlag, addPairedFlags, type GivenMeasure, type PairedFlags, readMeasure } from "../flags/measure-flags.ts";
import { duration, integer, oneOf, share } from "../flags/parse.ts";
import { readSettings, type Settings } from "../flags/settings.ts";
import { connection, takes } from "../flags/shared-flags.ts";
import { addTaskFlags, argsOf, namedTarget, type TaskFlags, targetOf, tellNotes, tellSent } from "../flags/task-flags.ts";
import { makeDirectory } from "../make-directory.ts";
import { screenOf } from "../terminal/screen.ts";
import { askedWithFile, logsNamed } from "../tuning/asked-search.ts";
import { resumeSearch } from "../tuning/resume-search.ts";
import type { FarmEnd } from "../tuning/search-end.ts";
import { recordsAhead } from "../tuning/search-farm.ts";
import { shown } from "../tuning/show-search.ts";
import { tuneOnFarm } from "../tuning/tune-on-farm.ts";
import { askedOperator, tuneOperator } from "../tuning/tune-operator.ts";
import { defaultLogName, summaryWords } from "../tuning/tune-report.ts";

export interface TuneFlags extends KeepFlags, TaskFlags, FarmFlags, DeviceFlags, PairedFlags {
  readonly measure?: SearchMeasure;
  /** 0: none. */
  readonly finalists?: number;
  readonly tuner?: TunerName;
  readonly trials?: number;
  readonly seed?: number;
  readonly inFlight?: number;
  readonly patience?: number;
  readonly until?: number;
  readonly deviceTime?: number;
  readonly wallTime?: number;
  readonly giveUp?: number;
  readonly transfer?: readonly string[];
  readonly log?: string;
  readonly search?: string;
  readonly resume?: string;
  readonly file?: readonly string[];
  readonly priority?: number;
  readonly weight?: number;
  readonly reuse?: boolean;
  readonly json?: boolean;
}

type GivenFlags = Omit<TuneFlags, "measure"> & GivenMeasure;

const names = Object.keys(tuners) as TunerName[];
const dayMs = 86_400_000;
const budget = { lowMs: 1, highMs: 100 * dayMs };

export const register: RegisterCommand = (program, context) => {
  const command = addTaskFlags(program.command("tune"), "[task]")
    .option("--tuner <name>", `${names.join(", ")} (default auto)`, oneOf("--tuner", names))
    .option(
      "--trials <n>",
      `candidates, with those of a resumed log (default ${searchDefaults.budget.trials})`,
      integer("--trials", 1, 10_000_000),
    )
    .option("--device-time <time>", "end after this time of devices, such as 30m", duration("--device-time", budget))
    .option("--wall-time <time>", "end when the run has lasted this time", duration("--wall-time", budget))
    .option("--seed <n>", "makes the search repeatable (default 0)", integer("--seed", -(2 ** 31), 2 ** 31 - 1))
    .option("--log <file>", "results (default warpfarm-logs/<task>-<key>-<UTC>.jsonl)")
    .option("--resume <log>", "continue the search of this log; nothing else is needed");
  addDeviceFlag(addMeasureFlag(command));
  inGroup(command, "Search:", addSearchFlags);
  inGroup(command, "Finalists:", (finals) =>
    addPairedFlags(
      finals.option(
        "--finalists <k>",
        `the k fastest are measured again, interleaved, on two nodes if there are two; 2 to 8, or 0 (default ${searchDefaults.finalists.count})`,
        finalists,
      ),
    ),
  );
  inGroup(command, "On a farm:", addPlaceFlags);
  takes(command, ...connection).action((name: string | undefined, flags: GivenFlags) => tuneCommand(context, name, flags));
};

const addSearchFlags = (command: Command): Command =>
  command
    .option(
      "--transfer <log...>",
      "warm-start xgb or auto: earlier logs (other shapes, other GPUs, AutoTVM), farm (the farm's records; default with a tracker), or none",
    )
    .option("--in-flight <n>", "candidates outstanding at once (default 16)", integer("--in-flight", 1, 1024))
    .option("--patience <n>", "end after n results in a row without a better one", integer("--patience", 1, 10_000_000))
    .option(
      "--until <share>",
      `end when the search is as near to the best as this (${untilLimits.least} to ${untilLimits.most}): the last ${untilResults} results made less difference`,
      share("--until", untilLimits),
    )
    .option(
      "--give-up <time>",
      "end with exit 3 when no result came for this long (default 10m)",
      duration("--give-up", { lowMs: 1_000, highMs: 30 * dayMs }),
    )
    .option("--search <file>", "take the fields of a search from this JSON file (docs/contracts.md); flags go before them")
    .option("--file <path...>", "with --resume: where files of the search are now, if they have moved")
    .option("--reuse", "accept results that other --reuse runs measured for the same program and options");

const addPlaceFlags = (command: Command): Command =>
  addKeepFlag(addWhereFlag(command))
    .option(
      "--priority <n>",
      "priority among your sessions on the farm; higher runs first (default 0)",
      integer("--priority", -100, 100),
    )
    .option("--weight <n>", "share of device time among sessions of equal priority (default 1)", integer("--weight", 1, 1000));

function finalists(text: string): number {
  const { least, most } = finalistLimits;
  if (text === "0" || (/^\d$/.test(text) && Number(text) >= least && Number(text) <= most)) return Number(text);
  throw badInput(`--finalists is ${JSON.stringify(text)}; it takes an integer from ${least} to ${most}, or 0 for none`);
}

async function tuneCommand(context: CliContext, name: string | undefined, given: GivenFlags): Promise<void> {
  const flags: TuneFlags = { ...given, measure: await readMeasure(given.measure, context.cwd) };
  const settings = await readSettings(context);
  const { resume, log } = flags;
  const operator = name === undefined ? undefined : findOperator(name);
  if (resume === undefined && name === undefined)
    throw badInput("tune takes a task, or --resume LOG, which continues the search of a log; warpfarm tasks lists the tasks");
  if (resume === undefined && flags.file !== undefined) throw badInput("--file says where a file of --resume's search is now");
  if (flags.search !== undefined && (resume !== undefined || operator))
    throw badInput("--search is for a search of a template or a kernel that begins; leave it out");
  // Bad input is refused before a farm is started.
  if (resume === undefined && log !== undefined) refuseHeldLog(resolve(context.cwd, log), log);
  const end =
    resume !== undefined
      ? await resumeSearch(context, settings, resume, name, flags)
      : operator
        ? await tuneOperator(context, settings, askedOperator(operator, flags), flags)
        : await tuneOne(context, settings, name as string, flags);
  const isTimed = typeof end === "boolean" ? end : end.report.best !== null;
  if (!isTimed) context.setExitCode(exitCode.noResult);
  if (typeof end !== "boolean") tellEnd(context, end, flags.json === true);
}

function tellEnd(context: CliContext, { report, facts, files }: FarmEnd, isJson: boolean): void {
  const shownFiles = files.map(([what, path]) => [what, shown(context, path)] as const);
  const width = context.stdout.isTTY ? screenOf(context).width : undefined;
  context.stdout.write(isJson ? `${JSON.stringify(report)}\n` : summaryWords(report, { ...facts, files: shownFiles }, width));
}

/** A search of a template or a kernel, from its flags. */
async function tuneOne(context: CliContext, settings: Settings, name: string, given: TuneFlags): Promise<FarmEnd> {
  const { cwd, stderr } = context;
  const { asked, flags } = await askedWithFile(given, cwd);
  const source = await sourceOf(name, flags, context);
  tellNotes(source, context);
  tellSent(source, context);
  const backend = backendFor(source.targets, flags);
  const place = placeOf(context, settings, flags, backend);
  const usual = await targetOf(source, flags, settings, context);
  taskOfSource(source, argsOf(flags), usual);
  const names = logsNamed(flags);
  checkTransfer(names);
  const say = (message: string) => void stderr.write(`${message}\n`);
  const all = { ...asked, ...defined({ args: argsOf(flags) as SearchSpec["args"] }) };
  const begun = await beginSearch(source, { asked: all, logs: names, words: flags, cwd, say });
  const folder = flags.log === undefined ? settings.logDir : dirname(resolve(cwd, flags.log));
  await makeDirectory(flags.log === undefined ? "logs" : "log", folder, stderr);
  const records = place.channel ? undefined : recordsAhead(context, settings.dataDir);
  const meanwhile = async () => records && (await foresee(begun(keyOf(usual), usual), records, context.signal));
  await using farm = await openFarm(context, settings, place, meanwhile);
  const { page } = farm.embedded ?? {};
  if (page !== undefined) stderr.write(`page: ${page} shows the search while the command runs\n`);
  const keys = keysWhere(farm, flags.where);
  const key = chooseKey(keys, backend ?? backendThere(source.targets, keys), flags.target);
  const search = begun(key, namedTarget(flags.target) ?? fittingTarget(source.targets, key));
  const logPath = resolve(
    folder,
    flags.log === undefined ? defaultLogName(search.task.name, key, context.clock.now()) : basename(flags.log),
  );
  return await tuneOnFarm(context, farm, { ...search, logPath, again: againWords(flags), records });
}

function checkTransfer(names: readonly string[]): void {
  const word = names.find((each) => each === "farm" || each === "none");
  if (word !== undefined) throw badInput(`--transfer ${word} cannot be combined with logs; give one of them`);
}

function refuseHeldLog(path: string, name: string): void {
  if (existsSync(path) && statSync(path).isDirectory())
    throw badInput(`--log names ${JSON.stringify(name)}, which is a directory`);
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (text === "" || isUnbegun(text, path)) return;
  const otherwise = /^[^#\s]/m.test(text) ? "or another name" : "another name, or delete it: it has no trial";
  throw badInput(
    `--log names ${JSON.stringify(name)}, which holds a log already; give --resume ${name} to continue it, ${otherwise}`,
  );
}
