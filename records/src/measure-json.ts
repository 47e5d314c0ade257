/**
 * A measurement as JSON. This is its only form: a line of a log, a record, `records export`, `measure --json` and the page have
 * it. Fields have the names of common/src/measure.ts in snake_case; those without a value are left out. Unknown fields are
 * ignored, because a later minor version may add some. A farm tells every field of a result. A record that was imported has those
 * that its file had.
 */
import {
  type DeviceFacts,
  type FailedResult,
  inputKinds,
  isDigest,
  type Json,
  type LeaseTimes,
  type MeasureOptions,
  type MeasureResult,
  type Mismatch,
  type Observations,
  type Observed,
  observed,
  powerStates,
  type SlowerResult,
  type Snake,
  snakeOf,
  type TimedResult,
} from "@warpfarm/common";
import { type Fields, isFields } from "./json-text.ts";
import { judgedForm } from "./judged-json.ts";
import { longestSeconds, timesAsResult } from "./measured-time.ts";
import { z } from "./schema.ts";
import type { RecordDevice, RecordResult } from "./tuning-record.ts";

/** A form in JSON of a value, with both conversions. `from` takes what the schema accepted. */
export interface Form<D, S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  readonly to: (value: D) => z.infer<S>;
  readonly from: (json: z.infer<S>) => D;
  /** Whether `to` would write the fields in the order that they have. */
  readonly isInOrder: (json: z.infer<S>) => boolean;
}
/** A part of a form: a schema where JSON and value are the same. */
// biome-ignore lint/suspicious/noExplicitAny: a form takes only its own values
type Part = z.ZodType | Form<any>;
type SchemaOf<P extends Part> = P extends z.ZodType ? P : P extends { readonly schema: infer S extends z.ZodType } ? S : never;
type Parts = { readonly [name: string]: Part };
type Schema<P> = z.ZodObject<{ -readonly [K in keyof P & string as Snake<K>]: P[K] extends Part ? SchemaOf<P[K]> : never }>;
/** Every field of the value, so that none is forgotten. */
type PartsOf<D> = { readonly [K in keyof Required<D>]: Part };

const isForm = (part: Part): part is Form<unknown> => "schema" in part;
const schemaOf = (part: Part): z.ZodType => (isForm(part) ? part.schema : part);

/** The form of an object with these fields, in this order. */
export function formOf<D extends object>() {
  return <P extends PartsOf<D>>(parts: P): Form<D, Schema<P>> => {
    const fields = Object.entries(parts as unknown as Parts).map(([name, part]) => ({
      name,
      key: snakeOf(name) as string,
      form: isForm(part) ? part : undefined,
      schema: schemaOf(part),
    }));
    return {
      schema: z.object(Object.fromEntries(fields.map(({ key, schema }) => [key, schema]))) as unknown as Schema<P>,
      to(value) {
        const json: { [key: string]: unknown } = {};
        for (const { name, key, form } of fields) {
          const field = (value as { readonly [name: string]: unknown })[name];
          json[key] = form === undefined || field === undefined ? field : form.to(field);
        }
        return json as z.infer<Schema<P>>;
      },
      from(json) {
        const value: { [name: string]: unknown } = {};
        for (const { name, key, form } of fields) {
          const field = (json as { readonly [key: string]: unknown })[key];
          if (field !== undefined) value[name] = form === undefined ? field : form.from(field);
        }
        return value as D;
      },
      isInOrder(json) {
        let at = -1;
        for (const [key, field] of Object.entries(json as object)) {
          at = fields.findIndex((each, i) => i > at && each.key === key);
          if (at < 0) return false;
          const { form } = fields[at] as (typeof fields)[number];
          if (form !== undefined && !form.isInOrder(field)) return false;
        }
        return true;
      },
    };
  };
}

export const optional = <D, S extends z.ZodType>({ schema, ...ways }: Form<D, S>): Form<D, z.ZodOptional<S>> =>
  ({ ...ways, schema: schema.optional() }) as Form<D, z.ZodOptional<S>>;

export const text = z.string();
export const count = z.number().int().nonnegative();
const number = z.number();

const deviceParts = { key: text, name: text, uuid: text, node: text, driver: text };
export const deviceForm = formOf<DeviceFacts>()(deviceParts);
/** The device of a record: what its file tells. */
export const recordDeviceForm = formOf<RecordDevice>()({
  ...deviceParts,
  uuid: text.optional(),
  node: text.optional(),
  driver: text.optional(),
  sharing: text.optional(),
});

const observedParts = Object.fromEntries(observed.map((name) => [name, number.optional()])) as {
  readonly [K in Observed]: z.ZodOptional<z.ZodNumber>;
};
export const observationsForm = formOf<Observations>()({
  ...observedParts,
  throttleReasons: z.array(text).optional(),
  steady: z.boolean().optional(),
});

const optionParts = {
  number: count,
  repeat: count,
  precision: number,
  minRepeatMs: number,
  buildTimeoutMs: number,
  runTimeoutMs: number,
  cooldownMs: number,
  l2: z.enum(["warm", "flushed"]),
  timer: z.enum(["cuda_graph", "events", "wall"]),
  check: z.enum(["reference", "none"]),
  inputs: z.enum(inputKinds),
  power: z.enum(powerStates),
  judged: z.literal(true).optional(),
  incumbent: z.union([number.positive(), z.literal("best")]).optional(),
};
export const optionsForm = formOf<MeasureOptions>()(optionParts);
type MaybeParts<P> = {
  readonly [K in keyof P]: P[K] extends z.ZodOptional ? P[K] : P[K] extends z.ZodType ? z.ZodOptional<P[K]> : never;
};
const maybe = <P extends { readonly [name: string]: z.ZodType }>(parts: P): MaybeParts<P> =>
  Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, part instanceof z.ZodOptional ? part : part.optional()]),
  ) as MaybeParts<P>;
/** The options of a record: what its file tells. */
export const someOptionsForm = formOf<Partial<MeasureOptions>>()(maybe(optionParts));

/** JSON has no NaN and no infinities. They are written as in proto3 JSON. */
const element: Form<
  number,
  z.ZodUnion<readonly [z.ZodNumber, z.ZodEnum<{ NaN: "NaN"; Infinity: "Infinity"; "-Infinity": "-Infinity" }>]>
> = {
  schema: z.union([number, z.enum(["NaN", "Infinity", "-Infinity"])]),
  to: (value) => (Number.isFinite(value) ? value : (String(value) as "NaN")),
  from: Number,
  isInOrder: () => true,
};
const mismatchForm = formOf<Mismatch>()({ buffer: text, index: count, expected: element, got: element, count });

export const leaseForm = formOf<LeaseTimes>()({ queueMs: number, transferMs: number, heldMs: number });

export const parts = {
  costs: z.array(number.positive().max(longestSeconds)).min(1),
  atLeast: number.positive().max(longestSeconds),
  number: count,
  checked: z.boolean(),
  errorNo: number.int().min(1).max(8),
  rule: text,
  message: text,
  artifact: text.refine(isDigest, "is no digest"),
  buildMs: number,
  runMs: number,
  busyMs: number,
  attempt: count,
  toolchain: text,
  timestampMs: number,
} as const;

const ends = {
  buildMs: parts.buildMs,
  runMs: parts.runMs,
  timestampMs: parts.timestampMs,
  attempt: parts.attempt,
  toolchain: parts.toolchain.optional(),
  lease: optional(leaseForm),
};
const ran = {
  costs: parts.costs,
  number: parts.number,
  busyMs: parts.busyMs,
  checked: parts.checked,
  device: deviceForm,
  observations: observationsForm,
  artifact: parts.artifact,
  judged: optional(judgedForm),
  ...ends,
};
/** Times of programs measured interleaved are in records of their own, and in a log's note of finalists. */
const timedForm = formOf<Omit<TimedResult, "paired">>()({ kind: z.literal("timed"), ...ran });
const slowerForm = formOf<SlowerResult>()({ kind: z.literal("slower"), atLeast: parts.atLeast, ...ran });
const failedForm = formOf<Omit<FailedResult, "failedProgram">>()({
  kind: z.literal("failed"),
  errorNo: parts.errorNo,
  rule: parts.rule.optional(),
  message: parts.message,
  log: text.optional(),
  mismatch: optional(mismatchForm),
  busyMs: parts.busyMs.optional(),
  device: optional(deviceForm),
  ...ends,
});

export const timedSchema = timedForm.schema;
export const slowerSchema = slowerForm.schema;
export const failedSchema = failedForm.schema;
export const resultSchema = z.discriminatedUnion("kind", [timedSchema, slowerSchema, failedSchema]);
type ResultJson = z.infer<typeof resultSchema>;

/** A farm's result, without the programs measured interleaved with it. */
export function resultToJson(result: MeasureResult): ResultJson {
  if (result.kind === "failed") return failedForm.to(result);
  return result.kind === "timed" ? timedForm.to(result) : slowerForm.to(result);
}
export function resultFromJson(json: ResultJson): MeasureResult {
  if (json.kind === "failed") return failedForm.from(json);
  return json.kind === "timed" ? timedForm.from(json) : slowerForm.from(json);
}

type SomeTimed = Extract<RecordResult, { readonly kind: "timed" }>;
export type SomeSlower = Extract<RecordResult, { readonly kind: "slower" }>;
export type SomeFailed = Extract<RecordResult, { readonly kind: "failed" }>;
const someTimedParts = {
  kind: z.literal("timed"),
  costs: parts.costs,
  number: parts.number.optional(),
  checked: parts.checked.optional(),
};
export const someSlowerParts = { ...someTimedParts, kind: z.literal("slower"), atLeast: parts.atLeast };
export const someFailedParts = {
  kind: z.literal("failed"),
  errorNo: parts.errorNo,
  rule: parts.rule.optional(),
  message: parts.message,
};
export const someTimedForm = formOf<SomeTimed>()(someTimedParts);
export const someSlowerForm = formOf<SomeSlower>()(someSlowerParts);
export const someFailedForm = formOf<SomeFailed>()(someFailedParts);

/** A measurement from a file's JSON. One with an impossible time becomes a failure. */
export function timesRead(json: Json): Json {
  if (!isFields(json) || json.kind !== "timed") return json;
  const read = timesAsResult(Array.isArray(json.costs) ? json.costs : [], 1000);
  return read.kind === "timed" ? json : { ...json, ...(someFailedForm.to(read) as Fields) };
}
