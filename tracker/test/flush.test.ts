/** What "durable" rests on at a PostgreSQL server: lazy commits are not, until a flush. */
import { expect, it } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { startPostgres } from "./postgres.testing.ts";

it("makes what was committed lazily durable", async (ctx) => {
  needs(ctx, "postgres");
  await using server = await startPostgres();
  await using db = await openPostgres(await server.create("farm"));
  await db.script("alter system set wal_writer_delay = '10s'");
  await db.script("select pg_reload_conf(); create table notes (n integer)");
  const isFlushed = async (at: string): Promise<boolean> => {
    const [row] = await db.lazy.query<{ there: boolean }>("select pg_current_wal_flush_lsn() >= $1::text::pg_lsn as there", [at]);
    return row?.there ?? false;
  };
  /** Where the log ends after a lazy commit. */
  const commitLazily = async (): Promise<string> => {
    await db.lazy.query("insert into notes values (1)");
    const [row] = await db.lazy.query<{ at: string }>("select pg_current_wal_insert_lsn()::text as at");
    return row?.at ?? "";
  };
  let at = "";
  await until(async () => {
    at = await commitLazily();
    return !(await isFlushed(at));
  }, "a lazy commit that the server's own writer was not quicker with");
  await db.flush();
  expect(await isFlushed(at)).toBe(true);
});
