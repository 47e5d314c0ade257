/** The stores' contract on a PostgreSQL server, and what takes the way of COPY. */
import { AsyncStack, printable } from "@warpfarm/common";
import { SqlStore, type TuningRecord } from "@warpfarm/records";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { startPostgres } from "../../test-support/farm/postgres.ts";
import { needs } from "../../test-support/needs.ts";
import { bestContract } from "../../test-support/record-best-contract.ts";
import { sharingContract } from "../../test-support/record-sharing-contract.ts";
import { contract, nowMs, record } from "../../test-support/record-store-contract.ts";
import type { Database } from "../src/store/database.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { everyAcceptedIsRecorded } from "./recordable.testing.ts";

const opened = new AsyncStack();
let db: Database | undefined;
beforeEach(async (ctx) => {
  needs(ctx, "postgres");
  if (db === undefined) {
    const server = opened.use(await startPostgres());
    db = opened.use(await openPostgres(await server.create("farm")));
  }
  await db.query("delete from records");
}, 120_000);
afterAll(() => opened[Symbol.asyncDispose]());
const store = () => new SqlStore({ sql: db as Database });

describe("records in PostgreSQL", () => {
  for (const [name, check] of Object.entries({ ...contract, ...bestContract })) it(name, () => check(store()));
  for (const [name, check] of Object.entries(sharingContract)) it(name, () => check(db as Database));

  it("are copied in by the thousand: every text as it was, each id once, again and again on one connection", async () => {
    const odd = ['tab\there "quoted" \\ back\\nslash', "line\nend\r\n", "\\N", "ünï 🚜", ""];
    const many = Array.from({ length: 4_000 }, (_, i): TuningRecord => {
      const text = odd[i % odd.length] as string;
      return record(`r${i % 3_500}`, {
        task: `${i % 7} ${printable(text)}`,
        labels: { text },
        result: i % 3 ? { kind: "timed", costs: [1 + i * 1e-9], checked: false } : { kind: "failed", errorNo: 4, message: text },
      });
    });
    const first = await store().append(many);
    expect([first.added, first.existed, first.conflicts.length]).toEqual([3_500, 0, 500]);
    expect(await store().append(many.slice(0, 600))).toMatchObject({ added: 0, existed: 600 });
    expect(await store().append(Array.from({ length: 700 }, (_, i) => record(`new${i}`)))).toMatchObject({
      added: 700,
      existed: 0,
    });
    const wanted = new Map(many.map((each) => [each.id, each]));
    for (const each of many.slice(0, 3_500)) wanted.set(each.id, each); // the first of an id stays
    let read = 0;
    for await (const found of store().export({ untilMs: nowMs })) {
      if (found.id.startsWith("new")) continue;
      expect(found).toEqual(wanted.get(found.id));
      read++;
    }
    expect(read).toBe(3_500);
  });

  it("are all or none: one that the server refuses takes its batch with it, and the connection goes on", async () => {
    const many = Array.from({ length: 600 }, (_, i) => record(`r${i}`));
    const nul = record("bad", { task: "a\0b" });
    await expect(store().append([...many, nul])).rejects.toThrow();
    expect((await store().query({})).records).toEqual([]);
    expect(await store().append(many)).toMatchObject({ added: 600 });
  });

  it("are made of whatever the door accepts", async () => {
    expect(await everyAcceptedIsRecorded(db as Database, 100)).toBeGreaterThan(5);
  });
});
