import { defined } from "@warpfarm/common";
import type { ReceiptKey } from "@warpfarm/records/receipts";
import type { CallOptions, Channel } from "./channel.ts";
import { loadServices } from "./load.ts";

export interface ReceiptClient {
  /** The text of a receipt's file. `withDocuments`: who has it can measure again, and reads the source. */
  sign(record: string, what: { readonly withDocuments: boolean }, options?: CallOptions): Promise<string>;
  /** The newest first. */
  keys(options?: CallOptions): Promise<readonly ReceiptKey[]>;
}

export function receiptClient(channel: Channel): ReceiptClient {
  const { record } = loadServices();
  return {
    async sign(id, { withDocuments }, options) {
      const request = { record: id, without_documents: !withDocuments };
      return (await channel.unary(record.SignReceipt, request, { timeoutMs: 60_000, ...options })).receipt;
    },
    async keys(options) {
      const { keys } = await channel.unary(record.ListReceiptKeys, {}, options);
      return keys.map(({ id, pem, since_ms, until_ms }) => ({ id, pem, sinceMs: since_ms, ...defined({ untilMs: until_ms }) }));
    },
  };
}
