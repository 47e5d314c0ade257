/**
 * Kernel Tuner's cache: `{device_name, kernel_name, problem_size, tune_params_keys, tune_params, objective, cache: {...}}`. Times
 * are milliseconds; `time` is the mean of `times` or the name of a failure, and counts alone where one of `times` is no time. A
 * cache that is still being written lacks its last braces. It has each config once: of several records of a config the newest is
 * written.
 */
import type { Json } from "@warpfarm/common";
import { type Fields, isFields } from "../json-text.ts";
import { timeOf, timesAsResult } from "../measured-time.ts";
import { type RecordResult, secondsOfRecord, type TuningRecord } from "../tuning-record.ts";
import { failureOf, failureWord } from "./failures.ts";
import {
  configOf,
  type DocumentForm,
  foreignOf,
  headOf,
  importedEntry,
  lacksConfig,
  listOf,
  numberOf,
  onlyOne,
  remainder,
  restored,
  scalarsOf,
  sumOf,
  valuesMet,
  withHead,
} from "./format.ts";

const name = "kernel-tuner" as const;
const phases = ["compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"];

export const kernelTuner: DocumentForm = {
  kind: "document",
  name,
  rows: "cache",
  lacks: lacksConfig,
  read(document) {
    const { cache, ...head } = document as Fields & { cache: Fields };
    const keys = (listOf(head.tune_params_keys) ?? []).map(String);
    const records = Object.entries(cache).map(([key, entry]) => {
      if (!isFields(entry)) throw new Error(`cache[${JSON.stringify(key)}] is no object`);
      return recordOf(entry, keys, head);
    });
    return withHead(records, (first) => remainder(head, headFrom(records, first)));
  },
  evaluations: ({ cache, tune_params: lists, tune_params_keys: keys }) => ({
    rows: Object.values(cache as { readonly [key: string]: Fields }).map((entry) => ({
      ms: numberOf(entry.time) ?? Number.NaN,
      costMs: sumOf(phases.map((phase) => entry[phase])),
    })),
    ...(isFields(lists)
      ? { values: new Map((listOf(keys) ?? []).map(String).map((key) => [key, listOf(lists[key]) ?? []])) }
      : {}),
  }),
  write(records) {
    const first = onlyOne(records, "a Kernel Tuner cache");
    const cache: { [key: string]: Json } = {};
    for (const record of records) {
      const values = scalarsOf(record);
      const key = values.map(([, value]) => (typeof value === "boolean" ? (value ? "True" : "False") : String(value))).join(",");
      cache[key] = restored(entryOf(record), foreignOf(record, name));
    }
    return { ...restored(headFrom(records, first), headOf(records, name)), cache };
  },
};

function recordOf(entry: Fields, keys: readonly string[], head: Fields): TuningRecord {
  for (const key of keys) if (!Object.hasOwn(entry, key)) throw new Error(`a record of the cache has no ${key}`);
  const size = head.problem_size;
  return importedEntry(name, entry, entryOf, {
    task: String(head.kernel_name ?? "kernel"),
    args: Array.isArray(size) ? size : size === undefined ? [] : [size],
    config: configOf(keys.map((key) => [key, entry[key] as Json])),
    target: "",
    device: { key: "", name: String(head.device_name ?? "") },
    result: resultOf(entry),
    ...given("buildMs", entry.compile_time),
    ...given("runMs", entry.benchmark_time),
    timestampMs: timeOf(entry.timestamp),
  });
}

const given = (field: "buildMs" | "runMs", value: Json | undefined) => {
  const number = numberOf(value);
  return number === undefined ? {} : { [field]: number };
};

function resultOf({ time, times }: Fields): RecordResult {
  if (typeof time === "string" && /(?:Config|Error)$/.test(time)) return failureOf(name, time);
  const mean = timesAsResult([time], 1);
  const repeats = timesAsResult(listOf(times) ?? [], 1);
  return mean.kind === "failed" || repeats.kind === "failed" ? mean : repeats;
}

function entryOf(record: TuningRecord): Fields {
  const { result, buildMs = 0, runMs = 0, timestampMs } = record;
  const timed = result.kind === "timed" ? result.costs.map((s) => s * 1000) : undefined;
  return {
    ...Object.fromEntries(scalarsOf(record)),
    time: timed
      ? timed.reduce((a, b) => a + b, 0) / timed.length
      : failureWord(name, result as RecordResult & { kind: "failed" }),
    ...(timed ? { times: timed } : {}),
    compile_time: buildMs,
    verification_time: 0,
    benchmark_time: runMs,
    strategy_time: 0,
    framework_time: 0,
    timestamp: new Date(timestampMs).toISOString().replace("T", " ").replace("Z", "000+00:00"),
  };
}

function headFrom(records: readonly TuningRecord[], { task, args, device }: TuningRecord): Fields {
  const met = valuesMet(records);
  return {
    device_name: device?.name ?? "",
    kernel_name: task,
    problem_size: [...args],
    tune_params_keys: [...met.keys()],
    tune_params: Object.fromEntries([...met].map(([knob, values]) => [knob, sorted(values)])),
    objective: "time",
  };
}

export const sorted = (values: readonly Json[]): readonly Json[] =>
  values.every((v) => typeof v === "number") ? [...values].sort((a, b) => a - b) : values;

export const millisecondsOf = (record: TuningRecord): number | undefined => {
  const seconds = secondsOfRecord(record);
  return seconds === undefined ? undefined : seconds * 1000;
};
