/**
 * KTT's JSON: `{Metadata: {Device, TimeUnit, Timestamp, ...}, Results: [{KernelName, Configuration: [{Name, Value}], Status,
 * TotalDuration, ComputationResults, ...}]}`. One result is one run. Counters and overheads are kept in `foreign`.
 */
import type { Json } from "@warpfarm/common";
import { type Fields, isFields } from "../json-text.ts";
import { noTime, timeOf, timesAsResult, unitMs } from "../measured-time.ts";
import type { RecordResult, TuningRecord } from "../tuning-record.ts";
import { failureOf, failureWord } from "./failures.ts";
import {
  configOf,
  type DocumentForm,
  foreignOf,
  headOf,
  importedEntry,
  lacksConfig,
  numberOf,
  onlyOne,
  remainder,
  restored,
  scalarsOf,
  sumOf,
  withHead,
} from "./format.ts";
import { millisecondsOf } from "./kernel-tuner.ts";

const name = "ktt" as const;
const spent = [
  ...["TotalDuration", "TotalOverhead", "ExtraDuration"],
  ...["DataMovementOverhead", "SearcherOverhead", "ValidationOverhead"],
];

export const ktt: DocumentForm = {
  kind: "document",
  name,
  rows: "Results",
  lacks: lacksConfig,
  read(document) {
    const { Results, Metadata, ...more } = document as Fields & { Results: Json[]; Metadata: Fields };
    const records = Results.map((entry, i) => {
      if (!isFields(entry) || !Array.isArray(entry.Configuration)) throw new Error(`Results[${i}] has no Configuration`);
      return recordOf(entry, entry.Configuration.filter(isFields), Metadata);
    });
    return withHead(records, (first) => remainder({ Metadata, ...more }, headFrom(first)));
  },
  evaluations({ Results, Metadata }) {
    const unit = numberUnit((Metadata as Fields).TimeUnit);
    const rows = (Results as readonly Fields[]).map((entry) => ({
      ms: (numberOf(entry.TotalDuration) ?? Number.NaN) * unit,
      costMs: sumOf(spent.map((part) => entry[part])) * unit,
    }));
    return { rows };
  },
  write(records) {
    const first = onlyOne(records, "KTT");
    const head = restored(headFrom(first), headOf(records, name));
    const unit = numberUnit(isFields(head.Metadata) ? head.Metadata.TimeUnit : undefined);
    return { ...head, Results: records.map((record) => restored(entryOf(record, unit), foreignOf(record, name))) };
  },
};

function recordOf(entry: Fields, pairs: readonly Fields[], meta: Fields): TuningRecord {
  return importedEntry(name, entry, (record) => entryOf(record, numberUnit(meta.TimeUnit)), {
    task: String(entry.KernelName ?? "kernel"),
    args: [],
    config: configOf(pairs.map(({ Name, Value }) => [String(Name), Value as Json])),
    target: "",
    device: { key: "", name: String(meta.Device ?? "") },
    result: resultOf(entry, meta),
    timestampMs: timeOf(meta.Timestamp),
  });
}

/** A file without a known unit has failures only, whose times are kept as the file has them. */
function numberUnit(unit: Json | undefined): number {
  const ms = unitMs(unit);
  return typeof ms === "number" ? ms : 1;
}

function resultOf({ Status, TotalDuration }: Fields, meta: Fields): RecordResult {
  if (Status === undefined) return noTime("there is no Status");
  if (Status !== "Ok") return failureOf(name, String(Status));
  return timesAsResult([TotalDuration], unitMs(meta.TimeUnit));
}

function entryOf(record: TuningRecord, unit: number): Fields {
  const { result, task } = record;
  const ms = millisecondsOf(record);
  return {
    KernelName: task,
    Configuration: scalarsOf(record).map(([Name, Value]) => ({ Name, Value, ValueType: typeOf(Value) })),
    Status: result.kind === "failed" ? failureWord(name, result) : "Ok",
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
