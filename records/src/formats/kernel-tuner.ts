/**
 * Kernel Tuner's cache: `{device_name, kernel_name, problem_size, tune_params_keys, tune_params, objective, cache: {...}}`. Times
 * are milliseconds; `time` is the mean of `times` or the name of a failure, and counts alone where one of `times` is no time. A
 * cache that is still being written lacks its last braces.
 */
import type { Json } from "@warpfarm/common";
import { type Fields, isFields } from "../json-text.ts";
import { timeOf, timesAsResult } from "../measured-time.ts";
import type { RecordResult, TuningRecord } from "../tuning-record.ts";
import { failureOf } from "./failures.ts";
import { configOf, type DocumentForm, importedEntry, listOf, numberOf, sumOf } from "./format.ts";

const name = "kernel-tuner" as const;
const phases = ["compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"];

export const kernelTuner: DocumentForm = {
  kind: "document",
  name,
  rows: "cache",
  read(document) {
    const { cache, ...head } = document as Fields & { cache: Fields };
    const keys = (listOf(head.tune_params_keys) ?? []).map(String);
    return Object.entries(cache).map(([key, entry]) => {
      if (!isFields(entry)) throw new Error(`cache[${JSON.stringify(key)}] is no object`);
      return recordOf(entry, keys, head);
    });
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
};

function recordOf(entry: Fields, keys: readonly string[], head: Fields): TuningRecord {
  for (const key of keys) if (!Object.hasOwn(entry, key)) throw new Error(`a record of the cache has no ${key}`);
  const size = head.problem_size;
  return importedEntry(name, {
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
