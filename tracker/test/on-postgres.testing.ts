/** Imported before the files of the suite: they then run on a PostgreSQL server, started once and empty for each test. */
import { AsyncStack } from "@warpfarm/common";
import { afterAll, beforeEach } from "vitest";
import { has, needs } from "../../test-support/needs.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { startPostgres } from "./postgres.testing.ts";
import { useStore } from "./scripted.testing.ts";

const opened = new AsyncStack();
if (has("postgres")) {
  const restore = useStore(async () => {
    const server = opened.use(await startPostgres());
    return opened.use(await openPostgres(await server.create("farm")));
  });
  opened.defer(restore);
}

beforeEach((ctx) => needs(ctx, "postgres"));
afterAll(() => opened[Symbol.asyncDispose]());
