// Part of npm run build: packs an empty, migrated PGlite data directory under tracker/dist/template, another under
// records/dist/template. Skipped when one of these migrations and this PGlite is there (the name is their hash); others are
// removed.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { migrate as migrateRecords } from "../records/dist/store/pglite.js";
import { template as records } from "../records/dist/store/template.js";
import { engineOf } from "../tracker/dist/store/engine.js";
import { migrate } from "../tracker/dist/store/migrate.js";
import { adaptPglite } from "../tracker/dist/store/pglite.js";
import { template as tracker } from "../tracker/dist/store/template.js";

await pack(await tracker.path(), (engine) => migrate(adaptPglite(engineOf(engine)), "the template"));
await pack(await records.path(), (engine) => migrateRecords(engine, "the template"));

async function pack(path, migrateIt) {
  if (existsSync(path)) return;
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true });
  const engine = await PGlite.create("memory://");
  await migrateIt(engine);
  // No databases are made in it: the two that new ones are copied from are two thirds of its files.
  await engine.exec("update pg_database set datistemplate = false");
  for (const name of ["template0", "template1"]) await engine.exec(`drop database ${name}`);
  await engine.exec("vacuum full");
  // A table that was vacuumed while it was empty counts as empty; one without statistics does not.
  await engine.exec(
    "select pg_clear_relation_stats('public', relname::text) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')",
  );
  // The write-ahead log of all this is removed and not recycled: the rest of it is zeroes.
  for (const step of ["set wal_recycle = off", "select pg_switch_wal()", "checkpoint"]) await engine.exec(step);
  const packed = await engine.dumpDataDir("gzip");
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, Buffer.from(await packed.arrayBuffer()));
  renameSync(draft, path);
  for (const name of readdirSync(directory)) if (name !== basename(path)) rmSync(join(directory, name), { force: true });
  await engine.close();
}
