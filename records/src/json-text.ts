/**
 * JSON as other tools write it. Python's json, C and C++ write numbers that JSON does not have: `NaN`, `-Infinity`, `inf`,
 * `-nan(ind)`, `1.#QNAN`. They are read as the texts "NaN", "Infinity" and "-Infinity", as in proto3's JSON, and so is a number
 * that is too large for a double. A time that is such a text is no valid time (measured-time.ts).
 */
import { gunzipSync } from "node:zlib";
import type { Json } from "@warpfarm/common";

/** Most bytes that a packed file, which may be small, unpacks to where it is read at once. */
const mostUnpacked = 256 << 20;

/** Throws Error with words that follow `FILE does not unpack: `. */
export function unpacked(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { chunkSize: 2 ** 20, maxOutputLength: mostUnpacked });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") throw error;
    throw new Error(
      `it has more than ${mostUnpacked >> 20} MB, the most that is read of a packed file at once; unpack it or split it`,
    );
  }
}

/** The text of a file: unpacked when it is gzipped, without its byte order mark. Throws Error when it does not unpack. */
export function textOf(bytes: Uint8Array): string {
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = zipped ? unpacked(bytes) : bytes;
  return new TextDecoder(encodingOf(plain)).decode(plain);
}

export type Encoding = "utf-16le" | "utf-8";
/** Windows' shells write UTF-16 with a mark. */
export const encodingOf = (start: Uint8Array): Encoding => (start[0] === 0xff && start[1] === 0xfe ? "utf-16le" : "utf-8");

export type Fields = { readonly [name: string]: Json };
export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** Throws SyntaxError, as JSON.parse does. */
export function parseJson(text: string): Json {
  const plain = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    const value = JSON.parse(plain) as Json;
    return isPlain(value) ? value : (JSON.parse(plain, finite) as Json);
  } catch (error) {
    const worded = withWords(plain);
    if (worded === plain) throw error;
    return JSON.parse(worded, finite) as Json;
  }
}

/** Whether it has no number that canonical JSON refuses: 1e999, which is infinite as a double, or -0. */
function isPlain(value: Json): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || value === null) return true;
  for (const part of Array.isArray(value) ? value : Object.values(value)) if (!isPlain(part as Json)) return false;
  return true;
}
const finite = (_: string, value: unknown): unknown =>
  typeof value !== "number" ? value : Number.isFinite(value) ? value + 0 : String(value);

const token = /"|[+-]?(?:nan(?:\((?:ind|snan)\))?|inf(?:inity)?|\d+\.#(?:ind|qnan|snan|inf)\d*)(?![\w.])/gi;

function withWords(text: string): string {
  let written = "";
  let from = 0;
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [word] = found;
    if (word === '"') {
      token.lastIndex = endOfText(text, found.index);
      continue;
    }
    if (!/[\s:,[]/.test(text[found.index - 1] ?? " ")) continue;
    const name = /nan|ind/i.test(word) ? "NaN" : word.startsWith("-") ? "-Infinity" : "Infinity";
    written += `${text.slice(from, found.index)}"${name}"`;
    from = token.lastIndex;
  }
  return written + text.slice(from);
}

function endOfText(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let escapes = 0;
    while (text[quote - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return quote + 1;
    at = quote;
  }
}

/** The line, from 1, on which the n-th member of the document's field begins; undefined where there is no such field. */
export function lineOfMember(text: string, field: string, n: number): number | undefined {
  const sign = /["{}[\],]/g;
  let depth = 0;
  let isInside = false;
  let members = 0;
  let last = "";
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    const at = found.index;
    if (found[0] === '"') {
      const end = endOfText(text, at);
      if (depth === 1) last = text.slice(at + 1, end - 1);
      sign.lastIndex = end;
    } else if (found[0] === "{" || found[0] === "[") {
      depth++;
      if (depth === 2 && last === field) isInside = true;
    } else if (found[0] !== ",") depth--;
    if (!isInside || depth > 2) continue;
    if (depth < 2) return undefined;
    const begins = (found[0] === "{" || found[0] === "[") && depth === 2;
    if (begins || found[0] === ",") {
      if (members++ === n) return lineAt(text, at + 1 + (/^\s*/.exec(text.slice(at + 1, at + 10_000))?.[0].length ?? 0));
    }
  }
  return undefined;
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let newline = text.indexOf("\n"); newline >= 0 && newline < at; newline = text.indexOf("\n", newline + 1)) line++;
  return line;
}
