/**
 * Suites that the farm keeps: handed over by `suite run --detach`, copied into their folder for `status`, `report` and `table`.
 */
import { appendFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FarmError } from "@warpfarm/common";
import type { KeptSuite, SuiteClient } from "@warpfarm/proto";
import type { SuiteDirectory } from "../../suite/directory.ts";
import type { PlannedTask, SuitePlan } from "../../suite/plan.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const markOf = (directory: SuiteDirectory): string => join(directory.path, "farm.json");

interface DetachTo {
  readonly suites: SuiteClient;
  /** Of the tracker. */
  readonly address: string;
  /** A new one. */
  readonly requestId: string;
}

/** Written before the farm is asked, so that a client that dies in between finds the suite again. */
export async function detach(
  { suites, address, requestId }: DetachTo,
  directory: SuiteDirectory,
  plan: SuitePlan,
): Promise<string> {
  const { tasks, folder: _, ...rest } = plan;
  await directory.create(plan);
  await writeFile(markOf(directory), JSON.stringify({ request_id: requestId, tracker: address }));
  const suiteId = await suites.create({
    requestId,
    name: plan.name,
    plan: encoder.encode(JSON.stringify(rest)),
    tasks: tasks.map((task) => ({
      taskId: task.id,
      document: encoder.encode(JSON.stringify(task)),
      template: task.template ?? "",
    })),
  });
  await writeFile(markOf(directory), JSON.stringify({ request_id: requestId, suite_id: suiteId, tracker: address }));
  return suiteId;
}

export interface DetachedMark {
  readonly suite_id?: string;
  readonly tracker: string;
}
/** The mark of a suite that was handed to a farm; undefined for one that runs here. */
export async function markIn(directory: SuiteDirectory): Promise<DetachedMark | undefined> {
  const text = await readFile(markOf(directory), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as DetachedMark);
}

export const planOf = ({ plan, tasks }: Pick<KeptSuite, "plan" | "tasks">): SuitePlan => ({
  ...(JSON.parse(decoder.decode(plan)) as Omit<SuitePlan, "tasks">),
  tasks: tasks.map(({ document }) => JSON.parse(decoder.decode(document)) as PlannedTask),
});

/** Copies the farm's state: logs from where they end here, and why tasks ended. */
export async function mirror(
  suites: SuiteClient,
  directory: SuiteDirectory,
  suiteId: string,
  signal: AbortSignal,
): Promise<KeptSuite> {
  const kept = await suites.get(suiteId, { signal });
  const known = await directory.progress();
  for (const { taskId, logBytes, ended } of kept.tasks) {
    await fetchLog(suites, suiteId, taskId, logBytes, directory.logOf(taskId), signal);
    if (ended !== "" && !known.ended.has(taskId)) await directory.ended(taskId, ended);
  }
  if (kept.cancelled && !known.isCancelled) await directory.cancel(true);
  return kept;
}

/** Fetches the log up to `end`. A longer file belongs to another suite and is replaced. */
export async function fetchLog(
  suites: SuiteClient,
  suiteId: string,
  taskId: string,
  end: number,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  let at = await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
  if (at > end) await rm(path);
  if (at > end) at = 0;
  if (end > 0) await mkdir(dirname(path), { recursive: true });
  while (at < end) {
    const piece = await suites.log(suiteId, taskId, at, { signal });
    if (piece.length === 0)
      throw new FarmError("DATA_LOSS", `the log of ${taskId} ends at ${at}, and ${end} bytes were reported`);
    await appendFile(path, piece);
    at += piece.length;
  }
}

/** Time since the first result of the suite, in ms; 0 without results. No worker lives as long as a suite, but its logs do. */
export async function wallMsSince(directory: SuiteDirectory, tasks: readonly PlannedTask[], nowMs: number): Promise<number> {
  return nowMs - (await resultTimes(directory, tasks)).reduce((first, ms) => Math.min(first, ms), nowMs);
}

/** Wall time of a suite so far: of the processes that ran it here, or on a farm from the first result to the last one. */
export async function wallMsOf(directory: SuiteDirectory, tasks: readonly PlannedTask[]): Promise<number> {
  if ((await markIn(directory)) === undefined) return (await directory.progress()).wallMs;
  const times = await resultTimes(directory, tasks);
  return times.reduce((last, ms) => Math.max(last, ms), 0) - times.reduce((first, ms) => Math.min(first, ms), times[0] ?? 0);
}

async function resultTimes(directory: SuiteDirectory, tasks: readonly PlannedTask[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (const { id } of tasks)
    for (const record of (await directory.log(id))?.records ?? [])
      if (record.kind === "warpfarm") times.push(record.trial.result.timestampMs);
  return times;
}

/** Why tasks of a detached suite wait, by task. */
export const waitingWords = (kept: KeptSuite): ReadonlyMap<string, string> =>
  new Map(
    kept.tasks.flatMap(({ taskId, template, ended, worker, document }) => {
      if (ended !== "" || worker !== "" || template === "") return [];
      const { task, travels } = JSON.parse(decoder.decode(document)) as PlannedTask;
      if (travels) return [];
      return [[taskId, `needs template ${task} ${template}`]];
    }),
  );
