/** The best of a log: its records by task, and the fastest configs of each task, with the winner of finalists first. */
import { badInput, canonicalJson, defined, didYouMean, type Json, unreadable } from "@warpfarm/common";
import {
  type Best,
  bestOfLog,
  conditionsOfLogged,
  type LogRecord,
  ofTarget,
  type ReadOptions,
  readLog,
  taskOf as recordedTask,
  secondsOf,
  targetOfAutotvm,
} from "@warpfarm/records/logs";
import { operatorIn } from "@warpfarm/records/search";
import { type Finals, finalsOf, finalsOfTask } from "@warpfarm/records/suites";
import { createTask, type Task, templateNamed } from "@warpfarm/templates";
import { createKernelTask } from "../../kernel/kernel-task.ts";
import { readUnzipped } from "../../score/read-recorded.ts";
import { isKernel, type TaskSource } from "../../search/task-source.ts";
import type { CliContext } from "../context.ts";

/** The records of one task on one kind of device: its name, arguments and target. */
export interface TaskRecords {
  readonly task: string;
  readonly args: readonly Json[];
  readonly target: string;
  /** The model of the device, or what TVM's target says of it where it names no architecture; empty when nothing is known. */
  readonly device: string;
  /** What is unusual about the conditions of the measurements; empty where nothing is. */
  readonly conditions: string;
  readonly records: LogRecord[];
  /** Finalists that were measured interleaved, in the log's order. */
  readonly finals: readonly Finals[];
  /** Of a template in an operator's log. */
  readonly operator?: string;
}

export async function readTasks(
  path: string,
  name: string,
  { stderr, ...options }: ReadOptions & Pick<CliContext, "stderr">,
): Promise<TaskRecords[]> {
  const text = await readUnzipped(path).catch(unreadable(`log ${JSON.stringify(name)}`));
  if (!text.ok) throw badInput(text.error);
  if (text.value.includes("\0"))
    throw badInput(`${name} is not a log: it holds binary data; a log is JSON lines, gzipped or not`);
  const log = readLog(text.value, name, { ...options, needsTime: true });
  const { records, warnings } = log;
  for (const warning of warnings) stderr.write(`${warning}\n`);
  const finals = finalsOf(log.notes);
  const operator = operatorIn(log.notes)?.task.operator;
  if (records.length === 0) throw badInput(`${name} has no records`);
  const tasks = new Map<string, TaskRecords>();
  for (const record of records) {
    const { task, args } = recordedTask(record);
    const target = recordedTarget(record) ?? "";
    const device = recordedDevice(record);
    const conditions = conditionsOfLogged(record);
    const key = canonicalJson([task, args, target, device, conditions]);
    const of = tasks.get(key) ?? {
      ...{ task, args, target, device, conditions, records: [] },
      finals: finalsOfTask(finals, { task, args, target }),
      ...defined({ operator }),
    };
    tasks.set(key, of);
    of.records.push(record);
  }
  return [...tasks.values()].filter((each) => !isPart(each, [...tasks.values()]));
}

/** A failure from before a device was involved belongs to another group of its task, if there is one. */
const isPart = (of: TaskRecords, all: readonly TaskRecords[]): boolean =>
  of.device === "" &&
  !hasTime(of) &&
  all.some(
    (each) =>
      each !== of && each.task === of.task && canonicalJson(each.args) === canonicalJson(of.args) && each.target === of.target,
  );

export const hasTime = ({ records }: TaskRecords): boolean => records.some((record) => secondsOf(record) !== undefined);

/** The device that measured, as far as TVM's target tells. */
const recordedDevice = (record: LogRecord): string =>
  record.kind === "autotvm" ? ofTarget(record.trial.targetText).device.name : (record.trial.result.device?.name ?? "");

export const titleOf = ({ task, args, target, device, conditions }: TaskRecords): string =>
  `${task} ${JSON.stringify(args)}${target && ` for ${target}`}${device && ` on ${device}`}${conditions && ` (${conditions})`}`;

/** Of an operator's templates the fastest, on each kind of device: an operator has one best. */
function leaders(tasks: readonly TaskRecords[]): readonly TaskRecords[] {
  const fastest = ({ records }: TaskRecords) =>
    Math.min(...records.map((record) => secondsOf(record) ?? Number.POSITIVE_INFINITY));
  const placeOf = ({ device, conditions }: TaskRecords) => canonicalJson([device, conditions]);
  return tasks.filter(
    (each) =>
      each.operator === undefined ||
      tasks.every((other) => other === each || placeOf(other) !== placeOf(each) || fastest(each) <= fastest(other)),
  );
}

/** Tasks of the name, or of the template in the file. */
export function chosen(
  tasks: readonly TaskRecords[],
  asked: string | undefined,
  template: TaskSource | undefined,
): readonly TaskRecords[] {
  if (asked === undefined) return leaders(tasks);
  const names = template ? [template.name, ...(isKernel(template) ? [] : template.aliases)] : undefined;
  const found = tasks.filter((each) => (names ? names.includes(each.task) : titleOf(each).startsWith(asked)));
  if (found.length > 0) return found;
  const there = [...new Set(tasks.map(({ task }) => task))];
  const what = template
    ? `${asked} is the ${isKernel(template) ? "kernel" : "template"} ${template.name}`
    : `there is no task ${JSON.stringify(asked)}`;
  throw badInput(`--task: ${what}${didYouMean(asked, there)}; the log is of ${tasks.map(titleOf).join("; ")}`);
}

/** The best of a task by the one rule, and then its other kernels, each once with the record nearest to its median. */
export interface Ranked {
  readonly records: readonly LogRecord[];
  readonly found: Best<LogRecord>;
}

/**
 * At most n kernels, the best first; then those that were measured interleaved with it, and the others by their medians.
 * Undefined where nothing was timed.
 */
export function ranked({ records, finals }: TaskRecords, n: number): Ranked | undefined {
  const found = bestOfLog(records, finals);
  if (!found) return undefined;
  const { best, kernels, rounds } = found;
  const order = new Map((rounds?.verdict.ranks ?? []).map(({ at }, place) => [rounds?.kernels[at], place]));
  const placeOf = (each: typeof best): number => (each === best ? -1 : (order.get(each) ?? order.size));
  const all = kernels.toSorted((a, b) => placeOf(a) - placeOf(b) || a.seconds - b.seconds);
  return { found, records: all.slice(0, n).map(({ nearest }) => nearest.of) };
}

/** The build target of the record; undefined when TVM's text names no architecture. */
export const recordedTarget = (record: LogRecord): string | undefined =>
  record.kind === "warpfarm" ? record.trial.run.target : targetOfAutotvm(record.trial.targetText);

export const isKnown = (task: string): boolean => templateNamed(task) !== undefined;

/** The task of the record, or the same on another target. */
export function taskOfRecord(record: LogRecord, asked: string | undefined, template?: TaskSource): Task {
  const { task, args } = recordedTask(record);
  const on = asked ?? recordedTarget(record);
  if (on === undefined) throw badInput("the record's target names no architecture; give --target");
  if (!template && !isKnown(task))
    throw badInput(`the log is of ${task}, which is not a built-in task; give the file of your template or kernel with --task`);
  if (template && isKernel(template)) return createKernelTask(template, args as Json, on);
  return createTask(template ?? task, args as Json, on);
}
