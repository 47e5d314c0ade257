/** A PGlite directory as the Sql of a store. Statements take turns: PGlite has one connection. */
import type { PGlite } from "@electric-sql/pglite";
import { recordsIndexes, recordsOfProblem, recordsSchema } from "./schema.ts";
import type { Sql, SqlParam } from "./sql-store.ts";

export interface OpenedSql extends Sql, AsyncDisposable {}

/** `memory`, or a directory, which is made when it is not there. */
export async function openPgliteSql(directory: string): Promise<OpenedSql> {
  const { PGlite } = await import("@electric-sql/pglite");
  const pglite = await PGlite.create({ dataDir: directory === "memory" ? "memory://" : directory, relaxedDurability: false });
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
    transaction: (work) => pglite.transaction((tx) => work(on(tx))),
    [Symbol.asyncDispose]: () => pglite.close(),
  };
}

/** The version of the schema is the number of steps taken. A step that has been released is never edited. */
const steps: readonly string[] = [recordsSchema, recordsIndexes, recordsOfProblem];

async function migrate(pglite: PGlite): Promise<void> {
  await pglite.exec("create table if not exists records_schema (version integer not null)");
  await pglite.transaction(async (tx) => {
    const { rows } = await tx.query<{ version: number }>("select coalesce(max(version), 0)::int as version from records_schema");
    const from = rows[0]?.version ?? 0;
    if (from > steps.length)
      throw new Error(`its schema is ${from}; this version knows up to ${steps.length}: use a newer warpfarm`);
    for (const [i, step] of steps.entries()) {
      if (i < from) continue;
      await tx.exec(step);
      await tx.query("insert into records_schema values ($1)", [i + 1]);
    }
  });
}
