/**
 * T4, the community's form of results: `{schema_version, metadata, results: [{timestamp, configuration, times, invalidity,
 * correctness, measurements, objectives}]}`, and T1, its form of a problem. T4 names neither kernel nor device. A T1 document
 * or flags name them, and files that Warpfarm writes name them in `metadata`.
 */
import { badInput, type Json, medianSeconds } from "@warpfarm/common";
import { type Fields, isFields } from "../json-text.ts";
import { timeOf, timesAsResult, unitMs } from "../measured-time.ts";
import type { RecordResult, TuningRecord } from "../tuning-record.ts";
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
import { millisecondsOf, sorted } from "./kernel-tuner.ts";

const name = "t4" as const;

export const t4: DocumentForm = {
  kind: "document",
  name,
  rows: "results",
  lacks: lacksConfig,
  read(document, told) {
    const { results, ...head } = document as Fields & { results: Json[] };
    const records = results.map((entry, i) => {
      if (!isFields(entry) || !isFields(entry.configuration)) throw new Error(`results[${i}] has no configuration`);
      return recordOf(entry, entry.configuration, isFields(head.metadata) ? head.metadata : {}, told);
    });
    const problem = told === undefined ? {} : { problem: told };
    return withHead(records, (first) => remainder(head, headFrom(first)), problem);
  },
  evaluations: ({ results, metadata }) => ({
    rows: (results as readonly Fields[]).map((entry) => {
      const { measured, unit } = t4Time(entry, isFields(metadata) ? metadata.timeunit : undefined);
      const times = isFields(entry.times) ? Object.values(entry.times) : [];
      return {
        ms: measured.kind === "timed" ? medianSeconds(measured.costs) * 1000 : Number.NaN,
        costMs: typeof unit === "number" ? sumOf(times.flatMap((each) => listOf(each) ?? [each])) * unit : 0,
      };
    }),
  }),
  write(records) {
    const first = onlyOne(records, "T4");
    const results = records.map((record) => restored(entryOf(record), foreignOf(record, name)));
    return { ...restored(headFrom(first), headOf(records, name)), results };
  },
};

function recordOf(entry: Fields, values: Fields, meta: Fields, problem: Fields | undefined): TuningRecord {
  const { task, args } = problemOf(problem);
  const { result, unit } = t4Time(entry, meta.timeunit);
  return importedEntry(name, entry, entryOf, {
    task: task ?? String(meta.kernel_name ?? "kernel"),
    args: args ?? listOf(meta.problem_size) ?? [],
    config: configOf(Object.entries(values)),
    target: "",
    device: { key: "", name: String(meta.device_name ?? "") },
    result,
    ...buildMsOf(entry, unit),
    timestampMs: timeOf(entry.timestamp),
  });
}

function buildMsOf({ times }: Fields, unit: number | string): { readonly buildMs?: number } {
  const build = isFields(times) ? numberOf(times.compilation_time ?? times.compilation) : undefined;
  return build === undefined || typeof unit === "string" ? {} : { buildMs: build * unit };
}

/**
 * The result of an entry, and the unit of its `times`. Units stand per measurement, and in the file's head for all: KTT's
 * converter writes microseconds and no head, Kernel Tuner a head and `ms`. Where both stand and differ, `times.runtimes` is in
 * the unit of the measurement if the measurement's number lies among them.
 */
function t4Time(
  { invalidity, times, measurements, objectives }: Fields,
  headUnit: Json | undefined,
): { readonly result: RecordResult; readonly unit: number | string; readonly measured: RecordResult } {
  const named = [...(listOf(objectives) ?? []), "time", "TotalDuration"];
  const all = (listOf(measurements) ?? []).filter(isFields);
  // An objective may be a rate or an energy.
  const isTime = ({ unit, value }: Fields) => value !== undefined && typeof unitMs(unit, unitMs(headUnit)) === "number";
  const found = named.flatMap((each) => all.filter((m) => m.name === each));
  const measurement: Fields | undefined = found.find(isTime) ?? found[0];
  const own = unitMs(measurement?.unit, unitMs(headUnit));
  const runs = (isFields(times) ? listOf(times.runtimes) : undefined) ?? [];
  const unit = isAmong(numberOf(measurement?.value), runs) ? own : unitMs(headUnit, own);
  const checked = invalidity === "correct" ? true : undefined;
  if (typeof invalidity === "string" && invalidity !== "correct") {
    const result = failureOf(name, invalidity);
    return { result, unit, measured: result };
  }
  const measured = timesAsResult(measurement === undefined ? [] : [measurement.value], own, checked);
  return { result: runs.length > 0 ? timesAsResult(runs, unit, checked) : measured, unit, measured };
}
const isAmong = (value: number | undefined, runs: readonly Json[]): boolean => {
  const numbers = runs.flatMap((run) => numberOf(run) ?? []);
  return value !== undefined && value >= Math.min(...numbers) * 0.99 && value <= Math.max(...numbers) * 1.01;
};

function entryOf(record: TuningRecord): Fields {
  const { result, buildMs = 0, runMs = 0, timestampMs } = record;
  const ms = millisecondsOf(record);
  return {
    timestamp: new Date(timestampMs).toISOString(),
    configuration: Object.fromEntries(scalarsOf(record)),
    times: {
      compilation_time: buildMs,
      framework: runMs,
      search_algorithm: 0,
      validation: 0,
      runtimes: result.kind === "timed" ? result.costs.map((s) => s * 1000) : [],
    },
    invalidity: result.kind === "failed" ? failureWord(name, result) : "correct",
    correctness: result.kind === "failed" && result.errorNo === 5 ? 0 : 1,
    measurements: ms === undefined ? [] : [{ name: "time", value: ms, unit: "milliseconds" }],
    objectives: ["time"],
  };
}

const headFrom = ({ task, args, device }: TuningRecord): Fields => ({
  schema_version: "1.0.0",
  metadata: { timeunit: "milliseconds", kernel_name: task, problem_size: [...args], device_name: device?.name ?? "" },
});

function problemOf(problem: Fields | undefined): { readonly task?: string; readonly args?: readonly Json[] } {
  if (problem === undefined) return {};
  const kernel = problem.KernelSpecification as Fields;
  const args = listOf(kernel.ProblemSize);
  return { task: String(kernel.KernelName ?? kernel.BenchmarkName ?? "kernel"), ...(args ? { args } : {}) };
}

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
  rows: "ConfigurationSpace",
  lacks: lacksConfig,
  read() {
    throw badInput(
      "a T1 document describes a problem and has no measurement: space --stats takes it, and records import --problem beside a file of its results",
    );
  },
  write(records) {
    const { task, args } = onlyOne(records, "T1");
    const known = records.map(({ foreign }) => foreign?.problem).find((problem) => problem !== undefined);
    if (known !== undefined) return known;
    return {
      General: { BenchmarkName: task, OutputFormat: "JSON" },
      ConfigurationSpace: {
        TuningParameters: [...valuesMet(records)].map(([knob, values]) => ({
          Name: knob,
          Type: typeOf(values),
          Values: JSON.stringify(sorted(values)),
          Default: values[0] ?? null,
        })),
        Conditions: [],
      },
      KernelSpecification: { KernelName: task, ProblemSize: [...args] },
    };
  },
};

const typeOf = (values: readonly Json[]): string =>
  values.every((v) => Number.isInteger(v)) ? "int" : values.every((v) => typeof v === "number") ? "float" : "string";
