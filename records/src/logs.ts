/** The part for tuning logs, for commands that open no store. */
export { decodeLine, encodeTrial } from "./log/autotvm-line.ts";
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
