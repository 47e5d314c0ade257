/**
 * One tuning run, as a stream of events. Keeps `inFlight` configs outstanding; nothing waits for a round to end: each result is
 * written to the log, told to the tuner, yielded, and replaced by the tuner's next proposal.
 *
 *   ask -> instantiate -> measure (equal programs once) -> log -> tell -> event
 *
 * The default schedule is measured first, as sequence 0, and is no trial. When its time is over, a run that has a result
 * withdraws what is in flight. A run that was cut short goes on from its log: the tuner is replayed, configs that were in flight
 * are measured first, results in the log are never measured again.
 */

import { setImmediate as turn } from "node:timers/promises";
import {
  AsyncQueue,
  anySignal,
  type Clock,
  defined,
  FarmError,
  invariant,
  type MeasureInput,
  type MeasureOptions,
  measureErrorNo,
  type ProgramBytes,
  type ProgramDigest,
} from "@warpfarm/common";
import { configNamed, configToJson, type Entity, entityOf } from "@warpfarm/compiler";
import type { TrialRecord } from "@warpfarm/records/logs";
import { type Finals, judgeFinals } from "@warpfarm/records/suites";
import type { Task } from "@warpfarm/templates";
import { dedupe, type KnownResult } from "../measure/decorators/dedupe.ts";
import { recording } from "../measure/decorators/record.ts";
import { refusingTask } from "../measure/decorators/refuse-task.ts";
import type { MeasureRecord, Measurer } from "../measure/measurer.ts";
import { outcomeOf } from "../tuner/outcome.ts";
import { type Proposal, replay } from "../tuner/replay.ts";
import { keptOver, type StopReason, type StopRules, stopReason } from "../tuner/stop-rules.ts";
import type { Measured, Tuner } from "../tuner/tuner.ts";
import { type FinalistsOptions, isOf, measureFinals } from "./finalists.ts";
import type { MoreTrials } from "./more-trials.ts";
import { isClosing, type Pace, paced } from "./pace.ts";
import { RunTally } from "./run-tally.ts";
import { signalsHeard } from "./signals-heard.ts";
import { whenTimeIsOver } from "./time-over.ts";
import type { FinalsOutcome, TuneEvent, TuneSummary } from "./tune-events.ts";
import type { TuningLog } from "./tuning-log.ts";

/** The part of a task that tuning needs. */
export type TunableTask = Pick<Task, "name" | "args" | "target" | "flops" | "space" | "base" | "reference" | "instantiate">;

export interface TuneOptions {
  readonly task: TunableTask;
  /** Fresh, made with `seed`; `name` and `seed` go into the log. */
  readonly tuner: { readonly name: string; readonly seed: number; readonly tuner: Tuner };
  readonly measurer: Measurer;
  /** How the measurer measures; recorded with each trial. */
  readonly options: MeasureOptions;
  /** Total trials, including those of a resumed log. `more` can raise the total while the run lasts. */
  readonly trials: number;
  readonly more?: MoreTrials;
  readonly inFlight: number;
  /** Measures the fastest again, interleaved; absent: no finalists. */
  readonly finalists?: FinalistsOptions;
  readonly stop?: StopRules;
  /** For a search that shares a farm with others of its client. It also reports what `more` has. */
  readonly pace?: Pace;
  readonly log?: TuningLog;
  /** TrialRecord.searchedMs of a result that comes now. */
  readonly searchedMs?: () => number;
  readonly session: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const defaultSequence = 0;

/**
 * Tunes. Throws FarmError when the farm cannot continue, or the task itself cannot be measured. A candidate's failure is an
 * event. An abort ends the stream with a summary, and the log stays.
 */
export async function* tune(options: TuneOptions): AsyncGenerator<TuneEvent> {
  const run = new Run(options);
  const { signal } = options;
  using _timer = whenTimeIsOver(options.clock, options.stop ?? {}, () => run.timeIsOver());
  try {
    const resumed = await run.resume();
    if (resumed) yield resumed;
    yield* run.refill(signal);
    yield* landing(run, options);
    if (!run.isParked) yield* run.finals(signal);
  } catch (error) {
    await signalsHeard();
    if (!signal.aborted) throw error;
  } finally {
    run.close();
  }
  yield { kind: "finished", summary: run.summary() };
}

/** Results, and new candidates for those, until none is left or its time is over. */
async function* landing(run: Run, { pace, more, signal }: TuneOptions): AsyncGenerator<TuneEvent> {
  try {
    for await (const record of paced(run.results(anySignal(signal, run.withdrawal.signal)), pace ?? more)) {
      if (record !== "changed") yield run.land(record);
      yield* run.refill(signal);
    }
  } catch (error) {
    const isWithdrawn = run.withdrawal.signal.aborted && error instanceof FarmError && error.code === "CANCELLED";
    if (signal.aborted || !isWithdrawn) throw error;
    for (let left = run.outstanding; left > 0; left--) pace?.giveBack();
  }
}

interface Outstanding {
  readonly proposal: Proposal;
  readonly program?: ProgramBytes;
  readonly trial?: TrialRecord;
}

/** One run: its inputs to the measurer and to the tuner. Results are in its tally. */
class Run {
  readonly #o: TuneOptions;
  readonly #tuner: Tuner;
  readonly #run: TrialRecord["run"];
  readonly #startedMs: number;
  readonly #feed: AsyncQueue<MeasureInput>;
  readonly #tally: RunTally;
  /** Submitted trials that the tuner was not told yet. */
  readonly #outstanding = new Map<number, Outstanding>();
  /** Configs in flight when the log ended, submitted before anything new. */
  #backlog: Proposal[] = [];
  #asked = 0;
  #submitted = 0;
  #measured = 0;
  /** `all`: of the log, and then of this run. `outcome`, and `fromMs` when they began: of this run. */
  readonly #finals: { readonly all: Finals[]; outcome?: FinalsOutcome; fromMs?: number };
  #stopped: StopReason | undefined;
  #isSettled = false;
  /** Aborts when what is in flight is withdrawn. */
  readonly withdrawal = new AbortController();

  constructor(options: TuneOptions) {
    this.#o = options;
    this.#tuner = options.tuner.tuner;
    const { name: task, args, target } = options.task;
    const { name: tuner, seed } = options.tuner;
    this.#run = { task, args, target, tuner, seed };
    this.#startedMs = options.clock.monotonic();
    this.#feed = new AsyncQueue(options.inFlight + 1);
    this.#finals = { all: [...(options.log?.finals ?? [])] };
    this.#tally = new RunTally(options.task.flops, (config) => this.#programOf(config));
  }

  /** Replays the log, and submits the default schedule unless the log has its time. */
  async resume(): Promise<TuneEvent | undefined> {
    const { log, task } = this.#o;
    const trials = log?.trials ?? [];
    if (log?.defaultResult) this.#tally.setDefault(log.defaultResult);
    else this.#feed.tryPush({ sequence: defaultSequence, program: task.base ?? task.reference, reference: task.reference });
    if (trials.length === 0) return undefined;
    const found = trials.map((trial) => this.#ofToday(trial));
    let diverged = 0;
    const measured = found.map((trial) => trial && this.#measuredOf(trial));
    // A replay makes all of the log's proposals again. Told of its results alone, the tuner knows whether the space has others.
    if (isClosing(this.#o.pace)) this.#tuner.tell(measured.filter((one) => one !== undefined));
    else {
      const replayed = replay(
        this.#tuner,
        trials.map(({ sequence, told }, i) => ({ sequence, told, measured: measured[i] })),
      );
      this.#backlog = [...replayed.pending];
      this.#asked = replayed.asked;
      diverged = replayed.diverged;
    }
    this.#submitted = trials.length;
    for (const [i, trial] of trials.entries()) this.#tally.count(found[i] ?? trial, found[i] !== undefined);
    const strange = found.filter((trial) => trial === undefined).length;
    return { kind: "resumed", trials: trials.length, diverged, strange, best: this.#tally.best };
  }

  /** The trial with its index in today's space; undefined when the space lacks the config, or no longer allows it. */
  #ofToday(trial: TrialRecord): TrialRecord | undefined {
    const { space } = this.#o.task;
    const config = configNamed(space, trial.config.entity);
    if (!config.ok || !space.valid.has(config.value)) return undefined;
    return { ...trial, config: configToJson(space, space.get(config.value)) };
  }

  results(signal: AbortSignal): AsyncIterable<MeasureRecord> {
    const { log, measurer, task } = this.#o;
    const known = new Map<ProgramDigest, KnownResult>();
    for (const { program, sequence, duplicateOf, result } of log?.trials ?? [])
      if (program && duplicateOf === undefined) known.set(program, { sequence, result });
    const asked = refusingTask(measurer, `${task.name} ${JSON.stringify(task.args)}`);
    return recording(dedupe(asked, known), (record) => this.#keep(record)).measure(this.#feed, { signal });
  }

  /**
   * Submits until `inFlight` are outstanding or nothing is left, and then ends the feed. Configs that cannot be instantiated end
   * at once.
   */
  async *refill(signal: AbortSignal): AsyncGenerator<TuneEvent> {
    do yield* this.#submitAll(signal);
    while ((this.#isOver || this.isParked) && !(await this.#settles(signal)));
    if (this.#isSettled) this.#feed.close();
    this.#endIfLate();
  }

  /** Nothing may land when the wall time is over. */
  timeIsOver(): void {
    if (this.#finals.fromMs === undefined) this.#endIfLate();
  }

  /** Also of a run that its results have stopped, while candidates are in flight. */
  #endIfLate(): void {
    const { deviceSeconds, wallSeconds } = this.#o.stop ?? {};
    const late = this.#stopsNow(defined({ deviceSeconds, wallSeconds }));
    // Who asks for less time than the first results take gets these.
    const isLate = late !== undefined && this.#tally.hasBegun;
    if (isLate) this.#stopped ??= late;
    if (isLate || this.#o.pace?.isLate) this.withdrawal.abort(new FarmError("CANCELLED", "the search's time is over"));
  }

  get outstanding(): number {
    return this.#outstanding.size;
  }

  async *#submitAll(signal: AbortSignal): AsyncGenerator<TuneEvent> {
    this.#stopped ??= this.#stopsNow();
    while (!this.#stopped && this.#submitted < this.#trials && this.#outstanding.size < this.#o.inFlight) {
      signal.throwIfAborted();
      if (this.#o.pace?.take() === false) break;
      const proposal = this.#backlog.shift() ?? (this.#isHeld ? undefined : this.#ask());
      if (proposal) {
        const refused = this.#submit(proposal);
        if (refused) {
          await this.#keep(refused);
          yield this.land(refused);
        }
      } else {
        this.#o.pace?.giveBack();
        if (this.#tuner.exhausted || this.#outstanding.size > 0) break;
      }
      await turn();
    }
  }

  /** The tuner wants results before it proposes more. */
  get #isHeld(): boolean {
    return this.#outstanding.size >= (this.#tuner.mostOutstanding ?? Number.POSITIVE_INFINITY);
  }

  /** Called when nothing may be added to its trials any more. */
  async #settles(signal: AbortSignal): Promise<boolean> {
    const { more } = this.#o;
    this.#isSettled ||= more === undefined || (await more.settle(signal));
    return this.#isSettled;
  }

  /** Whether nothing will be submitted any more. */
  get #isOver(): boolean {
    const nothingLeft = this.#tuner.exhausted && this.#backlog.length === 0;
    // While something is outstanding, trials may be added.
    const isFull = this.#submitted >= this.#trials && (this.#o.more === undefined || this.#outstanding.size === 0);
    return this.#stopped !== undefined || isFull || nothingLeft;
  }
  /** Its pace asks it to close before its end. */
  get isParked(): boolean {
    return this.#o.pace?.isParked === true && !this.#isOver;
  }

  get #trials(): number {
    return this.#o.trials + (this.#o.more?.count ?? 0);
  }

  #stopsNow(rules: StopRules = this.#o.stop ?? {}): StopReason | undefined {
    if (this.#o.pace?.isOver) return "budget";
    const { deviceSeconds, sinceBest, bestAfter } = this.#tally;
    const wallSeconds = (this.#o.clock.monotonic() - this.#startedMs) / 1000;
    return stopReason(rules, { wallSeconds, deviceSeconds, sinceBest, kept: keptOver(bestAfter) });
  }

  close(): void {
    this.#feed.close();
  }

  #ask(): Proposal | undefined {
    const [index] = this.#tuner.ask(1);
    return index === undefined ? undefined : { sequence: ++this.#asked, told: this.#tally.told, index };
  }

  #submit(proposal: Proposal): MeasureRecord | undefined {
    const { task, clock } = this.#o;
    const { sequence, index } = proposal;
    const instance = task.instantiate(index);
    this.#submitted++;
    if (!instance.ok) {
      this.#outstanding.set(sequence, { proposal });
      const { rule, message } = instance.error;
      const errorNo = measureErrorNo.INSTANTIATION_ERROR;
      return {
        sequence,
        result: { kind: "failed", errorNo, rule, message, buildMs: 0, runMs: 0, timestampMs: clock.now(), attempt: 1 },
      };
    }
    const { program } = instance.value;
    this.#outstanding.set(sequence, { proposal, program });
    const config = entityOf(task.space, index);
    const { told } = proposal;
    const proposed = { config, trial: sequence, told };
    const taken = this.#feed.tryPush({ sequence, program, reference: task.reference, proposal: proposed });
    invariant(taken, "the feed holds as many inputs as may be outstanding");
    return undefined;
  }

  async #keep(record: MeasureRecord): Promise<void> {
    const { log } = this.#o;
    if (record.sequence === defaultSequence) await log?.appendDefault(record.result);
    else await log?.append(this.#trialOf(record));
  }

  /** Processes a result and returns its event. */
  land(record: MeasureRecord): TuneEvent {
    const tally = this.#tally;
    if (record.sequence === defaultSequence) return { kind: "default", ...tally.setDefault(record.result) };
    const trial = this.#trialOf(record);
    this.#outstanding.delete(record.sequence);
    if (trial.program && trial.duplicateOf === undefined) this.#measured++;
    this.#tuner.tell([this.#measuredOf(trial)]);
    tally.count(trial);
    return { kind: "trial", trial, score: tally.score(trial.result), best: tally.best, done: tally.told, errors: tally.errors };
  }

  #trialOf({ sequence, result, duplicateOf }: MeasureRecord): TrialRecord {
    const outstanding = this.#outstanding.get(sequence);
    invariant(outstanding, `a result for sequence ${sequence}, which is not outstanding`);
    if (outstanding.trial) return outstanding.trial;
    const { proposal, program } = outstanding;
    const { space } = this.#o.task;
    const trial: TrialRecord = {
      run: this.#run,
      session: this.#o.session,
      sequence,
      told: proposal.told,
      config: configToJson(space, space.get(proposal.index)),
      ...(program ? { program: program.digest } : {}),
      ...defined({ duplicateOf, searchedMs: this.#o.searchedMs?.() }),
      options: this.#o.options,
      result,
    };
    this.#outstanding.set(sequence, { ...outstanding, trial });
    return trial;
  }

  #measuredOf(trial: TrialRecord): Measured {
    return { index: this.#o.task.space.toIndex(trial.config.index), outcome: outcomeOf(trial.result) };
  }

  #programOf(name: Entity): ProgramBytes {
    const { task } = this.#o;
    const config = configNamed(task.space, name);
    const instance = config.ok ? task.instantiate(config.value) : config;
    invariant(instance.ok, "a config that was timed makes a program");
    return instance.value.program;
  }

  /** Measures the fastest again, interleaved, unless the log has the result. The winner becomes the best. */
  async *finals(signal: AbortSignal): AsyncGenerator<TuneEvent> {
    const { finalists, log, task } = this.#o;
    if (!finalists) return;
    signal.throwIfAborted();
    this.#finals.fromMs = this.#o.clock.monotonic();
    const leaders = this.#tally.fastest(finalists.count);
    const known = log?.finals.at(-1);
    if (known && known.runs.length > 0 && isOf(known, leaders, finalists)) {
      this.#finals.outcome = { kind: "judged", finals: known, verdict: judgeFinals(known), notes: [] };
      return;
    }
    if (leaders.length > 1) yield { kind: "finalists", configs: leaders.map(({ config }) => config) };
    const base = { program: task.base ?? task.reference, seconds: this.#tally.defaultSeconds };
    const outcome = await measureFinals(leaders, { reference: task.reference, base }, finalists, { signal });
    this.#finals.outcome = outcome;
    const finals = outcome.kind === "judged" ? outcome.finals : { ...finalists, finalists: [], runs: [], failed: outcome.failed };
    if (finals.runs.length + finals.failed.length === 0) return;
    this.#finals.all.push(finals);
    await log?.appendFinals(finals);
  }

  summary(): TuneSummary {
    const wallSeconds = ((this.#finals.fromMs ?? this.#o.clock.monotonic()) - this.#startedMs) / 1000;
    const ended = this.#tally.told >= this.#trials ? "trials" : (this.#stopped ?? "exhausted");
    return {
      ...this.#tally.summary(this.#finals.all, this.#finals.outcome),
      reason: this.#o.signal.aborted ? "aborted" : this.isParked ? "parked" : ended,
      measured: this.#measured,
      wallSeconds,
      trialsPerSecond: wallSeconds > 0 ? this.#measured / wallSeconds : 0,
    };
  }
}
