/** Which worker gets which job: its targets, versions and slots. */
import { ManualClock, type ProgramDigest } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { stoppable, useFarms } from "../../test-support/farm/farms.ts";
import { build, builder, pause, programOf, runner, ScriptedWorker, target } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import { readBacklog } from "../src/views/snapshot.ts";

const { farm } = useFarms();
/** Code for it runs where `target` does, but not the reverse. */
const otherTarget = "cpu/x86-64-v2";
const builds = (programVersions: readonly number[]) =>
  ({ kind: "builder", slots: 64, targets: [target], toolchains: [], compilerVersion: "0", programVersions }) as const;

describe("what workers are given", () => {
  it("more builds than slots: each follows the one before, not the next look at the store", async () => {
    const { options, stop } = stoppable();
    const { address, start, client } = await farm(options);
    const b = start(builder(address, build, 1));
    const r = start(runner(address, 1));
    const c = client();
    await c.open();
    stop();
    c.stream();
    for (let i = 1; i <= 20; i++) c.send(i, programOf(`p${i}`));
    await until(() => c.results.size === 20, "the results");
    expect(b.jobs).toHaveLength(20);
    expect([...b.errors, ...r.errors]).toEqual([]);
    await c.finish();
  });

  it("a session that has one run at a time stays with one of the idle runners, and another with another", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const runners = [1, 2, 3, 4].map((n) => start(runner(address, n)));
    const clients = [client(), client()];
    for (const c of clients) {
      await c.open();
      c.stream();
    }
    const idle = async () => (await clients[0]?.tracker.farm.listNodes())?.queues[0]?.idleDevices === runners.length;
    for (let i = 1; i <= 4; i++)
      for (const c of clients) {
        await until(idle, "all runners to be idle");
        c.send(i, programOf(`p${i}`));
        await until(() => c.results.size === i, "the result");
      }
    // Each session's first run went to the runner that had waited longest.
    expect(runners.map(({ jobs }) => jobs.length).sort()).toEqual([0, 0, 4, 4]);
    for (const c of clients) await c.finish();
  });

  it("builds wait for their target's builder: one for another target asks in vain, and the next still follows at once", async () => {
    // This tracker reads its store when it starts, and then no more.
    const { address, start, measuring } = await farm({ clock: new ManualClock() });
    let goOn = () => {};
    const may = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const own = start(builder(address, async (...job) => may.then(() => build(...job)), 8));
    start(runner(address, 1));
    const c = await measuring(60);
    await until(() => own.running.size === 8 && c.acceptedThrough === 60, "all slots taken");
    const role = {
      kind: "builder",
      slots: 8,
      targets: [otherTarget],
      toolchains: [],
      compilerVersion: "0",
      programVersions: [1],
    } as const;
    const others = [0, 1].map(() => start(new ScriptedWorker(address, role, build)));
    await until(() => others.every((other) => other.registered), "the others to register");
    await pause(100); // each asks, and is held
    goOn();
    await until(() => c.results.size === 60, "the results");
    expect(own.jobs).toHaveLength(60);
    expect(others.flatMap(({ jobs }) => jobs)).toEqual([]);
    await c.finish();
  });

  it("programs go to builders that read their version, of which there may be more one day; runs follow on any device", async () => {
    const { address, start, client, store } = await farm({ clock: new ManualClock() });
    start(runner(address, 1));
    const c = client();
    await c.open();
    c.stream();
    const programs = Array.from({ length: 6 }, (_, i) => programOf(`p${i}`));
    const digests = programs.map(({ digest }) => digest);
    for (const [i, program] of programs.entries()) c.send(i + 1, program);
    await until(() => c.acceptedThrough === 6, "the builds to wait");
    // No release writes version 2 yet.
    const later = digests.filter((_, i) => i !== 1 && i !== 3);
    for (const [table, key] of [
      ["programs", "digest"],
      ["builds", "program"],
    ])
      await store.query(`update ${table} set version = 2 where ${key} = any($1::text[])`, [later]);
    const first = start(new ScriptedWorker(address, builds([1]), build));
    await until(() => c.results.size === 2, "the results of version 1");
    expect([...c.results.keys()].sort()).toEqual([2, 4]);
    // The others wait for a builder of the target, which autoscalers are told.
    expect(await readBacklog(store)).toMatchObject([{ kind: "build", key: target, waiting: 4 }]);
    const second = start(new ScriptedWorker(address, builds([2]), build));
    await until(() => c.results.size === 6, "the results of version 2");
    // A program that is named by its digest keeps the version with which it was sent.
    const again = later[0] as ProgramDigest;
    await store.query("delete from builds where program = $1", [again]);
    c.send(7, again);
    await until(() => c.results.size === 7, "the result of what was built again");
    const built = (worker: ScriptedWorker) =>
      worker.jobs.map(({ job }) => (job.kind === "build" ? job.program.digest : job.kind));
    expect(built(first).sort()).toEqual([digests[1], digests[3]].sort());
    expect(built(second).sort()).toEqual([...later, again].sort());
    await c.finish();
  });

  it("what no live worker reads waits, and whoever asks is told; runs go to runners that read the manifest's version", async () => {
    const { address, start, client, store } = await farm();
    start(new ScriptedWorker(address, builds([2]), build));
    const other = start(runner(address, 1, undefined, { reads: [2] }));
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("any"));
    const unread = async () => (await c.tracker.farm.listNodes()).queues[0]?.unread;
    await until(async () => (await unread()) !== undefined, "the build to be told");
    expect(await unread()).toEqual([
      `no live worker reads version 1 of Program for ${target} (1 to build; the builders there read 2): update one of them`,
    ]);
    start(new ScriptedWorker(address, builds([1, 2]), build));
    await until(async () => /manifests/.test((await unread())?.[0] ?? ""), "the run to be told");
    expect(await unread()).toEqual([
      "no live worker reads version 1 of manifests (1 to run; the runners there read 2): update one of them",
    ]);
    const able = start(runner(address, 2, undefined, { reads: [1, 2] }));
    await until(() => c.results.size === 1, "the result");
    expect([other.jobs.length, able.jobs.length]).toEqual([0, 1]);
    expect(await unread()).toBeUndefined();
    expect(await store.query("select distinct target from requests")).toEqual([{ target }]);
    await c.finish();
  });

  it("runs that an idle device cannot run go to the one that can, though their session selects both", async () => {
    const { address, start, client } = await farm({ clock: new ManualClock() });
    start(builder(address));
    const old = start(runner(address, 1, undefined, { key: otherTarget }));
    await until(() => old.registered !== undefined, "the older device");
    const able = start(runner(address, 2));
    const c = client();
    await c.open({}, { selector: "cpu/*" });
    c.stream();
    for (let i = 1; i <= 20; i++) c.send(i, programOf(`p${i}`));
    await until(() => c.results.size === 20, "the results");
    expect([old.jobs.length, able.jobs.length]).toEqual([0, 20]);
    await c.finish();
  });
});
