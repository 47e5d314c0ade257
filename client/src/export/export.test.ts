/**
 * Exports compiled by the tools of this machine: C is run and compared with a naive evaluation, CUDA is compiled and linked by
 * nvcc. Python's tests are in python/.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filledValue, fillFor, fillValue, type Json, philoxBits } from "@warpfarm/common";
import { createData, evaluate, roundTo, type TensorData } from "@warpfarm/compiler";
import { createTask, type Task, type TemplateTask } from "@warpfarm/templates";
import { describe, expect, test } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { tensor } from "../../../test-support/kernels.ts";
import { needs } from "../../../test-support/needs.ts";
import { nvccSays, textsIn } from "../../../test-support/nvcc.ts";
import { scratch } from "../cli/context.testing.ts";
import { anyConfig, here, vectorAdd, written } from "./exported.testing.ts";
import { exportFiles } from "./files.ts";
import { workspacesOf } from "./layout.ts";
import { type ExportUnit, exportUnit } from "./unit.ts";

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8", timeout: 300_000 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} exited with ${status}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** Elements of a buffer that a self-test wrote, as numbers. */
function elements(path: string, dtype: string): number[] {
  const bytes = readFileSync(path);
  const { buffer, byteOffset, length } = bytes.subarray(0);
  const all = buffer.slice(byteOffset, byteOffset + length);
  if (dtype === "float32") return Array.from(new Float32Array(all));
  if (dtype === "int32") return Array.from(new Int32Array(all));
  if (dtype === "int8") return Array.from(new Int8Array(all));
  if (dtype !== "float16") throw new Error(`this test reads no ${dtype}`);
  return Array.from(new Uint16Array(all), (half) => {
    const [exponent, mantissa] = [(half >> 10) & 31, half & 1023];
    const size = exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25);
    return half & 0x8000 ? -size : size;
  });
}

const countOf = (shape: readonly number[]): number => shape.reduce((n, extent) => n * extent, 1);

/** Seeded like the self-test's inputs, by common's own generator. */
function seededInputs(task: TemplateTask, unit: ExportUnit): Map<string, TensorData> {
  return new Map(
    task.graph.inputs.map(({ name, dtype, shape }) => {
      const number = unit.kernel.buffers.findIndex((buffer) => buffer.name === name);
      const data = createData(dtype, countOf(shape));
      const [fill, round] = [fillFor(dtype, undefined, "full"), roundTo(dtype)];
      for (let i = 0; i < data.length; i++)
        data[i] = fill
          ? round(Math.fround(filledValue({ dtype, shape }, fill, 0x5eed, number, i)))
          : fillValue(dtype, philoxBits(0x5eed, number, i));
      return [name, data];
    }),
  );
}

const compileC = (folder: string, name: string): void => {
  const files = [`${name}.c`, `${name}_reference.c`, `${name}_test.c`];
  run(
    "cc",
    ["-std=gnu11", "-O1", "-fopenmp", ...(here === "cpu/arm64" ? [] : ["-march=x86-64-v2"]), "-o", "run", ...files, "-lm"],
    folder,
  );
};

describe("C", () => {
  test.for<[string, Json]>([
    ["matmul_derived", [6, 32, 20, "float32", "TN"]],
    ["matmul_derived", [8, 24, 12, "int8", "NT"]],
    ["matmul_derived", [4, 32, 12, "float16", "NN"]],
    ["conv2d_nchw_cpu", [1, 6, 7, 8, 4, 3, 3, 1, 1]],
  ])("%s %j compiles, runs and agrees with a naive evaluation", ([name, args], ctx) => {
    needs(ctx, "cc");
    const task = createTask(name, args, here);
    const unit = exportUnit("taken", task, anyConfig(task, 3));
    const folder = written("c", [unit]);
    compileC(folder, "taken");
    mkdirSync(join(folder, "data"));
    expect(run("./run", ["--write", "data"], folder)).toMatch(/^taken: \w+ agrees: 0 of /);
    const inputs = seededInputs(task, unit);
    for (const [input, data] of inputs)
      expect(
        elements(join(folder, "data", `${input}.bin`), task.graph.inputs.find((t) => t.name === input)?.dtype ?? ""),
      ).toEqual(Array.from(data));
    const expected = evaluate(task.graph, inputs);
    for (const { name: output, dtype } of task.graph.outputs) {
      const got = elements(join(folder, "data", `${output}.bin`), dtype);
      const want = expected.get(output) as TensorData;
      expect(got.length).toBe(want.length);
      for (const [i, x] of got.entries())
        expect(Math.abs(x - (want[i] ?? 0))).toBeLessThanOrEqual(dtype === "float16" ? 0.02 : 1e-4);
    }
  });

  test("a self-test notices a kernel that is wrong in one element", (ctx) => {
    needs(ctx, "cc");
    const task = createTask("matmul_derived", [4, 16, 8, "float32", "NN"], here);
    const folder = written("c", [exportUnit("taken", task, anyConfig(task, 1))]);
    const path = join(folder, "taken.c");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace("  return 0;\n}\n", "  C[17] += 0.125f;\n  return 0;\n}\n"));
    expect(readFileSync(path, "utf8")).not.toBe(text);
    compileC(folder, "taken");
    const { status, stdout } = spawnSync("./run", { cwd: folder, encoding: "utf8" });
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^taken: C DIFFERS: 1 of 64 elements .* at 17 /)]);
  });

  test("a C++ project takes two kernels by CMake, calls them, and is told of a pointer that is not aligned", (ctx) => {
    needs(ctx, "cc", "c++", "cmake");
    const [one, two] = ([4, 8] as const).map((n) => createTask("matmul_derived", [n, 16, 8, "float32", "NN"], here));
    if (one === undefined || two === undefined) throw new Error("no tasks");
    const folder = written("c", [exportUnit("first", one, anyConfig(one, 1)), exportUnit("second", two, anyConfig(two, 1))]);
    const project = scratch();
    writeFileSync(
      join(project, "CMakeLists.txt"),
      `cmake_minimum_required(VERSION 3.18)\nproject(user LANGUAGES C CXX)\nadd_subdirectory(${folder} taken)\nadd_executable(user user.cpp)\ntarget_link_libraries(user PRIVATE taken)\n`,
    );
    writeFileSync(
      join(project, "user.cpp"),
      `#include "first.h"
#include "second.h"
#include <cstdio>
alignas(64) static float a[8 * 8], b[8 * 16], c[8 * 16];
alignas(64) static char space[4096];
int main() {
  for (int i = 0; i < 128; ++i) a[i / 2] = 1, b[i] = 2;
  if (first_WORKSPACE_BYTES > sizeof space || second_WORKSPACE_BYTES > sizeof space) return 3;
  if (first_run(${callOrder(one)}, space)) return 1;
  if (second_run(${callOrder(two)}, space)) return 1;
  const int refused = second_run(${callOrder(two).replace("c", "(float *)((char *)c + 2)")}, space);
  std::printf("%g %g %d\\n", c[0], c[127], refused);
}
`,
    );
    run("cmake", ["-S", project, "-B", join(project, "build")], project);
    run("cmake", ["--build", join(project, "build")], project);
    expect(run(join(project, "build", "user"), [], project)).toBe("16 16 1\n");
  });
});

/** a, b and c in the order of the header's parameters. */
const callOrder = (task: Task): string =>
  exportUnit("x", task, anyConfig(task, 1))
    .kernel.buffers.filter(({ role }) => role !== "workspace")
    .map(({ name }) => name.toLowerCase())
    .join(", ");

describe("CUDA", () => {
  const tasks = async (): Promise<readonly (readonly [string, Task])[]> => [
    ["two kernels and a workspace", createTask("conv2d_splitk", undefined, "cuda/sm_90")],
    ["tensor maps", createTask("matmul_tma", { M: 256, N: 256, K: 256 }, "cuda/sm_90a")],
    ["a kernel of one's own, with scalars, macros and a header", await vectorAdd()],
  ];

  const images = createTask("conv2d_nhwc_tma", { N: 1, H: 5, W: 5, CI: 64, CO: 64 }, "cuda/sm_90a");
  const nvcc = (folder: string, ...files: readonly string[]): void => {
    const flags = [
      "-gencode",
      "arch=compute_90a,code=sm_90a",
      "-std=c++17",
      "-Werror",
      "all-warnings",
      "-diag-suppress",
      "177,550,20012",
    ];
    const args = [...flags, "-o", "run", ...files];
    nvccSays([args, textsIn(folder)], () => run("nvcc", args, folder));
  };

  test("every kind of kernel is taken by nvcc, and links with its self-test", { timeout: 600_000 }, async (ctx) => {
    needs(ctx, "nvcc");
    // By another seed the convolution is unrolled over 8 channels, and nvcc takes four times as long.
    const units = (await tasks()).map(([, task], i) => exportUnit(`taken_${i}`, task, anyConfig(task, 1)));
    if (isFull) {
      for (const unit of units) {
        const { name } = unit;
        nvcc(written("cuda", [unit]), `${name}.cu`, `${name}_reference.cu`, `${name}_test.cu`);
      }
      return;
    }
    // A file takes a second, whatever is in it: all kernels are one here, and the second's self-test with its reference another.
    // The third is with its attributes.
    const folder = written("cuda", [...units.slice(0, 2), withAttributes(units[2] as ExportUnit)]);
    const includes = (name: string, ...files: readonly string[]) =>
      writeFileSync(join(folder, name), files.map((file) => `#include "${file}.cu"\n`).join(""));
    includes("all.cu", ...units.map(({ name }) => name));
    includes("test.cu", "taken_1_reference", "taken_1_test");
    nvcc(folder, "all.cu", "test.cu");
  });

  test("the launcher says what a manifest says: workspaces, launches, scalars, maps", async () => {
    const [[, splitk], [, maps], [, own]] = (await tasks()) as [[string, Task], [string, Task], [string, Task]];
    const text = (task: Task) =>
      String(exportFiles("cuda", "taken", [exportUnit("taken", task, anyConfig(task, 2))], new Map()).get("taken.cu"));
    const unit = exportUnit("taken", splitk, anyConfig(splitk, 2));
    const launches = text(splitk).match(/cudaLaunchKernel\(.*/g);
    expect(launches).toEqual(
      unit.kernel.kernels.map(
        ({ name, grid, block, dynamic_shared_bytes: shared }) =>
          `cudaLaunchKernel((const void *)${name}, dim3(${grid}), dim3(${block}), args, ${shared}, stream);`,
      ),
    );
    expect(launches?.length).toBeGreaterThan(1);
    expect(text(splitk)).toContain("(void *)((char *)workspace + 0)");
    expect(text(maps)).toMatch(/encode\(&map0, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, \(void \*\)A, dims, strides/);
    expect(text(images)).toContain("const int lower[] = {-1, -1}, upper[] = {-1, -1};");
    expect(text(images)).toMatch(
      /encode\(&map\d, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, \(void \*\)A, dims, strides, lower, upper, \d+, \d+, steps,/,
    );
    expect(text(own)).toContain("int a3 = 1000;");
    expect(text(own)).toMatch(/^#define BLOCK \d+$/m);
  });

  const withAttributes = (unit: ExportUnit): ExportUnit => {
    const [kernel] = unit.kernel.kernels;
    if (kernel === undefined) throw new Error("no kernel");
    const changed = {
      ...kernel,
      cluster: [16, 1, 1] as const,
      dynamic_shared_bytes: 65536,
      attributes: [
        { kind: "dependent" },
        { kind: "cluster_scheduling", policy: "spread" },
        { kind: "shared_carveout", percent: 50 },
        { kind: "cooperative" },
      ] as const,
    };
    return { ...unit, kernel: { ...unit.kernel, kernels: [changed] } };
  };

  test("clusters and attributes go with the launch", async (ctx) => {
    const task = await vectorAdd();
    const unit = withAttributes(exportUnit("taken", task, anyConfig(task, 1)));
    const text = String(exportFiles("cuda", "taken", [unit], new Map()).get("taken.cu"));
    for (const line of [
      "cudaFuncAttributeMaxDynamicSharedMemorySize, 65536",
      "cudaFuncAttributeNonPortableClusterSizeAllowed, 1",
      "cudaFuncAttributePreferredSharedMemoryCarveout, 50",
      "attributes[0].val.clusterDim.x = 16;",
      `config.gridDim = dim3(${unit.kernel.kernels[0]?.grid});`,
      `config.blockDim = dim3(${unit.kernel.kernels[0]?.block});`,
      "config.dynamicSmemBytes = 65536;",
      "config.stream = stream;",
      "attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;",
      "attributes[2].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;",
      "attributes[3].id = cudaLaunchAttributeCooperative;",
      "attributes[3].val.cooperative = 1;",
      "config.numAttrs = 4;",
      "cudaLaunchKernelExC(&config, (const void *)vector_add, args)",
    ])
      expect(text).toContain(line);
    // In npm test nvcc takes it with the other kernels, above.
    if (!isFull) return;
    needs(ctx, "nvcc");
    nvcc(written("cuda", [unit]), "-c", "taken.cu");
  }, 300_000);
});

test("the launch JSON has kernels, buffers, and where workspaces lie", () => {
  const task = createTask("conv2d_splitk", undefined, "cuda/sm_90");
  const unit = exportUnit("taken", task, anyConfig(task, 2));
  const document = JSON.parse(String(exportFiles("json", "taken", [unit], new Map()).get("taken.json")));
  const workspace = unit.kernel.buffers.find(({ role }) => role === "workspace");
  expect(document).toMatchObject({ warpfarm_launch: 1, task: "conv2d_splitk", kernels: unit.kernel.kernels });
  expect(document.workspace_bytes).toBeGreaterThanOrEqual(workspace?.bytes ?? Infinity);
  expect(document.buffers).toContainEqual({ ...workspace, workspace_offset: 0 });
});

test("workspaces lie one after the other, each at a multiple of 256 bytes", () => {
  const buffers = [100, 256, 257].map((bytes, i) => tensor(`w${i}`, "workspace", "uint8", [bytes]));
  const { bytes, offsets } = workspacesOf({ buffers: [tensor("x", "in", "float32", [1000]), ...buffers] });
  expect([[...offsets], bytes]).toEqual([
    [
      ["w0", 0],
      ["w1", 256],
      ["w2", 512],
    ],
    1024,
  ]);
  expect(workspacesOf({ buffers: [] })).toEqual({ bytes: 0, offsets: new Map() });
});
