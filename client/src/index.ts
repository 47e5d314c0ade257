export { inTurns } from "./measure/in-turns.ts";
export { readRecorded } from "./score/read-recorded.ts";
export { openRecorded } from "./score/recorded-space.ts";
export { scoreInThreads } from "./score/score-pool.ts";
export { afterMeasurements, transferScore } from "./score/transfer-score.ts";
export { tune } from "./search/session.ts";
export { loadTemplate } from "./task/template-file.ts";
export { isTunerName, type TunerName, tuners } from "./tuner/index.ts";
