/** Sessions with interleaved programs over real loopback gRPC: one sequence, one result, by one runner that supports it. */
import { defined, type MeasureResult, type ProgramBytes, toProgramDigest } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { codeOf, quick, useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, build, builder, cpu, programOf, runner, runOf, timedResult } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { collect } from "../src/store/sql/collect.ts";

const { farm } = useFarms();
const paired = { rounds: 3, idleMs: 5 };

/** Costs n, n + 1, ... of the artifacts as the job names them. */
const measures =
  (n: number, node?: string): Answer =>
  ({ job }) => {
    if (job.kind !== "run") throw new Error("a runner was given a build");
    const result = timedResult(n, cpu(n, node), job.artifact, job.attempt, job.buildMs);
    if (!job.paired || result.kind !== "timed") return { kind: "run", result };
    const each = [job.artifact, ...job.paired.others].map((artifact, i) => ({ artifact, costs: [n + i], number: 1 }));
    return { kind: "run", result: { ...result, paired: each } };
  };

const runnerOf = (address: string, n: number, answer: Answer = measures(n), node?: string) =>
  runner(address, n, answer, { ...defined({ node }) });

const sendInTurns = (c: ScriptedClient, sequence: number, programs: readonly ProgramBytes[], avoidNodes?: readonly string[]) => {
  const [program, ...others] = programs.map((p) => ({ kind: "program", program: p }) as const);
  if (!program) throw new Error("no program");
  c.raw({ kind: "input", sequence, program, others, ...(avoidNodes ? { avoidNodes } : {}) });
};
const abc = ["a", "b", "c"].map((name) => programOf(name));
const costsOf = (result: MeasureResult | undefined) =>
  result?.kind === "timed" ? result.paired?.map(({ costs }) => costs[0]) : result;

describe("a session that pairs", () => {
  it("gives a runner every artifact in order, when all are built, and has one result with a list of costs for each", async () => {
    const { address, start, client } = await farm();
    const b = start(builder(address));
    const r = start(runnerOf(address, 5));
    await until(() => r.registered !== undefined, "the runner");
    const c = client();
    const opened = await c.open({}, { paired });
    expect(opened.nodes).toEqual(["test-node"]);
    c.stream();
    sendInTurns(c, 1, [...abc, abc[0] as ProgramBytes]);
    await c.finish();
    expect(b.jobs).toHaveLength(3);
    expect(r.jobs).toHaveLength(1);
    const job = runOf(r.jobs[0]);
    expect(job.paired?.options).toEqual(paired);
    const [first, second, third] = [job.artifact, ...(job.paired?.others ?? [])];
    expect(job.paired?.others).toEqual([second, third, first]);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(costsOf(c.results.get(1))).toEqual([5, 6, 7, 8]);
  });

  it("waits for the build of each that it names, and takes what is built already at once", async () => {
    const { address, start, client, store } = await farm();
    const held: (() => void)[] = [];
    const b = builder(address, async (assignment, worker) => {
      const { job } = assignment;
      if (job.kind === "build" && job.program.digest === abc[2]?.digest) await new Promise<void>((go) => held.push(go));
      return build(assignment, worker);
    });
    start(b);
    const r = start(runnerOf(address, 1));
    const c = client();
    await c.open({}, { paired });
    c.stream();
    sendInTurns(c, 1, abc);
    await until(() => b.jobs.length === 3 && b.running.size === 1, "all but one build");
    // What a build's end means for requests is stored with it.
    const built = "select 1 from builds where state = 2";
    await until(async () => (await store.query(built)).length === 2, "two builds to be stored");
    const [request] = await store.query<{ state: number }>("select state from requests");
    expect([request?.state, r.jobs.length]).toEqual([0, 0]);
    held[0]?.();
    await until(() => c.results.size === 1, "the result");
    sendInTurns(c, 2, abc.toReversed());
    await until(() => c.results.size === 2, "the second");
    expect(b.jobs).toHaveLength(3);
    await c.finish();
  });

  it("is tried again whole at another runner when its first is cut off, and has one result", async () => {
    const { address, start, client } = await farm(quick);
    start(builder(address));
    const lost = start(runnerOf(address, 1, () => "keep"));
    const c = client();
    await c.open({}, { paired });
    c.stream();
    sendInTurns(c, 1, abc);
    await until(() => lost.jobs.length === 1, "the first try");
    const other = start(runnerOf(address, 2));
    await lost.kill();
    await c.finish();
    expect(costsOf(c.results.get(1))).toEqual([2, 3, 4]);
    expect(c.results.get(1)).toMatchObject({ attempt: 2 });
    expect(c.deliveries).toEqual([1]);
    expect(other.jobs[0]?.job).toMatchObject({ paired: { options: paired, others: [expect.any(String), expect.any(String)] } });
  });

  it("goes to a node that is not avoided when there is one, else to one that is", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const one = start(runnerOf(address, 1, undefined, "one"));
    const two = start(runnerOf(address, 2, undefined, "two"));
    await until(() => one.registered !== undefined && two.registered !== undefined, "both runners");
    const c = client();
    const opened = await c.open({}, { paired });
    expect(opened.nodes).toEqual(["one", "two"]);
    c.stream();
    for (const [i, avoid] of [["one"], ["two"], ["one"], ["one", "two"]].entries()) {
      sendInTurns(c, i + 1, abc, avoid);
      await until(() => c.results.size === i + 1, `result ${i + 1}`);
    }
    expect([1, 2, 3].map((i) => costsOf(c.results.get(i)))).toEqual([
      [2, 3, 4],
      [1, 2, 3],
      [2, 3, 4],
    ]);
    expect(c.results.get(4)).toMatchObject({ kind: "timed" });
    await c.finish();
  });

  it("says which program could not be built", async () => {
    const { address, start, client } = await farm();
    const failed = {
      kind: "failed",
      errorNo: 3,
      message: "cc said no",
      buildMs: 1,
      runMs: 0,
      timestampMs: 1,
      attempt: 1,
    } as const;
    start(
      builder(address, (assignment, worker) => {
        const { job } = assignment;
        if (job.kind === "build" && job.program.digest === abc[1]?.digest)
          return { kind: "build_failed", result: failed, buildMs: 1, cached: false };
        return build(assignment, worker);
      }),
    );
    const r = start(runnerOf(address, 1));
    const c = client();
    await c.open({}, { paired });
    c.stream();
    sendInTurns(c, 1, abc);
    await until(() => c.results.size === 1, "the first");
    // Known by then.
    sendInTurns(c, 2, abc.toReversed());
    sendInTurns(
      c,
      3,
      abc.filter((_, i) => i !== 1),
    );
    await c.finish();
    const said = { kind: "failed", errorNo: 3, failedProgram: 1, message: "program 2 of 3 interleaved: cc said no" };
    expect([c.results.get(1), c.results.get(2)]).toEqual([expect.objectContaining(said), expect.objectContaining(said)]);
    expect(c.results.get(3)).toMatchObject({ kind: "timed" });
    expect(r.jobs).toHaveLength(1);
  });

  it("takes a program's digest, and an artifact's in place of its program's; what is not here is named", async () => {
    const { address, start, client, measuring } = await farm();
    const b = start(builder(address));
    start(runnerOf(address, 1));
    const before = await measuring(1);
    await before.finish();
    const measured = before.results.get(1);
    if (measured?.kind !== "timed") throw new Error("not timed");
    const artifact = toProgramDigest(measured.artifact);
    const c = client();
    await c.open({}, { paired });
    c.stream();
    const [a] = abc as [ProgramBytes];
    const [own, built] = [programOf("p1").digest, artifact].map((digest) => ({ kind: "digest", digest }) as const);
    if (!own || !built) throw new Error("two");
    c.raw({ kind: "input", sequence: 1, program: { kind: "program", program: a }, others: [own, built] });
    await until(() => c.results.size === 1, "the result");
    expect(b.jobs).toHaveLength(2);
    const result = c.results.get(1);
    const artifacts = result?.kind === "timed" ? result.paired?.map((each) => each.artifact) : [];
    expect(artifacts?.slice(1)).toEqual([artifact, artifact]);
    const missing = programOf("nobody has it").digest;
    c.raw({
      kind: "input",
      sequence: 2,
      program: { kind: "program", program: a },
      others: [{ kind: "digest", digest: missing }],
    });
    expect(await c.failure()).toMatchObject({ code: "NOT_FOUND", message: expect.stringContaining(missing) });
  });

  it("refuses what it does not allow, and the same sequence with other programs", async () => {
    const { address, start, client, measuring } = await farm();
    start(builder(address));
    const r = start(runnerOf(address, 1, () => "keep"));
    const [a, b, d] = abc as [ProgramBytes, ProgramBytes, ProgramBytes];
    const ref = (program: ProgramBytes) => ({ kind: "program", program }) as const;
    expect(await codeOf(client().open({}, { paired, reuse: true }))).toMatchObject({ code: "INVALID_ARGUMENT" });
    const plain = await measuring(0);
    plain.raw({ kind: "input", sequence: 1, program: ref(a), others: [ref(b)] });
    expect(await plain.failure()).toMatchObject({ code: "INVALID_ARGUMENT" });
    const alone = client();
    await alone.open({}, { paired });
    alone.stream();
    alone.send(1, a);
    expect(await alone.failure()).toMatchObject({ message: "input.others has 0 entries; allowed: 1 to 8" });
    const c = client();
    await c.open({}, { paired });
    c.stream();
    sendInTurns(c, 1, [a, b]);
    await until(() => r.jobs.length === 1, "the job");
    c.stream(); // a second stream may send it again
    sendInTurns(c, 1, [a, b]);
    sendInTurns(c, 1, [a, d]);
    expect(await c.failure()).toMatchObject({ code: "ALREADY_EXISTS" });
    await r.report();
  });

  it("keeps what it names from the collector until it is measured, and a closed session leaves its builds to who needs them", async () => {
    const { address, start, client, store } = await farm();
    const [a, b] = abc as [ProgramBytes, ProgramBytes];
    const gone = client();
    await gone.open();
    gone.stream();
    gone.send(1, b);
    await until(() => gone.acceptedThrough === 1, "the first to want b");
    const c = client();
    await c.open({}, { paired });
    c.stream();
    sendInTurns(c, 1, [a, b]);
    await until(() => c.acceptedThrough === 1, "acceptance");
    await gone.tracker.farm.closeSession(gone.session as NonNullable<typeof gone.session>);
    start(builder(address));
    const waits = "select 1 from requests where state = 1";
    await until(async () => (await store.query(waits)).length === 1, "both builds");
    await store.query("update programs set used_at = now() - interval '2 days'");
    await store.query("update builds set finished_at = now() - interval '2 days'");
    await collect(store, { artifactsMs: 1, requestsMs: 1 });
    expect(await store.query("select 1 from builds where state = 2")).toHaveLength(2);
    start(runnerOf(address, 4));
    await c.finish();
    expect(costsOf(c.results.get(1))).toEqual([4, 5]);
  });
});
