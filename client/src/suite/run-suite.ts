/** Runs a suite: starts searches as the scheduler gives them permits, tells it their results, and ends when all have ended. */
import { setMaxListeners } from "node:events";
import { AsyncQueue, type Clock, defined, FarmError } from "@warpfarm/common";
import type { TrialRecord } from "@warpfarm/records/logs";
import { landedOf } from "@warpfarm/records/suites";
import type { Pace } from "../search/pace.ts";
import type { TuneEvent, TuneSummary } from "../search/tune-events.ts";
import type { OpenedFacts } from "./entry.ts";
import type { PlannedTask, SuitePlan } from "./plan.ts";
import { SuiteScheduler, type TaskFacts } from "./scheduler.ts";

interface OpenedSearch extends AsyncDisposable {
  readonly flops: number;
  readonly trials: readonly TrialRecord[];
  readonly defaultSeconds: number | undefined;
  events(pace: Pace): AsyncIterable<TuneEvent>;
}

export interface SuiteRun {
  readonly plan: SuitePlan;
  readonly ended: ReadonlyMap<string, OpenedFacts>;
  readonly begun: ReadonlyMap<string, OpenedFacts>;
  /** Opens a task's search, again after it was parked. Throws the error with which the suite ends. */
  readonly open: (task: PlannedTask, signal: AbortSignal) => Promise<OpenedSearch>;
  readonly capacity: (pool: string) => number;
  /** Searches open at once. Unset: the default. */
  readonly mostOpen?: number;
  readonly clock: Clock;
  readonly wallMsBefore?: number;
  readonly onChange?: (change: SuiteChange) => void;
  readonly onEnded: (task: PlannedTask, reason: string, summary: TuneSummary | undefined) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface SuiteChange {
  readonly kind: "began" | "trial" | "parked" | "ended";
  readonly id: string;
  readonly facts: readonly TaskFacts[];
}

export interface SuiteEnd {
  readonly reason: "done" | "budget" | "aborted";
  readonly facts: readonly TaskFacts[];
}

/** How often capacity is read again when no result comes, because nodes join and leave. */
const lookEveryMs = 1_000;

/** Throws what a search throws, after all others have ended. */
export async function runSuite(run: SuiteRun): Promise<SuiteEnd> {
  const { plan, clock, signal } = run;
  const begun = new AsyncQueue<string>(Number.POSITIVE_INFINITY);
  const stop = new AbortController();
  const within = AbortSignal.any([signal, stop.signal]);
  // Each call and each wait of the open searches is a listener, and Node takes more than 10 for a leak.
  setMaxListeners(Number.POSITIVE_INFINITY, within);
  const scheduler = new SuiteScheduler({
    tasks: plan.tasks,
    budget: plan.budget,
    capacity: run.capacity,
    begin: (id) => void begun.tryPush(id),
    ...defined({ mostOpen: run.mostOpen }),
  });
  for (const [id, facts] of run.ended) {
    scheduler.opened(id, facts);
    scheduler.ended(id);
  }
  scheduler.start(run.begun);
  const changed = (kind: SuiteChange["kind"], id: string) => run.onChange?.({ kind, id, facts: scheduler.facts() });
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  const searches = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const checkDone = () => {
    if (scheduler.isDone && searches.size === 0) begun.close();
  };
  const startedMs = clock.monotonic();
  const watch = (async () => {
    while (!within.aborted) {
      const spentMs = (run.wallMsBefore ?? 0) + clock.monotonic() - startedMs;
      if (plan.budget.wallMs !== undefined && spentMs >= plan.budget.wallMs) scheduler.spend();
      scheduler.look();
      checkDone();
      await clock.sleep(lookEveryMs, { signal: within });
    }
  })().catch(() => {}); // the end
  signal.addEventListener("abort", () => begun.close(), { once: true });
  if (signal.aborted) begun.close();
  for await (const id of begun) {
    const task = byId.get(id) as PlannedTask;
    const search = searchOne(run, scheduler, task, within, changed)
      .catch(async (error: unknown) => {
        if (!isOfTask(error) || within.aborted) throw error;
        await run.onEnded(task, `failed: ${error.message}`, undefined);
        scheduler.ended(id);
        changed("ended", id);
      })
      .catch((error: unknown) => {
        failure ??= { error };
        // The other searches end in order, so their logs are complete.
        stop.abort();
        begun.close();
      });
    searches.add(search);
    void search.then(() => {
      searches.delete(search);
      checkDone();
    });
  }
  await Promise.all(searches);
  stop.abort();
  await watch;
  if (failure && !signal.aborted) throw failure.error;
  const facts = scheduler.facts();
  return { reason: signal.aborted ? "aborted" : scheduler.isSpent ? "budget" : "done", facts };
}

const isOfTask = (error: unknown): error is FarmError => error instanceof FarmError && error.code === "INVALID_ARGUMENT";

/** Runs from its opening to its end, or until it is parked. */
async function searchOne(
  run: SuiteRun,
  scheduler: SuiteScheduler,
  task: PlannedTask,
  signal: AbortSignal,
  changed: (kind: SuiteChange["kind"], id: string) => void,
): Promise<void> {
  const became = await searchOpen(run, scheduler, task, signal, changed);
  // Its log is closed, so its place is free, and it may be opened again.
  if (became === "parked") scheduler.parked(task.id);
  else if (became === "ended") scheduler.ended(task.id);
  if (became) changed(became, task.id);
}

async function searchOpen(
  run: SuiteRun,
  scheduler: SuiteScheduler,
  task: PlannedTask,
  signal: AbortSignal,
  changed: (kind: SuiteChange["kind"], id: string) => void,
): Promise<"parked" | "ended" | undefined> {
  const { id } = task;
  await using search = await run.open(task, signal);
  const { flops, defaultSeconds, trials } = search;
  scheduler.opened(id, { flops, defaultSeconds, results: trials.map(landedOf) });
  changed("began", id);
  scheduler.fill();
  for await (const event of search.events(scheduler.pace(id))) {
    if (event.kind === "default") scheduler.default(id, event.score?.seconds);
    else if (event.kind === "trial") {
      scheduler.landed(id, landedOf(event.trial));
      changed("trial", id);
    } else if (event.kind === "finished") {
      const { reason } = event.summary;
      if (reason === "parked") return "parked";
      if (reason === "aborted") return undefined;
      await run.onEnded(task, reason, event.summary);
      return "ended";
    }
  }
  return undefined;
}
