/** Runners of two principals, of whom one lies within what can be true: who is believed, and what others read meanwhile. */
import { canonicalJson, digestOf, type Json, type ProgramBytes, toProgramDigest } from "@warpfarm/common";
import type { TuningRecord } from "@warpfarm/records";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, build, builder, runner, target, timedResult } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import { TokenDoors } from "../src/doors/token-doors.ts";
import { hashOf, parseTokenFile } from "../src/doors/token-file.ts";

const { farm } = useFarms();
const lines = ["client alice", "client bob", "builder maker", "runner racer", "builder smith", "runner mallory", "admin boss"];

/** A sum of n elements, in a schedule of this name. */
function sum(n: number, name: string): ProgramBytes {
  const graph: Json = {
    inputs: [{ name: "x", dtype: "float32", shape: [n] }],
    ops: [{ name: "y", dtype: "float32", axes: [], reduce: [{ name: "k", extent: n }], body: ["sum", ["load", "x", ["k"]]] }],
    outputs: ["y"],
  };
  const trace = name === "" ? [] : [{ op: name, in: [], args: {}, out: [] }];
  const text = canonicalJson({ version: 1, kind: "schedule", target, graph, intrinsics: [], trace });
  return { digest: toProgramDigest(digestOf(text)), bytes: Buffer.from(text) };
}

/** Compiles, and replays the claims of this file: the config names the schedule. */
const honestBuilder: Answer = (assignment, worker) => {
  if (assignment.job.kind !== "replay") return build(assignment, worker);
  const { args, config } = JSON.parse(Buffer.from(assignment.job.claim).toString());
  const [n] = args as number[];
  return { kind: "replayed", program: sum(n as number, config[0][2]).digest, reference: sum(n as number, "").digest };
};

/** Seconds by the name of the schedule, "" for all others. */
type Times = Readonly<Record<string, number>>;

interface NodeOptions {
  /** Its label, by which a session asks for it. */
  readonly team?: string;
  /** A schedule whose outputs are wrong there. */
  readonly wrong?: string;
  /** Its runs never end. */
  readonly held?: true;
}

async function guarded(builders = ["maker"]) {
  const words = lines.map((line) => `${line} sha256:${hashOf(`token-of-${line.split(" ")[1]}`)}`);
  const f = await farm({ doors: new TokenDoors(parseTokenFile(words.join("\n"))), http: "127.0.0.1:0" });
  const startBuilder = async (name: string, answer: Answer) => {
    const worker = builder(f.address, answer, 4, undefined, `token-of-${name}`);
    Object.assign(worker.registration, { node: `node of ${name}` });
    f.start(worker);
    await until(() => worker.registered !== undefined, `the builder of ${name}`);
    return worker;
  };
  for (const name of builders) await startBuilder(name, honestBuilder);
  let devices = 0;
  /** A runner of this principal on a node; `tells`: by the artifact's program. */
  const node = async (principal: string, name: string, times: Times, more: NodeOptions = {}) => {
    const answer: Answer = async ({ job }, { registration: { role }, tracker }) => {
      if (job.kind !== "run" || role.kind !== "runner" || !role.devices[0]) throw new Error("no run");
      if (more.held) return "keep";
      const manifest = JSON.parse(Buffer.from(await tracker.artifacts.download(job.artifact)).toString()) as { program: string };
      const { facts } = role.devices[0];
      const found = Object.entries(times).find(([schedule]) =>
        [512, 1024, 2048].some((n) => sum(n, schedule).digest === manifest.program),
      );
      const seconds = found?.[1] ?? 1;
      const result = timedResult(seconds, facts, job.artifact, job.attempt, job.buildMs);
      const wrong = { ...result, kind: "failed", errorNo: 5, rule: "wrong", message: "another answer" } as const;
      return { kind: "run", result: found?.[0] === more.wrong ? wrong : result };
    };
    const worker = runner(f.address, ++devices, answer, {
      ...{ token: `token-of-${principal}`, node: name },
      ...(more.team === undefined ? {} : { labels: { team: more.team } }),
    });
    f.start(worker);
    await until(() => worker.registered !== undefined, name);
    return worker;
  };
  const measure = async (name: string, n: number, schedule: string, team?: string) => {
    const c = f.client(`token-of-${name}`);
    const selector = team === undefined ? target : `${target},team=${team}`;
    await c.open({ check: "reference" }, { selector, provenance: { task: "sum", args: [n] } });
    c.stream();
    const config = JSON.stringify([["schedule", "ot", schedule]]);
    const program = { kind: "program", program: sum(n, schedule) } as const;
    const reference = { kind: "program", program: sum(n, "") } as const;
    c.raw({ kind: "input", sequence: 1, program, reference, proposal: { config, trial: 1, told: 0 } });
    await until(() => c.results.size === 1, `the result of ${schedule}`);
    await c.close();
  };
  const readers = new Map(["alice", "bob", "boss"].map((name) => [name, f.client(`token-of-${name}`).tracker.records]));
  const recordsOf = (name: string) => readers.get(name) as NonNullable<ReturnType<typeof readers.get>>;
  const listed = async (name: string, n: number, schedule: string): Promise<readonly TuningRecord[]> => {
    const { records } = await recordsOf(name).query({ task: "sum", args: [n] });
    return records.filter(({ program }) => program === sum(n, schedule).digest);
  };
  /** The newest. */
  const read = async (...of: Parameters<typeof listed>): Promise<TuningRecord | undefined> => (await listed(...of))[0];
  /** Waits until who reads sees the record so; undefined: does not see it. */
  const standing = (name: string, n: number, schedule: string, wanted: string | undefined) =>
    until(async () => {
      const found = await listed(name, n, schedule);
      return wanted === undefined ? found.length === 0 : found.some((record) => record.standing === wanted);
    }, `${schedule} to be ${wanted} for ${name}`);
  const best = async (name: string, n: number) => {
    const [found] = await recordsOf(name).best({ task: "sum", args: [n] });
    return found && { seconds: found.seconds, standing: found.record.standing, measurements: found.measurements };
  };
  const metrics = async () => (await fetch(`http://127.0.0.1:${f.tracker.httpPort}/metrics`)).text();
  return { ...f, startBuilder, recordsOf, node, measure, listed, read, standing, best, metrics };
}

it("a best within a fifth of the one before is seen by one node; one beyond is measured on a second node first, where there is one", async () => {
  const { node, measure, standing, best } = await guarded();
  await node("racer", "gpu1", { a: 1e-3, alone: 0.5e-3, b: 0.42e-3, c: 0.34e-3 }, { team: "one" });
  for (const schedule of ["a", "alone"]) {
    await measure("alice", 512, schedule);
    await standing("bob", 512, schedule, "verified");
  }
  const second = await node("mallory", "gpu2", { c: 0.35e-3 });
  await measure("alice", 512, "b", "one");
  await standing("bob", 512, "b", "verified");
  expect(second.jobs).toHaveLength(0);
  await measure("alice", 512, "c", "one");
  await standing("bob", 512, "c", "confirmed");
  expect(second.jobs).toHaveLength(1);
  await until(async () => (await best("bob", 512))?.measurements === 2, "the second record");
  expect(await best("bob", 512)).toMatchObject({ seconds: expect.closeTo(0.345e-3, 5), standing: "confirmed" });
  // Whoever measures it again near that time has it confirmed too.
  await measure("bob", 512, "c", "one");
  await until(async () => (await best("alice", 512))?.measurements === 3, "bob's record");
  expect(second.jobs).toHaveLength(1);
});

it("a lie is seen by its owner and admins alone, with the nodes that disagree, and an honest best is not replaced", async () => {
  const { node, measure, standing, best, read, listed, metrics, tracker } = await guarded();
  await node("racer", "gpu1", { a: 1e-3, b: 0.95e-3 }, { team: "one" });
  await measure("alice", 512, "a");
  await standing("bob", 512, "a", "verified");
  await node("mallory", "gpu9", { b: 0.1e-3 }, { team: "lies" });
  await measure("alice", 512, "b", "lies");
  await standing("alice", 512, "b", "disputed");
  const why = "node gpu9 measured 0.0001 s, node gpu1 0.00095 s";
  for (const name of ["alice", "boss"]) {
    const disputed = (await listed(name, 512, "b")).filter((record) => record.standing === "disputed");
    expect(disputed.map((record) => record.why)).toEqual([why]);
  }
  const [lie] = (await listed("alice", 512, "b")).filter((record) => record.standing === "disputed");
  const page = (who: string) =>
    fetch(`http://127.0.0.1:${tracker.httpPort}/api/records/${encodeURIComponent(lie?.id ?? "")}`, {
      headers: { authorization: `Bearer token-of-${who}` },
    });
  expect(await (await page("alice")).json()).toMatchObject({ standing: `own, two nodes disagree: ${why}` });
  expect((await page("bob")).status).toBe(404);
  // The second node's own record is honest, and near the best before.
  await standing("bob", 512, "b", "verified");
  expect((await read("bob", 512, "b"))?.why).toBeUndefined();
  expect(await best("bob", 512)).toMatchObject({ seconds: 0.95e-3 });
  expect(await metrics()).toMatch(/warpfarm_second_looks_total\{verdict="disputed"\} 1\n/);
  // The same lie again is not asked about again.
  await measure("alice", 512, "b", "lies");
  const lies = async () => (await listed("alice", 512, "b")).filter((record) => record.standing === "disputed").length;
  await until(async () => (await lies()) === 2, "the second lie");
  expect(await metrics()).toMatch(/warpfarm_second_looks_total\{verdict="disputed"\} 1\n/);
});

it("without a best the nearest shape's, scaled by operations, says what is expected: twice as fast is measured again", async () => {
  const { node, measure, standing } = await guarded();
  await node("racer", "gpu1", { a: 1e-3, e: 1.01e-3, d: 0.99e-3 }, { team: "one" });
  const second = await node("mallory", "gpu2", { d: 0.99e-3 });
  await measure("alice", 512, "a", "one");
  await standing("bob", 512, "a", "verified");
  await measure("alice", 1024, "e", "one"); // 2 ms are expected
  await standing("bob", 1024, "e", "verified");
  expect(second.jobs).toHaveLength(0);
  await measure("alice", 2048, "d", "one"); // 2.02 ms by the nearer of both
  await standing("bob", 2048, "d", "confirmed");
  expect(second.jobs).toHaveLength(1);
});

it("a second node that gets another answer disagrees", async () => {
  const { node, measure, standing, listed } = await guarded();
  await node("racer", "gpu1", { a: 1e-3, b: 1 }, { team: "one", wrong: "b" });
  await measure("alice", 512, "a");
  await standing("bob", 512, "a", "verified");
  await node("mallory", "gpu9", { b: 0.1e-3 }, { team: "lies" });
  await measure("alice", 512, "b", "lies");
  await standing("alice", 512, "b", "disputed");
  const record = (await listed("alice", 512, "b")).find(({ result }) => result.kind === "timed");
  expect(record?.why).toMatch(/^node gpu9 measured 0\.0001 s, node gpu1 failed: another answer/);
  expect((await listed("bob", 512, "b")).filter(({ result }) => result.kind === "timed")).toEqual([]);
});

it("a second node that goes away leaves the word to the first", async () => {
  const { node, measure, standing } = await guarded();
  await node("racer", "gpu1", { a: 1e-3, b: 0.1e-3 }, { team: "one" });
  await measure("alice", 512, "a");
  await standing("bob", 512, "a", "verified");
  const second = await node("mallory", "gpu2", {}, { held: true });
  await measure("alice", 512, "b", "one");
  await until(() => second.jobs.length === 1, "the second look");
  await standing("alice", 512, "b", "doubted");
  await standing("bob", 512, "b", undefined);
  await second.kill();
  await standing("bob", 512, "b", "verified");
});

it("a failed build that one builder tells while there is another's is not shared, however true its claim is", async () => {
  const { startBuilder, measure, standing, store, recordsOf, node } = await guarded([]);
  const asks = async (name: string) => (await recordsOf(name).query({ task: "sum", outcome: "failed" })).records;
  const refuses: Answer = (assignment, worker) => {
    if (assignment.job.kind !== "build") return honestBuilder(assignment, worker);
    const failed = { kind: "failed", errorNo: 3, message: "no", toolchain: "scripted" } as const;
    return {
      kind: "build_failed",
      result: { ...failed, buildMs: 1, runMs: 0, timestampMs: 1, attempt: 1 },
      buildMs: 1,
      cached: false,
    };
  };
  await node("racer", "gpu1", {});
  const smith = await startBuilder("smith", refuses);
  await measure("alice", 512, "x");
  await smith.kill();
  await startBuilder("maker", honestBuilder);
  const verified = async () => (await store.query("select 1 from claims where state = 2")).length;
  await until(async () => {
    await asks("bob"); // who reads wants the claims
    return (await verified()) === 1;
  }, "the claims");
  await standing("alice", 512, "x", "unverified");
  expect(await asks("bob")).toEqual([]);
  expect(await asks("boss")).toHaveLength(1);
});
