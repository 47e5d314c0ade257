/**
 * The command line as a user has it: real processes, a real farm, a real compiler. Needs `npm run build` (npm test does it) and a
 * C compiler. Problems and options are tiny, so that a trial takes milliseconds; a farm takes seconds to start, so several tests
 * share one.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { has, needs } from "../../test-support/needs.ts";
import { isAlive } from "../../test-support/processes.ts";
import { until } from "../../test-support/until.ts";
import { quickOptions, quickTune, tinyTask } from "./faults/campaign.ts";
import { ProcessFarm } from "./process-farm.testing.ts";
import { treeOf } from "./process-tree.ts";
import { type Finished, Place, run, shipped, start } from "./warpfarm-process.ts";

const slow = { timeout: 300_000 };
/** Makes the import of koffi or PGlite an error in a process started with this. */
const refuseNative = ["--import", fileURLToPath(new URL("./refuse-native.mjs", import.meta.url))];

function place(extra: Readonly<Record<string, string>> = {}): Place {
  const made = new Place(extra);
  onTestFinished(() => made[Symbol.dispose]());
  return made;
}
interface Trial {
  readonly config: { readonly index: number };
  readonly warpfarm: { readonly sequence: number; readonly seconds: number };
}
const trialsOf = (path: string): Trial[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}"))
        .map((line) => JSON.parse(line) as Trial)
    : [];
const sequences = (path: string) =>
  trialsOf(path)
    .map((trial) => trial.warpfarm.sequence)
    .sort((a, b) => a - b);
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
const locks = (at: Place) => readdirSync(at.path("data/warpfarm")).filter((name) => name.endsWith(".lock"));
const jsonOf = ({ stdout, stderr }: Finished) => {
  expect(stdout.match(/\n/g), stderr).toHaveLength(1);
  return JSON.parse(stdout);
};

describe("a farm of three processes", () => {
  const farm = new ProcessFarm();
  const { place: at, parts } = farm;
  let tracker = "";
  beforeAll(async () => {
    if (!has("cc")) return;
    await farm.tracker();
    await Promise.all([farm.builder(), farm.runner()]);
    tracker = farm.address;
  }, 300_000);
  afterAll(() => farm[Symbol.asyncDispose]());

  test("tune needs neither a compiler nor koffi nor PGlite here; nor do nodes, space, lower, best", slow, async (ctx) => {
    needs(ctx, "cc");
    const bare = place({ PATH: "/nonexistent" });
    const bareRun = (...args: string[]) => run(bare, args, { node: refuseNative });
    const tuned = await bareRun(
      "tune",
      ...tinyTask,
      "--tracker",
      tracker,
      "--trials",
      "2",
      "--log",
      "t.jsonl",
      "--json",
      ...quickTune,
    );
    expect(jsonOf(tuned)).toMatchObject({ trials: 2, errors: { NO_ERROR: 2 } });
    const [nodes, space, lower, best] = await Promise.all([
      bareRun("nodes", "--tracker", tracker, "--json"),
      bareRun("space", "conv2d_nchw_cpu", "--json"),
      bareRun("lower", "conv2d_nchw", "--index", "published", "--emit", "cuda"),
      bareRun("best", "t.jsonl", "--json"),
    ]);
    expect(
      jsonOf(nodes)
        .nodes.map((node: { role: string }) => node.role)
        .sort(),
    ).toEqual(["builder", "runner"]);
    expect(jsonOf(space).size).toBeGreaterThan(100);
    expect(lower.stdout).toContain("__global__");
    expect(jsonOf(best)).toMatchObject({ index: jsonOf(tuned).best.index });
  });
  test("the hook that refuses koffi and PGlite does refuse", slow, async (ctx) => {
    needs(ctx, "cc");
    const done = await run(place(), ["tracker", "--data", "memory"], { node: refuseNative });
    expect(done.code).not.toBe(0);
    expect(done.stderr).toContain("@electric-sql/pglite was imported");
  });
  test("doctor sees the farm, and what this machine lacks", slow, async (ctx) => {
    needs(ctx, "cc");
    const report = jsonOf(await run(place({ PATH: "/nonexistent" }), ["doctor", "--tracker", tracker, "--json"]));
    const states = Object.fromEntries(report.checks.map((check: { name: string; state: string }) => [check.name, check.state]));
    expect(states).toMatchObject({
      tracker: "ok",
      "C compiler": "missing",
      koffi: "ok",
      PGlite: "ok",
      store: "ok",
      sandbox: expect.stringMatching(/^(?:ok|absent)$/),
    });
  });
  test("build leaves code and manifest; measure on the farm finds the build in the cache they share", slow, async (ctx) => {
    needs(ctx, "cc");
    const built = jsonOf(await run(at, ["build", ...tinyTask, "--index", "3", "-o", "k.so", "--json"]));
    const manifest = JSON.parse(readFileSync(at.path("k.so.manifest.json"), "utf8"));
    expect(manifest).toMatchObject({
      version: 1,
      format: "so",
      kernels: [{ args: expect.arrayContaining(["data", "kernel", "conv"]) }],
    });
    expect(readFileSync(at.path("k.so")).subarray(1, 4).toString()).toBe("ELF");
    const measured = jsonOf(
      await run(at, ["measure", ...tinyTask, "--index", "3", "--tracker", tracker, "--json", ...quickOptions]),
    );
    expect(measured).toMatchObject({ program: built.program, result: { kind: "timed", checked: true } });
    expect(measured.result).not.toHaveProperty("build_ms");
  });
  test("its data directory is refused to a second tracker", slow, async (ctx) => {
    needs(ctx, "cc");
    const args = ["tracker", "--listen", "127.0.0.1:0", "--http", "none", "--data", at.path("data/warpfarm/tracker")];
    const second = await run(at, args);
    expect(second.code).toBe(3);
    expect(second.stderr).toMatch(/^warpfarm tracker: the data directory .* is in use by process \d+/);
  });
  test(
    "an embedded farm beside it takes a temporary store and says so; Ctrl-C: exit 130, nothing left; --resume completes",
    slow,
    async (ctx) => {
      needs(ctx, "cc");
      const args = ["tune", ...tinyTask, "--seed", "5", "--finalists", "0", "--log", "c.jsonl", ...quickOptions];
      const log = at.path("c.jsonl");
      const tuning = start(at, [...args, "--trials", "5000"]);
      await until(() => trialsOf(log).length >= 3, "some trials", 120_000);
      const tree = treeOf(tuning.pid);
      tuning.kill("SIGINT");
      const stopped = await tuning.finished;
      expect(stopped.code).toBe(130);
      expect(stopped.stderr).toMatch(/is in use by process \d+: this run takes a temporary store/);
      expect(stopped.stderr).toMatch(
        /trials? (?:is|are) safe in c\.jsonl; continue with:\n {2}npx warpfarm tune --resume c\.jsonl\n/,
      );
      expect(tree.filter(isAlive)).toEqual([]);
      const before = trialsOf(log);
      const trials = before.length + 3;
      const resumed = jsonOf(
        await run(at, ["tune", "--resume", "c.jsonl", "--trials", `${trials}`, "--tracker", tracker, "--json"]),
      );
      expect(resumed).toMatchObject({ trials, errors: { NO_ERROR: trials }, best: { config: { tile: expect.any(Array) } } });
      const timed = trialsOf(log).flatMap(({ warpfarm }) => warpfarm.seconds ?? []);
      // Of configs that are tied within the noise, 5 % at most, the first by its values is the best.
      expect(resumed.best.seconds).toBeGreaterThanOrEqual(Math.min(...timed));
      expect(resumed.best.seconds).toBeLessThanOrEqual(1.05 * Math.min(...timed));
      expect(resumed.default.seconds).toBeGreaterThan(0);
      // Requested trials without a result come first. All the fastest to build had been measured, whichever they were.
      const done = before.map((trial) => trial.warpfarm.sequence);
      const left = upTo(trials).filter((sequence) => !done.includes(sequence));
      expect(sequences(log)).toEqual([...done, ...left.slice(0, 3)].sort((a, b) => a - b));
      expect(trialsOf(log).slice(0, before.length)).toEqual(before);
      expect(readFileSync(at.path("c.best.c"), "utf8")).toContain("#pragma omp parallel for");
    },
  );
  test("SIGTERM ends each part in order, with 143, and frees the store", slow, async (ctx) => {
    needs(ctx, "cc");
    for (const part of parts) part.kill("SIGTERM");
    const codes = await Promise.all(parts.map(async (part) => (await part.finished).code));
    expect(codes).toEqual([143, 143, 143]);
    expect(locks(at)).toEqual([]);
  });
});

test("without a C compiler: one clear sentence, exit 3", slow, async () => {
  const done = await run(place({ PATH: "/nonexistent" }), ["tune", ...tinyTask, "--trials", "2"]);
  expect(done.code).toBe(3);
  const [last = ""] = done.stderr.trimEnd().split("\n").slice(-1);
  expect(last).toBe(
    "warpfarm tune: a farm on this machine needs a C compiler, and none of cc, gcc, clang is on the path; install one (Debian: apt-get install gcc libc6-dev), or give --tracker host:port of a farm elsewhere",
  );
});

test("a bin without its packages says what to run", async () => {
  const at = place();
  writeFileSync(at.path("package.json"), '{"type":"module","version":"0.0.0"}');
  const script = at.path("warpfarm.js");
  writeFileSync(script, readFileSync(shipped));
  const done = await run(at, ["--version"], { script });
  expect([done.code, done.stderr]).toEqual([2, "warpfarm: its packages are not installed; run npm ci in the repository\n"]);
});
