/**
 * A store of records: in a tracker's database, in a local directory, in a folder of logs, or behind a tracker's RecordService.
 * All answer alike (test-support/record-store-contract.ts).
 */
import type { Json, Seconds } from "@warpfarm/common";
import type { PackedRecord } from "./store/rows.ts";
import type { TuningRecord } from "./tuning-record.ts";

/** All that are given must hold. */
export interface RecordFilter {
  readonly ids?: readonly string[];
  readonly task?: string;
  /** Only with a task: all its arguments, in the task's order. */
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
  /** `next` of the previous page of an equal query. */
  readonly cursor?: string;
  /**
   * For a search: no record whose claim is false, and for an admin too only what is verified or shared, and its own. Unset =
   * false.
   */
  readonly believed?: boolean;
}

export interface RecordPage {
  readonly records: readonly TuningRecord[];
  /** Absent on the last page. */
  readonly next?: string;
}

export interface BestQuery {
  readonly task: string;
  readonly args: readonly Json[];
  /** Unset = every kind of device that has records, each for itself. */
  readonly device?: string;
  readonly deviceName?: string;
  /** Unset = measured ones only. */
  readonly origin?: "measured" | "imported" | "any";
  /** Unset = warm. Times with another state of the cache are not comparable. */
  readonly l2?: "warm" | "flushed";
  /** Unset = false: measured records whose output was not compared do not count. */
  readonly unchecked?: boolean;
}

export interface Contender {
  /** The kernel's record whose time is nearest to `seconds`. */
  readonly record: TuningRecord;
  /** Median over the kernel's records. */
  readonly seconds: Seconds;
  readonly measurements: number;
}

/** The best of one kind of device and one computation. Its records never answer for another. */
export interface BestRecord extends Contender {
  readonly device: { readonly key: string; readonly name: string };
  /** Absent where the records do not tell. */
  readonly computation?: string;
  /** Contenders are tied when their times are within this share of the fastest's. */
  readonly noise: number;
  /** The chosen kernel and those tied with it, in the order of the rule. */
  readonly tied: readonly Contender[];
  /** So many kernels were measured interleaved, and their rounds decided; absent where medians did. */
  readonly interleaved?: number;
}

export interface FailureQuery {
  readonly program: string;
  /** Digest of the program with which the output is to be compared; unset: with none. A run's failure is that of both. */
  readonly reference?: string;
  readonly device: string;
  readonly deviceName: string;
  readonly driver?: string;
  /** Those that every builder has with which the program may be built (sharedToolchains of common). */
  readonly toolchains: ReadonlySet<string>;
  /** The limit of the measurement that is asked for. A recorded time-out counts when its limit was at least this long. */
  readonly buildTimeoutMs: number;
  readonly runTimeoutMs: number;
  /** Unset = measured ones only. */
  readonly origin?: "any";
}

export interface RecordStore extends AsyncDisposable {
  /** Durable when it resolves, all or none. Skips records whose id exists. */
  append(records: readonly (TuningRecord | PackedRecord)[]): Promise<Appended>;
  query(query: RecordQuery, o?: StoreCall): Promise<RecordPage>;
  /** By kind of device and computation. */
  best(query: BestQuery, o?: StoreCall): Promise<readonly BestRecord[]>;
  /** All records that pass, the oldest first. Holds a bounded number in memory. */
  export(filter: RecordFilter, o?: StoreCall): AsyncIterable<TuningRecord>;
  /** Resolves with the number of deleted records. Refuses a filter without any condition. */
  delete(filter: RecordFilter): Promise<number>;
  /** A recorded verdict that replaces a measurement; see failure-cache.ts. */
  failure(query: FailureQuery, o?: StoreCall): Promise<TuningRecord | undefined>;
  /** Deletes what the rules do not keep, and resolves with the number. */
  prune(rules: RetentionRules): Promise<number>;
  /** For admins of a farm: everybody reads the records that pass, besides private ones. Resolves with the number of new ones. */
  share(filter: RecordFilter): Promise<number>;
}

export interface Appended {
  readonly added: number;
  /** Records that were there before, word for word. */
  readonly existed: number;
  /** Ids that are there with another content, which stays. */
  readonly conflicts: readonly string[];
}

/** What is kept at `nowMs`. The best `keepBest` of each task and kind of device always are. */
export interface RetentionRules {
  readonly nowMs: number;
  /** Deletes failures, or all records, older than this. */
  readonly failuresMs?: number;
  readonly ageMs?: number;
  /** The most records; the oldest go. */
  readonly most?: number;
  /** Unset = 10. */
  readonly keepBest?: number;
}

export interface StoreCall {
  readonly signal?: AbortSignal;
  /** Told how many records of others wait for verification by a builder that the answer would have. Of a tracker's store. */
  readonly waiting?: (records: number) => void;
}
