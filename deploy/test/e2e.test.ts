/**
 * The command line as a user has it: real processes, a real farm, a real compiler. Needs `npm run build` (npm test does it) and a C
 * compiler. Problems and options are tiny, so that a trial takes milliseconds.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@warpfarm/common";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../src/alive.testing.ts";
import { quickOptions, tinyTask } from "./faults/campaign.ts";
import { treeOf } from "./process-tree.ts";
import { Place, run, start } from "./warpfarm-process.ts";

const slow = { timeout: 120_000 };
const refuseNative = fileURLToPath(new URL("./refuse-native.mjs", import.meta.url));

function place(extra: Readonly<Record<string, string>> = {}): Place {
  const made = new Place(extra);
  onTestFinished(() => made[Symbol.dispose]());
  return made;
}
const trialsOf = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map(
      (line) =>
        JSON.parse(line) as { readonly config: { readonly index: number }; readonly warpfarm: { readonly sequence: number } },
    );
const sequences = (path: string) =>
  trialsOf(path)
    .map((trial) => trial.warpfarm.sequence)
    .sort((a, b) => a - b);
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

/** Waits for something that other processes bring about. */
async function until(what: string, holds: () => boolean, ms = 60_000): Promise<void> {
  const from = systemClock.monotonic();
  while (!holds()) {
    if (systemClock.monotonic() - from > ms) throw new Error(`waited ${ms} ms for ${what}`);
    await systemClock.sleep(20);
  }
}

test("tune brings its own farm, finds a faster kernel than the default schedule, and leaves nothing running", slow, async () => {
  const at = place();
  const args = [
    "tune",
    ...tinyTask,
    "--tuner",
    "random",
    "--trials",
    "8",
    "--seed",
    "1",
    "--log",
    "t.jsonl",
    "--json",
    ...quickOptions,
  ];
  const done = await run(at, args);
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining("trial 8/8")]);
  expect(done.stdout.match(/\n/g)).toHaveLength(1);
  const report = JSON.parse(done.stdout);
  expect(report).toMatchObject({ trials: 8, errors: { NO_ERROR: 8 }, best: { config: { tile: expect.any(Array) } } });
  expect(report.best.seconds).toBeLessThan(report.default.seconds);
  expect(sequences(at.path("t.jsonl"))).toEqual(upTo(8));
  expect(readFileSync(at.path("t.best.c"), "utf8")).toContain("#pragma omp parallel for");
  const best = await run(at, ["best", "t.jsonl", "--json"], { node: ["--import", refuseNative] });
  expect(JSON.parse(best.stdout)).toMatchObject({ index: report.best.index, seconds: report.best.seconds });
  expect(readdirSync(at.path("data/warpfarm")).filter((name) => name.endsWith(".lock"))).toEqual([]);
});

test("with a tracker, tune needs neither a compiler nor koffi nor PGlite; nodes and doctor see the farm", slow, async () => {
  const at = place();
  const tracker = start(at, ["tracker", "--listen", "127.0.0.1:0", "--http", "none", "--data", "memory"]);
  onTestFinished(() => tracker.kill("SIGKILL"));
  await until("the tracker", () => tracker.stdout().includes("ready"));
  const address = /grpc=(\S+)/.exec(tracker.stdout())?.[1] ?? "";
  const workers = ["builder", "runner"].map((role) => start(at, [role, "--tracker", address]));
  onTestFinished(() => {
    for (const worker of workers) worker.kill("SIGKILL");
  });
  await until("the workers", () => workers.every((worker) => worker.stdout().includes("ready")));

  const bare = place({ PATH: "/nonexistent" });
  const node = ["--import", refuseNative];
  const tuned = await run(bare, ["tune", ...tinyTask, "--tracker", address, "--trials", "4", "--json", ...quickOptions], {
    node,
  });
  expect([tuned.code, JSON.parse(tuned.stdout).errors]).toEqual([0, { NO_ERROR: 4 }]);
  const nodes = await run(bare, ["nodes", "--tracker", address, "--json"], { node });
  expect(
    JSON.parse(nodes.stdout)
      .nodes.map((n: { role: string }) => n.role)
      .sort(),
  ).toEqual(["builder", "runner"]);
  const space = await run(bare, ["space", "conv2d_nchw", "--json"], { node });
  expect(JSON.parse(space.stdout).size).toBe(10_454_400);
  const lowered = await run(bare, ["lower", "conv2d_nchw", "--index", "published", "--emit", "cuda"], { node });
  expect(lowered.stdout).toContain("__global__");
  const doctor = await run(bare, ["doctor", "--tracker", address, "--json"]);
  const found = JSON.parse(doctor.stdout).checks as { name: string; state: string }[];
  expect(found.find((check) => check.name === "tracker")?.state).toBe("ok");
  expect(found.find((check) => check.name === "C compiler")?.state).toBe("missing");

  for (const process of [...workers, tracker]) process.kill("SIGTERM");
  const codes = await Promise.all([...workers, tracker].map(async (process) => (await process.finished).code));
  expect(codes).toEqual([143, 143, 143]);
});

test("the hook of the test before does refuse", async () => {
  const done = await run(place(), ["tracker", "--data", "memory", "--listen", "127.0.0.1:0"], {
    node: ["--import", refuseNative],
  });
  expect(done.code).not.toBe(0);
  expect(done.stderr).toContain("@electric-sql/pglite was imported");
});

test("kill -9 of tune: within 3 s no process of its farm and no lock is left", slow, async () => {
  const at = place();
  const tuning = start(at, ["tune", ...tinyTask, "--trials", "5000", "--log", "t.jsonl", ...quickOptions]);
  await until("some trials", () => existsSync(at.path("t.jsonl")) && trialsOf(at.path("t.jsonl")).length >= 2);
  const tree = treeOf(tuning.pid);
  expect(tree.length).toBeGreaterThanOrEqual(5);
  tuning.kill("SIGKILL");
  await systemClock.sleep(3000);
  expect(tree.filter(isAlive)).toEqual([]);
  expect(readdirSync(at.path("data/warpfarm")).filter((name) => name.endsWith(".lock"))).toEqual([]);
});

test("Ctrl-C in the middle: exit 130, nothing left running, and --resume completes with every sequence once", slow, async () => {
  const at = place();
  const args = [
    "tune",
    ...tinyTask,
    "--tuner",
    "ga",
    "--trials",
    "24",
    "--seed",
    "5",
    "--log",
    "t.jsonl",
    "--resume",
    ...quickOptions,
  ];
  const tuning = start(at, args);
  await until("some trials", () => existsSync(at.path("t.jsonl")) && trialsOf(at.path("t.jsonl")).length >= 3);
  const tree = treeOf(tuning.pid);
  tuning.kill("SIGINT");
  const stopped = await tuning.finished;
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toMatch(/trials are safe in t\.jsonl; this goes on from there:\n {2}npx warpfarm tune .* --resume/);
  expect(tree.filter(isAlive)).toEqual([]);
  const before = trialsOf(at.path("t.jsonl"));
  expect(before.length).toBeLessThan(24);
  const resumed = await run(at, [...args, "--json"]);
  expect([resumed.code, JSON.parse(resumed.stdout).trials]).toEqual([0, 24]);
  expect(sequences(at.path("t.jsonl"))).toEqual(upTo(24));
  expect(trialsOf(at.path("t.jsonl")).slice(0, before.length)).toEqual(before);
});

test("a data directory in use: a tracker refuses it, an embedded farm takes a temporary store and says so", slow, async () => {
  const at = place();
  const tracker = start(at, ["tracker", "--listen", "127.0.0.1:0", "--http", "none", "--data", at.path("data/warpfarm/tracker")]);
  onTestFinished(() => tracker.kill("SIGKILL"));
  await until("the tracker", () => tracker.stdout().includes("ready"));
  const second = await run(at, [
    "tracker",
    "--listen",
    "127.0.0.1:0",
    "--http",
    "none",
    "--data",
    at.path("data/warpfarm/tracker"),
  ]);
  expect(second.code).toBe(3);
  expect(second.stderr).toMatch(/^tracker: the data directory .* is in use by process \d+/);
  const tuned = await run(at, ["tune", ...tinyTask, "--trials", "2", "--json", ...quickOptions]);
  expect(tuned.code).toBe(0);
  expect(tuned.stderr).toMatch(new RegExp(`is in use by process ${tracker.pid}: this run takes a temporary store`));
});

test("without a C compiler: one clear sentence, exit 3", slow, async () => {
  const at = place({ PATH: "/nonexistent" });
  const done = await run(at, ["tune", ...tinyTask, "--trials", "2"]);
  expect(done.code).toBe(3);
  const [last = ""] = done.stderr.trimEnd().split("\n").slice(-1);
  expect(last).toMatch(/^warpfarm tune: .*no working (?:C )?compiler.*install/);
});

test("measure and build on the farm of their own", slow, async () => {
  const at = place();
  const built = await run(at, ["build", ...tinyTask, "--index", "3", "-o", "k.so", "--json"]);
  expect(built.code).toBe(0);
  const manifest = JSON.parse(readFileSync(at.path("k.so.manifest.json"), "utf8"));
  expect(manifest).toMatchObject({
    version: 1,
    format: "so",
    kernels: [{ args: expect.arrayContaining(["data", "kernel", "conv"]) }],
  });
  expect(readFileSync(at.path("k.so")).subarray(1, 4).toString()).toBe("ELF");
  const measured = await run(at, ["measure", ...tinyTask, "--index", "3", "--json", ...quickOptions]);
  expect(measured.code).toBe(0);
  const { result } = JSON.parse(measured.stdout);
  expect(result).toMatchObject({ kind: "timed", checked: true });
  // 0 = the embedded farm's builder found in the cache what `build` had left there.
  expect(result.build_ms).toBe(0);
});

test("a bin without its build says what to run", async () => {
  const at = place();
  writeFileSync(at.path("package.json"), '{"type":"module","version":"0.0.0"}');
  const copy = at.path("warpfarm.js");
  writeFileSync(copy, readFileSync(new URL("../../bin/warpfarm.js", import.meta.url)));
  const done = await run(at, ["--version"], { script: copy });
  expect([done.code, done.stderr]).toEqual([2, "warpfarm: its packages are not installed; run npm ci in the repository\n"]);
  expect(basename(copy)).toBe("warpfarm.js");
});
