/** A record as a row of the table. */
import { medianSeconds } from "@warpfarm/common";
import { decodeRecord, encodeRecord } from "../record-json.ts";
import { kernelOf, problemOf, type TuningRecord } from "../tuning-record.ts";

export const columns = [
  ["id", "text"],
  ["at", "bigint"],
  ["task", "text"],
  ["problem", "text"],
  ["template", "text"],
  ["kernel", "text"],
  ["program", "text"],
  ["target", "text"],
  ["device_key", "text"],
  ["device_name", "text"],
  ["session", "text"],
  ["owner", "text"],
  ["imported", "boolean"],
  ["hidden", "boolean"],
  ["usable", "smallint"],
  ["flushed", "boolean"],
  ["seconds", "double precision"],
  ["error_no", "smallint"],
  ["doc", "text"],
] as const;

/** How a record counts for the best. `failed` ones are in no index of the best. */
export const usable = { failed: 0, compared: 1, imported: 2, unchecked: 3 } as const;

export function useOf({ origin, result }: TuningRecord): number {
  if (result.kind !== "timed") return usable.failed;
  if (origin.kind === "imported") return usable.imported;
  return result.check === "passed" ? usable.compared : usable.unchecked;
}

export type Cell = string | number | boolean | null;

/** In the order of the columns. */
export function rowOf(record: TuningRecord): readonly Cell[] {
  const { id, timestampMs, task, template = "", program = "", target, device, session = "", origin, result, options } = record;
  const imported = origin.kind === "imported";
  const isTimed = result.kind === "timed";
  return [
    id,
    timestampMs,
    task,
    problemOf(record),
    template,
    kernelOf(record),
    program,
    target,
    device?.key ?? "",
    device?.name ?? "",
    session,
    origin.by,
    imported,
    record.private === true,
    useOf(record),
    options?.l2 === "flushed",
    isTimed ? medianSeconds(result.costs) : null,
    isTimed ? 0 : result.errorNo,
    encodeRecord(record),
  ];
}

export const recordOf = ({ doc }: { readonly doc: string }): TuningRecord => decodeRecord(doc);
