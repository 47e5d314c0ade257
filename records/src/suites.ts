/** Evaluates the logs of a suite, and judges programs that were measured interleaved. Pure. */
export { groupBy } from "./group-by.ts";
export {
  type Finalist,
  type FinalistRank,
  type Finals,
  type FinalsVerdict,
  judgeFinals,
  type TurnsRun,
} from "./paired/finals.ts";
export { finalsNote, finalsIn, finalsOf, finalsOfTask, type RecordedFinals, valuesOf } from "./paired/finals-note.ts";
export { type Interval, signedRank } from "./paired/statistics.ts";
export { defaultConfidence, leastRoundsOf, type Rank, type Verdict, verdictOf } from "./paired/verdict.ts";
export {
  byShape,
  byTemplate,
  type CrossPair,
  type CrossTimes,
  crossTimes,
  type Entity,
  missingPairs,
  nameOfConfig,
  readCross,
} from "./suites/cross.ts";
export { chooseKernels } from "./suites/dispatch-table.ts";
export { type BestTime, type Landed, landedOf, resultsOf, type ShapeTask, type TaskResults, titleOf } from "./suites/results.ts";
export { type DispatchTable, dispatchTables, type Portability, portabilityOf } from "./suites/tables.ts";
export { winnersTuner } from "./tuning-record.ts";
