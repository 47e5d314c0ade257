/**
 * T4, the community's form of results: `{schema_version, metadata, results: [{timestamp, configuration, times, invalidity,
 * correctness, measurements, objectives}]}`, and T1, its form of a problem. T4 names neither kernel nor device. A T1 document
 * (Told.problem) or flags name them, and files that Warpfarm writes name them in `metadata`.
 */
import type { Json } from "@warpfarm/common";
import type { RecordResult, TuningRecord } from "../tuning-record.ts";
import { failureOf, failureWord } from "./failures.ts";
import {
  bad,
  configOf,
  type DocumentForm,
  type Fields,
  foreignOf,
  headOf,
  importedEntry,
  isFields,
  listOf,
  numberOf,
  onlyOne,
  remainder,
  restored,
  scalarsOf,
  type Told,
  timeOf,
  unitMs,
} from "./format.ts";
import { millisecondsOf, sorted } from "./kernel-tuner.ts";

const name = "t4";

export const t4: DocumentForm = {
  kind: "document",
  name,
  claims: ({ results, schema_version }) =>
    Array.isArray(results) &&
    (schema_version !== undefined || results.some((each) => isFields(each) && isFields(each.configuration))),
  read(document, told) {
    const { results, ...head } = document as Fields & { results: Json[] };
    const records = results.map((entry, i) => {
      if (!isFields(entry) || !isFields(entry.configuration)) throw new Error(`results[${i}] has no configuration`);
      return recordOf(entry, entry.configuration, isFields(head.metadata) ? head.metadata : {}, told);
    });
    const first = records[0];
    if (first === undefined) return [];
    const kept = remainder(head, headFrom(first)) as Json;
    const problem = told.problem === undefined ? {} : { problem: told.problem };
    return [{ ...first, foreign: { ...first.foreign, head: kept, ...problem } }, ...records.slice(1)];
  },
  write(records) {
    const first = onlyOne(records, "T4");
    const results = records.map((record) => restored(entryOf(record), foreignOf(record, name)));
    return { ...restored(headFrom(first), headOf(records, name)), results };
  },
};

function recordOf(entry: Fields, values: Fields, meta: Fields, told: Told): TuningRecord {
  const { task, args } = problemOf(told.problem);
  const unit = unitMs(meta.timeunit);
  return importedEntry(name, entry, entryOf, {
    task: told.task ?? task ?? String(meta.kernel_name ?? "kernel"),
    args: told.args ?? args ?? listOf(meta.problem_size) ?? [],
    config: configOf(Object.entries(values)),
    target: "",
    device: { key: told.device ?? "", name: told.deviceName ?? String(meta.device_name ?? "") },
    result: resultOf(entry, unit),
    ...buildMsOf(entry, unit),
    timestampMs: timeOf(entry.timestamp),
  });
}

function buildMsOf({ times }: Fields, unit: number): { readonly buildMs?: number } {
  const build = isFields(times) ? numberOf(times.compilation_time ?? times.compilation) : undefined;
  return build === undefined ? {} : { buildMs: build * unit };
}

function resultOf({ invalidity, times, measurements }: Fields, unit: number): RecordResult {
  if (typeof invalidity === "string" && invalidity !== "correct") return failureOf(name, invalidity);
  const measured = (listOf(measurements) ?? []).filter(isFields).find((m) => ["time", "TotalDuration"].includes(String(m.name)));
  const runs = (isFields(times) ? listOf(times.runtimes) : undefined)?.flatMap((ms) => numberOf(ms) ?? []).filter((ms) => ms > 0);
  const value = numberOf(measured?.value);
  const ms = runs && runs.length > 0 ? runs : value !== undefined && value > 0 ? [value] : [];
  if (ms.length === 0) return failureOf(name, "no time");
  const scale = runs && runs.length > 0 ? unit : measured?.unit ? unitMs(measured.unit) : unit;
  return {
    kind: "timed",
    costs: ms.map((each) => (each * scale) / 1000),
    check: invalidity === "correct" ? "passed" : "unknown",
  };
}

function entryOf(record: TuningRecord): Fields {
  const { result, buildMs = 0, runMs = 0, timestampMs } = record;
  const ms = millisecondsOf(record);
  return {
    timestamp: new Date(timestampMs).toISOString(),
    configuration: Object.fromEntries(scalarsOf(record, "T4")),
    times: {
      compilation_time: buildMs,
      framework: runMs,
      search_algorithm: 0,
      validation: 0,
      runtimes: result.kind === "timed" ? result.costs.map((s) => s * 1000) : [],
    },
    invalidity: result.kind === "timed" ? "correct" : failureWord(name, result),
    correctness: result.kind === "timed" || result.errorNo !== 5 ? 1 : 0,
    measurements: ms === undefined ? [] : [{ name: "time", value: ms, unit: "milliseconds" }],
    objectives: ["time"],
  };
}

const headFrom = ({ task, args, device }: TuningRecord): Fields => ({
  schema_version: "1.0.0",
  metadata: { timeunit: "milliseconds", kernel_name: task, problem_size: [...args], device_name: device?.name ?? "" },
});

/** What a T1 document says about all results: the kernel and the size of its problem. */
function problemOf(problem: Fields | undefined): { readonly task?: string; readonly args?: readonly Json[] } {
  if (problem === undefined) return {};
  const kernel = problem.KernelSpecification as Fields;
  const args = listOf(kernel.ProblemSize);
  return { task: String(kernel.KernelName ?? kernel.BenchmarkName ?? "kernel"), ...(args ? { args } : {}) };
}

/** The text as a T1 document; undefined when it is not one. */
export function t1Of(text: string): Fields | undefined {
  try {
    const document = JSON.parse(text) as Json;
    return isFields(document) && isFields(document.ConfigurationSpace) && isFields(document.KernelSpecification)
      ? document
      : undefined;
  } catch {
    return undefined;
  }
}

/** T1 is only written: it has no measurements to read. */
export const t1: DocumentForm = {
  kind: "document",
  name: "t1",
  claims: ({ ConfigurationSpace, KernelSpecification }) => ConfigurationSpace !== undefined && KernelSpecification !== undefined,
  read() {
    throw bad("a T1 document describes a problem and has no measurement; give it as --problem beside a file of its results");
  },
  write(records) {
    const { task, args } = onlyOne(records, "T1");
    const known = records.map(({ foreign }) => foreign?.problem).find((problem) => problem !== undefined);
    if (known !== undefined) return known;
    const met = new Map<string, Set<Json>>();
    for (const record of records)
      for (const [knob, value] of scalarsOf(record, "T1")) met.set(knob, (met.get(knob) ?? new Set()).add(value));
    return {
      General: { BenchmarkName: task, OutputFormat: "JSON" },
      ConfigurationSpace: {
        TuningParameters: [...met].map(([knob, values]) => ({
          Name: knob,
          Type: typeOf([...values]),
          Values: JSON.stringify(sorted([...values])),
          Default: [...values][0] ?? null,
        })),
        Conditions: [],
      },
      KernelSpecification: { KernelName: task, ProblemSize: [...args] },
    };
  },
};

const typeOf = (values: readonly Json[]): string =>
  values.every((v) => Number.isInteger(v)) ? "int" : values.every((v) => typeof v === "number") ? "float" : "string";
