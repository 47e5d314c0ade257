/**
 * Forms in which records are read and written. A form of lines has one record per line, so files of any size can be streamed. A
 * document, of text or bytes, is read completely. What a form has and a record has no field for is kept in the record's
 * `foreign`, so the file can be written again.
 */
import { canonicalJson, FarmError, type Json } from "@warpfarm/common";
import type { RecordConfig, TuningRecord } from "../tuning-record.ts";

export type Fields = { readonly [name: string]: Json };
export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a file may leave out and the reader is told for all its records. */
export interface Told {
  readonly task?: string;
  readonly args?: readonly Json[];
  readonly device?: string;
  readonly deviceName?: string;
  /** A T1 document: the problem to which the file's results belong. */
  readonly problem?: Fields;
}

export interface LineForm {
  readonly kind: "lines";
  readonly name: string;
  /** Is the file of this form? `line`: its first line that is neither empty nor a comment. */
  claims(line: string): boolean;
  /** Undefined for a line without a record, such as a head. Throws Error that says what is wrong. */
  reader(told: Told): (line: string) => TuningRecord | undefined;
  /** Before the first record. */
  readonly head?: string;
  write(record: TuningRecord): string;
}

export interface DocumentForm {
  readonly kind: "document";
  readonly name: string;
  claims(document: Fields): boolean;
  /** Throws Error saying what is wrong. */
  read(document: Fields, told: Told): readonly TuningRecord[];
  /** Throws FarmError INVALID_ARGUMENT for records that do not fit into one file of the form. */
  write(records: readonly TuningRecord[]): Json;
}

export interface BytesForm {
  readonly kind: "bytes";
  readonly name: string;
  /** Of the file's first bytes, 16 at most. */
  claims(start: Buffer): boolean;
  /** Rejects with an Error that says what is wrong. */
  read(bytes: Buffer): Promise<readonly TuningRecord[]>;
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

/** Knobs as scalars, the only values of most forms. A list is written as its JSON. */
export const scalarsOf = (
  { config, id }: TuningRecord,
  form: string,
): readonly (readonly [string, string | number | boolean])[] => {
  if (config === undefined)
    throw bad(`record ${id} has no config, and a file of ${form} is of configs; --origin and --task leave it out`);
  return config.entity.map(([name, , value]) => [name, typeof value === "object" ? JSON.stringify(value) : value] as const);
};

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

/** The record of an entry, without the name of who imports it. `written`: what writing the record would give. */
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

/** The foreign part of a record, if the record came in this form. */
export const foreignOf = ({ origin, foreign }: TuningRecord, form: string): Fields =>
  origin.kind === "imported" && origin.format === form ? (foreign ?? {}) : {};

/** The head that all records of a file share. The first record keeps it. */
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
  if (first === undefined) throw bad(`no record passes the filter, and a file of ${form} has one at least`);
  if (devices.size > 1 || tasks.size > 1)
    throw bad(
      `a file of ${form} is of one task on one kind of device, and the records are of ${kinds.size}: ${[...kinds.keys()].slice(0, 4).join("; ")}; ` +
        "choose with --task, --args and --device-name",
    );
  return first;
}

export const bad = (message: string): FarmError => new FarmError("INVALID_ARGUMENT", message);

/** Milliseconds of a unit, by its name. Some files spell it "miliseconds". */
export function unitMs(unit: Json | undefined): number {
  const name = String(unit ?? "milliseconds").toLowerCase();
  if (name.startsWith("nano") || name === "ns") return 1e-6;
  if (name.startsWith("micro") || name === "us") return 1e-3;
  return name === "s" || name.startsWith("sec") ? 1000 : 1;
}

/** Unix time in milliseconds from a file's text; 0 when the text is no time. */
export function timeOf(words: Json | undefined): number {
  if (typeof words !== "string") return 0;
  const ms = Date.parse(/[zZ]|UTC|[+-]\d\d:?\d\d$/.test(words) ? words : `${words}Z`);
  return Number.isFinite(ms) && ms > 0 ? Math.floor(ms) : 0;
}
export const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
export const listOf = (value: Json | undefined): readonly Json[] | undefined => (Array.isArray(value) ? value : undefined);
