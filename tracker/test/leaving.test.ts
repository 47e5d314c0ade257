/** Workers that end in order: what happens to their jobs, over real loopback gRPC. */
import { manifestVersions } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { codeOf, quick, stoppable, useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, cpu, programOf, runner, ScriptedWorker, timed } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();

describe("workers that leave", () => {
  it("a job handed back by a worker that ends is a loss: no fault of the job or the worker, however often", async () => {
    const { address, start, measuring } = await farm(quick);
    start(builder(address));
    const times = 6; // more than the faults that end a job, or take a worker out; fewer than the losses
    let handed = 0;
    const leaving = { kind: "fault", message: "the worker is shutting down", suspect: false, leaving: true } as const;
    const r = start(runner(address, 1, (given) => (handed++ < times ? leaving : timed(given))));
    const c = await measuring(1);
    await until(() => c.results.size === 1, "the result");
    expect(c.results.get(1)).toMatchObject({ kind: "timed" });
    expect(r.jobs).toHaveLength(times + 1);
    await c.finish();
  });

  it("a job handed back because others use the device is as if never given, however often", async () => {
    const { address, store, start, measuring } = await farm();
    start(builder(address));
    const times = 12; // more than the losses that end a job
    let handed = 0;
    const busy = { kind: "fault", message: "device busy", suspect: false, busy: true } as const;
    const { jobs } = start(runner(address, 1, (given) => (handed++ < times ? busy : timed(given))));
    const c = await measuring(1);
    await until(() => c.results.size === 1, "the result");
    expect(jobs.map(({ job }) => job.kind === "run" && job.attempt)).toEqual(Array.from({ length: times + 1 }, () => 1));
    expect(await store.query("select faults from workers where role = 'runner'")).toEqual([{ faults: 0 }]);
    await c.finish();
  });

  it.each([
    "run",
    "build",
  ])("a %s that workers had not begun when they ended is as if never given to them, however often", async (kind) => {
    const { address, store, start, measuring } = await farm();
    const keep: Answer = () => "keep";
    if (kind === "run") start(builder(address));
    const c = await measuring(1);
    // More than the losses that end a job.
    for (let n = 1; n <= 12; n++) {
      const worker = start(kind === "run" ? runner(address, n, keep) : builder(address, keep));
      await until(() => worker.jobs.length === 1, `job ${n}`);
      await worker.leave();
      await worker.kill();
    }
    const sql = `select attempts, losses, faults, avoid from ${kind === "run" ? "requests" : "builds"}`;
    expect(await store.query(sql)).toEqual([{ attempts: 0, losses: 0, faults: 0, avoid: [] }]);
    if (kind === "build") start(builder(address));
    start(runner(address, 100));
    await until(() => c.results.size === 1, "the result");
    expect(c.results.get(1)).toMatchObject({ kind: "timed", attempt: 1 });
    await c.finish();
  });

  it("what a leaving worker had begun is a loss, what it had not is none; both go on at once", async () => {
    // Nothing reads the store here, so the call itself must have told what continues.
    const { options, stop } = stoppable();
    const { address, store, start, client } = await farm(options);
    start(builder(address));
    const c = client();
    await c.open();
    const r = start(runner(address, 1, () => "keep", { slots: 2 }));
    stop();
    c.stream();
    for (const i of [1, 2]) c.send(i, programOf(`p${i}`));
    await until(() => r.jobs.length === 2, "both jobs");
    const other = start(runner(address, 2));
    await until(() => other.registered !== undefined, "another runner");
    await r.leave(r.jobs.slice(0, 1));
    await until(() => c.results.size === 2, "the results");
    const losses = await store.query<{ losses: number }>("select losses from requests order by losses");
    expect(losses.map((row) => row.losses)).toEqual([0, 1]);
    expect([...c.results.values()].map((result) => result.attempt).sort()).toEqual([1, 2]);
    await c.finish();
  });

  it("whoever left gets nothing more: it would have to register anew for each job that it hands back", async () => {
    const { address, start, measuring } = await farm();
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const c = await measuring(1);
    await until(() => r.jobs.length === 1, "the job");
    await r.leave();
    const { nodes } = await c.tracker.farm.listNodes();
    expect(nodes.find((n) => n.role === "runner")).toMatchObject({ state: "LOST", leases: 0 });
    expect(await codeOf(r.leave())).toMatchObject({ code: "ABORTED", message: expect.stringContaining("register again") });
    expect(r.jobs).toHaveLength(1);
  });

  it("who is gone is shown until its successor registers: the same device of the same machine, a builder of the same machine", async () => {
    const { address, start, client } = await farm();
    // Another builder of the machine and another device were always there, so they do not replace the two that leave.
    const stays = [start(builder(address)), start(runner(address, 2))];
    const gone = [start(builder(address)), start(runner(address, 1))];
    await until(() => [...stays, ...gone].every((worker) => worker.registered !== undefined), "the registrations");
    for (const worker of gone) await worker.leave();
    const c = client();
    const states = async () => {
      const { nodes } = await c.tracker.farm.listNodes();
      return nodes.map((n) => `${n.role} ${n.devices.map((d) => d.facts.uuid).join()} ${n.state}`).sort();
    };
    expect(await states()).toEqual(["builder  ACTIVE", "builder  LOST", "runner cpu-1 LOST", "runner cpu-2 ACTIVE"]);
    const back = start(runner(address, 1));
    await until(() => back.registered !== undefined, "the registration");
    await until(async () => !(await states()).includes("runner cpu-1 LOST"), "the end of the runner's row");
    expect(await states()).toEqual(["builder  ACTIVE", "builder  LOST", "runner cpu-1 ACTIVE", "runner cpu-2 ACTIVE"]);
    start(builder(address));
    await until(async () => !(await states()).includes("builder  LOST"), "the end of the builder's row");
    expect(await states()).toEqual(["builder  ACTIVE", "builder  ACTIVE", "runner cpu-1 ACTIVE", "runner cpu-2 ACTIVE"]);
  });

  it("who had two devices is shown until both have a successor", async () => {
    const { address, start, client } = await farm();
    const devices = [1, 2].map((n) => ({ device: n - 1, facts: cpu(n), memoryBytes: 2 ** 30, limits: {} }));
    const both = start(new ScriptedWorker(address, { kind: "runner", devices, manifestVersions }, () => "keep"));
    await until(() => both.registered !== undefined, "the registration");
    await both.leave();
    const c = client();
    const states = async () => (await c.tracker.farm.listNodes()).nodes.map(({ state }) => state).sort();
    for (const [n, left] of [
      [1, ["ACTIVE", "LOST"]],
      [2, ["ACTIVE", "ACTIVE"]],
    ] as const) {
      const next = start(runner(address, n));
      await until(() => next.registered !== undefined, "the registration");
      await until(async () => (await states()).filter((state) => state === "ACTIVE").length === n, "the successor");
      expect(await states()).toEqual(left);
    }
  });

  it("a last call beside one that still names a job: the last one counts", async () => {
    const { address, store, start, measuring } = await farm();
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    await measuring(1);
    await until(() => r.jobs.length === 1, "the job");
    // Two calls of one moment go into one statement.
    await Promise.all([r.report(), r.leave()]);
    expect(await store.query("select attempts, losses from requests")).toEqual([{ attempts: 0, losses: 0 }]);
    expect(await store.query("select * from leases")).toEqual([]);
  });
});
