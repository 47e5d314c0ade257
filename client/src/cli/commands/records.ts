/** `records`: finds, compares, imports, exports and deletes results of measurements, on a farm or on this machine. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { badInput, countWords, defined, type Json, unreadable } from "@warpfarm/common";
import type { PackedRecord, RecordFilter, RecordOrder, Skipped, Told } from "@warpfarm/records";
import type { Command } from "commander";
import type { CliContext, RegisterCommand } from "../context.ts";
import { exitCode } from "../exit.ts";
import { duration, integer, json, oneOf } from "../flags/parse.ts";
import { connection, takes } from "../flags/shared-flags.ts";
import { skipping } from "../flags/skip-flag.ts";
import { type ReceiptFlags, receiptCommand } from "../receipts/receipt-command.ts";
import { type DiffFlags, diffCommand, sideWords } from "../records/diff.ts";
import { recordSource, type SourceFlags, withRecords } from "../records/source.ts";
import { waitingTo } from "../records/standing-words.ts";
import { ToldChanges } from "../records/told-changes.ts";
import { bestToJson, bestWords, head, row } from "../records/words.ts";
import { atMostEvery } from "../terminal/at-most-every.ts";
import { screenOf } from "../terminal/screen.ts";
import { table } from "../terminal/table.ts";

type Filters = Pick<RecordFilter, "task" | "args" | "device" | "deviceName" | "session" | "outcome" | "origin">;
interface FilterFlags extends SourceFlags, Filters {
  readonly json?: boolean;
}

const yearMs = 366 * 86_400_000;
const orders = ["newest", "oldest", "fastest"] as const;
/** Equal to recordForms of the package, which only some commands load. */
const forms = [
  ...["jsonl", "csv", "autotvm", "autotvm-0.1", "ansor", "metaschedule"],
  ...["kernel-tuner", "ktt", "t4", "cltune", "t1", "parquet"],
] as const;

function argsOf(text: string): Json {
  const args = json("--args", text) as Json;
  if (typeof args === "object" && args !== null) return args;
  throw badInput(
    `--args is ${JSON.stringify(text)}; it takes a JSON array, such as '[1024,1024,1024]', or an object by name, such as '{"M":1024}'`,
  );
}

/** Records have all arguments in the task's order. Names are those of a task that comes with Warpfarm; the rest are defaults. */
async function inOrder(command: Command): Promise<void> {
  const { task, args } = command.opts<{ readonly task?: string; readonly args?: Json }>();
  if (args === undefined || Array.isArray(args)) return;
  if (task === undefined) throw badInput("--args is an object by name, so --task must say whose arguments these are");
  const { findTemplate, readArgs, writeArgs } = await import("@warpfarm/templates");
  const { name, args: specs } = findTemplate(task);
  command.setOptionValue("args", writeArgs(specs, readArgs(name, specs, args)));
}

const addTask = (command: Command): Command =>
  command
    .option("--task <name>", "only records of this task")
    .option("--args <json>", "only records with these arguments of the task", argsOf)
    .option("--device <key>", "match key, such as cuda/sm_90")
    .option("--device-name <name>", "only this model, in full, such as 'NVIDIA H100 80GB HBM3'");

const addFilter = (command: Command): Command =>
  addTask(command)
    .option("--session <id>", "only records of this session")
    .option("--outcome <kind>", "timed, slower (ended early) or failed", oneOf("--outcome", ["timed", "slower", "failed"]))
    .option("--origin <kind>", "measured or imported", oneOf("--origin", ["measured", "imported"]));

const filterOf = ({ task, args, device, deviceName, session, outcome, origin }: FilterFlags): RecordFilter =>
  defined({ task, args, device, deviceName, session, outcome, origin });

const inRecords = (command: Command): Command => takes(command, ...recordSource, "json");

export const register: RegisterCommand = (program, context) => {
  const records = program.command("records").hook("preAction", (_records, command) => inOrder(command));
  inRecords(addFilter(records.command("query").description("list records")))
    .option("--order <order>", `${orders.join(", ")} (default newest)`, oneOf("--order", orders))
    .option("--limit <n>", "at most n records (default 20)", integer("--limit", 1, 1_000))
    .option("--cursor <text>", "print the page that follows this cursor")
    .action((flags: FilterFlags & { order?: RecordOrder; limit?: number; cursor?: string }) => queryCommand(context, flags));
  inRecords(
    addTask(
      records.command("best").description("print the best of a task for each kind of device, with the configs tied with it"),
    ),
  )
    .option("--origin <kind>", "measured, imported or any (default measured)", oneOf("--origin", ["measured", "imported", "any"]))
    .option("--unchecked", "also count records whose output was not compared")
    .action((flags: BestFlags) => bestCommand(context, flags));
  inRecords(
    addTask(
      records
        .command("diff <before> <after>")
        .description(`list what got slower, faster, is new or missing, by task and kind of device; each side is ${sideWords}`),
    ),
  )
    .option("--all", "also show what did not change")
    .action((before: string, after: string, flags: DiffFlags) => diffCommand(context, [before, after], flags, filterOf(flags)));
  inRecords(records.command("show <id>").description("print all fields of a record as JSON")).action(
    (id: string, flags: SourceFlags & { json?: boolean }) => showCommand(context, id, flags),
  );
  takes(
    records
      .command("receipt <id>")
      .description("write a signed receipt of a record that a tracker measured in repeated sessions, for `warpfarm verify`")
      .requiredOption("-o, --output <file>", "write it here, usually NAME.intoto.jsonl")
      .option("--no-source", "leave the program's source out; then only who has the program can measure it again"),
    ...connection,
    "json",
  ).action((id: string, flags: ReceiptFlags) => receiptCommand(context, id, flags));
  takes(
    addFilter(records.command("export").description("write records as a file, the oldest first")).option(
      "--format <form>",
      `${forms.join(", ")} (default jsonl)`,
      oneOf("--format", forms),
    ),
    ...recordSource,
  ).action((flags: FilterFlags & { format?: string }) => exportCommand(context, flags));
  inRecords(
    records
      .command("import <file...>")
      .description("read files of records, gzipped or not, of Warpfarm or other tuners")
      .option("--task <name>", "the task, if the file does not name it or names another")
      .option("--args <json>", "its arguments", argsOf)
      .option("--device <key>", "match key of the measured device, such as cuda/sm_90")
      .option("--device-name <name>", "its model, in full")
      .option("--problem <file>", "the T1 document that belongs to the results"),
  ).action((files: string[], flags: ImportFlags) => importCommand(context, files, flags));
  inRecords(
    addFilter(
      records
        .command("share")
        .description("give records that pass the filter to everybody, besides private ones; for admins of a farm with tokens"),
    ),
  ).action((flags: FilterFlags) => shareCommand(context, flags));
  inRecords(records.command("prune").description("delete old records; the ten best of each task and kind of device stay"))
    .option("--failures <time>", "delete failures older than this", duration("--failures", { highMs: 10 * yearMs }))
    .option("--older-than <time>", "delete all records older than this", duration("--older-than", { highMs: 10 * yearMs }))
    .option("--most <n>", "keep at most n records; delete the oldest", integer("--most", 0, 1_000_000_000))
    .action((flags: PruneFlags) => pruneCommand(context, flags));
};

async function queryCommand(
  context: CliContext,
  flags: FilterFlags & { readonly order?: RecordOrder; readonly limit?: number; readonly cursor?: string },
): Promise<void> {
  const { recordToJson } = await import("@warpfarm/records");
  const { order, limit = 20, cursor, json } = flags;
  const asked = { ...filterOf(flags), limit, ...(order ? { order } : {}), ...defined({ cursor }) };
  const page = await withRecords(context, flags, (store) => store.query(asked, { waiting: waitingTo(context) }));
  if (json) {
    context.stdout.write(`${JSON.stringify({ records: page.records.map(recordToJson), next: page.next ?? null })}\n`);
    return;
  }
  if (page.records.length === 0) context.stdout.write("no record\n");
  else context.stdout.write(table(head, page.records.map(row), { width: screenOf(context).width, fold: 3 }));
  if (page.next !== undefined) context.stdout.write(`more: --cursor ${page.next}\n`);
}

interface BestFlags extends Omit<FilterFlags, "origin"> {
  readonly origin?: "measured" | "imported" | "any";
  readonly unchecked?: boolean;
}

async function bestCommand(context: CliContext, flags: BestFlags): Promise<void> {
  const { nearestBest, tieRule } = await import("@warpfarm/records");
  const { task, args, device, deviceName, origin, unchecked } = flags;
  if (task === undefined || args === undefined)
    throw badInput("records best needs --task and --args, because a best belongs to one task");
  const query = {
    ...{ task, args },
    ...defined({ device, deviceName }),
    ...(origin ? { origin } : {}),
    ...(unchecked ? { unchecked } : {}),
  };
  const { found, near } = await withRecords(context, flags, async (store) => {
    const best = await store.best(query, { waiting: waitingTo(context) });
    return { found: best, near: best.length > 0 ? undefined : await nearestBest(store, query) };
  });
  if (found.length === 0) context.setExitCode(exitCode.noResult);
  if (flags.json) {
    const suggestion = near && { args: near.args, distance: near.distance, best: near.best.map(bestToJson) };
    const all = { rule: tieRule, best: found.map(bestToJson), ...(suggestion ? { nearest_shape: suggestion } : {}) };
    context.stdout.write(`${JSON.stringify(all)}\n`);
    return;
  }
  if (found.length > 0) return void context.stdout.write(found.map(bestWords).join(""));
  context.stdout.write(`no record of ${task} ${JSON.stringify(args)} qualifies as its best\n`);
  if (near)
    context.stdout.write(
      `suggestion: the nearest shape with a best is ${task} ${JSON.stringify(near.args)}; its config may be slow or invalid here\n${near.best.map(bestWords).join("")}`,
    );
}

async function showCommand(context: CliContext, id: string, flags: SourceFlags & { readonly json?: boolean }): Promise<void> {
  const { recordToJson } = await import("@warpfarm/records");
  const { records } = await withRecords(context, flags, (store) => store.query({ ids: [id] }));
  const [record] = records;
  if (!record) throw badInput(`there is no record ${JSON.stringify(id)}; \`records query\` lists ids`);
  context.stdout.write(`${JSON.stringify(recordToJson(record), null, flags.json ? 0 : 2)}\n`);
}

async function exportCommand(context: CliContext, flags: FilterFlags & { readonly format?: string }): Promise<void> {
  if (flags.format === "parquet" && context.stdout.isTTY)
    throw badInput("--format parquet writes bytes, which a terminal cannot show; send them to a file: > records.parquet");
  const { writeRecords } = await import("@warpfarm/records");
  const o = { waiting: waitingTo(context) };
  await withRecords(context, flags, async (store) => {
    const form = flags.format ?? "jsonl";
    const skipped = ({ records, why }: Skipped) =>
      void context.stderr.write(`${countWords(records, "record")} left out, which ${form} cannot hold; first: ${why}\n`);
    const found = store.export(filterOf(flags), o);
    const records = form.startsWith("autotvm") ? (await import("../records/with-indices.ts")).withIndices(found) : found;
    for await (const part of writeRecords(form, records, skipped)) {
      context.signal.throwIfAborted();
      context.stdout.write(part);
    }
  });
}

interface ImportFlags extends SourceFlags, Omit<Told, "problem"> {
  readonly problem?: string;
  readonly json?: boolean;
}

async function importCommand(context: CliContext, files: readonly string[], flags: ImportFlags): Promise<void> {
  const { appendAll, readRecords } = await import("@warpfarm/records");
  const told = await toldBy(context, flags);
  let [read, added, existed] = [0, 0, 0];
  const conflicts: string[] = [];
  const changes = new ToldChanges(flags);
  const warn = (words: string) => void context.stderr.write(`${words}\n`);
  await withRecords(context, flags, async (store) => {
    for (const file of files) {
      const reading = { told, warn, changed: changes.add.bind(changes), ...skipping(flags) };
      const records = saying(context, file, readRecords(resolve(context.cwd, file), "local", reading));
      const of = await appendAll(store, records);
      read += of.read;
      added += of.added;
      existed += of.existed;
      conflicts.push(...of.conflicts);
    }
    for (const words of await changes.words(store)) warn(words);
  });
  if (flags.json) context.stdout.write(`${JSON.stringify({ read, added, existed, conflicts })}\n`);
  else context.stdout.write(`${countWords(added, "record")} imported, ${existed} existed already\n`);
  if (conflicts.length === 0) return;
  const shown = conflicts.slice(0, 10).join(", ");
  context.stderr.write(
    `${countWords(conflicts.length, "id")} of the file had another content in the store, which stays: ${shown}${conflicts.length > 10 ? ", ..." : ""}; \`records show ID\` prints it\n`,
  );
}

async function* saying(
  { clock, signal, stderr }: CliContext,
  file: string,
  groups: AsyncIterable<readonly PackedRecord[]>,
): AsyncGenerator<readonly PackedRecord[]> {
  let read = 0;
  const isDue = atMostEvery(5_000, clock);
  for await (const records of groups) {
    yield records;
    read += records.length;
    signal.throwIfAborted();
    if (isDue()) stderr.write(`${file}: ${read} records read\n`);
  }
}

async function toldBy({ cwd }: CliContext, { task, args, device, deviceName, problem }: ImportFlags): Promise<Told> {
  const given = defined({ task, args, device, deviceName });
  if (problem === undefined) return given;
  const text = await readFile(resolve(cwd, problem), "utf8").catch(unreadable(`--problem ${problem}`));
  const { t1Of } = await import("@warpfarm/records");
  const document = t1Of(text);
  if (!document) throw badInput(`--problem ${problem} is not a T1 document: it lacks ConfigurationSpace or KernelSpecification`);
  return { ...given, problem: document };
}

async function shareCommand(context: CliContext, flags: FilterFlags): Promise<void> {
  const shared = await withRecords(context, flags, (store) => store.share(filterOf(flags)));
  context.stdout.write(
    flags.json ? `${JSON.stringify({ shared })}\n` : `${countWords(shared, "record")} shared: everybody on the farm reads them\n`,
  );
}

interface PruneFlags extends SourceFlags {
  readonly failures?: number;
  readonly olderThan?: number;
  readonly most?: number;
  readonly json?: boolean;
}

async function pruneCommand(context: CliContext, flags: PruneFlags): Promise<void> {
  const { failures, olderThan, most, json } = flags;
  if (failures === undefined && olderThan === undefined && most === undefined)
    throw badInput("records prune needs a rule: --failures, --older-than or --most");
  const rules = {
    nowMs: context.clock.now(),
    ...defined({ failuresMs: failures, ageMs: olderThan, most }),
  };
  const gone = await withRecords(context, flags, (store) => store.prune(rules));
  context.stdout.write(json ? `${JSON.stringify({ deleted: gone })}\n` : `${countWords(gone, "record")} deleted\n`);
}
