/** Which worker gets which job: its targets, versions and slots. */
import { ManualClock } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { stoppable, useFarms } from "../../test-support/farm/farms.ts";
import {
  build,
  builder,
  builtFor,
  cpu,
  pause,
  programOf,
  runner,
  ScriptedWorker,
  target,
  timedResult,
} from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import { readBacklog } from "../src/views/snapshot.ts";

const { farm } = useFarms();
/** Code for it runs where `target` does, but not the reverse. */
const otherTarget = "cpu/x86-64-v2";

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
    const role = { kind: "builder", slots: 8, targets: [otherTarget], toolchains: [], compilerVersion: "0", programVersions: [1] } as const;
    const others = [0, 1].map(() => start(new ScriptedWorker(address, role, build)));
    await until(() => others.every((other) => other.registered), "the others to register");
    await pause(100); // each asks, and is held
    goOn();
    await until(() => c.results.size === 60, "the results");
    expect(own.jobs).toHaveLength(60);
    expect(others.flatMap(({ jobs }) => jobs)).toEqual([]);
    await c.finish();
  });

  it("programs go to builders that read their version, one that names none reads version 1; runs follow on any device", async () => {
    const { address, start, client, store } = await farm({ clock: new ManualClock() });
    const builds = { kind: "builder", slots: 64, targets: [target], toolchains: [], compilerVersion: "0", programVersions: [1] } as const;
    const old = start(new ScriptedWorker(address, builds, build));
    start(runner(address, 1));
    const c = client();
    await c.open();
    c.stream();
    const versions = [2, 1, 2, 1, 2, 2];
    const programs = versions.map((version, i) => programOf(`p${i}`, target, version));
    const digests = (version: number) => programs.filter((_, i) => versions[i] === version).map(({ digest }) => digest);
    for (const [i, program] of programs.entries()) c.send(i + 1, program);
    await until(() => c.results.size === 2, "the results of version 1");
    expect([...c.results.keys()].sort()).toEqual([2, 4]);
    // The others wait for a builder of the target, which autoscalers are told.
    expect(await readBacklog(store)).toMatchObject([{ kind: "build", key: target, waiting: 4 }]);
    const able = start(new ScriptedWorker(address, { ...builds, programVersions: [2] }, build));
    await until(() => c.results.size === 6, "the results of version 2");
    // With a program that was sent before, a batch takes the careful path.
    const q = programOf("q", target, 2);
    c.send(6, programOf("p5", target, 2));
    c.send(7, q, programOf("p0", target, 2));
    c.send(8, q.digest);
    await until(() => c.results.size === 8, "the results of what was built");
    const built = (worker: ScriptedWorker) =>
      worker.jobs.map(({ job }) => (job.kind === "build" ? job.program.digest : job.kind));
    expect(built(old).sort()).toEqual(digests(1).sort());
    expect(built(able).sort()).toEqual([...digests(2), q.digest].sort());
    await c.finish();
  });

  it("what no live worker reads waits, and whoever asks is told; runs go to runners that read the manifest's version", async () => {
    const { address, start, client, store } = await farm();
    const builds = { kind: "builder", slots: 64, targets: [target], toolchains: [], compilerVersion: "0", programVersions: [1] } as const;
    start(new ScriptedWorker(address, builds, builtFor(target, 2)));
    const old = start(runner(address, 1, undefined, { reads: [1] }));
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("later", target, 2));
    c.send(2, programOf("usual"));
    const unread = async () => (await c.tracker.farm.listNodes()).queues[0]?.unread;
    await until(async () => (await unread())?.length === 2, "both to be told");
    expect(await unread()).toEqual([
      `no live worker reads version 2 of Program for ${target} (1 to build; the builders there read 1): update one of them`,
      "no live worker reads version 2 of manifests (1 to run; the runners there read 1): update one of them",
    ]);
    start(new ScriptedWorker(address, { ...builds, programVersions: [1, 2] }, build));
    await until(() => c.results.size === 1, "the result of what the old runner reads");
    const facts = runner(address, 2).registration.role;
    if (facts.kind !== "runner") throw new Error("a runner");
    const able = start(
      new ScriptedWorker(address, { ...facts, manifestVersions: [1, 2] }, ({ job }) => {
        if (job.kind !== "run") throw new Error("not a run");
        return { kind: "run", result: timedResult(2, cpu(2), job.artifact) };
      }),
    );
    await until(() => c.results.size === 2, "the other result");
    expect([old.jobs.length, able.jobs.length]).toEqual([1, 1]);
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
