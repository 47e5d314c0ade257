/** One task of a suite as a search on a farm: what `tune` does, without its output. */
import { stat } from "node:fs/promises";
import {
  backendOf,
  type Clock,
  defaultMeasureOptions,
  type FarmError,
  type MeasureOptions,
  Random,
  type SessionId,
} from "@warpfarm/common";
import type { SessionControl, TrackerConnection } from "@warpfarm/proto";
import { resultsOf } from "@warpfarm/records/suites";
import type { Task } from "@warpfarm/templates";
import { sendUploads } from "../../kernel/bundles.ts";
import { inTurns } from "../../measure/in-turns.ts";
import { type RemoteMeasurerOptions, remoteMeasurer } from "../../measure/remote.ts";
import { type FarmRecords, orUsual } from "../../search/farm-records.ts";
import { finalsPaired } from "../../search/finalists.ts";
import { knownFailures } from "../../search/known-failures.ts";
import { MoreTrials } from "../../search/more-trials.ts";
import { provenanceOf, timesOf } from "../../search/provenance.ts";
import { runIdentity, tune } from "../../search/session.ts";
import { openTuningLog } from "../../search/tuning-log.ts";
import { warmStartOf } from "../../search/warm-start-note.ts";
import type { SuiteDirectory } from "../../suite/directory.ts";
import { type OpenedFacts, openedFactsOf, type SuitePace } from "../../suite/entry.ts";
import { type PlannedTask, poolOf, type SuitePlan } from "../../suite/plan.ts";
import type { OpenedSearch, SuiteRun } from "../../suite/run-suite.ts";
import { isTunerName, tuners } from "../../tuner/index.ts";
import { optionsOfRecords } from "../../tuner/outlined.ts";
import type { ShareSource } from "../../tuner/tuner.ts";
import { badInput } from "../exit.ts";
import { limitsReached, selectorFor } from "../farm/farm-access.ts";
import { type MeasureFlags, measureOptionsOf } from "../flags/measure-flags.ts";
import { limitsOf } from "../flags/task-flags.ts";
import type { Fleet } from "./fleet.ts";
import type { Sources } from "./sources.ts";

export interface SearchOptions {
  readonly plan: SuitePlan;
  readonly tracker: Pick<TrackerConnection, "artifacts" | "farm" | "records">;
  readonly records: FarmRecords;
  readonly fleet: Fleet;
  readonly clock: Clock;
  /** Names this process's part in the logs. */
  readonly session: string;
  /** Told of what the tracker allows, when it is less than the suite's in_flight. */
  readonly onFewer?: (allowed: number) => void;
  /** Told of each lost connection. */
  readonly onLost: (error: FarmError) => void;
}

/** After this time without the farm the suite ends. `suite resume` continues it. */
const patienceMs = 600_000;

export const flagsOf = ({ measure }: SuitePlan): MeasureFlags => {
  const { min_repeat: minRepeat, build_timeout: buildTimeout, run_timeout: runTimeout, ...same } = measure;
  const given = Object.entries({ ...same, minRepeat, buildTimeout, runTimeout }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as MeasureFlags;
};

/**
 * Tasks that an earlier process began, from their logs. The last written come first, because the farm may still have their
 * sessions.
 */
export async function begunIn(
  directory: SuiteDirectory,
  sources: Sources,
  tasks: readonly PlannedTask[],
): Promise<ReadonlyMap<string, OpenedFacts>> {
  const begun: { readonly id: string; readonly writtenMs: number; readonly facts: OpenedFacts }[] = [];
  for (const task of tasks) {
    if (!directory.hasLog(task.id)) continue;
    const { mtimeMs: writtenMs } = await stat(directory.logOf(task.id));
    const facts = openedFactsOf(resultsOf(task, await directory.log(task.id)));
    // A task that cannot be made reports that when it is opened.
    const flops = await sources.task(task).then(
      (made) => made.flops,
      () => 0,
    );
    begun.push({ id: task.id, writtenMs, facts: { ...facts, flops } });
  }
  return new Map(begun.sort((a, b) => b.writtenMs - a.writtenMs).map(({ id, facts }) => [id, facts]));
}

/** Opens the searches of the suite in a folder. An existing log is continued. */
export function searchesIn(directory: SuiteDirectory, sources: Sources, options: SearchOptions): SuiteRun["open"] {
  // Sessions that searches of this process have closed: a search that is opened again must not continue one.
  const closed = new Set<SessionId>();
  // Trials that a task was given while it ran. Closing a session loses its part of them.
  const added = new Map<string, number>();
  return async (planned, signal) => {
    const isBegun = directory.hasLog(planned.id);
    return openSearch(
      planned,
      await sources.task(planned),
      directory.logOf(planned.id),
      isBegun,
      { ...options, closed, added },
      signal,
    );
  };
}

async function openSearch(
  planned: PlannedTask,
  task: Task,
  logPath: string,
  isBegun: boolean,
  options: SearchOptions & { readonly closed: Set<SessionId>; readonly added: Map<string, number> },
  signal: AbortSignal,
): Promise<OpenedSearch> {
  const { plan } = options;
  if (!isTunerName(plan.tuner))
    throw badInput(`the suite's tuner is ${JSON.stringify(plan.tuner)}; there are ${Object.keys(tuners).join(", ")}`);
  await sendUploads(options.tracker.artifacts, task, signal);
  const warmStart = isBegun
    ? await warmStartOf(logPath, task.space)
    : plan.transfer === "none"
      ? []
      : orUsual(await options.records.of(task, plan.tuner, signal), task, plan.tuner);
  const log = await openTuningLog(logPath, {
    run: runIdentity(task, plan.tuner, plan.seed),
    resume: isBegun,
    warmStart: { space: task.space, sources: warmStart },
  });
  const times = timesOf(log.defaultResult, planned.librarySeconds);
  const sessions = [...log.farmSessions];
  const leftBehind = sessions.filter((id) => !options.closed.has(id));
  const onSession = (id: SessionId) => {
    sessions.push(id);
    return log.appendFarmSession(id);
  };
  const failed = await failuresOf(planned, task, options, signal);
  return {
    flops: task.flops,
    trials: log.trials,
    defaultSeconds: times.defaultSeconds,
    events: (pace: SuitePace) => {
      const more = new MoreTrials();
      const before = options.added.get(planned.id) ?? 0;
      more.set(before);
      const onControl = ({ moreTrials }: SessionControl) => {
        options.added.set(planned.id, before + moreTrials);
        more.set(before + moreTrials);
        pace.gave(before + moreTrials);
      };
      return tune({
        ...searchOf(planned, task, { leftBehind, onSession, onControl, more, warmStart, times }, options),
        more,
        knownFailures: failed,
        pace,
        log,
        signal,
      });
    },
    [Symbol.asyncDispose]: async () => {
      if (!signal.aborted) for (const id of sessions) options.closed.add(id);
      await log[Symbol.asyncDispose]();
    },
  };
}

/** While its devices are away the task waits for them with the selector that it would have if they were present. */
const selectorOf = (planned: PlannedTask, task: Task, fleet: Fleet): string =>
  fleet.devicesOf(poolOf(planned)) === 0
    ? poolOf(planned)
    : selectorFor(fleet.now, { key: planned.key, where: planned.where, task });

function failuresOf(planned: PlannedTask, task: Task, o: SearchOptions, signal: AbortSignal) {
  const { plan, tracker, fleet, clock } = o;
  const options = measureOptionsOf(flagsOf(plan), backendOf(planned.key));
  const selector = selectorOf(planned, task, fleet);
  return knownFailures(tracker.records, fleet.now, { task, selector, options, clock, signal });
}

interface SearchState extends Required<Pick<RemoteMeasurerOptions, "leftBehind" | "onSession" | "onControl" | "more">> {
  readonly warmStart: readonly ShareSource[];
  readonly times: ReturnType<typeof timesOf>;
}

function searchOf(
  planned: PlannedTask,
  task: Task,
  { warmStart, times, ...ofSession }: SearchState,
  { plan, tracker, fleet, clock, session, onLost, onFewer }: SearchOptions,
) {
  const name = plan.tuner as keyof typeof tuners;
  const backend = backendOf(planned.key);
  const measureFlags = flagsOf(plan);
  const options = measureOptionsOf(measureFlags, backend);
  const selector = selectorOf(planned, task, fleet);
  const limits = limitsOf({}, planned.target, limitsReached(fleet.now, selector));
  const isValid = (index: number) => task.validate(task.space.toIndex(index), limits).length === 0;
  const common = {
    farm: tracker.farm,
    task: `${plan.name}: ${task.name} ${JSON.stringify(task.args)}`.slice(0, 256),
    selector,
    options,
    clock,
    random: new Random(plan.seed),
    patienceMs,
    onLost,
    provenance: provenanceOf(task, { tuner: name, seed: plan.seed, trials: planned.trials, ...times }),
  };
  const paired = finalsPaired({}, plan.finalists);
  const longest: MeasureOptions = {
    ...options,
    minRepeatMs: Math.max(options.minRepeatMs, defaultMeasureOptions(backend).minRepeatMs),
  };
  const finalists = {
    count: plan.finalists,
    paired,
    options: longest,
    measure: inTurns({ ...common, options: longest, paired, nodes: 2 }),
  };
  return {
    task,
    tuner: {
      name,
      seed: plan.seed,
      tuner: tuners[name]({ space: task.space, seed: plan.seed, isValid, ...optionsOfRecords(task, warmStart) }),
    },
    measurer: remoteMeasurer({
      ...common,
      ...ofSession,
      maxInFlight: plan.inFlight + 1,
      ...(onFewer ? { onFewer } : {}),
    }),
    options,
    trials: planned.trials,
    inFlight: plan.inFlight,
    stop: { patience: planned.patience, ...(planned.deviceMs === undefined ? {} : { deviceSeconds: planned.deviceMs / 1000 }) },
    ...(plan.finalists < 2 ? {} : { finalists }),
    session,
    clock,
  };
}
