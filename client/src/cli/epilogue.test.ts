/** `--epilogue` on the commands of a task. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { oneSentence, runCli, scratch, storesInMemory } from "./context.testing.ts";

const run = (...argv: readonly string[]) => runCli(argv, { home: scratch(), openRecords: storesInMemory() });
const product = ["matmul_derived", "--args", '{"M": 8, "N": 16, "K": 8}', "--target", "cpu/x86-64-v1"];

it("space lists the tensors that an epilogue adds", async () => {
  const { stdout } = await run("space", ...product, "--epilogue", "bias,clamp(0, 6),cast(float16)");
  expect(stdout.split("\n").slice(0, 7)).toEqual([
    'task           matmul_derived [8,16,8,"float32","NN",{"epilogue":["bias","clamp(0,6)","cast(float16)"]}] for cpu/x86-64-v1',
    "size           1280",
    "flop           2432",
    "input          A float32 (8, 8)",
    "input          B float32 (8, 16)",
    "input          bias float32 (16)",
    "output         C float16 (8, 16)",
  ]);
  const json = JSON.parse((await run("space", ...product, "--epilogue", "residual", "--json")).stdout);
  expect(json.inputs.at(-1)).toEqual({ name: "residual", dtype: "float32", shape: [8, 16] });
  expect(json.outputs).toEqual([{ name: "C", dtype: "float32", shape: [8, 16] }]);
});

it("lower prints it within the kernel, where the sums are stored", async () => {
  const { stdout } = await run("lower", ...product, "--index", "0", "--epilogue", "bias,relu");
  expect(stdout.match(/^void \w+\(/gm)).toHaveLength(1);
  expect(stdout).toMatch(/C\b.*max.*C_sums.*bias/s);
});

it("tasks lists the operations", async () => {
  const { stdout } = await run("tasks", "matmul");
  expect(stdout).toContain("  clamp(LOW, HIGH) ");
  expect(stdout).toContain("--epilogue");
});

it("a wrong one is refused, with what there is", async () => {
  const answer = async (...argv: readonly string[]) => {
    const said = await run(...argv);
    expect(said.code).toBe(2);
    return oneSentence(said);
  };
  expect(await answer("space", ...product, "--epilogue", "bias,rely")).toMatch(
    /^warpfarm space: matmul_derived: epilogue: "rely" is none \(did you mean relu\?\); there are bias or bias\(AXIS, \.\.\.\), /,
  );
  expect(await answer("space", "matmul_derived", "--args", '{"epilogue": ["relu"]}', "--epilogue", "relu")).toBe(
    "warpfarm space: --args has an epilogue, and --epilogue gives another; leave one of them out",
  );
  expect(await answer("tune", "matmul", "--args", '{"M": 8}', "--epilogue", "clamp(1)")).toBe(
    'warpfarm tune: matmul: epilogue: "clamp(1)" is not clamp(LOW, HIGH)',
  );
  expect(await answer("space", "a.json", "--stats", "--epilogue", "relu")).toContain("--epilogue is for tasks");
  expect(await answer("export", "a.jsonl:1", "-o", "out", "--epilogue", "relu")).toMatch(/--epilogue|a\.jsonl/);
});

it("a kernel of one's own takes none", async () => {
  const home = scratch();
  writeFileSync(join(home, "k.cu"), 'extern "C" __global__ void k(float* x) { x[0] = 1; }\n');
  const args = [{ name: "x", dtype: "float32", shape: [1], role: "out" }];
  writeFileSync(join(home, "k.json"), JSON.stringify({ args, kernels: [{ entry: "k", grid: [1], block: [1] }] }));
  const said = await runCli(["space", "k.cu", "--epilogue", "relu"], { home, openRecords: storesInMemory() });
  expect(said.code).toBe(2);
  expect(oneSentence(said)).toContain("epilogue");
});
