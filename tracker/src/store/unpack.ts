/**
 * Unpacks the template into a directory without starting an engine for it, which would cost two seconds of processor time. It
 * reads what PGlite's dumpDataDir packs and no more: POSIX ustar (IEEE Std 1003.1 pax, "ustar interchange format") of directories
 * and plain files, names beginning with "/". Synchronous: a thousand small files are written in half the processor time, and
 * nothing else runs yet.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { gunzipSync } from "node:zlib";
import { invariant } from "@warpfarm/common";

const BLOCK = 512;

/** `directory` must not exist; it is made readable by its owner alone. */
export function unpackTemplate(packed: Uint8Array, directory: string): void {
  const archive = gunzipSync(packed);
  mkdirSync(directory, { mode: 0o700 });
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const text = (offset: number, length: number): string => {
      const field = archive.subarray(at + offset, at + offset + length);
      const end = field.indexOf(0);
      return field.subarray(0, end < 0 ? length : end).toString("utf8");
    };
    const name = text(0, 100);
    if (name === "") break; // the end: blocks of zeroes
    const size = Number.parseInt(text(124, 12), 8);
    const path = normalize(join(text(345, 155), name));
    invariant(Number.isSafeInteger(size) && !path.includes(".."), `the template holds a broken entry "${name}"`);
    const target = join(directory, path);
    const kind = text(156, 1);
    if (kind === "5") mkdirSync(target, { recursive: true, mode: 0o700 });
    else {
      invariant(kind === "0" || kind === "", `the template's entry "${name}" is of kind "${kind}"`);
      writeFileSync(target, archive.subarray(at + BLOCK, at + BLOCK + size), { mode: 0o600 });
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}
