/**
 * Log files as runs: each task of a file is a run. A file that grows is read on from its previous end. A file that was replaced
 * or became shorter is read again. A file that was deleted keeps its runs as they were read.
 */
import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { FarmError, medianSeconds, unreadable } from "@warpfarm/common";
import { problemOf, recordOfLog, recordsOfFinals, type TuningRecord } from "@warpfarm/records";
import { isNoLog, type Log, type ReadOptions, readLog, unpacked, wasMeasured } from "@warpfarm/records/logs";
import { nameOfTask, type SearchSpec, searchesIn } from "@warpfarm/records/search";
import { type Finals, finalsOf, finalsOfTask, type RecordedFinals } from "@warpfarm/records/suites";
import { z } from "zod";
import { RunTrials } from "../run/run-trials.ts";

const isLog = (name: string): boolean => /\.(?:jsonl|log|json)(?:\.gz)?$/.test(name);

const defaultNote = z.object({ default: z.object({ kind: z.literal("timed"), costs: z.array(z.number().positive()).min(1) }) });

interface ReadFile {
  readonly size: number;
  readonly changedMs: number;
  /** Number of bytes of complete lines: the offset of an incomplete last line. */
  readonly end: number;
}

export interface FileRun {
  readonly id: string;
  readonly file: string;
  readonly trials: RunTrials;
}

export class LogFiles {
  readonly runs = new Map<string, FileRun>();
  readonly records = new Map<string, TuningRecord>();
  readonly #byShortId = new Map<string, TuningRecord>();
  readonly #recordsOf = new Map<string, TuningRecord[]>();
  readonly warnings: string[] = [];
  readonly #paths: readonly string[];
  readonly #options: ReadOptions;
  readonly #files = new Map<string, ReadFile>();
  readonly #defaults = new Map<string, number>();
  readonly #finals = new Map<string, readonly RecordedFinals[]>();
  readonly #searches = new Map<string, readonly SearchSpec[]>();
  #refreshing: Promise<void> | undefined;

  constructor(paths: readonly string[], options: ReadOptions = {}) {
    this.#paths = paths;
    this.#options = options;
  }

  changedMs({ file }: FileRun): number {
    return this.#files.get(file)?.changedMs ?? 0;
  }
  finals({ file, trials: { first } }: FileRun): Finals | undefined {
    return first && finalsOfTask(this.#finals.get(file) ?? [], first).findLast(({ runs }) => runs.length > 0);
  }
  search({ file, trials: { first } }: FileRun): SearchSpec | undefined {
    return this.#searches.get(file)?.findLast((search) => nameOfTask(search.task) === first?.task);
  }
  defaultSeconds({ file }: FileRun): number | undefined {
    return this.#defaults.get(file);
  }

  /**
   * Reads all files. Throws INVALID_ARGUMENT that names the file and its broken line. Other files of a folder are skipped with a
   * warning.
   */
  async open(): Promise<void> {
    for (const path of this.#paths) for (const file of await filesOf(path)) await this.#readLogOf(path, file);
  }

  /** Reads what was added since the last call; simultaneous callers share one read. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#readAll().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  record(id: string): TuningRecord | undefined {
    return this.records.get(id) ?? this.#byShortId.get(id);
  }

  async #readAll(): Promise<void> {
    for (const path of this.#paths)
      for (const file of await filesOf(path).catch(() => []))
        await this.#readLogOf(path, file).catch((error: unknown) => {
          if ((error as NodeJS.ErrnoException).code !== "ENOENT")
            throw error instanceof FarmError ? error : unreadable(file)(error);
        });
  }

  async #readLogOf(path: string, file: string): Promise<void> {
    const { size, mtimeMs } = await stat(file);
    const known = this.#files.get(file);
    if (known?.size === size && known.changedMs === mtimeMs) return;
    try {
      await this.#readOn(file, size, mtimeMs, known);
    } catch (error) {
      if (path === file || !isNoLog(error)) throw error;
      // It may become a log.
      this.#files.set(file, { size, changedMs: mtimeMs, end: Number.POSITIVE_INFINITY });
      this.warnings.push(`${error.message}; it is skipped`);
    }
  }

  async #readOn(file: string, size: number, mtimeMs: number, known: ReadFile | undefined): Promise<void> {
    const isPacked = file.endsWith(".gz");
    const isNew = isPacked || known === undefined || size < known.end;
    if (isNew) this.#forget(file);
    const from = isNew ? 0 : known.end;
    const bytes = isPacked ? unpackedLog(file, await readFile(file)) : await readFrom(file, from, size);
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const { end, warnings } = this.#add(file, text);
    // The last line of an append is incomplete while it is being written.
    if (isNew) this.warnings.push(...warnings);
    this.#files.set(file, { size, changedMs: mtimeMs, end: isPacked ? size : from + Buffer.byteLength(text.slice(0, end)) });
  }

  #add(file: string, text: string): Log {
    const log = readLog(text, file, this.#options);
    this.#searches.set(file, [...(this.#searches.get(file) ?? []), ...searchesIn(log.notes)]);
    for (const note of log.notes) {
      const read = defaultNote.safeParse(note);
      if (read.success) this.#defaults.set(file, medianSeconds(read.data.default.costs));
    }
    const records = this.#recordsOf.get(file) ?? [];
    this.#recordsOf.set(file, records);
    for (const line of log.records) {
      const record = recordOfLog(line, "local");
      this.#runOf(file, record).trials.add(record, wasMeasured(line));
      records.push(record);
      this.#keep(record);
    }
    const finals = finalsOf(log.notes);
    for (const each of finals)
      for (const run of this.runs.values())
        if (run.file === file && run.trials.first && problemOf(run.trials.first) === problemOf(each))
          run.trials.addRounds(recordsOfFinals(each, run.trials.last?.timestampMs ?? 0, "local"));
    this.#finals.set(file, [...(this.#finals.get(file) ?? []), ...finals]);
    return log;
  }

  /** A run is named by its file and task; a number distinguishes files of one name. */
  #runOf(file: string, record: TuningRecord): FileRun {
    const name = `${basename(file).replace(/\.(?:jsonl|log|json)(?:\.gz)?$/, "")}.${problemOf(record).slice(0, 8)}`;
    for (let n = 1; ; n++) {
      const id = n === 1 ? name : `${name}.${n}`;
      const known = this.runs.get(id);
      if (known !== undefined && known.file !== file) continue;
      const run = known ?? { id, file, trials: new RunTrials(shortId) };
      this.runs.set(id, run);
      return run;
    }
  }

  #keep(record: TuningRecord): void {
    this.records.set(record.id, record);
    this.#byShortId.set(shortId(record), record);
  }

  #forget(file: string): void {
    this.#finals.delete(file);
    this.#searches.delete(file);
    this.#defaults.delete(file);
    if (this.#recordsOf.delete(file)) {
      this.records.clear();
      this.#byShortId.clear();
      // Another file may have the same records.
      for (const records of this.#recordsOf.values()) for (const record of records) this.#keep(record);
    }
    for (const [id, run] of this.runs) if (run.file === file) this.runs.delete(id);
  }
}

/** Ids of records from logs are digests; 80 bits of one are unique among all logs that are opened. */
const shortId = ({ id }: TuningRecord): string => id.replace(/^(log\/)sha256:(\w{20})\w{44}$/, "$1$2");

function unpackedLog(path: string, bytes: Buffer): Uint8Array {
  try {
    return unpacked(bytes);
  } catch (error) {
    throw new FarmError(
      "INVALID_ARGUMENT",
      `${path} does not unpack: ${(error as Error).message}; if it was cut, copy it again, or unpack what is there (gunzip -c) into a log of another name`,
    );
  }
}

async function filesOf(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    // A suite keeps its logs apart from its other files.
    const folder = (await readdir(path)).includes("suite.json") ? join(path, "logs") : path;
    const names = (await readdir(folder)).filter(isLog).sort();
    return names.map((name) => join(folder, name));
  } catch (error) {
    return unreadable(path)(error);
  }
}

async function readFrom(file: string, from: number, size: number): Promise<Buffer> {
  const handle = await open(file);
  try {
    const bytes = Buffer.alloc(size - from);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
