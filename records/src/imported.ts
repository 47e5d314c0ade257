/** What becomes of a record that somebody imports: whose it is, and its id. */
import { digestOf } from "@warpfarm/common";
import type { TuningRecord } from "./tuning-record.ts";

/** Equal contents give the same id, whoever imports them and how often. */
export const importedId = (format: string, content: object): string => `${format}/${digestOf(JSON.stringify(content))}`;

/**
 * The record as `by` imports it: a measurement of another farm is not a measurement of this one. Its id cannot be that of a
 * session.
 */
export const importedRecord = (record: TuningRecord, by: string): TuningRecord => ({ ...record, ...importedAs(record, by) });

export function importedAs(
  { id, origin }: { readonly id: string; readonly origin: { readonly kind: string; readonly format?: string } },
  by: string,
): Pick<TuningRecord, "id" | "origin"> {
  const { format = "warpfarm" } = origin;
  return { id: isImportedId.test(id) ? id : importedId("warpfarm", { id }), origin: { kind: "imported", by, format } };
}
const isImportedId = /^[a-z0-9-]+\/sha256:[0-9a-f]{64}$/;
