/** Times as people write them: a number and its unit (`500ms`, `10s`, `2m`, `12h`, `7d`). */
import { err, ok, type Result } from "./result.ts";

const unitsMs = { ns: 1e-6, us: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof unitsMs;

/** Writes the time in the largest unit of which it is a whole number. */
export function durationWords(ms: number): string {
  const [unit = "ms", unitMs = 1] =
    ms === 0 ? [] : (Object.entries(unitsMs).findLast(([, length]) => Number.isInteger(ms / length)) ?? []);
  return `${ms / unitMs}${unit}`;
}

export interface DurationRange {
  readonly lowMs?: number;
  readonly highMs: number;
  /** The unit that a user probably meant who wrote none; default seconds. */
  readonly usual?: Unit;
  readonly isFine?: boolean;
}

/** Milliseconds, or a sentence that names the flag, the text and what is allowed. */
export function parseDuration(flag: string, text: string, range: DurationRange): Result<number, string> {
  const { lowMs = 0, highMs, usual = "s", isFine = false } = range;
  const [, digits, unit] = /^(\d{1,15}(?:\.\d{1,9})?|\.\d{1,9})(ns|us|ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = unit === undefined ? Number.NaN : Number(digits) * unitsMs[unit as Unit];
  // 0.3 s are 300.00000000000006 ms in floating point, where a person means 300.
  const value = isFine ? ms : Math.round(ms);
  if (value >= lowMs && value <= highMs && Math.abs(value - ms) < 1e-6) return ok(value);
  const shown = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
  const hint = /^(\d{1,15}(\.\d+)?|\.\d+)$/.test(text) ? `, without a unit: write ${text}${usual}` : "";
  const such = isFine ? "50us, 2ms or 1s" : "500ms, 10s or 2m";
  const least = lowMs === 0 ? "" : `from ${durationWords(lowMs)} `;
  const most = least === "" ? `at most ${durationWords(highMs)}` : `to ${durationWords(highMs)}`;
  const whole = isFine || Math.abs(value - ms) < 1e-6 || Number.isNaN(ms) ? "" : ", in whole milliseconds";
  return err(`${flag} is ${shown}${hint}; it takes a time such as ${such}, ${least}${most}${whole}`);
}
