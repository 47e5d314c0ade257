/**
 * `warpfarm.capture`: the tasks of a captured network are those of its export, and what the exported plan computes is what
 * PyTorch computes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { resultsOf } from "@warpfarm/records/suites";
import { describeCpu } from "@warpfarm/runner/cpu-facts";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { needs } from "../../../test-support/needs.ts";
import { plannedTask, suitePlan } from "../../../test-support/suite-plan.ts";
import { until } from "../../../test-support/until.ts";
import { runCli, scratch } from "../cli/context.testing.ts";
import { Sources } from "../cli/suite/sources.ts";
import { buildHere, here } from "../export/exported.testing.ts";
import { SuiteDirectory } from "../suite/directory.ts";
import { readSuiteFile } from "../suite/format.ts";
import { planTasks, readTasks } from "../suite/plan.ts";
import { reportOf } from "../suite/report.ts";
import { modelWords } from "../suite/report-words.ts";
import { executed, readFiles } from "./model.testing.ts";

const script = fileURLToPath(new URL("testdata/capture.py", import.meta.url));
/** Captures networks, and says what it refused. `run`: what their exports computed, once they are there. */
async function pytorch(folder: string): Promise<{ readonly refused: string; run(): Promise<string> }> {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1", OMP_NUM_THREADS: "1" };
  const child = spawn("/usr/bin/python3", ["-W", "ignore", script, folder], { env, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await until(() => said.includes("--\n") || child.exitCode !== null, "the networks to be captured");
  const [refused = ""] = said.split("--\n");
  return {
    refused,
    async run() {
      child.stdin.end("\n");
      expect(await ended).toEqual([0, null]);
      return said.slice(refused.length + 3);
    },
  };
}

/** `timed`: each operator took a second; the report is of a suite whose kernels take half of one. */
async function timesOf(cwd: string): Promise<void> {
  expect((await runCli(["suite", "from-onnx", "timed.onnx"], { cwd })).code).toBe(0);
  const suiteOf = (name: string) => {
    const read = readSuiteFile(parse(readFileSync(join(cwd, `${name}.yaml`), "utf8")));
    return read.ok ? read.value : expect.unreachable(read.error);
  };
  expect(suiteOf("residual").framework).toBeUndefined();
  const file = suiteOf("timed");
  const { key } = describeCpu(1).facts;
  expect(file.framework).toEqual({
    name: expect.stringMatching(/^PyTorch \d/),
    device: expect.stringMatching(/, threads: 1$/),
    key,
  });
  const sources = new Sources(cwd);
  const read = await readTasks(file, { source: (task) => sources.forPlan(task), read: () => expect.unreachable() });
  const reported = (on: string): string => {
    const plan = planTasks(file, read, () => [on]);
    const best = { seconds: 0.5, low: 0.5, high: 0.5, config: [], tied: [], trial: { result: { device: { name: "ours" } } } };
    const results = plan.tasks.map((task) => ({ ...resultsOf(task, undefined), best: best as never }));
    if (on === key)
      expect(plan.tasks.map(({ label, weight, librarySeconds }) => [label, weight, librarySeconds])).toEqual([
        ["conv_relu_1", 1, 3],
        ["transpose_mat_mul_add_1", 1, 2],
        ["mat_mul_add_1", 1, 1],
        ["mat_mul_add_swish_1", 1, 3],
        ["mat_mul_add_transpose_1", 1, 1],
      ]);
    return modelWords(reportOf({ plan, results, ended: new Map(), wallMs: 1, times: new Map(), kernels: 1 }));
  };
  const { name, device } = file.framework as NonNullable<typeof file.framework>;
  expect(reported(key)).toBe(
    `the model's time on ${key} (ours): 2500 ms, the sum of 5 kernels; ${name}'s own operators for the same tasks, each run alone with its launch on ${device}, take 1.000e+4 ms: 4.00x`,
  );
  expect(reported("cuda/sm_90")).toBe(
    `the model's time on cuda/sm_90 (ours): 2500 ms, the sum of 5 kernels; ${name}'s own operators take 1.000e+4 ms on ${key} (${device}), another kind of device, so the two are not compared`,
  );
}

const ofSubgraph = { task: { operator: "subgraph" } };

it("networks have the tasks of their exports, and run as PyTorch runs them", { timeout: 300_000 }, async (ctx) => {
  needs(ctx, "python-torch", "numpy", "cc");
  const cwd = scratch();
  const torch = await pytorch(cwd);
  expect(torch.refused).toMatchInlineSnapshot(`
    "item | aten.item reads what the inputs hold; only operators on tensors of known shapes are recorded
    operator | the operator aten.cumsum is not recorded; Warpfarm's docs/models.md lists those that are
    alias | aten.mul_ changed a tensor in place of which the model reads another view; write it out of place
    constant | an output of shape [3] does not depend on the inputs
    batch | aten.batch_norm is not recorded: a batch norm takes the statistics of its batch; with those that it has learnt it is recorded
    pool | aten.adaptive_avg_pool1d is not recorded: an adaptive pool goes from [4] to [3]; sizes that divide are recorded
    the example has a int; it is a tensor or a tuple of tensors
    the example has a str; it is a tensor or a tuple of tensors
    "
  `);
  const converted = async (name: string) => {
    const said = await runCli(["suite", "from-onnx", `${name}.onnx`], { cwd });
    expect([said.code, said.stderr]).toEqual([0, ""]);
    return readFiles(cwd, name).tasks;
  };
  const exported = async (name: string) => {
    const directory = new SuiteDirectory(join(cwd, `${name}.suite`));
    mkdirSync(directory.path);
    const tasks = (await converted(name)).map(({ label, inputs, nodes, outputs }) =>
      plannedTask(`id-${label}`, "", { ...ofSubgraph, args: [inputs, nodes, outputs] as never, key: here }, { label }),
    );
    writeFileSync(join(directory.path, "suite.json"), JSON.stringify(suitePlan({ name, tasks })));
    const said = await runCli(["export", `${name}.suite`, "--plan", `${name}.plan.json`, "-o", name], { home: cwd, buildHere });
    expect(said).toMatchObject({ code: 0, stderr: expect.not.stringContaining("warpfarm export:") });
    const lines = said.stdout.split("\n").filter((line) => line.startsWith("kernel"));
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(320);
  };
  for (const name of ["residual", "transformer", "unet"])
    expect(await converted(name), name).toEqual(await converted(`${name}-exported`));
  await converted("layers");
  const { x, y } = JSON.parse(readFileSync(join(cwd, "layers.json"), "utf8")) as { x: number[]; y: number[][] };
  for (const [k, got] of executed(cwd, { x }, "layers").entries())
    for (const [i, value] of (y[k] as number[]).entries())
      expect(Math.abs(value - (got[i] ?? Number.NaN)), `layers ${k}`).toBeLessThan(2e-6);
  for (const name of ["residual", "transformer", "unet", "masked"]) await exported(name);
  const errors = (await torch.run())
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
  expect(errors.map(([name]) => name)).toEqual(["residual", "transformer", "unet", "masked"]);
  for (const [name, error] of errors) expect(Number(error), name).toBeLessThan(2e-6);
  await timesOf(cwd);
  expect(readFiles(cwd, "masked").plan.tensors).toMatchObject({
    [readFiles(cwd, "masked").plan.outputs[1] as string]: { dtype: "bool" },
  });
});
