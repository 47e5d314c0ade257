/**
 * The log of a run, open for appending. A line is written in one call and synced before append resolves: whoever saw a result can count
 * on it. Opening reads what is there and refuses a log of another run, because its sequences would mean something else.
 */
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { canonicalJson, FarmError, type MeasureResult } from "@warpfarm/common";
import { encodeTrial } from "./autotvm-line.ts";
import { encodeNote, readLog } from "./read-log.ts";
import type { RunIdentity, TrialRecord } from "./record.ts";
import { type ResultJson, resultFromJson, resultSchema, resultToJson } from "./result-json.ts";

export interface TuningLog extends AsyncDisposable {
  readonly path: string;
  /** Trials found when it was opened, in the order they were written: the order the tuner was told. */
  readonly trials: readonly TrialRecord[];
  /** The default schedule's result, when the log has it. */
  readonly defaultResult: MeasureResult | undefined;
  readonly warnings: readonly string[];
  append(trial: TrialRecord): Promise<void>;
  appendDefault(result: MeasureResult): Promise<void>;
}

export interface OpenLogOptions {
  readonly run: RunIdentity;
  /** Go on with a log that has lines; without it such a log is refused. */
  readonly resume: boolean;
}

/** Creates the file and its directory when absent. Throws FarmError INVALID_ARGUMENT in one sentence. */
export async function openTuningLog(path: string, { run, resume }: OpenLogOptions): Promise<TuningLog> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, "a+");
  try {
    const text = await file.readFile("utf8");
    if (text.trim() !== "" && !resume)
      throw new FarmError("INVALID_ARGUMENT", `${path} already holds a log; give --resume to go on with it, or another --log`);
    const log = readLog(text, path);
    const trials: TrialRecord[] = [];
    for (const record of log.records) {
      if (record.kind === "autotvm") throw otherRun(path, "was written by AutoTVM, which logs no seed");
      checkRun(path, record.trial.run, run);
      trials.push(record.trial);
    }
    await file.truncate(Buffer.byteLength(text.slice(0, log.end)));
    const unended = log.end > 0 && text[log.end - 1] !== "\n";
    if (unended) await file.write("\n");
    return new OpenLog(path, file, trials, defaultOf(log.notes), log.warnings);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function checkRun(path: string, found: RunIdentity, asked: RunIdentity): void {
  for (const key of ["task", "args", "target", "tuner", "seed"] as const) {
    const [there, here] = [canonicalJson(found[key]), canonicalJson(asked[key])];
    if (there !== here) throw otherRun(path, `has ${key} ${there}; this run has ${here}`);
  }
}

const otherRun = (path: string, why: string): FarmError =>
  new FarmError("INVALID_ARGUMENT", `${path} is the log of another run and cannot be resumed: it ${why}`);

function defaultOf(notes: readonly unknown[]): MeasureResult | undefined {
  for (const note of notes.toReversed()) {
    if (typeof note !== "object" || note === null || !("default" in note)) continue;
    const parsed = resultSchema.safeParse(note.default);
    if (parsed.success) return resultFromJson(parsed.data satisfies ResultJson);
  }
  return undefined;
}

class OpenLog implements TuningLog {
  readonly path: string;
  readonly trials: readonly TrialRecord[];
  readonly defaultResult: MeasureResult | undefined;
  readonly warnings: readonly string[];
  readonly #file: FileHandle;
  #closed: Promise<void> | undefined;

  constructor(
    path: string,
    file: FileHandle,
    trials: readonly TrialRecord[],
    defaultResult: MeasureResult | undefined,
    warnings: readonly string[],
  ) {
    this.path = path;
    this.trials = trials;
    this.defaultResult = defaultResult;
    this.warnings = warnings;
    this.#file = file;
  }
  append(trial: TrialRecord): Promise<void> {
    return this.#line(encodeTrial(trial));
  }
  appendDefault(result: MeasureResult): Promise<void> {
    return this.#line(encodeNote({ default: resultToJson(result) }));
  }
  async #line(text: string): Promise<void> {
    const bytes = Buffer.from(`${text}\n`);
    const { bytesWritten } = await this.#file.write(bytes);
    if (bytesWritten !== bytes.length) throw new Error(`${this.path}: wrote ${bytesWritten} of ${bytes.length} bytes`);
    await this.#file.datasync();
  }
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#file.close();
    return this.#closed;
  }
}
