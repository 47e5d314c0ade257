/**
 * Brings a database to this version's schema, or refuses it. Migrations are numbered. Each runs in one transaction with its row
 * in `migrations`, under an advisory lock, so two trackers that start at once apply each once. A row has the digest of the
 * migration's text, so a store whose schema only has the same number is refused too, before anything is written to it.
 */
import { badInput, digestOf } from "@warpfarm/common";
import type { Database, Queryable } from "./database.ts";
import { schema } from "./schema.ts";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [{ number: 1, name: "0.1.0", sql: schema }];

const lock = 7_246_551;

/** `where`: the store's name in messages. */
export async function migrate(db: Database, where: string, list: readonly Migration[] = migrations): Promise<void> {
  await refuseOthers(db, where, list);
  for (const { number, name, sql } of list) {
    await db.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock($1)", [lock]);
      // Under the lock too: of two trackers that make one table at once, PostgreSQL refuses one, whatever "if not exists" says.
      await tx.query(
        `create table if not exists migrations (number integer primary key, name text not null, digest text not null,
           applied_at timestamptz not null default now())`,
      );
      const done = await tx.query("select 1 from migrations where number = $1", [number]);
      if (done.length > 0) return;
      for (const statement of sql.split(";").filter((s) => s.trim() !== "")) await tx.query(statement);
      await tx.query("insert into migrations (number, name, digest) values ($1, $2, $3)", [number, name, digestOf(sql)]);
    });
  }
  // Another tracker may have been first, with migrations of its own.
  await refuseOthers(db, where, list);
}

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly digest: string;
}

/** Throws INVALID_ARGUMENT when a migration was applied that is not the one of `list` with its number. */
async function refuseOthers(db: Queryable, where: string, list: readonly Migration[]): Promise<void> {
  const [there] = await db.query("select 1 from pg_tables where schemaname = current_schema() and tablename = 'migrations'");
  if (there === undefined) return;
  // As JSON: the table of another version may lack a column.
  const applied = await db.query<Partial<Applied>>(
    "select number, name, to_jsonb(m) ->> 'digest' as digest from migrations m order by number",
  );
  const known = new Map(list.map(({ number, sql }) => [number, digestOf(sql)]));
  const other = applied.findLast(({ number = 0, digest }) => known.get(number) !== digest);
  if (other === undefined) return;
  const own = list.at(-1);
  throw badInput(
    `${where} has schema ${other.number} (${other.name}), and this Warpfarm reads ${own?.number} (${own?.name})${
      own?.number === other.number ? " with another text" : ""
    }; nothing was written to it: take the records out with the Warpfarm that made it (warpfarm records export), or delete it`,
  );
}
