/** What principals used within an hour: which minutes count, and when there is room again. */
import { toSessionId } from "@warpfarm/common";
import { beforeEach, describe, expect, it } from "vitest";
import { freshStore } from "../../../../test-support/farm/scripted.ts";
import type { Database } from "../database.ts";
import { addSpent, forgetSpent, keptByPrincipal, spentBy, spentByPrincipal } from "./usage.ts";

let db: Database;
beforeEach(async () => {
  db = await freshStore();
});
const spent = (principal: string, buildMs: number, deviceMs: number) => ({ principal, buildMs, deviceMs });
/** Moves all use that is stored to the minute that began that long before now. */
const ago = (minutes: number) => db.query("update spent set minute = now() - $1 * interval '1 minute'", [minutes]);
const none = { buildMs: null, deviceMs: null };
const found = async (limits: { buildMs: number | null; deviceMs: number | null } = none) =>
  [...(await spentByPrincipal(db, limits))].sort((x, y) => (x.principal < y.principal ? -1 : 1));

describe("what was used", () => {
  it("is added to the current minute, each principal's and each kind's own", async () => {
    await addSpent(db, [spent("bob", 1, 2), spent("ada", 10, 0)]);
    await addSpent(db, [spent("ada", 5, 7)]);
    await addSpent(db, []);
    expect(await found()).toMatchObject([
      { principal: "ada", buildMs: 15, deviceMs: 7 },
      { principal: "bob", buildMs: 1, deviceMs: 2 },
    ]);
  });

  it("counts until an hour after the end of its minute, and is forgotten after two", async () => {
    await addSpent(db, [spent("ada", 1, 1)]);
    for (const [minutes, counted, kept] of [
      [60.9, 1, 1],
      [61.1, 0, 1],
      [119.9, 0, 1],
      [120.1, 0, 0],
    ] as const) {
      await ago(minutes);
      await forgetSpent(db);
      const [row] = await db.query<{ n: number }>("select count(*)::integer as n from spent");
      expect([minutes, (await found()).length, row?.n]).toEqual([minutes, counted, kept]);
    }
  });

  it("has room again when the use of the last hour is below the limit", async () => {
    const add = (minutesAgo: number, buildMs: number, deviceMs: number) =>
      db.query(
        "insert into spent (principal, minute, build_ms, device_ms) values ('ada', now() - $1 * interval '1 minute', $2, $3)",
        [minutesAgo, buildMs, deviceMs],
      );
    await add(40, 30, 0);
    await add(20, 30, 50);
    await add(5, 30, 49);
    const room = async (buildMs: number | null, deviceMs: number | null = null) => {
      const [row] = await found({ buildMs, deviceMs });
      return [row?.buildRoomInMs, row?.deviceRoomInMs].map((ms) => (typeof ms === "number" ? Math.round(ms / 60_000) : ms));
    };
    // 90 within the hour: the oldest minutes of the newest 60, 60 and 90 are 20, 20 and 40 ago; room is 61 minutes after.
    expect([await room(91), await room(90), await room(61), await room(60), await room(30), await room(null)]).toEqual([
      [null, null],
      [21, null],
      [21, null],
      [41, null],
      [56, null],
      [null, null],
    ]);
    expect([await room(null, 100), await room(null, 99), await room(null, 49)]).toEqual([
      [null, null],
      [null, 41],
      [null, 56],
    ]);
  });
});

it("what is stopped is charged to the principals of its sessions, builds and devices apart, and nothing to everybody's", () => {
  const [x, y, local] = ["x", "y", "l"].map(toSessionId);
  if (!x || !y || !local) throw new Error("three");
  const sessions = [
    { id: x, principal: "ada" },
    { id: y, principal: "bob" },
    { id: local, principal: "local" },
  ];
  const held = (session: typeof x, heldMs: number) => ({ session, heldMs });
  const stopped = { deviceMs: [held(x, 1), held(y, 2), held(x, 4), held(local, 8)], buildMs: [held(y, 16), held(y, 32)] };
  expect(spentBy(sessions, stopped)).toEqual([spent("ada", 0, 5), spent("bob", 48, 2)]);
  expect(spentBy(sessions, { deviceMs: [], buildMs: [] })).toEqual([]);
});

it("what is kept is programs, builds and blobs of each principal", async () => {
  await db.query(
    "insert into programs (digest, principal, target, size, bytes) values ('p', 'ada', 't', 3, ''), ('q', 'local', 't', 64, ''), ('r', 'bob', 't', 5, '')",
  );
  await db.query(
    "insert into builds (program, principal, target, state, priority, timeout_ms, bytes) values ('p', 'ada', 't', 2, 0, 1, 7), ('q', 'local', 't', 2, 0, 1, 64)",
  );
  await db.query("insert into blobs (digest, principal, size, bytes) values ('x', 'ada', 11, ''), ('y', 'local', 64, '')");
  expect([...(await keptByPrincipal(db))].sort((x, y) => (x.principal < y.principal ? -1 : 1))).toEqual([
    { principal: "ada", bytes: 21 },
    { principal: "bob", bytes: 5 },
  ]);
});
