/** What the store counts of workers: faults in a row, presence, losses; at each limit and one beyond it. */
import { toWorkerId, type WorkerId } from "@warpfarm/common";
import type { Registration } from "@warpfarm/proto";
import { protocolVersion } from "@warpfarm/proto";
import { beforeEach, describe, expect, it } from "vitest";
import { freshStore } from "../../../../test-support/farm/scripted.ts";
import { defaultLeasePolicy } from "../../policy/lease.ts";
import type { Database } from "../database.ts";
import { setDrained } from "./drained.ts";
import {
  countFault,
  expiredLeases,
  forgetFaults,
  grantGrace,
  keepChecks,
  keepPresent,
  listWorkers,
  loseWorkers,
  readChecks,
  registerWorker,
  silentWorkers,
  workersStamp,
} from "./workers.ts";

let db: Database;
beforeEach(async () => {
  db = await freshStore();
});
const [a, b] = ["w-a", "w-b"].map(toWorkerId) as [WorkerId, WorkerId];
const policy = { ...defaultLeasePolicy, maxWorkerFaults: 2 };
const registration = (id: WorkerId, node = `node-${id}`): Registration => ({
  protocolVersion,
  node,
  instanceId: id,
  labels: {},
  role: { kind: "builder", slots: 1, targets: ["cpu/x86-64-v3"], toolchains: [], compilerVersion: "0", programVersions: [1] },
});
const register = (id: WorkerId, node?: string) =>
  registerWorker(db, id, { ...registration(id, node), principal: "local", vouched: false }, policy, 0);
const listed = async () => listWorkers(db, () => undefined);
const one = async (id: WorkerId) => (await listed()).find((row) => row.id === id);
/** Sets its last sign of life to `msAgo` milliseconds before now. */
const seen = (id: WorkerId, msAgo: number) =>
  db.query("update workers set last_seen = now() - $2 * interval '1 ms' where worker_id = $1", [id, msAgo]);
const silence = async (id: WorkerId): Promise<number> => {
  const sql = "select extract(epoch from now() - last_seen)::double precision * 1000 as ms from workers where worker_id = $1";
  return (await db.query<{ ms: number }>(sql, [id]))[0]?.ms ?? Number.NaN;
};

describe("faults in a row", () => {
  beforeEach(async () => {
    for (const id of [a, b]) await register(id);
  });
  const fault = (id: WorkerId) => countFault(db, id, "no", policy);
  const state = async (id: WorkerId) => {
    const { faults, quarantine, healthy } = (await one(id)) ?? {};
    return [faults, quarantine, healthy];
  };

  it("of the number that is allowed quarantine, and one less does not; another worker's do not count", async () => {
    await fault(a);
    await fault(b);
    expect(await state(a)).toEqual([1, "", true]);
    await fault(a);
    expect(await state(a)).toEqual([2, "2 faults in a row", false]);
    await fault(a);
    expect(await state(a)).toEqual([3, "2 faults in a row", false]);
    expect(await state(b)).toEqual([1, "", true]);
  });

  it("begin anew after a job well done, when the node is undrained, and when the worker registers again", async () => {
    for (const again of [() => forgetFaults(db, [a]), () => setDrained(db, `node-${a}`, false), () => register(a)]) {
      for (let cycle = 0; cycle < 2; cycle++) {
        await fault(a);
        await again();
        expect(await state(a)).toEqual([0, "", true]);
      }
    }
    // Only a new start or an undrain ends a quarantine, and one fault after it is the first.
    for (const again of [() => setDrained(db, `node-${a}`, false), () => register(a)]) {
      await fault(a);
      await fault(a);
      await forgetFaults(db, [a]);
      expect(await state(a)).toEqual([0, "2 faults in a row", false]);
      await again();
      await fault(a);
      expect(await state(a)).toEqual([1, "", true]);
      await forgetFaults(db, [a]);
    }
  });
});

describe("a drained node", () => {
  it("gives its workers nothing, those that come later too, and others get all", async () => {
    await register(a, "n");
    await register(b);
    for (let cycle = 0; cycle < 2; cycle++) {
      expect(await setDrained(db, "n", true)).toEqual({ workers: 1 + cycle, running: 0 });
      await setDrained(db, "n", true); // again
      await register(toWorkerId("w-late"), "n");
      const rows = await listed();
      expect(rows.map(({ node, draining, healthy }) => [node, draining, healthy]).sort()).toEqual([
        ["n", true, false],
        ["n", true, false],
        [`node-${b}`, false, true],
      ]);
      await setDrained(db, "n", false);
      expect((await listed()).every(({ draining, healthy }) => !draining && healthy)).toBe(true);
    }
  });
});

it("a node that is drained has so many workers as live", async () => {
  for (const id of [a, b]) await register(id, "n");
  await seen(b, 100_000);
  await loseWorkers(db, 50_000, policy, 0, [a, b]);
  expect(await setDrained(db, "n", true)).toEqual({ workers: 1, running: 0 });
});

describe("presence", () => {
  beforeEach(async () => {
    for (const id of [a, b]) await register(id);
  });

  it("of a held call is written when a sixth of a lifetime is over, and not before", async () => {
    const lasting = { ...policy, ttlMs: 600_000 };
    await seen(a, 110_000);
    await seen(b, 90_000);
    await keepPresent(db, [a, b], lasting);
    const [ofA, ofB] = [await silence(a), await silence(b)];
    expect([ofA < 90_000, ofB >= 90_000]).toEqual([true, true]);
    await seen(a, 110_000);
    await keepPresent(db, [b], lasting);
    await keepPresent(db, [], lasting);
    expect(await silence(a)).toBeGreaterThanOrEqual(110_000);
  });

  it("missing for so long makes a worker silent and then lost, of those that are asked for", async () => {
    await seen(a, 700_000);
    await seen(b, 500_000);
    expect([
      await silentWorkers(db, 600_000),
      await silentWorkers(db, 600_000, [b]),
      await silentWorkers(db, 400_000, [b]),
    ]).toEqual([[a], [], [b]]);
    expect((await loseWorkers(db, 600_000, policy, 0, [a, b])).lost).toEqual([a]);
    expect((await loseWorkers(db, 600_000, policy, 0, [a, b])).lost).toEqual([]);
    expect([(await listed()).map(({ id }) => id), await silentWorkers(db, 600_000)]).toEqual([[b], []]);
    await register(a);
    expect((await one(a))?.healthy).toBe(true);
  });

  it("is everybody's after the store was away, but not of the lost", async () => {
    await seen(a, 700_000);
    await seen(b, 700_000);
    await loseWorkers(db, 600_000, policy, 0, [a]);
    await grantGrace(db, 1_000, 1_000);
    expect([await silentWorkers(db, 600_000), (await listed()).map(({ id }) => id)]).toEqual([[], [b]]);
  });
});

it("leases run out at their end, not before, and everybody has full time after the store was away", async () => {
  await register(a);
  for (const [lease, ms] of [
    ["over", -1_000],
    ["running", 600_000],
  ] as const)
    await db.query(
      "insert into leases (lease_id, worker_id, epoch, device, program, until) values ($1, $2, 1, 0, $1, now() + $3 * interval '1 ms')",
      [lease, a, ms],
    );
  expect(await expiredLeases(db)).toEqual(["over"]);
  await grantGrace(db, 300_000, 1_000);
  expect(await expiredLeases(db)).toEqual([]);
  const [row] = await db.query<{ n: number }>("select count(*)::integer as n from leases where until > now() + interval '400 s'");
  expect(row?.n).toBe(1); // a longer time stays
});

it("the list reads facts anew for a new epoch alone; its stamp changes with each thing that it tells but the last sign of life", async () => {
  await register(a);
  await register(b);
  const [known] = await listed();
  if (!known) throw new Error("no worker");
  const marked = { ...known, node: "as known" };
  const rows = await listWorkers(db, (id) => (id === known.id ? marked : undefined));
  expect(rows.find(({ id }) => id === known.id)?.node).toBe("as known");
  await register(known.id);
  expect((await listWorkers(db, () => marked)).find(({ id }) => id === known.id)).toMatchObject({
    node: `node-${known.id}`,
    epoch: 2,
  });
  const stamps = [await workersStamp(db)];
  await seen(b, 5_000);
  expect(await workersStamp(db)).toBe(stamps[0]);
  for (const change of [
    "faults = faults + 1",
    "quarantine = 'why'",
    "epoch = epoch + 1",
    "trouble = 'why'",
    "suspect_until = now() + interval '1 hour'",
    "lost = true",
  ]) {
    await db.query(`update workers set ${change} where worker_id = $1`, [b]);
    stamps.push(await workersStamp(db));
  }
  await setDrained(db, `node-${a}`, true);
  stamps.push(await workersStamp(db));
  // Trouble changes nothing of a worker in quarantine.
  expect(new Set(stamps).size).toBe(stamps.length - 1);
});

it("checks of a node's own kernels are kept as the worker last told them, by their time", async () => {
  await register(a);
  await register(b);
  await keepChecks(db, a, 10_000, [
    { agoMs: 3_000.4, ratio: 1.1 },
    { agoMs: 0, ratio: 1 },
  ]);
  await keepChecks(db, a, 20_000, [{ agoMs: 1_000, ratio: 1.5 }]);
  expect([...(await readChecks(db))]).toEqual([[a, [[19_000, 1.5]]]]);
});
