/** What a tuning run (session.ts) knows of its results: counts, failures, the fastest programs and their finals. */
import {
  type FailedResult,
  type MeasureErrorName,
  type MeasureResult,
  measureErrorName,
  measureErrorNo,
  medianSeconds,
  type ProgramBytes,
  type ProgramDigest,
  type Seconds,
} from "@warpfarm/common";
import type { TrialRecord } from "@warpfarm/records/logs";
import { type Entity, finalistNamed, nameOfConfig } from "@warpfarm/records/suites";
import { type Candidate, type FinalsOutcome, fastestOf } from "./finalists.ts";
import type { Best, Failures, Scored, TuneSummary } from "./tune-events.ts";

export type Default = NonNullable<TuneSummary["default"]>;

export class RunTally {
  readonly #flops: number;
  readonly #programOf: (config: Entity) => ProgramBytes;
  readonly #errors: Partial<Record<MeasureErrorName, number>> = {};
  readonly #failures = new Map<string, Failures>();
  /** One entry for each timed program; of configs with equal programs the first by name. */
  readonly #timed = new Map<ProgramDigest, Candidate & { readonly trial: TrialRecord }>();
  #told = 0;
  #deviceMs = 0;
  #knownFailures = 0;
  #best: Best | undefined;
  #runnerUp: Best | undefined;
  /** Trials with a result when the best one came. */
  #toldAtBest = 0;
  #default: Default | undefined;
  #finals: FinalsOutcome | undefined;

  /** `flops`: of one run of the task's computation. `programOf`: the program of a config that was timed. */
  constructor(flops: number, programOf: (config: Entity) => ProgramBytes) {
    this.#flops = flops;
    this.#programOf = programOf;
  }

  /** Trials with a result. */
  get told(): number {
    return this.#told;
  }
  get sinceBest(): number {
    return this.#told - this.#toldAtBest;
  }
  get deviceSeconds(): number {
    return this.#deviceMs / 1000;
  }
  get best(): Best | undefined {
    return this.#best;
  }
  get errors(): TuneSummary["errors"] {
    return { ...this.#errors };
  }

  setDefault(result: MeasureResult): Default {
    this.#default = { result, score: this.score(result) };
    return this.#default;
  }

  /** `isKnown`: this space has the config. The time of another one counts for nothing. */
  count(trial: TrialRecord, isKnown = true): void {
    const { result, duplicateOf } = trial;
    this.#told++;
    if (duplicateOf === undefined) this.#deviceMs += result.runMs;
    if (result.attempt === 0) this.#knownFailures++;
    const name = measureErrorName(result.kind === "timed" ? measureErrorNo.NO_ERROR : result.errorNo);
    this.#errors[name] = (this.#errors[name] ?? 0) + 1;
    if (result.kind === "failed") this.#countFailure(name, result);
    const score = this.score(result);
    if (!score || !isKnown) return;
    this.#keepCandidate(trial, score.seconds);
    if (this.#best === undefined || score.seconds < this.#best.seconds) {
      this.#runnerUp = this.#best;
      this.#best = { ...score, trial };
      this.#toldAtBest = this.#told;
    } else if (duplicateOf === undefined && !(this.#runnerUp && this.#runnerUp.seconds <= score.seconds))
      this.#runnerUp = { ...score, trial };
  }

  #countFailure(error: MeasureErrorName, { rule, message }: FailedResult): void {
    const kind = `${error} ${rule ?? ""}`;
    const before = this.#failures.get(kind) ?? { error, rule, count: 0, message };
    this.#failures.set(kind, { ...before, count: before.count + 1 });
  }

  #keepCandidate(trial: TrialRecord, seconds: Seconds): void {
    const { program } = trial;
    const config = trial.config.entity;
    const there = program && this.#timed.get(program);
    if (!program || (there && nameOfConfig(there.config) < nameOfConfig(config))) return;
    this.#timed.set(program, { config, program, seconds, trial, bytes: () => this.#programOf(config) });
  }

  /** The fastest programs so far, the fastest first. */
  fastest(count: number): readonly Candidate[] {
    return fastestOf(this.#timed.values(), count);
  }

  /** The winner of the finals becomes the best. A finalist that failed cannot be the best. */
  crown(outcome: FinalsOutcome): void {
    this.#finals = outcome;
    const isOut = new Set((outcome.kind === "judged" ? outcome.finals : outcome).failed.map(({ program }) => program));
    const left = [...this.#timed.values()].filter(({ program }) => !isOut.has(program));
    const [winner, next] =
      outcome.kind === "judged"
        ? [outcome.verdict.winner, outcome.verdict.runnerUp].map(({ name, seconds }) =>
            this.#bestOf(finalistNamed(outcome.finals, name)?.program, seconds.estimate),
          )
        : fastestOf(left, 2).map(({ program, seconds }) => this.#bestOf(program, seconds));
    this.#best = winner;
    this.#runnerUp = next;
  }

  #bestOf(program: ProgramDigest | undefined, seconds: Seconds = 0): Best | undefined {
    const trial = program && this.#timed.get(program)?.trial;
    return trial && { seconds, gflops: this.#gflops(seconds), trial };
  }

  score(result: MeasureResult): Scored | undefined {
    if (result.kind === "failed") return undefined;
    const seconds = medianSeconds(result.costs);
    return { seconds, gflops: this.#gflops(seconds) };
  }

  #gflops(seconds: Seconds): number {
    return this.#flops / seconds / 1e9;
  }

  summary(): Pick<TuneSummary, "trials" | "errors" | "knownFailures" | "failures" | "best" | "runnerUp" | "finals" | "default"> {
    return {
      trials: this.#told,
      errors: this.errors,
      knownFailures: this.#knownFailures,
      failures: [...this.#failures.values()].sort((a, b) => b.count - a.count),
      best: this.#best,
      runnerUp: this.#runnerUp,
      ...(this.#finals ? { finals: this.#finals } : {}),
      default: this.#default,
    };
  }
}
