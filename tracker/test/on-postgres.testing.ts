/** Imported before the files of the suite: they then run on a PostgreSQL server, started once and empty for each test. */
import { afterAll, beforeEach } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { type PostgresServer, startPostgres } from "./postgres.testing.ts";
import { useStore } from "./scripted.testing.ts";

let server: PostgresServer | undefined;
let close: (() => PromiseLike<unknown>) | undefined;
useStore(async () => {
  server = await startPostgres();
  const db = await openPostgres(await server.create("farm"));
  close = () => db[Symbol.asyncDispose]();
  return db;
});

beforeEach((ctx) => needs(ctx, "postgres"));
afterAll(async () => {
  await close?.();
  await server?.[Symbol.asyncDispose]();
});
