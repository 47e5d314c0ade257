/**
 * Files of recorded spaces: of every form that records are imported from. Kernel Tuner's caches, T4 and KTT's output say what an
 * evaluation cost in all; of other forms it is the build, the run and the times of the record. The time of a Kernel Tuner config
 * is the mean that its cache has, as the community's scores take it, and of other records their median.
 */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { canonicalJson, err, FarmError, type Json, medianSeconds, ok, type Result, shortNameOf } from "@warpfarm/common";
import type { RecordResult, TuningRecord } from "@warpfarm/records";
import {
  documentFormOf,
  type Fields,
  isFields,
  lineOfMember,
  parseUnclosed,
  RowNotes,
  t4Time,
  textOf,
  timesAsResult,
  unitMs,
} from "@warpfarm/records/logs";
import { collectRecords, type RecordedConfig, type RecordedData } from "./recorded-space.ts";

export interface ReadOptions {
  readonly skipBroken?: boolean;
  /** Called about rows without a valid time and skipped lines. */
  readonly warn?: (words: string) => void;
}

/** The file's space, or one sentence. Rejects only when the file cannot be read. */
export async function readRecorded(path: string, options: ReadOptions = {}): Promise<Result<RecordedData, string>> {
  const text = await readUnzipped(path);
  if (!text.ok) return text;
  const name = basename(path);
  const document = parseUnclosed(text.value);
  const found = isFields(document) ? recordsOf(document) : undefined;
  if (found !== undefined) return spaceOfDocument(name, text.value, document as Fields, found, options);
  if (isFields(document) && "ConfigurationSpace" in document)
    return err(`${name} describes a problem and has no measurements; space --stats takes it`);
  try {
    const { recordsIn } = await import("@warpfarm/records");
    return spaceOfRecords(name, await recordsIn(path, options));
  } catch (error) {
    if (error instanceof FarmError && error.code === "INVALID_ARGUMENT") return err(error.message);
    throw error;
  }
}

interface Entry extends RecordedConfig {
  readonly result: RecordResult;
}
interface Entries {
  readonly rows: string;
  readonly entries: readonly Entry[];
}

function spaceOfDocument(
  name: string,
  text: string,
  document: Fields,
  { rows, entries }: Entries,
  { warn }: ReadOptions,
): Result<RecordedData, string> {
  const notes = new RowNotes(name);
  for (const [i, { result }] of entries.entries())
    notes.count(result, () => `${rows}[${i}] on line ${lineOfMember(text, rows, i)}`);
  const why = notes.none;
  if (why !== undefined) return err(why);
  for (const words of notes.words) warn?.(words);
  return spaceOf(name, entries, orderOf(document));
}

function spaceOf(
  name: string,
  records: readonly RecordedConfig[],
  order?: ReadonlyMap<string, readonly Json[]>,
): Result<RecordedData, string> {
  const data = collectRecords(name, records, order);
  return data.ok && data.value.time.every(Number.isNaN) ? err(`${name} holds no config that ran`) : data;
}

/** A space is of one task on one kind of device. A record that has a trace and no config is one choice among the traces. */
function spaceOfRecords(name: string, all: readonly TuningRecord[]): Result<RecordedData, string> {
  const records = all.filter(({ config, trace }) => config !== undefined || trace !== undefined);
  const kinds = new Map(
    records.map(({ task, args, device }) => {
      const words = `${task} ${JSON.stringify(args)}`;
      return [`${words} ${device?.key} ${device?.name}`, device?.name ? `${words} on ${device.name}` : words];
    }),
  );
  if (kinds.size > 1)
    return err(
      `${name} has records of ${kinds.size} tasks or kinds of device, and a space is of one: ${[...kinds.values()].slice(0, 4).join("; ")}${kinds.size > 4 ? "; ..." : ""}; import it, and export one with records export --task --args --device-name`,
    );
  return spaceOf(name, records.map(configOfRecord));
}

function configOfRecord({ config, trace, result, buildMs = 0, runMs = 0 }: TuningRecord): RecordedConfig {
  const entity = config?.entity ?? [["trace", "ot", shortNameOf(canonicalJson(trace ?? null))] as const];
  const costs = result.kind === "timed" ? result.costs : [];
  const sum = costs.reduce((a, b) => a + b, 0) * 1000;
  return {
    values: new Map(
      entity.map(([knob, , value]) => [knob, typeof value === "object" ? JSON.stringify(value) : asNumber(value)] as const),
    ),
    time: costs.length > 0 ? medianSeconds(costs) * 1000 : Number.NaN,
    cost: buildMs + Math.max(runMs, sum),
  };
}

export async function readUnzipped(path: string): Promise<Result<string, string>> {
  const bytes = await readFile(path);
  try {
    return ok(textOf(bytes));
  } catch (error) {
    return err(`${basename(path)} does not unpack: ${(error as Error).message}`);
  }
}

const isScalar = (value: unknown): value is Json => ["number", "string", "boolean"].includes(typeof value);
const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const fieldsIn = (value: Json | undefined): readonly Fields[] =>
  (Array.isArray(value) ? value : isFields(value) ? Object.values(value) : []).filter(isFields);

function recordsOf(document: Fields): Entries | undefined {
  const form = documentFormOf(document);
  if (form === "kernel-tuner") {
    const keys = (document.tune_params_keys as readonly Json[]).filter((key) => typeof key === "string");
    return { rows: "cache", entries: fieldsIn(document.cache).map((record) => kernelTunerRecord(keys, record)) };
  }
  if (form === "t4") {
    const unit = isFields(document.metadata) ? document.metadata.timeunit : undefined;
    return { rows: "results", entries: fieldsIn(document.results).map((record) => t4Record(record, unit)) };
  }
  if (form === "ktt") {
    const unit = isFields(document.Metadata) ? document.Metadata.TimeUnit : undefined;
    return { rows: "Results", entries: fieldsIn(document.Results).map((record) => kttRecord(record, unitMs(unit))) };
  }
  return undefined;
}

function orderOf(document: Fields): ReadonlyMap<string, readonly Json[]> | undefined {
  const { tune_params: lists, tune_params_keys: keys } = document;
  if (!isFields(lists) || !Array.isArray(keys)) return undefined;
  return new Map(
    keys.map((key): [string, Json[]] => {
      const list = lists[String(key)];
      return [String(key), Array.isArray(list) ? list.filter(isScalar) : []];
    }),
  );
}

/** Milliseconds; NaN where there is no valid time. `failed`: the file says that there is none. */
function timeIn(value: Json | undefined, unit: number | string, failed: boolean): Pick<Entry, "time" | "result"> {
  if (failed) return { time: Number.NaN, result: { kind: "failed", errorNo: 8, message: "the file says so" } };
  const result = timesAsResult([value], unit);
  return { time: result.kind === "timed" ? Number(value) * Number(unit) : Number.NaN, result };
}

function kernelTunerRecord(keys: readonly string[], record: Fields): Entry {
  const parts = ["compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"];
  return {
    values: new Map(keys.map((key) => [key, record[key] as Json])),
    ...timeIn(record.time, 1, typeof record.time === "string" && /(?:Config|Error)$/.test(record.time)),
    cost: parts.reduce((sum, part) => sum + numberOf(record[part]), 0),
  };
}

/** KTT writes values as text, and names overheads in its own way. */
function t4Record(record: Fields, headUnit: Json | undefined): Entry {
  const { configuration, times } = record;
  const { measured, result, unit } = t4Time(record, headUnit);
  const timed = measured.kind === "timed" || result.kind === "failed" ? measured : result;
  const spent = Object.values(isFields(times) ? times : {}).reduce(
    (sum: number, value) => sum + (Array.isArray(value) ? value.reduce((a, b) => a + numberOf(b), 0) : numberOf(value)),
    0,
  );
  return {
    values: new Map(Object.entries(isFields(configuration) ? configuration : {}).map(([key, value]) => [key, asNumber(value)])),
    time: timed.kind === "timed" ? medianSeconds(timed.costs) * 1000 : Number.NaN,
    result: timed,
    cost: typeof unit === "number" ? spent * unit : 0,
  };
}

function kttRecord(record: Fields, unit: number | string): Entry {
  const spent = [
    "TotalDuration",
    "TotalOverhead",
    "ExtraDuration",
    "DataMovementOverhead",
    "SearcherOverhead",
    "ValidationOverhead",
  ];
  return {
    values: new Map(fieldsIn(record.Configuration).map(({ Name, Value }) => [String(Name), asNumber(Value)])),
    ...timeIn(record.TotalDuration, unit, record.Status !== "Ok"),
    cost: typeof unit === "number" ? spent.reduce((sum, part) => sum + numberOf(record[part]), 0) * unit : 0,
  };
}

const asNumber = (value: Json | undefined): Json =>
  typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : (value as Json);
