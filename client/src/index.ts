export {
  type AutotvmRecord,
  autotvmTarget,
  bestOfLog,
  decodeLine,
  encodeTrial,
  type Log,
  type LogRecord,
  type RunIdentity,
  readLog,
  secondsOf,
  type TrialRecord,
  targetOfAutotvm,
  taskOf,
} from "@warpfarm/records/logs";
export {
  type Finalist,
  type Finals,
  judgeFinals,
  type TurnsRun,
  type Verdict,
  verdictOf,
} from "@warpfarm/records/suites";
export { costsInTurns } from "./measure/costs-in-turns.ts";
export { dedupe, type KnownResult } from "./measure/decorators/dedupe.ts";
export { recording } from "./measure/decorators/record.ts";
export {
  type InTurnsOptions,
  inTurns,
  type MeasureInTurns,
  type Turns,
} from "./measure/in-turns.ts";
export type { MeasureRecord, Measurer } from "./measure/measurer.ts";
export { type RemoteMeasurerOptions, remoteMeasurer } from "./measure/remote.ts";
export { readRecorded } from "./score/read-recorded.ts";
export { openRecorded, type Recorded, type RecordedData } from "./score/recorded-space.ts";
export { type Score, type ScoreOptions, scoreTuner } from "./score/score.ts";
export { scoreInThreads } from "./score/score-pool.ts";
export { type Stop, type StopsOptions, stops } from "./score/stops.ts";
export { afterMeasurements, type TransferScore, transferScore } from "./score/transfer-score.ts";
export type { FinalistsOptions } from "./search/finalists.ts";
export { type TunableTask, type TuneOptions, tune } from "./search/session.ts";
export type { Best, FinalsOutcome, Scored, TuneEvent, TuneSummary } from "./search/tune-events.ts";
export { type OpenLogOptions, openTuningLog, type TuningLog } from "./search/tuning-log.ts";
export { loadTemplate } from "./task/template-file.ts";
export { isTunerName, type TunerName, tuners } from "./tuner/index.ts";
export type { MakeTuner, Measured, Outcome, Tuner, TunerOptions } from "./tuner/tuner.ts";
