/** tune of an operator: which template is best, where the logs are, and what is refused before a farm is started. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { toWorkerId } from "@warpfarm/common";
import type { FarmSnapshot } from "@warpfarm/proto";
import { expect, it, onTestFinished } from "vitest";
import { FakeTracker } from "../../measure/fake-tracker.testing.ts";
import { timedResult } from "../../measure/scripted.testing.ts";
import { oneSentence, runCli, scratch } from "../context.testing.ts";
import { bestOf, logOfTemplate, type TriedTemplate } from "./tune-operator.ts";
import type { TuneReport } from "./tune-report.ts";

const tried = (template: string, seconds: number | undefined): TriedTemplate => {
  const best = seconds === undefined ? null : { index: 1, config: {}, seconds, gflops: 1, spread_seconds: 0 };
  return { template, target: "cuda/sm_90", report: { best } as unknown as TuneReport };
};

it("the fastest template's result is the operator's; of equal ones the first; one without a time never", () => {
  expect(bestOf([tried("a", undefined), tried("b", 3), tried("c", 2), tried("d", 2)])?.template).toBe("c");
  expect(bestOf([tried("a", undefined), tried("b", 3)])?.template).toBe("b");
  expect(bestOf([tried("a", 3), tried("b", undefined)])?.template).toBe("a");
  expect(bestOf([tried("a", undefined)])).toBeUndefined();
  expect(bestOf([])).toBeUndefined();
});

it("each template has a log of its own beside the others", () => {
  expect(logOfTemplate("/tmp/logs/run.jsonl", "matmul_mma")).toBe("/tmp/logs/run.matmul_mma.jsonl");
  expect(logOfTemplate("/tmp/run", "tutorial/conv2d_no_batching")).toBe("/tmp/run.tutorial_conv2d_no_batching");
});

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
  expect(stdout).toMatch(/^matmul_cpu$/m);
  expect(stdout).not.toMatch(/^conv2d/m);
});

const facts = { key: "cuda/sm_80", name: "an A100", uuid: "u", node: "box", driver: "" };
const node = { node: "box", state: "ACTIVE", labels: {}, lastSeenMs: 0, leases: 0, toolchains: [] } as const;
const snapshot: FarmSnapshot = {
  nodes: [
    { ...node, workerId: toWorkerId("w2"), role: "builder", devices: [], slots: 2, targets: ["cuda/sm_80"] },
    {
      ...{ ...node, workerId: toWorkerId("w1"), role: "runner", slots: 0, targets: [] },
      devices: [{ facts, memoryBytes: 1e9, busy: false, limits: {} }],
    },
  ],
  queues: [],
  sessions: [],
};

it("templates share one number of trials: one far behind has its starts, also where the search is cut off and goes on", async () => {
  // Only matmul_latency divides the sum over warps.
  const isLatency = (text: string) => text.includes("rfactor");
  const execute = (text: string) => timedResult((isLatency(text) ? 1e-6 : 3e-6) * (1 + text.length / 1e6));
  const tracker = new FakeTracker({ execute, snapshot });
  const connection = await tracker.start();
  onTestFinished(async () => {
    await connection[Symbol.asyncDispose]();
    await tracker[Symbol.asyncDispose]();
  });
  const home = scratch();
  const trialsOf = (template: string) => readFileSync(join(home, `run.${template}.jsonl`), "utf8").match(/^\{/gm)?.length;
  const tune = (...flags: readonly string[]) => runCli(["tune", ...flags, "--tracker", tracker.address, "--json"], { home });
  const args = JSON.stringify({ M: 32, N: 64, K: 512 });
  const first = await tune("matmul", "--args", args, "--trials", "30", "--finalists", "2", "--log", "run.jsonl");
  expect([first.code, trialsOf("matmul_latency"), trialsOf("matmul_mma")], first.stderr).toEqual([0, 22, 8]);
  const { best, templates, refused } = JSON.parse(first.stdout);
  expect([best.template, templates.length]).toEqual(["matmul_latency", 2]);
  expect(refused.map(({ template }: { readonly template: string }) => template)).toContain("matmul_simt");
  // The winner's fastest alone are measured again.
  const isJudged = Object.fromEntries(
    templates.map((one: { template: string; finalists: unknown }) => [one.template, one.finalists !== null]),
  );
  expect(isJudged).toEqual({ matmul_latency: true, matmul_mma: false });

  const longer = await tune("--resume", "run.jsonl", "--trials", "44");
  expect([longer.code, trialsOf("matmul_latency"), trialsOf("matmul_mma")], longer.stderr).toEqual([0, 36, 8]);
  expect(JSON.parse(longer.stdout).templates).toHaveLength(2);

  const again = await tune("matmul", "--args", args, "--trials", "30", "--log", "run.jsonl");
  expect([again.code, again.stderr.split("\n").at(-2)]).toEqual([
    2,
    "warpfarm tune: run.matmul_latency.jsonl is there already; tune --resume run.jsonl continues it, or give another --log",
  ]);
});
