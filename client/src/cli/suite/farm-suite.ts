/**
 * Suites that the farm keeps: handed over by `suite run --detach`, copied into their folder for `status`, `report` and `table`.
 */
import { appendFile, mkdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { badInput, defined, FarmError } from "@warpfarm/common";
import { replaceFile } from "@warpfarm/common/process";
import type { CredentialFiles, KeptSuite, SuiteClient } from "@warpfarm/proto";
import type { SuiteDirectory } from "../../suite/directory.ts";
import type { PlannedTask, SuitePlan } from "../../suite/plan.ts";
import type { FarmFlags } from "../farm/farm-flags.ts";
import { needsWords } from "./sources.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const markOf = (directory: SuiteDirectory): string => join(directory.path, "farm.json");

/** A suite's farm as its folder remembers it: the address, and files by absolute paths. */
interface FarmMark extends CredentialFiles {
  readonly tracker: string;
}

const markedBy = (tracker: string, { tokenFile, tlsCa, tlsCert, tlsKey }: FarmFlags, cwd: string): FarmMark => {
  const files = Object.entries(defined({ tokenFile, tlsCa, tlsCert, tlsKey }));
  return { tracker, ...Object.fromEntries(files.map(([flag, file]) => [flag, resolve(cwd, file)])) };
};

/** For `suite resume` and `table --measure`, which then need no flags. */
export async function rememberFarm(directory: SuiteDirectory, address: string, flags: FarmFlags, cwd: string): Promise<void> {
  await writeMark(directory, markedBy(address, flags, cwd));
}

const writeMark = (directory: SuiteDirectory, mark: FarmMark | DetachedMark): Promise<void> =>
  replaceFile(markOf(directory), JSON.stringify(mark));

/** The flags with the folder's values. Flags for another farm ignore them. */
export async function rememberedFlags<F extends FarmFlags>(directory: SuiteDirectory, flags: F): Promise<F> {
  const mark = await readMark(directory);
  if (mark === undefined || (flags.tracker !== undefined && flags.tracker !== mark.tracker)) return flags;
  const { tracker, tokenFile, tlsCa, tlsCert, tlsKey } = mark;
  return { ...defined({ tracker, tokenFile, tlsCa, tlsCert, tlsKey }), ...flags };
}

interface DetachTo {
  readonly suites: SuiteClient;
  readonly address: string;
  readonly flags?: FarmFlags;
  readonly cwd?: string;
  readonly requestId: string;
}

/** Written before the farm is asked, so that a client that dies in between finds the suite again. */
export async function detach(
  { suites, address, requestId, flags = {}, cwd = "" }: DetachTo,
  directory: SuiteDirectory,
  plan: SuitePlan,
): Promise<string> {
  const { tasks, folder: _, ...rest } = plan;
  await directory.create(plan);
  const mark = { ...markedBy(address, flags, cwd), request_id: requestId };
  await writeMark(directory, mark);
  const suiteId = await suites.create({
    requestId,
    name: plan.name,
    plan: encoder.encode(JSON.stringify(rest)),
    tasks: tasks.map((task) => ({
      taskId: task.id,
      document: encoder.encode(JSON.stringify(task)),
      template: task.document ?? ("file" in task.search.task ? task.search.task.digest : ""),
    })),
  });
  await writeMark(directory, { ...mark, suite_id: suiteId });
  return suiteId;
}

interface DetachedMark extends FarmMark {
  readonly request_id: string;
  readonly suite_id?: string;
}
/** The mark of a suite that was handed to a farm; undefined for one that runs here. */
export async function markIn(directory: SuiteDirectory): Promise<DetachedMark | undefined> {
  const mark = await readMark(directory);
  return mark && "request_id" in mark ? mark : undefined;
}

async function readMark(directory: SuiteDirectory): Promise<FarmMark | DetachedMark | undefined> {
  const text = await readFile(markOf(directory), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const mark = JSON.parse(text) as FarmMark | DetachedMark;
    if (typeof mark.tracker === "string") return mark;
  } catch {}
  throw badInput(
    `${markOf(directory)} does not say which farm has the suite: it was cut off or changed; put back a copy of it (without it, a suite that was handed to a farm cannot be found again)`,
  );
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

/** Wall time of a suite so far: of the processes that ran it here, or on a farm of those that searched it. */
export async function wallMsOf(directory: SuiteDirectory, tasks: readonly PlannedTask[]): Promise<number> {
  if ((await markIn(directory)) === undefined) return (await directory.progress()).wallMs;
  return searchedMs(directory, tasks);
}

/**
 * How long somebody searched: a process goes on from what its logs had when it began, and counts by its own monotonic clock. Each
 * result says it, so that two processes at a time count once, and no step of a clock counts.
 */
export async function searchedMs(directory: SuiteDirectory, tasks: readonly PlannedTask[]): Promise<number> {
  let most = 0;
  for (const { id } of tasks)
    for (const { kind, trial } of (await directory.log(id))?.records ?? [])
      if (kind === "warpfarm") most = Math.max(most, trial.searchedMs ?? 0);
  return most;
}

/** Why tasks of a detached suite wait, by task. */
export const waitingWords = (kept: KeptSuite): ReadonlyMap<string, string> =>
  new Map(
    kept.tasks.flatMap(({ taskId, template, ended, worker, document }) => {
      if (ended !== "" || worker !== "" || template === "") return [];
      const planned = JSON.parse(decoder.decode(document)) as PlannedTask;
      return planned.document === undefined ? [[taskId, needsWords(planned)]] : [];
    }),
  );
