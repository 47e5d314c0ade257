/** Operators: which templates fit, why others do not, and that all that fit take the same tensors and give the same result. */
import type { Json } from "@warpfarm/common";
import { decodeProgram, evaluate, type Graph } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { findOperator, operators } from "./operators.ts";
import type { TemplateTask } from "./task.ts";
import { inputsOf } from "./templates/template.testing.ts";

const targets = { cuda: "cuda/sm_90", cpu: "cpu/x86-64-v3" } as const;
const fittingOn = (name: string, args: Json, on: (typeof targets)[keyof typeof targets]) => {
  const found = findOperator(name)?.fitting(args, () => on);
  if (!found) throw new Error(`no operator ${name}`);
  return found;
};
const namesOf = ({ tasks }: { readonly tasks: readonly TemplateTask[] }) => tasks.map(({ name }) => name);

const product = { M: 16, N: 32, K: 64 };
const image = { N: 1, H: 5, W: 6, CO: 16, CI: 16, KH: 3, KW: 3 };

it.each<[what: string, name: string, args: Json, on: keyof typeof targets, names: readonly string[]]>([
  ["halves of few rows", "matmul", product, "cuda", ["matmul_latency", "matmul_mma", "matmul_tma_mma"]],
  ["halves of many rows", "matmul", { M: 128, N: 128, K: 64 }, "cuda", ["matmul_mma", "matmul_tma_mma"]],
  ["halves without whole tiles", "matmul", { M: 65, N: 129, K: 63 }, "cuda", ["matmul_mma"]],
  ["float32", "matmul", { ...product, dtype: "float32" }, "cuda", ["matmul_simt"]],
  ["float32", "matmul", { ...product, dtype: "float32" }, "cpu", ["matmul_cpu"]],
  ["one image NCHW", "conv2d", image, "cuda", ["conv2d_nchw_gemm", "conv2d_splitk", "tutorial/conv2d_no_batching"]],
  ["two images NCHW", "conv2d", { ...image, N: 2 }, "cuda", ["conv2d_nchw_gemm", "conv2d_splitk"]],
  ["NHWC", "conv2d", { ...image, layout: "NHWC", dtype: "float16" }, "cuda", ["conv2d_nhwc_mma"]],
  ["HWCN", "conv2d", { ...image, layout: "HWCN" }, "cuda", ["conv2d_hwcn_direct", "conv2d_hwcn"]],
  ["NHWC", "conv2d", { ...image, layout: "NHWC" }, "cpu", ["conv2d_nhwc_cpu"]],
])("%s: templates of %s for %j on %s", (_, name, args, on, names) => {
  expect(namesOf(fittingOn(name, args, targets[on]))).toEqual(names);
});

it("says why the others do not fit, in the template's words", () => {
  const { refused } = fittingOn("matmul", { M: 65, N: 129, K: 63 }, targets.cuda);
  expect(refused).toEqual([
    { template: "matmul_latency", why: "M is 65 and N is 129; it is for one of them up to 64" },
    { template: "matmul_tma_mma", why: "M is 65; tiles need a multiple of 16" },
    { template: "matmul_tma", why: "it is for cuda/sm_90a, not for cuda/sm_90" },
    { template: "matmul_simt", why: "dtype is float16; it takes float32" },
    { template: "matmul_cpu", why: "dtype is float16; it takes float32" },
  ]);
  expect(fittingOn("matmul", product, targets.cpu).refused[0]?.why).toMatch(/^it is for cuda\/sm_80 and later, not for cpu/);
});

it("refuses arguments that the operator does not have", () => {
  expect(() => fittingOn("matmul", { L: 3 }, targets.cuda)).toThrow('matmul has no argument "L"');
});

const plain = (task: TemplateTask): Graph => {
  const decoded = decodeProgram(task.reference.bytes);
  if (!decoded.ok || decoded.value.kind !== "schedule") throw new Error("the reference is no schedule");
  return decoded.value.graph;
};

describe("all templates of an operator compute the same", () => {
  const layouts = ["NN", "NT", "TN", "TT"];
  it.each<[name: string, args: Json]>([
    ...layouts.map((layout): [string, Json] => ["matmul", { M: 16, N: 48, K: 32, layout }]),
    ...layouts.map((layout): [string, Json] => ["matmul", { M: 3, N: 5, K: 7, layout, dtype: "float32" }]),
    ["conv2d", { ...image, stride: 2 }],
    ["conv2d", { ...image, W: 7, CO: 3, layout: "HWCN" }],
    ["conv2d", { ...image, N: 16, H: 3, layout: "NHWC", dtype: "float16" }],
  ])("%s %j", (name, args) => {
    const tasks = Object.values(targets).flatMap((on) => [...fittingOn(name, args, on).tasks]);
    expect(tasks.length).toBeGreaterThan(1);
    const [first, ...others] = tasks.map((task) => {
      const graph = plain(task);
      const given = [...inputsOf(task).values()];
      const inputs = new Map(graph.inputs.map((tensor, i) => [tensor.name, given[i] as (typeof given)[number]]));
      const [output] = graph.outputs;
      const values = evaluate(graph, inputs).get(output?.name ?? "");
      return { takes: graph.inputs.map(({ shape, dtype }) => [shape, dtype]), gives: [output?.shape, output?.dtype], values };
    });
    for (const other of others) expect(other).toEqual(first);
  });
});

it("an operator has no template's name", () => {
  for (const { name, templates } of operators) for (const t of templates) expect([t.name, ...t.aliases]).not.toContain(name);
});
