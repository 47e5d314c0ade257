export { mostNoise } from "./best.ts";
export { groupBy } from "./group-by.ts";
export {
  type Finalist,
  type FinalistRank,
  type Finals,
  type FinalsVerdict,
  judgeFinals,
  type TurnsRun,
} from "./paired/finals.ts";
export { finalsNote, finalsOf, finalsOfTask, type RecordedFinals } from "./paired/finals-note.ts";
export { type Rank, type Verdict, verdictOf } from "./paired/verdict.ts";
export { type Brought, broughtBy, broughtWords, type ShareOver, shareOver, shippedSuffix } from "./suites/course.ts";
export {
  byShape,
  byTemplate,
  type CrossPair,
  type CrossTimes,
  crossTimes,
  missingPairs,
  readCross,
} from "./suites/cross.ts";
export { chooseKernels } from "./suites/dispatch-table.ts";
export { courseOf, type Landed, landedOf, resultsOf, type ShapeTask, type TaskResults, titleOf } from "./suites/results.ts";
export { type DispatchTable, dispatchTables, type Portability, portabilityOf } from "./suites/tables.ts";
export { type Entity, nameOfConfig, valuesOf, winnersTuner } from "./tuning-record.ts";
