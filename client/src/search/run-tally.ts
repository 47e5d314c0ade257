/** The results of a tuning run (session.ts): counts, failures, the fastest programs and their finals. */
import {
  defined,
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
import { bestOfLog, kindOfLogged, type LogRecord, ofOneKind, type TrialRecord } from "@warpfarm/records/logs";
import type { Entity, Finals } from "@warpfarm/records/suites";
import { type Candidate, fastestOf } from "./finalists.ts";
import type { Best, Failures, FinalsOutcome, Scored, TuneSummary } from "./tune-events.ts";

export type Default = NonNullable<TuneSummary["default"]>;

export class RunTally {
  readonly #flops: number;
  readonly #programOf: (config: Entity) => ProgramBytes;
  readonly #errors: Partial<Record<MeasureErrorName, number>> = {};
  readonly #failures = new Map<string, Failures>();
  /** One entry for each timed program, of the config that was measured. */
  readonly #timed = new Map<ProgramDigest, Candidate>();
  readonly #measured: LogRecord[] = [];
  #told = 0;
  #deviceMs = 0;
  /** Trials that ended early. */
  #slower = 0;
  #best: Best | undefined;
  #toldAtBest = 0;
  readonly #bestAfter: Seconds[] = [];
  #default: Default | undefined;

  /** `flops`: of one run of the task's computation. `programOf`: the program of a config that was timed. */
  constructor(flops: number, programOf: (config: Entity) => ProgramBytes) {
    this.#flops = flops;
    this.#programOf = programOf;
  }

  get told(): number {
    return this.#told;
  }
  /** Whether there is a result of the default schedule and of a trial. */
  get hasBegun(): boolean {
    return this.#default !== undefined && this.#told > 0;
  }
  get sinceBest(): number {
    return this.#told - this.#toldAtBest;
  }
  /** The best time after each result; Infinity while there is none. */
  get bestAfter(): readonly Seconds[] {
    return this.#bestAfter;
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
  get defaultSeconds(): Seconds | undefined {
    return this.#default?.score?.seconds;
  }

  /** `isKnown`: this space has the config. The time of another one is ignored. */
  count(trial: TrialRecord, isKnown = true): void {
    const { result, duplicateOf } = trial;
    this.#told++;
    if (duplicateOf === undefined) this.#deviceMs += result.runMs;
    const name = measureErrorName(result.kind === "failed" ? result.errorNo : measureErrorNo.NO_ERROR);
    this.#errors[name] = (this.#errors[name] ?? 0) + 1;
    if (result.kind === "failed") this.#countFailure(name, result);
    if (result.kind === "slower") this.#slower++;
    const score = isKnown ? this.score(result) : undefined;
    if (score) this.#keep(trial, score);
    this.#bestAfter.push(this.#best?.seconds ?? Number.POSITIVE_INFINITY);
  }

  #keep(trial: TrialRecord, score: Scored): void {
    this.#keepCandidate(trial, score.seconds);
    this.#measured.push({ kind: "warpfarm", trial });
    if (this.#best !== undefined && score.seconds >= this.#best.seconds) return;
    this.#best = { ...score, trial };
    this.#toldAtBest = this.#told;
  }

  #countFailure(error: MeasureErrorName, { rule, message }: FailedResult): void {
    const kind = `${error} ${rule ?? ""}`;
    const before = this.#failures.get(kind) ?? { error, rule, count: 0, message };
    this.#failures.set(kind, { ...before, count: before.count + 1 });
  }

  #keepCandidate(trial: TrialRecord, seconds: Seconds): void {
    const { program } = trial;
    const config = trial.config.entity;
    if (!program || this.#timed.has(program)) return;
    this.#timed.set(program, { config, program, seconds, bytes: () => this.#programOf(config) });
  }

  /** The fastest programs so far, the fastest first. */
  fastest(count: number): readonly Candidate[] {
    return fastestOf(this.#timed.values(), count);
  }

  /**
   * The best of the search and the runner-up, by the rule of its log (best.ts of records). A finalist that failed when it was
   * measured again cannot be the best.
   */
  #crown(finals: readonly Finals[]): Pick<TuneSummary, "best" | "runnerUp"> {
    const found = bestOfLog(ofOneKind(this.#measured, kindOfLogged), finals);
    const secondsOf = (at: "winner" | "runnerUp", median: Seconds): Seconds =>
      found?.rounds?.verdict[at].seconds.estimate ?? median;
    const { best, runnerUp } = found ?? {};
    return {
      best: best && this.#bestOf(best.nearest.of, secondsOf("winner", best.seconds)),
      runnerUp: runnerUp && this.#bestOf(runnerUp.nearest.of, secondsOf("runnerUp", runnerUp.seconds)),
    };
  }

  #bestOf({ kind, trial }: LogRecord, seconds: Seconds): Best | undefined {
    return kind === "warpfarm" ? { seconds, gflops: this.#gflops(seconds), trial } : undefined;
  }

  score(result: MeasureResult): Scored | undefined {
    if (result.kind !== "timed") return undefined;
    const seconds = medianSeconds(result.costs);
    return { seconds, gflops: this.#gflops(seconds) };
  }

  #gflops(seconds: Seconds): number {
    return this.#flops / seconds / 1e9;
  }

  /** `finals`: all of the log and of this run. `outcome`: of this run's finalists; undefined where none were measured. */
  summary(
    finals: readonly Finals[],
    outcome: FinalsOutcome | undefined,
  ): Pick<TuneSummary, "trials" | "errors" | "slower" | "failures" | "best" | "runnerUp" | "finals" | "default" | "speedUp"> {
    const crowned = this.#crown(finals);
    return {
      trials: this.#told,
      errors: this.errors,
      slower: this.#slower,
      failures: [...this.#failures.values()].sort((a, b) => b.count - a.count),
      ...crowned,
      ...defined({ finals: outcome }),
      ...this.#againstDefault(crowned.best, outcome),
    };
  }

  /** By the rounds in which both were measured, or else the default's time of the search alone. */
  #againstDefault(best: Best | undefined, outcome: FinalsOutcome | undefined): Pick<TuneSummary, "default" | "speedUp"> {
    if (outcome?.kind !== "judged" || this.#default === undefined) return { default: this.#default };
    const { finals, verdict } = outcome;
    const winner = finals.finalists[verdict.winner.at]?.program;
    if (verdict.default === undefined || winner !== best?.trial.program) return { default: this.#default };
    const seconds = verdict.default.seconds.estimate;
    const score = { seconds, gflops: this.#gflops(seconds) };
    return { default: { result: this.#default.result, score }, speedUp: verdict.default.ratio };
  }
}
