/**
 * Reading a log: AutoTVM's rules (rows starting with # skipped, version 0.1 rows skipped with one warning) and two of ours: blank
 * lines are skipped, and a last line that a crash cut short is dropped with a warning. Any other malformed line is an error
 * naming its number.
 *
 * Our notes hide in comment rows, `# warpfarm {...}`, where AutoTVM does not see them.
 */
import { FarmError } from "@warpfarm/common";
import { decodeLine } from "./autotvm-line.ts";
import type { LogRecord } from "./record.ts";

export interface Log {
  readonly records: readonly LogRecord[];
  /** JSON of our notes, in order. */
  readonly notes: readonly unknown[];
  readonly warnings: readonly string[];
  /** Length of the text without a torn last line: where writing may go on. */
  readonly end: number;
}

const notePrefix = "# warpfarm ";
export const encodeNote = (note: object): string => notePrefix + JSON.stringify(note);

/** Throws FarmError INVALID_ARGUMENT naming the line. */
export function readLog(text: string, name = "log"): Log {
  const records: LogRecord[] = [];
  const notes: unknown[] = [];
  const warnings: string[] = [];
  let old = 0;
  let start = 0;
  for (let number = 1; start < text.length; number++) {
    const newline = text.indexOf("\n", start);
    const stop = newline < 0 ? text.length : newline;
    const line = text.slice(start, stop).trim();
    try {
      if (line.startsWith(notePrefix)) notes.push(JSON.parse(line.slice(notePrefix.length)));
      else if (line !== "" && !line.startsWith("#")) {
        const record = decodeLine(line);
        if (record) records.push(record);
        else old++;
      }
    } catch (error) {
      // JSON.parse cites what it read, which a terminal must not take for its own signs.
      const why = (error instanceof Error ? error.message : String(error)).replace(/\p{Cc}/gu, "?");
      if (newline >= 0) throw new FarmError("INVALID_ARGUMENT", `${name} line ${number} is not a log line: ${why}`);
      warnings.push(`${name}: the last line (${number}) was cut short and is dropped`);
      return { records, notes, warnings: [...oldRows(old, name), ...warnings], end: start };
    }
    start = stop + 1;
  }
  return { records, notes, warnings: oldRows(old, name), end: text.length };
}

const oldRows = (count: number, name: string): string[] =>
  count > 0 ? [`${name}: ${count} rows of AutoTVM's version 0.1 are skipped`] : [];
