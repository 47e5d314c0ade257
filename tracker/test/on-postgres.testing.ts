/** Imported before the files of the suite: they then run on a PostgreSQL server, started once and empty for each test. */
import { AsyncStack } from "@warpfarm/common";
import { afterAll, beforeEach } from "vitest";
import { startPostgres } from "../../test-support/farm/postgres.ts";
import { useStore } from "../../test-support/farm/scripted.ts";
import { has, needs } from "../../test-support/needs.ts";
import { openPostgres } from "../src/store/postgres.ts";

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
