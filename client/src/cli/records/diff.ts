/** `records diff`: the tasks that got slower or faster, are new or missing, between two sets of records. */
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { badInput, fileFault } from "@warpfarm/common";
import type { RecordDiff, RecordFilter, RecordStore, TuningRecord } from "@warpfarm/records";
import { instantOf, isNoLog } from "@warpfarm/records/logs";
import type { CliContext } from "../context.ts";
import { exitCode } from "../exit.ts";
import { type SkipFlags, skipping } from "../flags/skip-flag.ts";
import { screenOf } from "../terminal/screen.ts";
import { table } from "../terminal/table.ts";
import { type SourceFlags, withRecords } from "./source.ts";

export interface DiffFlags extends SourceFlags {
  readonly all?: boolean;
  readonly json?: boolean;
}

export const sideWords = "a file or folder of records, or farm, session:ID, before:TIME, since:TIME";

export async function diffCommand(
  context: CliContext,
  sides: readonly [before: string, after: string],
  flags: DiffFlags,
  filter: RecordFilter,
): Promise<void> {
  const { diffRecords } = await import("@warpfarm/records");
  const needsStore = (await Promise.all(sides.map((side) => pathOf(context, side)))).some((path) => path === undefined);
  const compare = async (store: RecordStore | undefined) => {
    const [before, after] = (await Promise.all(sides.map((side) => openSide(context, side, store, filter, flags)))) as [
      AsyncIterable<TuningRecord>,
      AsyncIterable<TuningRecord>,
    ];
    return diffRecords(before, after, { origin: "any" });
  };
  const diffs = needsStore ? await withRecords(context, flags, compare) : await compare(undefined);
  if (diffs.some(({ change }) => change === "slower")) context.setExitCode(exitCode.checkFailed);
  else if (diffs.length === 0) context.setExitCode(exitCode.noResult);
  if (flags.json) context.stdout.write(`${JSON.stringify({ diffs: diffs.map(diffToJson) })}\n`);
  else context.stdout.write(diffWords(context, diffs, flags.all === true));
}

/** Undefined when the words mean records of the farm. */
async function pathOf({ cwd }: CliContext, side: string): Promise<string | undefined> {
  if (side === "farm" || /^(session|before|since):/.test(side)) return undefined;
  const path = resolve(cwd, side);
  await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw badInput(`${side} cannot be read: ${fileFault(error)}; a side is ${sideWords}`);
  });
  return path;
}

async function openSide(
  context: CliContext,
  side: string,
  store: RecordStore | undefined,
  filter: RecordFilter,
  flags: SkipFlags,
): Promise<AsyncIterable<TuningRecord>> {
  const path = await pathOf(context, side);
  if (path !== undefined) return filesOf(path, filter, context, flags);
  return (store as RecordStore).export({ ...filter, outcome: "timed", ...sideFilter(side) });
}

function sideFilter(side: string): RecordFilter {
  const [kind, ...rest] = side.split(":");
  const text = rest.join(":");
  if (kind === "session") return { session: text };
  if (kind === "farm") return {};
  const ms = instantOf(text);
  if (ms === undefined)
    throw badInput(`${side}: ${JSON.stringify(text)} is not a time; write it as 2026-11-23 or 2026-11-23T08:00, in UTC`);
  return kind === "before" ? { untilMs: ms } : { sinceMs: ms };
}

async function* filesOf(
  path: string,
  filter: RecordFilter,
  { stderr }: Pick<CliContext, "stderr">,
  flags: SkipFlags,
): AsyncGenerator<TuningRecord> {
  const { passes, readRecords } = await import("@warpfarm/records");
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder ? (await readdir(path)).filter((name) => /\.(jsonl|json|csv|log)(\.gz)?$/.test(name)).sort() : [];
  if (isFolder && names.length === 0) throw badInput(`${path} has no file of records (.jsonl, .json, .csv, .log)`);
  const warn = (words: string) => void stderr.write(`${words}\n`);
  for (const file of isFolder ? names.map((name) => join(path, name)) : [path])
    try {
      for await (const records of readRecords(file, "local", { warn, ...skipping(flags) }))
        yield* records.map(({ record }) => record).filter((record) => passes(record, filter));
    } catch (error) {
      if (!isFolder || !isNoLog(error)) throw error;
      warn(`${error.message}; it is skipped`);
    }
}

const sideToJson = (best: RecordDiff["before"]) =>
  best && {
    seconds: best.seconds,
    noise: best.noise,
    measurements: best.measurements,
    kernel: best.record.program,
    id: best.record.id,
  };

const diffToJson = ({ task, args, device, conditions, change, before, after, ratio }: RecordDiff) => ({
  ...{ task, args, device: device.key, device_name: device.name, conditions, change },
  ...{ before: sideToJson(before), after: sideToJson(after), ratio },
});

function diffWords(context: CliContext, diffs: readonly RecordDiff[], all: boolean): string {
  const shown = diffs.filter(({ change }) => all || change !== "same");
  const us = (best: RecordDiff["before"]) => (best ? (best.seconds * 1e6).toFixed(3) : "");
  const rows = shown.map(({ task, args, device, conditions, change, before, after, ratio }) => [
    change,
    `${task} ${JSON.stringify(args)}`,
    [device.name || device.key, conditions].filter((words) => words !== "").join(", "),
    us(before),
    us(after),
    ratio ? `${ratio.estimate.toFixed(4)} [${ratio.low.toFixed(4)}, ${ratio.high.toFixed(4)}]` : "",
  ]);
  const head = ["change", "task", "device", "before (us)", "after (us)", "after / before"];
  const count = (change: string) => diffs.filter((each) => each.change === change).length;
  const sum = ["slower", "missing", "faster", "new", "same"].map((change) => `${count(change)} ${change}`).join(", ");
  return `${rows.length === 0 ? "" : table(head, rows, { width: screenOf(context).width, fold: 3 })}${sum}\n`;
}
