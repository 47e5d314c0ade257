/** What a log holds: trials of ours with everything known about them, and trials that AutoTVM wrote. */
import {
  type Json,
  type MeasureErrorNo,
  type MeasureOptions,
  type MeasureResult,
  medianSeconds,
  type ProgramDigest,
  type Seconds,
} from "@warpfarm/common";
import { noTime, noTimeRule } from "../measured-time.ts";
import type { ConfigJson, RecordResult } from "../tuning-record.ts";

/** What a run searches, and how: the same for every line of a log, or the log is not resumed. */
export interface RunIdentity {
  readonly task: string;
  readonly args: readonly Json[];
  readonly target: string;
  readonly tuner: string;
  readonly seed: number;
}

export interface TrialRecord {
  readonly run: RunIdentity;
  /** The process that measured it; a resumed run has another. */
  readonly session: string;
  /** Position in the tuner's proposals, from 1. */
  readonly sequence: number;
  /** Results the tuner had been told when it proposed this config: with `sequence`, enough to replay it. */
  readonly told: number;
  readonly config: ConfigJson;
  /** Absent when the config did not instantiate. */
  readonly program?: ProgramDigest;
  /** Sequence of the trial with the same program whose result this is; absent when it was measured itself. */
  readonly duplicateOf?: number;
  readonly options: MeasureOptions;
  readonly result: MeasureResult;
  /** How long its suite had been searched when the result came, for a suite that a farm keeps. */
  readonly searchedMs?: number;
}

/** A line that AutoTVM wrote, 0.1 or 0.2. Costs are as logged; a failure has none. */
export interface AutotvmRecord {
  readonly task: string;
  readonly args: readonly Json[];
  /** TVM's target text; its spelling changes from release to release. */
  readonly targetText: string;
  readonly config: ConfigJson;
  readonly costs: readonly Seconds[];
  readonly errorNo: MeasureErrorNo;
  /** Why the line's costs are no times of a run; it is a failure then. */
  readonly noTime?: string;
  /** Seconds of building and running. */
  readonly allCost: Seconds;
  /** Unix time in seconds. */
  readonly timestamp: Seconds;
  readonly tvmVersion: string;
  /** Data that a record has no field for, to write the line again: costs of a failure, and fields of version 0.1. */
  readonly more: { readonly [name: string]: Json };
}

export type LogRecord =
  | { readonly kind: "warpfarm"; readonly trial: TrialRecord }
  | { readonly kind: "autotvm"; readonly trial: AutotvmRecord };

export const taskOf = ({ kind, trial }: LogRecord): Pick<AutotvmRecord, "task" | "args"> =>
  kind === "warpfarm" ? trial.run : trial;

/** The score: median of our costs, mean of AutoTVM's (it has dropped the extremes already); undefined for a failure. */
export function secondsOf(record: LogRecord): Seconds | undefined {
  if (record.kind === "warpfarm")
    return record.trial.result.kind === "timed" ? medianSeconds(record.trial.result.costs) : undefined;
  const { costs, errorNo } = record.trial;
  return errorNo === 0 && costs.length > 0 ? costs.reduce((a, b) => a + b, 0) / costs.length : undefined;
}

/** Why a record is a failure though its file says otherwise; as the result of a record. */
export function noTimeOf({ kind, trial }: LogRecord): RecordResult {
  if (kind === "autotvm") return trial.noTime === undefined ? valid : noTime(trial.noTime);
  const { result } = trial;
  return result.kind === "failed" && result.rule === noTimeRule ? noTime(result.message) : valid;
}
const valid: RecordResult = { kind: "timed", costs: [] };
