/**
 * Forms in which records are read and written; file-forms.ts tells them apart. A form of lines has one record per line, so files
 * of any size can be streamed. A document, of text or bytes, is read completely. Documents of other tuners are only read.
 */
import type { Json } from "@warpfarm/common";
import type { DocumentFormName, LineFormName } from "../file-forms.ts";
import type { Fields } from "../json-text.ts";
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
  readonly name: LineFormName;
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

export interface DocumentForm {
  readonly kind: "document";
  readonly name: DocumentFormName;
  readonly rows: string;
  /** `problem`: a T1 document that belongs to the results. Throws Error. */
  read(document: Fields, problem: Fields | undefined): readonly TuningRecord[];
  /** Of a document that `read` takes. Absent: its records say all. */
  evaluations?(document: Fields): Evaluations;
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

/** The config of a file that has only names and values. */
export const configOf = (values: readonly (readonly [name: string, value: Json])[]): RecordConfig => ({
  code_hash: null,
  entity: values.map(([name, value]) => [name, "ot", value] as const),
});

/** The record of an entry, without the importer's name. */
export const importedEntry = (format: string, content: Omit<TuningRecord, "id" | "origin">): TuningRecord => ({
  id: notImported,
  origin: { kind: "imported", by: "", format },
  ...content,
});

export const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
/** The sum of those that are numbers. */
export const sumOf = (values: readonly (Json | undefined)[]): number =>
  values.reduce<number>((sum, value) => sum + (numberOf(value) ?? 0), 0);
export const listOf = (value: Json | undefined): readonly Json[] | undefined => (Array.isArray(value) ? value : undefined);
