/** `suite`: searches many tasks under one budget: run, from-onnx, settle, verify, status, report, table, resume, cancel, work. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { backendOf, badInput, countWords, defined, didYouMean, isTarget, keyOf, shellWord, unreadable } from "@warpfarm/common";
import type { Command } from "commander";
import { allowedFolders } from "../../kernel/reach.ts";
import { keysWhere } from "../../search/farm-there.ts";
import { checkTuner } from "../../search/search-spec.ts";
import { SuiteDirectory } from "../../suite/directory.ts";
import { readSuiteFile, type SuiteFile } from "../../suite/format.ts";
import { leftWords, planTasks, type ReadTask, readTasks, type SuitePlan } from "../../suite/plan.ts";
import { shippedSuites } from "../../suite/shipped/index.ts";
import { readYaml } from "../../task/read-yaml.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { type FarmAccess, openFarm } from "../farm/farm-access.ts";
import { addDeviceFlag, askTracker, channelHere, channelOf, type FarmFlags } from "../farm/farm-flags.ts";
import { integer } from "../flags/parse.ts";
import { readSettings, type Settings } from "../flags/settings.ts";
import { connection, takes } from "../flags/shared-flags.ts";
import { namedTarget, targetOf } from "../flags/task-flags.ts";
import { makeDirectory } from "../make-directory.ts";
import { dryRun, dryRunWords } from "../suite/dry-run.ts";
import { detach, markIn, rememberedFlags, rememberFarm, waitingWords } from "../suite/farm-suite.ts";
import { folderOf } from "../suite/folder.ts";
import type { FromOnnxFlags } from "../suite/from-onnx.ts";
import { keepPack } from "../suite/keep-pack.ts";
import { directoryOf, farmOf, mirrored, openSuiteFarm, type SuiteFlags, sourcesIn } from "../suite/open-suite.ts";
import { registerPacks } from "../suite/pack-commands.ts";
import { readBaseline } from "../suite/plan-baseline.ts";
import { registerReports } from "../suite/report-commands.ts";
import { runOnFarm } from "../suite/run-on-farm.ts";
import { Sources } from "../suite/sources.ts";
import { statusJson, statusWords } from "../suite/status.ts";
import { workOnSuites } from "../suite/work.ts";

interface RunFlags extends SuiteFlags {
  readonly baseline?: string;
  readonly dir?: string;
  readonly detach?: boolean;
  readonly dryRun?: boolean;
}

/** A shipped suite by name, or a file; with the folder to which its own files are relative. */
async function readSuite(context: CliContext, word: string) {
  const path = resolve(context.cwd, word);
  const names = Object.keys(shippedSuites);
  const isShipped = Object.hasOwn(shippedSuites, word);
  if (!isShipped && !/[./]/.test(word) && !existsSync(path)) {
    throw badInput(
      `there is no suite ${JSON.stringify(word)}${didYouMean(word, names)}; Warpfarm brings ${names.join(", ")}, and a file of your own is ./my-suite.yaml`,
    );
  }
  if (/\.onnx$/i.test(word))
    throw badInput(`${word} is a model; warpfarm suite from-onnx ${shellWord(word)} makes a suite of it, which suite run takes`);
  const text = isShipped ? "" : await readFile(path, "utf8").catch(unreadable(`suite ${JSON.stringify(word)}`));
  const read = readSuiteFile(isShipped ? shippedSuites[word] : await readYaml(`suite ${word}`, text));
  if (!read.ok) throw badInput(`suite ${word}: ${read.error}`);
  checkTuner(read.value);
  return { file: read.value, folder: isShipped ? context.cwd : dirname(path), text };
}

async function readShapes(sources: Sources, name: string, suite: string, text: string): Promise<string> {
  try {
    return await sources.read(name);
  } catch (error) {
    const line = text.split("\n").findIndex((one) => one.includes(name)) + 1;
    throw badInput(
      `suite ${suite}${line > 0 ? `:${line}` : ""}: ${(error as Error).message}; shapes takes a .csv, .tsv, .jsonl or .json file in the suite's folder, a list, or {ranges}`,
    );
  }
}

async function run(context: CliContext, word: string, flags: RunFlags): Promise<void> {
  const { file, folder, text } = await readSuite(context, word);
  const settings = await readSettings(context);
  const directory = new SuiteDirectory(flags.dir === undefined ? folderOf(settings, file.name) : resolve(context.cwd, flags.dir));
  const sources = await sourcesIn(context, folder, flags);
  if (directory.exists)
    throw badInput(
      `${directory.path} holds a suite already; continue it with warpfarm suite resume ${shellWord(directory.path)}, or give another --dir`,
    );
  if (flags.detach && flags.baseline !== undefined)
    throw badInput("--baseline is measured by the process that runs the suite; --detach hands it to a farm: give one of them");
  // Faults of files are reported before a farm is started or asked.
  const read = await readTasks(file, {
    source: (task) => sources.forPlan(task),
    read: (name) => readShapes(sources, name, word, text),
  });
  const baseline = flags.baseline === undefined ? undefined : await readBaseline(context, flags.baseline);
  if (flags.dryRun) return showPlan(context, settings, { file, read, sources }, flags);
  await using _removedWhereEmpty = await makeDirectory("suite", directory.path);
  await using farm = await openSuiteFarm(context, settings, flags);
  const tasks = planTasks(file, read, (where) => keysWhere(farm, where));
  context.stderr.write(leftWords(tasks));
  const plan = baseline === undefined ? tasks : { ...tasks, baseline: baseline(tasks, farm) };
  if (flags.detach) return handOver(context, farm, directory, { ...plan, folder }, flags);
  await directory.create({ ...plan, folder });
  if (!farm.embedded) await rememberFarm(directory, farm.channel.address, withSettings(flags, settings), context.cwd);
  await goOn(context, farm, directory, sources, flags);
}

/** Includes files of the settings, which the next command may not have. */
const withSettings = (flags: FarmFlags, { tokenFile, tlsCa, tlsCert, tlsKey }: Settings): FarmFlags => ({
  ...defined({ tokenFile, tlsCa, tlsCert, tlsKey }),
  ...flags,
});

interface ReadSuite {
  readonly file: SuiteFile;
  readonly read: readonly ReadTask[];
  readonly sources: Sources;
}

/**
 * On the devices of the named farm. Without one, on those that the suite names, or of which it has a framework's times, and else
 * on the usual ones of `--device` or of the task. It says which of these neither the suite, the settings nor this machine has.
 */
async function showPlan(
  context: CliContext,
  settings: Settings,
  { file, read, sources }: ReadSuite,
  flags: SuiteFlags,
): Promise<void> {
  const channel = channelOf(flags, settings, context);
  const asked = flags.device === "auto" ? undefined : flags.device?.split(":", 1)[0];
  const timed = file.framework?.key;
  const known = new Set(
    [timed, await context.hostKey(), namedTarget(settings.target)].flatMap((text) => (text ? keyOf(text) : [])),
  );
  const usual = new Set<string>();
  for (const { of, source } of read)
    for (const text of of.targets ?? file.targets ?? [asked ?? timed]) {
      const target = source.targets.find(({ kind }) => kind === (text && backendOf(text)))?.kind;
      if (timed !== undefined && text === timed && target !== undefined) usual.add(timed);
      else usual.add(keyOf(await targetOf(source, defined({ target }), settings, context)));
    }
  await using farm = channel && (await openFarm(context, settings, { channel, device: "auto" }));
  const plan = planTasks(file, read, (where) => (farm ? keysWhere(farm, where) : [...usual]));
  const named = new Set(
    read
      .flatMap(({ of }) => of.targets ?? file.targets ?? [])
      .filter(isTarget)
      .map(keyOf),
  );
  const assumed = plan.tasks.map(({ search }) => search.key).filter((key) => !known.has(key) && !named.has(key));
  const found = { ...(await dryRun(plan, sources)), assumed: farm ? [] : [...new Set(assumed)] };
  context.stdout.write(flags.json ? `${JSON.stringify(found)}\n` : dryRunWords(found, context));
}

async function handOver(
  context: CliContext,
  farm: FarmAccess,
  directory: SuiteDirectory,
  plan: SuitePlan,
  flags: RunFlags,
): Promise<void> {
  if (farm.embedded) throw badInput("--detach hands the suite to a farm; name the farm with --tracker");
  const { connect } = await import("@warpfarm/proto");
  await using tracker = connect(farm.channel);
  // Their files were named when the suite was planned.
  const options = { artifacts: tracker.artifacts, allowed: await allowedFolders(flags.allowInclude, context.cwd) };
  const sent = await new Sources(plan.folder ?? context.cwd, options).sent(plan, context.signal);
  const to = {
    ...{ suites: tracker.suites, address: farm.channel.address, requestId: context.newId() },
    ...{ flags: withSettings(flags, await readSettings(context)), cwd: context.cwd },
  };
  const id = await detach(to, directory, sent);
  context.stdout.write(
    `suite ${id} of ${countWords(plan.tasks.length, "task")} was handed to the farm: warpfarm suite work searches it, warpfarm suite status ${shellWord(directory.path)} shows its progress\n`,
  );
}

async function resume(context: CliContext, word: string, flags: SuiteFlags): Promise<void> {
  const directory = await directoryOf(context, word);
  if (await markIn(directory)) throw badInput(`${directory.path} was handed to a farm; warpfarm suite work continues it`);
  const plan = await directory.plan();
  const settings = await readSettings(context);
  const sources = await sourcesIn(context, plan.folder ?? context.cwd, flags);
  // A changed file is another task. This is found before a farm is started.
  for (const task of plan.tasks) if (task.file !== undefined) await sources.task(task);
  await using farm = await openSuiteFarm(context, settings, await farmOf(directory, flags));
  await goOn(context, farm, directory, sources, flags);
}

async function goOn(
  context: CliContext,
  farm: FarmAccess,
  directory: SuiteDirectory,
  sources: Sources,
  flags: SuiteFlags,
): Promise<void> {
  try {
    await runOnFarm(context, farm, directory, sources);
    await keepPack(context, farm, directory, sources);
  } catch (error) {
    const allowed = (flags.allowInclude ?? []).map((folder) => ` --allow-include ${shellWord(folder)}`).join("");
    context.stderr.write(
      `results are safe in ${directory.path}; continue with:\n  npx warpfarm suite resume ${shellWord(directory.path)}${allowed}\n`,
    );
    throw error;
  }
  await status(context, directory.path, flags);
}

async function status(context: CliContext, word: string, flags: SuiteFlags): Promise<void> {
  const directory = await directoryOf(context, word);
  const kept = await mirrored(context, directory, flags);
  const found = await statusJson(directory, kept && waitingWords(kept));
  context.stdout.write(flags.json ? `${JSON.stringify(found)}\n` : statusWords(found, context));
}

async function cancel(context: CliContext, word: string, flags: FarmFlags): Promise<void> {
  const directory = await directoryOf(context, word);
  const { tasks } = await directory.plan();
  const mark = await markIn(directory);
  if (mark?.suite_id !== undefined) {
    const { suite_id: id, tracker } = mark;
    const at = { tracker, ...(await rememberedFlags(directory, flags)) };
    await askTracker(at, context, ({ suites }) => suites.cancel(id, { signal: context.signal }));
    context.stdout.write(`cancelled suite ${id}\n`);
    return;
  }
  const { ended } = await directory.progress();
  if (tasks.every(({ id }) => ended.has(id)))
    throw badInput(
      `${directory.path} has ended: there is nothing to cancel; warpfarm suite report ${shellWord(directory.path)} shows its results`,
    );
  const whose = (await directory.isRunning()) ? "the process that runs it ends within seconds" : "no process runs it";
  await directory.cancel(true);
  context.stdout.write(`cancelled ${directory.path}: ${whose}; suite resume continues it\n`);
}

interface WorkFlags extends FarmFlags {
  readonly template?: readonly string[];
  readonly allowInclude?: readonly string[];
  readonly once?: boolean;
}

async function work(context: CliContext, flags: WorkFlags): Promise<void> {
  const channel = channelHere(flags, await readSettings(context), context);
  await using farm = await openFarm(context, await readSettings(context), { channel, device: "auto" });
  const allowed = await allowedFolders(flags.allowInclude, context.cwd);
  await workOnSuites(context, farm, { templates: flags.template ?? [], allowed, isOnce: flags.once ?? false });
}

/** NAME=N */
function dimension(text: string, before: FromOnnxFlags["dim"] = []): NonNullable<FromOnnxFlags["dim"]> {
  const [, name, extent] = /^(.+)=([1-9]\d{0,8})$/.exec(text) ?? [];
  if (name === undefined) throw badInput(`--dim is ${JSON.stringify(text)}; it takes NAME=N, with a whole number from 1`);
  const [, other] = before.find(([each]) => each === name) ?? [];
  if (other !== undefined && other !== Number(extent))
    throw badInput(`--dim gives ${name} twice, as ${other} and ${extent}; give it once`);
  return [...before, [name, Number(extent)]];
}

/** Its reader of files and its interpreter are loaded for it alone. */
async function fromOnnx(context: CliContext, word: string, flags: FromOnnxFlags): Promise<void> {
  const { fromOnnx: convert } = await import("../suite/from-onnx.ts");
  await convert(context, word, flags);
}

function registerFromOnnx(suite: Command, context: CliContext): void {
  suite
    .command("from-onnx")
    .description("make a suite of an ONNX model: a task for each different part, a plan to run it, and its weights")
    .argument("<model>", "a file, ./model.onnx")
    .option("--batch <n>", "the first dimension of inputs, where it has no number", integer("--batch", 1, 65_536))
    .option("--dim <name=n>", "another dimension without a number; repeatable", dimension)
    .option("--skip-unknown", "leave out nodes that cannot be computed; the suite's sum is then not the model's time")
    .option("-o, --output <suite>", "the suite's file; plan and weights lie beside it (default <model>.yaml)")
    .action((word: string, flags: FromOnnxFlags) => fromOnnx(context, word, flags));
}

const farm = (command: Command) => takes(addDeviceFlag(command), ...connection, "allowInclude");

function registerRun(suite: Command, context: CliContext): void {
  takes(
    farm(
      suite
        .command("run")
        .description("search all tasks of a suite; each gets trials by what it may still gain")
        .argument("<suite>", `a file, ./my-suite.yaml, or one of ${Object.keys(shippedSuites).join(", ")}`)
        .option(
          "--baseline <what>",
          "keep what does not lose by more than noise: default (the default schedule), the pack of an earlier run, or LIBRARY.csv",
        )
        .option("--dir <folder>", "write plan, logs and progress here (default warpfarm-logs/suites/<name>)")
        .option("--detach", "hand the suite to the farm and end; warpfarm suite work searches it")
        .option("--dry-run", "read all files, list tasks, configs and time, and end; no farm is started"),
    ),
    "json",
  ).action((word: string, flags: RunFlags) => run(context, word, flags));
}

export const register: RegisterCommand = (program, context) => {
  const suite = program.command("suite");
  const asked = (command: Command) => takes(command, ...connection);
  registerRun(suite, context);
  registerFromOnnx(suite, context);
  registerPacks(suite, context);
  takes(
    farm(
      suite
        .command("resume")
        .description("continue a suite that was stopped, killed or cancelled")
        .argument("<suite>", "its folder, or its name"),
    ),
    "json",
  ).action((word: string, flags: SuiteFlags) => resume(context, word, flags));
  takes(
    asked(
      suite
        .command("status")
        .description("print the progress of each task of a suite")
        .argument("<suite>", "its folder, or its name"),
    ),
    "json",
  ).action((word: string, flags: SuiteFlags) => status(context, word, flags));
  registerReports(suite, context);
  asked(
    suite
      .command("cancel")
      .description("end a suite that another process or a farm runs; results stay")
      .argument("<suite>", "its folder, or its name"),
  ).action((word: string, flags: FarmFlags) => cancel(context, word, flags));
  takes(
    suite
      .command("work")
      .description("search tasks of suites handed to a farm (suite run --detach), until stopped")
      .option("--template <file...>", "files of templates and kernels, for tasks that need them")

      .option("--once", "end when there is nothing to do"),
    ...connection,
    "allowInclude",
  ).action((flags: WorkFlags) => work(context, flags));
};
