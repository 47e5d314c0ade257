/**
 * A record as a line of JSON: in the database, in an inbox, in `records export`. Fields are snake_case, as in a log. Fields
 * without a value are left out. Unknown fields are ignored, because a later minor version may add some.
 */
import {
  FarmError,
  type Json,
  type MeasureOptions,
  type Observations,
  unnamable,
  unnamableWords,
  whyUnrecordable,
} from "@warpfarm/common";
import { entitySchema } from "./claim.ts";
import { longestSeconds } from "./measured-time.ts";
import { z } from "./schema.ts";
import { type Standing, standingWords } from "./standing.ts";
import type { Entity, RecordConfig, RecordResult, RecordSearch, TuningRecord } from "./tuning-record.ts";
import { wellFormed } from "./well-formed.ts";

export const recordVersion = 1;

const text = z.string();
const count = z.number().int().nonnegative();
/** Whatever JSON.parse gave. */
const json = z.unknown();
const config = z.object({
  index: count.optional(),
  code_hash: text.nullable(),
  entity: entitySchema,
});
const device = z.object({
  key: text,
  name: text,
  uuid: text.optional(),
  node: text.optional(),
  driver: text.optional(),
  sharing: text.optional(),
});
const observations = z.object({
  sm_clock_mhz: z.number().optional(),
  memory_clock_mhz: z.number().optional(),
  temperature_c: z.number().optional(),
  power_w: z.number().optional(),
  energy_j: z.number().optional(),
  throttle_reasons: z.array(text).optional(),
});
const options = z.object({
  number: count.optional(),
  repeat: count.optional(),
  min_repeat_ms: z.number().optional(),
  build_timeout_ms: z.number().optional(),
  run_timeout_ms: z.number().optional(),
  cooldown_ms: z.number().optional(),
  l2: z.enum(["warm", "flushed"]).optional(),
  timer: z.enum(["cuda_graph", "events", "wall"]).optional(),
  check: z.enum(["reference", "none"]).optional(),
  cutoff_seconds: z.number().optional(),
});
const search = z.object({
  tuner: text.optional(),
  seed: z.number().int().optional(),
  trials: count.optional(),
  sequence: count.optional(),
  told: count.optional(),
  default_seconds: z.number().positive().optional(),
  library_seconds: z.number().positive().optional(),
});
const result = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("timed"),
    costs: z.array(z.number().positive().max(longestSeconds)).min(1),
    number: count.optional(),
    check: z.enum(["passed", "none", "unknown"]),
  }),
  z.object({
    kind: z.literal("failed"),
    error_no: z.number().int().min(1).max(8),
    rule: text.optional(),
    message: text,
  }),
]);
export const recordSchema = z.object({
  version: z.literal(recordVersion),
  id: text.min(1).max(200),
  origin: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("measured"), by: text }),
    z.object({ kind: z.literal("imported"), by: text, format: text }),
  ]),
  task: text,
  args: z.array(json),
  template: text.optional(),
  template_version: text.optional(),
  space: text.optional(),
  search: search.optional(),
  config: config.optional(),
  trace: json.optional(),
  program: text.optional(),
  artifact: text.optional(),
  reference: text.optional(),
  computation: text.optional(),
  operations: z.number().nonnegative().optional(),
  target: text,
  toolchain: text.optional(),
  device: device.optional(),
  observations: observations.optional(),
  options: options.optional(),
  result,
  build_ms: z.number().optional(),
  run_ms: z.number().optional(),
  busy_ms: z.number().optional(),
  attempt: count.optional(),
  session: text.optional(),
  labels: z.record(text, text).optional(),
  private: z.boolean().optional(),
  timestamp_ms: count,
  foreign: z.record(text, json).optional(),
});

/** The config of a CSV file's column; undefined when it is not one. */
export function recordConfigFromJson(text: string): RecordConfig | undefined {
  return parsedBy(config, text) as RecordConfig | undefined;
}
/** The config by its knobs' values in JSON text from an untrusted sender; undefined when it is not one. */
export function entityFromJson(text: string): Entity | undefined {
  return parsedBy(entitySchema, text) as Entity | undefined;
}
function parsedBy<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    const json = JSON.parse(text) as Json;
    return whyUnrecordable(json) === undefined ? schema.safeParse(json).data : undefined;
  } catch {
    return undefined;
  }
}

const known: { [name: string]: string } = Object.create(null);
let knownSize = 0;

function camel(name: string): string {
  const found = known[name];
  if (found !== undefined) return found;
  const made = name.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase());
  // Names are usually those of records, but a file may have others.
  if (knownSize++ < 1_000) known[name] = made;
  return made;
}

/** Fields whose contents are data and keep their names. */
const opaque = new Set(["args", "config", "trace", "labels", "foreign"]);

function inCamel(value: object): { [name: string]: unknown } {
  const made: { [name: string]: unknown } = {};
  // JSON.parse and the schema give objects with only their own keys. Object.entries would cost as much as everything else here.
  for (const key of Object.keys(value)) {
    const v = (value as { readonly [name: string]: unknown })[key];
    if (v === undefined) continue;
    const isPlain = typeof v !== "object" || v === null || Array.isArray(v) || opaque.has(key);
    made[camel(key)] = isPlain ? v : inCamel(v);
  }
  return made;
}

type Snake<S extends string> = S extends `${infer C}${infer Rest}`
  ? `${C extends Lowercase<C> ? C : `_${Lowercase<C>}`}${Snake<Rest>}`
  : "";
/** Every field under its name in JSON: one that is forgotten, or that there is not, does not compile. */
type Named<T> = { readonly [K in keyof T & string as Snake<K>]-?: unknown };
/** What a file has of a record. */
type Written = Omit<TuningRecord, "standing" | "why">;

/** Objects of one shape with undefined fields, which JSON leaves out, take half of the time of objects that are put together. */
const recordShape = (r: Written): Named<Written> & { readonly version: number } => ({
  version: recordVersion,
  id: r.id,
  origin: r.origin,
  task: r.task,
  args: r.args,
  template: r.template,
  template_version: r.templateVersion,
  space: r.space,
  search: r.search && searchShape(r.search),
  config: r.config,
  trace: r.trace,
  program: r.program,
  artifact: r.artifact,
  reference: r.reference,
  computation: r.computation,
  operations: r.operations,
  target: r.target,
  toolchain: r.toolchain,
  device: r.device,
  observations: r.observations && observationsShape(r.observations),
  options: r.options && optionsShape(r.options),
  result: r.result.kind === "timed" ? r.result : failureShape(r.result),
  build_ms: r.buildMs,
  run_ms: r.runMs,
  busy_ms: r.busyMs,
  attempt: r.attempt,
  session: r.session,
  labels: r.labels,
  private: r.private,
  timestamp_ms: r.timestampMs,
  foreign: r.foreign,
});
const searchShape = (s: RecordSearch): Named<RecordSearch> => ({
  tuner: s.tuner,
  seed: s.seed,
  trials: s.trials,
  sequence: s.sequence,
  told: s.told,
  default_seconds: s.defaultSeconds,
  library_seconds: s.librarySeconds,
});
const observationsShape = (o: Observations): Named<Observations> => ({
  sm_clock_mhz: o.smClockMhz,
  memory_clock_mhz: o.memoryClockMhz,
  temperature_c: o.temperatureC,
  power_w: o.powerW,
  energy_j: o.energyJ,
  throttle_reasons: o.throttleReasons,
});
const optionsShape = (o: Partial<MeasureOptions>): Named<MeasureOptions> => ({
  number: o.number,
  repeat: o.repeat,
  min_repeat_ms: o.minRepeatMs,
  build_timeout_ms: o.buildTimeoutMs,
  run_timeout_ms: o.runTimeoutMs,
  cooldown_ms: o.cooldownMs,
  l2: o.l2,
  timer: o.timer,
  check: o.check,
  cutoff_seconds: o.cutoffSeconds,
});
type Failure = Extract<RecordResult, { readonly kind: "failed" }>;
const failureShape = (f: Failure): Named<Failure> => ({
  kind: f.kind,
  error_no: f.errorNo,
  rule: f.rule,
  message: f.message,
});

/** As a line of a file or of the store: without the standing, which only a store knows. */
export const encodeRecord = (record: TuningRecord): string => JSON.stringify(recordShape(record));

/** What a record says, without its id and origin. Equal contents are equal texts. */
export const contentText = (record: Written): string =>
  JSON.stringify({ ...recordShape(record), version: undefined, id: undefined, origin: undefined });

/** As a tracker tells it: with the standing. */
export function encodeAsRead(record: TuningRecord): string {
  const text = encodeRecord(record);
  const { standing, why } = record;
  return standing === undefined ? text : `${text.slice(0, -1)},${JSON.stringify({ standing, why }).slice(1)}`;
}

/** What encodeAsRead wrote. Throws as recordFromJson does. */
export function recordAsRead(json: unknown): TuningRecord {
  if (typeof json !== "object" || json === null || !("standing" in json)) return recordFromJson(json);
  const { standing, why, ...fields } = json as { readonly standing: unknown; readonly why?: unknown };
  const known = standingWords.find((each) => each === standing) as Standing | undefined;
  const read = recordFromJson(fields);
  if (known === undefined) return read;
  return { ...read, standing: known, ...(typeof why === "string" ? { why } : {}) };
}

export const recordToJson = (record: TuningRecord): Json => JSON.parse(encodeAsRead(record)) as Json;

/** Decodes a line of this store's database, which encodeRecord wrote. */
export function decodeRecord(line: string): TuningRecord {
  const { version: _, ...json } = JSON.parse(line) as { version: number };
  return inCamel(json) as unknown as TuningRecord;
}

/** A record in JSON, as its schema has it. */
export type RecordJson = z.infer<typeof recordSchema>;

const isRecord = wellFormed(recordSchema);
/** Whether zod would accept the value and change nothing, which is known in a tenth of zod's time. */
export const isRecordJson = (json: unknown): json is RecordJson => isRecord(json);

/** Decodes JSON of any file. Throws INVALID_ARGUMENT that names the field. */
export function recordFromJson(json: unknown): TuningRecord {
  const { version: _, ...fields } = isRecordJson(json) ? json : parsed(json);
  return inCamel(fields) as unknown as TuningRecord;
}

function parsed(json: unknown): RecordJson {
  const unnamed = unnamable(json);
  if (unnamed !== undefined) throw new FarmError("INVALID_ARGUMENT", `${unnamed}: ${unnamableWords}`);
  const { data, error } = recordSchema.safeParse(json);
  if (data) return data;
  const [issue] = error.issues;
  throw new FarmError("INVALID_ARGUMENT", `${issue?.path.join(".") || "the record"}: ${issue?.message}`);
}

/** The names of an object's fields in the order in which they are written, by the name of the field that has the object. */
const orders: ReadonlyMap<string, readonly string[]> = new Map([
  ["", Object.keys(recordShape({ result: { kind: "timed" } } as unknown as Written))],
  ["search", Object.keys(searchShape({}))],
  ["observations", Object.keys(observationsShape({}))],
  ["options", Object.keys(optionsShape({}))],
]);
const orderOfFailure = Object.keys(failureShape({} as Failure));

/** Whether encodeRecord would write the fields in the order that they have. */
export const isInOrder = (json: RecordJson): boolean =>
  [...orders].every(([name, order]) => follows(name === "" ? json : json[name as "search"], order)) &&
  (json.result.kind === "timed" || follows(json.result, orderOfFailure));

function follows(object: object | undefined, order: readonly string[]): boolean {
  if (object === undefined) return true;
  let at = -1;
  for (const name of Object.keys(object)) {
    at = order.indexOf(name, at + 1);
    if (at < 0) return false;
  }
  return true;
}
