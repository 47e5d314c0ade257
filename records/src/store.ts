/**
 * A store of records: in a tracker's database, in a local directory, in a folder of logs, or behind a tracker's RecordService.
 */
import type { BestQuery, BestRecord, RecordFilter, RecordPage, RecordQuery } from "./query.ts";
import type { PackedRecord } from "./store/rows.ts";
import type { TuningRecord } from "./tuning-record.ts";

export type {
  BestQuery,
  BestRecord,
  Contender,
  RecordFilter,
  RecordOrder,
  RecordOutcome,
  RecordPage,
  RecordQuery,
} from "./query.ts";
export { recordOrders, recordOutcomes } from "./query.ts";

export interface RecordStore extends AsyncDisposable {
  /** Durable when it resolves, all or none. Skips records whose id exists. */
  append(records: readonly (TuningRecord | PackedRecord)[]): Promise<Appended>;
  query(query: RecordQuery, o?: StoreCall): Promise<RecordPage>;
  best(query: BestQuery, o?: StoreCall): Promise<readonly BestRecord[]>;
  /** All records that pass, the oldest first. Holds a bounded number in memory. */
  export(filter: RecordFilter, o?: StoreCall): AsyncIterable<TuningRecord>;
  delete(filter: RecordFilter): Promise<number>;
  /** Deletes what the rules do not keep, and resolves with the number. */
  prune(rules: RetentionRules): Promise<number>;
  /** For admins of a farm: everybody reads the records that pass, besides private ones. Resolves with the number of new ones. */
  share(filter: RecordFilter): Promise<number>;
}

export interface Appended {
  readonly added: number;
  readonly existed: number;
  /** Ids that exist with another content, which stays. */
  readonly conflicts: readonly string[];
}

/** What is kept at `nowMs`. The best `keepBest` of each task and kind of device always stay. */
export interface RetentionRules {
  readonly nowMs: number;
  /** Deletes failures, or all records, older than this. */
  readonly failuresMs?: number;
  readonly ageMs?: number;
  /** The most records; the oldest go. */
  readonly most?: number;
  /** Unset: 10. */
  readonly keepBest?: number;
}

export interface StoreCall {
  readonly signal?: AbortSignal;
  /**
   * Called with the number of others' records that wait for verification and that the answer would have. For a tracker's store.
   */
  readonly waiting?: (records: number) => void;
}
