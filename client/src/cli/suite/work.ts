/**
 * `suite work`: claims tasks of suites that the farm keeps, searches them, and reports their logs. Another one takes over when
 * claims are not renewed. The log is the state: a worker that claims a task gets its log from the farm and continues it.
 * Unreported results of a dead worker, those of the last second, are measured again or taken over from its session.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { anySignal, type Clock, countWords, defined, digestOf, FarmError, unreadable } from "@warpfarm/common";
import { type Claim, connect, type SuiteClient, type TrackerConnection } from "@warpfarm/proto";
import { resultsOf } from "@warpfarm/records/suites";
import { SuiteDirectory } from "../../suite/directory.ts";
import { type OpenedFacts, openedFactsOf } from "../../suite/entry.ts";
import type { PlannedTask, SuitePlan } from "../../suite/plan.ts";
import { runSuite } from "../../suite/run-suite.ts";
import type { CliContext } from "../context.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { tellSent } from "../flags/task-flags.ts";
import { searchFarm } from "../tuning/search-farm.ts";
import { fetchLog, planOf, searchedMs } from "./farm-suite.ts";
import { Fleet } from "./fleet.ts";
import { LogReport } from "./log-report.ts";
import { begunIn, searchesIn, suitePatienceMs } from "./search-task.ts";
import { Sources } from "./sources.ts";

export interface WorkOptions {
  readonly templates: readonly string[];
  readonly allowed?: readonly string[];
  readonly isOnce: boolean;
}

const lookEveryMs = 2_000;
const reportEveryMs = 1_000;
/** Claims a whole suite: a worker that has all its tasks can distribute the farm among them by what each may gain. */
const atOnce = 2_000;

/** Ends by the command's signal, or with `isOnce` when there is nothing to do. */
export async function workOnSuites(context: CliContext, farm: FarmAccess, options: WorkOptions): Promise<void> {
  const { clock, stderr } = context;
  const templates = new Map<string, string>();
  for (const file of options.templates) {
    const text = await readFile(resolve(context.cwd, file)).catch(unreadable(`--template names ${JSON.stringify(file)}, which`));
    templates.set(digestOf(text), resolve(context.cwd, file));
  }
  const worker = `${process.pid}-${context.newId()}`;
  await using tracker = connect(farm.channel);
  await using fleet = new Fleet(farm, tracker, clock);
  stderr.write(`ready: works on suites of ${farm.channel.address}\n`);
  for (;;) {
    const claim = await retried(context, farm.signal, () =>
      tracker.suites.claim({ worker, limit: atOnce, templates: [...templates.keys()] }, { signal: farm.signal }),
    );
    if (claim && claim.tasks.length > 0) {
      stderr.write(`claimed ${countWords(claim.tasks.length, "task")} of suite ${claim.suite.name} (${claim.suite.suiteId})\n`);
      await workOn(context, farm, { tracker, fleet, claim, templates, allowed: options.allowed ?? [] });
    } else if (options.isOnce) return;
    else await clock.sleep(lookEveryMs, { signal: farm.signal });
  }
}

async function retried<T>(context: CliContext, signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FarmError) || !error.retryable) throw error;
      await context.clock.sleep(lookEveryMs, { signal });
    }
  }
}

interface Working {
  readonly tracker: TrackerConnection;
  readonly fleet: Fleet;
  readonly claim: Claim;
  readonly templates: ReadonlyMap<string, string>;
  readonly allowed: readonly string[];
}

async function workOn(
  context: CliContext,
  farm: FarmAccess,
  { tracker, fleet, claim: { suite, tasks }, templates, allowed }: Working,
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "warpfarm-suite-"));
  const lost = new AbortController();
  const over = new AbortController();
  const signal = anySignal(farm.signal, lost.signal);
  const directory = new SuiteDirectory(scratch);
  const claims = new Map(tasks.map(({ taskId, epoch }) => [taskId, epoch]));
  const logs = new Map<string, LogReport>();
  const ended = new Set<string>();
  try {
    const { whole, ended: before } = await wholeOf(context, tracker.suites, suite, directory, signal);
    // A template's file is identified by its content, not by its path at the suite's author.
    const plan = {
      ...whole,
      tasks: whole.tasks.map((task) => ({ ...task, ...defined({ file: fileHere(task, templates) }) })),
    };
    await directory.create(plan);
    for (const { taskId, logBytes } of suite.tasks) {
      await retried(context, signal, () =>
        fetchLog(tracker.suites, suite.suiteId, taskId, logBytes, directory.logOf(taskId), signal),
      );
      logs.set(
        taskId,
        new LogReport(tracker.suites, suite.suiteId, taskId, claims.get(taskId) ?? 0, directory.logOf(taskId), logBytes),
      );
    }
    const reporting = (async () => {
      for (;;) {
        for (const [id, log] of logs)
          if (!ended.has(id)) {
            const { isOurs } = await log.send("", over.signal);
            // Another worker has it, or the suite was cancelled: all claims are given up, to be made again.
            if (!isOurs) return lost.abort(new FarmError("ABORTED", "a claim is over"));
          }
        await context.clock.sleep(reportEveryMs, { signal: over.signal });
      }
    })().catch((error: unknown) => {
      if (!over.signal.aborted) lost.abort(error);
    });
    const sources = new Sources(context.cwd, {
      artifacts: tracker.artifacts,
      allowed,
      only: new Set(templates.values()),
      onLoaded: (source) => tellSent(source, context),
    });
    const there = { there: () => fleet.now, patienceMs: suitePatienceMs, onLost: () => {} };
    const spent = countingFrom(await searchedMs(directory, plan.tasks), context.clock);
    const searches = { plan, farm: { ...searchFarm(context, farm, tracker), ...there }, folder: context.cwd, searchedMs: spent };
    const claimed = plan.tasks.filter(({ id }) => claims.has(id));
    const endedAs = async ({ id }: PlannedTask, reason: string) => {
      ended.add(id);
      await retried(context, signal, () => (logs.get(id) as LogReport).send(reason.slice(0, 1024), signal));
    };
    const { reason, facts } = await runSuite({
      plan,
      ended: before,
      begun: await begunIn(directory, sources, claimed),
      open: searchesIn(directory, sources, searches),
      capacity: (pool) => fleet.capacity(pool),
      clock: context.clock,
      wallMsBefore: spent(),
      onEnded: endedAs,
      signal,
    });
    // Nobody will begin what the budget left, and the suite would never end.
    const left = facts.filter(({ task, state }) => reason === "budget" && state === "waiting" && claims.has(task.id));
    for (const { task } of left) await endedAs(task, reason);
    over.abort();
    await reporting;
  } catch (error) {
    if (farm.signal.aborted || !lost.signal.aborted) throw error;
  } finally {
    over.abort();
    await rm(scratch, { recursive: true, force: true });
  }
}

function countingFrom(ms: number, clock: Pick<Clock, "monotonic">): () => number {
  const startedMs = clock.monotonic();
  return () => ms + clock.monotonic() - startedMs;
}

/** The worker's own copy of a template's file; otherwise the name that the author gave. */
const fileHere = ({ search: { task }, file }: PlannedTask, templates: ReadonlyMap<string, string>): string | undefined =>
  ("file" in task ? templates.get(task.digest) : undefined) ?? file;

/** The claimed tasks. If a budget is for all tasks together, also those that have ended, with what they used of it. */
async function wholeOf(
  context: CliContext,
  suites: SuiteClient,
  claimed: Claim["suite"],
  directory: SuiteDirectory,
  signal: AbortSignal,
): Promise<{ readonly whole: SuitePlan; readonly ended: ReadonlyMap<string, OpenedFacts> }> {
  const plan = planOf(claimed);
  const { trials, deviceMs, wallMs } = plan.budget;
  if (trials === undefined && deviceMs === undefined && wallMs === undefined) return { whole: plan, ended: new Map() };
  const all = await retried(context, signal, () => suites.get(claimed.suiteId, { signal }));
  const over = all.tasks.filter((task) => task.ended !== "");
  const tasks = planOf({ plan: all.plan, tasks: over }).tasks;
  const ended = new Map<string, OpenedFacts>();
  for (const [i, { taskId, logBytes }] of over.entries()) {
    await retried(context, signal, () => fetchLog(suites, claimed.suiteId, taskId, logBytes, directory.logOf(taskId), signal));
    ended.set(taskId, openedFactsOf(resultsOf(tasks[i] as PlannedTask, await directory.log(taskId))));
  }
  return { whole: { ...plan, tasks: [...plan.tasks, ...tasks] }, ended };
}
