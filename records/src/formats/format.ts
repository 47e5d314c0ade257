/**
 * Forms in which records are read and written; file-forms.ts tells them apart. A form of lines has one record per line, so files
 * of any size can be streamed. A document, of text or bytes, is read completely. What a form has and a record has no field for is
 * kept in the record's `foreign`, so the file can be written again.
 */
import { badInput, canonicalJson, type Json } from "@warpfarm/common";
import type { DocumentFormName, LineFormName } from "../file-forms.ts";
import { type Fields, isFields } from "../json-text.ts";
import type { RecordConfig, TuningRecord } from "../tuning-record.ts";

interface Written {
  /** Whether a program that ended early is written: as a bound, or beside its line's own words for it. Absent: it is left out. */
  readonly hasBounds?: true;
  /** Why the form cannot hold the record, in words that follow "it"; undefined when it can. Absent: it can hold all. */
  readonly lacks?: (record: TuningRecord) => string | undefined;
}

interface LineReader {
  /** Undefined for a line without a record, such as a head. Throws Error. */
  read(line: string): TuningRecord | undefined;
  /** A comment. */
  note?(line: string): void;
  /** After the last line. Throws Error when a record is not complete. */
  end?(): void;
}

export interface LineForm extends Written {
  readonly kind: "lines";
  readonly name: LineFormName | "autotvm-0.1";
  reader(): LineReader;
  readonly head?: string;
  write(record: TuningRecord): string;
}

/** What a document says of evaluating its configs, beside what a record holds. */
export interface Evaluations {
  /** In the order of the records. */
  readonly rows: readonly {
    /** Milliseconds of the config as the form names them, a mean or a median; NaN where it names none. */
    readonly ms: number;
    /** Milliseconds that evaluating it took: building, checking, measuring and what the framework added. */
    readonly costMs: number;
  }[];
  /** The values of each knob in the file's order, where it has one. */
  readonly values?: ReadonlyMap<string, readonly Json[]>;
}

export interface DocumentForm extends Written {
  readonly kind: "document";
  readonly name: DocumentFormName;
  readonly rows: string;
  /** `problem`: a T1 document that belongs to the results. Throws Error. */
  read(document: Fields, problem: Fields | undefined): readonly TuningRecord[];
  /** Of a document that `read` takes. Absent: its records say all. */
  evaluations?(document: Fields): Evaluations;
  /** Writes one record or more. Throws FarmError INVALID_ARGUMENT for records that do not fit into one file of the form. */
  write(records: readonly TuningRecord[]): Json;
}

export interface BytesForm extends Written {
  readonly kind: "bytes";
  readonly name: string;
  /** Whether the file has this form. `start`: its first bytes, 16 at most. */
  claims(start: Uint8Array): boolean;
  /** Rejects with an Error. */
  read(bytes: Uint8Array): Promise<readonly TuningRecord[]>;
  write(records: readonly TuningRecord[]): Promise<Uint8Array>;
}

/** The id of what a form reads, until somebody imports it (importedRecord). */
export const notImported = "-";

export type Form = LineForm | DocumentForm | BytesForm;

/** The config of a file that has only names and values. */
export const configOf = (values: readonly (readonly [name: string, value: Json])[]): RecordConfig => ({
  code_hash: null,
  entity: values.map(([name, value]) => [name, "ot", value] as const),
});

/** Whether it lacks a config, as does the default schedule, the first record of a search. */
export const lacksConfig = ({ config }: TuningRecord): string | undefined => (config === undefined ? "has no config" : undefined);

/** Knobs as scalars, the only values of most forms. A list is written as its JSON. Expects a record with a config. */
export const scalarsOf = ({ config }: TuningRecord): readonly (readonly [string, string | number | boolean])[] =>
  (config?.entity ?? []).map(([name, , value]) => [name, typeof value === "object" ? JSON.stringify(value) : value] as const);

/** Each knob's values, in the order in which the records have them. */
export function valuesMet(records: readonly TuningRecord[]): ReadonlyMap<string, readonly Json[]> {
  const met = new Map<string, Set<Json>>();
  for (const [knob, value] of records.flatMap(scalarsOf)) met.set(knob, (met.get(knob) ?? new Set()).add(value));
  return new Map([...met].map(([knob, values]) => [knob, [...values]]));
}

/**
 * What writing a record again would not reproduce of an entry: fields that differ (`entry`), and names that writing would add
 * (`without`). Kept as foreign, so that restored(written again) is the entry.
 */
export function remainder(entry: Fields, written: Fields): { entry?: Fields; without?: readonly string[] } {
  const differ = Object.entries(entry).filter(
    ([name, value]) => !Object.hasOwn(written, name) || canonicalJson(written[name] as Json) !== canonicalJson(value),
  );
  const added = Object.keys(written).filter((name) => !Object.hasOwn(entry, name));
  return {
    ...(differ.length === 0 ? {} : { entry: Object.fromEntries(differ) }),
    ...(added.length === 0 ? {} : { without: added }),
  };
}
export function restored(written: Fields, kept: Json | undefined): Fields {
  if (!isFields(kept)) return written;
  const without = new Set(Array.isArray(kept.without) ? kept.without : []);
  const all = { ...written, ...(isFields(kept.entry) ? kept.entry : {}) };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !without.has(name)));
}

/** The record of an entry, without the importer's name. `written`: what writing the record would give. */
export function importedEntry(
  form: string,
  entry: Fields,
  written: (record: TuningRecord) => Fields,
  content: Omit<TuningRecord, "id" | "origin" | "foreign">,
): TuningRecord {
  const origin = { kind: "imported", by: "", format: form } as const;
  const kept = remainder(entry, written({ id: "", origin, ...content })) as Fields;
  const whole = { ...content, ...(Object.keys(kept).length === 0 ? {} : { foreign: kept }) };
  return { id: notImported, origin, ...whole };
}

export const foreignOf = ({ origin, foreign }: TuningRecord, form: string): Fields =>
  origin.kind === "imported" && origin.format === form ? (foreign ?? {}) : {};

/**
 * Only the first record keeps the file's head, which is long and mostly repeats what records have, and `more` of it.
 * `head`: what writing the first record would not say.
 */
export function withHead(
  [first, ...others]: readonly TuningRecord[],
  head: (first: TuningRecord) => ReturnType<typeof remainder>,
  more: Fields = {},
): readonly TuningRecord[] {
  if (first === undefined) return [];
  return [{ ...first, foreign: { ...first.foreign, head: head(first) as Json, ...more } }, ...others];
}

/** The head that all records of a file share. */
export function headOf(records: readonly TuningRecord[], form: string): Json | undefined {
  return records.map((record) => foreignOf(record, form).head).find((head) => head !== undefined);
}

/** Documents of most forms have one task on one kind of device. Throws INVALID_ARGUMENT that names what the records have. */
export function onlyOne(records: readonly TuningRecord[], form: string): TuningRecord {
  const kinds = new Map(
    records.map((record): [string, TuningRecord] => [
      `${record.task} ${JSON.stringify(record.args)} on ${record.device?.name ?? "no device"}`,
      record,
    ]),
  );
  // A failure from before a device was involved belongs to the task on any device.
  const devices = new Set(records.flatMap(({ device }) => device?.name ?? []));
  const tasks = new Set(records.map(({ task, args }) => canonicalJson([task, args])));
  const first = records.find(({ device }) => device !== undefined) ?? records[0];
  if (first === undefined) throw badInput(`no record passes the filter, and a file of ${form} has one at least`);
  if (devices.size > 1 || tasks.size > 1)
    throw badInput(
      `a file of ${form} is of one task on one kind of device, and the records are of ${kinds.size}: ${[...kinds.keys()].slice(0, 4).join("; ")}; ` +
        "choose with --task, --args and --device-name",
    );
  return first;
}

export const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
/** The sum of those that are numbers. */
export const sumOf = (values: readonly (Json | undefined)[]): number =>
  values.reduce<number>((sum, value) => sum + (numberOf(value) ?? 0), 0);
export const listOf = (value: Json | undefined): readonly Json[] | undefined => (Array.isArray(value) ? value : undefined);
