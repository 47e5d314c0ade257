/** Reads files of records of all forms. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { badInput, canonicalJson, defined, type FarmError, type Json, printable } from "@warpfarm/common";
import { documentFormOf, isNone, lineFormOf, parseUnclosed } from "../file-forms.ts";
import { importedRecord } from "../imported.ts";
import { type Encoding, encodingOf, type Fields, isFields, lineOfMember, parseJson } from "../json-text.ts";
import { notALog, type ReadOptions, skipWords } from "../log/read-log.ts";
import { timesRead } from "../measure-json.ts";
import { RowNotes } from "../measured-time.ts";
import { encodeRecord, recordFromJson } from "../record-json.ts";
import { PackedRecord } from "../store/rows.ts";
import type { Appended, RecordStore } from "../store.ts";
import type { TuningRecord } from "../tuning-record.ts";
import { ansor } from "./ansor.ts";
import { autotvm, autotvmOld } from "./autotvm.ts";
import { cltune } from "./cltune.ts";
import { csv } from "./csv.ts";
import type { BytesForm, DocumentForm, Evaluations, Form, LineForm } from "./format.ts";
import { kernelTuner } from "./kernel-tuner.ts";
import { ktt } from "./ktt.ts";
import { metaschedule } from "./metaschedule.ts";
import { parquet } from "./parquet.ts";
import { LongText, linesOf, startOf } from "./read-text.ts";
import { t1, t4 } from "./t4.ts";

const jsonl: LineForm = {
  kind: "lines",
  name: "jsonl",
  hasBounds: true,
  reader: () => ({ read: (line) => recordFromJson(timesRead(parseJson(line))) }),
  write: encodeRecord,
};
const lineForms: readonly LineForm[] = [jsonl, autotvm, autotvmOld, ansor, metaschedule, csv];
const documentForms: readonly DocumentForm[] = [kernelTuner, ktt, t4, cltune, t1];
const bytesForms: readonly BytesForm[] = [parquet];
const forms: readonly Form[] = [...lineForms, ...documentForms, ...bytesForms];
export const recordForms: readonly string[] = forms.map(({ name }) => name);

const appendAtOnce = 2_500;
/** A server has a process for each batch that is written at once. */
const writtenAtOnce = 3;

/** What the reader is told for all records of a file, in place of its own statements. */
export interface Told {
  readonly task?: string;
  readonly args?: readonly Json[];
  readonly device?: string;
  readonly deviceName?: string;
  /** A T1 document: the problem to which the file's results belong. */
  readonly problem?: Fields;
}

export interface Reading extends ReadOptions {
  readonly told?: Told;
  readonly warn?: (words: string) => void;
  /** Called for a record that is told otherwise than its file says. */
  readonly changed?: (asFiled: TuningRecord, record: TuningRecord) => void;
}

interface Read<T> extends Reading {
  readonly path: string;
  readonly name: string;
  readonly zipped: boolean;
  readonly rows: RowNotes;
  readonly pack: (record: TuningRecord) => T;
  /** Takes a line of jsonl unchanged where nothing is told, in a tenth of the time. Undefined where it has to be read. */
  readonly packLine?: ((line: string) => T | undefined) | undefined;
  /** Called with a document before its records are given. */
  readonly found?: (form: DocumentForm, document: Fields) => void;
}

/**
 * The records of a file in groups, gzipped or not, marked as imported by `by`. Throws INVALID_ARGUMENT that names the file, and
 * the line where the form has lines, for what is no record, and for a file without a valid time. A last line that was cut short
 * is an error too, because it is better to fetch the file again than to guess.
 */
export async function* readRecords(path: string, by: string, reading: Reading = {}): AsyncGenerator<readonly PackedRecord[]> {
  const told = recordTold(by, reading);
  const packLine = isNothing(reading.told) ? packedLine(by) : undefined;
  yield* readAs(path, reading, { pack: (record) => PackedRecord.of(told(record)), packLine });
}

type Packing<T> = Pick<Read<T>, "pack" | "packLine" | "found">;

async function* readAs<T>(path: string, reading: Reading, packing: Packing<T>): AsyncGenerator<readonly T[]> {
  const name = basename(path);
  const start = await startOf(path);
  const rows = new RowNotes(name);
  const zipped = start[0] === 0x1f && start[1] === 0x8b;
  yield* groupsOf({ ...reading, ...packing, path, name, zipped, rows }, start);
  rows.check();
  for (const words of rows.words) reading.warn?.(words);
}

type Recorded = { readonly records: readonly TuningRecord[]; readonly evaluations?: Evaluations };
/** The records of a file as it has them, and what evaluating their configs took where the form says so. Throws as readRecords. */
export async function recordedIn(path: string, reading: Omit<Reading, "told" | "changed"> = {}): Promise<Recorded> {
  const records: TuningRecord[] = [];
  let evaluations: Evaluations | undefined;
  const found = (form: DocumentForm, document: Fields) => {
    evaluations = form.evaluations?.(document);
  };
  for await (const group of readAs(path, reading, { pack: (record) => record, found })) records.push(...group);
  return { records, ...defined({ evaluations }) };
}

async function* groupsOf<T>(of: Read<T>, start: Buffer): AsyncGenerator<readonly T[]> {
  const { path, name } = of;
  const ofBytes = bytesForms.find((each) => each.claims(start));
  if (ofBytes) {
    const read = ofBytes.read(await readFile(path)).catch((error: Error) => {
      throw badInput(`${name} (${ofBytes.name}): ${error.message}`);
    });
    yield* inGroups(await read, of, ofBytes.name, (i) => `row ${i + 1}`);
    return;
  }
  const encoding = encodingOf(start);
  const found = await formOrText(of, encoding);
  if (typeof found !== "string") return yield* recordsOfLines(linesOf(of, encoding), found, of);
  const document = parseUnclosed(found);
  if (document === undefined) throw badInput(`${name} is not JSON: ${whyNotJson(found)}`);
  yield* recordsOfDocument(of, found, document);
}

/**
 * The form of a log, or the text of a document, which is read once. A log whose first line is broken has other lines, each whole.
 * A line within a document looks like one, but is indented or ends with a comma. The first line of a table names its columns, and
 * cannot be done without.
 */
async function formOrText(of: Pick<Read<unknown>, "path" | "name" | "zipped">, encoding: Encoding): Promise<LineForm | string> {
  const text = new LongText(of.name);
  let first: string | undefined;
  const mayBeDocument = () => first === undefined || first.startsWith("{");
  for await (const lines of linesOf(of, encoding, (piece) => mayBeDocument() && text.add(piece)))
    for (const line of lines) {
      const isFirst = first === undefined;
      if (isFirst && isNone(line.trim())) continue;
      first ??= line.trim();
      const claimed = isFirst || /^[{[]/.test(line) ? lineFormOf(isFirst ? first : line) : undefined;
      const form = lineForms.find(({ name }) => name === claimed);
      if (form && (isFirst || whyNotJson(line) === "")) return form;
    }
  if (first === undefined) throw badInput(`${of.name} is empty`);
  if (!mayBeDocument()) throw noForm(of.name);
  return text.whole();
}

const noForm = (name: string): FarmError =>
  badInput(`${name} is not a file of records; these forms are read: ${recordForms.join(", ")}`, {
    rule: notALog,
  });

/** Converts a group at a time, so that others get their turn in between. */
function* inGroups<T>(
  records: readonly TuningRecord[],
  of: Read<T>,
  form: string,
  placeOf: (i: number) => string,
): Generator<readonly T[]> {
  for (let at = 0; at < records.length; at += documentGroup) {
    const packed: T[] = [];
    for (const [i, record] of records.slice(at, at + documentGroup).entries())
      try {
        packed.push(of.pack(record));
        of.rows.count(record.result, () => placeOf(at + i));
      } catch (error) {
        refuse(of, form, () => placeOf(at + i), error);
      }
    yield packed;
  }
}
const documentGroup = 500;

/** Counts what is no record, or throws what is wrong with it. */
function refuse<T>({ name, rows, ...options }: Read<T>, form: string, place: () => string, error: unknown): void {
  const why = (error as Error).message;
  if (!options.skipBroken) throw badInput(`${name} ${place()} is not a record (${form}): ${why}${skipWords(options)}`);
  rows.broken(place, why);
}

const isNothing = ({ task, args, device, deviceName }: Told = {}): boolean =>
  [task, args, device, deviceName].every((each) => each === undefined);

const packedLine = (by: string) => (line: string) => {
  try {
    return PackedRecord.imported(line, by);
  } catch {
    return undefined;
  }
};

/** The record as its importer has it, with what the reader is told. */
function recordTold(by: string, { told = {}, changed }: Reading): (record: TuningRecord) => TuningRecord {
  const { task, args, device, deviceName } = told;
  return (asFiled) => {
    if (isNothing(told)) return importedRecord(asFiled, by);
    const { key = "", name = "", ...more } = asFiled.device ?? {};
    const record = {
      ...asFiled,
      task: task ?? asFiled.task,
      args: args ?? asFiled.args,
      ...(device === undefined && deviceName === undefined
        ? {}
        : { device: { ...more, key: device ?? key, name: deviceName ?? name } }),
    };
    if (changed && canonicalJson(partTold(asFiled)) !== canonicalJson(partTold(record)))
      changed(importedRecord(asFiled, by), record);
    return importedRecord(record, by);
  };
}
const partTold = ({ task, args, device }: TuningRecord): Json => [task, args, device?.key ?? "", device?.name ?? ""];

async function* recordsOfLines<T>(
  groups: AsyncIterable<readonly string[]>,
  form: LineForm,
  of: Read<T>,
): AsyncGenerator<readonly T[]> {
  const { rows, pack, packLine } = of;
  const reader = form.reader();
  let number = 0;
  const place = () => `line ${number}`;
  for await (const lines of groups) {
    const records: T[] = [];
    for (const line of lines) {
      number++;
      const text = line.trim();
      if (isNone(text) && form !== csv) {
        reader.note?.(text);
        continue;
      }
      const packed = form === jsonl ? packLine?.(text) : undefined;
      if (packed) {
        rows.valid();
        records.push(packed);
        continue;
      }
      try {
        const record = reader.read(form === csv ? line : text);
        if (record === undefined) continue;
        records.push(pack(record));
        rows.count(record.result, place);
      } catch (error) {
        refuse(of, form.name, place, error);
      }
    }
    yield records;
  }
  try {
    reader.end?.();
  } catch (error) {
    refuse(of, form.name, place, error);
  }
}

function* recordsOfDocument<T>(of: Read<T>, text: string, document: unknown): Generator<readonly T[]> {
  const { name, told } = of;
  const claimed = isFields(document) ? documentFormOf(document) : undefined;
  const form = documentForms.find((each) => each.name === claimed);
  if (!form) throw noForm(name);
  let records: readonly TuningRecord[];
  try {
    records = form.read(document as Fields, told?.problem);
  } catch (error) {
    throw badInput(`${name} (${form.name}): ${(error as Error).message}`);
  }
  if (records.length === 0) throw badInput(`${name} (${form.name}) has no record: its ${form.rows} is empty`);
  of.found?.(form, document as Fields);
  yield* inGroups(records, of, form.name, (i) => {
    const line = lineOfMember(text, form.rows, i);
    return `${form.rows}[${i}]${line === undefined ? "" : ` on line ${line}`}`;
  });
}

function whyNotJson(text: string): string {
  try {
    parseJson(text);
    return "";
  } catch (error) {
    return printable((error as Error).message);
  }
}

export interface Skipped {
  readonly records: number;
  readonly why: string;
}

/**
 * Pieces of a file of that form, text or bytes. Records that the form cannot have are left out and counted; throws
 * INVALID_ARGUMENT when none is left, or when the rest does not fit into one file.
 */
export async function* writeRecords(
  formName: string,
  records: AsyncIterable<TuningRecord>,
  skipped: (of: Skipped) => void = () => {},
): AsyncGenerator<string | Uint8Array> {
  const form = forms.find(({ name }) => name === formName);
  if (!form) throw badInput(`there is no form ${JSON.stringify(formName)}; forms are ${recordForms.join(", ")}`);
  let left: Skipped | undefined;
  let count = 0;
  const fitting = (async function* () {
    for await (const record of records) {
      const isBound = record.result.kind === "slower" && form.hasBounds !== true;
      const why = isBound ? "ended early, and has no time but a bound" : form.lacks?.(record);
      if (why === undefined) count++;
      else left = { records: (left?.records ?? 0) + 1, why: left?.why ?? `record ${record.id} ${why}` };
      if (why === undefined) yield record;
    }
    if (left && count === 0)
      throw badInput(
        `no record that passes the filter fits into a file of ${formName}: ${left.why}; choose others with --task or --origin`,
      );
  })();
  if (form.kind === "lines") {
    if (form.head !== undefined) yield form.head;
    for await (const record of fitting) yield `${form.write(record)}\n`;
  } else {
    const all: TuningRecord[] = [];
    for await (const record of fitting) all.push(record);
    yield form.kind === "bytes" ? await form.write(all) : `${JSON.stringify(form.write(all), undefined, 1)}\n`;
  }
  if (left) skipped(left);
}

/** Holds a few batches in memory: the next one is read while others are written. */
export async function appendAll(
  store: Pick<RecordStore, "append">,
  groups: AsyncIterable<readonly PackedRecord[]>,
): Promise<Appended & { readonly read: number }> {
  let [read, added, existed, conflicts]: [number, number, number, readonly string[]] = [0, 0, 0, []];
  let batch: PackedRecord[] = [];
  let failure: { readonly error: unknown } | undefined;
  const writing = new Set<Promise<void>>();
  const flush = async () => {
    while (writing.size >= writtenAtOnce) await Promise.race(writing);
    if (failure) throw failure.error;
    const full = batch;
    batch = [];
    const one = store
      .append(full)
      .then(
        (more) => {
          read += full.length;
          added += more.added;
          existed += more.existed;
          conflicts = [...conflicts, ...more.conflicts];
        },
        (error: unknown) => {
          failure ??= { error };
        },
      )
      .then(() => void writing.delete(one));
    writing.add(one);
  };
  try {
    for await (const group of groups) {
      for (const record of group) batch.push(record);
      if (batch.length >= appendAtOnce) await flush();
    }
    if (batch.length > 0) await flush();
  } finally {
    await Promise.all(writing);
  }
  if (failure) throw failure.error;
  return { read, added, existed, conflicts };
}
