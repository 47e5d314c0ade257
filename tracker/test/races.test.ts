/** Two transactions of two trackers at the same moment, on a server: neither misses what the other does. */
import { defaultMeasureOptions, digestOf, type SessionId, toProgramDigest, toSessionId } from "@warpfarm/common";
import { protocolVersion } from "@warpfarm/proto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../test-support/farm/postgres.ts";
import { has, needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import type { Database, Queryable } from "../src/store/database.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { acceptInputs } from "../src/store/sql/accept.ts";
import { advanceRequests } from "../src/store/sql/builds.ts";
import type { NewInput } from "../src/store/sql/new-input.ts";
import { promoteFollowers } from "../src/store/sql/reuses.ts";
import { openSession, removeSessions, takeSession } from "../src/store/sql/sessions.ts";

const target = "cpu/x86-64-v3";
const options = defaultMeasureOptions("cpu");
let server: PostgresServer;
let db: Database;
beforeAll(async () => {
  if (!has("postgres")) return;
  server = await startPostgres();
  db = await openPostgres(await server.create("farm"));
});
afterAll(async () => {
  await db?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
beforeEach(async (ctx) => {
  needs(ctx, "postgres");
  await db.script("truncate sessions, programs, builds, requests, reuses, leases");
});

const programOf = (text: string) => ({
  digest: toProgramDigest(digestOf(text)),
  sent: { bytes: Buffer.from(text), target, version: 1 },
});
const [program, reference] = [programOf("a program"), programOf("its reference")];

async function session(name: string): Promise<SessionId> {
  const id = toSessionId(name);
  const request = { requestId: name, protocolVersion, task: "t", selector: target, options, priority: 0, weight: 1 };
  await openSession(db, id, {
    ...request,
    maxInFlight: 10,
    labels: {},
    idleMs: 60_000,
    maxSessions: 10,
    principal: "local",
    owner: undefined,
  });
  await takeSession(db, id, 60_000, undefined);
  return id;
}

const inputOf = (of: SessionId, more: Partial<NewInput> = {}): NewInput => ({
  session: of,
  stream: 1,
  sequence: 1,
  priority: 0,
  options,
  program,
  reference,
  ...more,
});
const build = (tx: Queryable, { digest }: typeof program) =>
  tx.query("update builds set state = 2, artifact = 'm', code = 'c', finished_at = now() where program = $1", [digest]);
const stateOf = async (of: SessionId) =>
  (await db.query<{ state: number }>("select state from requests where session_id = $1", [of]))[0]?.state;

/** A promise, and what resolves it. */
function gate() {
  let resolve = () => {};
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve };
}

/** `work` in a transaction that stays open, its work done, until it is told to commit. */
async function held(work: (tx: Queryable) => Promise<unknown>) {
  const told = gate();
  const worked = gate();
  const over = db.transaction(async (tx) => {
    await work(tx);
    worked.resolve();
    await told.promise;
  });
  await worked.promise;
  return async () => {
    told.resolve();
    await over;
  };
}

/** Resolves when it is over, or waits for a lock that another transaction has. */
async function overOrWaiting(work: Promise<unknown>): Promise<void> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  const waiting = () =>
    db.query("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
  await until(async () => isOver || (await waiting()).length > 0, "the other to be over or to wait");
}

it("a program and its reference are built at the same moment: the measurement is ready", async () => {
  const s = await session("s");
  await acceptInputs(db, [inputOf(s)], 0);
  const ends = (which: typeof program) => async (tx: Queryable) => {
    await build(tx, which);
    await advanceRequests(tx, [which.digest], 0);
  };
  const commit = await held(ends(program));
  const other = db.transaction(ends(reference));
  await overOrWaiting(other);
  await commit();
  await other;
  expect(await stateOf(s)).toBe(1);
});

it("builds of a later version end while an input names their programs by digest: it is ready, for its target, with their manifests' version", async () => {
  const [first, second] = [await session("first"), await session("second")];
  const [p, r] = [program, reference].map(({ digest, sent }) => ({ digest, sent: { ...sent, version: 2 } }));
  if (!(p && r)) throw new Error("two programs");
  await acceptInputs(db, [inputOf(first, { program: p, reference: r })], 0);
  const commit = await held(async (tx) => {
    for (const each of [p, r]) await build(tx, each);
    await tx.query("update builds set manifest = 2 where program = $1", [r.digest]);
    await advanceRequests(tx, [p.digest, r.digest], 0);
  });
  const named = inputOf(second, { program: { digest: p.digest }, reference: { digest: r.digest } });
  const accepted = acceptInputs(db, [named], 0);
  await overOrWaiting(accepted);
  await commit();
  expect(await accepted).toMatchObject([{ kind: "accepted", ready: true }]);
  await acceptInputs(db, [{ ...named, sequence: 2 }], 0); // and of what was built before
  expect(await db.query("select distinct state, target, manifest from requests")).toEqual([{ state: 1, target, manifest: 2 }]);
  expect(await db.query("select distinct version from builds")).toEqual([{ version: 2 }]);
});

it("a build ends while the follower of one that is gone takes its place: it is measured", async () => {
  const [first, second] = [await session("first"), await session("second")];
  for (const id of [first, second]) await acceptInputs(db, [inputOf(id, { reuse: "the same" })], 0);
  expect(await stateOf(second)).toBe(-1);
  await removeSessions(db, [first]);
  const commit = await held(async (tx) => {
    for (const each of [program, reference]) await build(tx, each);
    await advanceRequests(tx, [program.digest, reference.digest], 0);
  });
  await promoteFollowers(db, 0);
  await commit();
  await promoteFollowers(db, 0);
  expect(await stateOf(second)).toBe(1);
});

it.each([
  ["waits for a build", undefined],
  ["follows another", "the same"],
])("a session that asked first ends while an input is accepted that %s: the build goes on for that input", async (_, reuse) => {
  const [first, second] = [await session("first"), await session("second")];
  const more = reuse === undefined ? {} : { reuse };
  await acceptInputs(db, [inputOf(first, more)], 0);
  const told = gate();
  const worked = gate();
  /** Acceptance that commits when it is told to, in one statement or in several. */
  const slow: Database = {
    ...db,
    query: (sql, parameters) => slow.transaction((tx) => tx.query(sql, parameters)),
    transaction: (work) =>
      db.transaction(async (tx) => {
        const result = await work(tx);
        worked.resolve();
        await told.promise;
        return result;
      }),
  };
  const accepted = acceptInputs(slow, [inputOf(second, more)], 0);
  await worked.promise;
  const removed = removeSessions(db, [first]);
  await overOrWaiting(removed);
  told.resolve();
  expect(await accepted).toMatchObject([{ kind: "accepted" }]);
  await removed;
  expect(await db.query("select distinct session_id as id from builds")).toEqual([{ id: second }]);
  expect(await db.query("select count(*)::integer as n from builds")).toEqual([{ n: 2 }]);
});
