/**
 * Packed PGlite data directories: empty stores with the schema applied, written by `npm run build`
 * (scripts/pack-template.mjs). Creating a database takes seconds and 800 MB, unpacking one takes a tenth of a second.
 * Unpacking starts no engine. It reads only the format that PGlite's dumpDataDir writes: POSIX ustar (IEEE Std 1003.1 pax, "ustar
 * interchange format") of directories and plain files, with names that begin with "/". It is synchronous, because a thousand
 * small files then take half the processor time, and nothing else runs yet.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { gunzipSync } from "node:zlib";
import { invariant } from "../invariant.ts";

/** The version of scripts/pack-template.mjs's choice of what to leave out. */
const packing = 4;

export interface PackedStore {
  /** Where the store is, or would be. The name depends on the content and on PGlite's version. */
  path(): Promise<string>;
  /** Undefined when no store of this name was packed. */
  read(): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** `engine`: PGlite's entry file. `migrations`: everything that determines the content. */
export function packedStore(directory: string, engine: string, migrations: unknown): PackedStore {
  const path = async () => {
    const hash = createHash("sha256").update(JSON.stringify([packing, await versionOf(engine), migrations]));
    return join(directory, `pgdata-${hash.digest("hex").slice(0, 16)}.tar.gz`);
  };
  return {
    path,
    async read() {
      const packed = await path();
      return existsSync(packed) ? new Uint8Array(await readFile(packed)) : undefined;
    },
  };
}

/** The version in the package.json next to a package's entry file; the package's exports may hide it. */
async function versionOf(entry: string): Promise<string> {
  let at = dirname(entry);
  while (!existsSync(join(at, "package.json"))) at = dirname(at);
  const { version } = JSON.parse(await readFile(join(at, "package.json"), "utf8")) as { version: string };
  return version;
}

const block = 512;

/** `directory` must not exist. It becomes readable by its owner alone. */
export function unpackStore(packed: Uint8Array, directory: string): void {
  // The default takes 1,500 buffers.
  const archive = gunzipSync(packed, { chunkSize: 2 ** 20 });
  mkdirSync(directory, { mode: 0o700 });
  for (let at = 0; at + block <= archive.length; ) {
    const text = (offset: number, length: number): string => {
      const field = archive.subarray(at + offset, at + offset + length);
      const end = field.indexOf(0);
      return field.subarray(0, end < 0 ? length : end).toString("utf8");
    };
    const name = text(0, 100);
    if (name === "") break; // the end: blocks of zeroes
    const size = Number.parseInt(text(124, 12), 8);
    const path = normalize(join(text(345, 155), name));
    invariant(Number.isSafeInteger(size) && !path.includes(".."), `the packed store holds a broken entry "${name}"`);
    const target = join(directory, path);
    const kind = text(156, 1);
    if (kind === "5") mkdirSync(target, { recursive: true, mode: 0o700 });
    else {
      invariant(kind === "0" || kind === "", `the packed store's entry "${name}" is of kind "${kind}"`);
      writeFileSync(target, archive.subarray(at + block, at + block + size), { mode: 0o600 });
    }
    at += block + Math.ceil(size / block) * block;
  }
}
