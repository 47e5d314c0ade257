/**
 * Reading a log: AutoTVM's rule that rows starting with # are skipped, and ours: blank lines are skipped, and a last line that a
 * crash cut short is dropped with a warning. Any other malformed line is an error naming its number, or skipped and counted where
 * the user asked for that. A row without a valid time counts as failed (measured-time.ts).
 *
 * Our notes hide in comment rows, `# warpfarm {...}`, where AutoTVM does not see them.
 */
import { badInput, FarmError, printable } from "@warpfarm/common";
import { nameOfForm } from "../file-forms.ts";
import { parseJson } from "../json-text.ts";
import { RowNotes } from "../measured-time.ts";
import { decodeLine } from "./autotvm-line.ts";
import { type LogRecord, noTimeOf } from "./record.ts";

export interface Log {
  readonly records: readonly LogRecord[];
  readonly notes: readonly unknown[];
  readonly warnings: readonly string[];
  readonly end: number;
}

export interface ReadOptions {
  /**
   * True: broken lines are skipped and counted. False: the error names the flag that does it. Absent: the reader has no such
   * flag.
   */
  readonly skipBroken?: boolean;
  /** Throws where no row is valid: all lack a valid time, or are broken. */
  readonly needsTime?: boolean;
}
const skipFlag = "--skip-broken";
export const skipWords = ({ skipBroken }: ReadOptions): string =>
  skipBroken === false ? `; ${skipFlag} reads the other lines and counts those that it skips` : "";

/** The rule of the error for a file that is no log. */
export const notALog = "file.no_log";
export const isNoLog = (error: unknown): error is FarmError => error instanceof FarmError && error.rule === notALog;

const notePrefix = "# warpfarm ";
export const encodeNote = (note: object): string => notePrefix + JSON.stringify(note);
/** The note in a line; undefined in other lines, and in one that was cut short. */
export function noteIn(line: string): unknown {
  if (!line.startsWith(notePrefix)) return undefined;
  try {
    return JSON.parse(line.slice(notePrefix.length));
  } catch {
    return undefined;
  }
}

/** Throws FarmError INVALID_ARGUMENT that names the line, or the form of a file that is no log (rule notALog). */
export function readLog(text: string, name = "log", options: ReadOptions = {}): Log {
  const records: LogRecord[] = [];
  const notes: unknown[] = [];
  const rows = new RowNotes(name);
  const done = (end: number, torn: readonly string[] = []): Log => {
    if (options.needsTime) rows.check();
    return { records, notes, warnings: [...rows.words, ...torn], end };
  };
  for (let start = 0, number = 1; start < text.length; number++) {
    const newline = text.indexOf("\n", start);
    const stop = newline < 0 ? text.length : newline;
    const line = text.slice(start, stop).trim();
    try {
      if (line.startsWith(notePrefix)) notes.push(JSON.parse(line.slice(notePrefix.length)));
      else if (line !== "" && !line.startsWith("#")) {
        const record = decodeLine(line);
        records.push(record);
        rows.count(noTimeOf(record), () => `line ${number}`);
      }
    } catch (error) {
      if (records.length === 0 && rows.skipped === 0) refuseOther(text, stop, newline < 0, name);
      // JSON.parse cites what it read, which a terminal must not take for its own signs.
      const why = printable(error instanceof Error ? error.message : String(error));
      if (newline < 0) return done(start, [`${name}: the last line (${number}) was cut short and is dropped`]);
      if (!options.skipBroken) throw badInput(`${name} line ${number} is not a log line: ${why}${skipWords(options)}`);
      rows.broken(() => `line ${number}`, why);
    }
    start = stop + 1;
  }
  return done(text.length);
}

/**
 * Names the form of a file of another form, and says so of a file of none: the first line's fault would say nothing to the user.
 * A log with a broken first line has other lines; one that is being written has a piece of a line. `stop`: for the first line.
 */
function refuseOther(text: string, stop: number, isOnly: boolean, name: string): void {
  const form = nameOfForm(text);
  const refuse = (words: string) => {
    throw badInput(`${name} ${words}`, { rule: notALog });
  };
  if (form !== undefined && form !== logForm) refuse(`is ${form}, not a tuning log; warpfarm records import reads it`);
  const hasOther = text
    .slice(stop, stop + lookAhead)
    .split("\n")
    .slice(0, -1)
    .some((line) => isLine(line.trim()));
  const isPiece = isOnly && !isJson(text);
  if (form === undefined && !hasOther && !isPiece)
    refuse('is no tuning log: a log has a JSON object with "input", "config" and "result" on each line');
}
const logForm = "AutoTVM's log";
const lookAhead = 1 << 20;

function isLine(text: string): boolean {
  try {
    return text.startsWith("{") && decodeLine(text) !== undefined;
  } catch {
    return false;
  }
}
function isJson(text: string): boolean {
  try {
    return parseJson(text) !== undefined;
  } catch {
    return false;
  }
}
