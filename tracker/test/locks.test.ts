/**
 * Statements that lock many rows, running at the same time on a server. None waits for another in a circle, which PostgreSQL
 * takes a second to detect.
 */
import { defaultMeasureOptions, digestOf, type SessionId, toProgramDigest, toSessionId, toWorkerId } from "@warpfarm/common";
import { protocolVersion } from "@warpfarm/proto";
import pg from "pg";
import { expect, it } from "vitest";
import { startPostgres } from "../../test-support/farm/postgres.ts";
import { needs } from "../../test-support/needs.ts";
import { defaultLeasePolicy } from "../src/policy/lease.ts";
import type { Database } from "../src/store/database.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { acceptInputs } from "../src/store/sql/accept.ts";
import type { NewInput } from "../src/store/sql/new-input.ts";
import { reportCalls } from "../src/store/sql/report.ts";
import { addUsed, keepSessions, openSession, takeSession } from "../src/store/sql/sessions.ts";
import { keepPresent, registerWorker } from "../src/store/sql/workers.ts";

const target = "cpu/x86-64-v3";
const rounds = 60;
/** So that presence is written each time. */
const policy = { ...defaultLeasePolicy, ttlMs: 6 };
const options = defaultMeasureOptions("cpu");

/** 40 sessions with a stream each, and 200 workers. */
async function openParties(db: Database) {
  const sessions = Array.from({ length: 40 }, (_, i) => toSessionId(`s${i}`));
  const whose = { principal: "local", owner: undefined };
  for (const id of sessions) {
    const request = { requestId: id, protocolVersion, task: "t", selector: target, options, priority: 0, weight: 1 };
    await openSession(db, id, { ...request, maxInFlight: 1_000, labels: {}, idleMs: 60_000, maxSessions: 100, ...whose });
    await takeSession(db, id, 60_000, undefined);
  }
  const facts = {
    kind: "builder",
    slots: 1,
    targets: [target],
    toolchains: [],
    compilerVersion: "0",
    programVersions: [1],
  } as const;
  const registration = { protocolVersion, node: "n", labels: {}, role: facts, principal: "local", vouched: true };
  const workers = await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const { worker } = await registerWorker(db, toWorkerId(`w${i}`), { ...registration, instanceId: `i${i}` }, policy, 0);
      return worker;
    }),
  );
  return { sessions, workers };
}

/** Another order each time, different from the table's. */
function turned<T>(all: readonly T[], n: number): T[] {
  const from = (7 * n) % all.length;
  const list = [...all.slice(from), ...all.slice(0, from)];
  return n % 2 === 0 ? list : list.reverse();
}

const text = "a program";
const program = { digest: toProgramDigest(digestOf(text)), sent: { bytes: Buffer.from(text), target, version: 1 } };
const inputOf = (session: SessionId, sequence: number): NewInput => ({
  session,
  stream: 1,
  sequence,
  priority: 0,
  options,
  program,
});

it("inputs and outcomes of many come while sessions and workers are kept up: no deadlock", async (ctx) => {
  needs(ctx, "postgres");
  await using server = await startPostgres();
  const url = await server.create("farm");
  const db = await openPostgres(url);
  const { sessions, workers } = await openParties(db);
  let isOver = false;
  const meanwhile = async (work: () => Promise<unknown>) => {
    while (!isOver) await work();
  };
  const inputs = async () => {
    for (let n = 1; n <= rounds; n++) {
      const outcomes = await acceptInputs(
        db,
        turned(sessions, n).map((session) => inputOf(session, n)),
        0,
      );
      expect(outcomes.filter(({ kind }) => kind !== "accepted")).toEqual([]);
    }
  };
  const calls = async () => {
    for (let n = 0; n < rounds; n++) {
      const call = { running: [], outcomes: [], trouble: "", main: true, leaving: false };
      const callers = turned(workers, n).slice(0, 60);
      await reportCalls(
        db,
        callers.map(({ id, epoch }) => ({ worker: id, epoch, ...call })),
        policy,
        0,
      );
    }
  };
  let told = 0;
  const others = [
    meanwhile(async () => {
      told += (
        await addUsed(
          db.lazy,
          sessions.map((id) => ({ id, ms: 1, queueMs: 1, buildMs: 1, transferMs: 1, timedMs: 1 })),
        )
      ).size;
    }),
    meanwhile(() => keepSessions(db, turned(sessions, 1), 60_000)),
    meanwhile(() =>
      keepPresent(
        db.lazy,
        workers.map(({ id }) => id),
        policy,
      ),
    ),
  ];
  await Promise.all([inputs(), calls()]);
  isOver = true;
  await Promise.all(others);
  await db[Symbol.asyncDispose](); // its connections tell what they counted as they end
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query("select deadlocks::integer from pg_stat_database where datname = current_database()");
    expect(rows).toEqual([{ deadlocks: 0 }]);
    // The sum is what the statements said that they added, although locked rows were skipped.
    const { rows: used } = await client.query("select sum(used_ms)::integer as used from sessions");
    expect(used).toEqual([{ used: told }]);
  } finally {
    await client.end();
  }
});
