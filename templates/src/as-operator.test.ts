/**
 * Subgraphs that are an operator with an epilogue: their words, the templates that take them, and that each of these computes the
 * subgraph, in the interpreter. What is none says why.
 */
import { type DType, type Json, Random } from "@warpfarm/common";
import { compileProgram, evaluate, interpretKernels, lowerFunc, parseTarget, type TensorData } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { asOperator } from "./as-operator.ts";
import { launchable } from "./built-in/odd-shapes.testing.ts";
import { inputsOf, nestOf, programOf } from "./built-in/template.testing.ts";
import { readSubgraph } from "./onnx/subgraph.ts";
import { findOperator } from "./operators.ts";
import { createTask, type TemplateTask } from "./task.ts";

interface Given {
  readonly op: string;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly attributes?: Readonly<Record<string, Json>>;
}
type Shapes = readonly (readonly number[])[];

/** Inputs x0, x1, ...; nodes that give t0, t1, ..., of which each reads the one before it where nothing else is said. */
function part(dtype: DType, shapes: Shapes, nodes: readonly Given[], outputs = [`t${nodes.length - 1}`]) {
  const inputs = shapes.map((shape, i) => ({ name: `x${i}`, dtype, shape }));
  const named = nodes.map((node, i) => ({ attributes: {}, inputs: [`t${i - 1}`], outputs: [`t${i}`], ...node }));
  return { inputs, nodes: named, outputs } as unknown as Readonly<Record<"inputs" | "nodes" | "outputs", readonly Json[]>>;
}
type Part = ReturnType<typeof part>;
const fitting = (given: Part, target: string) => {
  const operator = findOperator("subgraph");
  if (!operator) throw new Error("there is no operator of subgraphs");
  return operator.fitting(given, ({ targets: [need] }) => (need?.kind === "cpu" ? "cpu/x86-64-v3" : target));
};
const namesOn = (given: Part, target: string) => fitting(given, target).tasks.map(({ name }) => name);
const wordsOf = ({ inputs, nodes, outputs }: Part) => asOperator(readSubgraph(inputs, nodes, outputs));

const matMul = { op: "MatMul", inputs: ["x0", "x1"] };
const conv = (attributes: Readonly<Record<string, Json>> = {}, ...more: readonly string[]) => ({
  op: "Conv",
  inputs: ["x0", "x1", ...more],
  attributes,
});
const adds = (i: number, before: number) => ({ op: "Add", inputs: [`x${i}`, `t${before}`] });
const feedForward = (rows: readonly number[], K: number, N: number) =>
  part("float16", [[...rows, K], [K, N], [N]], [matMul, adds(2, 0), { op: "Gelu" }]);

const square = [64, 64];
const oblong = [
  [8, 16],
  [16, 24],
];
const filters = [
  [1, 8, 9, 9],
  [8, 8, 3, 3],
];
const last = { channels_last: 1, pads: [1, 0, 1, 0] };
const cases: Readonly<
  Record<string, readonly [Part, args: Json, epilogue: readonly string[], target: string, own: readonly string[]]>
> = {
  "a product of rows in two dimensions, bias and GELU": [
    feedForward([2, 64], 64, 96),
    { M: 128, N: 96, K: 64, dtype: "float16", layout: "NN" },
    ["bias", "gelu"],
    "cuda/sm_90a",
    ["matmul_mma", "matmul_tma"],
  ],
  "Gemm of a transposed matrix, its C, and a residual": [
    part(
      "float16",
      [[64, 64], [72, 64], [72], [64, 72]],
      [{ op: "Gemm", inputs: ["x0", "x1", "x2"], attributes: { transB: 1 } }, adds(3, 0)],
    ),
    { M: 64, N: 72, K: 64, dtype: "float16", layout: "NT" },
    ["bias", "residual"],
    "cuda/sm_90a",
    ["matmul_latency", "matmul_mma", "matmul_tma"],
  ],
  "a transposed left operand, an element for each row, a factor": [
    part(
      "float32",
      [
        [16, 24],
        [16, 40],
        [24, 1],
      ],
      [
        { op: "Gemm", inputs: ["x0", "x1"], attributes: { transA: 1 } },
        { op: "Add", inputs: ["t0", "x2"] },
        { op: "Constant", inputs: [], attributes: { value_float: 0.25 } },
        { op: "Mul", inputs: ["t1", "t2"] },
        { op: "Clip", attributes: { min: -3, max: 6 } },
      ],
    ),
    { M: 24, N: 40, K: 16, dtype: "float32", layout: "TN" },
    ["bias(0)", "scale(0.25)", "clamp(-3,6)"],
    "cuda/sm_90a",
    ["matmul_simt"],
  ],
  "Gemm with factors, of which beta has no C": [
    part("float32", oblong, [{ ...matMul, op: "Gemm", attributes: { alpha: 0.5, beta: 3 } }]),
    { M: 8, N: 24, K: 16, dtype: "float32", layout: "NN" },
    ["scale(0.5)"],
    "cuda/sm_90a",
    ["matmul_simt"],
  ],
  "Gemm with the factor alpha and C": [
    part("float32", [[8, 16], [16, 24], [24]], [{ op: "Gemm", inputs: ["x0", "x1", "x2"], attributes: { alpha: 3 } }]),
    { M: 8, N: 24, K: 16, dtype: "float32", layout: "NN" },
    ["scale(3)", "bias"],
    "cuda/sm_90a",
    ["matmul_simt"],
  ],
  "bounds that are inputs, known or absent": [
    part("float32", oblong, [
      matMul,
      { op: "Constant", inputs: [], attributes: { value_floats: [-2] } },
      { op: "Constant", inputs: [], attributes: { value_int: 3 } },
      { op: "Clip", inputs: ["t0", "t1", "t2"] },
      { op: "Constant", inputs: [], attributes: { value_ints: [0] } },
      { op: "Clip", inputs: ["t3", "t4", ""] },
      { op: "Relu", inputs: ["t5", ""] },
    ]),
    { M: 8, N: 24, K: 16, dtype: "float32", layout: "NN" },
    ["clamp(-2,3)", "relu", "relu"],
    "cuda/sm_90a",
    ["matmul_simt"],
  ],
  "a convolution without a border, whatever its pads, and a number for each place": [
    part("float32", [...filters, [7, 7]], [conv({ auto_pad: "VALID", pads: [1, 1, 1, 1] }), adds(2, 0)]),
    {
      ...{ N: 1, H: 9, W: 9, CO: 8, CI: 8, KH: 3, KW: 3, stride: [1, 1], padding: [0, 0, 0, 0] },
      ...{ dilation: [1, 1], groups: 1, layout: "NCHW", dtype: "float32" },
    },
    ["bias(2,3)"],
    "cpu/x86-64-v3",
    ["conv2d_nchw_cpu"],
  ],
  "a result of another type": [
    part(
      "bfloat16",
      [
        [64, 64],
        [64, 64],
      ],
      [matMul, { op: "Cast", attributes: { to: 1 } }, { op: "Swish" }],
    ),
    { M: 64, N: 64, K: 64, dtype: "bfloat16", layout: "NN" },
    ["cast(float32)", "silu"],
    "cuda/sm_90a",
    ["matmul_latency", "matmul_mma", "matmul_tma"],
  ],
  "a convolution with channels last": [
    part("float16", [[1, 8, 8, 64], [3, 1, 64, 64], [64], [1, 8, 8, 64]], [conv(last, "x2"), adds(3, 0), { op: "Relu" }]),
    {
      ...{ N: 1, H: 8, W: 8, CO: 64, CI: 64, KH: 3, KW: 1, stride: [1, 1], padding: [1, 0, 1, 0] },
      ...{ dilation: [1, 1], groups: 1, layout: "NHWC", dtype: "float16" },
    },
    ["cast(float16)", "bias", "residual", "relu"],
    "cuda/sm_90a",
    ["conv2d_nhwc_tma", "conv2d_nhwc_mma"],
  ],
  "a convolution with steps and a channel's number": [
    part(
      "float32",
      [
        [1, 8, 9, 11],
        [16, 8, 3, 1],
        [16, 1, 1],
      ],
      [
        conv({ strides: [2, 1], pads: [1, 0, 0, 2] }),
        { op: "Add", inputs: ["t0", "x2"] },
        { op: "Clip", attributes: { min: 0 } },
      ],
    ),
    {
      ...{ N: 1, H: 9, W: 11, CO: 16, CI: 8, KH: 3, KW: 1, stride: [2, 1], padding: [1, 0, 0, 2] },
      ...{ dilation: [1, 1], groups: 1, layout: "NCHW", dtype: "float32" },
    },
    ["bias", "relu"],
    "cpu/x86-64-v3",
    ["conv2d_nchw_cpu"],
  ],
};

/** Where a task's start or, without one, a config of it, run by threads, is not the subgraph, whose definition is evaluated. */
function faultOf(task: TemplateTask, whole: TemplateTask): string | undefined {
  const given = [...inputsOf(whole).values()];
  const named = ({ graph }: TemplateTask) => new Map(graph.inputs.map(({ name }, i) => [name, given[i] as TensorData]));
  const [out, wanted] = [task, whole].map(({ graph }) => graph.outputs[0]?.name ?? "") as [string, string];
  const right = evaluate(whole.graph, named(whole)).get(wanted) as TensorData;
  const start = task.starts?.[0] ?? launchable(task, new Random(3));
  if (start === undefined) return `${task.name} has no config`;
  const run = interpretKernels(lowerFunc(nestOf(task, start), parseTarget(task.target)), named(task));
  if (run.unwritten(out) !== undefined) return "an element is not written";
  const got = run.data.get(out) as TensorData;
  // An epilogue is rounded once, and the subgraph after each node.
  const isNear = (x: number, y: number) => Math.abs(x - y) <= 3e-3 * Math.max(1, Math.abs(y));
  const wrong = right.findIndex((value, i) => !isNear(Number(got[i]), Number(value)));
  return wrong < 0 ? undefined : `[${wrong}] is ${got[wrong]}, not ${right[wrong]}`;
}

describe.each(Object.entries(cases))("%s", (_, [given, args, epilogue, target, own]) => {
  it("is the operator, and its templates stand beside the derived schedule", () => {
    const found = wordsOf(given);
    expect([found.args, found.epilogue]).toEqual([args, epilogue]);
    expect(namesOn(given, target)).toEqual(["subgraph_derived", ...own]);
  });
  it.each(own)("%s computes it", (name) => {
    const { tasks } = fitting(given, target);
    const task = tasks.find((one) => one.name === name) as TemplateTask;
    expect(faultOf(task, tasks[0] as TemplateTask)).toBeUndefined();
  });
});

it("BERT's product with GELU at batch 32 has the template by wgmma and TMA, and each of its starts is lowered", () => {
  const { tasks } = fitting(feedForward([32, 128], 768, 3072), "cuda/sm_90a");
  const task = tasks.find(({ name }) => name === "matmul_tma") as TemplateTask;
  expect(task.args).toEqual([4096, 3072, 768, "float16", "NN", { epilogue: ["bias", "gelu"] }]);
  expect(task.starts?.length).toBeGreaterThan(0);
  for (const start of task.starts ?? []) {
    const made = compileProgram(programOf(task, start));
    expect(made.ok && /wgmma\.mma_async[\s\S]*erff?\(|erff?\([\s\S]*wgmma\.mma_async/.test(made.value.text)).toBe(true);
  }
});

it.each<[string, op: string, Given["attributes"]]>([
  ["relu", "Relu", {}],
  ["gelu", "Gelu", {}],
  ["gelu_tanh", "Gelu", { approximate: "tanh" }],
  ["silu", "Swish", {}],
  ["sigmoid", "Sigmoid", {}],
  ["tanh", "Tanh", {}],
  ["hard_swish", "HardSwish", {}],
  ["hard_sigmoid", "HardSigmoid", { alpha: Math.fround(1 / 6) }],
  ["clamp(0,6)", "Clip", { min: 0, max: 6 }],
  ["relu", "Clip", { min: 0 }],
  ["cast(float16)", "Cast", { to: 10 }],
])("%s is %s %j", (word, op, attributes = {}) => {
  const eighth = { op: "Constant", inputs: [], attributes: { value_float: 0.125 } };
  const given = part(
    "float32",
    [
      [5, 7],
      [7, 9],
    ],
    [matMul, eighth, { op: "Mul", inputs: ["t0", "t1"] }, { op, attributes }],
  );
  const found = wordsOf(given);
  expect(found.epilogue).toEqual(["scale(0.125)", word]);
  const task = createTask("matmul_derived", { ...found.args, epilogue: found.epilogue }, "cpu/x86-64-v3");
  expect(faultOf(task, createTask("subgraph_derived", given, "cpu/x86-64-v3"))).toBeUndefined();
});

it("the operator's arguments are refused before there is a target", () => {
  const given = part("float32", [square], [{ op: "Reluu", inputs: ["x0"] }]);
  expect(() => findOperator("subgraph")?.argsOf(given)).toThrow(
    'subgraph: node 0 (Reluu of "t0"): the operator is not known (did you mean Relu?)',
  );
});

it("an epilogue that the user asks for comes behind the nodes", () => {
  const { tasks } = fitting({ ...feedForward([64], 64, 64), epilogue: ["relu"] } as never, "cuda/sm_90a");
  expect(tasks.map(({ args }) => args.at(-1))).toEqual([
    { epilogue: ["relu"] },
    ...new Array(3).fill({ epilogue: ["bias", "gelu", "relu"] }),
  ]);
});

it.each([
  "bias(1)",
  "channel_scale(1)",
  "bias(2)",
])("%s that the user asks for is derived alone where rows are joined", (tail) => {
  const { tasks, refused } = fitting(
    { ...part("float16", [[2, ...square], square], [matMul]), epilogue: [tail] } as never,
    "cuda/sm_90a",
  );
  expect(tasks.map(({ name }) => name)).toEqual(["subgraph_derived"]);
  expect(new Set(refused.map(({ why }) => why))).toEqual(
    new Set([`${tail} names axes, and its first 2 are one axis of a matmul`]),
  );
});

it.each(["bias(0)", "channel_scale"])("%s that the user asks for is taken where it is the same axis", (tail) => {
  const given = part("float32", [square, square], [matMul]);
  const [derived, ...others] = fitting({ ...given, epilogue: [tail] } as never, "cuda/sm_90a").tasks as TemplateTask[];
  expect(others.map((task) => [task.name, faultOf(task, derived as TemplateTask)])).toEqual([["matmul_simt", undefined]]);
});

it.each<[operator: string, refused: string, Part]>([
  ["matmul", "conv2d_nhwc_tma", part("float64", [square, square], [matMul])],
  ["conv2d", "matmul_tma", part("float64", filters, [conv()])],
])("a %s that none of its templates takes is derived alone; %s, which is another operator's, says so", (operator, other, given) => {
  const { tasks, refused } = fitting(given, "cuda/sm_90a");
  expect(tasks.map(({ name }) => name)).toEqual(["subgraph_derived"]);
  expect(refused.find(({ template }) => template === other)?.why).toBe(`it is a ${operator}`);
  expect(refused.length + 1).toBe(findOperator("subgraph")?.templates.length);
});

it.each<[why: string, Part]>([
  [
    "the operator takes its inputs as x1,x0, and it has x0,x1",
    part("float32", [square, square], [{ op: "MatMul", inputs: ["x1", "x0"] }]),
  ],
  [
    "the operator takes its inputs as x0,x1,x3,x2, and it has x0,x1,x2,x3",
    part("float32", [square, square, square, square], [matMul, adds(3, 0), adds(2, 1)]),
  ],
  [
    'no epilogue has its HardSigmoid {"alpha":0.2}',
    part("float32", [square, square], [matMul, { op: "HardSigmoid", attributes: { alpha: 0.2 } }]),
  ],
  [
    'no epilogue has its Swish {"alpha":2}',
    part("float32", [square, square], [matMul, { op: "Swish", attributes: { alpha: 2 } }]),
  ],
  ['no epilogue has its Clip {"max":6}', part("float32", [square, square], [matMul, { op: "Clip", attributes: { max: 6 } }])],
  [
    "it begins with Transpose",
    part(
      "float16",
      [square, square],
      [
        { op: "Transpose", inputs: ["x1"] },
        { op: "MatMul", inputs: ["x0", "t0"] },
      ],
    ),
  ],
  [
    "its MatMul is of 3 and 3 dimensions; a product is by one matrix",
    part(
      "float16",
      [
        [2, ...square],
        [2, ...square],
      ],
      [matMul],
    ),
  ],
  ["its MatMul is of int32 and int32", part("int32", [square, square], [matMul])],
  [
    "its Gemm has the factor beta 2",
    part("float32", [square, square, [64]], [{ op: "Gemm", inputs: ["x0", "x1", "x2"], attributes: { beta: 2 } }]),
  ],
  [
    "it rounds before its end",
    part("float32", [square, square], [matMul, { op: "Cast", attributes: { to: 10 } }, { op: "Cast", attributes: { to: 1 } }]),
  ],
  [
    "it rounds before its end",
    part("bfloat16", [square, square], [matMul, { op: "Cast", attributes: { to: 10 } }, { op: "Relu" }]),
  ],
  [
    "its Mul does not read the result before it once",
    part("float32", [square, square], [matMul, { op: "Mul", inputs: ["t0", "t0"] }]),
  ],
  [
    "no epilogue has its Mul of a tensor",
    part("float32", [square, square, square], [matMul, { op: "Mul", inputs: ["t0", "x2"] }]),
  ],
  ["no epilogue has its Erf {}", part("float32", [square, square], [matMul, { op: "Erf" }])],
  [
    "its result is [2, 8, 64] and what it adds [8, 64]",
    part("float32", [[2, 8, 64], square, [8, 64]], [matMul, { op: "Add", inputs: ["t0", "x2"] }]),
  ],
  ["it has other results than its last node's", part("float32", [square, square], [matMul, { op: "Relu" }], ["t0", "t1"])],
  [
    "its Conv is of 1 dimensions; the operator's is of 2",
    part(
      "float32",
      [
        [1, 8, 9],
        [8, 8, 3],
      ],
      [conv()],
    ),
  ],
  ["its Conv has auto_pad; give pads", part("float32", filters, [conv({ auto_pad: "SAME_UPPER" })])],
  [
    "it begins with MaxPool",
    part("float32", [[1, 8, 9, 9]], [{ op: "MaxPool", inputs: ["x0"], attributes: { kernel_shape: [3, 3] } }]),
  ],
])("is derived alone where %s", (why, given) => {
  const { tasks, refused } = fitting(given, "cuda/sm_90a");
  expect(tasks.map(({ name }) => name)).toEqual(["subgraph_derived"]);
  expect(new Set(refused.map((one) => one.why))).toEqual(new Set([why]));
});

it("is derived alone where an input has another type than the operator's", () => {
  const { inputs, ...rest } = part("float16", [square, square, [64]], [{ op: "Gemm", inputs: ["x0", "x1", "x2"] }]);
  const wide = inputs.map((input, i) => (i < 2 ? input : { ...(input as object), dtype: "float32" }));
  const { tasks, refused } = fitting({ ...rest, inputs: wide as Json[] }, "cuda/sm_90a");
  expect(tasks.map(({ name }) => name)).toEqual(["subgraph_derived"]);
  expect(refused.find(({ template }) => template === "matmul_tma")?.why).toBe(
    "it is from float16 of 4096, float16 of 4096, float16 of 64 to float16 of 4096, and the subgraph from float16 of 4096, float16 of 4096, float32 of 64 to float16 of 4096",
  );
});
