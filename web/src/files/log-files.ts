/**
 * Log files as runs: each task of a file is one. A file that grows is read on from where it ended; one that was replaced or
 * became shorter is read anew; one that went away stays as it was read, for whoever looks at it still does.
 */
import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { FarmError, medianSeconds } from "@warpfarm/common";
import { problemOf, recordOfLog, type TuningRecord } from "@warpfarm/records";
import { type Log, readLog } from "@warpfarm/records/logs";
import { z } from "zod";
import { RunTrials } from "../run/run-trials.ts";

const isLog = (name: string): boolean => /\.(?:jsonl|log|json)(?:\.gz)?$/.test(name);

/** A log's note of what the default schedule took. */
const defaultNote = z.object({ default: z.object({ kind: z.literal("timed"), costs: z.array(z.number().positive()).min(1) }) });

interface ReadFile {
  readonly size: number;
  readonly changedMs: number;
  /** Bytes that were read whole: where a torn last line begins. */
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
  readonly warnings: string[] = [];
  readonly #paths: readonly string[];
  readonly #files = new Map<string, ReadFile>();
  readonly #defaults = new Map<string, number>();
  #refreshing: Promise<void> | undefined;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** Unix time at which the run's file changed last. */
  changedMs({ file }: FileRun): number {
    return this.#files.get(file)?.changedMs ?? 0;
  }
  defaultSeconds({ file }: FileRun): number | undefined {
    return this.#defaults.get(file);
  }

  /** Reads all. Throws INVALID_ARGUMENT naming the file, and the line, that is no log's. */
  async open(): Promise<void> {
    for (const path of this.#paths) for (const file of await filesOf(path)) await this.#readOn(file);
  }

  /** Reads what was added since; those who ask at the same time wait for the same reading. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#readAll().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** By its id, or by the short one that lists of trials have. */
  record(id: string): TuningRecord | undefined {
    return this.records.get(id) ?? this.#byShortId.get(id);
  }

  async #readAll(): Promise<void> {
    for (const path of this.#paths)
      for (const file of await filesOf(path).catch(() => []))
        await this.#readOn(file).catch((error: unknown) => {
          if ((error as NodeJS.ErrnoException).code !== "ENOENT")
            throw error instanceof FarmError ? error : cannotRead(file, error);
        });
  }

  async #readOn(file: string): Promise<void> {
    const { size, mtimeMs } = await stat(file);
    const known = this.#files.get(file);
    if (known?.size === size && known.changedMs === mtimeMs) return;
    const isPacked = file.endsWith(".gz");
    const isNew = isPacked || known === undefined || size < known.end;
    if (isNew) this.#forget(file);
    const from = isNew ? 0 : known.end;
    const bytes = isPacked ? gunzipSync(await readFile(file)) : await readFrom(file, from, size);
    const text = bytes.toString("utf8");
    const { end, warnings } = this.#add(file, text);
    // The end of what is added is torn while it is being written.
    if (isNew) this.warnings.push(...warnings);
    this.#files.set(file, { size, changedMs: mtimeMs, end: isPacked ? size : from + Buffer.byteLength(text.slice(0, end)) });
  }

  #add(file: string, text: string): Log {
    const log = readLog(text, file);
    for (const note of log.notes) {
      const read = defaultNote.safeParse(note);
      if (read.success) this.#defaults.set(file, medianSeconds(read.data.default.costs));
    }
    for (const line of log.records) {
      const record = recordOfLog(line, "local");
      this.#runOf(file, record).trials.add(record);
      this.records.set(record.id, record);
      this.#byShortId.set(shortId(record), record);
    }
    return log;
  }

  /** Named by the file and the task; two files of one name are told apart by a number. */
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

  #forget(file: string): void {
    for (const [id, run] of this.runs) if (run.file === file) this.runs.delete(id);
  }
}

/** Ids of what came from a log are digests: 80 bits of one name it among all logs that anybody opens. */
const shortId = ({ id }: TuningRecord): string => id.replace(/^(log\/)sha256:(\w{20})\w{44}$/, "$1$2");

const cannotRead = (path: string, error: unknown) =>
  new FarmError("INVALID_ARGUMENT", `${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);

/** The file, or the logs in the folder. */
async function filesOf(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter(isLog).sort();
    return names.map((name) => join(path, name));
  } catch (error) {
    throw cannotRead(path, error);
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
