/** Runs a suite on a farm, from its folder: `suite run` after the plan is written, and `suite resume`. */
import { anySignal, countWords, type FarmError, spanWords, timeWords } from "@warpfarm/common";
import { connect } from "@warpfarm/proto";
import { resultsOf, titleOf } from "@warpfarm/records/suites";
import { poolOf } from "../../search/farm-there.ts";
import type { SuiteDirectory } from "../../suite/directory.ts";
import { type OpenedFacts, openedFactsOf } from "../../suite/entry.ts";
import type { SuitePlan } from "../../suite/plan.ts";
import { runSuite, type SuiteChange, type SuiteEnd } from "../../suite/run-suite.ts";
import type { CliContext } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { atMostEvery } from "../terminal/at-most-every.ts";
import { fewerWords } from "../terminal/words.ts";
import { searchFarm } from "../tuning/search-farm.ts";
import { Fleet } from "./fleet.ts";
import { begunIn, searchesIn, suitePatienceMs } from "./search-task.ts";
import type { Sources } from "./sources.ts";

const tickMs = 1_000;
const keepWallEveryMs = 10_000;

class Cancelled extends Error {}

/** Throws when it was interrupted or cancelled, or the farm was lost. */
export async function runOnFarm(
  context: CliContext,
  farm: FarmAccess,
  directory: SuiteDirectory,
  sources: Sources,
): Promise<SuiteEnd> {
  await using _lock = await directory.lock();
  const { clock, stderr } = context;
  const plan = await directory.plan();
  const progress = await directory.progress();
  if (progress.isCancelled) await directory.cancel(false);
  const ended = new Map<string, OpenedFacts>();
  for (const task of plan.tasks)
    if (progress.ended.has(task.id)) ended.set(task.id, openedFactsOf(resultsOf(task, await directory.log(task.id))));
  const begun = await begunIn(
    directory,
    sources,
    plan.tasks.filter(({ id }) => !ended.has(id)),
  );
  if (begun.size + ended.size > 0)
    stderr.write(`continuing: ${ended.size} of ${countWords(plan.tasks.length, "task")} had ended, ${begun.size} had begun\n`);
  await using tracker = connect(farm.channel);
  await using fleet = new Fleet(farm, tracker, clock);
  for (const pool of new Set(plan.tasks.filter(({ id }) => !ended.has(id)).map(({ search }) => poolOf(search))))
    if (fleet.devicesOf(pool) === 0) stderr.write(`there is no device ${pool} now; its tasks wait for one\n`);
  const cancelled = new AbortController();
  const startedMs = clock.monotonic();
  const wallMs = () => progress.wallMs + clock.monotonic() - startedMs;
  const over = new AbortController();
  const keeping = keep(directory, clock, wallMs, cancelled, over.signal);
  const signal = anySignal(farm.signal, cancelled.signal);
  const say = new Says(context, plan);
  const isLostDue = atMostEvery(5_000, clock, Number.NEGATIVE_INFINITY);
  let isLowered = false;
  const searches = {
    plan,
    farm: {
      ...searchFarm(context, farm, tracker),
      there: () => fleet.now,
      patienceMs: suitePatienceMs,
      onLost: (error: FarmError) => {
        // Every search has its own stream, so one line speaks for all.
        if (isLostDue()) stderr.write(`lost the tracker (${error.message}); trying again\n`);
      },
    },
    folder: plan.folder ?? context.cwd,
    onFewer: (asked: number, allowed: number) => {
      if (!isLowered) stderr.write(fewerWords("in_flight", asked, allowed));
      isLowered = true;
    },
  };
  try {
    const end = await runSuite({
      plan,
      ended,
      begun,
      open: searchesIn(directory, sources, searches),
      capacity: (pool) => fleet.capacity(pool),
      clock,
      wallMsBefore: progress.wallMs,
      onChange: (change) => say.change(change),
      onEnded: (task, reason) => directory.ended(task.id, reason),
      signal,
    });
    if (end.reason === "aborted") throw stopReason(context, farm, cancelled.signal);
    return end;
  } finally {
    over.abort();
    await keeping;
    await directory.wall(wallMs());
    say.last();
  }
}

function stopReason(context: CliContext, farm: FarmAccess, cancelled: AbortSignal): unknown {
  if (context.signal.aborted) return context.signal.reason;
  if (cancelled.aborted) return new CliError(exitCode.noResult, "the suite was cancelled; warpfarm suite resume continues it");
  const why: unknown = farm.signal.reason;
  return new CliError(
    exitCode.farmLost,
    `the farm was lost: ${why instanceof Error ? why.message : String(why)}; warpfarm suite resume continues the suite`,
  );
}

async function keep(
  directory: SuiteDirectory,
  clock: CliContext["clock"],
  wallMs: () => number,
  cancelled: AbortController,
  signal: AbortSignal,
): Promise<void> {
  const isDue = atMostEvery(keepWallEveryMs, clock);
  try {
    for (;;) {
      await clock.sleep(tickMs, { signal });
      if ((await directory.progress()).isCancelled) cancelled.abort(new Cancelled("cancelled"));
      if (isDue()) await directory.wall(wallMs());
    }
  } catch {
    // the end
  }
}

class Says {
  readonly #context: CliContext;
  readonly #plan: SuitePlan;
  readonly #isDue: () => boolean;
  #last: SuiteChange | undefined;
  constructor(context: CliContext, plan: SuitePlan) {
    this.#context = context;
    this.#plan = plan;
    this.#isDue = atMostEvery(5_000, context.clock, Number.NEGATIVE_INFINITY);
  }
  change(change: SuiteChange): void {
    this.#last = change;
    const { stderr } = this.#context;
    if (change.kind === "ended") {
      const fact = change.facts.find(({ task }) => task.id === change.id);
      const best = fact?.bestSeconds === undefined ? "no time" : timeWords(fact.bestSeconds);
      if (fact) stderr.write(`ended ${titleOf(fact.task)} on ${fact.task.search.key}: ${best} after ${fact.told} trials\n`);
    }
    if (this.#isDue()) this.last();
  }
  last(): void {
    if (!this.#last) return;
    const { facts } = this.#last;
    const count = (state: string) => facts.filter((fact) => fact.state === state).length;
    const trials = facts.reduce((sum, { told }) => sum + told, 0);
    const deviceMs = facts.reduce((sum, fact) => sum + fact.deviceMs, 0);
    this.#context.stderr.write(
      `${this.#plan.name}: ${count("ended")} of ${countWords(facts.length, "task")} ended, ${count("running") + count("parked")} running or parked;  ${countWords(trials, "trial")}, ${spanWords(deviceMs)} of device time\n`,
    );
  }
}
