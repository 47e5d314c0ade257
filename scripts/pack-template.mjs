// Part of npm run build: packs an empty PGlite data directory with the tracker's schema under tracker/dist/template, and one with
// the records' under records/dist/template. Skipped when the one of this schema and this PGlite is there (the name is their
// hash); others are removed.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeTemplate as makeRecords } from "../records/dist/store/pglite.js";
import { template as records } from "../records/dist/store/template.js";
import { makeTemplate as makeTracker } from "../tracker/dist/store/pglite.js";
import { template as tracker } from "../tracker/dist/store/template.js";

await keep(await tracker.path(), makeTracker);
await keep(await records.path(), makeRecords);

async function keep(path, make) {
  if (existsSync(path)) return;
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, await make());
  renameSync(draft, path);
  for (const name of readdirSync(directory)) if (name !== basename(path)) rmSync(join(directory, name), { force: true });
}
