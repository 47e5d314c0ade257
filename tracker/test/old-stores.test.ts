/**
 * Stores that older trackers left (testdata/schema-N.sql, never edited): brought to the newest schema, and their work goes on.
 *
 * Each holds one session of seven inputs: 1 received, 2 not buildable and 3 measured but not received, 4 leased to a runner that
 * is gone, 5 waiting for a runner, 6 leased to a builder that is gone, 7 waiting for a builder.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toSessionId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { builder, freshStore, programOf, runner } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import { migrate } from "../src/store/migrate.ts";
import { migrations } from "../src/store/migrations/index.ts";

const { farm } = useFarms();
const testdata = fileURLToPath(new URL("testdata/", import.meta.url));
const dumps = readdirSync(testdata).filter((name) => /^schema-\d+\.sql$/.test(name));

it("there is one of each schema that was released", () => {
  expect(dumps.toSorted()).toEqual(["schema-1.sql", "schema-2.sql"]);
});

it.each(dumps)("%s goes on", async (name) => {
  const db = await freshStore();
  await db.script(`drop schema public cascade; create schema public; ${readFileSync(`${testdata}${name}`, "utf8")}`);
  await migrate(db);
  const [newest] = await db.query<{ number: number }>("select max(number) as number from migrations");
  expect(newest?.number).toBe(migrations.at(-1)?.number);
  const [recorded] = await db.query<{ id: string }>("select session_id as id from sessions");

  const { address, start, client } = await farm({ policy: { ttlMs: 3_000 }, data: db });
  const b = start(builder(address));
  const r = start(runner(address, 9));
  const c = client();
  c.session = toSessionId(recorded?.id ?? "");
  c.stream(1);
  await until(() => c.results.size === 6, "what was there and what was left");
  c.send(8, programOf("p8"), programOf("reference"));
  await c.finish();
  expect(c.error).toBeUndefined();
  expect(c.results.get(2)).toMatchObject({ kind: "failed", errorNo: 3, message: "cc said no" });
  expect(c.results.get(3)).toMatchObject({ kind: "timed", costs: [1], device: { uuid: "cpu-1" } });
  for (const i of [4, 5, 6, 7, 8]) expect(c.results.get(i)).toMatchObject({ kind: "timed", costs: [9] });
  expect(c.results.get(4)).toMatchObject({ attempt: 2 });
  // What was built then was not built again.
  expect([b.jobs.length, r.jobs.length]).toEqual([3, 5]);
  const [status] = await c.tracker.admin.listSessions();
  expect(status).toMatchObject({ weight: 1, priority: 3, accepted: 8, ready: 0, running: 0 });
});
