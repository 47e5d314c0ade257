/** Receipts of measurements, which others can check: made by trackers, read by `warpfarm verify`. */
export {
  checkMode,
  keyFile,
  newPrivateKey,
  privateKeyIn,
  publicKeyOf,
  publicKeysIn,
  type ReceiptKey,
} from "./receipts/keys.ts";
export { type Receipt, readReceipt } from "./receipts/read.ts";
export { leastSessions, spreadOf } from "./receipts/spread.ts";
export { circumstancesOf, receiptFile, type Subject, sessionTimes } from "./receipts/statements.ts";
