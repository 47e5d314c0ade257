/**
 * Operators: which templates fit, why others do not, and that all fitting ones take the same tensors and give the same result.
 */
import { type Json, Random } from "@warpfarm/common";
import { decodeProgram, evaluate, type Graph, gpuLimits } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../test-support/campaign.ts";
import { inputsOf } from "./built-in/template.testing.ts";
import { findOperator, operators } from "./operators.ts";
import type { TemplateTask } from "./task.ts";

const targets = { cuda: "cuda/sm_90", cpu: "cpu/x86-64-v3" } as const;
const fittingOn = (name: string, args: Json, on: string) => {
  const found = findOperator(name)?.fitting(args, () => on);
  if (!found) throw new Error(`no operator ${name}`);
  return found;
};
/** Has it a config that the target can launch? */
function fits(task: TemplateTask): boolean {
  const limits = task.target.startsWith("cuda") ? gpuLimits(task.target) : undefined;
  const random = new Random(1);
  for (let tried = 0; tried < 2000; tried++) {
    const index = task.space.toIndex(random.below(task.space.size));
    if (limits === undefined ? task.instantiate(index).ok : task.validate(index, limits).length === 0) return true;
  }
  return false;
}
const namesOf = ({ tasks }: { readonly tasks: readonly TemplateTask[] }) => tasks.map(({ name }) => name);

const product = { M: 16, N: 32, K: 64 };
const image = { N: 1, H: 5, W: 6, CO: 16, CI: 16, KH: 3, KW: 3 };

it.each<[what: string, name: string, args: Json, on: keyof typeof targets, names: readonly string[]]>([
  ["halves of few rows", "matmul", product, "cuda", ["matmul_latency", "matmul_mma"]],
  ["halves of many rows", "matmul", { M: 128, N: 128, K: 64 }, "cuda", ["matmul_mma"]],
  ["halves without whole tiles", "matmul", { M: 65, N: 129, K: 63 }, "cuda", ["matmul_mma"]],
  ["float32", "matmul", { ...product, dtype: "float32" }, "cuda", ["matmul_simt"]],
  ["float32", "matmul", { ...product, dtype: "float32" }, "cpu", ["matmul_derived"]],
  ["int8", "matmul", { ...product, dtype: "int8" }, "cuda", ["tutorial/auto_tensorcore/test_gemm"]],
  ["float64", "matmul", { ...product, dtype: "float64" }, "cuda", ["matmul_derived"]],
  ["halves", "matmul", product, "cpu", ["matmul_derived"]],
  ["one image NCHW", "conv2d", image, "cuda", ["conv2d_nchw_gemm", "conv2d_splitk", "tutorial/conv2d_no_batching"]],
  ["two images NCHW", "conv2d", { ...image, N: 2 }, "cuda", ["conv2d_nchw_gemm", "conv2d_splitk"]],
  ["NHWC", "conv2d", { ...image, layout: "NHWC", dtype: "float16" }, "cuda", ["conv2d_nhwc_mma"]],
  ["HWCN", "conv2d", { ...image, layout: "HWCN" }, "cuda", ["conv2d_hwcn_direct", "conv2d_hwcn"]],
  ["NHWC", "conv2d", { ...image, layout: "NHWC" }, "cpu", ["conv2d_derived"]],
  ["a kernel that is no square", "conv2d", { ...image, KW: 1, layout: "NHWC", dtype: "float16" }, "cuda", ["conv2d_nhwc_mma"]],
  ["a gradient", "conv2d", { ...image, layout: "NHWC", dtype: "float16", gradient: "input" }, "cuda", ["conv2d_derived"]],
  ["groups", "conv2d", { ...image, groups: 2, layout: "NHWC", dtype: "float16" }, "cuda", ["conv2d_derived"]],
  ["tiles", "conv2d", { ...image, N: 16, layout: "NHWCnc", dtype: "float16" }, "cuda", ["conv2d_nhwcnc_wmma"]],
  ["depthwise", "depthwise", {}, "cuda", ["depthwise_derived"]],
  ["elementwise", "elementwise", {}, "cpu", ["elementwise_derived"]],
  ["attention", "attention", {}, "cpu", ["attention_derived"]],
  ["attention where code is for all devices of 9.0", "attention", {}, "cuda", ["attention_derived"]],
])("%s: templates of %s for %j on %s", (_, name, args, on, names) => {
  expect(namesOf(fittingOn(name, args, targets[on]))).toEqual(names);
});

it("says why the others do not fit, in the template's words", () => {
  const { refused } = fittingOn("matmul", { M: 65, N: 129, K: 63 }, targets.cuda);
  expect(refused).toEqual([
    { template: "matmul_latency", why: "M is 65 and N is 129; it is for one of them up to 64" },
    { template: "matmul_tma", why: "it is for cuda/sm_90a, not for cuda/sm_90" },
    { template: "matmul_simt", why: "dtype is float16; it takes float32" },
    { template: "tutorial/auto_tensorcore/test_gemm", why: "dtype is float16; it takes int8" },
    { template: "matmul_derived", why: "it serves only what no other template takes" },
  ]);
  expect(fittingOn("matmul", product, targets.cpu).refused[0]?.why).toMatch(/^it is for cuda\/sm_80 and later, not for cpu/);
});

/** Every combination of the arguments that are words. */
function* wordings(name: string): Generator<Readonly<Record<string, Json>>> {
  const specs = Object.entries(findOperator(name)?.args ?? {}).filter(([, { default: value }]) => typeof value === "string");
  const words = specs.map(([arg, { allowed }]) =>
    allowed
      .replace("one of ", "")
      .split(", ")
      .map((word) => [arg, word] as const),
  );
  for (const chosen of words.reduce<(readonly (readonly [string, string])[])[]>(
    (all, choices) => all.flatMap((before) => choices.map((choice) => [...before, choice])),
    [[]],
  ))
    yield Object.fromEntries(chosen);
}

describe("there is a template for every layout, type and shape", () => {
  const pixels = { N: 1, H: 7, W: 7, KH: 3, KW: 3 };
  const shapes: Readonly<Record<string, readonly Readonly<Record<string, Json>>[]>> = {
    matmul: [
      { M: 127, N: 131, K: 13 },
      { M: 1, N: 4099, K: 7 },
      { M: 97, N: 1, K: 1021 },
      { M: 1, N: 1, K: 1 },
    ],
    conv2d: [
      { ...pixels, CI: 13, CO: 11, padding: 1 },
      { ...pixels, CI: 48, CO: 48, KH: 1, KW: 7, stride: [3, 1], padding: [0, 3, 1, 4], dilation: [2, 1], groups: 3 },
      { ...pixels, N: 3, H: 5, W: 11, CI: 1, CO: 1, KH: 2, KW: 3, stride: 2 },
      { ...pixels, H: 1, W: 1, KH: 1, KW: 1, CI: 7, CO: 1 },
    ],
    depthwise: [
      { ...pixels, C: 13, M: 1, padding: 1 },
      { ...pixels, H: 5, N: 3, C: 1, M: 3, KW: 1, stride: 2 },
    ],
    elementwise: [
      { rows: 1, columns: 1 },
      { rows: 7, columns: 4099 },
    ],
    attention: [
      { B: 2, H: 3, M: 13, N: 7, D: 5 },
      { B: 1, H: 1, M: 67, N: 1, D: 64 },
      { B: 1, H: 1, M: 1, N: 1, D: 1 },
      { B: 1, H: 2, M: 3, N: 129, D: 72 },
    ],
    subgraph: [
      {
        inputs: [{ name: "x", dtype: "float32", shape: [3, 7] }],
        nodes: [{ op: "Softmax", inputs: ["x"], outputs: ["y"] }],
        outputs: ["y"],
      },
    ],
  };
  it.each(operators.map(({ name }) => name))("%s", (name) => {
    const without: Json[] = [];
    for (const words of wordings(name))
      for (const shape of some(shapes[name] ?? [], 0, 1)) {
        const whole = words.layout === "NHWCnc" ? { N: 16, CI: 48, CO: 48 } : {};
        const args = { ...shape, ...words, ...whole };
        for (const on of Object.values(targets)) {
          const { tasks } = fittingOn(name, args, on);
          if (!tasks.some((task) => fits(task))) without.push({ ...args, on, tasks: tasks.map((task) => task.name) });
        }
      }
    expect(shapes[name]).toBeDefined();
    expect(without).toEqual([]);
  });
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
    ["conv2d", { ...image, KH: 1, KW: 7, stride: [3, 1], padding: [0, 3, 1, 4] }],
    ["conv2d", { ...image, W: 7, CO: 3, dilation: [2, 1], padding: [4, 0, 0, 1], layout: "HWCN" }],
    ["matmul", { M: 16, N: 32, K: 64, dtype: "int8", layout: "NT" }],
    ["matmul", { M: 16, N: 32, K: 64, dtype: "float16" }],
    ["conv2d", { ...image, W: 7, CO: 3, layout: "HWCN" }],
    ["conv2d", { ...image, N: 16, H: 2, W: 3, layout: "NHWCnc", dtype: "float16" }],
    ["conv2d", { ...image, N: 16, H: 2, W: 3, layout: "NHWC", dtype: "float16" }],
    ["conv2d", { ...image, KW: 2, padding: [0, 1, 2, 3], layout: "NHWC", dtype: "float16", gradient: "input" }],
  ])("%s %j", (name, args) => {
    const tasks = [...Object.values(targets), "cuda/sm_90a"].flatMap((on) => [...fittingOn(name, args, on).tasks]);
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

it.each(["NCHW", "NHWC", "HWCN"])("the gradient of data %s has their shape, of any stride", (layout) => {
  const args = { ...image, H: 8, W: 9, CI: 6, CO: 4, KW: 2, stride: [4, 3], padding: [0, 1, 1, 0], layout };
  const [conv, gradient] = ["none", "input"].map((what) =>
    plain(fittingOn("conv2d", { ...args, gradient: what }, targets.cuda).tasks[0] as TemplateTask),
  );
  expect(gradient?.outputs[0]?.shape).toEqual(conv?.inputs[0]?.shape);
  expect(gradient?.inputs.map(({ shape }) => shape)).toEqual([conv?.outputs[0]?.shape, conv?.inputs[1]?.shape]);
});

it("an operator has no template's name", () => {
  for (const { name, templates } of operators) for (const t of templates) expect([t.name, ...t.aliases]).not.toContain(name);
});
