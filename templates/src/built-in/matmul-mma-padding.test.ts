/**
 * matmul_mma where blocks or groups of blocks reach beyond the result: small shapes run by warps against the product's
 * definition; every config that the device can launch is one.
 */
import { formatTarget, type Json, Random } from "@warpfarm/common";
import { evaluate, gpuLimits, interpretKernels, lowerFunc, parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { createTask, type TemplateTask } from "../task.ts";
import { compiled, inputsOf, needsNvccInCampaign, nestOf, nvccResources, textOf } from "./template.testing.ts";

const target = parseTarget("cuda/sm_90");
const on = formatTarget(target);
const limits = gpuLimits(on);
const taskOf = (args: Json): TemplateTask => createTask("matmul_mma", args, on);

const small = { row_warps: 1, col_warps: 1, warp_rows: 1, warp_cols: 1, chunk: 1, stages: 2, swizzle: 1, group: 1 };
function indexOf({ space }: TemplateTask, values: Partial<typeof small>) {
  const index = space.indexOf(new Map(Object.entries({ ...small, ...values })));
  if (index === undefined) throw new Error(`no config has ${JSON.stringify(values)}`);
  return index;
}

it.each<[args: Json]>([
  [{ M: 16, N: 1760, K: 1760 }],
  [{ M: 7000, N: 2048, K: 2048, layout: "NT" }],
  [{ M: 8457, N: 35, K: 4096 }],
])("only the device refuses configs of %j", (args) => {
  const task = taskOf(args);
  const random = new Random(2);
  const indices = Array.from({ length: 40 }, () => task.space.toIndex(random.below(task.space.size)));
  const refusals = indices.map((index) => task.validate(index, limits).map(({ rule }) => rule));
  expect(refusals.flat().filter((rule) => !rule.startsWith("gpu."))).toEqual([]);
  expect(refusals.filter((rules) => rules.length === 0).length).toBeGreaterThan(20);
});

describe("small shapes, run by warps", () => {
  it.each<[what: string, args: Json, values: Partial<typeof small>, blocks: number]>([
    ["blocks beyond the last row", { M: 48, N: 32, K: 32, layout: "NN" }, { row_warps: 2, warp_rows: 2 }, 2],
    ["blocks beyond the last column", { M: 16, N: 48, K: 32, layout: "NT" }, { col_warps: 2, warp_cols: 2 }, 1],
    ["a last step that is not whole", { M: 16, N: 16, K: 80, layout: "TN" }, { chunk: 2, stages: 3 }, 1],
    ["more rows in a group than there are", { M: 33, N: 16, K: 16, layout: "TT" }, { group: 16 }, 3],
    // 21 rows of blocks: a group of two adds one, of four adds three.
    ["a last group that is not whole", { M: 336, N: 16, K: 16, layout: "NN" }, { group: 4 }, 22],
    ["odd everything", { M: 37, N: 19, K: 21, layout: "TN", dtype: "bfloat16" }, { warp_rows: 2, warp_cols: 2, chunk: 2 }, 2],
  ])("%s: %j", (_, args, values, blocks) => {
    const task = taskOf(args);
    const index = indexOf(task, values);
    expect(compiled(task, index).kernels.map(({ grid }) => grid.reduce((a, b) => a * b))).toEqual([blocks]);
    const inputs = inputsOf(task);
    const got = interpretKernels(lowerFunc(nestOf(task, index), target), inputs).data.get("C");
    expect(got).toEqual(evaluate(task.defaultSchedule.graph, inputs).get("C"));
  });
});

it("only the store has a guard, whatever the blocks", () => {
  const lines = textOf(taskOf({ M: 1760, N: 1760, K: 1760 }), 12280).split("\n");
  expect(lines.filter((line) => line.includes("cp_async_16_or_zero(")).length).toBeGreaterThan(8);
  const firstGuard = lines.findIndex((line) => /^ +if \((?!k_0)/.test(line));
  expect(firstGuard).toBeGreaterThan(lines.findLastIndex((line) => line.includes("tile_mma_sync")));
});

it("is taken by nvcc, everything in registers", (ctx) => {
  needsNvccInCampaign(ctx);
  expect(nvccResources(textOf(taskOf({ M: 7000, N: 1760, K: 1760 }), 12280))).toMatchObject({ spills: 0, stack: 0 });
});
