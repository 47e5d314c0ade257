/** A PGlite directory as the Sql of a store. Statements run one after the other, because PGlite has one connection. */
import { readdir, rename, rm } from "node:fs/promises";
import type { PGlite } from "@electric-sql/pglite";
import { unpackStore } from "@warpfarm/common/process";
import { recordsSteps } from "./schema.ts";
import type { Sql, SqlParam } from "./sql-store.ts";
import { template } from "./template.ts";

export interface OpenedSql extends Sql, AsyncDisposable {}

/** `memory`, or a directory, which is created when it does not exist. */
export async function openPgliteSql(directory: string): Promise<OpenedSql> {
  const { PGlite } = await import("@electric-sql/pglite");
  const inMemory = directory === "memory" ? await template.read() : undefined;
  if (directory !== "memory") await unpackInto(directory);
  const pglite = await PGlite.create({
    dataDir: directory === "memory" ? "memory://" : directory,
    relaxedDurability: false,
    ...(inMemory && { loadDataDir: new Blob([inMemory]) }),
  });
  try {
    await migrate(pglite);
  } catch (error) {
    await pglite.close();
    throw error;
  }
  type Runs = Pick<PGlite, "query">;
  const on = (db: Runs) => ({
    async query<Row extends object>(sql: string, params: readonly SqlParam[] = []): Promise<readonly Row[]> {
      return (await db.query<Row>(sql, params as unknown[])).rows;
    },
  });
  return {
    ...on(pglite),
    transaction: (work) =>
      pglite.transaction((tx) =>
        work({
          ...on(tx),
          async copy(statement, text) {
            await tx.query(statement.replace("from stdin", "from '/dev/blob'"), [], { blob: new Blob([text]) });
          },
        }),
      ),
    [Symbol.asyncDispose]: () => pglite.close(),
  };
}

/** Unpacks under another name and renames, so a killed process leaves nothing that looks like a store. */
async function unpackInto(directory: string): Promise<void> {
  const found: readonly string[] = await readdir(directory).catch(() => []);
  const packed = found.length > 0 ? undefined : await template.read();
  if (packed === undefined) return;
  const draft = `${directory}.creating`;
  await rm(draft, { recursive: true, force: true });
  try {
    unpackStore(packed, draft);
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true }); // on a full disk it would stand in its own way
    throw error;
  }
}

/** Applies the steps of the schema that are missing. */
export async function migrate(pglite: PGlite): Promise<void> {
  await pglite.exec("create table if not exists records_schema (version integer not null)");
  await pglite.transaction(async (tx) => {
    const { rows } = await tx.query<{ version: number }>("select coalesce(max(version), 0)::int as version from records_schema");
    const from = rows[0]?.version ?? 0;
    if (from > recordsSteps.length)
      throw new Error(`its schema is ${from}; this version knows up to ${recordsSteps.length}: use a newer warpfarm`);
    for (const [i, step] of recordsSteps.entries()) {
      if (i < from) continue;
      await tx.exec(step);
      await tx.query("insert into records_schema values ($1)", [i + 1]);
    }
  });
}
