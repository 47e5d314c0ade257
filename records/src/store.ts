/**
 * A store of records, wherever it is: in a tracker's database, in a local directory, in a folder of logs, behind a tracker's
 * RecordService. All of them answer alike (test-support/record-store-contract.ts).
 */
import type { Json, Seconds } from "@warpfarm/common";
import type { TuningRecord } from "./tuning-record.ts";

/** All that are given must hold. */
export interface RecordFilter {
  readonly ids?: readonly string[];
  readonly task?: string;
  /** With a task only; all of them, as the task has them. */
  readonly args?: readonly Json[];
  readonly template?: string;
  /** Match key, `cuda/sm_90`. */
  readonly device?: string;
  /** Of the model, whole. */
  readonly deviceName?: string;
  readonly target?: string;
  /** Digest. */
  readonly program?: string;
  readonly session?: string;
  /** Principal. */
  readonly by?: string;
  readonly outcome?: "timed" | "failed";
  readonly origin?: "measured" | "imported";
  /** Unix time: not before, and before. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

export const recordOrders = ["newest", "oldest", "fastest"] as const;
/** `fastest` leaves failures out. */
export type RecordOrder = (typeof recordOrders)[number];

export interface RecordQuery extends RecordFilter {
  /** Unset = newest. */
  readonly order?: RecordOrder;
  /** 1 to 1000; unset = 100. */
  readonly limit?: number;
  /** `next` of the page before, of a query that is the same otherwise. */
  readonly cursor?: string;
}

export interface RecordPage {
  readonly records: readonly TuningRecord[];
  /** Absent on the last page. */
  readonly next?: string;
}

export interface BestQuery {
  readonly task: string;
  readonly args: readonly Json[];
  /** Unset = every kind of device that there are records of, each for itself. */
  readonly device?: string;
  readonly deviceName?: string;
  /** Unset = measured ones only. */
  readonly origin?: "measured" | "imported" | "any";
  /** Unset = warm: times with another state of the cache are no times of the same. */
  readonly l2?: "warm" | "flushed";
  /** Unset = false: measured ones whose output nobody compared do not count. */
  readonly unchecked?: boolean;
}

export interface Contender {
  /** Of the kernel's records the one whose time is nearest to `seconds`. */
  readonly record: TuningRecord;
  /** Median over the kernel's records. */
  readonly seconds: Seconds;
  readonly measurements: number;
}

/** The best of one kind of device: its records are never another's answer. */
export interface BestRecord extends Contender {
  readonly device: { readonly key: string; readonly name: string };
  /** Contenders are tied when their times are within this part of the fastest's. */
  readonly noise: number;
  /** All that are tied with the fastest, the one chosen among them, by the rule's order. */
  readonly tied: readonly Contender[];
}

export interface FailureQuery {
  readonly program: string;
  readonly device: string;
  readonly deviceName: string;
  readonly driver?: string;
  readonly toolchain?: string;
  /** Of the measurement to be made: a time-out counts when its limit was as long or longer. */
  readonly buildTimeoutMs: number;
  readonly runTimeoutMs: number;
  /** Unset = measured ones only. */
  readonly origin?: "any";
}

export interface RecordStore extends AsyncDisposable {
  /** Durable when it resolves, all or none. Leaves out a record whose id is there; resolves with how many it added. */
  append(records: readonly TuningRecord[]): Promise<number>;
  query(query: RecordQuery, o?: StoreCall): Promise<RecordPage>;
  /** By kind of device. */
  best(query: BestQuery, o?: StoreCall): Promise<readonly BestRecord[]>;
  /** All that pass, the oldest first, a bounded number in memory. */
  export(filter: RecordFilter, o?: StoreCall): AsyncIterable<TuningRecord>;
  /** Resolves with how many went. A filter that nothing is given in is refused. */
  delete(filter: RecordFilter): Promise<number>;
  /** A verdict that stands for a measurement to be made; see failure-cache.ts. */
  failure(query: FailureQuery, o?: StoreCall): Promise<TuningRecord | undefined>;
  /** Deletes what the rules do not keep; resolves with how many went. */
  prune(rules: RetentionRules): Promise<number>;
}

/** What is kept, as of `nowMs`; of the best of each task and kind of device always `keepBest`. */
export interface RetentionRules {
  readonly nowMs: number;
  /** Failures, and everything, older than so. */
  readonly failuresMs?: number;
  readonly ageMs?: number;
  /** At most so many records: the oldest go. */
  readonly most?: number;
  /** Unset = 10. */
  readonly keepBest?: number;
}

export interface StoreCall {
  readonly signal?: AbortSignal;
}
