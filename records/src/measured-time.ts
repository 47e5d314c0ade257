/**
 * What a valid time is, in the files of every tool: a finite number above 0 and of at most 10^6 s after the file's own unit. A
 * time stamp without a zone is UTC. A row with another time is kept as a failure that says why, so that it is never the best and
 * ends no import; RowNotes counts such rows.
 */
import { badInput, defined, type Json, measureErrorNo, type Seconds } from "@warpfarm/common";
import type { RecordResult } from "./tuning-record.ts";

export const longestSeconds: Seconds = 1e6;
/** The rule of a failure that is a row without a valid time. */
export const noTimeRule = "file.no_time";

/** Why the value is no time of a run in units of `unit` milliseconds; undefined for a time. */
export function whyNoTime(value: unknown, unitMs = 1000): string | undefined {
  if (value === undefined || value === null) return "there is no time";
  if (typeof value !== "number" && !(typeof value === "string" && isWord.test(value)))
    return `the time is ${JSON.stringify(value).slice(0, 80)}, which is no number`;
  const seconds = (Number(value) * unitMs) / 1000;
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= longestSeconds) return undefined;
  const found = unitMs === 1000 || seconds === 0 || !Number.isFinite(seconds) ? `${value}` : `${value}, which is ${seconds} s`;
  return `the time is ${found}; a time is above 0 and at most ${longestSeconds} s`;
}
const isWord = /^(NaN|-?Infinity)$/;

/** Times in units of that many milliseconds as a result. A text as `unit` is an unknown unit. */
export function timesAsResult(
  values: readonly unknown[],
  unit: number | string,
  checked?: boolean,
): Extract<RecordResult, { kind: "timed" | "failed" }> {
  if (typeof unit === "string") return noTime(`${JSON.stringify(unit)} is no unit of time; units are ns, us, ms and s`);
  if (values.length === 0) return noTime("there is no time");
  for (const value of values) {
    const why = whyNoTime(value, unit);
    if (why !== undefined) return noTime(why);
  }
  const costs = (values as readonly number[]).map((value) => (value * unit) / 1000);
  return { kind: "timed", costs, ...defined({ checked }) };
}
export const noTime = (message: string): RecordResult & { readonly kind: "failed" } => ({
  kind: "failed",
  errorNo: measureErrorNo.UNKNOWN_ERROR,
  rule: noTimeRule,
  message,
});

/** Milliseconds of a unit by its name, or the name when it is unknown. `usual`: where the file names none. */
export function unitMs(unit: Json | undefined, usual: number | string = 1): number | string {
  if (unit === undefined || unit === null || unit === "") return usual;
  const name = String(unit).trim();
  // A capital M is not a milli, but M in words is: `MS` and `Miliseconds`, as some files spell it.
  const found = units.find(([words]) => words.test(name));
  return found ? found[1] : name.slice(0, 40);
}
const units: readonly (readonly [words: RegExp, ms: number])[] = [
  [/^(n|nsecs?|ns|nano(s|secs?|seconds?)?)$/i, 1e-6],
  [/^(u|us|usecs?|[\u00b5\u03bc]s|micro(s|secs?|seconds?)?)$/i, 1e-3],
  [/^(ms|msecs?|mill?i(s|secs?|seconds?)?)$/i, 1],
  [/^(s|secs?|seconds?)$/i, 1000],
  [/^(min|mins|minutes?)$/i, 60_000],
];

/** Unix time in milliseconds from a file's text, UTC where it has no zone; undefined when the text is no time. */
export function instantOf(text: string): number | undefined {
  // Python writes microseconds, or nanoseconds, and Date.parse takes milliseconds.
  const words = text.trim().replace(/([T ]\d\d:\d\d:\d\d)[.,](\d{3})\d+/, "$1.$2");
  const hasZone = /(?:[zZ]|[A-Za-z]{3,5}|[+-]\d\d(?::?\d\d)?)$/.test(words) && /\d:\d\d|T\d/.test(words);
  const [, before = words, hours] = hasZone ? (/^(.*\S)\s*([+-]\d\d)$/.exec(words) ?? []) : [];
  const isIso = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/.test(words);
  const zoned = isIso
    ? words.length === 10
      ? words
      : `${words.replace(" ", "T")}Z`
    : hasZone
      ? before + (hours ? `${hours}:00` : "")
      : `${words} UTC`;
  const ms = Date.parse(zoned);
  return Number.isFinite(ms) ? ms : undefined;
}

/** The time of a record: 0 when the file's text is no time, or one before 1970. */
export function timeOf(words: Json | undefined): number {
  return typeof words === "string" ? wholeMs(instantOf(words)) : 0;
}
/** The largest date that there is. */
const lastMs = 8.64e15;
export const wholeMs = (ms: unknown): number => (typeof ms === "number" && ms > 0 && ms <= lastMs ? Math.floor(ms) : 0);

/** Counts the rows that a reader leaves out or keeps as failed, with the first of them. */
export class RowNotes {
  readonly #name: string;
  #rows = 0;
  #untimed = 0;
  #firstUntimed = "";
  #broken = 0;
  #firstBroken = "";
  constructor(name: string) {
    this.#name = name;
  }

  /** `place`, such as `line 3`, is called only where it is reported. */
  count(result: RecordResult, place: () => string): void {
    this.#rows++;
    if (result.kind !== "failed" || result.rule !== noTimeRule) return;
    if (this.#untimed++ === 0) this.#firstUntimed = `${place()}: ${result.message}`;
  }
  valid(): void {
    this.#rows++;
  }
  broken(place: () => string, why: string): void {
    if (this.#broken++ === 0) this.#firstBroken = `${place()}: ${why}`;
  }
  get skipped(): number {
    return this.#broken;
  }

  /** Why none of the rows is valid; undefined where one is, or where there are none. */
  get none(): string | undefined {
    if (this.#untimed > 0 && this.#untimed === this.#rows)
      return `${this.#name} has no row with a valid time (${this.#untimed} ${rowsWord(this.#untimed)}), first ${this.#firstUntimed}`;
    if (this.#broken > 0 && this.#rows === 0)
      return `${this.#name} has no line that can be read (${this.#broken} are broken), first ${this.#firstBroken}`;
    return undefined;
  }
  /** Throws INVALID_ARGUMENT where rows were read and none of them is valid. */
  check(): void {
    if (this.none !== undefined) throw badInput(this.none);
  }
  get words(): readonly string[] {
    return [
      ...(this.#untimed > 0
        ? [
            `${this.#name}: ${this.#untimed} ${rowsWord(this.#untimed)} without a valid time ${this.#untimed === 1 ? "counts" : "count"} as failed, first ${this.#firstUntimed}`,
          ]
        : []),
      ...(this.#broken > 0
        ? [
            `${this.#name}: ${this.#broken} broken ${this.#broken === 1 ? "line is" : "lines are"} skipped, first ${this.#firstBroken}`,
          ]
        : []),
    ];
  }
}
const rowsWord = (n: number): string => (n === 1 ? "row" : "rows");
