/** The part for tuning logs, for commands that open no store. */

export { CsvRows } from "./csv-rows.ts";
export { documentFormOf, parseUnclosed } from "./file-forms.ts";
export { t4Time } from "./formats/t4.ts";
export { type Fields, isFields, lineOfMember, textOf, unpacked } from "./json-text.ts";
export { decodeLine, encodeTrial } from "./log/autotvm-line.ts";
export { encodeNote, isNoLog, type Log, notALog, type ReadOptions, readLog } from "./log/read-log.ts";
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
export { autotvmTarget, ofTarget, targetOfAutotvm } from "./log/target-text.ts";
export { instantOf, longestSeconds, RowNotes, timesAsResult, unitMs, whyNoTime } from "./measured-time.ts";
