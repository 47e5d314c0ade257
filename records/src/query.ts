/** What is asked of records, and answered: types alone, which programs of users see. */
import type { Json, L2State, MeasureOptions, Seconds } from "@warpfarm/common";
import type { TuningRecord } from "./tuning-record.ts";

export type { TuningRecord } from "./tuning-record.ts";

/** `slower`: ended early, with a lower bound in place of a time. */
export const recordOutcomes = ["timed", "slower", "failed"] as const;
export type RecordOutcome = (typeof recordOutcomes)[number];

export interface RecordFilter {
  readonly ids?: readonly string[];
  readonly task?: string;
  /** Only with a task: all its arguments, in the task's order. */
  readonly args?: readonly Json[];
  readonly template?: string;
  readonly device?: string;
  readonly deviceName?: string;
  readonly target?: string;
  readonly program?: string;
  readonly session?: string;
  readonly by?: string;
  readonly outcome?: RecordOutcome;
  readonly origin?: "measured" | "imported";
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

export const recordOrders = ["newest", "oldest", "fastest"] as const;
/** `fastest` leaves failures out. */
export type RecordOrder = (typeof recordOrders)[number];

export interface RecordQuery extends RecordFilter {
  /** Unset: newest. */
  readonly order?: RecordOrder;
  /** 1 to 1000; unset = 100. */
  readonly limit?: number;
  /** `next` of the previous page of an equal query. */
  readonly cursor?: string;
  /** For a search: no record whose claim is false; for an admin only verified or shared records, and its own. Unset: false. */
  readonly believed?: boolean;
}

export interface RecordPage {
  readonly records: readonly TuningRecord[];
  readonly next?: string;
}

/**
 * Times under other conditions are not comparable. Unset = the usual ones: full inputs, bursts, and a warm cache. Of a query: a
 * warm cache and a rotated one, each for itself, since kernels that clients bring are usually judged.
 */
export interface Conditions extends Partial<Pick<MeasureOptions, "inputs" | "power">> {
  readonly l2?: L2State;
}

export interface BestQuery extends Conditions {
  readonly task: string;
  readonly args: readonly Json[];
  /** Unset = every kind of device that has records, each for itself. */
  readonly device?: string;
  readonly deviceName?: string;
  /** Unset = measured ones only. */
  readonly origin?: "measured" | "imported" | "any";
  /** Unset = false: measured records whose output was not compared do not count. */
  readonly unchecked?: boolean;
}

export interface Contender {
  /** The kernel's record whose time is nearest to `seconds`. */
  readonly record: TuningRecord;
  readonly seconds: Seconds;
  readonly measurements: number;
}

/** The best of one kind of device, one computation and one set of conditions. Its records never answer for another. */
export interface BestRecord extends Contender {
  readonly device: { readonly key: string; readonly name: string };
  /** Absent where the records do not tell. */
  readonly computation?: string;
  /** Contenders are tied when their times are within this share of the fastest's. */
  readonly noise: number;
  readonly tied: readonly Contender[];
  /** The number of kernels that were measured interleaved and whose rounds decided; absent where medians did. */
  readonly interleaved?: number;
}
