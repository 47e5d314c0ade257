export type { WorkerEvent, WorkerRole, WorkOptions } from "./jobs.ts";
export { serve, tellEvents, type WorkerOptions } from "./serve.ts";
export { Synchronizer, type SynchronizerOptions } from "./synchronizer.ts";
export { addressOf, mayServeOthers, type TrackerAddress } from "./tracker-address.ts";
