/** Programs that are built before they are measured, over real loopback gRPC: when, for whom, and what stops them. */
import type { ProgramBytes, SessionId } from "@warpfarm/common";
import { decodeManifest } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { codeOf, useFarms } from "../../test-support/farm/farms.ts";
import { build, builder, programOf, runner, type ScriptedWorker } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { inTheWay } from "../src/dispatch/making-way.ts";

const { farm } = useFarms();

const ask = (c: ScriptedClient, ...programs: readonly ProgramBytes[]) =>
  c.tracker.farm.buildAhead({
    sessionId: c.session as SessionId,
    programs: programs.map((program) => ({ kind: "program" as const, program })),
  });
const kinds = async (c: ScriptedClient, ...programs: readonly ProgramBytes[]) =>
  (await ask(c, ...programs))?.map(({ kind }) => kind);
const built = (b: ScriptedWorker) => b.jobs.map(({ job }) => (job.kind === "build" ? job.program.digest : "a run"));
const [p1, p2, p3, p4] = [programOf("p1"), programOf("p2"), programOf("p3"), programOf("p4")];
const manifestsOf = (program: ProgramBytes, states: Awaited<ReturnType<typeof ask>>) =>
  states?.map((state) => {
    const manifest = state.kind === "built" ? decodeManifest(state.manifest) : undefined;
    return manifest?.ok && manifest.value.program === program.digest;
  });

it("an idle builder builds what is requested ahead, once, and the manifest comes back; nothing is measured", async () => {
  const { address, start, client, store } = await farm();
  const r = start(runner(address, 1));
  const c = client();
  await c.open();
  expect(await kinds(c, p1, p1, p2)).toEqual(["waiting", "waiting", "waiting"]);
  const b = start(builder(address));
  await until(async () => (await kinds(c, p1, p2))?.join() === "built,built", "both");
  expect(manifestsOf(p1, await ask(c, p1))).toEqual([true]);
  expect(built(b).sort()).toEqual([p1.digest, p2.digest].sort());
  // What is built is there for a measurement.
  c.stream();
  c.send(1, p1);
  await until(() => c.results.size === 1, "its result");
  expect([b.jobs.length, r.jobs.length]).toEqual([2, 1]);
  expect(await store.query("select 1 from builds_ahead")).toEqual([]);
});

it("a program that does not build says why, and is not tried again", async () => {
  const { address, start, client } = await farm();
  const b = start(
    builder(address, () => ({
      ...{ kind: "build_failed", buildMs: 3, cached: false },
      result: {
        ...{ kind: "failed", errorNo: 3, rule: "nvrtc.compile", message: "ptxas says no", buildMs: 3, runMs: 0 },
        ...{ timestampMs: 1, attempt: 1 },
      },
    })),
  );
  const c = client();
  await c.open();
  await until(async () => (await kinds(c, p1))?.[0] === "failed", "the failure");
  expect(await ask(c, p1)).toMatchObject([{ kind: "failed", result: { errorNo: 3, message: "ptxas says no" } }]);
  expect(b.jobs.length).toBe(1);
});

it("builds that measurements wait for come first; what is requested ahead gets the slots that are left", async () => {
  const { address, start, client } = await farm();
  const c = client();
  await c.open();
  await ask(c, p1, p2, p3);
  c.stream();
  c.send(1, p4);
  await until(() => c.acceptedThrough === 1, "acceptance");
  const b = start(builder(address, () => "keep", 2));
  await until(() => b.jobs.length === 2, "two jobs");
  expect(built(b)).toContain(p4.digest);
  expect(built(b)).toContain(p1.digest);
});

it("a build that a measurement waits for takes the place of one begun ahead, which is begun again later", async () => {
  const { address, start, client } = await farm();
  const c = client();
  await c.open();
  await ask(c, p1, p2);
  const b = start(
    builder(
      address,
      ({ job }, w) =>
        job.kind === "build" && job.program.digest !== p2.digest && job.program.digest !== p1.digest
          ? build({ job } as never, w)
          : "keep",
      2,
    ),
  );
  await until(() => b.jobs.length === 2, "both slots taken");
  start(runner(address, 1));
  c.stream();
  c.send(1, p3);
  await until(() => c.results.size === 1, "the measurement");
  expect(b.cancelled.length).toBe(1);
  // The other one continues, and the preempted one is still requested.
  await until(async () => {
    await ask(c, p1, p2);
    return b.jobs.length === 4;
  }, "the one that made way");
  expect(new Set(built(b))).toEqual(new Set([p1.digest, p2.digest, p3.digest]));
});

it("one that a measurement has come to wait for makes way for nobody", async () => {
  const { address, start, client } = await farm();
  const c = client();
  await c.open();
  await ask(c, p1);
  const b = start(builder(address, () => "keep", 1));
  await until(() => b.jobs.length === 1, "it is begun");
  c.stream();
  c.send(1, p1);
  c.send(2, p2);
  await until(() => c.acceptedThrough === 2, "acceptance");
  start(runner(address, 1));
  const [job] = b.jobs;
  if (!job) throw new Error("no job");
  const outcome = await build(job, b);
  if (outcome !== "keep") b.finish(job, outcome);
  await until(() => c.results.size === 1, "its result");
  expect(b.cancelled).toEqual([]);
});

it("what is requested no more is dropped, and all goes with the session, from builders' hands too", async () => {
  const { address, start, client, store } = await farm();
  const c = client();
  await c.open();
  const b = start(builder(address, () => "keep", 1));
  await ask(c, p1, p2, p3);
  await until(() => b.jobs.length === 1, "the first");
  expect(built(b)).toEqual([p1.digest]);
  await ask(c, p1, p3);
  expect(await store.query("select program from builds_ahead")).toEqual([{ program: p3.digest }]);
  await c.tracker.farm.closeSession(c.session as SessionId);
  await until(() => b.cancelled.length === 1, "the builder to be told");
  expect(await store.query("select program from builds_ahead union all select program from builds")).toEqual([]);
});

it("a builder that is lost with one leaves no build behind that nobody waits for", async () => {
  const { address, start, client, store } = await farm({ policy: { ttlMs: 200 } });
  const c = client();
  await c.open();
  await ask(c, p1);
  const b = start(builder(address, () => "keep", 1));
  await until(() => b.jobs.length === 1, "it is begun");
  await b.kill();
  await until(async () => (await store.query("select 1 from builds")).length === 0, "it is gone");
  start(builder(address));
  await until(async () => (await kinds(c, p1))?.[0] === "built", "another builder");
});

it("a paused session has nothing built ahead, and others do", async () => {
  const { address, start, client, look } = await farm();
  const [c, other] = [client(), client()];
  await c.open();
  await other.open();
  await c.tracker.admin.pauseSession(c.session as SessionId, "pause");
  await ask(c, p1);
  const b = start(builder(address));
  await until(async () => (await kinds(other, p2))?.[0] === "built", "the other's");
  await look();
  await look();
  expect(built(b)).toEqual([p2.digest]);
});

it("refuses what it cannot do, naming it", async () => {
  const { client } = await farm();
  const c = client();
  await c.open();
  const farmOf = c.tracker.farm;
  const sessionId = c.session as SessionId;
  const digest = programOf("never sent").digest;
  expect(await codeOf(farmOf.buildAhead({ sessionId, programs: [{ kind: "digest", digest }] }))).toEqual({
    code: "NOT_FOUND",
    message: `program ${digest} is not here; send its bytes`,
  });
  const elsewhere = { kind: "program" as const, program: programOf("p", "cuda/sm_90") };
  expect(await codeOf(farmOf.buildAhead({ sessionId, programs: [elsewhere] }))).toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("programs[0]"),
  });
  expect(await codeOf(farmOf.buildAhead({ sessionId: "no-session" as SessionId, programs: [] }))).toMatchObject({
    code: "NOT_FOUND",
  });
  const many = Array.from({ length: 65 }, () => ({ kind: "program" as const, program: p1 }));
  expect(await codeOf(farmOf.buildAhead({ sessionId, programs: many }))).toMatchObject({ code: "INVALID_ARGUMENT" });
});

it("as many make way as builds wait, where those can be built and no slot is free", () => {
  const begun = ["a", "a", "b"].map((worker, i) => ({ lease: `l${i}`, worker, program: `p${i}` })) as never;
  const needsOf = (worker: string) => (worker === "a" ? ["x 1"] : ["x 1", "y 1"]);
  const leases = (waiting: { need: string; n: number }[], free: string[] = []) =>
    inTheWay({ begun, waiting }, new Set(free), needsOf as never).map(({ lease }) => lease);
  expect(leases([{ need: "x 1", n: 2 }])).toEqual(["l0", "l1"]);
  expect(leases([{ need: "y 1", n: 5 }])).toEqual(["l2"]);
  expect(leases([{ need: "x 1", n: 9 }], ["x 1"])).toEqual([]);
  expect(leases([{ need: "z 1", n: 1 }])).toEqual([]);
  // One whose slot is about to be free counts.
  expect(inTheWay({ begun, waiting: [{ need: "x 1", n: 2 }] }, new Set(), needsOf as never, [begun[0]])).toHaveLength(1);
});
