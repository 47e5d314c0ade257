/** tune of an operator: which template is best, where the logs are, and what is refused before a farm is started. */
import { expect, it } from "vitest";
import { oneSentence, runCli } from "../context.testing.ts";
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
  [["--args", '{"dtype":"int4"}'], 'matmul: argument dtype is "int4"; it takes one of float16, bfloat16, float32, float64, int8'],
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
