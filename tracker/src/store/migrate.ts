/**
 * Brings a database to this version's schema. Migrations are numbered. Each runs in one transaction with its row in `migrations`,
 * under an advisory lock, so two trackers that start at once apply each once. A database of a newer version is refused.
 */
import { FarmError } from "@warpfarm/common";
import type { Database } from "./database.ts";
import { type Migration, migrations } from "./migrations/index.ts";

/** Any number, the same in every tracker. */
const lock = 7_246_551;

export async function migrate(db: Database, list: readonly Migration[] = migrations): Promise<void> {
  await db.script(
    "create table if not exists migrations (number integer primary key, name text not null, applied_at timestamptz not null default now())",
  );
  for (const { number, name, sql } of list) {
    await db.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock($1)", [lock]);
      const done = await tx.query("select 1 from migrations where number = $1", [number]);
      if (done.length > 0) return;
      for (const statement of sql.split(";").filter((s) => s.trim() !== "")) await tx.query(statement);
      await tx.query("insert into migrations (number, name) values ($1, $2)", [number, name]);
    });
  }
  const [newest] = await db.query<{ number: number }>("select max(number) as number from migrations");
  const known = list.at(-1)?.number ?? 0;
  if (newest && newest.number > known)
    throw new FarmError(
      "FAILED_PRECONDITION",
      `the store has schema ${newest.number}; this version knows up to ${known}: use a newer warpfarm`,
    );
}
