/** The tracker: live nodes, waiting work, and who works on what. All state is in its store. */
export { rotateReceiptKey } from "./doors/receipt-key.ts";
export { TokenFileEditor } from "./doors/token-file-editor.ts";
export { parseTrackerFlags, type TrackerFlags, trackerFlags } from "./flags/flags.ts";
export { trackerMain } from "./main.ts";
export type { LeasePolicy } from "./policy/lease.ts";
export type { Limits } from "./services/context.ts";
export { startTracker, type Tracker, type TrackerOptions } from "./tracker.ts";
