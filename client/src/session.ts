/**
 * One tuning run, as a stream of events. Keeps `inFlight` configs outstanding; nothing waits for a round to end: each result is
 * written to the log, told to the tuner, yielded, and replaced by the tuner's next proposal.
 *
 *   ask -> instantiate -> measure (equal programs once) -> log -> tell -> event
 *
 * The default schedule is measured first, as sequence 0, and is no trial. A run that was cut short goes on from its log: the
 * tuner is replayed, configs that were in flight are measured first, results in the log are never measured again.
 */
import { setImmediate as turn } from "node:timers/promises";
import {
  AsyncQueue,
  type Clock,
  type FailedResult,
  invariant,
  type Json,
  type MeasureErrorName,
  type MeasureInput,
  type MeasureOptions,
  type MeasureResult,
  measureErrorName,
  measureErrorNo,
  medianSeconds,
  type ProgramBytes,
  type ProgramDigest,
  type Refusal,
  type Result,
  type Seconds,
} from "@warpfarm/common";
import { type ConfigIndex, type ConfigSpace, configToJson } from "@warpfarm/compiler";
import { type Candidate, type FinalistsOptions, type FinalsOutcome, fastestOf, isOf, measureFinals } from "./finalists.ts";
import { dedupe, type KnownResult } from "./measure/decorators/dedupe.ts";
import { recording } from "./measure/decorators/record.ts";
import { refusingTask } from "./measure/decorators/refuse-task.ts";
import type { MeasureRecord, Measurer } from "./measure/measurer.ts";
import { judgeFinals } from "./paired/finals.ts";
import type { RunIdentity, TrialRecord } from "./record/record.ts";
import type { TuningLog } from "./record/tuning-log.ts";
import { signalsHeard } from "./signals-heard.ts";
import type { Best, Failures, Scored, TuneEvent, TuneSummary } from "./tune-events.ts";
import { type Proposal, replay } from "./tuner/replay.ts";
import { type StopReason, type StopRules, stopReason } from "./tuner/stop-rules.ts";
import type { Measured, Outcome, Tuner } from "./tuner/tuner.ts";

/** What tuning needs of a task. */
export interface TunableTask {
  readonly name: string;
  readonly args: readonly Json[];
  readonly target: string;
  readonly flops: number;
  readonly space: ConfigSpace;
  /** Default schedule of the plain computation: the answer every candidate must give, and the time it is compared with. */
  readonly reference: ProgramBytes;
  instantiate(index: ConfigIndex): Result<{ readonly program: ProgramBytes }, Refusal>;
}

export interface TuneOptions {
  readonly task: TunableTask;
  /** Fresh, made with `seed`; `name` and `seed` go into the log. */
  readonly tuner: { readonly name: string; readonly seed: number; readonly tuner: Tuner };
  readonly measurer: Measurer;
  /** How the measurer measures; recorded with each trial. */
  readonly options: MeasureOptions;
  /** Trials in all, those of a resumed log included. */
  readonly trials: number;
  readonly inFlight: number;
  /** The fastest are measured again, in turns; absent = they are not. */
  readonly finalists?: FinalistsOptions;
  /** Ends the run before its trials are used up. */
  readonly stop?: StopRules;
  readonly log?: TuningLog;
  /** Names this process's part of the run in the log. */
  readonly session: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const defaultSequence = 0;

export const runIdentity = (task: Pick<TunableTask, "name" | "args" | "target">, tuner: string, seed: number): RunIdentity => ({
  task: task.name,
  args: task.args,
  target: task.target,
  tuner,
  seed,
});

/**
 * Tunes. Throws FarmError when the farm cannot go on, or the task itself cannot be measured; a candidate's failure is an event.
 * An abort ends the stream with a summary: what is in the log stays.
 */
export async function* tune(options: TuneOptions): AsyncGenerator<TuneEvent> {
  const run = new Run(options);
  const { signal } = options;
  try {
    const resumed = await run.resume();
    if (resumed) yield resumed;
    yield* run.refill(signal);
    for await (const record of run.results(signal)) {
      yield run.land(record);
      yield* run.refill(signal);
    }
    yield* run.finals(signal);
  } catch (error) {
    await signalsHeard();
    if (!signal.aborted) throw error;
  } finally {
    run.close();
  }
  yield { kind: "finished", summary: run.summary() };
}

interface Outstanding {
  readonly proposal: Proposal;
  readonly program?: ProgramBytes;
}

/** State of one run. `outstanding` holds what was submitted and has no result yet. */
class Run {
  readonly #o: TuneOptions;
  readonly #tuner: Tuner;
  readonly #identity: RunIdentity;
  readonly #startedMs: number;
  readonly #feed: AsyncQueue<MeasureInput>;
  readonly #outstanding = new Map<number, Outstanding>();
  readonly #errors: Partial<Record<MeasureErrorName, number>> = {};
  /** In flight when the log ended; submitted before anything new. */
  #backlog: Proposal[] = [];
  #asked = 0;
  #told = 0;
  #submitted = 0;
  #measured = 0;
  readonly #failures = new Map<string, Failures>();
  #best: Best | undefined;
  #runnerUp: Best | undefined;
  #default: TuneSummary["default"];
  /** One for each program that was timed: of configs with equal programs the lowest index. */
  readonly #timed = new Map<ProgramDigest, Candidate & { readonly trial: TrialRecord }>();
  #finals: FinalsOutcome | undefined;
  /** When the finals began. */
  #searchedMs: number | undefined;
  #deviceMs = 0;
  /** Trials with a result when the best one came. */
  #toldAtBest = 0;
  #stopped: StopReason | undefined;

  constructor(options: TuneOptions) {
    this.#o = options;
    this.#tuner = options.tuner.tuner;
    this.#identity = runIdentity(options.task, options.tuner.name, options.tuner.seed);
    this.#startedMs = options.clock.monotonic();
    this.#feed = new AsyncQueue(options.inFlight + 1);
  }

  /** Takes in the log and submits the default schedule unless the log has its time. */
  async resume(): Promise<TuneEvent | undefined> {
    const { log, task } = this.#o;
    const trials = log?.trials ?? [];
    if (log?.defaultResult) this.#default = { result: log.defaultResult, score: this.#score(log.defaultResult) };
    else this.#feed.tryPush({ sequence: defaultSequence, program: task.reference, reference: task.reference });
    if (trials.length === 0) return undefined;
    const { asked, pending, diverged } = await replay(
      this.#tuner,
      trials.map((trial) => ({ sequence: trial.sequence, told: trial.told, measured: this.#measuredOf(trial) })),
    );
    this.#backlog = [...pending];
    this.#asked = asked;
    this.#submitted = trials.length;
    for (const trial of trials) this.#count(trial);
    return { kind: "resumed", trials: trials.length, diverged, best: this.#best };
  }

  /** Records of the measurer, in the log before they come out. */
  results(signal: AbortSignal): AsyncIterable<MeasureRecord> {
    const { log, measurer, task } = this.#o;
    const known = new Map<ProgramDigest, KnownResult>();
    for (const { program, sequence, duplicateOf, result } of log?.trials ?? [])
      if (program && duplicateOf === undefined) known.set(program, { sequence, result });
    const asked = refusingTask(measurer, `${task.name} ${JSON.stringify(task.args)}`);
    return recording(dedupe(asked, known), (record) => this.#keep(record)).measure(this.#feed, { signal });
  }

  /**
   * Submits until `inFlight` are outstanding or nothing is left, and then ends the feed. Configs that do not instantiate land at
   * once.
   */
  async *refill(signal: AbortSignal): AsyncGenerator<TuneEvent> {
    this.#stopped ??= this.#stopsNow();
    while (!this.#stopped && this.#submitted < this.#o.trials && this.#outstanding.size < this.#o.inFlight) {
      signal.throwIfAborted();
      const proposal = this.#backlog.shift() ?? (await this.#ask());
      if (proposal) {
        const refused = this.#submit(proposal);
        if (refused) {
          await this.#keep(refused);
          yield this.land(refused);
        }
      } else if (this.#tuner.exhausted || this.#outstanding.size > 0) break;
      await turn();
    }
    const nothingLeft = this.#tuner.exhausted && this.#backlog.length === 0;
    if (this.#stopped || this.#submitted >= this.#o.trials || nothingLeft) this.#feed.close();
  }

  #stopsNow(): StopReason | undefined {
    return stopReason(this.#o.stop ?? {}, {
      wallSeconds: (this.#o.clock.monotonic() - this.#startedMs) / 1000,
      deviceSeconds: this.#deviceMs / 1000,
      sinceBest: this.#told - this.#toldAtBest,
    });
  }

  /** No more inputs: whoever still reads the feed ends. */
  close(): void {
    this.#feed.close();
  }

  async #ask(): Promise<Proposal | undefined> {
    await this.#tuner.prepare?.();
    const [index] = this.#tuner.ask(1);
    return index === undefined ? undefined : { sequence: ++this.#asked, told: this.#told, index };
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
    const taken = this.#feed.tryPush({ sequence, program, reference: task.reference });
    invariant(taken, "the feed holds as many inputs as may be outstanding");
    return undefined;
  }

  #keep(record: MeasureRecord): Promise<void> {
    const { log } = this.#o;
    if (!log) return Promise.resolve();
    return record.sequence === defaultSequence ? log.appendDefault(record.result) : log.append(this.#trialOf(record));
  }

  /** Takes a result in and says so. */
  land(record: MeasureRecord): TuneEvent {
    if (record.sequence === defaultSequence) {
      this.#default = { result: record.result, score: this.#score(record.result) };
      return { kind: "default", ...this.#default };
    }
    const trial = this.#trialOf(record);
    this.#outstanding.delete(record.sequence);
    if (trial.program && trial.duplicateOf === undefined) this.#measured++;
    this.#tuner.tell([this.#measuredOf(trial)]);
    this.#count(trial);
    const score = this.#score(trial.result);
    return { kind: "trial", trial, score, best: this.#best, done: this.#told, errors: { ...this.#errors } };
  }

  #trialOf({ sequence, result, duplicateOf }: MeasureRecord): TrialRecord {
    const outstanding = this.#outstanding.get(sequence);
    invariant(outstanding, `a result for sequence ${sequence}, which is not outstanding`);
    const { proposal, program } = outstanding;
    const { space } = this.#o.task;
    return {
      run: this.#identity,
      session: this.#o.session,
      sequence,
      told: proposal.told,
      config: configToJson(space, space.get(proposal.index)),
      ...(program ? { program: program.digest } : {}),
      ...(duplicateOf === undefined ? {} : { duplicateOf }),
      options: this.#o.options,
      result,
    };
  }

  #measuredOf(trial: TrialRecord): Measured {
    return { index: this.#o.task.space.toIndex(trial.config.index), outcome: outcomeOf(trial.result) };
  }

  #count(trial: TrialRecord): void {
    this.#told++;
    if (trial.duplicateOf === undefined) this.#deviceMs += trial.result.runMs;
    const name = measureErrorName(trial.result.kind === "timed" ? measureErrorNo.NO_ERROR : trial.result.errorNo);
    this.#errors[name] = (this.#errors[name] ?? 0) + 1;
    if (trial.result.kind === "failed") this.#countFailure(name, trial.result);
    const score = this.#score(trial.result);
    if (!score) return;
    this.#keepCandidate(trial, score.seconds);
    if (this.#best === undefined || score.seconds < this.#best.seconds) {
      this.#runnerUp = this.#best;
      this.#best = { ...score, trial };
      this.#toldAtBest = this.#told;
    } else if (trial.duplicateOf === undefined && !(this.#runnerUp && this.#runnerUp.seconds <= score.seconds))
      this.#runnerUp = { ...score, trial };
  }

  #keepCandidate(trial: TrialRecord, seconds: Seconds): void {
    const { program, config } = trial;
    const there = program && this.#timed.get(program);
    if (!program || (there && there.index < config.index)) return;
    this.#timed.set(program, { index: config.index, program, seconds, trial, bytes: () => this.#programOf(config.index) });
  }

  #programOf(index: number): ProgramBytes {
    const { task } = this.#o;
    const instance = task.instantiate(task.space.toIndex(index));
    invariant(instance.ok, "a config that was timed makes a program");
    return instance.value.program;
  }

  /** Measures the fastest again in turns, unless the log says how that went; the winner is the best from then on. */
  async *finals(signal: AbortSignal): AsyncGenerator<TuneEvent> {
    const { finalists, log, task } = this.#o;
    if (!finalists) return;
    signal.throwIfAborted();
    this.#searchedMs = this.#o.clock.monotonic();
    const leaders = fastestOf(this.#timed.values(), finalists.count);
    const known = log?.finals;
    if (known && isOf(known, leaders, finalists))
      this.#finals = { kind: "judged", finals: known, verdict: judgeFinals(known), notes: [] };
    else {
      if (leaders.length > 1) yield { kind: "finalists", indices: leaders.map(({ index }) => index) };
      this.#finals = await measureFinals(leaders, task.reference, finalists, { signal });
      if (this.#finals.kind === "judged") await log?.appendFinals(this.#identity, this.#finals.finals);
    }
    this.#crown(this.#finals);
  }

  /** What failed when it was measured again is no best. */
  #crown(outcome: FinalsOutcome): void {
    const isOut = new Set((outcome.kind === "judged" ? outcome.finals : outcome).failed.map(({ program }) => program));
    const left = [...this.#timed.values()].filter(({ program }) => !isOut.has(program));
    const bestOf = (program: ProgramDigest | undefined, seconds: Seconds = 0): Best | undefined => {
      const trial = program && this.#timed.get(program)?.trial;
      return trial && { seconds, gflops: this.#gflops(seconds), trial };
    };
    const [winner, next] =
      outcome.kind === "judged"
        ? [outcome.verdict.winner, outcome.verdict.runnerUp].map(({ index, seconds }) =>
            bestOf(outcome.finals.finalists.find((each) => each.index === index)?.program, seconds.estimate),
          )
        : fastestOf(left, 2).map(({ program, seconds }) => bestOf(program, seconds));
    this.#best = winner;
    this.#runnerUp = next;
  }

  #countFailure(error: MeasureErrorName, { rule, message }: FailedResult): void {
    const kind = `${error} ${rule ?? ""}`;
    const before = this.#failures.get(kind) ?? { error, rule, count: 0, message };
    this.#failures.set(kind, { ...before, count: before.count + 1 });
  }

  #score(result: MeasureResult): Scored | undefined {
    if (result.kind === "failed") return undefined;
    const seconds = medianSeconds(result.costs);
    return { seconds, gflops: this.#gflops(seconds) };
  }

  #gflops(seconds: Seconds): number {
    return this.#o.task.flops / seconds / 1e9;
  }

  summary(): TuneSummary {
    const wallSeconds = ((this.#searchedMs ?? this.#o.clock.monotonic()) - this.#startedMs) / 1000;
    const ended = this.#told >= this.#o.trials ? "trials" : (this.#stopped ?? "exhausted");
    const reason = this.#o.signal.aborted ? "aborted" : ended;
    return {
      reason,
      trials: this.#told,
      measured: this.#measured,
      errors: { ...this.#errors },
      failures: [...this.#failures.values()].sort((a, b) => b.count - a.count),
      best: this.#best,
      runnerUp: this.#runnerUp,
      ...(this.#finals ? { finals: this.#finals } : {}),
      default: this.#default,
      wallSeconds,
      trialsPerSecond: wallSeconds > 0 ? this.#measured / wallSeconds : 0,
    };
  }
}

function outcomeOf(result: MeasureResult): Outcome {
  if (result.kind === "timed") return { kind: "timed", seconds: medianSeconds(result.costs) };
  return { kind: result.errorNo === measureErrorNo.UNKNOWN_ERROR ? "skipped" : "failed" };
}
