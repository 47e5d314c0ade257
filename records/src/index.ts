/** The public face of records, listed by hand: the record, its store, logs and formats. */
export { chooseBest, tieRule } from "./best.ts";
export { failureExpiresMs } from "./failure-cache.ts";
export { defaultPage, longestPage } from "./filter.ts";
export { decodeLine, encodeTrial } from "./log/autotvm-line.ts";
export { measuredFields, recordOfLog, recordOfTrial } from "./log/from-log.ts";
export { openLogs } from "./log/log-folder.ts";
export { encodeNote, type Log, readLog } from "./log/read-log.ts";
export {
  type AutotvmRecord,
  bestOf,
  type LogRecord,
  type RunIdentity,
  secondsOf,
  type TrialRecord,
  taskOf,
} from "./log/record.ts";
export {
  deviceSchema,
  optionsFromJson,
  optionsSchema,
  optionsToJson,
  resultFromJson,
  resultSchema,
  resultToJson,
} from "./log/result-json.ts";
export { autotvmTarget, targetOfAutotvm } from "./log/target-text.ts";
export { encodeRecord, recordFromJson, recordToJson } from "./record-json.ts";
export { dropInInbox, inboxOf } from "./store/inbox.ts";
export { hasLocalRecords, type OpenLocalOptions, openLocalRecords } from "./store/local.ts";
export { MemoryStore } from "./store/memory.ts";
export { recordsSchema } from "./store/schema.ts";
export { insertRecords, type Sql, SqlStore, type SqlStoreOptions } from "./store/sql-store.ts";
export type {
  BestQuery,
  BestRecord,
  Contender,
  FailureQuery,
  RecordFilter,
  RecordOrder,
  RecordPage,
  RecordQuery,
  RecordStore,
  RetentionRules,
  StoreCall,
} from "./store.ts";
export { recordOrders } from "./store.ts";
export {
  type ConfigJson,
  kernelOf,
  problemOf,
  type RecordConfig,
  type RecordDevice,
  type RecordOrigin,
  type RecordResult,
  type RecordSearch,
  secondsOfRecord,
  sharedPart,
  type TuningRecord,
} from "./tuning-record.ts";
