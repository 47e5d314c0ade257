/**
 * Files of recorded spaces, gzipped or not, told apart by their shape:
 *
 *   Kernel Tuner cache  {tune_params_keys, tune_params, cache: {"16,1": {time, compile_time, ...}}}; a run that was cut short
 *                       lacks the last braces
 *   T4                  {results: [{configuration, times, invalidity, measurements}]} (the community's format of results)
 *   KTT                 {Metadata: {TimeUnit}, Results: [{Configuration, Status, TotalDuration, ...}]}
 *
 * Times of the first are milliseconds by definition, of the others as their header says.
 */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { err, type Json, ok, type Result } from "@warpfarm/common";
import { collectRecords, type RecordedConfig, type RecordedData } from "./recorded-space.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Most bytes a file may unpack to. */
const mostBytes = 1024 ** 3;

/** The file's space, or one sentence. Rejects only when the file cannot be read. */
export async function readRecorded(path: string): Promise<Result<RecordedData, string>> {
  const text = await readUnzipped(path);
  return text.ok ? parseRecorded(basename(path), text.value) : text;
}

/** The file's text, unpacked when it is gzipped. Rejects only when the file cannot be read. */
export async function readUnzipped(path: string): Promise<Result<string, string>> {
  const bytes = await readFile(path);
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  try {
    return ok((zipped ? gunzipSync(bytes, { maxOutputLength: mostBytes }) : bytes).toString("utf8"));
  } catch (error) {
    return err(`${basename(path)} does not unpack: ${(error as Error).message}`);
  }
}

export function parseRecorded(name: string, text: string): Result<RecordedData, string> {
  if (text.trim() === "") return err(`${name} is empty`);
  const document = parseUnclosed(text);
  if (document === undefined) return err(`${name} is not JSON, and closing its braces does not make it so`);
  const records = isFields(document) ? recordsOf(document) : undefined;
  if (records === undefined) return err(`${name} is neither a Kernel Tuner cache nor T4 nor KTT output${problemWords(document)}`);
  const data = collectRecords(name, records, isFields(document) ? orderOf(document) : undefined);
  if (data.ok && data.value.time.every(Number.isNaN)) return err(`${name} holds no config that ran`);
  return data;
}

/** A problem file, which `space --stats` takes, is easily confused with it. */
const problemWords = (document: unknown): string =>
  isFields(document) && "ConfigurationSpace" in document ? ": it describes a problem and has no measurements" : "";

/**
 * Parses JSON. Of a cache that was never closed it gives the records that are there: one per line, where the last may be cut off.
 */
function parseUnclosed(text: string): unknown {
  const closed = (part: string) => `${part.trimEnd().replace(/,$/, "")}}}`;
  for (const whole of [text, closed(text), closed(text.slice(0, text.lastIndexOf("\n")))]) {
    try {
      return JSON.parse(whole);
    } catch {}
  }
  return undefined;
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): value is Json => ["number", "string", "boolean"].includes(typeof value);
const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

function recordsOf(document: Fields): readonly RecordedConfig[] | undefined {
  if (isFields(document.cache) && Array.isArray(document.tune_params_keys)) {
    const keys = document.tune_params_keys.filter((key) => typeof key === "string");
    return Object.values(document.cache)
      .filter(isFields)
      .map((record) => kernelTunerRecord(keys, record));
  }
  if (Array.isArray(document.results)) {
    const unit = unitMs(isFields(document.metadata) ? document.metadata.timeunit : undefined);
    return document.results.filter(isFields).map((record) => t4Record(record, unit));
  }
  if (Array.isArray(document.Results)) {
    const unit = unitMs(isFields(document.Metadata) ? document.Metadata.TimeUnit : undefined);
    return document.Results.filter(isFields).map((record) => kttRecord(record, unit));
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

const timed = (time: unknown): number => (typeof time === "number" && Number.isFinite(time) && time > 0 ? time : Number.NaN);

function kernelTunerRecord(keys: readonly string[], record: Fields): RecordedConfig {
  const parts = ["compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"];
  return {
    values: new Map(keys.map((key) => [key, record[key] as Json])),
    time: timed(record.time),
    cost: parts.reduce((sum, part) => sum + numberOf(record[part]), 0),
  };
}

/** KTT writes values as text, and names overheads in its own way. */
function t4Record(record: Fields, unit: number): RecordedConfig {
  const { configuration, times, measurements, invalidity } = record;
  const entries = Object.entries(isFields(configuration) ? configuration : {});
  const measured = Array.isArray(measurements) ? measurements.filter(isFields).find((m) => m.name === "time") : undefined;
  const spent = Object.entries(isFields(times) ? times : {}).reduce(
    (sum, [, value]) => sum + (Array.isArray(value) ? value.reduce((a, b) => a + numberOf(b), 0) : numberOf(value)),
    0,
  );
  const failed = invalidity !== undefined && invalidity !== "correct";
  return {
    values: new Map(entries.map(([key, value]) => [key, asNumber(value)])),
    time: failed ? Number.NaN : timed(measured?.value) * unit,
    cost: spent * unit,
  };
}

function kttRecord(record: Fields, unit: number): RecordedConfig {
  const pairs = Array.isArray(record.Configuration) ? record.Configuration.filter(isFields) : [];
  const spent = [
    "TotalDuration",
    "TotalOverhead",
    "ExtraDuration",
    "DataMovementOverhead",
    "SearcherOverhead",
    "ValidationOverhead",
  ];
  return {
    values: new Map(pairs.map(({ Name, Value }) => [String(Name), asNumber(Value)])),
    time: record.Status === "Ok" ? timed(record.TotalDuration) * unit : Number.NaN,
    cost: spent.reduce((sum, part) => sum + numberOf(record[part]), 0) * unit,
  };
}

const asNumber = (value: unknown): Json =>
  typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : (value as Json);

/** Milliseconds in a unit. The community's files spell it "miliseconds". */
function unitMs(unit: unknown): number {
  const name = String(unit ?? "milliseconds").toLowerCase();
  if (name.startsWith("nano")) return 1e-6;
  if (name.startsWith("micro")) return 1e-3;
  return name.startsWith("s") ? 1000 : 1;
}
