/** What the log hears of a store without room. full-disk.test.ts fills a disk. */
import { FarmError, ManualClock } from "@warpfarm/common";
import { pino } from "pino";
import { expect, it } from "vitest";
import type { Database, Queryable } from "./database.ts";
import { tellingRoom } from "./room.ts";

/** `tx`: what a statement of a transaction that is refused throws. */
function storeThat(isFull: (sql: string) => boolean, rule = "store.full", tx?: Error) {
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const clock = new ManualClock();
  const throwing = (error: Error): Queryable => ({
    async query(sql) {
      if (isFull(sql)) throw error;
      return [];
    },
  });
  const refusal = new FarmError("UNAVAILABLE", "the store has no room: no space", { rule });
  const on = throwing(refusal);
  const inner: Database = {
    ...on,
    lazy: on,
    transaction: (work) => work(throwing(tx ?? refusal)),
    script: async () => {},
    maintain: async () => true,
    sweep: async () => {},
    async [Symbol.asyncDispose]() {},
  };
  return { db: tellingRoom(inner, "/data", { log, clock }), clock, said: () => lines.splice(0).map(({ msg }) => msg) };
}

it("is told once that there is none, with what to do, and once that there is some", async () => {
  let full = true;
  const { db, clock, said } = storeThat((sql) => full && sql !== "read");
  for (const way of [db, db.lazy]) await expect(way.query("write")).rejects.toMatchObject({ rule: "store.full" });
  await expect(db.transaction((tx) => tx.query("write more"))).rejects.toMatchObject({ rule: "store.full" });
  await db.query("read");
  expect(said()).toEqual([expect.stringMatching(/^the store has no room: make some on the disk of \/data; until then /)]);
  full = false;
  clock.advance(60_000);
  await db.query("read"); // needs no room
  expect(said()).toEqual([]);
  await db.transaction((tx) => tx.query("write"));
  await db.query("write");
  expect(said()).toEqual(["the store has room again"]);
  full = true;
  await expect(db.query("write")).rejects.toThrow("no space");
  expect(said()).toHaveLength(1);
});

it("hears nothing of rows that still fit while others do not", async () => {
  let n = 0;
  const { db, clock, said } = storeThat(() => n++ % 2 === 0);
  for (let i = 0; i < 100; i++) {
    await db.query("write").catch(() => {});
    clock.advance(1_000);
  }
  expect(said()).toHaveLength(1);
});

it("is told of a server's full disk in a transaction, and again where an hour brought no room", async () => {
  const { db, clock, said } = storeThat(() => true, "store.full", Object.assign(new Error("no space"), { code: "53100" }));
  for (const statement of ["write", "write more"]) {
    await expect(db.transaction((tx) => tx.query(statement))).rejects.toThrow("no space");
    expect(said()).toHaveLength(1);
    clock.advance(3_600_000);
  }
});

it("hears nothing of other faults", async () => {
  const { db, said } = storeThat(() => true, "store.away");
  await expect(db.query("write")).rejects.toMatchObject({ rule: "store.away" });
  expect(said()).toEqual([]);
});
