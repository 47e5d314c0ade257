/**
 * The log of a run, open for appending. A line is written in one call and synced before append resolves, so a result that was
 * seen is safe. Opening reads the log and refuses that of another run, because its sequences would mean something else. Until it
 * is closed no other run may open it.
 */
import { access, type FileHandle, mkdir, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  canonicalJson,
  FarmError,
  isDiskFull,
  type Json,
  type MeasureResult,
  type SessionId,
  toSessionId,
} from "@warpfarm/common";
import type { LockFile } from "@warpfarm/common/process";
import type { RunIdentity, TrialRecord } from "@warpfarm/records/logs";
import { encodeNote, encodeTrial, type Log, readLog, resultFromJson, resultSchema, resultToJson } from "@warpfarm/records/logs";
import type { Finals } from "@warpfarm/records/suites";
import { finalsNote, finalsOf } from "@warpfarm/records/suites";
import { z } from "zod";
import { lockLog, refuseLockedLog } from "./log-lock.ts";
import { type WarmStart, warmStartNote } from "./warm-start-note.ts";

export interface TuningLog extends AsyncDisposable {
  readonly path: string;
  /** Trials found when it was opened, in the order in which the tuner was told. */
  readonly trials: readonly TrialRecord[];
  /** The default schedule's result, if the log has it. */
  readonly defaultResult: MeasureResult | undefined;
  /** Sessions of this run so far. The last may still be open and is continued. */
  readonly farmSessions: readonly SessionId[];
  /** The last results of finalists measured interleaved, in this run. */
  readonly finals: readonly Finals[];
  readonly warnings: readonly string[];
  append(trial: TrialRecord): Promise<void>;
  appendDefault(result: MeasureResult): Promise<void>;
  appendFarmSession(session: SessionId): Promise<void>;
  appendFinals(run: RunIdentity, finals: Finals): Promise<void>;
}

export interface OpenLogOptions {
  readonly run: RunIdentity;
  /** Continue an existing log. Without it a log that has lines is refused. */
  readonly resume: boolean;
  /**
   * What determines the tuner's proposals besides its identity, if not the default. The log keeps it, and a run with another
   * value cannot continue the log.
   */
  readonly search?: Search;
  /** What a new log's search begins with. A continued one has its own (warmStartOf). */
  readonly warmStart?: WarmStart;
}
/** By flag of `tune`. */
export type Search = Readonly<Record<string, Json>>;

/**
 * Creates the file and its directory when absent, unless a log is to be continued. Throws FarmError with one sentence:
 * FAILED_PRECONDITION when another run has the log, otherwise INVALID_ARGUMENT.
 */
export async function openTuningLog(path: string, { run, resume, search, warmStart }: OpenLogOptions): Promise<TuningLog> {
  const file = await openFile(path, resume);
  let lock: LockFile | undefined;
  try {
    lock = await lockLog(path);
    let text = await file.readFile("utf8");
    if (text.trim() !== "" && !resume) {
      if (!isUnbegun(text, path))
        throw new FarmError("INVALID_ARGUMENT", `${path} already holds a log; give --resume to continue it, or another --log`);
      text = "";
    }
    const log = readLog(text, path);
    const trials: TrialRecord[] = [];
    for (const record of log.records) {
      if (record.kind === "autotvm") throw otherRun(path, "was written by AutoTVM, which logs no seed");
      checkRun(path, record.trial.run, run);
      trials.push(record.trial);
    }
    const { search: found, ...notes } = readNotes(log);
    if (text.trim() !== "") checkSearch(path, found, search);
    await file.truncate(Buffer.byteLength(text.slice(0, log.end)));
    const unended = log.end > 0 && text[log.end - 1] !== "\n";
    if (unended) await file.write("\n");
    if (text.trim() === "" && search !== undefined) await file.write(`${encodeNote({ search })}\n`);
    if (text.trim() === "" && warmStart && warmStart.sources.length > 0)
      await file.write(`${encodeNote(warmStartNote(warmStart))}\n`);
    return new OpenLog(path, file, lock, { trials, warnings: log.warnings, ...notes });
  } catch (error) {
    await lock?.[Symbol.asyncDispose]();
    await file.close();
    throw error;
  }
}

/** The log of a search that a farm refused: notes of its start, and nothing else. */
export function isUnbegun(text: string, path: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.some((line) => !line.startsWith("#"))) return false;
  const { notes } = readLog(text, path);
  const saysHow = (note: unknown) => typeof note === "object" && note !== null && ("search" in note || "warm_start" in note);
  return notes.length === lines.length && notes.every(saysHow);
}

async function openFile(path: string, resume: boolean): Promise<FileHandle> {
  try {
    if (resume) await access(path);
    else await mkdir(dirname(path), { recursive: true });
    return await open(path, "a+");
  } catch (error) {
    throw resume && (error as NodeJS.ErrnoException).code === "ENOENT" ? noLog(path) : unwritable(path, error);
  }
}

const noLog = (path: string): FarmError =>
  new FarmError("INVALID_ARGUMENT", `--resume continues a log, and there is no ${path}; leave --resume out to begin one`);

/** Refuses a log as openTuningLog does, by what is known before there is a farm. Holds and writes nothing. */
export async function refuseOtherRun(path: string, run: Partial<RunIdentity>, search: Search | undefined): Promise<void> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw noLog(path);
    throw new FarmError("INVALID_ARGUMENT", `${path} cannot be read: ${error.code ?? "error"}`);
  });
  await refuseLockedLog(path);
  if (text.trim() === "") return;
  const log = readLog(text, path);
  for (const record of log.records) if (record.kind === "warpfarm") checkRun(path, record.trial.run, run);
  checkSearch(path, readNotes(log).search, search);
}

function checkSearch(path: string, found: Search = {}, asked: Search = {}): void {
  if (canonicalJson(found) !== canonicalJson(asked))
    throw otherRun(path, `searched with ${searchWords(found)}; this run searches with ${searchWords(asked)}`);
}

/** In the words of `tune`'s flags. A model sees knobs when the log says nothing. */
function searchWords({ features = "knob", transfer, ...more }: Search): string {
  const logs = Array.isArray(transfer) ? `--transfer of logs with digests ${transfer.join(", ")}` : "no --transfer";
  return [`--features ${features}`, logs, ...Object.entries(more).map(([key, value]) => `${key} ${canonicalJson(value)}`)].join(
    ", ",
  );
}

function checkRun(path: string, found: RunIdentity, asked: Partial<RunIdentity>): void {
  for (const key of ["task", "args", "target", "tuner", "seed"] as const) {
    if (asked[key] === undefined) continue;
    const [there, here] = [canonicalJson(found[key]), canonicalJson(asked[key])];
    if (there !== here) throw otherRun(path, `has ${key} ${there}; this run has ${here}`);
  }
}

/** The user must correct what the system refuses. */
const unwritable = (path: string, error: unknown, remedy = ""): FarmError => {
  const why = (error as NodeJS.ErrnoException).code ?? String(error);
  // A full disk is not a fault of the input.
  return new FarmError(
    isDiskFull(error) ? "RESOURCE_EXHAUSTED" : "INVALID_ARGUMENT",
    `the log ${path} cannot be written: ${why}${remedy}`,
    { cause: error, rule: "log.unwritable" },
  );
};

const otherRun = (path: string, why: string): FarmError =>
  new FarmError("INVALID_ARGUMENT", `${path} is the log of another run and cannot be resumed: it ${why}`);

/** The contents of our notes: the last result of the default schedule, and all sessions. Notes of a later version are skipped. */
function readNotes(log: Log): Pick<TuningLog, "defaultResult" | "farmSessions" | "finals"> & { search: Search | undefined } {
  let search: Search | undefined;
  let defaultResult: MeasureResult | undefined;
  const farmSessions: SessionId[] = [];
  for (const note of log.notes) {
    const { data } = noteSchema.safeParse(note);
    if (data && "default" in data) defaultResult = resultFromJson(data.default);
    else if (data && "search" in data) search = data.search;
    else if (data && "farm_session" in data) farmSessions.push(toSessionId(data.farm_session));
  }
  return { defaultResult, farmSessions, search, finals: finalsOf(log.notes).map(({ finals }) => finals) };
}
const noteSchema = z.union([
  z.object({ default: resultSchema }),
  z.object({ search: z.record(z.string(), z.json()) }),
  z.object({ farm_session: z.string().regex(/^[\w.:-]{1,128}$/) }),
]);

class OpenLog implements TuningLog {
  readonly path: string;
  readonly trials: readonly TrialRecord[];
  readonly defaultResult: MeasureResult | undefined;
  readonly farmSessions: readonly SessionId[];
  readonly finals: readonly Finals[];
  readonly warnings: readonly string[];
  readonly #file: FileHandle;
  readonly #lock: LockFile | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    path: string,
    file: FileHandle,
    lock: LockFile | undefined,
    found: Pick<TuningLog, "trials" | "defaultResult" | "farmSessions" | "finals" | "warnings">,
  ) {
    this.path = path;
    this.trials = found.trials;
    this.defaultResult = found.defaultResult;
    this.farmSessions = found.farmSessions;
    this.finals = found.finals;
    this.warnings = found.warnings;
    this.#file = file;
    this.#lock = lock;
  }
  append(trial: TrialRecord): Promise<void> {
    return this.#line(encodeTrial(trial));
  }
  appendDefault(result: MeasureResult): Promise<void> {
    return this.#line(encodeNote({ default: resultToJson(result) }));
  }
  appendFarmSession(session: SessionId): Promise<void> {
    return this.#line(encodeNote({ farm_session: session }));
  }
  appendFinals(run: RunIdentity, finals: Finals): Promise<void> {
    return this.#line(encodeNote(finalsNote(run, finals)));
  }
  async #line(text: string): Promise<void> {
    const bytes = Buffer.from(`${text}\n`);
    try {
      // Usually one write. On a full disk a part is written, and the next write gives the reason.
      for (let written = 0; written < bytes.length; ) written += (await this.#file.write(bytes, written)).bytesWritten;
      await this.#file.datasync();
    } catch (error) {
      throw unwritable(this.path, error, "; what was logged before is safe, and --resume continues from it");
    }
  }
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#file.close().then(() => this.#lock?.[Symbol.asyncDispose]());
    return this.#closed;
  }
}
