/**
 * A record as a line of JSON: in the database, in an inbox, in `records export`, on the page. Its measurement has the form of
 * measure-json.ts.
 */
import { badInput, type Json, unnamable, unnamableWords, whyUnrecordable } from "@warpfarm/common";
import { entitySchema } from "./claim.ts";
import { judgedForm } from "./judged-json.ts";
import {
  count,
  formOf,
  leaseForm,
  observationsForm,
  optional,
  parts,
  recordDeviceForm,
  type SomeFailed,
  type SomeSlower,
  someFailedForm,
  someFailedParts,
  someOptionsForm,
  someSlowerForm,
  someSlowerParts,
  someTimedForm,
  text,
} from "./measure-json.ts";
import { z } from "./schema.ts";
import { type Standing, standingWords } from "./standing.ts";
import type { Entity, RecordConfig, RecordResult, RecordSearch, TuningRecord } from "./tuning-record.ts";
import { wellFormed } from "./well-formed.ts";

export const recordVersion = 1;

const json = z.unknown();
const config = z.object({
  index: count.optional(),
  code_hash: text.nullable(),
  entity: entitySchema,
});

type Written = Omit<TuningRecord, "standing" | "why">;

const search = formOf<RecordSearch>()({
  tuner: text.optional(),
  seed: z.number().int().optional(),
  trials: count.optional(),
  sequence: count.optional(),
  told: count.optional(),
  defaultSeconds: z.number().positive().optional(),
  librarySeconds: z.number().positive().optional(),
});
const fields = {
  id: text.min(1).max(200),
  origin: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("measured"), by: text }),
    z.object({ kind: z.literal("imported"), by: text, format: text }),
  ]),
  task: text,
  args: z.array(json),
  template: text.optional(),
  templateVersion: text.optional(),
  space: text.optional(),
  search: optional(search),
  config: config.optional(),
  trace: json.optional(),
  program: text.optional(),
  artifact: text.optional(),
  reference: text.optional(),
  computation: text.optional(),
  operations: z.number().nonnegative().optional(),
  target: text,
  toolchain: parts.toolchain.optional(),
  device: optional(recordDeviceForm),
  observations: optional(observationsForm),
  judged: optional(judgedForm),
  options: optional(someOptionsForm),
  buildMs: parts.buildMs.optional(),
  runMs: parts.runMs.optional(),
  busyMs: parts.busyMs.optional(),
  lease: optional(leaseForm),
  attempt: parts.attempt.optional(),
  interleaved: z.object({ run: text, place: count, of: count }).optional(),
  session: text.optional(),
  labels: z.record(text, text).optional(),
  private: z.boolean().optional(),
  timestampMs: count,
  foreign: z.record(text, json).optional(),
};
const ofRecord = formOf<Omit<Written, "result">>()(fields);
const whole = formOf<{ readonly version: number } & Omit<Written, "result"> & Omit<SomeSlower, "kind"> & SomeFailed>()({
  version: z.number(),
  ...fields,
  ...someSlowerParts,
  ...someFailedParts,
});

const version = z.literal(recordVersion);
export const recordSchema = z.discriminatedUnion("kind", [
  z.object({ version, ...ofRecord.schema.shape, ...someTimedForm.schema.shape }),
  z.object({ version, ...ofRecord.schema.shape, ...someSlowerForm.schema.shape }),
  z.object({ version, ...ofRecord.schema.shape, ...someFailedForm.schema.shape }),
]);
export type RecordJson = z.infer<typeof recordSchema>;

const shapeOf = (record: Written) =>
  whole.to({ version: recordVersion, ...record, ...record.result } as unknown as Parameters<typeof whole.to>[0]);
function resultOf(json: RecordJson): RecordResult {
  if (json.kind === "failed") return someFailedForm.from(json);
  return json.kind === "timed" ? someTimedForm.from(json) : someSlowerForm.from(json);
}
const recordOf = (json: RecordJson): TuningRecord => ({
  ...ofRecord.from(json),
  result: resultOf(json),
});

/** Whether encodeRecord would write the fields in the order that they have. */
export const isInOrder = (json: RecordJson): boolean => whole.isInOrder(json as unknown as Parameters<typeof whole.isInOrder>[0]);

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

/** A line of a file or of the store, without the standing, which only a store knows. */
export const encodeRecord = (record: TuningRecord): string => JSON.stringify(shapeOf(record));

export const contentText = (record: Written): string =>
  JSON.stringify({ ...shapeOf(record), version: undefined, id: undefined, origin: undefined });

/** A tracker's answer: with the standing. */
export function encodeAsRead(record: TuningRecord): string {
  const text = encodeRecord(record);
  const { standing, why } = record;
  return standing === undefined ? text : `${text.slice(0, -1)},${JSON.stringify({ standing, why }).slice(1)}`;
}

/** The inverse of encodeAsRead. Throws as recordFromJson does. */
export function recordAsRead(json: unknown): TuningRecord {
  if (typeof json !== "object" || json === null || !("standing" in json)) return recordFromJson(json);
  const { standing, why, ...fields } = json as { readonly standing: unknown; readonly why?: unknown };
  const known = standingWords.find((each) => each === standing) as Standing | undefined;
  const read = recordFromJson(fields);
  if (known === undefined) return read;
  return { ...read, standing: known, ...(typeof why === "string" ? { why } : {}) };
}

export const recordToJson = (record: TuningRecord): RecordJson => JSON.parse(encodeAsRead(record)) as RecordJson;

export const decodeRecord = (line: string): TuningRecord => recordOf(JSON.parse(line) as RecordJson);

const isRecord = wellFormed(recordSchema);
/** Whether zod would accept the value and change nothing, which is known in a tenth of zod's time. */
export const isRecordJson = (json: unknown): json is RecordJson => isRecord(json);

/** Decodes JSON of any file. Throws INVALID_ARGUMENT that names the field. */
export const recordFromJson = (json: unknown): TuningRecord => recordOf(isRecordJson(json) ? json : parsed(json));

function parsed(json: unknown): RecordJson {
  const unnamed = unnamable(json);
  if (unnamed !== undefined) throw badInput(`${unnamed}: ${unnamableWords}`);
  const { data, error } = recordSchema.safeParse(json);
  if (data) return data;
  const [issue] = error.issues;
  throw badInput(`${issue?.path.join(".") || "the record"}: ${issue?.message}`);
}
