/**
 * The log of a search, open for appending. A line is written in one call and synced before append resolves, so a result that was
 * seen is safe. Its first line is the search itself, with the paths of its files on this machine:
 *
 *   # warpfarm {"search": {"version": 1, "task": {"file": "my.ts", "digest": "sha256:..."}, ...}, "paths": {"file":
 *   "/home/me/my.ts"}}
 *
 * A search that is continued for longer adds another such line, and the last one counts. Opening refuses the log of another
 * search, because its sequences would mean something else. Until it is closed no other process may open it.
 *
 * The log of an operator begins with the operator's search. The searches of its templates follow, each with such a line before
 * its notes; results say their template.
 */
import { access, type FileHandle, mkdir, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  badInput,
  canonicalJson,
  defined,
  FarmError,
  fileFault,
  isDiskFull,
  type Json,
  type MeasureResult,
  type SessionId,
  shellWord,
  toSessionId,
  unreadable,
} from "@warpfarm/common";
import type { LockFile } from "@warpfarm/common/process";
import {
  encodeNote,
  encodeTrial,
  type Log,
  readLog,
  resultFromJson,
  resultSchema,
  resultToJson,
  type TrialRecord,
  taskOf,
} from "@warpfarm/records/logs";
import { nameOfTask, notesOf, operatorIn, searchesIn } from "@warpfarm/records/search";
import type { Finals } from "@warpfarm/records/suites";
import { finalsNote, finalsOf } from "@warpfarm/records/suites";
import { z } from "zod";
import { lockLog, refuseLockedLog } from "./log-lock.ts";
import { differences, mayChange, readSearchSpec, runOf, type SearchSpec, type WholeSpec } from "./search-spec.ts";
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
  appendFinals(finals: Finals): Promise<void>;
}

/** The absolute paths of a search's files on this machine. */
export interface SearchPaths {
  readonly file?: string | undefined;
  readonly spec?: string | undefined;
  /** The kernel's named reference, as the user wrote it, and the folder to which it is relative. */
  readonly reference?: { readonly said: string; readonly from: string } | undefined;
  /** The logs that it starts from, in order. */
  readonly logs?: readonly string[] | undefined;
}

interface OpenLogOptions {
  readonly spec: WholeSpec;
  readonly paths?: SearchPaths | undefined;
  /** Continue an existing log. Without it a log that has lines is refused. */
  readonly resume: boolean;
  /** The log is an operator's, where a search of one of its templates begins or continues. */
  readonly isShared?: boolean;
  readonly warmStart?: WarmStart;
}

/**
 * Creates the file and its directory when absent, unless a log is to be continued. Throws FarmError with one sentence:
 * FAILED_PRECONDITION when another process writes the log, otherwise INVALID_ARGUMENT.
 */
export async function openTuningLog(path: string, options: OpenLogOptions): Promise<TuningLog> {
  const { spec, paths, resume, isShared = false, warmStart } = options;
  const file = await openFile(path, resume || isShared);
  let lock: LockFile | undefined;
  try {
    lock = await lockLog(path);
    let text = await file.readFile("utf8");
    if (text.trim() !== "" && !resume && !isShared) {
      if (!isUnbegun(text, path)) throw holdsLog(path);
      text = "";
    }
    const log = readLog(text, path);
    const notes = notesOf(log.notes, spec);
    const isNew = isShared ? notes.length === 0 : text.trim() === "";
    const trials = isNew ? [] : trialsOf(isShared ? ofTask(log, spec) : log, spec, path);
    const found = isNew ? undefined : searchOf({ ...log, notes }, path);
    const changed = found && differences(found.spec, spec);
    const [other] = changed?.filter((each) => !mayChange(each)) ?? [];
    if (other)
      throw badInput(`${path} is the log of another search: ${other.field} is ${other.there} there, and ${other.here} here`);
    await file.truncate(Buffer.byteLength(text.slice(0, log.end)));
    const unended = log.end > 0 && text[log.end - 1] !== "\n";
    if (unended) await file.write("\n");
    const hasMoved =
      paths !== undefined && canonicalJson(defined(found?.paths ?? {}) as Json) !== canonicalJson(defined(paths) as Json);
    const isNext = isShared && nameOfTask((searchesIn(log.notes).at(-1) ?? spec).task) !== nameOfTask(spec.task);
    if (changed === undefined || changed.length > 0 || hasMoved || isNext)
      await file.write(`${encodeNote(searchNote(spec, paths))}\n`);
    if (isNew && warmStart && warmStart.sources.length + warmStart.starts.length > 0)
      await file.write(`${encodeNote(warmStartNote(warmStart))}\n`);
    return new OpenLog(path, file, lock, spec, { trials, warnings: log.warnings, ...readNotes(notes) });
  } catch (error) {
    await lock?.[Symbol.asyncDispose]();
    await file.close();
    throw error;
  }
}

const searchNote = (search: SearchSpec, paths: SearchPaths = {}): object => ({
  search,
  ...(Object.keys(defined(paths)).length > 0 ? { paths: defined(paths) } : {}),
});

/** What the templates of an operator have had, for who divides its trials. */
export interface OperatorLog {
  readonly path: string;
  readonly warnings: readonly string[];
  readonly records: Log["records"];
  /** The templates whose searches were begun. */
  readonly begun: ReadonlySet<string>;
  readonly defaultResult: MeasureResult | undefined;
}

/** Begins or continues the log of an operator; the searches of its templates are opened in it. Throws as openTuningLog. */
export async function openOperatorLog(path: string, spec: SearchSpec, resume: boolean): Promise<OperatorLog> {
  const file = await openFile(path, resume);
  try {
    await using _lock = await lockLog(path);
    let text = await file.readFile("utf8");
    if (!resume && text.trim() !== "") {
      if (!isUnbegun(text, path)) throw holdsLog(path);
      text = "";
    }
    const log = readLog(text, path);
    await file.truncate(Buffer.byteLength(text.slice(0, log.end)));
    if (log.end > 0 && text[log.end - 1] !== "\n") await file.write("\n");
    const isSame = canonicalJson((operatorIn(log.notes) ?? null) as Json) === canonicalJson(spec as Json);
    if (!isSame) await file.write(`${encodeNote(searchNote(spec))}\n`);
    const begun = searchesIn(log.notes).flatMap(({ task }) => ("operator" in task ? [] : [nameOfTask(task)]));
    const { defaultResult } = readNotes(log.notes);
    return { path, warnings: log.warnings, records: log.records, begun: new Set(begun), defaultResult };
  } finally {
    await file.close();
  }
}

const holdsLog = (path: string): FarmError =>
  badInput(`${path} already holds a log; tune --resume ${path} continues it, or give another --log`);

const ofTask = (log: Log, { task }: WholeSpec): Pick<Log, "records"> => ({
  records: log.records.filter((record) => taskOf(record).task === nameOfTask(task)),
});

/** All lines must be of this search. */
function trialsOf({ records }: Pick<Log, "records">, spec: WholeSpec, path: string): readonly TrialRecord[] {
  const run = canonicalJson({ ...runOf(spec) });
  return records.map((record) => {
    if (record.kind === "warpfarm" && canonicalJson({ ...record.trial.run }) === run) return record.trial;
    throw badInput(`${path} also holds results of another search, so it cannot be continued`);
  });
}

/** A search as its log keeps it. */
export interface KeptSearch {
  readonly spec: SearchSpec;
  readonly paths: SearchPaths;
}

/**
 * The search that a log continues. Holds and writes nothing. Throws FarmError INVALID_ARGUMENT for a log without one, and
 * FAILED_PRECONDITION when another process writes the log.
 */
export async function searchIn(path: string): Promise<KeptSearch> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw noLog(path);
    return unreadable(path)(error);
  });
  await refuseLockedLog(path);
  return searchOf(readLog(text, path), path);
}

function searchOf({ notes, records }: Log, path: string): KeptSearch {
  const operator = operatorIn(notes);
  if (operator) return { spec: operator, paths: {} };
  const kept = notes.flatMap((note) => keptSchema.safeParse(note).data ?? []).at(-1);
  if (kept) return { spec: readSearchSpec(kept.search, `the search in ${path}`), paths: kept.paths ?? {} };
  const [first] = records;
  const task = first ? taskOf(first).task : "TASK";
  throw badInput(
    `${path} does not say which search it is of, so it cannot be continued; warpfarm tune ${shellWord(task)} --transfer ${shellWord(path)} begins one that starts from its results`,
    { rule: "search.none" },
  );
}
const keptSchema = z.object({
  search: z.unknown().refine((search) => search !== undefined),
  paths: z
    .object({
      file: z.string().optional(),
      spec: z.string().optional(),
      reference: z.object({ said: z.string(), from: z.string() }).optional(),
      logs: z.array(z.string()).optional(),
    })
    .optional(),
});

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
  badInput(`--resume continues a log, and there is no ${path}; tune TASK --log ${path} begins one`);

/** The user must correct what the system refuses. */
const unwritable = (path: string, error: unknown, remedy = ""): FarmError => {
  // A full disk is not a fault of the input.
  return new FarmError(
    isDiskFull(error) ? "RESOURCE_EXHAUSTED" : "INVALID_ARGUMENT",
    `the log ${path} cannot be written: ${fileFault(error)}${remedy}`,
    { cause: error, rule: "log.unwritable" },
  );
};

/** The contents of our notes: the last result of the default schedule, and all sessions. Notes of a later version are skipped. */
function readNotes(notes: readonly unknown[]): Pick<TuningLog, "defaultResult" | "farmSessions" | "finals"> {
  let defaultResult: MeasureResult | undefined;
  const farmSessions: SessionId[] = [];
  for (const note of notes) {
    const { data } = noteSchema.safeParse(note);
    if (data && "default" in data) defaultResult = resultFromJson(data.default);
    else if (data && "farm_session" in data) {
      // A resumed run continues the last one.
      const session = toSessionId(data.farm_session);
      if (farmSessions.at(-1) !== session) farmSessions.push(session);
    }
  }
  return { defaultResult, farmSessions, finals: finalsOf(notes).map(({ finals }) => finals) };
}
const noteSchema = z.union([
  z.object({ default: resultSchema }),
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
  readonly #spec: WholeSpec;
  #closed: Promise<void> | undefined;

  constructor(
    path: string,
    file: FileHandle,
    lock: LockFile | undefined,
    spec: WholeSpec,
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
    this.#spec = spec;
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
  appendFinals(finals: Finals): Promise<void> {
    return this.#line(encodeNote(finalsNote(runOf(this.#spec), finals)));
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
