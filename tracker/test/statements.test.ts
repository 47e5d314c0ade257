/** What statements write for whom when they are given several rows at once, read from the tables. */
import { defaultMeasureOptions, digestOf, toLeaseId, toProgramDigest, toSessionId, toWorkerId } from "@warpfarm/common";
import { protocolVersion } from "@warpfarm/proto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defaultLeasePolicy } from "../src/policy/lease.ts";
import type { Database } from "../src/store/database.ts";
import { openPglite } from "../src/store/pglite.ts";
import { acceptInputs } from "../src/store/sql/accept.ts";
import { claimRuns } from "../src/store/sql/claim-runs.ts";
import { reportCalls } from "../src/store/sql/report.ts";
import { openSession, takeSession } from "../src/store/sql/sessions.ts";
import { registerWorker } from "../src/store/sql/workers.ts";
import { buildStates, requestStates } from "../src/store/states.ts";

const target = "cpu/x86-64-v3";
const hour = 3_600;
/** So long that no machine is slow within the margins of these tests. */
const policy = { ...defaultLeasePolicy, ttlMs: 6 * hour * 1_000 };
const text = "a program";
const program = { digest: toProgramDigest(digestOf(text)), sent: { bytes: Buffer.from(text), target, version: 1 } };
const [a, b, c] = ["a", "b", "c"].map(toSessionId) as [
  ReturnType<typeof toSessionId>,
  ReturnType<typeof toSessionId>,
  ReturnType<typeof toSessionId>,
];
const workers = ["w", "x"].map(toWorkerId);

let db: Database;
beforeAll(async () => {
  db = await openPglite("memory");
  const options = defaultMeasureOptions("cpu");
  const common = { protocolVersion, task: "t", selector: target, options, weight: 1, labels: {}, idleMs: 60_000 };
  for (const id of [a, b, c]) {
    await openSession(db, id, {
      ...{ ...common, requestId: id, priority: 0, maxInFlight: 9, maxSessions: 9, principal: "local", owner: undefined },
    });
    await takeSession(db, id, 60_000, undefined);
  }
  const inputs = [a, b, c].flatMap((session) =>
    [1, 2, 3].map((sequence) => ({ session, stream: 1, sequence, priority: 0, options, program })),
  );
  await acceptInputs(db, inputs, 0);
  await db.query("update builds set state = $1, artifact = 'x'", [buildStates.built]);
  await db.query("update requests set state = $1", [requestStates.ready]);
  const facts = {
    kind: "builder",
    slots: 1,
    targets: [target],
    toolchains: [],
    compilerVersion: "0",
    programVersions: [1],
  } as const;
  for (const id of workers)
    await registerWorker(
      db,
      id,
      { protocolVersion, node: id, labels: {}, role: facts, principal: "local", vouched: true, instanceId: id },
      policy,
      0,
    );
});
afterAll(() => db[Symbol.asyncDispose]());

const epochOf = async (worker: string) =>
  (await db.query<{ epoch: number }>("select epoch from workers where worker_id = $1", [worker]))[0]?.epoch ?? 0;

it("each run that is claimed gets a slot of its own session, its first runs first", async () => {
  const [w, x] = workers as [(typeof workers)[0], (typeof workers)[0]];
  const slots = [
    { worker: x, device: 0, session: c },
    { worker: w, device: 1, session: a },
    { worker: x, device: 2, session: b },
    { worker: w, device: 3, session: c },
    { worker: x, device: 4, session: a },
  ];
  const epochs = new Map([
    [w, await epochOf(w)],
    [x, await epochOf(x)],
  ]);
  let n = 0;
  const claimed = await claimRuns(
    db,
    slots.map((slot) => ({ ...slot, epoch: epochs.get(slot.worker) ?? 0 })),
    { targets: [target], manifests: [1] },
    { ttlMs: policy.ttlMs, newId: () => `l${n++}` },
  );
  const given = claimed.map(({ worker, device, session }) => ({ worker, device, session }));
  expect(given.sort((p, q) => p.device - q.device)).toEqual(slots);
  const rows = await db.query<{ lease: string; worker: string; device: number; session: string; sequence: number }>(
    `select lease_id as lease, worker_id as worker, device, session_id as session, sequence from leases order by lease_id`,
  );
  expect(rows.map(({ worker, device, session }) => ({ worker, device, session })).sort((p, q) => p.device - q.device)).toEqual(
    slots,
  );
  expect(rows.map(({ session, sequence }) => `${session}${sequence}`).sort()).toEqual(["a1", "a2", "b1", "c1", "c2"]);
  expect(new Set(claimed.map(({ lease }) => lease)).size).toBe(5);
});

it("a call renews the leases that it names when a fifth of their time is over, and tells of presence after a sixth", async () => {
  const [w] = workers as [(typeof workers)[0]];
  const left = async () =>
    new Map(
      (
        await db.query<{ id: string; s: number }>(
          "select lease_id as id, extract(epoch from until - now())::double precision as s from leases where worker_id = $1",
          [w],
        )
      ).map(({ id, s }) => [id, s]),
    );
  const running = [...(await left()).keys()].map(toLeaseId);
  expect(running).toHaveLength(2);
  const call = async () => {
    const epoch = await epochOf(w);
    await reportCalls(db, [{ worker: w, epoch, running, outcomes: [], trouble: "", main: true, leaving: false }], policy, 0);
  };
  const seenAgo = async (seconds: number) => {
    await db.query("update workers set last_seen = now() - $2 * interval '1 s' where worker_id = $1", [w, seconds]);
    await call();
    const [row] = await db.query<{ s: number }>(
      "select extract(epoch from now() - last_seen)::double precision as s from workers where worker_id = $1",
      [w],
    );
    return row?.s ?? Number.NaN;
  };
  expect(await seenAgo(2 * hour)).toBeLessThan(hour);
  expect(await seenAgo(hour / 2)).toBeGreaterThanOrEqual(hour / 2);
  const [fresh = "", old = ""]: readonly string[] = running;
  await db.query("update leases set until = now() + case when lease_id = $1 then 5.5 else 4 end * interval '1 h'", [fresh]);
  await call();
  const now = await left();
  expect(now.get(fresh)).toBeLessThanOrEqual(5.5 * hour);
  expect(now.get(old)).toBeGreaterThan(5.5 * hour);
  expect(now.get(old)).toBeLessThanOrEqual(6 * hour);
});
