/** Administration over real loopback gRPC: drained nodes, quarantine, sessions with their shares, collection, metrics. */
import { describe, expect, it } from "vitest";
import { codeOf, quick, useFarms } from "../../test-support/farm/farms.ts";
import { asRegistered, build, builder, pause, programOf, runner, synchronized, timed } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();

describe("a drained node", () => {
  it("finishes what it has and gets nothing more, until it works again", async () => {
    // A held call ends soon and tells its worker the new state.
    const { address, start, client, measuring, look } = await farm({ ...quick, limits: { ...quick.limits, holdMs: 500 } });
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const c = await measuring(2);
    await until(() => r.jobs.length === 1, "the first job");
    const { admin, farm: tracker } = client().tracker;
    // The builder is of the same node.
    expect(await admin.drainNode("test-node", "drain")).toEqual({ workers: 2, running: 1 });
    await until(() => r.state === "drain", "the word");
    r.measured(0);
    await until(() => c.results.size === 1, "the result of what it had");
    const late = start(runner(address, 2));
    await until(() => late.state === "drain", "a worker that comes later to be told");
    await look();
    expect([r.jobs.length, late.jobs.length]).toEqual([1, 0]);
    expect((await tracker.listNodes()).nodes.map((n) => n.state)).toEqual(["DRAIN", "DRAIN", "DRAIN"]);
    await admin.drainNode("test-node", "undo");
    await until(() => r.jobs.length + late.jobs.length === 2, "the second job");
  });
});

it("a worker whose drain ended while it was told of it hears so at its next call, which asks for nothing", async () => {
  // A call that has nothing to hear is held beyond the deadline of its caller.
  const { address, start, client } = await farm({ policy: { ttlMs: 600_000 }, limits: { holdMs: 300_000 } });
  const r = start(runner(address, 1));
  await until(() => r.registered !== undefined, "registration");
  const { admin } = client().tracker;
  await admin.drainNode("test-node", "drain");
  await until(() => r.state === "drain", "the word");
  // As between two calls: nothing of it is held when the drain ends.
  await r.kill();
  await admin.drainNode("test-node", "undo");
  const late = runner(address, 1);
  const request = { ...asRegistered(r.registered as never), free: [{ device: 0, count: 0 }], reportOnly: false };
  const reply = await synchronized(late.tracker, request);
  expect(reply.state).toBe("active");
  await late.kill();
});

it("a node nobody knows cannot be drained; the message lists those there are", async () => {
  const { address, start, client } = await farm();
  const r = start(runner(address, 1));
  await until(() => r.registered !== undefined, "registration");
  const { admin } = client().tracker;
  for (const drain of ["drain", "undo"] as const)
    expect(await codeOf(admin.drainNode("tset-node", drain))).toEqual({
      code: "NOT_FOUND",
      message: 'no worker of node "tset-node" is known; known are test-node',
    });
});

describe("quarantine", () => {
  it("takes a worker out that fails again and again, says why, and ends when it registers anew", async () => {
    const { address, start, client, measuring, look } = await farm({
      policy: { maxWorkerFaults: 3, maxFaults: 100, suspectMs: 50 },
    });
    start(builder(address));
    let well = false;
    const r = start(
      runner(address, 1, (given) =>
        well ? timed(given) : { kind: "fault", message: "the device fell off the bus", suspect: true },
      ),
    );
    const c = await measuring(1);
    const { farm: tracker } = client().tracker;
    const node = async () => (await tracker.listNodes()).nodes.find((n) => n.role === "runner");
    const out = "quarantined: 3 faults in a row";
    await until(async () => (await node())?.reason?.what === out, "the worker to be taken out");
    expect(await node()).toMatchObject({ state: "SUSPECT", reason: { detail: "the device fell off the bus" } });
    await look();
    // Jobs that were on their way to it when the tracker noticed.
    await until(() => r.running.size === 0 && r.acknowledged.length >= r.jobs.length, "its last fault");
    const had = r.jobs.length;
    expect(had).toBeGreaterThanOrEqual(3);
    well = true;
    await look();
    expect([r.jobs.length, c.results.size]).toEqual([had, 0]);
    r.registered = undefined; // as its next process does
    await r.tracker.worker.register(r.registration);
    await until(() => c.results.size === 1, "the result");
  });

  it("a job well done wipes the faults before it", async () => {
    const policy = { maxWorkerFaults: 2, maxFaults: 100, suspectMs: 3_600_000 };
    const { address, start, measuring, look, store } = await farm({ policy });
    start(builder(address));
    let n = 0;
    const r = start(
      runner(address, 1, (given) => (n++ % 2 === 0 ? { kind: "fault", message: "busy", suspect: true } : timed(given))),
    );
    const c = await measuring(2);
    for (const done of [0, 1]) {
      await until(() => r.acknowledged.length === 2 * done + 1, "a fault");
      await look(); // in which the tracker sees it
      await store.query("update workers set suspect_until = now()"); // the time of its suspicion is over
      await until(() => c.results.size === done + 1, "a result");
    }
  });

  it("takes no worker out that does not doubt itself, however many jobs of whatever session it could not do", async () => {
    const { address, start, client, measuring, look } = await farm({ policy: { maxWorkerFaults: 2, maxFaults: 1 } });
    start(builder(address));
    let sick = true;
    start(
      runner(address, 1, (given) => (sick ? { kind: "fault", message: "this job's own doing", suspect: false } : timed(given))),
    );
    const sessions = [await measuring(4), await measuring(4)];
    await until(() => sessions.every((c) => c.results.size === 4), "all of them to be given up");
    await look();
    const { nodes } = await client().tracker.farm.listNodes();
    expect(nodes.map(({ state, reason }) => [state, reason])).toEqual([
      ["ACTIVE", undefined],
      ["ACTIVE", undefined],
    ]);
    sick = false;
    const after = await measuring(1);
    await until(() => after.results.size === 1, "a result");
    expect(after.results.get(1)).toMatchObject({ kind: "timed" });
  });
});

describe("a cancelled session", () => {
  it("stops what runs, drops what waits, and tells its client why, now and later", async () => {
    const { address, start, client, measuring } = await farm();
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const c = await measuring(3);
    await until(() => r.running.size === 1 && c.acceptedThrough === 3, "a job in hand");
    await pause(50); // its held call
    const { admin } = client().tracker;
    const id = c.session as NonNullable<typeof c.session>;
    expect((await admin.listSessions()).map((s) => [s.sessionId, s.streaming])).toEqual([[id, true]]);
    expect(await admin.cancelSession(id, "over budget")).toEqual({ stopped: 1, dropped: 3 });
    await until(() => r.cancelled.length === 1, "the word to the runner");
    const why = { code: "FAILED_PRECONDITION", message: `session ${id} was cancelled at the tracker: over budget` };
    expect(await c.failure()).toMatchObject(why);
    c.stream();
    expect(await c.failure()).toMatchObject(why);
    expect(await admin.listSessions()).toEqual([]);
    expect(await codeOf(admin.cancelSession(id, ""))).toEqual({ code: "NOT_FOUND", message: `session ${id} is not open` });
  });
});

describe("sessions", () => {
  it("are listed with what they wait for, their weight, and the device time they used", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    start(
      runner(address, 1, async (given) => {
        await pause(40);
        return timed(given);
      }),
    );
    const c = client();
    const { sessionId } = await c.open({}, { priority: 3, weight: 7 });
    c.stream();
    for (let i = 1; i <= 3; i++) c.send(i, programOf("p"));
    await until(() => c.results.size === 3, "the results");
    const used = async () => (await c.tracker.admin.listSessions())[0]?.deviceMs ?? 0;
    await until(async () => (await used()) > 3 * 39, "what was used to be told to the store");
    const [session, ...more] = await c.tracker.admin.listSessions();
    expect(more).toEqual([]);
    expect(session).toMatchObject({
      sessionId,
      task: "a task",
      selector: "cpu/x86-64-v3",
      priority: 3,
      weight: 7,
      accepted: 3,
      building: 0,
      ready: 0,
      running: 0,
    });
    expect(session?.ageMs).toBeGreaterThan(3 * 39);
  });
});

describe("collection", () => {
  it("by the tracker itself: what was received long ago goes, what waits to be received stays", async () => {
    const { address, start, client, measuring, store } = await farm({ limits: { keepRequestsMs: 0, collectEveryMs: 100 } });
    start(builder(address));
    start(runner(address, 1));
    const c = await measuring(3);
    await until(() => c.results.size === 3, "the results");
    c.receipts = false;
    c.send(4, programOf("p1"));
    await until(() => c.results.size === 4, "the fourth");
    const kept = async () =>
      (await store.query<{ sequence: number }>("select sequence from requests order by 1")).map((r) => r.sequence);
    await until(async () => (await kept()).length === 1, "the collection");
    expect(await kept()).toEqual([4]);
    // What it knew of them is gone with them; the session goes on all the same.
    c.receipts = true;
    await c.cut();
    c.stream(3);
    c.send(5, programOf("p2"));
    await c.finish();
    expect(c.deliveries.toSorted()).toEqual([1, 2, 3, 4, 4, 5]);
    const [session] = await client().tracker.admin.listSessions();
    expect(session).toMatchObject({ accepted: 5, building: 0, ready: 0, running: 0, streaming: false });
  });

  it("on demand keeps what was used within the time asked for", async () => {
    const { address, start, client, measuring, received } = await farm();
    start(builder(address));
    start(runner(address, 1));
    const c = await measuring(1);
    await until(() => c.results.size === 1, "the result");
    const nothing = { builds: 0, programs: 0, blobs: 0, bytes: 0, requests: 0 };
    expect(await client().tracker.admin.collectGarbage()).toEqual(nothing);
    await received(c, 1);
    await until(async () => (await client().tracker.records.query({})).records.length === 1, "the result's record");
    // Artifacts stay for two minutes whatever is requested, because a client may be about to name one.
    const all = { keepMs: 0, dryRun: true };
    expect(await client().tracker.admin.collectGarbage(all)).toEqual({ ...nothing, requests: 1 });
    expect(await client().tracker.admin.collectGarbage(all)).toEqual({ ...nothing, requests: 1 }); // it only counted
    expect(await client().tracker.admin.collectGarbage({ keepMs: 0 })).toEqual({ ...nothing, requests: 1 });
    expect(await client().tracker.admin.collectGarbage({ keepMs: 0 })).toEqual(nothing);
  });
});

describe("/metrics", () => {
  it("tell what waits and since when by key, how busy devices are, how long dispatch and builds take, what was spared and what failed", async () => {
    const { tracker, address, start, measuring, client } = await farm({ http: "127.0.0.1:0" });
    const web = `http://127.0.0.1:${tracker.httpPort}`;
    const failure = { kind: "failed", errorNo: 3, message: "no", buildMs: 3, runMs: 0, timestampMs: 1, attempt: 1 } as const;
    const b = start(
      builder(address, async (assignment, worker) => {
        if (b.jobs.length > 1) return { kind: "build_failed", result: failure, buildMs: 3, cached: false };
        return build(assignment, worker);
      }),
    );
    const r = start(runner(address, 1, () => "keep"));
    const idle = start(runner(address, 2, () => "keep", { key: "cpu/x86-64-v4" }));
    const c = await measuring(1);
    await until(() => r.jobs.length === 1 && idle.registered !== undefined, "a job in hand");
    c.send(2, programOf("p1"));
    c.send(3, programOf("p1"));
    c.send(4, programOf("bad"));
    await until(() => c.results.size === 1, "the one that cannot be built");
    const scrape = async () => (await fetch(`${web}/metrics`)).text();
    const key = "cpu/x86-64-v3";
    let text = "";
    await until(async () => {
      text = await scrape();
      return text.includes(`warpfarm_waiting{kind="run",key="${key}"} 2`);
    }, "two runs to wait");
    const value = (name: string) => {
      const line = text.split("\n").find((l) => l.startsWith(`${name} `));
      return line === undefined ? undefined : Number(line.slice(name.length + 1));
    };
    expect(value(`warpfarm_waiting{kind="run",key="${key}"}`)).toBe(2);
    expect(value(`warpfarm_oldest_seconds{kind="run",key="${key}"}`)).toBeGreaterThan(0);
    expect(value(`warpfarm_devices{key="${key}",state="busy"}`)).toBe(1);
    expect(value(`warpfarm_device_busy_share{key="${key}"}`)).toBe(1);
    expect(value('warpfarm_device_busy_share{key="cpu/x86-64-v4"}')).toBe(0);
    expect(value('warpfarm_dispatch_seconds_count{kind="run"}')).toBe(1);
    expect(value('warpfarm_dispatch_seconds_count{kind="build"}')).toBe(2);
    expect([value("warpfarm_build_seconds_count"), value("warpfarm_build_seconds_sum")]).toEqual([1, 0.005]);
    expect(value('warpfarm_builds_total{outcome="built"}')).toBe(1);
    expect(value('warpfarm_builds_total{outcome="COMPILE_DEVICE"}')).toBe(1);
    expect(value('warpfarm_cache_hits_total{where="farm"}')).toBe(2);
    expect(value('warpfarm_nodes{role="runner",state="ACTIVE"}')).toBe(2);
    // A gRPC caller sees the same: one device of the selector, and it is not idle.
    const [queue] = (await client().tracker.farm.listNodes()).queues;
    expect(queue).toMatchObject({ key, waitingBuilds: 0, waitingRuns: 2, running: 1, devices: 1, idleDevices: 0 });
    expect(queue?.oldestRunMs).toBeGreaterThan(0);
    expect(queue?.oldestBuildMs).toBeUndefined();

    r.measured(0);
    await until(() => c.results.size === 2 && r.jobs.length === 2, "the result, and the next");
    const [, next] = r.jobs;
    if (next) r.finish(next, { kind: "fault", message: "no", suspect: false });
    await until(() => r.acknowledged.length === 2, "the fault to be known");
    text = await scrape();
    expect(value(`warpfarm_device_held_seconds_total{key="${key}"}`)).toBeGreaterThan(0.01);
    expect([value('warpfarm_results_total{error="NO_ERROR"}'), value("warpfarm_worker_faults_total")]).toEqual([1, 1]);
    expect((await fetch(`${web}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${web}/readyz`)).text()).toBe("ready\n");
  });
});
