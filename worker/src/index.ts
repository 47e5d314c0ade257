export { describeEvent, type EventLine } from "./describe-event.ts";
export { type Health, serveHealth, stuckAfterMs } from "./health.ts";
export type { WorkerEvent, WorkerRole, WorkOptions } from "./jobs.ts";
export { Synchronizer, type SynchronizerOptions } from "./synchronizer.ts";
export { addressOf, mayServeOthers, type TrackerAddress } from "./tracker-address.ts";
