/**
 * Packed PGlite data directories: empty stores with the schema applied. Creating a database takes seconds and 800 MB, unpacking
 * one takes a tenth of a second. `npm run build` packs them beside the code (scripts/pack-template.mjs). The package that users
 * install has none, because they are larger than all its code: its first process keeps what it made in the user's cache. It reads
 * only the format that PGlite's dumpDataDir writes: POSIX ustar (IEEE Std 1003.1 pax, "ustar interchange format") of directories
 * and plain files, with names that begin with "/". It is synchronous, which halves the processor time of a thousand small files.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, normalize } from "node:path";
import { gunzipSync } from "node:zlib";
import { invariant } from "../invariant.ts";
import { replaceFile } from "./replace-file.ts";

/** The version of scripts/pack-template.mjs's choice of what to leave out. */
const packing = 4;

export interface PackedStore {
  /** The path beside the code, whether or not the file exists. */
  path(): Promise<string>;
  /** The store beside the code or in the user's cache; where neither exists, the result of `make`, which the cache keeps. */
  read(make: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>>;
}

/** `engine`: PGlite's entry file. `migrations`: everything that determines the content. */
export function packedStore(directory: string, engine: string, migrations: unknown, env = process.env): PackedStore {
  const path = async () => {
    const hash = createHash("sha256").update(JSON.stringify([packing, await versionOf(engine), migrations]));
    return join(directory, `pgdata-${hash.digest("hex").slice(0, 16)}.tar.gz`);
  };
  return {
    path,
    async read(make) {
      const built = await path();
      const cached = join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "warpfarm", "stores", basename(built));
      for (const each of [built, cached]) if (existsSync(each)) return new Uint8Array(await readFile(each));
      const made = await make();
      // A cache that cannot be written costs the next process the same time again.
      await mkdir(dirname(cached), { recursive: true })
        .then(() => replaceFile(cached, made))
        .catch(() => {});
      return made;
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
