/** tune and measure against a tracker in memory: their output, exit codes and refusals. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DeviceFacts, FarmError, type MeasureResult } from "@warpfarm/common";
import { mostNoise } from "@warpfarm/records";
import { describe, expect, test } from "vitest";
import { type FakeTrackerOptions, fakeTracker, snapshotOf } from "../measure/fake-tracker.testing.ts";
import { failedResult, timedResult } from "../measure/scripted.testing.ts";
import { oneSentence, runCli, scratch } from "./context.testing.ts";
import { Interrupted } from "./exit.ts";

const small = ["conv2d_nchw_cpu", "--args", "[1,8,8,16,16,3,3,1,1]"];

const farm = (execute: FakeTrackerOptions["execute"], more: Partial<FakeTrackerOptions> = {}) =>
  fakeTracker({ execute, snapshot: snapshotOf("cpu/x86-64-v3"), ...more });
/** Times by the length of the program: repeatable, and different for different configs. */
const byLength = (text: string): MeasureResult => timedResult(text.length / 1e6);
const parsed = ({ stdout }: { readonly stdout: string }) => {
  expect(stdout.match(/\n/g)).toHaveLength(1);
  return JSON.parse(stdout);
};
const logged = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

describe("tune", () => {
  test("one line of JSON, a log line a trial, the best kernel's text beside the log", async () => {
    const cwd = scratch();
    const { address } = await farm(byLength);
    const argv = [
      "tune",
      ...small,
      "--tracker",
      address,
      "--tuner",
      "random",
      "--trials",
      "12",
      "--seed",
      "3",
      "--log",
      "t.jsonl",
      "--json",
    ];
    const said = await runCli(argv, { cwd });
    expect(said.code).toBe(0);
    const report = parsed(said);
    expect(report).toMatchObject({
      trials: 12,
      errors: { NO_ERROR: 12 },
      default: { seconds: expect.any(Number) },
      log: join(cwd, "t.jsonl"),
    });
    const lines = logged(join(cwd, "t.jsonl"));
    expect(lines.map((line) => line.warpfarm.sequence).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    // Of times within the noise that one measurement has, the config's name decides.
    const least = Math.min(...lines.map((line) => line.warpfarm.seconds));
    expect(report.best.seconds).toBeGreaterThanOrEqual(least);
    expect(report.best.seconds).toBeLessThan(least * (1 + mostNoise));
    expect(readFileSync(join(cwd, "t.best.c"), "utf8")).toContain("#pragma omp");
    expect(said.stderr).toMatch(/trial 12\/12 \| current .* GFLOPS \| no errors/);
  });
  test("a summary for people, and by default a log under warpfarm-logs", async () => {
    const tracker = await farm(byLength);
    const { address } = tracker;
    const terms = ["--priority", "-2", "--weight", "7", "--reuse"];
    const said = await runCli(["tune", ...small, "--tracker", address, "--trials", "3", "--finalists", "0", ...terms]);
    expect(tracker.asked).toMatchObject({ priority: -2, weight: 7, reuse: true });
    expect(said.stdout).not.toContain("finalists");
    expect(said.stdout).toMatch(/^best config +index \d+: tile /m);
    expect(said.stdout).toMatch(
      /^speed-up +[\d.]+ times the default schedule, not interleaved; measure --index \d+ --paired default interleaves both$/m,
    );
    expect(said.stdout).toMatch(/^log +warpfarm-logs\/conv2d_nchw_cpu-cpu_x86-64-v3-\d{8}T\d{6}Z\.jsonl$/m);
  });
  test("finalists that the farm gives no times of are left out, and the search's best stands", async () => {
    const { address } = await farm(byLength);
    const argv = ["tune", ...small, "--tracker", address, "--trials", "3"];
    const said = await runCli(argv);
    expect(said.code).toBe(0);
    expect(said.stdout).toMatch(
      /^finalists +not measured again: the runner of \S+ did not give the costs of \d interleaved programs$/m,
    );
    expect(said.stdout).toMatch(/^best config +index \d+: tile /m);
    for (const k of ["1", "9", "x"]) {
      const refused = await runCli([...argv, "--finalists", k]);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining(`--finalists is "${k}"; it takes an integer from 2 to 8`),
      ]);
    }
    const paired = ["measure", ...small, "--tracker", address, "--index", "0"];
    const missing = await runCli([...paired, "--paired", "no/such/file"]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("no such file; it takes a config's number")]);
    const alone = await runCli([...paired, "--rounds", "3"]);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("name the other program with --paired")]);
  });
  test("no valid result is exit 1; errors are counted by kind", async () => {
    const { address } = await farm(() => failedResult(5, "wrong"));
    const said = await runCli(["tune", ...small, "--tracker", address, "--trials", "4", "--json"]);
    expect(said.code).toBe(1);
    expect(parsed(said)).toMatchObject({ trials: 4, errors: { WRONG_ANSWER: 4 }, best: null, default: null });
  });
  test("an interrupt is exit 130, says how to go on, and what was measured is in the log", async () => {
    const cwd = scratch();
    writeFileSync(join(cwd, "my token"), "secret\n");
    const reached = ["--token-file", "my token", "--where", "memory>=0GB"];
    const stop = new AbortController();
    let measured = 0;
    const { address } = await farm((text) => {
      if (++measured > 4) {
        stop.abort(new Interrupted("SIGINT"));
        return new Promise(() => undefined);
      }
      return byLength(text);
    });
    const said = await runCli(
      ["tune", ...small, "--tracker", address, "--trials", "50", "--in-flight", "2", "--log", "t.jsonl", ...reached],
      { cwd, signal: stop.signal },
    );
    expect(said.code).toBe(130);
    expect(said.stderr).toMatch(
      /(\d) trials? (?:is|are) safe in t\.jsonl; continue with:\n {2}npx warpfarm tune --resume t\.jsonl --tracker \S+ --token-file 'my token'\n/,
    );
    const safe = Number(/(\d) trials? (?:is|are) safe/.exec(said.stderr)?.[1]);
    expect(safe).toBeGreaterThan(0);
    expect(logged(join(cwd, "t.jsonl"))).toHaveLength(safe);
  });
  test("a session that somebody cancelled is exit 3, and what was measured is in the log", async () => {
    const cwd = scratch();
    const log = join(cwd, "t.jsonl");
    const { address } = await farm(byLength, {
      fate: () => (existsSync(log) && logged(log).length > 0 ? "cancel" : "send"),
    });
    const said = await runCli(["tune", ...small, "--tracker", address, "--trials", "50", "--log", "t.jsonl"], { cwd });
    expect(said.code).toBe(3);
    expect(said.stderr).toMatch(
      /results are safe in t\.jsonl; continue with:\n {2}npx warpfarm tune --resume t\.jsonl --tracker \S+\nwarpfarm tune: session \S+ was cancelled\n$/,
    );
    expect(logged(log).length).toBeGreaterThan(0);
  });
  test("a farm that is lost is exit 3, with the reason", async () => {
    const { address } = await farm(() => new Promise(() => undefined));
    const lost = new AbortController();
    const startFarm = async () => {
      setTimeout(() => lost.abort(new FarmError("UNAVAILABLE", "the runner keeps dying")), 200);
      return { address, key: "cpu/x86-64-v3", dataDir: "", lost: lost.signal, async [Symbol.asyncDispose]() {} };
    };
    const said = await runCli(["tune", ...small, "--trials", "2"], { startFarm });
    expect(said.code).toBe(3);
    expect(said.stderr).toContain("warpfarm tune: the farm was lost: the runner keeps dying");
  });
  test.each([
    [["conv9d"], /there is no task "conv9d"/],
    [[...small, "--tuner", "tabu"], /--tuner is "tabu"; it takes random, grid, ga/],
    [[...small, "--trials", "0"], /--trials is "0"; it takes an integer from 1/],
    [[...small, "--seed", "x"], /--seed is "x"/],
    [[], /tune takes a task, or --resume LOG, which continues the search of a log/],
    [[...small, "--file", "a.ts"], /--file says where a file of --resume's search is now/],
    [["--resume", "gone.jsonl"], /--resume continues a log, and there is no .*gone\.jsonl/],
    [[...small, "--log", "held.jsonl"], /--log names "held\.jsonl", which holds a log already.* or another name$/],
    [[...small, "--log", "trialless.jsonl"], /--resume trialless\.jsonl .* another name, or delete it: it has no trial$/],
    [[...small, "--log", "."], /which is a directory/],
    [
      [...small, "--log", "/proc/nowhere/t.jsonl"],
      /the log's directory \/proc\/nowhere cannot be made: nothing can be made there/,
    ],
    [[...small, "--log", "held.jsonl/t.jsonl"], /the log's directory .*held\.jsonl cannot be made: a file has that name/],
    [[...small, "--measure", "repeat=0"], /--measure: repeat: /],
    [[...small, "--measure", "l2=cold"], /--measure: l2: it is "cold"; it takes warm, flushed/],
    [["conv2d_nchw_cpu", "--target", "cuda/sm_90"], /is for cpu, not for cuda/],
    [["conv2d_nchw_cpu", "--args", '{"KH":99}'], /the kernel is 99x3/],
  ])("%j is refused before any farm is started", async (argv, message) => {
    const cwd = scratch();
    writeFileSync(join(cwd, "held.jsonl"), "{}\n");
    writeFileSync(join(cwd, "trialless.jsonl"), '# warpfarm {"farm_session":"s"}\n\n');
    const said = await runCli(["tune", ...argv], { cwd });
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(message);
  });
  test("places of an embedded farm that cannot be made are named", async () => {
    for (const [variable, what] of [
      ["WARPFARM_DATA_DIR", "data"],
      ["WARPFARM_CACHE_DIR", "cache"],
      ["WARPFARM_LOG_DIR", "log's"],
    ] as const) {
      const said = await runCli(["tune", ...small], { env: { [variable]: "/proc/nowhere" } });
      const made =
        variable === "WARPFARM_LOG_DIR" ? [] : [expect.stringMatching(/^the log's directory .*warpfarm-logs was made$/)];
      expect([said.code, ...said.stderr.trimEnd().split("\n")]).toEqual([
        2,
        ...made,
        `warpfarm tune: the ${what} directory /proc/nowhere cannot be made: nothing can be made there; ${variable} names another`,
      ]);
    }
  });
});

describe("measure", () => {
  test("everything about one config, in one line of JSON or for people", async () => {
    const { address } = await farm(byLength);
    const said = await runCli(["measure", ...small, "--index", "1", "--tracker", address, "--json"]);
    const report = parsed(said);
    expect(report).toMatchObject({ index: 1, result: { kind: "timed", checked: true, device: { key: "cpu/x86-64-v4" } } });
    expect(report.gflops).toBeGreaterThan(0);
    const people = await runCli(["measure", ...small, "--index", "1", "--tracker", address]);
    expect(people.stdout).toMatch(/^check +every output agrees with the reference$/m);
  });
  const { device } = timedResult(1) as { readonly device: DeviceFacts };
  test.each<[what: string, result: MeasureResult, build: string | undefined]>([
    ["that was built", timedResult(1e-6), "1.0 ms"],
    ["whose code a builder had", { ...timedResult(1e-6), buildMs: 0 }, "cached"],
    ["whose code a builder had, and that failed on a device", { ...failedResult(4), buildMs: 0, device } as never, "cached"],
    ["that did not build", failedResult(3), "1.0 ms"],
    ["that was refused before any build", { ...failedResult(1), buildMs: 0 }, undefined],
  ])("how long the build took of a program %s", async (_what, result, build) => {
    const { address } = await farm(() => result);
    const argv = ["measure", ...small, "--index", "1", "--tracker", address];
    expect(parsed(await runCli([...argv, "--json"])).result.build_ms).toBe(result.buildMs === 0 ? undefined : 1);
    const { stdout } = await runCli(argv);
    expect(/^build +(.*)$/m.exec(stdout)?.[1]).toBe(build);
    expect(stdout).toMatch(/^at the runner +2\.0 ms, attempt 1$/m);
  });
  test.each([
    ["a task of one backend", small, ["--index", "99999999"], "--index is"],
    ["a task of two", ["matmul_derived"], ["--index", "99999999"], "--index is"],
    ["the other config", small, ["--index", "1", "--paired", "99999999"], "--paired is"],
  ])("a config that is not there is refused before a farm is started: %s", async (_what, of, flags, words) => {
    const said = await runCli(["measure", ...of, ...flags]);
    expect([said.code, oneSentence(said)]).toEqual([2, expect.stringContaining(`${words} "99999999"; `)]);
  });
  test("a task of two backends that is refused on one is measured on the other", async () => {
    const cwd = scratch();
    writeFileSync(
      join(cwd, "t.mjs"),
      `import { add, at, compute, defineTemplate, graphOf, placeholder, whole } from "warpfarm";
      export default defineTemplate({ name: "mine", summary: "s", targets: ["cuda", "cpu"], args: { n: whole(4) },
        graph: ({ args: { n }, target }) => {
          if (target.startsWith("cuda")) throw new Error("not for CUDA");
          const x = placeholder("x", [n]);
          return graphOf([x], [compute("y", [["i", n]], (i) => add(at(x, i), at(x, i)))]);
        },
        space: (space, _, { target }) => ({ tile: space.choice("tile", target.endsWith("v3") ? [1, 2] : [1]) }),
        schedule: (schedule, { tile }) => void schedule.split(schedule.axes(schedule.stage("y"))[0], [null, tile]) });`,
    );
    const { address } = await farm(byLength);
    const lost = new AbortController().signal;
    const startFarm = async () => ({ address, key: "cpu/x86-64-v3", dataDir: "", lost, async [Symbol.asyncDispose]() {} });
    const measure = (...argv: string[]) => runCli(["measure", "./t.mjs", ...argv], { cwd, startFarm });
    expect(await measure("--index", "1")).toMatchObject({ code: 0 });
    for (const refused of [
      ["--index", "1", "--target", "cuda"],
      ["--index", "9"],
    ])
      expect(oneSentence(await measure(...refused))).toContain("not for CUDA");
    // Only the farm knows its device, which may have more configs than this machine's.
    const elsewhere = ["measure", "./t.mjs", "--index", "1", "--tracker", address];
    expect(await runCli(elsewhere, { cwd, hostKey: async () => "cpu/x86-64-v4" })).toMatchObject({ code: 0 });
  });
  test("a task that cannot be measured is exit 2, in one sentence that names it; so it is for tune, with no word of going on", async () => {
    const message = "the computation of y (int32[4]) fails in its plain form: SIGFPE";
    const tracker = await farm(() => ({ ...failedResult(8, message), rule: "reference.SIGFPE" }) as MeasureResult);
    const { address } = tracker;
    const said = await runCli(["measure", ...small, "--index", "1", "--tracker", address]);
    expect([said.code, said.stdout]).toEqual([2, ""]);
    expect(oneSentence(said)).toContain(`conv2d_nchw_cpu [1,8,8,16,16,3,3,[1,1],[1,1]] cannot be measured: ${message}; correct`);
    const tuned = await runCli(["tune", ...small, "--trials", "50", "--log", join(scratch(), "t.jsonl"), "--tracker", address]);
    expect(tuned.code).toBe(2);
    expect(tuned.stderr).toContain(`conv2d_nchw_cpu [1,8,8,16,16,3,3,[1,1],[1,1]] cannot be measured: ${message}; correct`);
    expect(tuned.stderr).not.toContain("--resume");
    expect(tracker.closed).toHaveLength(2);
  });
  test("a wrong answer is exit 4 and shows the worst element; another failure is exit 1", async () => {
    const mismatch = { buffer: "conv", index: 7, expected: 1, got: 2, count: 3 };
    const wrong = await farm(() => ({ ...failedResult(5, "differs"), mismatch }) as MeasureResult);
    const said = await runCli(["measure", ...small, "--index", "1", "--tracker", wrong.address]);
    expect(said.code).toBe(4);
    expect(said.stdout).toMatch(/^worst +conv\[7\] is 2, not 1; 3 differ$/m);
    const crash = await farm(() => failedResult(4, "SIGSEGV"));
    expect((await runCli(["measure", ...small, "--index", "1", "--tracker", crash.address])).code).toBe(1);
  });
  test.each([
    [["nothing", "--index", "0"], /there is no task "nothing"/],
    [[...small], /--index is missing; conv2d_nchw_cpu has configs 0 to \d+/],
    [[...small, "--index", "1e3"], /--index is "1e3"/],
    [[...small, "--index", "0", "--tracker", "here"], /--tracker is "here"; it takes host:port/],
    [[...small, "--index", "0", "--measure", "number=-1"], /--measure: number: /],
    [[...small, "--index", "0", "--measure", "run_timeout=1h"], /--measure: run_timeout: it is "1h"/],
  ])("%j is refused", async (argv, message) => {
    const said = await runCli(["measure", ...argv]);
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(message);
  });
  test("a tracker that is away is exit 3; so is a farm without such a device", async () => {
    expect((await runCli(["measure", ...small, "--index", "0", "--tracker", "127.0.0.1:9"])).code).toBe(3);
    const { address } = await farm(byLength);
    const said = await runCli(["measure", ...small, "--index", "0", "--target", "cpu/arm64", "--tracker", address]);
    expect(said.code).toBe(3);
    expect(oneSentence(said)).toMatch(/no device of the farm is cpu\/arm64: registered are cpu\/x86-64-v3/);
  });
});
