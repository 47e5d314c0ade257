/** Reads files of records of all forms. The first bytes tell the form. Where the form allows, records are read one at a time. */
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { createGunzip, gunzipSync } from "node:zlib";
import { FarmError } from "@warpfarm/common";
import { importedRecord } from "../imported.ts";
import { encodeRecord, recordFromJson } from "../record-json.ts";
import { PackedRecord } from "../store/rows.ts";
import type { Appended, RecordStore } from "../store.ts";
import type { TuningRecord } from "../tuning-record.ts";
import { autotvm, autotvmOld } from "./autotvm.ts";
import { cltune } from "./cltune.ts";
import { csv } from "./csv.ts";
import { type BytesForm, bad, type DocumentForm, type Fields, type Form, isFields, type LineForm, type Told } from "./format.ts";
import { kernelTuner } from "./kernel-tuner.ts";
import { ktt } from "./ktt.ts";
import { metaschedule } from "./metaschedule.ts";
import { parquet } from "./parquet.ts";
import { t1, t4 } from "./t4.ts";

const jsonl: LineForm = {
  kind: "lines",
  name: "jsonl",
  claims: (line) => /^\{"version":\s*\d+,\s*"id":/.test(line),
  reader: () => (line) => recordFromJson(JSON.parse(line)),
  write: encodeRecord,
};

const lineForms: readonly LineForm[] = [jsonl, autotvm, autotvmOld, metaschedule, csv];
/** T4 comes before CLTune, whose results look like T4's. */
const documentForms: readonly DocumentForm[] = [kernelTuner, ktt, t4, cltune, t1];
const bytesForms: readonly BytesForm[] = [parquet];
const forms: readonly Form[] = [...lineForms, ...documentForms, ...bytesForms];
export const recordForms: readonly string[] = forms.map(({ name }) => name);

/** Bytes that a document may unpack to. */
const mostBytes = 1024 ** 3;
const appendAtOnce = 2_500;
/** A server has a process for each batch that is written at once. */
const writtenAtOnce = 3;

/** Empty lines, and comments of tuning logs. */
const isNone = (line: string): boolean => line === "" || line.startsWith("#");

/**
 * The records of a file in groups, gzipped or not, marked as imported by `by`. Throws INVALID_ARGUMENT that names the file, and
 * the line where the form has lines. A last line that was cut short is an error too, because it is better to fetch the file again
 * than to guess.
 */
export async function* readRecords(path: string, by: string, told: Told = {}): AsyncGenerator<readonly PackedRecord[]> {
  const name = basename(path);
  const start = await startOf(path);
  const zipped = start[0] === 0x1f && start[1] === 0x8b;
  const ofBytes = bytesForms.find((each) => each.claims(start));
  if (ofBytes) {
    const read = ofBytes.read(await readFile(path)).catch((error: Error) => {
      throw bad(`${name} (${ofBytes.name}): ${error.message}`);
    });
    yield* inGroups(await read, by);
    return;
  }
  const first = await firstLine(path, zipped);
  if (first === undefined) throw bad(`${name} is empty`);
  const form = lineForms.find((each) => each.claims(first));
  if (form) yield* recordsOfLines(linesOf(path, zipped), name, by, told, form);
  else if (first.startsWith("{")) yield* inGroups(recordsOfDocument(await wholeOf(path, zipped, name), name, told), by);
  else throw bad(`${name} is not a file of records; these forms are read: ${recordForms.join(", ")}`);
}

/** A group at a time is converted, so that others come to their turn in between. */
function* inGroups(records: readonly TuningRecord[], by: string): Generator<readonly PackedRecord[]> {
  for (let at = 0; at < records.length; at += documentGroup) yield records.slice(at, at + documentGroup).map(packedFor(by));
}
const documentGroup = 500;
const packedFor = (by: string) => (record: TuningRecord) => PackedRecord.of(importedRecord(record, by));

async function* recordsOfLines(
  groups: AsyncIterable<readonly string[]>,
  name: string,
  by: string,
  told: Told,
  form: LineForm,
): AsyncGenerator<readonly PackedRecord[]> {
  const ofForm = form.reader(told);
  const pack = packedFor(by);
  const read = (line: string): PackedRecord | undefined => {
    if (form === jsonl) return PackedRecord.imported(line, by);
    const record = ofForm(line);
    return record && pack(record);
  };
  let number = 0;
  for await (const lines of groups) {
    const records: PackedRecord[] = [];
    for (const line of lines) {
      number++;
      const text = line.trim();
      if (isNone(text) && form !== csv) continue;
      try {
        const record = read(form === csv ? line : text);
        if (record) records.push(record);
      } catch (error) {
        throw bad(`${name} line ${number} is not a record (${form.name}): ${(error as Error).message}`);
      }
    }
    yield records;
  }
}

function recordsOfDocument(text: string, name: string, told: Told): readonly TuningRecord[] {
  const document = parseUnclosed(text);
  if (!isFields(document)) throw bad(`${name} is not a file of records; these forms are read: ${recordForms.join(", ")}`);
  const form = documentForms.find((each) => each.claims(document));
  if (!form) throw bad(`${name} is not a file of records; these forms are read: ${recordForms.join(", ")}`);
  try {
    return form.read(document, told);
  } catch (error) {
    throw bad(`${name} (${form.name}): ${(error as Error).message}`);
  }
}

/** Pieces of a file of that form, text or bytes. Throws INVALID_ARGUMENT for records that the form cannot express. */
export async function* writeRecords(formName: string, records: AsyncIterable<TuningRecord>): AsyncGenerator<string | Uint8Array> {
  const form = forms.find(({ name }) => name === formName);
  if (!form) throw bad(`there is no form ${JSON.stringify(formName)}; forms are ${recordForms.join(", ")}`);
  if (form.kind === "lines") {
    if (form.head !== undefined) yield form.head;
    for await (const record of records) yield `${form.write(record)}\n`;
    return;
  }
  const all: TuningRecord[] = [];
  for await (const record of records) all.push(record);
  yield form.kind === "bytes" ? await form.write(all) : `${JSON.stringify(form.write(all), undefined, 1)}\n`;
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

async function startOf(path: string): Promise<Buffer> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw bad(`${path} cannot be read: ${error.code ?? "error"}`);
  });
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(16) });
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw bad(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? "error"}`);
  } finally {
    await file.close();
  }
}

/** The lines of a file in groups, one for each piece that is read. */
async function* linesOf(path: string, zipped: boolean): AsyncGenerator<readonly string[]> {
  const raw = createReadStream(path, { highWaterMark: pieceBytes });
  const input = zipped ? raw.pipe(createGunzip({ chunkSize: pieceBytes })) : raw;
  if (zipped) raw.on("error", (error) => input.destroy(error));
  let rest = "";
  try {
    for await (const piece of input.setEncoding("utf8") as AsyncIterable<string>) {
      const text = rest + piece;
      const lines = text.split(text.includes("\r") ? lineEnd : "\n");
      rest = lines.pop() ?? "";
      yield lines;
    }
    if (rest !== "") yield [rest.replace(/\r$/, "")];
  } catch (error) {
    throw error instanceof FarmError ? error : bad(`${basename(path)} does not read: ${(error as Error).message}`);
  } finally {
    raw.destroy();
  }
}
const pieceBytes = 1 << 18;
/** A last CR is not one yet: an LF may come with the next piece. */
const lineEnd = /\r?\n|\r(?=[^\n])/;

async function firstLine(path: string, zipped: boolean): Promise<string | undefined> {
  for await (const lines of linesOf(path, zipped)) {
    const line = lines.find((each) => !isNone(each.trim()));
    if (line !== undefined) return line.trim();
  }
  return undefined;
}

async function wholeOf(path: string, zipped: boolean, name: string): Promise<string> {
  const bytes = await readFile(path);
  try {
    return (zipped ? gunzipSync(bytes, { maxOutputLength: mostBytes }) : bytes).toString("utf8");
  } catch (error) {
    throw bad(`${name} does not unpack: ${(error as Error).message}`);
  }
}

/**
 * Parses JSON. Of a cache that was never closed it gives the entries that are there: one per line, where the last may be cut off.
 */
function parseUnclosed(text: string): Fields | undefined {
  const closed = (part: string) => `${part.trimEnd().replace(/,$/, "")}}}`;
  for (const whole of [text, closed(text), closed(text.slice(0, text.lastIndexOf("\n")))]) {
    try {
      return JSON.parse(whole) as Fields;
    } catch {}
  }
  return undefined;
}
