/**
 * `tune --resume LOG`: the log says what it continues, and a suite's tasks keep such logs too. On a tracker in memory, whose
 * times follow from the programs.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf, type MeasureResult } from "@warpfarm/common";
import { readLog } from "@warpfarm/records/logs";
import { expect, test } from "vitest";
import { type FakeTracker, type FakeTrackerOptions, fakeTracker, snapshotOf } from "../measure/fake-tracker.testing.ts";
import { timedResult } from "../measure/scripted.testing.ts";
import { oneSentence, runCli, scratch } from "./context.testing.ts";
import { Interrupted } from "./exit.ts";

const cpu = "cpu/x86-64-v3";
const gpu = "cuda/sm_90";
const byContent = (text: string): MeasureResult => timedResult((1 + (Number.parseInt(digestOf(text).slice(-6), 16) % 997)) / 1e6);

const farm = (execute: FakeTrackerOptions["execute"] = byContent) => fakeTracker({ execute, snapshot: snapshotOf(cpu, gpu) });
const lines = (path: string) => readLog(readFileSync(path, "utf8"));
const searchIn = (path: string) =>
  lines(path).notes.flatMap((note): Record<string, unknown>[] => {
    const { search } = note as { readonly search?: Record<string, unknown> };
    return search ? [search] : [];
  });
const trialsIn = (path: string) =>
  lines(path).records.flatMap((each) => (each.kind === "warpfarm" ? [[each.trial.sequence, each.trial.config.index]] : []));
const at = ({ address }: FakeTracker) => ["--tracker", address];
const product = ["matmul_derived", "--args", '{"M":64,"N":64,"K":32}', "--target", cpu];

test("a search that was killed goes on with its log alone, and ends as one that nobody stopped", async () => {
  const cwd = scratch();
  const how = ["--tuner", "ga", "--seed", "7", "--trials", "14", "--in-flight", "1", "--finalists", "0", "--measure", "repeat=2"];
  const stop = new AbortController();
  let measured = 0;
  const stopping = await farm((text) => {
    if (++measured < 6) return byContent(text);
    stop.abort(new Interrupted("SIGTERM"));
    return new Promise(() => undefined);
  });
  const killed = await runCli(["tune", ...product, ...how, ...at(stopping), "--log", "a.jsonl"], { cwd, signal: stop.signal });
  expect(killed.code).toBe(143);
  const before = trialsIn(join(cwd, "a.jsonl"));
  expect(before).toHaveLength(4);
  const other = await farm();
  const resumed = await runCli(["tune", "--resume", "a.jsonl", "--json"], { cwd, env: { WARPFARM_TRACKER: other.address } });
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining("continuing from 4 trials in a.jsonl\n")]);
  const whole = await runCli(["tune", ...product, ...how, ...at(await farm()), "--log", "b.jsonl", "--json"], { cwd });
  const { wall_seconds: _, trials_per_second: __, log: ___, ...same } = JSON.parse(whole.stdout);
  expect(JSON.parse(resumed.stdout)).toMatchObject(same);
  expect(trialsIn(join(cwd, "a.jsonl"))).toEqual(trialsIn(join(cwd, "b.jsonl")));
  expect(trialsIn(join(cwd, "a.jsonl")).slice(0, 4)).toEqual(before);
  expect(searchIn(join(cwd, "a.jsonl"))).toEqual(searchIn(join(cwd, "b.jsonl")));
  // What was measured is measured once: ten trials, and the default's time is in the log.
  expect(other.executions.size).toBe(10);
});

test("what is said beside it must agree: differences are named, only its length may change", async () => {
  const cwd = scratch();
  const tracker = await farm();
  const how = ["--tuner", "random", "--seed", "1", "--trials", "3", "--finalists", "0", "--measure", "check=none"];
  await runCli(["tune", ...product, ...how, ...at(tracker), "--log", "t.jsonl"], { cwd });
  const text = readFileSync(join(cwd, "t.jsonl"), "utf8");
  const refused = async (...beside: readonly string[]) => {
    const said = await runCli(["tune", "--resume", "t.jsonl", ...at(tracker), ...beside], { cwd });
    expect(said.code).toBe(2);
    expect(readFileSync(join(cwd, "t.jsonl"), "utf8")).toBe(text);
    return oneSentence(said).replace("warpfarm tune: t.jsonl continues its own search: ", "");
  };
  const remedy = "; leave that out, or begin another search with another --log";
  expect(await refused("--seed", "2")).toBe(`seed is 1 there, and 2 here${remedy}`);
  expect(await refused("--tuner", "grid", "--in-flight", "3")).toBe(
    `tuner is "random" there, and "grid" here; in_flight is 16 there, and 3 here${remedy}`,
  );
  expect(await refused("--measure", "check=reference")).toBe(`measure.check is "none" there, and "reference" here${remedy}`);
  expect(await refused("--finalists", "3")).toBe(`finalists.count is 0 there, and 3 here${remedy}`);
  expect(await refused("--args", '{"M":64,"N":64,"K":64}')).toMatch(/^args is \[64,64,32,.* there, and \[64,64,64,.* here/);
  expect(await refused("--target", "cpu/x86-64-v2")).toMatch(/^target is "cpu\/x86-64-v3" there, and "cpu\/x86-64-v2" here/);
  expect(await refused("--transfer", "none")).toMatch(/^start is "farm" there, and "none" here/);
  expect(await refused("--where", "memory>=1GB")).toMatch(/^where is not set there, and "memory>=1GB" here/);
  expect(await refused("--limits", "autotvm")).toMatch(/^limits is "device" there, and "autotvm" here/);
  expect(await refused("--log", "other.jsonl")).toMatch(/--log names "other\.jsonl", and --resume continues "t\.jsonl"/);
  const other = await runCli(["tune", "conv2d_nchw_cpu", "--resume", "t.jsonl", ...at(tracker)], { cwd });
  expect(oneSentence(other)).toContain('task is {"template":"matmul_derived"} there, and {"template":"conv2d_nchw_cpu"} here');
  const operator = await runCli(["tune", "matmul", "--resume", "t.jsonl", ...at(tracker)], { cwd });
  expect(oneSentence(operator)).toContain('task is {"template":"matmul_derived"} there, and {"operator":"matmul"} here');
  expect(await refused("--file", "any.ts")).toMatch(/--file .*any\.ts is no file of this search; it has none$/);
  // The same values, and a longer search.
  const same = ["tune", ...product, ...how.slice(0, 4), "--resume", "t.jsonl", "--log", "./t.jsonl", ...at(tracker)];
  const longer = await runCli([...same, "--trials", "5"], { cwd });
  expect([longer.code, longer.stderr]).toEqual([0, expect.stringMatching(/^budget\.trials is 5 from now on; it was 3\n/)]);
  expect((await runCli(["tune", "--resume", "t.jsonl", ...at(tracker)], { cwd })).code).toBe(0);
  expect(trialsIn(join(cwd, "t.jsonl"))).toHaveLength(5);
  expect(searchIn(join(cwd, "t.jsonl")).map(({ budget }) => budget)).toEqual([
    { trials: 3, give_up: "10m" },
    { trials: 5, give_up: "10m" },
  ]);
});

const template = (tile: number) => `
  import { add, at, compute, defineTemplate, exactly, graphOf, placeholder, whole } from "warpfarm";
  export default defineTemplate({
    name: "twice", summary: "doubles a vector", targets: ["cpu"], args: { n: whole(64) },
    graph: ({ args: { n } }) => {
      const a = placeholder("a", [n]);
      return graphOf([a], [compute("c", [["i", n]], (i) => add(at(a, i), at(a, i)))]);
    },
    space: (space) => ({ tile: space.choice("tile", [1, 2, ${tile}]) }),
    schedule: (schedule, { tile }) => {
      const [i] = exactly(1, schedule.axes(schedule.stage("c")));
      schedule.split(i, [null, tile]);
    },
  });
`;

test("a template's file that is gone or has changed is refused by name, and --file says where it is", async () => {
  const cwd = scratch();
  const tracker = await farm();
  mkdirSync(join(cwd, "mine"));
  const file = join(cwd, "mine", "twice.ts");
  writeFileSync(file, template(4));
  const digest = digestOf(template(4));
  const begun = await runCli(
    ["tune", "./mine/twice.ts", ...at(tracker), "--tuner", "grid", "--trials", "2", "--finalists", "0", "--log", "t.jsonl"],
    { cwd },
  );
  expect([begun.code, begun.stderr.includes("a fault")]).toEqual([0, false]);
  expect(searchIn(join(cwd, "t.jsonl"))[0]).toMatchObject({ task: { file: "twice.ts", digest, name: "twice" } });
  const resume = (...more: readonly string[]) =>
    runCli(["tune", "--resume", "t.jsonl", "--trials", "3", ...at(tracker), ...more], { cwd });
  writeFileSync(file, template(8));
  const changed = await resume();
  expect([changed.code, oneSentence(changed)]).toEqual([
    2,
    `warpfarm tune: the search has twice.ts with digest ${digest}, and ${file} has ${digestOf(template(8))}: it has changed; begin another search, or put the file back as it was (--file PATH says where it is now)`,
  ]);
  renameSync(file, join(cwd, "elsewhere.ts"));
  expect(oneSentence(await resume())).toBe(
    `warpfarm tune: the search has twice.ts, and ${file} cannot be read: there is no such file or folder; --file PATH says where it is now`,
  );
  expect(oneSentence(await resume("--file", "elsewhere.ts"))).toMatch(
    /the search has twice\.ts with digest .*elsewhere\.ts has .*: it has changed/,
  );
  writeFileSync(join(cwd, "elsewhere.ts"), template(4));
  expect((await resume("--file", "elsewhere.ts")).code).toBe(0);
  expect(trialsIn(join(cwd, "t.jsonl"))).toHaveLength(3);
});

const text = 'extern "C" __global__ void k(float *c) { c[blockIdx.x * B + threadIdx.x] = 1.0f; }\n';
const spec = (b: number) =>
  `problem: {n: 256}\ntunables: {B: [32, 64, ${b}]}\nargs: [{name: c, dtype: float32, shape: [n], role: out}]\nkernels: [{entry: k, grid: ["n // B"], block: [B]}]\n`;

test("a kernel's text and spec, and the logs that a search starts from, likewise", async () => {
  const cwd = scratch();
  const tracker = await farm();
  writeFileSync(join(cwd, "k.cu"), text);
  writeFileSync(join(cwd, "tuned.yaml"), spec(128));
  const kernel = ["./k.cu", "--spec", "tuned.yaml", "--target", gpu];
  const old = ["--tuner", "random", "--trials", "3", "--finalists", "0", "--log", "old.jsonl"];
  expect((await runCli(["tune", ...kernel, ...at(tracker), ...old], { cwd })).code).toBe(0);
  const how = ["--tuner", "xgb", "--transfer", "old.jsonl", "--trials", "2", "--finalists", "0", "--log", "t.jsonl"];
  expect((await runCli(["tune", ...kernel, ...at(tracker), ...how], { cwd })).code).toBe(0);
  const [search] = searchIn(join(cwd, "t.jsonl"));
  const of = readFileSync(join(cwd, "old.jsonl"), "utf8");
  expect(search).toMatchObject({
    task: { kernel: "k.cu", name: "k", digest: expect.stringMatching(/^sha256:/) },
    start: { logs: [{ file: "old.jsonl", digest: digestOf(of) }] },
  });
  const resume = async (...more: readonly string[]) =>
    runCli(["tune", "--resume", "t.jsonl", "--trials", "3", ...at(tracker), ...more], { cwd });
  const log = readFileSync(join(cwd, "t.jsonl"), "utf8");
  for (const [name, other] of [
    ["k.cu", `${text}// another\n`],
    ["tuned.yaml", spec(16)],
    ["old.jsonl", `${of}${of.split("\n").at(-2)}\n`],
  ] as const) {
    const before = readFileSync(join(cwd, name), "utf8");
    writeFileSync(join(cwd, name), other);
    const said = await resume();
    const named = name === "old.jsonl" ? name : "k.cu";
    expect([said.code, oneSentence(said)]).toEqual([
      2,
      expect.stringMatching(new RegExp(`the search has ${named} with digest .* has changed`)),
    ]);
    writeFileSync(join(cwd, name), before);
    mkdirSync(join(cwd, "moved"), { recursive: true });
    renameSync(join(cwd, name), join(cwd, "moved", name));
    const gone = await resume();
    expect([gone.code, oneSentence(gone)]).toEqual([
      2,
      expect.stringContaining(`the search has ${name}, and ${join(cwd, name)} cannot be read`),
    ]);
    const found = await resume("--file", `moved/${name}`);
    expect([found.code, found.stderr]).toEqual([0, expect.not.stringContaining("changed")]);
    // The log knows where it is now.
    expect((await resume()).code).toBe(0);
    renameSync(join(cwd, "moved", name), join(cwd, name));
    writeFileSync(join(cwd, "t.jsonl"), log);
  }
});

test("a search names no path, address, token or user: its log alone says where its files are, and what is sent does not", async () => {
  const cwd = scratch();
  const tracker = await farm();
  mkdirSync(join(cwd, "secret-folder"));
  writeFileSync(join(cwd, "secret-folder", "k.cu"), text);
  writeFileSync(join(cwd, "secret-folder", "k.yaml"), spec(128));
  writeFileSync(join(cwd, "token.txt"), "secret-token\n");
  const how = ["--target", gpu, "--trials", "2", "--finalists", "0", "--log", "t.jsonl", "--keep", "private"];
  await runCli(["tune", "./secret-folder/k.cu", ...how, ...at(tracker), "--token-file", "token.txt"], { cwd });
  const [search] = searchIn(join(cwd, "t.jsonl"));
  expect(search).toMatchObject({ task: { kernel: "k.cu" }, keep: "private" });
  for (const said of [JSON.stringify(search), JSON.stringify(tracker.asked)])
    for (const secret of [cwd, "secret-folder", "secret-token", "token.txt", tracker.address, "/"])
      if (secret !== "/" || said === JSON.stringify(search))
        expect(said.replaceAll(gpu, "").includes(secret), secret).toBe(false);
  expect(readFileSync(join(cwd, "t.jsonl"), "utf8")).toContain(`"paths":{"file":"${join(cwd, "secret-folder", "k.cu")}"`);
});

test("a log without its search is read by best, and continued by nobody: it says how to start from it", async () => {
  const cwd = scratch();
  const tracker = await farm();
  await runCli(["tune", ...product, ...at(tracker), "--trials", "3", "--finalists", "0", "--log", "t.jsonl"], { cwd });
  const bare = readFileSync(join(cwd, "t.jsonl"), "utf8").replace(/^# warpfarm \{"search".*\n/gm, "");
  writeFileSync(join(cwd, "t.jsonl"), bare);
  const said = await runCli(["tune", "--resume", "t.jsonl", ...at(tracker)], { cwd });
  expect([said.code, oneSentence(said)]).toEqual([
    2,
    `warpfarm tune: ${join(cwd, "t.jsonl")} does not say which search it is of, so it cannot be continued; warpfarm tune matmul_derived --transfer ${join(cwd, "t.jsonl")} begins one that starts from its results`,
  ]);
  expect(readFileSync(join(cwd, "t.jsonl"), "utf8")).toBe(bare);
  expect((await runCli(["best", "t.jsonl", "--json"], { cwd })).code).toBe(0);
  const begun = [
    "tune",
    ...product,
    "--transfer",
    "t.jsonl",
    ...at(tracker),
    "--trials",
    "2",
    "--finalists",
    "0",
    "--log",
    "u.jsonl",
  ];
  expect((await runCli(begun, { cwd })).code).toBe(0);
});

test("an operator's log is one: it continues each template's search, and has one best", async () => {
  const cwd = scratch();
  const tracker = await farm();
  const how = ["--tuner", "random", "--trials", "2", "--finalists", "0", "--log", "m.jsonl", "--target", cpu];
  const begun = await runCli(["tune", "matmul", "--args", '{"M":32,"N":32,"K":32,"dtype":"float32"}', ...how, ...at(tracker)], {
    cwd,
  });
  expect(begun.code).toBe(0);
  expect(readdirSync(cwd).filter((name) => name.endsWith(".jsonl"))).toEqual(["m.jsonl"]);
  const log = join(cwd, "m.jsonl");
  expect(searchIn(log)).toMatchObject([
    { task: { operator: "matmul" }, key: cpu, budget: { trials: 2 } },
    { task: { template: "matmul_derived" }, target: cpu },
  ]);
  expect(trialsIn(log)).toHaveLength(2);
  const resumed = await runCli(["tune", "--resume", "m.jsonl", "--trials", "4", ...at(tracker)], { cwd });
  expect(resumed.code).toBe(0);
  expect(trialsIn(log)).toHaveLength(4);
  const refused = await runCli(["tune", "--resume", "m.jsonl", "--seed", "9", ...at(tracker)], { cwd });
  expect(oneSentence(refused)).toContain("seed is not set there, and 9 here");
});

test.each([
  ["ga", 20, []],
  ["xgb", 6, []],
  ["auto", 20, ["--reuse", "--priority", "3", "--weight", "4"]],
])("tune and a suite propose the same for the same search: %s, %i trials", async (tuner, trials, more) => {
  const cwd = scratch();
  const common = {
    tuner,
    seed: 11,
    in_flight: 1,
    finalists: { count: 2, rounds: 12 },
    measure: { repeat: 2, min_repeat: "5ms" },
  };
  const rest = more.length === 0 ? {} : { reuse: true, priority: 3, weight: 4 };
  const suite = {
    ...{ name: "one", ...common, ...rest, budget: { trials, patience: 18 }, targets: [cpu] },
    tasks: [{ task: "matmul_derived", shapes: [{ M: 64, N: 64, K: 32 }] }],
  };
  writeFileSync(join(cwd, "one.yaml"), JSON.stringify(suite));
  const [byTune, bySuite] = [await farm(), await farm()];
  const how = [
    "--tuner",
    tuner,
    "--seed",
    "11",
    "--in-flight",
    "1",
    "--finalists",
    "2",
    "--rounds",
    "12",
    "--measure",
    "repeat=2",
  ];
  const tuned = ["tune", ...product, ...how, "--measure", "min_repeat=5ms", "--trials", `${trials}`, "--patience", "18", ...more];
  expect((await runCli([...tuned, "--log", "t.jsonl", ...at(byTune)], { cwd })).code).toBe(0);
  const sent = byTune.asked;
  expect(await runCli(["suite", "run", "one.yaml", "--dir", "s", ...at(bySuite)], { cwd })).toMatchObject({ code: 0 });
  const [log = ""] = readdirSync(join(cwd, "s", "logs"));
  const ofSuite = join(cwd, "s", "logs", log);
  expect(searchIn(ofSuite)).toEqual(searchIn(join(cwd, "t.jsonl")));
  expect(trialsIn(ofSuite)).toEqual(trialsIn(join(cwd, "t.jsonl")));
  expect(trialsIn(ofSuite).length).toBeGreaterThanOrEqual(6);
  // The last session is that of the finalists.
  for (const field of ["priority", "weight", "selector", "options", "paired"] as const)
    expect(bySuite.asked?.[field]).toEqual(sent?.[field]);
  // A suite's log is a search's log.
  cpSync(ofSuite, join(cwd, "copy.jsonl"));
  expect((await runCli(["tune", "--resume", "copy.jsonl", ...at(bySuite)], { cwd })).code).toBe(0);
});
