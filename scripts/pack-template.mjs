// Part of npm run build: packs an empty, migrated PGlite data directory under tracker/dist/template. Skipped when one of these
// migrations and this PGlite is there (the name is their hash); others are removed.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { engineOf } from "../tracker/dist/store/engine.js";
import { migrate } from "../tracker/dist/store/migrate.js";
import { adaptPglite } from "../tracker/dist/store/pglite.js";
import { templatePath } from "../tracker/dist/store/template.js";

const path = await templatePath();
if (!existsSync(path)) {
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true });
  const engine = await PGlite.create("memory://");
  await migrate(adaptPglite(engineOf(engine)));
  // Nobody makes databases in it: the two that new ones are copied from are two thirds of its files.
  await engine.exec("update pg_database set datistemplate = false");
  for (const name of ["template0", "template1"]) await engine.exec(`drop database ${name}`);
  await engine.exec("vacuum full");
  // The log of all this goes, not kept for reuse either: what remains of it is zeroes.
  for (const step of ["set wal_recycle = off", "select pg_switch_wal()", "checkpoint"]) await engine.exec(step);
  const packed = await engine.dumpDataDir("gzip");
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, Buffer.from(await packed.arrayBuffer()));
  renameSync(draft, path);
  for (const name of readdirSync(directory)) if (name !== basename(path)) rmSync(join(directory, name), { force: true });
  await engine.close();
}
