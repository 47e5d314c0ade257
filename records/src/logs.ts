/** The part for tuning logs, for commands that open no store. */

export { type Best, ofOneKind, tieRule, tieWords } from "./best.ts";
export { CsvRows } from "./csv-rows.ts";
export { textOf, unpacked } from "./json-text.ts";
export { decodeLine, encodeTrial } from "./log/autotvm-line.ts";
export { bestOfLog, conditionsOfLogged, kindOfLogged, wasMeasured } from "./log/best-of-log.ts";
export { encodeNote, isNoLog, type Log, type ReadOptions, readLog } from "./log/read-log.ts";
export {
  type AutotvmRecord,
  type LogRecord,
  type RunIdentity,
  secondsOf,
  type TrialRecord,
  taskOf,
} from "./log/record.ts";
export { autotvmTarget, ofTarget, targetOfAutotvm } from "./log/target-text.ts";
export { resultFromJson, resultSchema, resultToJson } from "./measure-json.ts";
export { instantOf, longestSeconds, whyNoTime } from "./measured-time.ts";
