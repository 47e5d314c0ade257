/**
 * The page of log files: each task of a file is a run. A file that grows is read on from where it ended; one that was replaced or
 * became shorter is read anew. Nothing is kept but what was read.
 */
import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { FarmError, medianSeconds } from "@warpfarm/common";
import { kernelOf, problemOf, recordOfLog, type TuningRecord } from "@warpfarm/records";
import { readLog } from "@warpfarm/records/logs";
import { z } from "zod";
import type { RecordSummary, RunSummary } from "../api.ts";
import { detailOf, recordDetail, recordSummary, summaryOf } from "../run/describe.ts";
import { RunTrials } from "../run/run-trials.ts";
import type { PageSource, RecordsAsked } from "../source.ts";

const isLog = (name: string): boolean => /\.(?:jsonl|log|json)(?:\.gz)?$/.test(name);
/** A run whose file changed within this time is open. */
const openForMs = 10_000;
const most = 1_000;

interface ReadFile {
  size: number;
  changedMs: number;
  /** Bytes that were read whole: where a torn last line begins. */
  end: number;
}

/** A log's note of what the default schedule took. */
const defaultNote = z.object({ default: z.object({ kind: z.literal("timed"), costs: z.array(z.number().positive()).min(1) }) });

interface Run {
  readonly id: string;
  readonly file: string;
  readonly trials: RunTrials;
}

export interface FilesOptions {
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** The canonical document of what the record measured, or undefined where it cannot be made again. */
  readonly programOf: (record: TuningRecord) => Promise<string | undefined>;
}

export interface FilesSource extends PageSource {
  readonly warnings: readonly string[];
}

/** Throws INVALID_ARGUMENT naming the file, and the line, that is no log's. Folders stand for the logs in them. */
export async function openFiles(paths: readonly string[], { now, programOf }: FilesOptions): Promise<FilesSource> {
  const files = new Map<string, ReadFile>();
  const runs = new Map<string, Run>();
  const records = new Map<string, TuningRecord>();
  const warnings: string[] = [];

  const defaults = new Map<string, number>();

  const add = (file: string, text: string): number => {
    const log = readLog(text, file);
    for (const note of log.notes) {
      const read = defaultNote.safeParse(note);
      if (read.success) defaults.set(file, medianSeconds(read.data.default.costs));
    }
    warnings.push(...log.warnings);
    for (const line of log.records) {
      const record = recordOfLog(line, "local");
      const id = idOf(file, record);
      const run = runs.get(id) ?? { id, file, trials: new RunTrials() };
      runs.set(id, run);
      run.trials.add(record);
      records.set(record.id, record);
    }
    return log.end;
  };
  const forget = (file: string) => {
    for (const [id, run] of runs) if (run.file === file) runs.delete(id);
  };
  const readOn = async (file: string): Promise<void> => {
    const { size, mtimeMs } = await stat(file);
    const known = files.get(file);
    if (known?.size === size && known.changedMs === mtimeMs) return;
    if (file.endsWith(".gz")) {
      forget(file);
      add(file, gunzipSync(await readFile(file)).toString("utf8"));
      files.set(file, { size, changedMs: mtimeMs, end: size });
      return;
    }
    const isNew = known === undefined || size < known.end;
    if (isNew) forget(file);
    const from = isNew ? 0 : known.end;
    const bytes = await readFrom(file, from, size);
    // Up to the last line that is whole: the rest is being written.
    const whole = bytes.lastIndexOf(10) + 1;
    const complete = isNew ? bytes : bytes.subarray(0, whole);
    const end = add(file, complete.toString("utf8"));
    const read = isNew ? Buffer.byteLength(complete.toString("utf8").slice(0, end)) : whole;
    files.set(file, { size, changedMs: mtimeMs, end: from + read });
  };
  // What went away stays as it was read: whoever looks at it still does.
  const refresh = async () => {
    for (const path of paths) for (const file of await filesOf([path]).catch(() => [])) await readOn(file).catch(again(file));
  };
  for (const file of await filesOf(paths)) await readOn(file);

  const summary = (run: Run): RunSummary => {
    const isOpen = now() - (files.get(run.file)?.changedMs ?? 0) < openForMs;
    return summaryOf(run.trials, { id: run.id, state: isOpen ? "open" : "ended", mine: true });
  };
  return {
    kind: "files",
    warnings,
    async runs() {
      await refresh();
      return [...runs.values()].map(summary).sort(openThenNewest);
    },
    async run(id) {
      const run = runs.get(id);
      if (run === undefined) return undefined;
      const defaultSeconds = defaults.get(run.file);
      return { ...detailOf(summary(run), run.trials), ...(defaultSeconds === undefined ? {} : { defaultSeconds }) };
    },
    async trials(id, after) {
      await refresh();
      return runs.get(id)?.trials.columns(after);
    },
    async record(id) {
      const record = records.get(id);
      if (record === undefined) return undefined;
      const program = await programOf(record);
      return recordDetail(record, sameKernel(record, records), program === undefined ? {} : { program });
    },
    async records(asked) {
      return select([...records.values()], asked);
    },
  };
}

export const openThenNewest = (a: RunSummary, b: RunSummary): number =>
  Number(b.state !== "ended") - Number(a.state !== "ended") || b.lastMs - a.lastMs;

/** A file and one of its tasks; the file's name is enough where it holds one task. */
const idOf = (file: string, record: TuningRecord): string =>
  `${basename(file).replace(/\.(?:jsonl|log|json)(?:\.gz)?$/, "")}.${problemOf(record).slice(0, 8)}`;

const again =
  (file: string) =>
  (error: unknown): void => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error instanceof FarmError ? error : cannotRead(file, error);
  };

const cannotRead = (path: string, error: unknown) =>
  new FarmError("INVALID_ARGUMENT", `${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);

async function filesOf(paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths)
    try {
      if (!(await stat(path)).isDirectory()) found.push(path);
      else
        found.push(
          ...(await readdir(path))
            .filter(isLog)
            .sort()
            .map((name) => join(path, name)),
        );
    } catch (error) {
      throw cannotRead(path, error);
    }
  return found;
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

function sameKernel(record: TuningRecord, records: ReadonlyMap<string, TuningRecord>): readonly TuningRecord[] {
  const kernel = kernelOf(record);
  return [...records.values()].filter((other) => other.task === record.task && kernelOf(other) === kernel).slice(0, most);
}

function select(
  records: readonly TuningRecord[],
  { task, device, outcome, order = "newest", limit = 100, cursor }: RecordsAsked,
): { readonly records: readonly RecordSummary[]; readonly next?: string } {
  const found = records
    .filter((r) => (task === undefined || r.task === task) && (outcome === undefined || r.result.kind === outcome))
    .map(recordSummary)
    .filter((r) => (device === undefined || r.device === device) && (order !== "fastest" || r.seconds !== undefined))
    .sort((a, b) =>
      order === "fastest"
        ? (a.seconds as number) - (b.seconds as number)
        : (a.timestampMs - b.timestampMs) * (order === "oldest" ? 1 : -1),
    );
  const from = Number(cursor ?? 0);
  if (!Number.isSafeInteger(from) || from < 0)
    throw new FarmError("INVALID_ARGUMENT", `cursor ${cursor} is none of a page before`);
  const next = from + limit < found.length ? { next: String(from + limit) } : {};
  return { records: found.slice(from, from + limit), ...next };
}
