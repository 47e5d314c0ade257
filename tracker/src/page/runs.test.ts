/** Runs of a tracker's page, from its records: counted once however they come, and kept in memory while somebody looks. */
import { ManualClock } from "@warpfarm/common";
import { SqlStore, type TuningRecord } from "@warpfarm/records";
import { describe, expect, it } from "vitest";
import { freshStore } from "../../../test-support/farm/scripted.ts";
import { failed, record, timed } from "../../../test-support/record-store-contract.ts";
import type { Database, Param } from "../store/database.ts";
import { RunBook } from "./run-book.ts";
import { RunList } from "./run-list.ts";

const t0 = 1_760_000_000_000;
const second = 1_000;

async function opened() {
  const db = await freshStore();
  const clock = new ManualClock(0);
  let ids = 0;
  /** `at`: seconds after the first. */
  const add = (session: string, at: number, change: Partial<TuningRecord> = {}) =>
    new SqlStore({ sql: db }).append([record(`r-${++ids}`, { session, timestampMs: t0 + at * second, ...change })]);
  const asked: string[] = [];
  const query: Database["query"] = <Row extends object>(sql: string, params?: readonly Param[]) => {
    asked.push(sql);
    return db.query<Row>(sql, params);
  };
  const counts = () => asked.splice(0).filter((sql) => sql.includes("count(*)")).length;
  return { db, clock, add, query, counts };
}

describe("the list of runs", () => {
  it("counts each record once, those that come late and those between two readings too", async () => {
    const { clock, add, query } = await opened();
    const list = new RunList({ query }, clock, 60_000, () => undefined);
    const one = async () => {
      clock.advance(10 * second);
      const [run] = await list.all(undefined);
      return run && [run.finished, run.failed, run.best, (run.startedMs - t0) / second, (run.lastMs - t0) / second];
    };
    await add("s", 0, { result: timed(3) });
    await add("s", 1, { result: failed(4) });
    expect(await one()).toEqual([2, 1, 3, 0, 1]);
    await add("s", 120, { result: timed(2) });
    expect(await one()).toEqual([3, 1, 2, 0, 120]);
    await add("s", 121, { result: failed(3) });
    expect(await one()).toEqual([4, 2, 2, 0, 121]);
    await add("s", 300);
    expect(await one()).toEqual([5, 2, 1e-3, 0, 300]);
    await add("s", 270); // late by half a minute
    await add("s", 301);
    expect(await one()).toEqual([7, 2, 1e-3, 0, 301]);
    expect(await one()).toEqual([7, 2, 1e-3, 0, 301]);
  });

  it("has each principal's runs for it, all for an admin, the newest first, and asks at most once a second", async () => {
    const { clock, add, query, counts } = await opened();
    const list = new RunList({ query }, clock, 60_000, () => undefined);
    await add("early", 0, { origin: { kind: "measured", by: "ada" } });
    await add("late", 50, { origin: { kind: "measured", by: "bob" } });
    await add("late", 51, { origin: { kind: "measured", by: "bob" } });
    const ids = async (owner?: string) => (await list.all(owner)).map(({ id, finished }) => `${id} ${finished}`);
    expect([await ids(), await ids("ada"), await ids("bob"), await ids("eve")]).toEqual([
      ["late 2", "early 1"],
      ["early 1"],
      ["late 2"],
      [],
    ]);
    expect([
      await list.has("late", "bob"),
      await list.has("late", "ada"),
      await list.has("late", undefined),
      await list.has("no", undefined),
    ]).toEqual([...[true, false, true, false]]);
    expect([(await list.one("late", "bob"))?.finished, await list.one("late", "ada")]).toEqual([2, undefined]);
    counts();
    await add("new", 60);
    clock.advance(999);
    await list.all(undefined);
    expect(counts()).toBe(0);
  });

  it("takes from memory what is watched there", async () => {
    const { clock, add, query } = await opened();
    const tally = { n: 9, failed: 4, best: 0.5, bestId: "seen", first: t0, last: t0 + 7 };
    const list = new RunList({ query }, clock, 60_000, (id) => (id === "watched" ? tally : undefined));
    await add("watched", 0);
    await add("other", 1);
    const found = new Map((await list.all(undefined)).map((run) => [run.id, [run.finished, run.failed, run.best, run.bestId]]));
    expect([found.get("watched"), found.get("other")]).toEqual([
      [9, 4, 0.5, "seen"],
      [1, 0, 1e-3, "r-2"],
    ]);
  });
});

describe("trials in memory", () => {
  const bookOf = ({ query, clock }: { readonly query: Database["query"]; readonly clock: ManualClock }, most?: number) =>
    new RunBook({ db: { lazy: { query } } as Database, clock, trialsShown: { atMs: 0 } }, most);

  it("are read once, then those that came since, some of them a little late; at most four times a second", async () => {
    const farm = await opened();
    const { clock, add } = farm;
    const book = bookOf(farm);
    const count = async (ms: number) => {
      clock.advance(ms);
      return (await book.get("s")).count;
    };
    await add("s", 0);
    await add("s", 10);
    await add("other", 10);
    expect(await count(0)).toBe(2);
    await add("s", 11);
    expect([await count(249), await count(1)]).toEqual([2, 3]);
    await add("s", 10.5); // late by less than a second
    expect(await count(250)).toBe(4);
    await add("s", 5); // by more: a longer look back finds it
    expect([await count(1_000), await count(3_000)]).toEqual([4, 5]);
    await add("s", -100); // by much more: the number of records tells
    expect([await count(3_000), await count(30_000)]).toEqual([5, 6]);
  });

  it("are tallied while they are fresh, and for two seconds", async () => {
    const farm = await opened();
    const { clock, add } = farm;
    const book = bookOf(farm);
    await add("s", 0, { result: timed(2) });
    await add("s", 1, { result: failed(4) });
    await add("s", 2, { result: timed(1) });
    expect(book.tally("s")).toBeUndefined();
    await book.get("s");
    expect(book.tally("s")).toMatchObject({
      n: 3,
      failed: 1,
      best: 1,
      bestId: "r-3",
      first: t0,
      last: t0 + 2 * second,
    });
    clock.advance(2_000);
    expect(book.tally("s")?.n).toBe(3);
    clock.advance(1);
    expect([book.tally("s"), book.tally("other")]).toEqual([undefined, undefined]);
  });

  it("of the runs that were asked for longest ago are forgotten until the others are few enough, and never the last one's", async () => {
    const farm = await opened();
    const book = bookOf(farm, 5);
    const sizes = { a: 2, b: 1, c: 2, d: 3, e: 9 };
    for (const [name, size] of Object.entries(sizes)) for (let i = 0; i < size; i++) await farm.add(name, i);
    const kept = async (name: string) => {
      await book.get(name);
      return Object.keys(sizes)
        .filter((each) => book.tally(each) !== undefined)
        .join("");
    };
    expect([
      await kept("a"),
      await kept("b"),
      await kept("c"),
      await kept("a"),
      await kept("d"),
      await kept("b"),
      await kept("e"),
    ]).toEqual([...["a", "ab", "abc", "abc", "ad", "bd", "e"]]);
  });
});
