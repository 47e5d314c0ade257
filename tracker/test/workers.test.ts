/** Workers that vanish, fail, lie or come back, over real loopback gRPC: where their jobs go. */
import { FarmError, ManualClock } from "@warpfarm/common";
import { connect, protocolVersion } from "@warpfarm/proto";
import { describe, expect, it } from "vitest";
import { codeOf, quick, useFarms } from "../../test-support/farm/farms.ts";
import {
  asRegistered,
  builder,
  cpu,
  freshStore,
  openRequest,
  pause,
  programOf,
  runner,
  runOf,
  ScriptedWorker,
  synchronized,
  timed,
} from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import type { Param, Queryable } from "../src/store/database.ts";

const { farm, undo } = useFarms();

describe("workers", () => {
  it("a runner cut off loses its lease; another takes the job, and the lost one's late outcome is dropped", async () => {
    const { address, start, measuring } = await farm(quick);
    start(builder(address));
    const lost = start(runner(address, 1, () => "keep"));
    const c = await measuring(1);
    await until(() => lost.jobs.length === 1, "the first runner to have the job");
    const [assignment] = lost.jobs;
    const registered = lost.registered as NonNullable<typeof lost.registered>;
    await lost.kill();
    const second = start(runner(address, 2));
    await until(() => c.results.size === 1, "the result");
    expect(c.results.get(1)).toMatchObject({ kind: "timed", costs: [2], attempt: 2 });
    expect(second.jobs).toHaveLength(1);
    const late = connect({ address });
    undo.push(() => late[Symbol.asyncDispose]());
    const { leaseId, epoch } = assignment as NonNullable<typeof assignment>;
    const report = synchronized(late, {
      ...asRegistered(registered),
      outcomes: [{ leaseId, epoch, ...timed(assignment) }],
    });
    expect((await codeOf(report)).code).toBe("ABORTED");
    await c.finish();
    expect(c.deliveries).toEqual([1]);
  });

  it("a fault is retried elsewhere, not at the worker that had it", async () => {
    // More than there is time for before the second comes, however long that takes.
    const { address, start, measuring } = await farm({ ...quick, policy: { ...quick.policy, maxFaults: 1_000 } });
    start(builder(address));
    const faulty = start(runner(address, 1, () => ({ kind: "fault", message: "the device is busy", suspect: false })));
    const c = await measuring(1);
    await until(() => faulty.jobs.length > 0, "the fault");
    const good = start(runner(address, 2));
    await until(() => c.results.size === 1, "the result");
    // Alone on the farm the first one may have been asked again before the second came; never after.
    expect(good.jobs).toHaveLength(1);
    expect(c.results.get(1)).toMatchObject({ kind: "timed", costs: [2] });
  });

  it("three faults end a job with UNKNOWN_ERROR; a suspect worker gets nothing until it recovers", async () => {
    const { address, start, measuring, store, look } = await farm({ policy: { suspectMs: 3_600_000 } });
    start(builder(address));
    const fault = { kind: "fault", message: "reference kernel failed", suspect: true } as const;
    const r = start(runner(address, 1, () => fault));
    const c = await measuring(1);
    for (const n of [1, 2]) {
      await until(() => r.acknowledged.length === n, `fault ${n}`);
      await look();
      expect(r.jobs).toHaveLength(n);
      await store.query("update workers set suspect_until = now()"); // its time is over
    }
    await until(() => c.results.size === 1, "the verdict");
    expect(c.results.get(1)).toMatchObject({
      kind: "failed",
      errorNo: 8,
      rule: "farm.gave_up",
      message: expect.stringContaining("reference kernel failed"),
    });
    expect(r.jobs).toHaveLength(3);
  });

  it("a suspect worker that registers again is a new one: it gets work at once, not when its suspicion is over", async () => {
    const { address, start, measuring, look } = await farm({ policy: { suspectMs: 3_600_000 } });
    start(builder(address));
    let well = false;
    const r = start(
      runner(address, 1, (given) => (well ? timed(given) : { kind: "fault", message: "its own kernels failed", suspect: true })),
    );
    const c = await measuring(1);
    await until(() => r.acknowledged.length === 1, "the fault");
    await look();
    expect([r.jobs.length, c.results.size]).toEqual([1, 0]);
    well = true;
    r.registered = undefined; // as its next process does
    await r.tracker.worker.register(r.registration);
    await until(() => c.results.size === 1, "the result");
    expect(c.results.get(1)).toMatchObject({ kind: "timed" });
  });

  it("a worker in trouble gets nothing, and work again when it is well", async () => {
    // This worker says so with its next call, when this one was held for as long as it may be.
    const { address, start, measuring, look } = await farm({ ...quick, limits: { ...quick.limits, holdMs: 1_000 } });
    start(builder(address));
    const r = runner(address, 1);
    r.trouble = "disk full";
    start(r);
    const c = await measuring(1);
    await until(() => c.acceptedThrough === 1, "acceptance");
    const state = async () => (await c.tracker.farm.listNodes()).nodes.find((n) => n.role === "runner")?.state;
    await until(async () => (await state()) === "SUSPECT", "its word");
    await look();
    expect(r.jobs).toHaveLength(0);
    r.trouble = "";
    await until(() => c.results.size === 1, "the result");
  });

  it("a worker whose held call began in trouble gets work as soon as a report says that it is well", async () => {
    // Neither the end of that call nor this tracker's next look at its store comes in time to help.
    const hour = 3_600_000;
    const patient = { policy: { ...quick.policy, ttlMs: hour }, limits: { ...quick.limits, holdMs: hour } };
    const { address, start, measuring } = await farm({ ...patient, clock: new ManualClock() });
    start(builder(address));
    const r = runner(address, 1);
    undo.push(() => r.kill());
    const registered = await r.tracker.worker.register(r.registration);
    const call = (sequence: number, trouble: string, reportOnly = false) =>
      synchronized(r.tracker, { ...asRegistered(registered), sequence, free: [{ device: 0, count: 1 }], trouble, reportOnly });
    let answered: readonly unknown[] | undefined;
    const held = call(1, "disk full").then(({ assignments }) => {
      answered = assignments;
    });
    const c = await measuring(1);
    const node = async () => (await c.tracker.farm.listNodes()).nodes.find(({ role }) => role === "runner");
    await until(async () => (await node())?.state === "SUSPECT", "its word");
    await call(2, "", true);
    await until(() => answered !== undefined, "the held call to be answered");
    await held;
    expect(answered).toEqual([]);
    expect((await call(3, "")).assignments).toHaveLength(1);
  });

  it("a result is delivered once it is stored, whatever is not stored after it", async () => {
    const store = await freshStore();
    let noticed = () => {};
    const faulted = new Promise<void>((resolve) => {
      noticed = resolve;
    });
    // Its word that it did a job, which wipes its faults, is lost.
    const lazy: Queryable = {
      async query<Row extends object>(sql: string, parameters?: readonly Param[]) {
        if (sql.startsWith("update workers set faults = 0")) throw new FarmError("UNAVAILABLE", "the store cannot be reached");
        const rows = await store.lazy.query<Row>(sql, parameters);
        if (rows.some((row) => "faults" in row && row.faults === 1)) noticed();
        return rows;
      },
    };
    const { address, start, measuring } = await farm({ ...quick, data: { ...store, lazy } });
    start(builder(address));
    start(
      runner(address, 1, async (given) => {
        if (runOf(given).attempt === 1) return { kind: "fault", message: "the device is busy", suspect: true };
        await faulted; // the tracker knows
        return timed(given);
      }),
    );
    const c = await measuring(1);
    await until(() => c.results.size === 1, "the result");
    expect(c.error).toBeUndefined();
  });

  it("an outcome reported twice counts once, and is acknowledged twice", async () => {
    const { address, start, measuring } = await farm();
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const c = await measuring(1);
    await until(() => r.jobs.length === 1, "the job");
    const [assignment] = r.jobs;
    const registered = r.registered as NonNullable<typeof r.registered>;
    const { leaseId, epoch } = assignment as NonNullable<typeof assignment>;
    const report = (seconds: number) =>
      synchronized(c.tracker, {
        ...asRegistered(registered),
        outcomes: [{ leaseId, epoch, ...timed(assignment, seconds) }],
      });
    const [a, b] = await Promise.all([report(1), report(2)]);
    expect([a.acknowledged, b.acknowledged]).toEqual([[leaseId], [leaseId]]);
    await c.finish();
    expect(c.deliveries).toEqual([1]);
    expect(r.jobs).toHaveLength(1);
  });

  it("a lease whose answer was lost goes out again at once, as if never given", async () => {
    const { address, start, measuring } = await farm();
    start(builder(address));
    const r = runner(address, 1);
    undo.push(() => r.kill());
    const registered = await r.tracker.worker.register(r.registration);
    const call = (sequence: number, running: readonly string[] = []) =>
      synchronized(r.tracker, {
        ...asRegistered(registered),
        sequence,
        free: [{ device: 0, count: Math.max(0, 1 - running.length) }],
        running: running as never,
        reportOnly: false,
      });
    await measuring(1);
    const [first] = (await call(1)).assignments;
    const [second] = (await call(2)).assignments; // as if the first answer had never come
    expect(second?.leaseId).not.toBe(first?.leaseId);
    expect(second?.job).toEqual({ ...first?.job, queueMs: expect.any(Number) });
    expect(second?.job).toMatchObject({ kind: "run", attempt: 1 });
    // What it still names is renewed or, when it is not its own any more, to be given up.
    const third = await call(3, [first?.leaseId ?? "", second?.leaseId ?? ""]);
    expect(third.cancel).toEqual([first?.leaseId]);
  });

  it("registering again ends the old epoch: its leases go back, its calls are ABORTED", async () => {
    const { address, start, measuring } = await farm(quick);
    start(builder(address));
    const r = start(runner(address, 1, () => "keep", { instanceId: "the-same" }));
    const c = await measuring(1);
    await until(() => r.jobs.length === 1, "the job");
    const again = await c.tracker.worker.register(r.registration);
    expect(again.workerId).toBe(r.registered?.workerId);
    expect(again.epoch).toBe((r.registered?.epoch ?? 0) + 1);
    const stale = synchronized(c.tracker, { ...asRegistered(again), epoch: again.epoch - 1 });
    expect(await codeOf(stale)).toMatchObject({ code: "ABORTED" });
    await until(() => r.jobs.length === 2, "the job under the new epoch");
    expect(r.jobs[1]?.epoch).toBeGreaterThan(again.epoch - 1);
  });

  it("a device has one live holder; one that is gone is replaced at once", async () => {
    const { address, start } = await farm();
    const holder = start(runner(address, 7));
    await until(() => holder.registered !== undefined, "registration");
    await pause(50);
    const rival = start(runner(address, 7));
    await until(() => rival.errors.length > 0, "a refusal");
    expect(rival.errors[0]).toMatchObject({ code: "ALREADY_EXISTS", message: expect.stringContaining("cpu-7") });
    await holder.kill();
    await until(() => rival.registered !== undefined, "the takeover");
  });

  it("a closed session's running jobs are cancelled at their workers", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const c = client();
    const { sessionId } = await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => r.jobs.length === 1 && r.running.size === 1, "the job");
    await pause(50); // its held call
    await c.tracker.farm.closeSession(sessionId);
    await until(() => r.cancelled.length === 1, "the cancellation");
    expect(r.cancelled).toEqual([r.jobs[0]?.leaseId]);
  });

  it("a worker or a client of another protocol is refused: both versions are named, and who is to be updated", async () => {
    const { address } = await farm();
    const other = runner(address, 2);
    undo.push(() => other.kill());
    const { tracker, registration } = other;
    const worker = (protocolVersion: number) => codeOf(tracker.worker.register({ ...registration, protocolVersion }));
    const client = (protocolVersion: number) =>
      codeOf(tracker.farm.openSession({ ...openRequest, requestId: "r", protocolVersion }));
    const refused = (message: string) => ({ code: "FAILED_PRECONDITION", message });
    const [before, after] = [protocolVersion - 1, protocolVersion + 1];
    expect(await worker(before)).toEqual(
      refused(`the worker speaks protocol ${before}, this tracker ${protocolVersion}: update the worker`),
    );
    expect(await worker(after)).toEqual(
      refused(`the worker speaks protocol ${after}, this tracker ${protocolVersion}: update the tracker`),
    );
    expect(await client(before)).toEqual(
      refused(`the client speaks protocol ${before}, this tracker ${protocolVersion}: update the client`),
    );
    expect(await client(after)).toEqual(
      refused(`the client speaks protocol ${after}, this tracker ${protocolVersion}: update the tracker`),
    );
  });

  it("a runner's limits are told to clients as it registered them; those no device can have are refused", async () => {
    const { address, client, start } = await farm();
    const limits = { threads: 2, max_shared_memory_per_block_optin: 101_376, compute_mode: 0 };
    const claim = (n: number, limits: Record<string, number>) => {
      const devices = [{ device: 0, facts: cpu(n), memoryBytes: 1, limits }];
      return new ScriptedWorker(address, { kind: "runner", devices, manifestVersions: [1] }, () => "keep");
    };
    const good = start(claim(1, limits));
    await until(() => good.registered !== undefined, "the registration");
    for (const bytes of [0, 2 ** 40]) {
      const bad = claim(2, { ...limits, max_shared_memory_per_block_optin: bytes });
      undo.push(() => bad.kill());
      expect(await codeOf(bad.tracker.worker.register(bad.registration))).toEqual({
        code: "INVALID_ARGUMENT",
        message: `runner.devices[0].limits.max_shared_memory_per_block_optin is ${bytes}; allowed: an integer from 1 to 16777216`,
      });
    }
    const { nodes } = await client().tracker.farm.listNodes();
    expect(nodes.flatMap((n) => n.devices.map((d) => [d.facts.uuid, d.limits]))).toEqual([["cpu-1", limits]]);
  });
});
