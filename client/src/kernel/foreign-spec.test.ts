/** T1 files, KTT's scripts, CUB's comments and specs in TypeScript: the program of a config, worked out by hand. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@warpfarm/common";
import { defined } from "@warpfarm/common";
import { type CudaSourceProgram, decodeProgram } from "@warpfarm/compiler";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKernelTask } from "./kernel-task.ts";
import { loadKernel } from "./load-kernel.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "warpfarm-foreign-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function taskOf(text: string, spec: Json | string, end = ".json", args?: Json) {
  writeFileSync(join(folder, "k.cu"), text);
  writeFileSync(join(folder, `k${end}`), typeof spec === "string" ? spec : JSON.stringify(spec));
  const source = await loadKernel({ path: join(folder, "k.cu"), word: "./k.cu" });
  return { task: createKernelTask(source, args, "cuda/sm_90"), source };
}
function decoded(bytes: Uint8Array): CudaSourceProgram {
  const program = decodeProgram(bytes);
  if (!program.ok || program.value.kind !== "cuda_source") throw new Error("no CUDA source");
  return program.value;
}

const parameter = (Name: string, Values: Json, Default?: Json) => ({
  Name,
  Type: "int",
  Values,
  ...defined({ Default }),
});
const vector = (Name: string, Size: Json, more: object = {}) =>
  ({
    Name,
    Type: "float",
    MemoryType: "Vector",
    AccessType: "ReadOnly",
    FillType: "Random",
    FillValue: 3,
    Size,
    ...more,
  }) as Json;
const t1 = {
  General: { BenchmarkName: "blur" },
  ConfigurationSpace: {
    TuningParameters: [
      parameter("block_size_x", "[16, 32]", 32),
      parameter("tile_size_x", "[i for i in range(1, 4)]", 7),
      parameter("filter_width", "[5]", 5),
    ],
    Conditions: [{ Expression: "block_size_x * tile_size_x <= 64", Parameters: ["block_size_x", "tile_size_x"] }],
  },
  KernelSpecification: {
    Language: "CUDA",
    CompilerOptions: ["-std=c++11", "-use_fast_math", ""],
    KernelName: "blur",
    KernelFile: "k.cu",
    GlobalSizeType: "CUDA",
    LocalSize: { X: "block_size_x", Y: "2", Z: "1" },
    GlobalSize: { X: "(262144 // block_size_x) // tile_size_x", Y: "9" },
    GridDivX: ["block_size_x", "tile_size_x"],
    ProblemSize: [100, 7],
    SharedMemory: 0,
    Stream: null,
    Arguments: [
      vector("out", "ProblemSize[0]*ProblemSize[1]", {
        AccessType: "WriteOnly",
        FillType: "Constant",
        FillValue: 0.0,
        Output: 1,
      }),
      vector("in", "(ProblemSize[0]+max(filter_width)-1)"),
      vector("taps", "max(filter_width)", { MemType: "Constant", FillValue: 1 }),
      vector("plain", 4, { MemType: "Constant", FillType: "Constant", FillValue: 2 }),
      { Name: "scale", Type: "float", MemoryType: "Scalar", FillValue: 0.1 },
    ],
  },
} as unknown as Json;
const text = "__constant__ float taps[33 * 33];\n#pragma unroll tile_size_x\n#pragma unroll other\n__global__ void blur();\n";

describe("a T1 file", () => {
  it("is a task as it stands", async () => {
    const { task, source } = await taskOf(text, t1);
    expect(task.space.valid.count).toBe(5); // 16 and 32 times 1, 2 and 3, but for 96
    expect(source.notes).toEqual([expect.stringMatching(/names no reference: .* outputs of the default one/)]);
    // Its default of tile_size_x is not one of the values, so the first is taken.
    expect(decoded(task.reference.bytes).defines).toMatchObject({ block_size_x: "32", tile_size_x: "1" });
    const index = task.space.toIndex(3); // 32 by the first knob, 2 by the second
    expect(task.space.get(index).values.get("tile_size_x")).toBe(2);
    const made = task.instantiate(index);
    expect(made.ok && decoded(made.value.program.bytes)).toEqual({
      version: 1,
      kind: "cuda_source",
      target: "cuda/sm_90",
      files: { "k.cu": text.replace("unroll tile_size_x", "unroll 2") },
      defines: {
        block_size_x: "32",
        tile_size_x: "2",
        filter_width: "5",
        kernel_tuner: "1",
        block_size_y: "2",
        block_size_z: "1",
      },
      flags: ["-use_fast_math"],
      args: [
        { name: "out", dtype: "float32", shape: [700], role: "out", fill: "zeros" },
        { name: "in", dtype: "float32", shape: [104], role: "in", fill: { kind: "range", from: "0", to: "3" } },
        { name: "taps", dtype: "float32", shape: [5], role: "in", fill: { kind: "range", from: "0", to: "1" } },
        { name: "plain", dtype: "float32", shape: [4], role: "in", fill: { kind: "constant", value: "2" } },
      ],
      constants: { taps: "taps" },
      kernels: [
        {
          entry: "::blur",
          grid: [2, 7, 1], // 100 over 64 rounded up, 7 over 1
          block: [32, 2, 1],
          cluster: [1, 1, 1],
          shared_bytes: 0,
          args: ["out", "in", "taps", "plain", { scalar: "float32", value: "0.1" }],
        },
      ],
    });
  });

  it("whose default breaks its own conditions takes the first config that they allow", async () => {
    const broken = structuredClone(t1) as { ConfigurationSpace: { Conditions: Json[] } };
    broken.ConfigurationSpace.Conditions.push({ Expression: "block_size_x != 32" });
    const { task } = await taskOf(text, broken as unknown as Json);
    expect(decoded(task.reference.bytes).defines).toMatchObject({ block_size_x: "16", tile_size_x: "1" });
  });

  it.each<[string, object, RegExp]>([
    [
      "a fill it has not",
      { FillType: "Script" },
      /^k\.json:1: KernelSpecification\.Arguments\.1\.FillType: "Script" is not supported/,
    ],
    [
      "a generator that is none",
      { FillType: "Generator", DataSource: "i +", Size: 4 },
      /^k\.json:1: KernelSpecification\.Arguments\.1\.DataSource: /,
    ],
    [
      "a generator of another name",
      { FillType: "Generator", DataSource: "j", Size: 4 },
      /^k\.json:1: KernelSpecification\.Arguments\.1\.DataSource: "j" uses j; an element's number is i/,
    ],
    [
      "a generator that gives no number",
      { FillType: "Generator", DataSource: "1 / (i - 2)", Size: 4 },
      /\.DataSource: "1 \/ \(i - 2\)" divides by zero where i is 2/,
    ],
    [
      "a generator without a size",
      { FillType: "Generator", DataSource: "i", Size: "tile_size_x" },
      /\.Size: tile_size_x; a generator fills 1 to 1048576 elements/,
    ],
    ["a type it has not", { Type: "float4" }, /^k\.json:1: KernelSpecification\.Arguments\.1\.Type: float4; known are/],
    ["no size", { Size: undefined }, /^k\.json:1: KernelSpecification\.Arguments\.1\.Size is missing/],
  ])("with %s is refused by its field", async (_, change, message) => {
    const wrong = structuredClone(t1) as { KernelSpecification: { Arguments: object[] } };
    Object.assign(wrong.KernelSpecification.Arguments[1] as object, change);
    await expect(taskOf(text, wrong as unknown as Json)).rejects.toThrow(message);
  });
});

it("KTT's global sizes are threads where they are OpenCL's, and ReadWrite is both", async () => {
  const ktt = {
    ConfigurationSpace: { TuningParameters: [parameter("W", "[8, 16]")], Conditions: [] },
    KernelSpecification: {
      KernelName: "gemm",
      GlobalSize: { X: "2048 * W // 64", Y: "2048" },
      GlobalSizeType: "OpenCL",
      LocalSize: { X: "W", Y: "4" },
      SharedMemory: 64,
      Arguments: [
        { Type: "double", Size: 16, FillType: "Constant", FillValue: 1.5, AccessType: "ReadWrite", MemoryType: "Vector" },
      ],
    },
  };
  const { task } = await taskOf("", ktt);
  const made = task.instantiate(task.space.toIndex(1));
  expect(made.ok && decoded(made.value.program.bytes)).toMatchObject({
    args: [{ name: "a0_", dtype: "float64", role: "inout", fill: { kind: "constant", value: "1.5" } }],
    kernels: [{ grid: [32, 512, 1], block: [16, 4, 1], shared_bytes: 64 }],
  });
});

/** A script of KTT with one tunable, the block's width. */
const kttScript = (KernelName: string, more: object) => ({
  ConfigurationSpace: { TuningParameters: [parameter("W", "[8, 16]")] },
  KernelSpecification: { KernelName, GlobalSize: { X: "1" }, LocalSize: { X: "W" }, ...more },
});
const ofFour = (Name: string, AccessType: string) => ({ Name, Type: "float", MemoryType: "Vector", Size: 4, AccessType });

it("KTT's generators fill inputs by an expression of the element's number; its reference files are not read, which is said", async () => {
  const filled = (Type: string, DataSource: string) => ({
    Type,
    Size: 5,
    FillType: "Generator",
    DataSource,
    AccessType: "ReadOnly",
  });
  const ktt = kttScript("sum", {
    Arguments: [
      { Name: "a", ...filled("float", "1+(i//2)*0.5 if i%2 < 1 else -i") },
      { Name: "b", ...filled("int32", "7 - i") },
      { Name: "c", Type: "float", Size: 5, AccessType: "WriteOnly" },
    ],
    ReferenceArguments: [{ Name: "reference", FillType: "BinaryRaw", DataSource: "c.bin", TargetName: "c" }],
  });
  const { task, source } = await taskOf("", ktt);
  expect(source.notes).toEqual([
    expect.stringContaining("of the spec's ReferenceArguments only the thresholds are read: every config is compared"),
  ]);
  const [a, b] = (task.uploads ?? []).map(({ bytes }) => bytes.slice().buffer);
  expect([...new Float32Array(a as ArrayBuffer)]).toEqual([1, -1, 1.5, -3, 2]);
  expect([...new Int32Array(b as ArrayBuffer)]).toEqual([7, 6, 5, 4, 3]);
  const made = task.instantiate(task.space.toIndex(1));
  const fills = made.ok ? decoded(made.value.program.bytes).args.map(({ fill }) => fill) : [];
  expect(fills).toEqual([...(task.uploads ?? []).map(({ digest }) => ({ kind: "blob", digest })), "zeros"]);
});

it.each([
  ["SideBySideComparison", { atol: 0.01, rtol: 0 }],
  ["SideBySideRelativeComparison", { atol: 0, rtol: 0.01 }],
  ["AbsoluteDifference", undefined],
])("KTT's %s with a threshold is a tolerance where it judges each element", async (ValidationMethod, tolerance) => {
  const ktt = kttScript("f", {
    Arguments: [ofFour("a", "WriteOnly"), ofFour("b", "ReadWrite")],
    ReferenceArguments: [{ Name: "r", TargetName: "b", ValidationMethod, ValidationThreshold: 0.01 }],
  });
  const { source } = await taskOf("", ktt);
  const [a, b] = source.spec.args as { readonly tolerance?: object }[];
  expect([a?.tolerance, b?.tolerance]).toEqual([undefined, tolerance]);
});

it.each([
  ["sum[i] += x;", "inout", 2],
  ["#if W > 8\n  sum[i * (n[0] + 1)] *= 2;\n#endif\n  sum[i] += x; // sum[i] = x", "inout", 2],
  ["sum[i] = 0;\n  sum[i] += x;", "out", 1],
  ["sum[i] = x;", "out", 1],
  ["add(sum, x);\n  sum[i] += x;", "out", 1],
])("what is WriteOnly is filled where the kernel adds to it: %s", async (statement, role, notes) => {
  const text = `extern "C" __global__ void total(const float* n, float* sum)\n{\n  ${statement}\n}\n`;
  const ktt = kttScript("total", {
    Arguments: [ofFour("count", "ReadOnly"), { ...ofFour("grid", "WriteOnly"), FillType: "Constant", FillValue: 0.5 }],
  });
  const { task, source } = await taskOf(text, ktt);
  const made = task.instantiate(task.space.toIndex(0));
  const arg = made.ok ? decoded(made.value.program.bytes).args[1] : undefined;
  expect(arg).toMatchObject({ name: "grid", role, ...(role === "inout" ? { fill: { kind: "constant", value: "0.5" } } : {}) });
  expect(source.notes).toHaveLength(notes);
});

it.each([
  ["a number", 100, 4],
  ["a list", [100], 4],
  ["an expression", "4 * 25", 4],
])("ProblemSize may be %s", async (_, problem, blocks) => {
  const { task } = await taskOf("", {
    ConfigurationSpace: { TuningParameters: [{ Name: "B", Values: "[32]" }] },
    KernelSpecification: {
      KernelName: "f",
      LocalSize: { X: "B" },
      ProblemSize: problem,
      GridDivX: "B",
      CompilerOptions: "-O3",
      Arguments: [{ Name: "c", Type: "float", AccessType: "WriteOnly", Size: "ProblemSize[0]" }],
    },
  });
  const made = task.instantiate(task.space.toIndex(0));
  const program = made.ok ? decoded(made.value.program.bytes) : undefined;
  expect(program).toMatchObject({ kernels: [{ grid: [blocks, 1, 1] }], args: [{ shape: [100] }], flags: ["-O3"] });
});

it("comments of the text are tunables, as CUB's benchmarks have them", async () => {
  const cub = "// %RANGE% TUNE_ITEMS ipt 7:24:4\n  // %RANGE% TUNE_THREADS tpb 128:256:128\n// %RANGE% TUNE_X x 1:2:1\n";
  const spec = {
    tunables: { TUNE_X: [5] },
    args: [{ name: "c", dtype: "float32", shape: [4], role: "out" }],
    kernels: [{ entry: "f", grid: [1], block: ["TUNE_THREADS"] }],
  };
  const { task } = await taskOf(cub, spec);
  const knobs = task.space.knobs.map((knob) => [knob.name, Array.from({ length: knob.size }, (_, i) => knob.decode(i))]);
  expect(Object.fromEntries(knobs)).toEqual({ TUNE_ITEMS: [7, 11, 15, 19, 23], TUNE_THREADS: [128, 256], TUNE_X: [5] });
});

it("a spec may be TypeScript, and what is wrong with it is told by its field", async () => {
  const spec = (entry: string) =>
    `const sizes: readonly number[] = [1, 2, 3].map((n) => 32 * n);
     export default { tunables: { B: sizes }, args: [{ name: "c", dtype: "float32", shape: [4], role: "out" }],
       kernels: [{ ${entry} grid: [1], block: ["B"] }] };`;
  const { task } = await taskOf("", spec('entry: "f",'), ".ts");
  expect(task.space.size).toBe(3);
  const page = readFileSync(new URL("../../../docs/own-kernels.md", import.meta.url), "utf8");
  const [, written = ""] = /```ts\n(import type \{ KernelSpec \}[\s\S]*?)```/.exec(page) ?? [];
  expect((await taskOf("", written, ".ts")).task.space.size).toBe(12);
  await expect(taskOf("", spec(""), ".ts")).rejects.toThrow(/^k\.ts: kernels\[0\]\.entry: /);
});
