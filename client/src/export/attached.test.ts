/** Exports of kernels with folders of headers and tensors of files: they hold both, compile as they lie, read the tensors. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Digest, digestOf, toDigest } from "@warpfarm/common";
import { createTask, type Task } from "@warpfarm/templates";
import { expect, test } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { nvccSays, textsIn } from "../../../test-support/nvcc.ts";
import { runCli, scratch } from "../cli/context.testing.ts";
import { createKernelTask } from "../kernel/kernel-task.ts";
import { loadKernel } from "../kernel/load-kernel.ts";
import { exportFiles } from "./files.ts";
import { type ExportUnit, exportUnit } from "./unit.ts";

const count = 96;
const floats = (value: (i: number) => number): Buffer =>
  Buffer.from(Float32Array.from({ length: count }, (_, i) => value(i)).buffer);
/** As NumPy saves it. */
function npy(elements: Buffer): Buffer {
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': (${count},), }`;
  // The header is a multiple of 64 bytes long and ends in a new line.
  const padded = head.padEnd(117, " ");
  const length = Buffer.alloc(2);
  length.writeUInt16LE(padded.length + 1);
  return Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), length, Buffer.from(`${padded}\n`), elements]);
}

const inputs = floats((i) => i / 4 - 7);
const outputs = floats((i) => 3 * (i / 4 - 7));
const files: Readonly<Record<string, string | Buffer>> = {
  "k.cu": `#include <lib/scale.hpp>
#include "own.h"
__constant__ float weights[${count}];
namespace tiles {
template <int THREADS> __global__ void scaled(float *c, const float *a, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) c[i] = lib::scale(a[i], FACTOR) + 0 * weights[i];
}
}
`,
  "own.h": "#define FACTOR 3.0f\n",
  "include/lib/scale.hpp":
    '#pragma once\n#include "lib/detail/times.hpp"\nnamespace lib { __device__ float scale(float x, float f) { return times(x, f); } }\n',
  "include/lib/detail/times.hpp":
    "#pragma once\nnamespace lib { __device__ inline float times(float x, float f) { return x * f; } }\n",
  "a.npy": npy(inputs),
  "c.npy": npy(outputs),
  "k.json": JSON.stringify({
    problem: { n: count },
    tunables: { THREADS: [32, 64] },
    includes: ["./include"],
    args: [
      { name: "c", dtype: "float32", shape: ["n"], role: "out" },
      { name: "a", dtype: "float32", shape: ["n"], fill: { file: "./a.npy" } },
      { name: "w", dtype: "float32", shape: ["n"] },
    ],
    constants: { weights: "w" },
    kernels: [
      {
        entry: "tiles::scaled<{THREADS}>",
        grid: ["n // THREADS + 1"],
        block: ["THREADS"],
        args: ["c", "a", { scalar: "int32", value: "n" }],
      },
    ],
    reference: { file: "./c.npy" },
  }),
};

function written(to: string, made: Iterable<readonly [string, string | Uint8Array]>): string {
  for (const [name, content] of made) {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    writeFileSync(join(to, name), content);
  }
  return to;
}
async function kernelTask(folder: string): Promise<Task> {
  written(folder, Object.entries(files));
  return createKernelTask(await loadKernel({ path: join(folder, "k.cu"), word: "./k.cu" }), undefined, "cuda/sm_90");
}

test("the command writes folders of headers and tensors beside the text, which nvcc takes with its self-test", async (ctx) => {
  const cwd = scratch();
  written(cwd, Object.entries(files));
  const said = await runCli(["export", "./k.cu", "--index", "1", "--target", "cuda/sm_90", "-o", "out", "--json"], { cwd });
  expect(said).toMatchObject({ code: 0, stderr: "" });
  // The project's own folder is not needed any more.
  for (const name of ["include", "a.npy", "c.npy", "k.cu", "own.h"]) rmSync(join(cwd, name), { recursive: true });
  const out = join(cwd, "out");
  const listed: readonly string[] = JSON.parse(said.stdout).files;
  const headers = listed.find((name) => name.startsWith("headers_")) ?? "";
  expect(
    listed
      .filter((name) => name.startsWith("tensor_"))
      .map((name) => readFileSync(join(out, name)).toString("hex"))
      .sort(),
  ).toEqual([inputs, outputs].map((bytes) => bytes.toString("hex")).sort());
  expect(readdirSync(join(out, headers, "lib"))).toEqual(["detail", "scale.hpp"]);
  const text = readFileSync(join(out, "k.cu"), "utf8");
  expect(text).toContain(`// compile with -I. -I${headers.replace("/", "")}\n`);
  expect(text).toContain("cudaMemcpyToSymbolAsync(weights, (void *)w, 384, 0, cudaMemcpyDeviceToDevice, stream)");
  expect(readFileSync(join(out, "CMakeLists.txt"), "utf8")).toContain(
    `set_source_files_properties(k.cu PROPERTIES INCLUDE_DIRECTORIES "\${CMAKE_CURRENT_SOURCE_DIR};\${CMAKE_CURRENT_SOURCE_DIR}/${headers.replace("/", "")}")`,
  );
  const selfTest = readFileSync(join(out, "k_test.cu"), "utf8");
  const [mine, theirs] = [inputs, outputs].map((bytes) => `tensor_${digestOf(bytes).slice(7, 19)}.bin`);
  expect(selfTest).toMatch(new RegExp(`\\{"a", FLOAT32, BLOB, .*"${mine}"\\}`));
  expect(selfTest).toContain(`load_on_device("${theirs}", (char *)reference_workspace + 0, 384);`);
  needs(ctx, "nvcc");
  const flags = ["-arch=sm_90", "-std=c++17", "-Werror", "all-warnings", "-diag-suppress", "177,550,20012"];
  // A file takes a second, whatever is in it.
  writeFileSync(join(out, "others.cu"), '#include "k_reference.cu"\n#include "k_test.cu"\n');
  const args = [...flags, "-I.", `-I${headers}`, "-o", "run", "k.cu", "others.cu"];
  nvccSays([args, textsIn(out)], () => {
    const made = spawnSync("nvcc", args, { cwd: out, encoding: "utf8" });
    expect([made.status, made.stderr]).toEqual([0, ""]);
    return "taken";
  });
}, 300_000);

test("the JSON has the constant memory, and kernels of one folder share what they both need", async () => {
  const task = await kernelTask(scratch());
  const units = ["one", "two"].map((name, i) => exportUnit(name, task, task.space.toIndex(i)));
  const text = exportFiles("json", "both", units, new Map());
  expect(JSON.parse(String(text.get("one.json"))).constants).toEqual([{ symbol: "weights", buffer: "w" }]);
  const names = [...exportFiles("cuda", "both", units, new Map()).keys()];
  expect(names.filter((name) => name.startsWith("tensor_")).length).toBe(2);
  expect(names.filter((name) => name.startsWith("headers_")).length).toBe(2);
});

test("a self-test reads its tensors, and says which file it cannot read", (ctx) => {
  needs(ctx, "cc");
  const here = process.arch === "arm64" ? "cpu/arm64" : "cpu/x86-64-v2";
  const task = createTask("matmul_derived", [8, 1, 12, "float32", "NN"], here);
  const made = exportUnit("taken", task, task.space.toIndex(0));
  // No task of a processor has such fills; the C of the self-test is the same.
  const sizes = new Map(made.kernel.buffers.map(({ name, bytes }) => [name, bytes]));
  const of = (name: string, seed: number): Buffer =>
    Buffer.from(Float32Array.from({ length: (sizes.get(name) ?? 0) / 4 }, (_, i) => ((i * seed) % 11) - 5).buffer);
  const tensors = new Map([
    ["A", of("A", 7)],
    ["B", of("B", 3)],
  ]);
  const filled = (text: ExportUnit["kernel"]): ExportUnit["kernel"] => ({
    ...text,
    buffers: text.buffers.map((buffer) => {
      const content = tensors.get(buffer.name);
      return content === undefined ? buffer : { ...buffer, fill: { kind: "blob", digest: digestOf(content) } as const };
    }),
  });
  const uploads = new Map<Digest, Uint8Array>([...tensors.values()].map((bytes) => [toDigest(digestOf(bytes)), bytes]));
  const unit = { ...made, kernel: filled(made.kernel), reference: filled(made.reference), uploads };
  const folder = written(scratch(), exportFiles("c", "taken", [unit], new Map()));
  const flags = ["-std=gnu11", "-O1", "-fopenmp", ...(here === "cpu/arm64" ? [] : ["-march=x86-64-v2"])];
  const cc = spawnSync("cc", [...flags, "-o", "run", "taken.c", "taken_reference.c", "taken_test.c", "-lm"], { cwd: folder });
  expect(cc.status).toBe(0);
  mkdirSync(join(folder, "data"));
  const run = (...args: string[]) => spawnSync("./run", args, { cwd: folder, encoding: "utf8" });
  expect(run("--write", "data")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^taken: C agrees: 0 of /) });
  for (const [name, content] of tensors) expect(readFileSync(join(folder, "data", `${name}.bin`))).toEqual(content);
  const file = `tensor_${digestOf(tensors.get("A") as Buffer).slice(7, 19)}.bin`;
  writeFileSync(join(folder, file), (tensors.get("A") as Buffer).subarray(4));
  expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining(`./${file} cannot be read, or does not have`) });
});
