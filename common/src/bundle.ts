/**
 * Headers that travel apart from the programs that include them. A bundle is the files of one folder as a canonical document,
 * named by its digest. A search sends the document once, and each candidate's program names it.
 */
import type { Digest } from "./brand.ts";
import { canonicalJson } from "./canonical.ts";
import { digestOf } from "./digest.ts";
import { err, ok, type Result } from "./result.ts";

export const bundleLimits = { bytes: 64 << 20, files: 20_000, pathLetters: 240 } as const;

/** Paths below the folder with / between: no hidden files or folders, and none that lead out of it. */
const path = /^(?:[\w+-][\w.+-]*\/)*[\w+-][\w.+-]*$/;
export const isBundlePath = (text: string): boolean => text.length <= bundleLimits.pathLetters && path.test(text);

export interface Bundle {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

type Files = ReadonlyMap<string, string>;

export function encodeBundle(files: Files): Result<Bundle, string> {
  const fault = faultOf(files);
  if (fault !== undefined) return err(fault);
  const bytes = new TextEncoder().encode(canonicalJson({ version: 1, files: Object.fromEntries(files) }));
  if (bytes.length > bundleLimits.bytes) return err(`has ${bytes.length} bytes; a bundle has ${bundleLimits.bytes} at most`);
  return ok({ digest: digestOf(bytes), bytes });
}

/** Checks the document, whoever wrote it. A malformed one gives an error message. */
export function decodeBundle(bytes: Uint8Array): Result<Files, string> {
  if (bytes.length > bundleLimits.bytes) return err(`has ${bytes.length} bytes; a bundle has ${bundleLimits.bytes} at most`);
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return err("is no JSON");
  }
  const { version, files, ...others } = Object(json) as { version?: unknown; files?: unknown };
  if (version !== 1 || typeof files !== "object" || files === null || Object.keys(others).length > 0)
    return err("is not a bundle of version 1, which is an object {version, files}");
  const found = new Map<string, string>();
  for (const [name, text] of Object.entries(files)) {
    if (typeof text !== "string") return err(`${JSON.stringify(name.slice(0, 80))} is no text`);
    found.set(name, text);
  }
  const fault = faultOf(found);
  return fault === undefined ? ok(found) : err(fault);
}

function faultOf(files: Files): string | undefined {
  if (files.size === 0) return "has no files";
  if (files.size > bundleLimits.files) return `has ${files.size} files; a bundle has ${bundleLimits.files} at most`;
  for (const name of files.keys()) {
    if (!isBundlePath(name))
      return `${JSON.stringify(name.slice(0, 80))} is not a path of a bundle; it takes letters, digits, _ . + - and /`;
    for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1))
      if (files.has(name.slice(0, at))) return `${name.slice(0, at)} is both a file and a folder`;
  }
  return undefined;
}
