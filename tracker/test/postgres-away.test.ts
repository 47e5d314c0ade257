/** A PostgreSQL server that refuses, goes away or goes silent, as its adapter and a tracker's readiness have it. */
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { FarmError } from "@warpfarm/common";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../test-support/farm/postgres.ts";
import { loggedErrors, pause, testTracker } from "../../test-support/farm/scripted.ts";
import { Link } from "../../test-support/link.ts";
import { has, needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import type { Queryable } from "../src/store/database.ts";
import { openPostgres } from "../src/store/postgres.ts";

/** A server that is silent for so long counts as gone; 35 s as shipped, and 5 s for who listens. */
const queryMs = 3_000;
let server: PostgresServer;
let direct: string;
const undo: (() => PromiseLike<unknown>)[] = [];
beforeAll(async () => {
  if (!has("postgres")) return;
  server = await startPostgres();
  direct = await server.create("farm");
});
beforeEach((ctx) => needs(ctx, "postgres"));
afterEach(async () => {
  for (const f of undo.splice(0).reverse()) await f();
  // What a tracker said of the store while it was away, or while the tracker ended.
  expect(loggedErrors.splice(0).filter((line) => !line.includes("the store cannot be reached"))).toEqual([]);
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function open(url: string) {
  const db = await openPostgres(url);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await db[Symbol.asyncDispose]();
    isOpen = false;
  };
  undo.push(close);
  const { shared } = db;
  if (!shared) throw new Error("a server is shared");
  return { db, shared, close };
}
async function behindLink() {
  const link = await Link.to([server.address]);
  undo.push(() => link[Symbol.asyncDispose]());
  return { link, url: `${direct.replace(server.address, link.address)}?query_timeout=${queryMs}` };
}

describe("an error of the server", () => {
  const raise = (state: string) => `do $$ begin raise exception 'no' using errcode = '${state}'; end $$`;
  it.for<readonly [why: string, statements: (tx: Queryable) => Promise<unknown>]>([
    [
      "waited too long for others",
      async (tx) => {
        await tx.query("set local statement_timeout = 20");
        await tx.query("select pg_sleep(20)");
      },
    ],
    [
      "was left alone for too long",
      async (tx) => {
        await tx.query("set local idle_in_transaction_session_timeout = 20");
        for (;;) {
          await pause(300);
          await tx.query("select 1");
        }
      },
    ],
    [
      "is at a standby",
      async (tx) => {
        await tx.query("set transaction read only");
        await tx.query("create table t (n integer)");
      },
    ],
    ["conflicts with others again and again", (tx) => tx.query(raise("40001"))],
    ["was ended by an operator", (tx) => tx.query("select pg_terminate_backend(pg_backend_pid())")],
  ])("that has nothing to do with a statement which %s is UNAVAILABLE, and may be tried again", async ([, statements]) => {
    const { db } = await open(direct);
    const error = await db.transaction(statements).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(FarmError);
    expect(error).toMatchObject({ code: "UNAVAILABLE", message: expect.stringMatching(/^the store cannot be reached: /) });
    expect(await db.query("select 1 as n")).toEqual([{ n: 1 }]);
  });

  it("that is the statement's own is not", async () => {
    const { db } = await open(direct);
    const error = await db.query("select 1 / 0").catch((e: unknown) => e);
    expect(error).not.toBeInstanceOf(FarmError);
  });
});

describe("a tracker that vanishes", () => {
  /** The server's ends of its connections: the seconds until it looks for the other end; undefined where data is under way. */
  const looksIn = (): readonly (number | undefined)[] =>
    readFileSync("/proc/net/tcp", "utf8")
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local = "", , state]) => state === "01" && Number.parseInt(local.slice(9), 16) === portOf(server.address))
      .map(([, , , , , timer = ""]) => (timer.startsWith("02:") ? Number.parseInt(timer.slice(3), 16) / 100 : undefined));
  const portOf = (address: string) => Number(address.split(":")[1]);

  it("is looked for within seconds on each of its connections, so that it leads no longer and holds no lock", async () => {
    const { db, shared } = await open(direct);
    while (!(await shared.leads())) await pause(20);
    await Promise.all([db.query("select 1"), db.lazy.query("select 1"), db.transaction((tx) => tx.query("select 1"))]);
    await until(() => looksIn().every((seconds) => seconds !== undefined && seconds <= 10), "the server to look soon");
    // The one that leads, and one of each pool.
    expect(looksIn().length).toBeGreaterThanOrEqual(3);
  });
});

describe("a server that falls silent", () => {
  it("does not say who else is there either, which is UNAVAILABLE as for any statement", async () => {
    const { link, url } = await behindLink();
    const { shared } = await open(url);
    link.blackHole();
    await expect(shared.members()).rejects.toMatchObject({ code: "UNAVAILABLE", rule: "store.away" });
    link.heal("forget");
  });

  it("is listened to again, and led from again, on a new connection", async () => {
    const { link, url } = await behindLink();
    const [{ shared }, other] = [await open(url), await open(direct)];
    const heard: string[] = [];
    shared.listen((message) => heard.push(message));
    while (!(await shared.leads())) await pause(20);
    expect(await other.shared.leads()).toBe(false);
    link.blackHole();
    link.heal("forget");
    // The lock went with the connection, wherever it is now.
    while (!(await other.shared.leads())) await pause(20);
    expect(await shared.leads()).toBe(false);
    while (heard.length === 0) {
      await shared.leads(); // as a tracker does each second
      await other.shared.notify("hello");
      await pause(20);
    }
    expect(heard[0]).toBe("hello");
  });

  it("is away for what it was asked, alone or in a transaction, and there again on new connections", async () => {
    const { link, url } = await behindLink();
    const { db } = await open(url);
    const asked = (query: Queryable["query"]) => query("select 1");
    const ways = [() => asked(db.query), () => asked(db.lazy.query), () => db.transaction((tx) => asked(tx.query))];
    for (const way of ways) await way();
    link.blackHole();
    await Promise.all(ways.map((way) => expect(way()).rejects.toMatchObject({ code: "UNAVAILABLE" })));
    link.heal("forget");
    for (const way of ways) await way();
  });

  it("right after it let somebody in is away", async () => {
    const welcome = Buffer.from("R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I", "latin1"); // authentication ok, ready for a query
    const mute = createServer((socket) => socket.once("data", () => socket.write(welcome)).on("error", () => {}));
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    undo.push(async () => void mute.close());
    await expect(openPostgres(`postgres://farm@127.0.0.1:${(mute.address() as AddressInfo).port}/farm`)).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
  });

  it("keeps nobody from ending", async () => {
    const { link, url } = await behindLink();
    const { shared, close } = await open(url);
    while (!(await shared.leads())) await pause(20);
    link.blackHole();
    await close();
  });

  it("is told by /readyz, until it is back", async () => {
    const { link, url } = await behindLink();
    const tracker = await testTracker(url, { http: "127.0.0.1:0" });
    undo.push(() => tracker[Symbol.asyncDispose]());
    const ready = async () => (await fetch(`http://127.0.0.1:${tracker.httpPort}/readyz`)).status;
    expect(await ready()).toBe(200);
    link.blackHole();
    while ((await ready()) !== 503) await pause(20);
    link.heal("forget");
    while ((await ready()) !== 200) await pause(20);
  });
});
