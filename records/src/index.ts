/** The public face of records, listed by hand: the record, its stores and formats. Tuning logs are in logs.ts. */
export {
  bestOf,
  conditionsOfRecord,
  conditionWords,
  kindOf,
  mostNoise,
  ofOneKind,
  type Timed,
  tieRule,
  timedOf,
} from "./best.ts";
export { type Claim, claimName, claimOf, computationOf } from "./claim.ts";
export { changes, diffRecords, type RecordDiff } from "./diff.ts";
export { passes } from "./filter.ts";
export { appendAll, readRecords, recordedIn, recordForms, type Skipped, type Told, writeRecords } from "./formats/files.ts";
export type { Evaluations } from "./formats/format.ts";
export { t1Of } from "./formats/t4.ts";
export { groupBy } from "./group-by.ts";
export { measuredFields, recordOfLog, recordOfTrial, recordsOfFinals } from "./log/from-log.ts";
export { openLogs } from "./log/log-folder.ts";
export { nearestBest, shapeDistance } from "./nearest.ts";
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
export { dropInInbox } from "./store/inbox.ts";
export { insertRecords } from "./store/insert.ts";
export { hasLocalRecords, openLocalRecords } from "./store/local.ts";
export { MemoryStore } from "./store/memory.ts";
export { forgetStatistics, packStore } from "./store/pack-store.ts";
export { PackedRecord, usable, useOf } from "./store/rows.ts";
export { recordsSchema } from "./store/schema.ts";
export type { RecordViewer } from "./store/spaces.ts";
export { SqlStore } from "./store/sql-store.ts";
export type {
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
export { recordOutcomes } from "./store.ts";
export {
  kernelOf,
  keyOf,
  problemOf,
  type RecordResult,
  type RecordSearch,
  secondsOfRecord,
  type TuningRecord,
  winnersTuner,
} from "./tuning-record.ts";
