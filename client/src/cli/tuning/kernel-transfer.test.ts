/** A search of a kernel that begins with a log of the same kernel: its first proposal is the best config of the log. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultMeasureOptions } from "@warpfarm/common";
import { configToJson } from "@warpfarm/compiler";
import { encodeTrial } from "@warpfarm/records/logs";
import { createTask, type Task } from "@warpfarm/templates";
import { expect, test } from "vitest";
import { createKernelTask, type KernelSource } from "../../kernel/kernel-task.ts";
import { loadKernel } from "../../kernel/load-kernel.ts";
import { timedResult } from "../../measure/scripted.testing.ts";
import { readStartLogs, startOptions } from "../../search/search-inputs.ts";
import { type TunerName, tuners } from "../../tuner/index.ts";
import { scratch } from "../context.testing.ts";

async function kernelIn(cwd: string, text = "// k"): Promise<KernelSource> {
  writeFileSync(join(cwd, "k.cu"), text);
  const spec = {
    problem: { n: 1024 },
    tunables: { A: [1, 2, 4, 8, 16], B: [32, 64, 128, 256] },
    args: [{ name: "c", dtype: "float32", shape: ["n"], role: "out" }],
    kernels: [{ entry: "f", grid: ["n"], block: ["B"] }],
  };
  writeFileSync(join(cwd, "k.json"), JSON.stringify(spec));
  return loadKernel({ path: join(cwd, "k.cu"), word: "./k.cu" });
}

/** Config 13 is the fastest. */
function writeLog(path: string, { name, args, target, space }: Task): void {
  const lines = Array.from({ length: space.size }, (_, i) =>
    encodeTrial({
      run: { task: name, args, target, tuner: "random", seed: 0 },
      session: "s",
      sequence: i + 1,
      told: i,
      config: configToJson(space, space.get(space.toIndex(i))),
      options: defaultMeasureOptions("cuda"),
      result: timedResult((1 + Math.abs(i - 13)) / 1e6),
    }),
  );
  writeFileSync(path, `${lines.join("\n")}\n`);
}

async function begin(cwd: string, source: KernelSource, tuner: TunerName, log: string) {
  const said: string[] = [];
  const context = { cwd, say: (message: string) => void said.push(`${message}\n`) };
  const { sources } = await readStartLogs([log], source, context).catch((error: Error) => {
    throw new Error(said.join("") + error.message);
  });
  const task = createKernelTask(source, { n: 4096 }, "cuda/sm_90");
  const options = startOptions(task, sources, context.say);
  const search = tuners[tuner]({ space: task.space, seed: 0, isValid: () => true, ...options });
  return { first: search.ask(4).map(Number), stderr: said.join("") };
}

test("another size and target of the same text and spec", async () => {
  const cwd = scratch();
  const source = await kernelIn(cwd);
  writeLog(join(cwd, "old.jsonl"), createKernelTask(source, undefined, "cuda/sm_80"));
  const auto = await begin(cwd, source, "auto", "old.jsonl");
  expect(auto.first[0]).toBe(13);
  expect(auto.stderr).toMatch(/^warm start: 20 results of old\.jsonl: k \[\{"n":1024\},"sha256:\w+"\] for cuda\/sm_80\n$/);
  expect((await begin(cwd, source, "xgb", "old.jsonl")).first).toContain(13);
});

test("another text, and another task, are left out, and why is said", async () => {
  const cwd = scratch();
  writeLog(join(cwd, "old.jsonl"), createKernelTask(await kernelIn(cwd, "// another"), undefined, "cuda/sm_90"));
  await expect(begin(cwd, await kernelIn(cwd), "auto", "old.jsonl")).rejects.toThrow(
    /old\.jsonl: k .*: left out, \.\/k\.cu: the log is of another text or spec of this kernel .*\n--transfer: no log of old\.jsonl/,
  );
  const source = await kernelIn(cwd);
  writeLog(join(cwd, "else.jsonl"), { ...createKernelTask(source, undefined, "cuda/sm_90"), name: "other" });
  await expect(begin(cwd, source, "auto", "else.jsonl")).rejects.toThrow(
    /: left out, it is of another task than \.\/k\.cu, whose name is k\n/,
  );
});

test("a log whose configs have other knobs is of no use, which its name is told for", () => {
  const [cpu, product, image] = ["cpu/x86-64-v3", { M: 16, N: 16, K: 16 }, [1, 8, 8, 16, 16, 3, 3, 1, 1]] as const;
  const source = { name: "old.log", task: createTask("conv2d_nchw_cpu", image, cpu), rows: [] };
  const rows = [0, 1].map((i) => ({ index: source.task.space.toIndex(i), seconds: 1 }));
  expect(() => startOptions(createTask("matmul_derived", product, cpu), [{ ...source, rows }], () => {})).toThrow(
    "--transfer: fewer than half of the configs of old.log have values of this task's knobs",
  );
});
