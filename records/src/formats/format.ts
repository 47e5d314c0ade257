/**
 * Forms that records come in and leave in. A form of lines has a record a line, so that files of any size pass through; a
 * document, of text or bytes, is read whole. What a form has and a record has no place for is kept in the record's `foreign`, so
 * that the file can be written again.
 */
import { canonicalJson, FarmError, type Json } from "@warpfarm/common";
import { importedId } from "../log/from-log.ts";
import type { RecordConfig, TuningRecord } from "../tuning-record.ts";

export type Fields = { readonly [name: string]: Json };
export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a file may leave out and its reader is told: of all its records. */
export interface Told {
  readonly task?: string;
  readonly args?: readonly Json[];
  readonly device?: string;
  readonly deviceName?: string;
  /** A T1 document: the problem that the file has results of. */
  readonly problem?: Fields;
}

export interface LineForm {
  readonly kind: "lines";
  readonly name: string;
  /** Of the file's first line that is not empty and no comment. */
  claims(line: string): boolean;
  /** Undefined for a line that holds no record, such as a head. Throws Error saying what is wrong. */
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
  /** Throws FarmError INVALID_ARGUMENT for records that are not of one file of the form. */
  write(records: readonly TuningRecord[]): Json;
}

export interface BytesForm {
  readonly kind: "bytes";
  readonly name: string;
  /** Of the file's first bytes, 16 at most. */
  claims(start: Buffer): boolean;
  /** Rejects with an Error saying what is wrong. */
  read(bytes: Buffer): Promise<readonly TuningRecord[]>;
  write(records: readonly TuningRecord[]): Uint8Array;
}

export type Form = LineForm | DocumentForm | BytesForm;

/** Config of a file that has names and values alone. */
export const configOf = (values: readonly (readonly [name: string, value: Json])[]): RecordConfig => ({
  code_hash: null,
  entity: values.map(([name, value]) => [name, "ot", value] as const),
});

/** Knobs as scalars, which is all that most forms have: a list is written as its JSON. */
export const scalarsOf = (
  { config, id }: TuningRecord,
  form: string,
): readonly (readonly [string, string | number | boolean])[] => {
  if (config === undefined)
    throw bad(`record ${id} has no config, and a file of ${form} is of configs; --origin and --task leave it out`);
  return config.entity.map(([name, , value]) => [name, typeof value === "object" ? JSON.stringify(value) : value] as const);
};

/**
 * What `written` alone would not give back of an entry: fields that differ (`entry`), and names it would add (`without`). Kept as
 * foreign, so that restored(written again) is the entry.
 */
export function remainder(entry: Fields, written: Fields): { entry?: Fields; without?: readonly string[] } {
  const differ = Object.entries(entry).filter(
    ([name, value]) => !(name in written) || canonicalJson(written[name] as Json) !== canonicalJson(value),
  );
  const added = Object.keys(written).filter((name) => !(name in entry));
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

/** The record of an entry; by whom it is imported is said later. `written`: what writing the record would give. */
export function importedEntry(
  form: string,
  entry: Fields,
  written: (record: TuningRecord) => Fields,
  content: Omit<TuningRecord, "id" | "origin" | "foreign">,
): TuningRecord {
  const origin = { kind: "imported", by: "", format: form } as const;
  const kept = remainder(entry, written({ id: "", origin, ...content })) as Fields;
  const whole = { ...content, ...(Object.keys(kept).length === 0 ? {} : { foreign: kept }) };
  return { id: importedId(form, whole), origin, ...whole };
}

/** The foreign part of a record, when it came in this form. */
export const foreignOf = ({ origin, foreign }: TuningRecord, form: string): Fields =>
  origin.kind === "imported" && origin.format === form ? (foreign ?? {}) : {};

/** A head that the records of a file share; it is kept with the first. */
export function headOf(records: readonly TuningRecord[], form: string): Json | undefined {
  return records.map((record) => foreignOf(record, form).head).find((head) => head !== undefined);
}

/** A document of most forms is of one task on one kind of device. Throws INVALID_ARGUMENT naming what there is. */
export function onlyOne(records: readonly TuningRecord[], form: string): TuningRecord {
  const kinds = new Map(
    records.map((record): [string, TuningRecord] => [
      `${record.task} ${JSON.stringify(record.args)} on ${record.device?.name ?? "no device"}`,
      record,
    ]),
  );
  // A failure before there was a device is of the task on any.
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

/** Milliseconds of a unit's name; "miliseconds" is how some files spell it. */
export function unitMs(unit: Json | undefined): number {
  const name = String(unit ?? "milliseconds").toLowerCase();
  if (name.startsWith("nano") || name === "ns") return 1e-6;
  if (name.startsWith("micro") || name === "us") return 1e-3;
  return name === "s" || name.startsWith("sec") ? 1000 : 1;
}

/** Unix time in milliseconds of a file's own words; 0 when they say none. */
export function timeOf(words: Json | undefined): number {
  if (typeof words !== "string") return 0;
  const ms = Date.parse(/[zZ]|UTC|[+-]\d\d:?\d\d$/.test(words) ? words : `${words}Z`);
  return Number.isFinite(ms) && ms > 0 ? Math.floor(ms) : 0;
}
export const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
export const listOf = (value: Json | undefined): readonly Json[] | undefined => (Array.isArray(value) ? value : undefined);
