/** What builders and runners have in common: a worker's side of Synchronize, its leases, and the words of its log. */
export { describeEvent, type EventLine } from "./describe-event.ts";
export { type Health, serveHealth, stuckAfterMs } from "./health.ts";
export {
  type CacheChanges,
  Synchronizer,
  type SynchronizerOptions,
  type WorkerEvent,
  type WorkerRole,
  type WorkOptions,
} from "./synchronizer.ts";
