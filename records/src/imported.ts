import { digestOf } from "@warpfarm/common";
import { indexedText } from "./indexed-texts.ts";
import { contentText } from "./record-json.ts";
import type { TuningRecord } from "./tuning-record.ts";

/**
 * The id of a record with this content, times included, as one principal imports it: a repeated import adds nothing, and nobody
 * can take an id that another's import will have. `content`: contentText.
 */
export const importedId = (format: string, by: string, content: string): string =>
  `${format}/${digestOf(`${JSON.stringify(by)}${content}`)}`;

/** A measurement of another farm is not one of this farm, so the file's id says nothing here. */
export function importedRecord({ standing: _, why: __, interleaved: ___, ...record }: TuningRecord, by: string): TuningRecord {
  const format = formatOf(record.origin);
  return { ...record, id: importedId(format, by, contentText(record)), origin: { kind: "imported", by, format } };
}

/** The format becomes part of an id. Throws INVALID_ARGUMENT. */
export const formatOf = (origin: { readonly kind: string; readonly format?: string }): string =>
  indexedText("origin.format", origin.format ?? "warpfarm");
