/** `suite run --baseline`: what a suite must beat, read and checked before its searches begin. */
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { badInput, canonicalJson, countWords, defined, type Json, l2Of, unreadable } from "@warpfarm/common";
import { textOf } from "@warpfarm/records/logs";
import { bucketWords, digestOfChoices, type Pack, titleOfBucket } from "@warpfarm/records/packs";
import { nameOfTask } from "@warpfarm/records/search";
import { findOperator, findTemplate } from "@warpfarm/templates";
import { usualMargin } from "../../suite/baseline.ts";
import { conditionsOf, packIn } from "../../suite/pack-folder.ts";
import type { BaselineOf, PlannedTask, SuiteBaseline, SuitePlan } from "../../suite/plan.ts";
import { csvRows, type Place } from "../../suite/shapes.ts";
import type { CliContext } from "../context.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { directoryOf, modelsOf } from "./open-suite.ts";

type Tasks = SuitePlan["tasks"];

/**
 * Reads what `--baseline` names, before a farm is started; what it gives finds the baseline of a plan. Both throw bad input that
 * names the file, the line and the column.
 */
export async function readBaseline(
  context: CliContext,
  word: string,
): Promise<(plan: SuitePlan, farm: FarmAccess) => SuiteBaseline> {
  if (word === "default")
    return ({ tasks }) => ({ name: "default", of: Object.fromEntries(tasks.map(({ id }) => [id, { kind: "default" }])) });
  if (/\.(csv|tsv)$/.test(word)) {
    const rows = libraryRows(await libraryText(context, word), word);
    return ({ tasks }, farm) => matched(context, word, tasks, ofLibrary(word, rows, tasks, modelsOf(farm)));
  }
  const pack = await packIn(await directoryOf(context, word), word);
  return ({ tasks }, farm) => matched(context, word, tasks, ofPack(word, pack, tasks, modelsOf(farm)));
}

function matched({ stderr }: CliContext, word: string, tasks: Tasks, found: SuiteBaseline): SuiteBaseline {
  const without = tasks.length - Object.keys(found.of).length;
  if (without === tasks.length)
    throw badInput(
      `--baseline ${word} has none of the suite's ${countWords(tasks.length, "task")}; it must name tasks, arguments and devices as the suite does`,
    );
  if (without > 0)
    stderr.write(
      `${countWords(without, "task")} of the suite ${without === 1 ? "is" : "are"} not in ${word}: no baseline there\n`,
    );
  return found;
}

const nameOf = ({ task, args, key, where }: Pick<PlannedTask["search"], "task" | "args" | "key" | "where">): string =>
  canonicalJson([nameOfTask(task), args, key, where ?? ""]);

function ofPack(word: string, { choices, evidence }: Pack, tasks: Tasks, models: ReturnType<typeof modelsOf>): SuiteBaseline {
  const byName = new Map(
    choices.buckets.map((bucket, i) => [
      bucket.operator || "operator" in bucket.task ? bucket.id : nameOf({ ...bucket, args: [...bucket.args] } as never),
      { bucket, why: evidence[i] },
    ]),
  );
  const of: Record<string, BaselineOf> = {};
  for (const task of tasks) {
    const there = byName.get("operator" in task.search.task ? task.id : nameOf(task.search));
    if (!there) continue;
    const { bucket, why } = there;
    const { choice, device, conditions } = bucket;
    const here = [...(models.get(bucket.key) ?? [])];
    if (device !== undefined && here.length > 0 && !here.includes(device))
      throw badInput(
        `--baseline ${word}: ${titleOfBucket(bucket)} was measured on ${device}, and the farm has ${here.join(", ")}; a pack of another device is no baseline`,
      );
    const [then, now] = [canonicalJson(conditions), canonicalJson(conditionsOf(task.search))];
    if (then !== now)
      throw badInput(
        `--baseline ${word}: ${bucketWords(bucket)} was measured under ${then}, and the suite measures under ${now}; give the suite the same measure`,
      );
    if (choice.kind === "config") {
      const { config, program } = choice;
      const by = { task: bucket.task, args: [...bucket.args], target: bucket.target, seconds: why?.seconds };
      of[task.id] = { kind: "config", config, program, ...(bucket.operator && { by: defined(by) }) };
    } else if (choice.kind === "default") of[task.id] = { kind: "default" };
    else if (choice.kind === "library" && why?.baseline?.seconds !== undefined)
      of[task.id] = { kind: "library", seconds: why.baseline.seconds, margin: why.baseline.margin ?? usualMargin };
  }
  return { name: `pack ${digestOfChoices(choices)}`, of };
}

const libraryText = async ({ cwd }: CliContext, word: string): Promise<string> =>
  textOf(await readFile(resolve(cwd, word)).catch(unreadable(`--baseline names ${JSON.stringify(word)}, which`)));

const needed = ["device", "inputs", "power", "l2", "library_us"] as const;
const optional = ["task", "noise"] as const;

interface LibraryRow {
  readonly row: Readonly<Record<string, Json>>;
  readonly place: Place;
  readonly time: { readonly seconds: number; readonly margin: number };
}

function libraryRows(text: string, word: string): readonly LibraryRow[] {
  const [head = ""] = text.split(/\r\n|\n|\r/);
  return csvRows(text, word).map(({ value, place }) => {
    const row = value as Readonly<Record<string, Json>>;
    const absent = needed.find((name) => row[name] === undefined);
    if (absent !== undefined)
      throw badInput(
        `${place.at}: it has no ${absent} (the header is ${head.trim()}); a library's times cannot be measured with ours, so each row says its ${needed.join(", ")}`,
      );
    return { row, place, time: timeOf(row, place) };
  });
}

/** Of rows of a library's times. Whatever is no column of its own is an argument of a task. */
function ofLibrary(word: string, rows: readonly LibraryRow[], tasks: Tasks, models: ReturnType<typeof modelsOf>): SuiteBaseline {
  const of: Record<string, BaselineOf> = {};
  const lines = new Map<string, string>();
  const known = new Set(tasks.flatMap((task) => [...argumentsOf(task).keys()]));
  for (const { row, place, time } of rows) {
    const args = Object.entries(row).filter(([name]) => ![...needed, ...optional].includes(name as never));
    const strange = args.find(([name]) => !known.has(name));
    if (strange)
      throw badInput(
        `${place.at}, column ${strange[0]}: no task of the suite has this argument; arguments are ${[...known].join(", ")}`,
      );
    const device = String(row.device);
    const there = [...new Set(tasks.flatMap(({ search: { key } }) => [...(models.get(key) ?? [])]))];
    if (!there.includes(device))
      throw badInput(
        `${place.at}, column device: it is ${JSON.stringify(device)}, and the suite runs on ${there.join(", ") || "no device that is there"}; times of another device are no baseline`,
      );
    for (const task of tasks.filter((each) => models.get(each.search.key)?.has(device) && isRowOf(row.task, args, each))) {
      const { inputs, power, ...cache } = conditionsOf(task.search);
      const conditions = { inputs, power, l2: l2Of(cache) };
      for (const name of ["inputs", "power", "l2"] as const)
        if (String(row[name]) !== conditions[name])
          throw badInput(
            `${place.at}, column ${name}: it is ${JSON.stringify(row[name])}, and the suite measures with ${conditions[name]}; times under other conditions are no baseline`,
          );
      if (lines.has(task.id)) throw badInput(`${place.at}: ${lines.get(task.id)} is of the same shape; keep one of them`);
      lines.set(task.id, place.at);
      of[task.id] = { kind: "library", ...time };
    }
  }
  return { name: basename(word), of };
}

function timeOf({ library_us: us, noise = usualMargin }: Readonly<Record<string, Json>>, { at }: Place) {
  if (typeof us !== "number" || !(us > 0))
    throw badInput(`${at}, column library_us: it is ${JSON.stringify(us)}; it takes microseconds above 0`);
  if (typeof noise !== "number" || !(noise >= 0 && noise <= 0.5))
    throw badInput(`${at}, column noise: it is ${JSON.stringify(noise)}; it takes a share from 0 to 0.5, such as 0.02`);
  return { seconds: us / 1e6, margin: noise };
}

/** By name; of a template's file, whose names only the file knows, arg0, arg1, ... */
function argumentsOf({ search: { task, args } }: PlannedTask): ReadonlyMap<string, Json> {
  if ("kernel" in task) return new Map(Object.entries((args[0] ?? {}) as Record<string, Json>));
  const specs =
    "template" in task ? findTemplate(task.template).args : "operator" in task ? findOperator(task.operator)?.args : undefined;
  const names = Object.keys(specs ?? {});
  return new Map(args.map((value, i) => [names[i] ?? `arg${i}`, value]));
}

function isRowOf(name: Json | undefined, row: readonly (readonly [string, Json])[], task: PlannedTask): boolean {
  if (name !== undefined && name !== nameOfTask(task.search.task)) return false;
  const args = argumentsOf(task);
  return row.every(([column, value]) => args.has(column) && canonicalJson(args.get(column)) === canonicalJson(value));
}
