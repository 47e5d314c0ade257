/** Events of a tuning run (session.ts), and its summary. */
import type { Interval, MeasureErrorName, MeasureResult, Seconds } from "@warpfarm/common";
import type { TrialRecord } from "@warpfarm/records/logs";
import type { Entity, Finals, FinalsVerdict } from "@warpfarm/records/suites";
import type { StopReason } from "../tuner/stop-rules.ts";

export interface Scored {
  readonly seconds: Seconds;
  readonly gflops: number;
}
export interface Best extends Scored {
  readonly trial: TrialRecord;
}

/** Trials with the same failure. */
export interface Failures {
  readonly error: MeasureErrorName;
  readonly rule: string | undefined;
  readonly count: number;
  /** The message of the first of them. */
  readonly message: string;
}

export interface TuneSummary {
  /** `parked`: not over; it continues from its log (Pace.isParked). */
  readonly reason: "trials" | "exhausted" | "aborted" | "parked" | StopReason;
  readonly trials: number;
  /** Trials of this run that were measured and not answered by an equal program. */
  readonly measured: number;
  readonly errors: Readonly<Partial<Record<MeasureErrorName, number>>>;
  /** Trials that ended early, because the best so far is surely faster. */
  readonly slower: number;
  /** By error and rule, the most frequent first. */
  readonly failures: readonly Failures[];
  readonly best: Best | undefined;
  readonly runnerUp: Best | undefined;
  /**
   * The verdict on the fastest when they were measured again, interleaved; `best` is then the winner. Absent when nobody asked.
   */
  readonly finals?: FinalsOutcome;
  /** `score`: by the rounds of the finalists, where it was measured in them. */
  readonly default: { readonly result: MeasureResult; readonly score: Scored | undefined } | undefined;
  /** The default's time divided by the best's, in the rounds of the finalists. Absent where they share none. */
  readonly speedUp?: Interval;
  /** Of the search, without its finals. */
  readonly wallSeconds: number;
  readonly trialsPerSecond: number;
}

export type TuneEvent =
  /**
   * First, when the log had trials. `diverged`: those that the tuner would not propose today. `strange`: those whose config is
   * not in this space, or not allowed there.
   */
  | {
      readonly kind: "resumed";
      readonly trials: number;
      readonly diverged: number;
      readonly strange: number;
      readonly best: Best | undefined;
    }
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
  | { readonly kind: "finalists"; readonly configs: readonly Entity[] }
  /** The last event, unless the stream throws. */
  | { readonly kind: "finished"; readonly summary: TuneSummary };

export type FinalsOutcome =
  | { readonly kind: "judged"; readonly finals: Finals; readonly verdict: FinalsVerdict; readonly notes: readonly string[] }
  /** `failed`: finalists that are known to have failed nevertheless. */
  | { readonly kind: "skipped"; readonly why: string; readonly failed: Finals["failed"] };
