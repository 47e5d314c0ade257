/**
 * KTT's JSON: `{Metadata: {Device, TimeUnit, Timestamp, ...}, Results: [{KernelName, Configuration: [{Name, Value}], Status,
 * TotalDuration, ComputationResults, ...}]}`. One result is one run. Counters and overheads are kept in `foreign`.
 */
import type { Json } from "@warpfarm/common";
import type { RecordResult, TuningRecord } from "../tuning-record.ts";
import { failureOf, failureWord } from "./failures.ts";
import {
  configOf,
  type DocumentForm,
  type Fields,
  foreignOf,
  headOf,
  importedEntry,
  isFields,
  numberOf,
  onlyOne,
  remainder,
  restored,
  scalarsOf,
  type Told,
  timeOf,
  unitMs,
} from "./format.ts";
import { millisecondsOf } from "./kernel-tuner.ts";

const name = "ktt";

export const ktt: DocumentForm = {
  kind: "document",
  name,
  claims: ({ Metadata, Results }) => isFields(Metadata) && Array.isArray(Results),
  read(document, told) {
    const { Results, Metadata, ...more } = document as Fields & { Results: Json[]; Metadata: Fields };
    const records = Results.map((entry, i) => {
      if (!isFields(entry) || !Array.isArray(entry.Configuration)) throw new Error(`Results[${i}] has no Configuration`);
      return recordOf(entry, entry.Configuration.filter(isFields), Metadata, told);
    });
    const first = records[0];
    if (first === undefined) return [];
    const head = remainder({ Metadata, ...more }, headFrom(first)) as Json;
    return [{ ...first, foreign: { ...first.foreign, head } }, ...records.slice(1)];
  },
  write(records) {
    const first = onlyOne(records, "KTT");
    const head = restored(headFrom(first), headOf(records, name));
    const unit = unitMs(isFields(head.Metadata) ? head.Metadata.TimeUnit : undefined);
    return { ...head, Results: records.map((record) => restored(entryOf(record, unit), foreignOf(record, name))) };
  },
};

function recordOf(entry: Fields, pairs: readonly Fields[], meta: Fields, told: Told): TuningRecord {
  const unit = unitMs(meta.TimeUnit);
  return importedEntry(name, entry, (record) => entryOf(record, unit), {
    task: told.task ?? String(entry.KernelName ?? "kernel"),
    args: told.args ?? [],
    config: configOf(pairs.map(({ Name, Value }) => [String(Name), Value as Json])),
    target: "",
    device: { key: told.device ?? "", name: told.deviceName ?? String(meta.Device ?? "") },
    result: resultOf(entry, unit),
    timestampMs: timeOf(meta.Timestamp),
  });
}

function resultOf({ Status, TotalDuration }: Fields, unit: number): RecordResult {
  if (Status !== "Ok") return failureOf(name, String(Status));
  const duration = numberOf(TotalDuration);
  if (duration === undefined || duration <= 0) return failureOf(name, "no time");
  return { kind: "timed", costs: [(duration * unit) / 1000], check: "unknown" };
}

function entryOf(record: TuningRecord, unit: number): Fields {
  const { result, task } = record;
  const ms = millisecondsOf(record);
  return {
    KernelName: task,
    Configuration: scalarsOf(record, "KTT").map(([Name, Value]) => ({ Name, Value, ValueType: typeOf(Value) })),
    Status: result.kind === "timed" ? "Ok" : failureWord(name, result),
    ...(ms === undefined ? {} : { TotalDuration: ms / unit }),
  };
}

const typeOf = (value: unknown): string =>
  typeof value === "number"
    ? Number.isInteger(value)
      ? value < 0
        ? "Int"
        : "UnsignedInt"
      : "Double"
    : typeof value === "boolean"
      ? "Bool"
      : "String";

const headFrom = ({ device, timestampMs }: TuningRecord): Fields => ({
  Metadata: {
    Device: device?.name ?? "",
    TimeUnit: "Microseconds",
    Timestamp: `${new Date(timestampMs).toISOString().slice(0, 19).replace("T", " ")} UTC`,
  },
});
