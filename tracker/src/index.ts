/** The tracker: live nodes, waiting work, and who works on what. All state is in its store. */
export { rotateReceiptKey } from "./doors/receipt-key.ts";
export { TokenFileEditor } from "./doors/token-file-editor.ts";
export { parseTrackerFlags, trackerFlags } from "./flags/flags.ts";
export { trackerMain } from "./main.ts";
export type { Tracker } from "./tracker.ts";
