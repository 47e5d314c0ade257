/** Times that cannot be true, as runners tell them: neither a client, a record, the best nor a reuse takes one for a time. */
import {
  canonicalJson,
  digestOf,
  type FailedResult,
  type Json,
  leastOfOthers,
  leastSeconds,
  manifestVersions,
  type ProgramBytes,
  type RegisteredLimits,
  type TimedResult,
  toArtifactDigest,
  toProgramDigest,
  type Work,
} from "@warpfarm/common";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import {
  type Answer,
  builder,
  builtFor,
  cpu,
  programOf,
  runner,
  runOf,
  ScriptedWorker,
  timedResult,
} from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import { refused } from "../src/services/implausible.ts";

const { farm } = useFarms();
const cuda = "cuda/sm_90";
const h100 = "NVIDIA H100 80GB HBM3";

/** C = A B with 16-bit operands of n x n. `k`: another program of the same graph. */
function product(n: number, k = 0): ProgramBytes {
  const axes = (names: readonly string[]): Json => names.map((name) => ({ name, extent: n }));
  const input = (name: string): Json => ({ name, dtype: "float16", shape: [n, n] });
  const body: Json = ["sum", ["mul", ["load", "A", ["i", "k"]], ["load", "B", ["k", "j"]]]];
  const graph = {
    inputs: [input("A"), input("B")],
    ops: [{ name: "C", dtype: "float32", axes: axes(["i", "j"]), reduce: axes(["k"]), body }],
    outputs: ["C"],
  };
  const step = { op: "split", in: [], args: { k }, out: [] };
  return document({ version: 1, kind: "schedule", target: cuda, graph, intrinsics: [], trace: [step] });
}
function document(json: Json): ProgramBytes {
  const text = canonicalJson(json);
  return { digest: toProgramDigest(digestOf(text)), bytes: Buffer.from(text) };
}
const size = 4096;
const work: Work = { bytes: size * size * (2 + 2 + 4), operations: [{ bits: 16, count: 2 * size ** 3 }] };
/** 69 us: half of what 137 GFLOP take at 990 TFLOPS. */
const least = leastSeconds(work, h100);

/** A farm with a builder of both targets, and runners by the seconds that they tell. `tells`: by the program's place. */
async function farmWith(tells: readonly (readonly number[])[], model = h100, key = cuda, limits: RegisteredLimits = {}) {
  const f = await farm();
  f.start(builder(f.address, key === cuda ? builtFor(cuda) : undefined, 4, undefined, key === cuda ? [cuda] : undefined));
  let told = 0;
  const answer: Answer = ({ job }, { registration: { role } }) => {
    if (job.kind !== "run" || role.kind !== "runner") throw new Error("no run");
    const device = role.devices[0]?.facts;
    if (!device) throw new Error("no device");
    const all = tells[Math.min(told++, tells.length - 1)] as readonly number[];
    const result = timedResult(all[0] as number, device, job.artifact, job.attempt, job.buildMs);
    if (!job.paired || result.kind !== "timed") return { kind: "run", result };
    const paired = [job.artifact, ...job.paired.others].map((artifact, i) => ({
      costs: [all[i] as number],
      number: 1,
      artifact,
    }));
    return { kind: "run", result: { ...result, paired } };
  };
  f.start(runner(f.address, 1, answer, { ...(key === cuda ? { key, model, limits } : {}), node: "liar" }));
  const open = async (...session: Parameters<ReturnType<typeof f.client>["open"]>) => {
    const c = f.client();
    const [options, more] = session;
    await c.open({ ...(key === cuda ? { timer: "cuda_graph", power: "as_asked" } : {}), ...options }, { selector: key, ...more });
    c.stream();
    return c;
  };
  return { ...f, open };
}

it("no runner runs in a picosecond: its client is told both times, the record counts for nothing", async () => {
  const { open, store } = await farmWith([[1e-12], [2e-9]], "", "cpu/x86-64-v3");
  const c = await open();
  c.send(1, programOf("p1"));
  await until(() => c.results.size === 1, "the result");
  const failed = c.results.get(1) as FailedResult;
  expect(failed).toMatchObject({ kind: "failed", errorNo: 8, rule: "time.implausible", attempt: 1, device: { node: "liar" } });
  expect(failed.message).toMatch(/IMPLAUSIBLE.*liar.* 1e-12 s .*1e-9 s/);
  c.send(2, programOf("p2"));
  await until(() => c.results.size === 2, "the second result");
  expect(c.results.get(2)).toMatchObject({ kind: "timed", costs: [2e-9] });
  await until(async () => (await store.query("select 1 from records")).length === 2, "the records");
  const { records } = await c.tracker.records.query({ task: "a task" });
  expect(records.find(({ program }) => program === programOf("p1").digest)?.result).toMatchObject({
    kind: "failed",
    rule: "time.implausible",
    message: failed.message,
  });
  const best = await c.tracker.records.best({ task: "a task", args: [], unchecked: true });
  expect(best.map(({ seconds }) => seconds)).toEqual([2e-9]);
});

it("on a model whose peaks are known a time is compared with what the program must do", async () => {
  const { open } = await farmWith([[least * 0.999], [least], [1e-3]]);
  const c = await open();
  for (const i of [1, 2, 3]) c.send(i, product(size, i));
  await until(() => c.results.size === 3, "the results");
  expect(least).toBeGreaterThan(60e-6);
  expect([1, 2, 3].map((i) => c.results.get(i)?.kind)).toEqual(["failed", "timed", "timed"]);
  expect((c.results.get(1) as FailedResult).message).toContain(`${least} s`);
});

it("one repeat that cannot be true is enough", async () => {
  const f = await farm();
  f.start(builder(f.address));
  const answer: Answer = ({ job }, { registration: { role } }) => {
    if (job.kind !== "run" || role.kind !== "runner" || !role.devices[0]) throw new Error("no run");
    return { kind: "run", result: { ...timedResult(1, role.devices[0].facts, job.artifact), costs: [1, 0, 1] } as never };
  };
  f.start(runner(f.address, 1, answer));
  const c = await f.measuring(1);
  await until(() => c.results.size === 1, "the result");
  expect(c.results.get(1)).toMatchObject({ kind: "failed", rule: "time.implausible" });
});

it("on another model the same time may be true", async () => {
  const { open } = await farmWith([[least / 2]], "NVIDIA X9000");
  const c = await open();
  c.send(1, product(size));
  await until(() => c.results.size === 1, "the result");
  expect(c.results.get(1)).toMatchObject({ kind: "timed" });
});

/** Of a device of no listed model: 132 multiprocessors at 1.98 GHz. */
const rates = {
  ...{ multiprocessor_count: 132, clock_rate: 1_980_000, compute_capability_major: 9, l2_cache_size: 50 * 2 ** 20 },
  ...{ measured_l2_bytes_per_second: 5.6e12, measured_memory_bytes_per_second: 4.2e12 },
};

it("of a model that nobody listed it is true from what the runner measured when it registered", async () => {
  const bound = leastSeconds(work, "NVIDIA X9000", rates);
  expect(bound).toBeGreaterThan(60e-6);
  const { open } = await farmWith([[bound * 0.999], [bound]], "NVIDIA X9000", cuda, rates);
  const c = await open();
  for (const i of [1, 2]) c.send(i, product(size, i));
  await until(() => c.results.size === 2, "the results");
  expect([1, 2].map((i) => c.results.get(i)?.kind)).toEqual(["failed", "timed"]);
});

it("of another device of the same runner it says nothing", async () => {
  const { address, start, client } = await farm();
  const facts = { ...cpu(1), key: cuda, name: "NVIDIA X9000" };
  const seconds = leastSeconds(work, facts.name, rates) * 0.999;
  // The job is of device 0, which is not the first in the list.
  const devices = [
    { device: 1, facts: { ...facts, uuid: "other" }, memoryBytes: 2 ** 30, limits: {} },
    { device: 0, facts, memoryBytes: 2 ** 30, limits: rates },
  ];
  start(builder(address, builtFor(cuda), 4, undefined, [cuda]));
  const answer: Answer = (given) => ({ kind: "run", result: timedResult(seconds, facts, runOf(given).artifact) });
  start(new ScriptedWorker(address, { kind: "runner", devices, manifestVersions }, answer));
  const c = client();
  await c.open({ timer: "cuda_graph", power: "as_asked" }, { selector: cuda });
  c.stream();
  c.send(1, product(size));
  await until(() => c.results.size === 1, "the result");
  expect(c.results.get(1)).toMatchObject({ kind: "failed", rule: "time.implausible" });
});

it("of an audit is that of launches on tensors of their own, of which at least half of the sets have one", () => {
  const copied: Work = { bytes: 64 * 2 ** 20, operations: [] };
  const device = { key: cuda, name: "NVIDIA X9000", uuid: "", driver: "", node: "n" };
  const result = timedResult(1e-5, device, toArtifactDigest(digestOf("code"))) as TimedResult;
  const bound = leastSeconds(copied, device.name, rates, 32);
  expect(bound).toBeGreaterThan(leastSeconds(copied, device.name, rates));
  const audit = { sets: 63, secret: "", scored: [1e-9] };
  const timed = (seconds: number, judged: object) => refused({ ...result, costs: [seconds], ...judged }, [copied], rates)?.rule;
  expect(timed(bound * 0.999, { judged: { sets: 3, commitment: "", audit } })).toBe("time.implausible");
  expect(timed(bound, { judged: { sets: 3, commitment: "", audit } })).toBeUndefined();
  // Sets of inputs come again where nothing was audited, and the cache holds them.
  expect(timed(bound * 0.999, { judged: { sets: 3, commitment: "" } })).toBeUndefined();
  const paired = [{ costs: [bound * 0.999], number: 1, artifact: result.artifact }];
  expect(timed(1e-5, { paired, judged: { sets: 3, commitment: "", audit } })).toBeUndefined();
});

it("of programs in turns the one whose time cannot be true is named", async () => {
  const { open } = await farmWith([[1e-3, 1e-3, least / 2]]);
  const c = await open({}, { paired: { rounds: 1, idleMs: 0 } });
  const [program, ...others] = [0, 1, 2].map((k) => ({ kind: "program", program: product(size, k) }) as const);
  if (program) c.raw({ kind: "input", sequence: 1, program, others });
  await until(() => c.results.size === 1, "the result");
  expect(c.results.get(1)).toMatchObject({ kind: "failed", rule: "time.implausible", failedProgram: 2 });
});

it("code without a graph agrees with its reference's output, and may need fewer operations", async () => {
  const others = leastSeconds(leastOfOthers(work), h100);
  expect(others).toBeLessThan(least / 4);
  const { open } = await farmWith([[others], [others * 0.99]]);
  const c = await open({ check: "reference" });
  const source = (text: string) =>
    document({ version: 1, kind: "ptx", target: cuda, args: [], constants: [], flags: [], kernels: [], text });
  c.send(1, source("a"), product(size));
  await until(() => c.results.size === 1, "the first result");
  c.send(2, source("b"), product(size));
  await until(() => c.results.size === 2, "the second result");
  expect([1, 2].map((i) => c.results.get(i)?.kind)).toEqual(["timed", "failed"]);
});

it("is not reused: who asks for the same has it measured again", async () => {
  const { open } = await farmWith([[least / 2], [1e-3]]);
  for (const kind of ["failed", "timed", "timed"]) {
    const c = await open({}, { reuse: true });
    c.send(1, product(size));
    await until(() => c.results.size === 1, "the result");
    expect(c.results.get(1)?.kind).toBe(kind);
    await c.close();
  }
});

it("is not believed of an import either, whose program is here: it is kept with its time, and is never the best", async () => {
  const { open, store } = await farmWith([[1e-3]]);
  const c = await open({}, { provenance: { task: "product" } });
  c.send(1, product(size));
  await until(() => c.results.size === 1, "the result");
  await until(async () => (await store.query("select 1 from records")).length === 1, "the record");
  const { records } = c.tracker;
  const [mine] = (await records.query({ task: "product" })).records;
  if (mine?.result.kind !== "timed") throw new Error("no time");
  const brought = (seconds: number, more: object = {}) => ({
    ...mine,
    ...more,
    result: { ...mine.result, costs: [seconds, 1] },
    id: `other/${seconds}`,
  });
  const all = [brought(least / 2), brought(least), brought(least / 2, { program: product(8).digest }), brought(1e-12)];
  await records.append(all as never);
  const { records: fastest } = await records.query({ task: "product", order: "fastest" });
  const shortest = fastest.map(({ result }) => (result.kind === "timed" ? result.costs[0] : undefined));
  // Of the third one nothing is known here but its model.
  expect(shortest.sort()).toEqual([1e-3, least / 2, least].sort());
  const { records: kept } = await records.query({ task: "product" });
  expect(kept).toHaveLength(5);
  expect(kept.some(({ result }) => result.kind === "timed" && result.costs[0] === 1e-12)).toBe(true);
  const best = await records.best({ task: "product", args: [], origin: "any", unchecked: true });
  const tied = best.flatMap(({ tied: all }) => all.map(({ record }) => record.result.kind === "timed" && record.result.costs[0]));
  expect(tied).not.toContain(1e-12);
});
