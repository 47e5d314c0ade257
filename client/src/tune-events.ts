/** What a tuning run (session.ts) tells while it lasts, and what it comes to. */
import type { MeasureErrorName, MeasureResult, Seconds } from "@warpfarm/common";
import type { TrialRecord } from "@warpfarm/records/logs";
import type { FinalsOutcome } from "./finalists.ts";
import type { AheadCounts } from "./search-ahead.ts";
import type { StopReason } from "./tuner/stop-rules.ts";

export interface Scored {
  readonly seconds: Seconds;
  readonly gflops: number;
}
export interface Best extends Scored {
  readonly trial: TrialRecord;
}

/** Trials that failed alike. */
export interface Failures {
  readonly error: MeasureErrorName;
  readonly rule: string | undefined;
  readonly count: number;
  /** What the first of them says. */
  readonly message: string;
}

export interface TuneSummary {
  /** `parked`: not over; it goes on from its log (Pace.isParked). */
  readonly reason: "trials" | "exhausted" | "aborted" | "parked" | StopReason;
  /** Trials with a result, those of a resumed log included. */
  readonly trials: number;
  /** Of them, trials of this run that were measured, not answered by an equal program. */
  readonly measured: number;
  readonly errors: Readonly<Partial<Record<MeasureErrorName, number>>>;
  /** Of these, trials that records of the farm said had failed, which were not measured. */
  readonly knownFailures: number;
  /** Of each error and rule, the most frequent first. */
  readonly failures: readonly Failures[];
  readonly best: Best | undefined;
  /** The fastest of the other programs, or of the other finalists. */
  readonly runnerUp: Best | undefined;
  /** How the fastest were judged when they were measured again in turns; then `best` is the winner. Absent when nobody asked. */
  readonly finals?: FinalsOutcome;
  readonly default: { readonly result: MeasureResult; readonly score: Scored | undefined } | undefined;
  /** Configs built for what compilers say of them; absent when the search had none. */
  readonly ahead?: AheadCounts;
  /** Of the search, without its finals. */
  readonly wallSeconds: number;
  readonly trialsPerSecond: number;
}

export type TuneEvent =
  /** First, when the log had trials. `diverged`: those the tuner would not propose today. */
  | { readonly kind: "resumed"; readonly trials: number; readonly diverged: number; readonly best: Best | undefined }
  | { readonly kind: "default"; readonly result: MeasureResult; readonly score: Scored | undefined }
  | {
      readonly kind: "trial";
      readonly trial: TrialRecord;
      readonly score: Scored | undefined;
      readonly best: Best | undefined;
      /** Trials with a result so far, of `trials`. */
      readonly done: number;
      readonly errors: TuneSummary["errors"];
    }
  /** The search is over; its fastest are measured again in turns. */
  | { readonly kind: "finalists"; readonly indices: readonly number[] }
  /** Last, always, unless the stream throws. */
  | { readonly kind: "finished"; readonly summary: TuneSummary };
