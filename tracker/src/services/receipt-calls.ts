/** The calls of RecordService about receipts: a signed one, and the public keys. */
import { defined } from "@warpfarm/common";
import { type RecordHandlers, recordIdFromWire } from "@warpfarm/proto";
import type { TrackerContext } from "./context.ts";

export const receiptCalls = ({
  receipts,
  audit,
}: Pick<TrackerContext, "receipts" | "audit">): Pick<RecordHandlers, "SignReceipt" | "ListReceiptKeys"> => ({
  async SignReceipt({ record, without_documents }, caller) {
    const id = recordIdFromWire(record);
    const receipt = await receipts.sign(id, caller.principal, { withDocuments: !without_documents });
    audit.did("sign_receipt", caller, { record: id });
    return { receipt };
  },
  async ListReceiptKeys() {
    const keys = await receipts.keys();
    return {
      keys: keys.map(({ id, pem, sinceMs, untilMs }) => ({ id, pem, since_ms: sinceMs, ...defined({ until_ms: untilMs }) })),
    };
  },
});
