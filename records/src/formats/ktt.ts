/**
 * KTT's JSON: `{Metadata: {Device, TimeUnit, Timestamp, ...}, Results: [{KernelName, Configuration: [{Name, Value}], Status,
 * TotalDuration, ComputationResults, ...}]}`. One result is one run.
 */
import type { Json } from "@warpfarm/common";
import { type Fields, isFields } from "../json-text.ts";
import { noTime, timeOf, timesAsResult, unitMs } from "../measured-time.ts";
import type { RecordResult, TuningRecord } from "../tuning-record.ts";
import { failureOf } from "./failures.ts";
import { configOf, type DocumentForm, importedEntry, numberOf, sumOf } from "./format.ts";

const name = "ktt" as const;
const spent = [
  ...["TotalDuration", "TotalOverhead", "ExtraDuration"],
  ...["DataMovementOverhead", "SearcherOverhead", "ValidationOverhead"],
];

export const ktt: DocumentForm = {
  kind: "document",
  name,
  rows: "Results",
  read(document) {
    const { Results, Metadata } = document as Fields & { Results: Json[]; Metadata: Fields };
    return Results.map((entry, i) => {
      if (!isFields(entry) || !Array.isArray(entry.Configuration)) throw new Error(`Results[${i}] has no Configuration`);
      return recordOf(entry, entry.Configuration.filter(isFields), Metadata);
    });
  },
  evaluations({ Results, Metadata }) {
    const unit = numberUnit((Metadata as Fields).TimeUnit);
    const rows = (Results as readonly Fields[]).map((entry) => ({
      ms: (numberOf(entry.TotalDuration) ?? Number.NaN) * unit,
      costMs: sumOf(spent.map((part) => entry[part])) * unit,
    }));
    return { rows };
  },
};

function recordOf(entry: Fields, pairs: readonly Fields[], meta: Fields): TuningRecord {
  return importedEntry(name, {
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
