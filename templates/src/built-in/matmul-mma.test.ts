/**
 * matmul_mma: small shapes run by warps against the product's definition, also where blocks or groups of blocks reach beyond the
 * result; the default's text through nvcc at full shape.
 */
import { formatTarget, type Json, Random } from "@warpfarm/common";
import { compileProgram, evaluate, gpuLimits, lowerFunc, parseTarget, type TensorData } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { createTask, type TemplateTask } from "../task.ts";
import { paddedSide } from "./padded.ts";
import {
  compiled,
  expectRight,
  indexWith,
  inputsOf,
  needsNvccInCampaign,
  nestOf,
  nvccResources,
  programOf,
  runInOrder,
  textOf,
} from "./template.testing.ts";

const layouts = ["NN", "NT", "TN", "TT"] as const;

/** The product by its definition, rounded by no one: sums here are whole and small enough for both types. */
function product(
  task: TemplateTask,
  inputs: ReadonlyMap<string, TensorData>,
  [M, N, K]: readonly number[],
  layout: string,
): number[] {
  const a = inputs.get("A") as Float32Array;
  const b = inputs.get("B") as Float32Array;
  const [m = 0, n = 0, k = 0] = [M, N, K];
  expect(task.graph.inputs.map(({ shape }) => shape[0])).toEqual([layout[0] === "T" ? k : m, layout[1] === "T" ? n : k]);
  return Array.from({ length: m * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    let sum = 0;
    for (let l = 0; l < k; l++)
      sum += (a[layout[0] === "T" ? l * m + i : i * k + l] as number) * (b[layout[1] === "T" ? j * k + l : l * n + j] as number);
    return sum;
  });
}

describe("small shapes, run by warps", () => {
  const target = parseTarget("cuda/sm_90");
  // row_warps, col_warps, warp_rows, warp_cols, chunk, stages, swizzle, group.
  it.each<[what: string, layout: (typeof layouts)[number], dtype: string, shape: readonly number[], knobs: readonly number[]]>([
    ["three arrays, swizzled", "NN", "float16", [64, 32, 64], [0, 0, 1, 1, 1, 2, 1, 1]],
    ["four arrays, two warps of columns", "NT", "float16", [32, 64, 96], [0, 1, 0, 1, 0, 3, 0, 0]],
    ["two arrays, two warps of rows", "TN", "float16", [64, 32, 64], [1, 0, 0, 1, 1, 1, 1, 0]],
    ["one array", "TT", "bfloat16", [32, 32, 32], [0, 0, 1, 1, 1, 0, 1, 0]],
    ["more arrays than chunks", "NT", "bfloat16", [32, 16, 32], [0, 0, 0, 0, 1, 4, 1, 0]],
  ])("%s: %s %s", (_, layout, dtype, [M, N, K], digits) => {
    const given: Json = { M: M ?? 0, N: N ?? 0, K: K ?? 0, dtype, layout };
    const task = createTask("matmul_mma", given, formatTarget(target));
    const inputs = inputsOf(task);
    const got = runInOrder(lowerFunc(nestOf(task, task.space.fromDigits(digits)), target), inputs, task.flops).data.get("C");
    expect(got).toEqual(evaluate(task.graph, inputs).get("C"));
    const exact = product(task, inputs, [M ?? 0, N ?? 0, K ?? 0], layout);
    // Of more than 8 bits a bfloat16 is not whole.
    if (dtype === "float16") expect(Array.from(got as Float32Array)).toEqual(exact);
  });
});

describe("the default config at 4096 x 4096 x 4096", () => {
  const textAt = (args: Json, target: string): string => {
    const task = createTask("matmul_mma", args, target);
    const index = createTask("matmul_mma", undefined, target).published;
    if (index === undefined) throw new Error("no default config");
    expect(task.validate(index, gpuLimits(target))).toEqual([]);
    return textOf(task, index);
  };

  it("copies 16 bytes a lane by cp.async, with one barrier an iteration", () => {
    const lines = textAt({}, "cuda/sm_90").split("\n");
    const body = lines.slice(lines.findIndex((line) => line.includes("__global__")));
    expect(body.filter((line) => line.includes("__syncthreads"))).toEqual(["  __syncthreads();", "    __syncthreads();"]);
    // The next chunk's fragments come between the barrier and the last products.
    const end = body.indexOf("    __syncthreads();");
    expect(body.slice(end + 1, end + 12).filter((line) => /^ {6}tile_ldmatrix_[ab]_/.test(line))).toHaveLength(8);
    expect(body.filter((line) => /\*\(f16x8 \*\)\((A|B)_shared/.test(line))).toEqual([]);
    expect(body.filter((line) => line.includes("cp_async_16(")).length).toBeGreaterThan(8);
    // Each group is counted, also where the last iterations have nothing to copy.
    expect(body.filter((line) => /^ {4}cp_async_commit\(\);/.test(line))).toHaveLength(1);
  });

  it("waits for no copies before sm_80, which has none", () => {
    const size = { M: 64, N: 64, K: 64 };
    expect(() => createTask("matmul_mma", size, "cuda/sm_75")).toThrow(
      "matmul_mma is for cuda/sm_80 and later, not for cuda/sm_75",
    );
    const task = createTask("matmul_mma", size, "cuda/sm_80");
    const program = programOf(task, task.space.fromDigits([0, 0, 1, 1, 1, 2, 1, 0]));
    const made = compileProgram({ ...program, target: "cuda/sm_75" });
    expect(made.ok ? "" : made.error.message).toContain("needs sm_80");
  });

  it.for(some(layouts, 3))("%s is taken by nvcc, everything in registers", (layout, ctx) => {
    needs(ctx, "nvcc");
    const dtype = layout === "TT" ? "bfloat16" : "float16";
    expect(nvccResources(textAt({ layout, dtype }, "cuda/sm_90"))).toMatchObject({ spills: 0, stack: 0 });
  });
});

describe("shapes without whole tiles", () => {
  it.each<[what: string, args: Json, views: readonly string[]]>([
    ["nothing where blocks divide all", { M: 256, N: 128, K: 192 }, []],
    ["the operand of an odd side", { M: 1, N: 4096, K: 4096 }, ["A_padded"]],
    ["both along an odd reduction", { M: 128, N: 128, K: 100 }, ["A_padded", "B_padded"]],
  ])("pads %s, and counts the operations of the product", (_, args, views) => {
    const task = createTask("matmul_mma", args, "cuda/sm_90");
    const { graph } = programOf(task, task.starts?.[0] as number);
    expect(graph.ops.map(({ output }) => output.name)).toEqual([...views, "sums", "C"]);
    const { M: m = 0, N: n = 0, K: k = 0 } = args as Record<string, number>;
    expect(task.flops).toBe(2 * m * n * k);
  });

  it("pads to blocks where that adds an eighth at most, else to tiles", () => {
    expect([167, 168, 176].map((side) => paddedSide(side).padded)).toEqual([176, 192, 176]);
  });

  it("rows that vectors divide are copied by cp.async, zeros beyond; only the store has a guard", () => {
    const task = createTask("matmul_mma", { M: 1000, N: 1000, K: 1000 }, "cuda/sm_90");
    const lines = textOf(task, 12280).split("\n");
    expect(lines.filter((line) => line.includes("cp_async_16_or_zero((A_padded_shared")).length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes("cp_async_16_or_zero((B_padded_shared")).length).toBeGreaterThan(0);
    const firstGuard = lines.findIndex((line) => /^ +if \((?!k_0)/.test(line));
    expect(firstGuard).toBeGreaterThan(lines.findLastIndex((line) => line.includes("tile_mma_sync")));
  });

  it("rows that only 8 or 4 bytes divide are copied by cp.async too, as many bytes at once", () => {
    const text = textOf(createTask("matmul_mma", { M: 1000, N: 1002, K: 1004 }, "cuda/sm_90"), 12280);
    expect(text).toContain("cp_async_8_or_zero((A_padded_shared");
    expect(text).toContain("cp_async_4_or_zero((B_padded_shared");
  });

  const odd = [
    { M: 2047, N: 4099, K: 513 },
    { M: 1000, N: 1000, K: 1000 },
  ];
  it.for<Json>(some(odd, 1))("%j is taken by nvcc, everything in registers", (args, ctx) => {
    needsNvccInCampaign(ctx);
    const task = createTask("matmul_mma", args, "cuda/sm_90");
    expect(nvccResources(textOf(task, 12280))).toMatchObject({ spills: 0, stack: 0 });
  });
});

const small = { row_warps: 1, col_warps: 1, warp_rows: 1, warp_cols: 1, chunk: 1, stages: 2, swizzle: 1, group: 1 };
it.each<[args: Json]>([
  [{ M: 16, N: 1760, K: 1760 }],
  [{ M: 7000, N: 2048, K: 2048, layout: "NT" }],
  [{ M: 8457, N: 35, K: 4096 }],
])("only the device refuses configs of %j", (args) => {
  const task = createTask("matmul_mma", args, "cuda/sm_90");
  const random = new Random(2);
  const indices = Array.from({ length: 40 }, () => task.space.toIndex(random.below(task.space.size)));
  const refusals = indices.map((index) => task.validate(index, gpuLimits("cuda/sm_90")).map(({ rule }) => rule));
  expect(refusals.flat().filter((rule) => !rule.startsWith("gpu."))).toEqual([]);
  expect(refusals.filter((rules) => rules.length === 0).length).toBeGreaterThan(20);
});

describe("small shapes that reach beyond, run by warps", () => {
  it.each<[what: string, args: Json, values: Partial<typeof small>, blocks: number]>([
    ["blocks beyond the last row", { M: 48, N: 32, K: 32, layout: "NN" }, { row_warps: 2, warp_rows: 2 }, 2],
    ["blocks beyond the last column", { M: 16, N: 48, K: 32, layout: "NT" }, { col_warps: 2, warp_cols: 2 }, 1],
    ["a last step that is not whole", { M: 16, N: 16, K: 80, layout: "TN" }, { chunk: 2, stages: 3 }, 1],
    ["more rows in a group than there are", { M: 33, N: 16, K: 16, layout: "TT" }, { group: 16 }, 3],
    // 21 rows of blocks: a group of two adds one, of four adds three.
    ["a last group that is not whole", { M: 336, N: 16, K: 16, layout: "NN" }, { group: 4 }, 22],
    ["odd everything", { M: 37, N: 19, K: 21, layout: "TN", dtype: "bfloat16" }, { warp_rows: 2, warp_cols: 2, chunk: 2 }, 2],
  ])("%s: %j", (_, args, values, blocks) => {
    const task = createTask("matmul_mma", args, "cuda/sm_90");
    const index = indexWith(task, { ...small, ...values });
    expect(compiled(task, index).kernels.map(({ grid }) => grid.reduce((a, b) => a * b))).toEqual([blocks]);
    expectRight(task, index);
  });
});
