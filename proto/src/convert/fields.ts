/**
 * Reads single fields of untrusted messages. Every reader is total: it returns a domain value, or throws FarmError
 * INVALID_ARGUMENT with the field, the value found and what is allowed.
 */
import {
  FarmError,
  isDigest,
  isMatchKey,
  isTarget,
  keyWords,
  targetWords,
  whyNoName,
  whyUnrecordableText,
} from "@warpfarm/common";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";

const shownCharacters = 60;

export function shown(value: unknown): string {
  const text =
    typeof value === "string"
      ? JSON.stringify(value.length > shownCharacters ? `${value.slice(0, shownCharacters)}…` : value)
      : String(value);
  return text.length > 2 * shownCharacters ? `${text.slice(0, 2 * shownCharacters)}…` : text;
}

/** `found` is a text. Pass a value through shown() first. */
export function refuse(field: string, found: string, allowed: string): never {
  throw new FarmError("INVALID_ARGUMENT", `${field} is ${found}; allowed: ${allowed}`);
}

export function required<T>(field: string, value: T | null | undefined): T {
  if (value === null || value === undefined) throw new FarmError("INVALID_ARGUMENT", `${field} is not set; it is required`);
  return value;
}

/** A name, or another text of one line, of at most `max` UTF-8 bytes: others see it on their terminals. */
export function text(field: string, value: string, max: number, min = 0): string {
  requireBytes(field, value, max, min);
  const why = whyNoName(value);
  if (why !== undefined) refuse(field, `${shown(value)}, with ${why}`, "text of one line, of whole characters without NUL");
  return value;
}

/** Text of several lines, or a document, of at most `max` UTF-8 bytes, that a store accepts. */
export function prose(field: string, value: string, max: number, min = 0): string {
  requireBytes(field, value, max, min);
  const why = whyUnrecordableText(value);
  if (why !== undefined) refuse(field, `text with ${why}`, "text of whole characters without NUL");
  return value;
}

function requireBytes(field: string, value: string, max: number, min: number): void {
  // A UTF-16 unit has one to three bytes in UTF-8.
  if (3 * value.length <= max && value.length >= min) return;
  const bytes = Buffer.byteLength(value);
  if (bytes > max || bytes < min) refuse(field, `${bytes} bytes`, min === 0 ? `at most ${max} bytes` : `${min} to ${max} bytes`);
}

const ID = /^[\w.:-]{1,128}$/;
export function id(field: string, value: string): string {
  if (!ID.test(value)) refuse(field, shown(value), "1 to 128 letters, digits and _ . : -");
  return value;
}

export function digest(field: string, value: string): string {
  if (!isDigest(value)) refuse(field, shown(value), "sha256:<64 lower-case hex digits>");
  return value;
}

export function matchKey(field: string, value: string): string {
  if (!isMatchKey(value)) refuse(field, shown(value), keyWords());
  return value;
}

export function target(field: string, value: string): string {
  if (!isTarget(value)) refuse(field, shown(value), targetWords());
  return value;
}

export function integer(field: string, value: number, min: number, max: number): number {
  if (!Number.isSafeInteger(value) || value < min || value > max) refuse(field, shown(value), `an integer from ${min} to ${max}`);
  return value;
}

export function finite(field: string, value: number, min: number, max: number): number {
  if (!Number.isFinite(value) || value < min || value > max) refuse(field, shown(value), `a number from ${min} to ${max}`);
  return value;
}

export function list<T, U>(field: string, values: readonly T[], max: number, each: (field: string, value: T) => U): U[] {
  if (values.length > max) refuse(field, `${values.length} entries`, `at most ${max} entries`);
  return values.map((value, i) => each(`${field}[${i}]`, value));
}

const labelPattern = /^[A-Za-z_][\w.-]{0,62}$/;
const maxLabels = 16;
/** Labels of a node or a session: names as in selectors, values of at most 128 bytes. */
export function labels(field: string, value: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(value);
  if (entries.length > maxLabels) refuse(field, `${entries.length} entries`, `at most ${maxLabels} entries`);
  for (const [name, label] of entries) {
    if (!labelPattern.test(name) || name === "__proto__")
      refuse(`${field} name`, shown(name), "a letter or _, then at most 62 letters, digits, _ . -; not __proto__");
    text(`${field}.${name}`, label, 128);
  }
  return Object.fromEntries(entries);
}

/** Counts and sizes by name, for instance the limits of a device. */
export function counts(field: string, value: Readonly<Record<string, number>>): Record<string, number> {
  const entries = Object.entries(value);
  if (entries.length > 64) refuse(field, `${entries.length} entries`, "at most 64 entries");
  return Object.fromEntries(
    entries.map(([name, count]) => [
      text(`${field} name`, name, 64, 1),
      integer(`${field}.${name.slice(0, 64)}`, count, 0, Number.MAX_SAFE_INTEGER),
    ]),
  );
}

const maxDurationMs = 86_400_000;

/** Milliseconds, in whole nanoseconds. */
export function durationMs(field: string, value: Wire.Duration, min = 0, max = maxDurationMs): number {
  const { seconds, nanos } = value;
  if (
    !Number.isSafeInteger(seconds) ||
    Math.abs(nanos) > 999_999_999 ||
    seconds < 0 ||
    nanos < 0 ||
    seconds * 1000 > Math.max(max, maxDurationMs)
  )
    refuse(field, `${seconds} s ${nanos} ns`, `${min} to ${max} ms`);
  return finite(field, (seconds * 1e9 + nanos) / 1e6, min, max);
}

/** How long something took or waits, without a limit. */
export const spanMs = (field: string, value: Wire.Duration): number => durationMs(field, value, 0, Number.MAX_SAFE_INTEGER);

export function toDuration(ms: number): Sent<Wire.Duration> {
  const total = Math.round(ms * 1e6);
  return { seconds: Math.floor(total / 1e9), nanos: total % 1e9 };
}

const maxTimestampS = 253_402_300_799;
export function timestampMs(field: string, value: Wire.Timestamp): number {
  const { seconds, nanos } = value;
  if (!Number.isSafeInteger(seconds) || seconds < 0 || seconds > maxTimestampS || nanos < 0 || nanos > 999_999_999)
    refuse(field, `${seconds} s ${nanos} ns`, "a time between the years 1970 and 9999");
  return seconds * 1000 + nanos / 1e6;
}

export function toTimestamp(ms: number): Sent<Wire.Timestamp> {
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: Math.round((ms - seconds * 1000) * 1e6) };
}

/** At most `max` bytes of UTF-8, cut between characters, without NUL. A note says how much was cut. */
export function clip(value: string, max: number): string {
  const clean = value.replaceAll("\0", "\u{FFFD}");
  if (Buffer.byteLength(clean) <= max) return clean;
  const mark = "\n[cut]";
  const bytes = Buffer.from(clean).subarray(0, max - mark.length);
  // A cut inside a character leaves one replacement character at the end.
  return bytes.toString().replace(/\u{FFFD}+$/u, "") + mark;
}
