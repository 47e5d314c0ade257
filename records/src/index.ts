/** The public face of records, listed by hand: the record, its stores and formats. Tuning logs are in logs.ts. */
export {
  bestOf,
  chooseBest,
  conditionsOfRecord,
  conditionWords,
  kindOf,
  mostNoise,
  ofOneKind,
  type Timed,
  tieRule,
  timedOf,
} from "./best.ts";
export {
  type Claim,
  type Claimed,
  claimedFromJson,
  claimName,
  claimOf,
  claimSchema,
  computationOf,
  firstStanding,
} from "./claim.ts";
export { changes, diffRecords, type RecordDiff } from "./diff.ts";
export { defaultPage, longestPage, passes } from "./filter.ts";
export {
  appendAll,
  type Reading,
  readRecords,
  recordForms,
  recordsIn,
  type Skipped,
  type Told,
  writeRecords,
} from "./formats/files.ts";
export { t1Of } from "./formats/t4.ts";
export { groupBy } from "./group-by.ts";
export { type IndexedText, indexedText } from "./indexed-texts.ts";
export { measuredFields, recordOfLog, recordOfTrial, recordsOfFinals } from "./log/from-log.ts";
export { openLogs } from "./log/log-folder.ts";
export { type NearestCall, nearestBest, type Suggestion, shapeDistance } from "./nearest.ts";
export {
  decodeRecord,
  encodeAsRead,
  encodeRecord,
  entityFromJson,
  type RecordJson,
  recordAsRead,
  recordFromJson,
  recordToJson,
} from "./record-json.ts";
export { everybody, isShared, type Standing, type StandingNo, standings, standingText } from "./standing.ts";
export { engineWords } from "./store/engine-words.ts";
export { dropInInbox, inboxOf } from "./store/inbox.ts";
export { insertRecords } from "./store/insert.ts";
export { hasLocalRecords, type OpenLocalOptions, openLocalRecords } from "./store/local.ts";
export { MemoryStore } from "./store/memory.ts";
export type { Offered } from "./store/offered.ts";
export { forgetStatistics, packStore } from "./store/pack-store.ts";
export { PackedRecord, usable, useOf } from "./store/rows.ts";
export { recordsSchema } from "./store/schema.ts";
export type { RecordViewer } from "./store/spaces.ts";
export type { Sql } from "./store/sql.ts";
export { SqlStore, type SqlStoreOptions } from "./store/sql-store.ts";
export type {
  Appended,
  BestQuery,
  BestRecord,
  Contender,
  RecordFilter,
  RecordOrder,
  RecordOutcome,
  RecordPage,
  RecordQuery,
  RecordStore,
  RetentionRules,
  StoreCall,
} from "./store.ts";
export { recordOrders, recordOutcomes } from "./store.ts";
export {
  type ConfigJson,
  kernelOf,
  keyOf,
  problemOf,
  type RecordConfig,
  type RecordDevice,
  type RecordOrigin,
  type RecordResult,
  type RecordSearch,
  secondsOfRecord,
  sharedPart,
  type TuningRecord,
  winnersTuner,
} from "./tuning-record.ts";
