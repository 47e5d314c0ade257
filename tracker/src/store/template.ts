/**
 * A packed PGlite data directory with every migration applied. Creating a database from nothing costs seconds and 800 MB;
 * unpacking this costs a tenth of one. `npm run build` writes it (scripts/pack-template.mjs) beside the compiled code; without it
 * everything works, slower.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrations } from "./migrations/index.ts";

/** tracker/dist/template, seen from src/store and from dist/store alike. */
const directory = fileURLToPath(new URL("../../dist/template/", import.meta.url));

/** The version in the package.json next to PGlite's entry file (its exports do not offer it). */
async function pgliteVersion(): Promise<string> {
  let at = dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite"));
  while (!existsSync(join(at, "package.json"))) at = dirname(at);
  const { version } = JSON.parse(await readFile(join(at, "package.json"), "utf8")) as { version: string };
  return version;
}

/** Of scripts/pack-template.mjs: what it leaves out. */
const packing = 2;

/** Where the template of these migrations and this PGlite lies, whether it is there or not. */
export async function templatePath(): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([packing, await pgliteVersion(), migrations]));
  return join(directory, `pgdata-${hash.digest("hex").slice(0, 16)}.tar.gz`);
}

/** Undefined when no template of this version was packed. */
export async function readTemplate(): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const path = await templatePath();
  return existsSync(path) ? new Uint8Array(await readFile(path)) : undefined;
}
