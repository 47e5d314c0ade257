/**
 * The kernels that `export` is asked for: a config of a task, the best of its records, the best of each task of a log, or one
 * line of a log.
 */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { backendOf, badInput, canonicalJson, defined, type FarmError, type Json, keyOf, medianSeconds } from "@warpfarm/common";
import { configNamed } from "@warpfarm/compiler/language";
import { type LogRecord, readLog, taskOf as recordedTask, secondsOf } from "@warpfarm/records/logs";
import { isTemplateFile, type Task } from "@warpfarm/templates";
import { type ExportFormat, type Front, formatKind } from "../../export/files.ts";
import { type ExportUnit, exportUnit, symbolOf } from "../../export/unit.ts";
import { createKernelTask } from "../../kernel/kernel-task.ts";
import { readUnzipped } from "../../score/read-recorded.ts";
import { taskOfSource } from "../../search/task-of-source.ts";
import { isKernel, isKernelFile, sourceOf, type TaskSource } from "../../search/task-source.ts";
import type { CliContext } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import { readSettings } from "../flags/settings.ts";
import { type SkipFlags, skipping } from "../flags/skip-flag.ts";
import { argsOf, indexOf, targetOf } from "../flags/task-flags.ts";
import type { AskedModel } from "../suite/export-model.ts";
import { chosen, ranked, readTasks, recordedTarget, type TaskRecords, taskOfRecord, titleOf } from "./best-records.ts";
import { isRecordId, type RecordedFlags, recordNamed, unitOfRecords } from "./export-records.ts";

export interface ExportFlags extends RecordedFlags, SkipFlags {
  readonly format?: ExportFormat;
  readonly output: string;
  readonly index?: string;
  readonly task?: string;
  readonly name?: string;
  readonly buildTimeout?: number;
  readonly json?: boolean;
  readonly plan?: string;
}

export interface Asked {
  readonly units: readonly ExportUnit[];
  readonly fronts: readonly Front[];
  readonly library: string;
  /** Names of units that have no time: they have the config that a search begins with. */
  readonly untimed?: readonly string[];
  readonly model?: AskedModel;
}

export async function exportUnits(context: CliContext, what: string, flags: ExportFlags): Promise<Asked> {
  if (flags.plan !== undefined) throw badInput(`--plan is for a suite, whose tasks the plan runs; ${what} is none`);
  const log = logOf(what, context.cwd);
  const units =
    log === undefined
      ? [await (isRecordId(what) ? unitOfRecord : unitOfTask)(context, what, flags)]
      : await unitsOfLog(context, log, flags);
  const [first] = units as [ExportUnit];
  const library = flags.name ?? (units.length === 1 ? first.name : symbolOf(first.task));
  return ofOneTarget(what, flags, { units, fronts: [], library });
}

/** Refuses kernels for several kinds of device, and a format for other targets. */
export function ofOneTarget(what: string, flags: ExportFlags, asked: Asked): Asked {
  const [first] = asked.units as [ExportUnit];
  const other = asked.units.find(({ target }) => keyOf(target) !== keyOf(first.target));
  if (other !== undefined)
    throw badInput(
      `${what} holds kernels for ${first.target} and for ${other.target}; a library has one target: choose with --task or --target`,
    );
  const kind = flags.format && formatKind[flags.format];
  if (kind !== undefined && !first.target.startsWith(`${kind}/`))
    throw badInput(`--format ${flags.format} is for kernels of ${kind}; ${what} is for ${first.target}`);
  return asked;
}

/** A task that a record names must be a name: its author may be anybody, and no file is read or run here. */
function namedElsewhere(task: string, what: string): string {
  if (!isKernelFile(task) && !isTemplateFile(task)) return task;
  throw badInput(`${what} is of ${task}, a file of its author; --task names your copy of the file`);
}

interface NamedLog {
  readonly name: string;
  readonly path: string;
  /** The line of one record, from 1. */
  readonly line?: number;
}

function logOf(what: string, cwd: string): NamedLog | undefined {
  const isFile = (name: string): boolean => {
    const path = resolve(cwd, name);
    return existsSync(path) && statSync(path).isFile() && !isKernelFile(name) && !/\.[mc]?[jt]s$/.test(name);
  };
  if (isFile(what)) return { name: what, path: resolve(cwd, what) };
  const [, name, line] = /^(.*):(\d{1,9})$/.exec(what) ?? [];
  return name !== undefined && isFile(name) ? { name, path: resolve(cwd, name), line: Number(line) } : undefined;
}

async function unitOfTask(context: CliContext, what: string, flags: ExportFlags): Promise<ExportUnit> {
  if (flags.task !== undefined) throw badInput(`--task chooses a task of a log, and ${what} is not a log`);
  for (const [flag, value] of [
    ["logs", flags.logs],
    ["device-name", flags.deviceName],
  ] as const)
    if (flags.index !== undefined && value !== undefined)
      throw badInput(`--${flag} chooses among records, and --index names the config; give one of them`);
  const source = await sourceOf(what, flags, context);
  const kind = flags.format && formatKind[flags.format];
  const wanted = flags.target ?? (kind !== undefined && source.targets.some((need) => need.kind === kind) ? kind : undefined);
  const target = await targetOf(source, { ...flags, ...defined({ target: wanted }) }, await readSettings(context), context);
  const task = taskOfSource(source, argsOf(flags), target);
  const name = nameOf(flags, task);
  if (flags.index === undefined && task.space.size > 1)
    return unitOfRecords(context, source, flags, { usual: task, backend: kind ?? backendAsked(flags), name });
  return exportUnit(name, task, indexOf(task, flags.index));
}

async function unitOfRecord(context: CliContext, id: string, flags: ExportFlags): Promise<ExportUnit> {
  for (const flag of ["index", "args", "epilogue", "deviceName"] as const)
    if (flags[flag] !== undefined)
      throw badInput(`--${flag === "deviceName" ? "device-name" : flag} is for a task; record ${id} has its own`);
  const { secondsOfRecord } = await import("@warpfarm/records");
  const record = await recordNamed(context, id, flags);
  const source = await sourceOf(flags.task ?? namedElsewhere(record.task, `record ${id}`), flags, context);
  const task = taskOfSource(source, [...record.args], flags.target ?? record.target);
  const config = configNamed(task.space, record.config?.entity ?? []);
  if (!config.ok) throw notOfSpace(`the config of record ${id}`, task, config.error, record.target);
  const seconds = secondsOfRecord(record);
  const device = record.device?.name;
  return exportUnit(
    nameOf(flags, task),
    task,
    config.value,
    seconds === undefined ? undefined : { seconds, ...defined({ device }) },
  );
}

/** Other spaces for another kind of device are usual: derived ones have other knobs there. */
function notOfSpace(what: string, task: Task, why: string, measuredFor: string | undefined): FarmError {
  const isOther = measuredFor !== undefined && measuredFor !== task.target;
  const where = isOther ? `${task.name}'s space for ${task.target}` : `${task.name}'s current space`;
  const advice = isOther ? `; leave out --target, which exports it for ${measuredFor}, or tune for the other target` : "";
  return badInput(`${what} does not belong to ${where}: ${why}${advice}`);
}

const backendAsked = ({ target }: ExportFlags): string | undefined => target && backendOf(target);

const nameOf = ({ name }: ExportFlags, task: Task): string => name ?? symbolOf(task.name);

async function unitsOfLog(context: CliContext, log: NamedLog, flags: ExportFlags): Promise<readonly ExportUnit[]> {
  for (const flag of ["index", "args", "epilogue"] as const)
    if (flags[flag] !== undefined) throw badInput(`--${flag} is for a task; the records of the log ${log.name} have their own`);
  if (flags.logs !== undefined) throw badInput(`--logs is for a task's records; ${log.name} is a log, which has its own`);
  const isFile = flags.task !== undefined && (isKernelFile(flags.task) || isTemplateFile(flags.task));
  const source = isFile ? await sourceOf(flags.task as string, flags, context) : undefined;
  const records = await recordsOf(context, log, flags, source);
  const units = records.map((record) => {
    const task = taskFor(record, flags.target, source);
    const config = configNamed(task.space, record.trial.config.entity);
    if (!config.ok) throw notOfSpace("the record's config", task, config.error, recordedTarget(record));
    return { task, index: config.value, measured: measuredOf(record) };
  });
  const names = unitNames(
    flags,
    units.map(({ task }) => task),
  );
  return units.map(({ task, index, measured }, i) => exportUnit(names[i] as string, task, index, measured));
}

function unitNames(flags: ExportFlags, tasks: readonly Task[]): readonly string[] {
  const bare = tasks.map((task) => nameOf(flags, task));
  const count = new Map<string, number>();
  return bare.map((name) => {
    const number = (count.get(name) ?? 0) + 1;
    count.set(name, number);
    return bare.filter((other) => other === name).length === 1 ? name : `${name}_${number}`;
  });
}

async function recordsOf(
  context: Pick<CliContext, "stderr">,
  log: NamedLog,
  flags: ExportFlags,
  source: TaskSource | undefined,
): Promise<readonly LogRecord[]> {
  const { name, path, line } = log;
  if (line !== undefined) return [await recordAt(path, name, line)];
  const tasks = await readTasks(path, name, { ...skipping(flags), stderr: context.stderr });
  const isOther = source !== undefined && isKernel(source);
  const left = isOther ? tasks.filter(({ task }) => task === source.name) : chosen(tasks, flags.task, source);
  if (left.length === 0)
    throw badInput(`--task: ${name} has no results of ${flags.task}; it is of ${tasks.map(titleOf).join("; ")}`);
  const best = onOneDevice(left, name, flags.deviceName).flatMap((each) => ranked(each, 1)?.records ?? []);
  if (best.length === 0) throw new CliError(exitCode.noResult, `none of the records of ${name} has a time`);
  return best;
}

/** Records of one kind of device, or under some conditions, never answer for others. */
function onOneDevice(all: readonly TaskRecords[], name: string, asked: string | undefined): readonly TaskRecords[] {
  const left = asked === undefined ? all : all.filter(({ device }) => device === asked);
  const devices = [...new Set(all.map(({ device }) => device))];
  if (left.length === 0)
    throw badInput(`--device-name: ${name} has no results of ${asked}; it has those of ${devices.join(", ")}`);
  const same = ({ task, args, target }: TaskRecords) => canonicalJson([task, args, target]);
  const twice = left.find((each) => left.some((other) => other !== each && same(other) === same(each)));
  if (twice === undefined) return left;
  const kinds = [
    ...new Set(left.filter((each) => same(each) === same(twice)).map(({ device }) => device || "an unnamed device")),
  ];
  if (kinds.length === 1)
    throw badInput(
      `${name} has results of ${twice.task} under several conditions: ${left
        .filter((each) => same(each) === same(twice))
        .map(({ conditions }) => conditions || "the usual ones")
        .join("; ")}; export one line of it, such as ${name}:1`,
    );
  throw badInput(
    `${name} has results of ${twice.task} of several kinds of device: ${kinds.join(", ")}; choose with --device-name`,
  );
}

async function recordAt(path: string, name: string, line: number): Promise<LogRecord> {
  const text = await readUnzipped(path);
  if (!text.ok) throw badInput(text.error);
  const lines = text.value.split("\n");
  const [record] = readLog(`${lines[line - 1] ?? ""}\n`, `${name}:${line}, whose`).records;
  if (record === undefined)
    throw badInput(`${name} has no record at line ${line}; it has ${lines.length} lines, and comments do not count`);
  return record;
}

function taskFor(record: LogRecord, asked: string | undefined, source: TaskSource | undefined): Task {
  if (source === undefined || !isKernel(source)) return taskOfRecord(record, asked, source);
  const target = asked ?? recordedTarget(record);
  if (target === undefined) throw badInput("the record's target names no architecture; give --target");
  return createKernelTask(source, recordedTask(record).args as Json, target);
}

function measuredOf(record: LogRecord): ExportUnit["measured"] {
  const seconds = secondsOf(record);
  if (seconds === undefined) return undefined;
  if (record.kind !== "warpfarm" || record.trial.result.kind !== "timed") return { seconds };
  const { costs, device } = record.trial.result;
  return { seconds: medianSeconds(costs), device: device.name };
}
