/** tune of an operator: which template is best, where the logs are, and what is refused before a farm is started. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLog, type TrialRecord } from "@warpfarm/records/logs";
import { expect, it } from "vitest";
import { type FakeTrackerOptions, fakeTracker, snapshotOf } from "../../measure/fake-tracker.testing.ts";
import { timedResult } from "../../measure/scripted.testing.ts";
import { oneSentence, runCli, scratch } from "../context.testing.ts";
import { Interrupted } from "../exit.ts";

it.each<[flags: readonly string[], says: string]>([
  [["--args", '{"L":3}'], 'matmul has no argument "L"; it takes M, N, K, dtype, layout'],
  [
    ["--args", '{"dtype":"int4"}'],
    'matmul: argument dtype is "int4"; it takes one of float32, float16, bfloat16, float64, float8_e4m3fn, float8_e5m2, int8, uint8, int32',
  ],
  [["--transfer", "a.jsonl"], "--transfer takes logs of one template; matmul is an operator"],
  [["--spec", "k.yaml"], "--spec is for kernels; matmul is an operator"],
])("tune matmul %j is refused before a farm is started", async (flags, says) => {
  const said = await runCli(["tune", "matmul", ...flags]);
  expect(said.code).toBe(2);
  expect(oneSentence(said)).toContain(says);
});

it("other commands name the operator's templates", async () => {
  const said = await runCli(["space", "matmul"]);
  expect(oneSentence(said)).toMatch(/matmul is an operator, which tune takes; here name one of its templates: .*matmul_mma, /);
  const { stdout } = await runCli(["tasks", "matmul"]);
  expect(stdout).toMatch(/^matmul, an operator for tune\n(.*\n)* {2}by +matmul_latency, matmul_mma/);
  expect(stdout).toMatch(/^matmul_derived$/m);
  expect(stdout).not.toMatch(/^conv2d/m);
  expect((await runCli(["tasks", "depthwise"])).stdout).toMatch(/ padding=\[1,1\], dtype="float32", dilation unset$/m);
});

const args = { M: 32, N: 64, K: 512 };
// Only matmul_latency divides the sum over warps.
const isLatency = (text: string) => text.includes("rfactor");
const byTemplate = (text: string) => timedResult((isLatency(text) ? 1e-6 : 3e-6) * (1 + text.length / 1e6));
const idOf = ({ template }: { readonly template: string }) => template;

const farmWith = (execute: FakeTrackerOptions["execute"]) => fakeTracker({ execute, snapshot: snapshotOf("cuda/sm_80") });
/** Trials of each template in a log, the first template first. */
function trialsIn(log: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { trial } of readLog(readFileSync(log, "utf8")).records as readonly { readonly trial: TrialRecord }[])
    counts[trial.run.task] = (counts[trial.run.task] ?? 0) + 1;
  return counts;
}

it("templates share one number of trials, one log and one best: one that is far behind has its starts", async () => {
  const tracker = await farmWith(byTemplate);
  const home = scratch();
  const log = join(home, "run.jsonl");
  const tune = (...flags: readonly string[]) => runCli(["tune", ...flags, "--tracker", tracker.address, "--json"], { home });
  const asked = [
    "matmul",
    "--args",
    JSON.stringify(args),
    "--tuner",
    "random",
    "--trials",
    "30",
    "--finalists",
    "2",
    "--log",
    "run.jsonl",
  ];
  const first = await tune(...asked);
  expect([first.code, trialsIn(log)], first.stderr).toEqual([0, { matmul_latency: 22, matmul_mma: 8 }]);
  const { best, templates, refused, trials, finalists } = JSON.parse(first.stdout);
  expect([best.template, trials, finalists !== null]).toEqual(["matmul_latency", 30, true]);
  expect(templates.map(idOf)).toEqual(["matmul_latency", "matmul_mma"]);
  expect(refused.map(idOf)).toContain("matmul_simt");
  // One log, and beside it one kernel: the winner's.
  expect(readdirSync(home).filter((name) => name.startsWith("run."))).toEqual(["run.best.cu", "run.jsonl"]);
  const { stdout } = await runCli(["best", "run.jsonl", "--json"], { home });
  expect(JSON.parse(stdout)).toMatchObject({ task: "matmul_latency", config: best.config });
  expect(JSON.parse((await runCli(["best", "run.jsonl", "--task", "matmul_mma", "--json"], { home })).stdout).task).toBe(
    "matmul_mma",
  );

  const longer = await tune("--resume", "run.jsonl", "--trials", "44");
  expect([longer.code, trialsIn(log)], longer.stderr).toEqual([0, { matmul_latency: 36, matmul_mma: 8 }]);
  const again = await tune(...asked);
  expect([again.code, again.stderr.split("\n").at(-2)]).toEqual([
    2,
    'warpfarm tune: --log names "run.jsonl", which holds a log already; give --resume run.jsonl to continue it, or another name',
  ]);
});

it("trials that the owner of the sessions adds to each template are all searched, in no more sessions than turns", async () => {
  const seen: string[] = [];
  const tracker = await fakeTracker({
    execute: byTemplate,
    snapshot: snapshotOf("cuda/sm_80"),
    control(session) {
      const moreTrials = [5, 3][seen.push(session) - 1];
      return moreTrials === undefined ? undefined : { paused: false, moreTrials };
    },
  });
  const home = scratch();
  const how = ["--trials", "30", "--finalists", "0", "--log", "run.jsonl", "--tracker", tracker.address];
  const said = await runCli(["tune", "matmul", "--args", JSON.stringify(args), ...how], { home });
  expect([said.code, trialsIn(join(home, "run.jsonl"))], said.stderr).toEqual([0, { matmul_latency: 30, matmul_mma: 8 }]);
  expect(seen).toHaveLength(3);
  // What a template begins with is said in its first turn, in one line.
  const begins = [...said.stderr.matchAll(/^(\w+): begins with .* \(--transfer none skips them\)$/gm)].map(([, name]) => name);
  expect([begins, said.stderr.match(/skips them/g)?.length]).toEqual([["matmul_latency", "matmul_mma"], 2]);
  expect(said.stderr).not.toMatch(/skips them\)\n\n/);
  // A process that goes on with the log says it again.
  const goOn = ["tune", "--resume", "run.jsonl", "--trials", "42", "--tracker", tracker.address];
  const longer = await runCli(goOn, { home });
  expect(longer.code, longer.stderr).toBe(0);
  expect(longer.stderr.match(/^matmul_latency: begins with /gm)).toHaveLength(1);
});

it("a search that was killed among its templates goes on as it would have", async () => {
  const home = scratch();
  const how = ["--trials", "30", "--finalists", "0", "--in-flight", "1", "--tuner", "random"];
  const asked = ["tune", "matmul", "--args", JSON.stringify(args), ...how, "--log"];
  const whole = await farmWith(byTemplate);
  expect((await runCli([...asked, "whole.jsonl", "--tracker", whole.address], { home })).code).toBe(0);
  const stop = new AbortController();
  let measured = 0;
  const stopping = await farmWith((text) => {
    if (++measured < 13) return byTemplate(text);
    stop.abort(new Interrupted("SIGTERM"));
    return new Promise(() => undefined);
  });
  const killed = await runCli([...asked, "killed.jsonl", "--tracker", stopping.address], { home, signal: stop.signal });
  expect([killed.code, killed.stderr]).toEqual([143, expect.stringContaining("tune --resume killed.jsonl")]);
  const resumed = await runCli(["tune", "--resume", "killed.jsonl", "--tracker", whole.address], { home });
  expect(resumed.code, resumed.stderr).toBe(0);
  const configsIn = (name: string) =>
    readLog(readFileSync(join(home, name), "utf8")).records.map(({ trial }) => (trial as TrialRecord).config.index);
  expect(configsIn("killed.jsonl")).toEqual(configsIn("whole.jsonl"));
});

it("device time of all templates counts, and of earlier runs: a search that is continued for no more of it than it had ends", async () => {
  const tracker = await farmWith(byTemplate);
  const home = scratch();
  const tune = (...flags: readonly string[]) => runCli(["tune", ...flags, "--tracker", tracker.address, "--json"], { home });
  const asked = ["matmul", "--args", JSON.stringify(args), "--finalists", "0", "--log", "run.jsonl"];
  // Each measurement takes 2 ms.
  const first = await tune(...asked, "--trials", "12");
  expect(first.code, first.stderr).toBe(0);
  const again = await tune("--resume", "run.jsonl", "--trials", "40", "--device-time", "24ms");
  expect(again.code, again.stderr).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({ ended: "device_seconds", trials: 12 });
  const limited = ["--trials", "40", "--device-time", "24ms", "--in-flight", "1", "--finalists", "0"];
  const fresh = await tune("matmul", "--args", JSON.stringify(args), ...limited, "--log", "fresh.jsonl");
  expect(JSON.parse(fresh.stdout)).toMatchObject({ ended: "device_seconds", trials: 12 });
});

it("when its time is over, what is in flight is withdrawn", async () => {
  const home = scratch();
  for (const answers of [4, 12]) {
    const log = `${answers}.jsonl`;
    let measured = 0;
    const stuck = await farmWith((text) => (++measured <= answers ? byTemplate(text) : new Promise(() => undefined)));
    const how = ["--args", JSON.stringify(args), "--finalists", "0", "--in-flight", "2", "--wall-time", "300ms", "--log", log];
    const said = await runCli(["tune", "matmul", ...how, "--tracker", stuck.address, "--json"], { home });
    expect(said.code, said.stderr).toBe(0);
    const { ended, trials } = JSON.parse(said.stdout);
    expect(ended).toBe("wall_seconds");
    expect(Object.values(trialsIn(join(home, log))).reduce((sum, n) => sum + n, 0)).toBe(trials);
    expect(trials).toBeLessThan(answers);
  }
});

it("a suite's shape of an operator is one task with one budget, one log and one bucket of its pack", async () => {
  const tracker = await farmWith(byTemplate);
  const home = scratch();
  const shapes = [args, { ...args, K: 1024 }];
  const suite = { name: "ops", tuner: "random", finalists: 2, budget: { trials: 20 }, tasks: [{ task: "matmul", shapes }] };
  writeFileSync(join(home, "ops.json"), JSON.stringify(suite));
  const said = await runCli(["suite", "run", "ops.json", "--dir", "A", "--tracker", tracker.address], { home });
  expect(said.code, said.stderr).toBe(0);
  const logs = readdirSync(join(home, "A", "logs"));
  expect(logs).toHaveLength(2);
  for (const name of logs) expect(trialsIn(join(home, "A", "logs", name))).toEqual({ matmul_latency: 12, matmul_mma: 8 });
  const { buckets } = JSON.parse(readFileSync(join(home, "A", "choices.json"), "utf8"));
  expect(buckets).toMatchObject(
    [512, 1024].map((K) => ({
      operator: { name: "matmul", args: [32, 64, K, "float16", "NN"] },
      ...{ task: { template: "matmul_latency" }, choice: { kind: "config" } },
    })),
  );
  const report = await runCli(["suite", "report", "A"], { home });
  expect(report.stdout).toContain('matmul [32,64,1024,"float16","NN"] by');
  expect(report.stdout).toContain("40 trials");
  // Both shapes are found by the operator's own numbers.
  const exported = await runCli(["export", "A", "-o", "ex", "--format", "cuda"], { home });
  expect(exported.code, exported.stderr).toBe(0);
  const header = readFileSync(join(home, "ex", "ops.h"), "utf8");
  expect(header).toContain('// matmul\n// shape 0: [32,64,512,"float16","NN"], by matmul_latency');
  expect(header).toContain("int matmul_find(const long long *sizes);");
});
