/**
 * Opens a search: the one place that makes a measurer, a tuner, finalists and a log of a SearchSpec. `tune`, the tasks of a suite
 * and programs of users all come here, so equal specs make equal proposals.
 *
 *   spec + task -> what it starts from -> sessions on the farm -> log -> events
 */
import { setImmediate as turn } from "node:timers/promises";
import { anySignal, backendOf, defined, medianSeconds, parseSelector, type SessionId, selects } from "@warpfarm/common";
import type { Incumbent, SessionControl, TrackerConnection } from "@warpfarm/proto";
import type { TrialRecord } from "@warpfarm/records/logs";
import type { Task } from "@warpfarm/templates";
import { type InTurnsOptions, inTurns } from "../measure/in-turns.ts";
import { tuners } from "../tuner/index.ts";
import { optionsOfRecords } from "../tuner/outlined.ts";
import type { Source } from "../tuner/transfer.ts";
import type { TunerOptions } from "../tuner/tuner.ts";
import { type MeasuringFarm, sessionMeasurer, sessionsOf } from "./farm-measurer.ts";
import { type Beginning, beginningOf, beginningWords, type FarmRecords } from "./farm-records.ts";
import { type FarmThere, limitsOf, limitsReached, poolOf, selectorFor } from "./farm-there.ts";
import type { FinalistsOptions } from "./finalists.ts";
import { GiveUp } from "./give-up.ts";
import { MoreTrials } from "./more-trials.ts";
import { isClosing, type Pace } from "./pace.ts";
import { provenanceOf } from "./provenance.ts";
import { startOptions } from "./search-inputs.ts";
import type { WholeSpec } from "./search-spec.ts";
import { tune } from "./session.ts";
import { withShipped } from "./shipped.ts";
import { finalOptions, giveUpMsOf, measureOptionsFor, pairedFor, stopRulesOf } from "./spec-options.ts";
import type { TuneEvent } from "./tune-events.ts";
import { openTuningLog, type SearchPaths, type TuningLog } from "./tuning-log.ts";
import { warmStartOf } from "./warm-start-note.ts";

/** The farm of searches. */
export interface SearchFarm extends MeasuringFarm {
  readonly tracker: Pick<TrackerConnection, "artifacts" | "farm" | "records" | "tracing">;
  readonly there: () => FarmThere;
  readonly records: FarmRecords;
  readonly session: string;
}

export interface OpenSearchOptions {
  readonly task: Task;
  readonly cwd: string;
  /** Unset: the search keeps no log, and cannot be continued. */
  readonly logPath?: string;
  readonly resume?: boolean;
  /** The log is that of an operator, whose templates share it (operator-search.ts). */
  readonly isShared?: boolean;
  readonly paths?: SearchPaths | undefined;
  readonly sources?: readonly Source[];
  readonly title?: string;
  readonly librarySeconds?: number | undefined;
  readonly searchedMs?: (() => number) | undefined;
  /** Trials added during earlier runs. */
  readonly added?: number | undefined;
  /** Sessions that this process has closed, which it must not continue. Those of the search are added when it ends. */
  readonly closed?: Set<SessionId>;
  readonly say: (message: string) => void;
  readonly onSession?: (session: SessionId) => void;
  readonly onTakeOver?: (measurements: number) => void;
  readonly onFewer?: (allowed: number) => void;
  /** `moreTrials`: all trials that were ever added. */
  readonly onControl?: (control: SessionControl) => void;
  readonly signal: AbortSignal;
}

export interface OpenSearch extends AsyncDisposable {
  readonly spec: WholeSpec;
  readonly task: Task;
  readonly log: Pick<TuningLog, "path" | "warnings"> | undefined;
  readonly trials: readonly TrialRecord[];
  readonly defaultSeconds: number | undefined;
  /** Trials that are added while it runs. */
  readonly more: MoreTrials;
  /**
   * Runs it, once. With a pace it takes turns with others, and with `waits` it waits for results for any time; otherwise it gives
   * up as its spec says, with DEADLINE_EXCEEDED after its last event. Throws FarmError when the farm cannot continue.
   */
  events(pace?: Pace, waits?: boolean): AsyncIterable<TuneEvent>;
}

/** Throws FarmError: INVALID_ARGUMENT for what the spec or its files say, else what the farm says. */
export async function openSearch(farm: SearchFarm, spec: WholeSpec, options: OpenSearchOptions): Promise<OpenSearch> {
  const { task, logPath, resume = false, isShared, paths, librarySeconds, signal } = options;
  if (spec.derived !== task.derived?.digest)
    options.say(
      "the space of this search was derived by other rules: its configs are found by their values, and those that are gone are counted",
    );
  const ofLogs = startOptions(task, options.sources ?? [], options.say);
  const selector = selectorOf(farm.there(), spec, task);
  const measured = measureOptionsFor(spec.measure, backendOf(spec.key), {
    isKernel: "kernel" in spec.task,
    isSearch: true,
  });
  const of = { ...options, selector, options: measured, seed: spec.seed, provenance: provenanceOf(task, spec) };
  const sessions = await sessionsOf(farm, of, signal);
  const beginning = await startOf(farm, spec, options);
  const begins = { spec, paths, resume, ...defined({ isShared }), warmStart: { space: task.space, ...beginning } };
  const log = logPath === undefined ? undefined : await openTuningLog(logPath, begins);
  const defaultSeconds = log?.defaultResult?.kind === "timed" ? medianSeconds(log.defaultResult.costs) : undefined;
  const provenance = { ...of.provenance, ...defined({ defaultSeconds, librarySeconds }) };
  const more = new MoreTrials();
  more.set(options.added ?? 0);
  const opened = [...(log?.farmSessions ?? [])];
  const making = { farm, spec, options, log, more, opened };
  const withProvenance = {
    ...sessions,
    provenance,
    ...defined({ priority: spec.priority, weight: spec.weight, keep: spec.keep }),
  };
  return {
    ...{ spec, task, log, trials: log?.trials ?? [], defaultSeconds, more },
    events: (pace, waits = pace !== undefined) =>
      eventsOf(
        making,
        withProvenance,
        // It proposes nothing, so it learns from nothing.
        () => (isClosing(pace) ? {} : { ...ofLogs, ...optionsOfRecords(task, beginning.sources), starts: beginning.starts }),
        { pace, waits },
      ),
    async [Symbol.asyncDispose]() {
      if (!signal.aborted) for (const id of opened) options.closed?.add(id);
      await log?.[Symbol.asyncDispose]();
    },
  };
}

/** While its devices are away it waits for them, with the selector of all that may come. */
function selectorOf(there: FarmThere, { key, where }: WholeSpec, task: Task): string {
  const pool = parseSelector(poolOf({ key, where }));
  return there.devices.some((device) => selects(pool, device))
    ? selectorFor(there, { key, where, task })
    : poolOf({ key, where });
}

async function startOf(
  { records }: SearchFarm,
  spec: WholeSpec,
  { task, logPath, resume, say, signal }: OpenSearchOptions,
): Promise<Beginning> {
  const { start, tuner } = spec;
  if (start !== "farm") return { sources: [], starts: [] };
  const found =
    resume && logPath !== undefined
      ? await warmStartOf(logPath, task.space, spec)
      : beginningOf(withShipped(await records.of(task, tuner, signal), task, tuner), task, tuner);
  const words = beginningWords(found, task.name);
  if (words !== undefined) say(words);
  return found;
}

/**
 * Asks for the records with which a search of the task will begin, and learns from them and those of the package, before the farm
 * is there. `records` and models remember what they found for the same question.
 */
export async function foresee(
  { spec, task }: Pick<OpenSearch, "spec" | "task">,
  records: Pick<FarmRecords, "of">,
  signal: AbortSignal,
): Promise<void> {
  const { start, tuner, seed } = spec;
  if (start !== "farm") return;
  const sources = withShipped(await records.of(task, tuner, signal), task, tuner);
  if (sources.length > 0) tuners[tuner]({ space: task.space, seed, isValid: () => true, ...optionsOfRecords(task, sources) });
}

let learning: Promise<unknown> = Promise.resolve();

/** Searches of a suite begin at once, and each learns for a good part of a second: results land between two of them. */
async function turnToLearn(): Promise<void> {
  learning = learning.then(() => turn());
  await learning;
}

interface Making {
  readonly farm: SearchFarm;
  readonly spec: WholeSpec;
  readonly options: OpenSearchOptions;
  readonly log: TuningLog | undefined;
  readonly more: MoreTrials;
  /** Its sessions so far, the latest last. */
  readonly opened: SessionId[];
}

async function* eventsOf(
  { farm, spec, options, log, more, opened }: Making,
  sessions: Omit<InTurnsOptions, "paired" | "nodes">,
  inputs: () => Pick<TunerOptions, "records" | "of" | "outline" | "starts">,
  { pace, waits }: { readonly pace: Pace | undefined; readonly waits: boolean },
): AsyncGenerator<TuneEvent> {
  const { task, closed } = options;
  const { clock, session } = farm;
  using giveUp = waits ? undefined : new GiveUp(clock, giveUpMsOf(spec.budget));
  const signal = giveUp ? anySignal(options.signal, giveUp.signal) : options.signal;
  const before = more.count;
  const onControl = ({ paused, moreTrials }: SessionControl): void => {
    more.set(before + moreTrials);
    pace?.gave(more.count);
    giveUp?.held(paused);
    options.onControl?.({ paused, moreTrials: more.count });
  };
  const limits = limitsOf(spec, task.target, limitsReached(farm.there(), sessions.selector));
  const isValid = (index: number) => task.validate(task.space.toIndex(index), limits).length === 0;
  const measurer = sessionMeasurer(sessions, spec.in_flight + 1, {
    onControl,
    more,
    leftBehind: opened.filter((id) => !closed?.has(id)),
    onSession: async (id) => {
      if (opened.at(-1) !== id) opened.push(id);
      options.onSession?.(id);
      await log?.appendFarmSession(id);
    },
    ...defined({ onTakeOver: options.onTakeOver }),
    incumbents: (log?.trials ?? []).flatMap(incumbentOf),
    ...defined({ onFewer: options.onFewer, reuse: spec.reuse }),
  });
  await turnToLearn();
  const tuner = tuners[spec.tuner]({ space: task.space, seed: spec.seed, isValid, ...inputs() });
  const events = tune({
    task,
    tuner: { name: spec.tuner, seed: spec.seed, tuner },
    measurer,
    options: sessions.options,
    trials: spec.budget.trials,
    inFlight: spec.in_flight,
    stop: stopRulesOf(spec.budget),
    ...finalistsOf(spec, { ...sessions, onControl: ({ paused }) => onControl({ paused, moreTrials: 0 }) }),
    ...{ more, session, clock, signal },
    ...defined({ log, pace, searchedMs: options.searchedMs }),
  });
  for await (const event of events) {
    giveUp?.heard();
    yield event;
  }
  if (giveUp?.signal.aborted && !options.signal.aborted) throw giveUp.signal.reason;
}

function incumbentOf({ result }: TrialRecord): readonly Incumbent[] {
  if (result.kind !== "timed") return [];
  const { key, name } = result.device;
  return [{ key, name, seconds: medianSeconds(result.costs) }];
}

function finalistsOf(
  { finalists, key }: WholeSpec,
  sessions: Omit<InTurnsOptions, "paired" | "nodes">,
): { readonly finalists?: FinalistsOptions } {
  const options = finalOptions(sessions.options, backendOf(key));
  const paired = pairedFor(finalists);
  const measure = inTurns({ ...sessions, options, paired, nodes: 2 });
  return finalists.count === 0 ? {} : { finalists: { count: finalists.count, paired, options, measure } };
}
