/** What builder and runner have in common: a worker's side of Synchronize, its leases, and words for what happens to it. */
export { describeEvent, type EventLine } from "./describe-event.ts";
export {
  type CacheChanges,
  Synchronizer,
  type SynchronizerOptions,
  type WorkerEvent,
  type WorkerRole,
  type WorkOptions,
} from "./synchronizer.ts";
