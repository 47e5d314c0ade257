/** The language of epilogues: texts, refusals, channels, and the tensors that they add to a task. */
import type { Json } from "@warpfarm/common";
import {
  addTensors,
  at,
  axesOf,
  type Buffer as B,
  compute,
  conv2dNhwcnc,
  graphOf,
  matmul,
  mul,
  placeholder,
  relu,
} from "@warpfarm/compiler/language";
import { describe, expect, it } from "vitest";
import { defineTemplate } from "../define-template.ts";
import { findOperator } from "../operators.ts";
import { createTask } from "../task.ts";
import { whole } from "../template-args.ts";
import { channelsOf } from "./attach.ts";
import { readTail, splitTails, tailWords } from "./tails.ts";

const half = (args: Record<string, Json>) => createTask("matmul_mma", { M: 32, N: 48, K: 16, ...args }, "cuda/sm_80");
const tensors = (args: Record<string, Json>) => {
  const { inputs, outputs } = half(args).graph;
  return [...inputs.slice(2), ...outputs].map(({ name, dtype, shape }) => `${name} ${dtype} ${shape.join("x")}`);
};

function fitting(name: string, args: Json, target: string) {
  const operator = findOperator(name);
  if (!operator) throw new Error(`no operator ${name}`);
  return operator.fitting(args, () => target);
}

it("texts are canonical, and split at commas outside of parentheses", () => {
  expect(splitTails("bias, clamp(0,6),cast(float16)")).toEqual(["bias", "clamp(0,6)", "cast(float16)"]);
  const texts = [" bias ( 1 , 0 )", "clamp(-.5, 6.0)", "quantize(0.5,0,int8)", "quantize(2,0,uint8)", "relu()", "scale(1e-3)"];
  expect(texts.map((text) => readTail(text).text)).toEqual([
    "bias(1,0)",
    "clamp(-0.5,6)",
    "quantize(0.5)",
    "quantize(2,0,uint8)",
    "relu",
    "scale(0.001)",
  ]);
});

it("is the last argument of a task, as a list or by name", () => {
  const { args } = half({ epilogue: ["bias", "clamp(0, 6)"] });
  expect(args).toEqual([32, 48, 16, "float16", "NN", { epilogue: ["bias", "clamp(0,6)"] }]);
  expect(createTask("matmul_mma", args, "cuda/sm_80").reference.digest).toBe(
    half({ epilogue: ["bias", "clamp(0,6)"] }).reference.digest,
  );
  expect(half({ epilogue: [] }).args).toEqual(half({}).args);
});

it("its tensors have names, types and shapes of their own", () => {
  expect(tensors({ epilogue: ["bias", "residual", "bias(0)", "relu"] })).toEqual([
    "bias float16 48",
    "residual float16 32x48",
    "bias_2 float16 32",
    "C float16 32x48",
  ]);
  expect(tensors({ epilogue: ["cast(float32)", "bias"] })).toEqual(["bias float32 48", "C float32 32x48"]);
  expect(tensors({ epilogue: ["channel_scale", "quantize(1)"] })).toEqual(["scale float32 48", "C int8 32x48"]);
});

describe("refuses, and says what there is", () => {
  const known = tailWords.map(([written]) => written).join(", ");
  it.each<[Json, string]>([
    [["biass"], `"biass" is none (did you mean bias?); there are ${known}`],
    [["clamp(6,0)"], '"clamp(6,0)" is not clamp(LOW, HIGH)'],
    [["clamp(0,6,7)"], '"clamp(0,6,7)" is not clamp(LOW, HIGH)'],
    [["cast(float8)"], '"cast(float8)" is not cast(DTYPE)'],
    [["bias(1,1)"], '"bias(1,1)" is not bias or bias(AXIS, ...)'],
    [["relu(2)"], '"relu(2)" is not relu'],
    [
      ["bias", "clamp(0", "6)"],
      '"clamp(0" has no ")"; in a list of YAML an operation with a comma is in quotes, as "clamp(0,6)"',
    ],
    [["quantize(0)"], '"quantize(0)" is not quantize(SCALE, ZERO=0, DTYPE=int8)'],
    [["scale(inf)"], '"scale(inf)" is not scale(X)'],
    [["bias(2)"], "bias(2) names axis 2; the result has the axes 0 to 1"],
    [
      ["quantize(1)", "gelu"],
      "gelu takes floats, and the value is int8 there; put cast(float32), scale or channel_scale before it",
    ],
    [["cast(int32)", "clamp(0,0.5)"], "clamp(0,0.5) has the bound 0.5; the value is int32 there"],
    [
      ["cast(uint8)"],
      "cast(uint8) takes whole numbers, and the value is float16 there; quantize(1,0,uint8) rounds and stays within the type",
    ],
    ["bias", 'epilogue is "bias"; it is a list of operations such as ["bias", "relu"]'],
  ])("%j", (epilogue, message) => {
    expect(() => half({ epilogue })).toThrow(message);
  });

  it("behind several results, and as an argument of a template", () => {
    const x = placeholder("x", [4]);
    const made = (name: string) => compute(name, [["i", 4]], (i) => at(x, i));
    const common = {
      name: "two",
      summary: "two results",
      targets: ["cpu"],
      args: {},
      graph: () => graphOf([x], [made("a"), made("b")]),
    };
    expect(() => createTask(defineTemplate(common), { epilogue: ["relu"] }, "cpu/x86-64-v1")).toThrow(
      "follows one result, and it has 2",
    );
    expect(() => defineTemplate({ ...common, args: { epilogue: whole(1) } })).toThrow(
      "args has epilogue, which every template takes",
    );
  });

  it("where an instruction stores the result, and the operator's other templates take it", () => {
    const args = {
      N: 16,
      H: 4,
      W: 4,
      CO: 16,
      CI: 16,
      layout: "NHWC",
      dtype: "float16",
      padding: [1, 1],
      epilogue: ["bias", "relu"],
    };
    const { tasks, args: all } = fitting("conv2d", args, "cuda/sm_80");
    expect(tasks.map(({ name }) => name)).toEqual(["conv2d_nhwc_mma"]);
    const tiled = fitting("conv2d", { ...args, N: 16, layout: "NHWCnc" }, "cuda/sm_80");
    expect(tiled.tasks.map(({ name }) => name)).toEqual(["conv2d_derived"]);
    expect(tiled.refused.find(({ template }) => template === "conv2d_nhwcnc_wmma")?.why).toBe(
      'it takes no such epilogue: tensorize: wmma_store computes "Conv" from its sums alone, without an epilogue [tensorize.match]',
    );
    expect(all.at(-1)).toEqual({ epilogue: ["bias", "relu"] });
    expect(tasks[0]?.args.at(-1)).toEqual({ epilogue: ["bias", "relu"] });
  });
});

it("every operator takes one, with the channels where its layout has them", () => {
  const biases = ["matmul", "conv2d", "depthwise", "elementwise"].map((name) => {
    const { tasks } = fitting(name, { epilogue: ["bias"] }, "cpu/x86-64-v1");
    return tasks.map(({ graph }) => graph.inputs.at(-1)?.shape);
  });
  expect(biases).toEqual([[[4096]], [[512]], [[32]], [[4096]]]);
});

it("channels are what the second input alone is read along, else what it is read along, else the last axis", () => {
  const [a, b, c] = [placeholder("a", [3, 5]), placeholder("b", [5, 7]), placeholder("c", [3, 5])];
  const [tiles, weights] = [placeholder("A", [1, 5, 5, 1, 16, 16]), placeholder("W", [3, 3, 1, 2, 16, 16])];
  const of = (inputs: Parameters<typeof graphOf>[0], result: ReturnType<typeof relu>) => channelsOf(graphOf(inputs, [result]));
  expect(of([a, b], matmul(a, b))).toEqual([1]);
  expect(of([b, a], matmul(a, b))).toEqual([0]);
  expect(of([a], relu(a))).toEqual([1]);
  expect(of([a, c], addTensors(a, c))).toEqual([1]);
  // Of several inputs after the first, the first that has such axes says which they are.
  const [row, other, column, along] = [3, 3, 4, 6].map((extent, i) => placeholder(`v${i}`, [extent])) as [B, B, B, B];
  const outer = compute("outer", axesOf([3, 4, 6]), (i, j, k) =>
    mul(mul(at(row, i), at(other, i)), mul(at(column, j), at(along, k))),
  );
  expect(of([row, other, column, along], outer)).toEqual([1]);
  expect(of([row, along, column, other], outer)).toEqual([2]);
  expect(of([tiles, weights], conv2dNhwcnc(tiles, weights, { stride: 1, padding: 1 }))).toEqual([3, 5]);
});
