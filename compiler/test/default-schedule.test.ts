/**
 * The default schedule where reductions are tiled: it agrees with the definition of random graphs, adds each element's terms in
 * the order of one thread per element, and tiles only large reductions.
 */
import { type DType, isFloat, parseTarget, Random } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { isFull, some } from "../../test-support/campaign.ts";
import { needs } from "../../test-support/needs.ts";
import { compileCubin } from "../../test-support/nvcc.ts";
import { lowerWatched } from "../../test-support/programs/every-pass.ts";
import { randomReduction } from "../../test-support/programs/reductions.ts";
import { compileProgram } from "../src/compile.ts";
import { interpretKernels } from "../src/interp/interpret.ts";
import { type Buffer, bufferSize } from "../src/ir/buffer.ts";
import type { Expr } from "../src/ir/expr.ts";
import { createData, type TensorData } from "../src/ir/numeric.ts";
import { infer } from "../src/schedule/infer.ts";
import type { Schedule } from "../src/schedule/schedule.ts";
import { defaultSchedule, referenceSchedule } from "../src/target/default-schedule.ts";
import { verifyKernels } from "../src/target/index.ts";
import { compute, placeholder, reduceAxis, sum } from "../src/te/compute.ts";
import { at, mul } from "../src/te/expr.ts";
import { fills } from "../src/te/fill.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { conv2dHwcn, conv2dNchw, conv2dNhwc } from "../src/te/ops/conv2d.ts";
import { matmul } from "../src/te/ops/matmul.ts";
import { difference, subjectOf } from "./subject.ts";

const seeds = isFull ? 2000 : 6;
const name = "cuda/sm_90";
const target = parseTarget(name);

/** One thread an element, whatever the work. */
const plain = (graph: Graph): Schedule => defaultSchedule(graph, name, Number.POSITIVE_INFINITY);
const isTiled = (schedule: Schedule): boolean => schedule.trace.some(({ op }) => op === "cache_write");

function kernelsOf(schedule: Schedule) {
  const inferred = infer(schedule.state);
  if (!inferred.ok) throw inferred.error;
  const kernels = lowerWatched(inferred.value.func(), target);
  expect(verifyKernels(kernels, target)).toEqual([]);
  return kernels;
}

it(`agrees with the definition of ${seeds} random reductions, in tiles where their pattern fits`, () => {
  let tiled = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const subject = subjectOf(randomReduction(new Random(seed)), -2, 2);
    const schedule = defaultSchedule(subject.graph, name, 0);
    if (isTiled(schedule)) tiled++;
    const wrong = difference(subject, interpretKernels(kernelsOf(schedule), subject.inputs));
    expect(wrong === undefined ? "" : `seed ${seed}: ${wrong}`).toBe("");
  }
  expect(tiled).toBeGreaterThanOrEqual(seeds / 2);
});

/** A product of batches, the batch between the rows of its operands. */
function batched(): Graph {
  const [a, b] = [placeholder("A", [37, 3, 20]), placeholder("B", [3, 20, 41])];
  const k = reduceAxis("k", 20);
  const axes = [
    ["n", 3],
    ["i", 37],
    ["j", 41],
  ] as const;
  return graphOf([a, b], [compute("C", axes, (n, i, j) => sum(mul(at(a, i, n, k.loopVar), at(b, n, k.loopVar, j)), [k]))]);
}

function product(layout: "NN" | "NT" | "TN" | "TT", dtype: DType = "float32", outDtype: DType = dtype): Graph {
  const a = placeholder("A", layout[1] === "T" ? [67, 33] : [33, 67], dtype);
  const b = placeholder("B", layout[0] === "T" ? [41, 67] : [67, 41], dtype);
  return graphOf([a, b], [matmul(a, b, { layout, outDtype })]);
}

/** Rows of one tensor with each other: no part of it holds what a tile reads. */
function gram(): Graph {
  const a = placeholder("A", [40, 67]);
  const k = reduceAxis("k", 67);
  const axes = [
    ["i", 40],
    ["j", 40],
  ] as const;
  return graphOf([a], [compute("G", axes, (i, j) => sum(mul(at(a, i, k.loopVar), at(a, j, k.loopVar)), [k]))]);
}

/** Of many rows, those that another tensor names. */
function chosenRows(): Graph {
  const [a, b] = [placeholder("A", [4096, 67]), placeholder("B", [67, 33])];
  const rows = placeholder("rows", [37], "int32", fills.below(4096));
  const k = reduceAxis("k", 67);
  const axes = [
    ["i", 37],
    ["j", 33],
  ] as const;
  const body = (i: Expr, j: Expr) => mul(at(a, at(rows, i), k.loopVar), at(b, k.loopVar, j));
  return graphOf([a, b, rows], [compute("C", axes, (i, j) => sum(body(i, j), [k]))]);
}

function convolution(layout: "NCHW" | "NHWC" | "HWCN", stride: number, border: "pad" | "skip" = "pad"): Graph {
  const extents = { N: 2, C: 37, H: 7, W: 9, I: 37, O: 33 } as const;
  const shape = (letters: string) => [...letters].map((letter) => extents[letter as keyof typeof extents]);
  const weights = (letters: string) =>
    [...letters].map((each) => (each === "H" || each === "W" ? 3 : extents[each as "I" | "O"]));
  const data = placeholder("data", shape(layout));
  const kernel = placeholder("kernel", weights(layout === "NCHW" ? "OIHW" : "HWIO"));
  const options = { stride, padding: 1 };
  if (layout === "NHWC") return graphOf([data, kernel], [conv2dNhwc(data, kernel, options)]);
  const made = layout === "NCHW" ? conv2dNchw : conv2dHwcn;
  return graphOf([data, kernel], [made(data, kernel, { ...options, border })]);
}

function depthwise(): Graph {
  const [data, kernel] = [placeholder("data", [2, 32, 11, 13]), placeholder("kernel", [32, 1, 3, 3])];
  return graphOf([data, kernel], [conv2dNchw(data, kernel, { name: "depthwise", padding: 1, groups: 32 })]);
}

const tiledGraphs: Readonly<Record<string, () => Graph>> = {
  "a product NN": () => product("NN"),
  "a product NT": () => product("NT"),
  "a product TN": () => product("TN"),
  "a product TT": () => product("TT"),
  "a product in halves": () => product("NT", "float16"),
  "a product of halves in floats": () => product("TT", "float16", "float32"),
  "a product of int8": () => product("NT", "int8", "int32"),
  "a batched product": batched,
  "a Gram matrix": gram,
  "a product of chosen rows": chosenRows,
  "a convolution NCHW": () => convolution("NCHW", 1),
  "a convolution NHWC of stride 2": () => convolution("NHWC", 2),
  "a convolution HWCN": () => convolution("HWCN", 1),
  "a convolution with its border left out": () => convolution("NCHW", 1, "skip"),
};

/** Numbers whose sums depend on the order of the terms. */
function fractions({ inputs }: Graph): Map<string, TensorData> {
  const random = new Random(3);
  const fill = (x: Buffer) =>
    createData(x.dtype, bufferSize(x)).map(() => (isFloat(x.dtype) ? random.float() - 0.5 : random.below(9))) as TensorData;
  return new Map(inputs.map((input) => [input.name, fill(input)]));
}

// In npm test each type, each pattern of reading, and a border that is left out.
describe.each(some(Object.entries(tiledGraphs), 1, 5, 6, 7, 8, 9, 11, 13))("%s", (_, make) => {
  it("is tiled, and gives the bits of one thread an element", () => {
    const graph = make();
    const inputs = fractions(graph);
    const schedule = defaultSchedule(graph, name, 0);
    expect(isTiled(schedule)).toBe(true);
    const [single, tiled] = [plain(graph), schedule].map((each) => interpretKernels(kernelsOf(each), inputs));
    for (const { name: output } of graph.outputs) {
      expect(tiled?.unwritten(output)).toBeUndefined();
      expect(tiled?.data.get(output)).toEqual(single?.data.get(output));
    }
  });
});

function rowsByRows(m: number, n: number, k: number, dtype: DType = "float32"): Graph {
  const [a, b] = [placeholder("A", [m, k], dtype), placeholder("B", [n, k], dtype)];
  return graphOf([a, b], [matmul(a, b, { layout: "TN", outDtype: "float32" })]);
}

it("leaves a product of little work to one thread an element", () => {
  const graph = rowsByRows(512, 512, 512);
  expect(defaultSchedule(graph, name).trace).toEqual(plain(graph).trace);
});

it.each<[what: string, graph: () => Graph]>([
  ["a reduction with one group of axes", depthwise],
  ["a product with few rows", () => rowsByRows(8, 1 << 14, 1 << 13)],
  ["packed operands", () => product("NT", "int4", "int32")],
])("leaves %s to one thread an element, whatever the work", (_, make) => {
  const graph = make();
  expect(defaultSchedule(graph, name, 0).trace).toEqual(plain(graph).trace);
});

it("leaves what needs more shared memory than is worth while to one thread an element", () => {
  // Rows that are 10 apart, so that a tile reaches over 640, of which it reads 64.
  const [a, b] = [placeholder("A", [64 * 10, 64]), placeholder("B", [64, 64])];
  const [k, l] = [reduceAxis("k", 64), reduceAxis("l", 64)];
  const axes = [
    ["i", 64],
    ["j", 64],
  ] as const;
  const far = compute("C", axes, (i, j) => sum(mul(at(a, mul(i, 10), k.loopVar), at(b, j, k.loopVar)), [k]));
  const near = compute("D", axes, (i, j) => sum(mul(at(far, l.loopVar, i), at(b, l.loopVar, j)), [l]));
  const inferred = infer(defaultSchedule(graphOf([a, b], [near]), name, 0).state);
  expect(inferred.ok && inferred.value.launches).toMatchObject([
    { name: "C", grid: [16, 1, 1] },
    { name: "D", grid: [1, 1, 1] },
  ]);
});

it("tiles large products on GPUs, and nothing on processors", () => {
  const graph = rowsByRows(2048, 12288, 4096);
  expect(isTiled(defaultSchedule(graph, name))).toBe(true);
  expect(isTiled(defaultSchedule(graph, "cpu/x86-64-v3"))).toBe(false);
});

it("gives a thread 16 elements, and 256 threads a tile of the innermost axes", () => {
  const data = placeholder("data", [8, 64, 30, 20]);
  const kernel = placeholder("kernel", [100, 64, 3, 3]);
  const conv = conv2dNchw(data, kernel, { stride: 1, padding: 1, padName: "padded", name: "conv" });
  const inferred = infer(defaultSchedule(graphOf([data, kernel], [conv]), name, 1e8).state);
  // Filters by 64; the images' rows of 20 by 32, and two of them.
  expect(inferred.ok && inferred.value.launches[1]).toEqual({ name: "conv", grid: [8 * 2 * 15, 1, 1], block: [256, 1, 1] });
});

it("has models of its stages' rounding errors, and no other trace has", () => {
  const large = rowsByRows(2048, 12288, 4096, "float16");
  const small = rowsByRows(64, 64, 96, "float16");
  for (const [graph, terms] of [
    [large, 4096],
    [small, 96],
  ] as const) {
    const made = compileProgram({
      version: 1,
      kind: "schedule",
      target: name,
      graph,
      trace: referenceSchedule(graph, name).trace,
    });
    expect(made.ok && made.value.stages).toMatchObject([{ name: "C", terms }]);
  }
  for (const { trace } of [
    plain(large),
    defaultSchedule(large, name),
    referenceSchedule(large, name, Number.POSITIVE_INFINITY),
  ]) {
    const made = compileProgram({ version: 1, kind: "schedule", target: name, graph: large, trace });
    expect(made.ok && "stages" in made.value).toBe(false);
  }
});

it("spills no registers", (ctx) => {
  needs(ctx, "nvcc");
  // In npm test a convolution and a large product.
  const makers = [...Object.values(tiledGraphs), () => rowsByRows(2048, 12288, 4096)];
  for (const make of some(makers, 11, makers.length - 1)) {
    const graph = make();
    const { trace } = defaultSchedule(graph, name, 0);
    const made = compileProgram({ version: 1, kind: "schedule", target: name, graph, trace });
    if (!made.ok) throw new Error(made.error.message);
    for (const [kernel, { spillBytes, stackBytes }] of Object.entries(compileCubin(made.value.text, "sm_90")))
      expect([kernel, spillBytes, stackBytes]).toEqual([kernel, 0, 0]);
  }
}, 120_000);
