/** Sums by columns: each config agrees with the computation, and has the threads that its knobs say. */
import { type Json, Random } from "@warpfarm/common";
import { evaluate, infer, type TensorData } from "@warpfarm/compiler";
import {
  at,
  averagePool,
  cast,
  compute,
  conv2dNhwc,
  type Graph,
  graphOf,
  matmul,
  maxOver,
  maxPool,
  mul,
  placeholder,
  reduceAxis,
  sum,
  sumOver,
} from "@warpfarm/compiler/language";
import { expect, it } from "vitest";
import { dataOf, faultIn, outputsOf } from "./check.testing.ts";
import { derive } from "./derive.ts";

const f32 = (name: string, ...shape: readonly number[]) => placeholder(name, shape);
const cases: Readonly<Record<string, () => Graph>> = {
  "a mean of an image with channels last": () => {
    const x = f32("x", 2, 6, 5, 12);
    return graphOf([x], [sumOver(x, [1, 2])]);
  },
  "a depthwise convolution": () => {
    const [x, w] = [f32("x", 1, 5, 6, 8), f32("w", 3, 2, 1, 8)];
    const padding = [[1, 0], 1] as const;
    return graphOf([x, w], [conv2dNhwc(x, w, { groups: 8, stride: [2, 1], padding })]);
  },
  "windows of an odd number of channels": () => {
    const x = f32("x", 2, 5, 4, 7);
    return graphOf([x], [maxPool(x, { size: [3, 2], padding: [1, 0], stride: 2, channelsLast: true })]);
  },
  "means of windows, with the border": () => {
    const x = f32("x", 1, 4, 5, 4);
    return graphOf([x], [averagePool(x, { size: [2, 2], padding: 1, channelsLast: true })]);
  },
  "a row times a matrix": () => {
    const [x, w] = [f32("x", 37), f32("w", 37, 20)];
    const k = reduceAxis("k", 37);
    return graphOf([x, w], [compute("y", [["j", 20]], (j) => sum(mul(at(x, k.loopVar), at(w, k.loopVar, j)), [k]))]);
  },
  "a matrix of one row times a matrix": () => {
    const [x, w] = [f32("x", 1, 37), f32("w", 37, 20)];
    return graphOf([x, w], [matmul(x, w)]);
  },
  "the greatest of each column": () => {
    const x = f32("x", 33, 10);
    return graphOf([x], [maxOver(x, [0], { drops: true })]);
  },
};

it.each([
  ["rows of columns", [64, 4, 512], 1024],
  ["parts of columns", [1, 1024, 512], 1024],
  ["rows of threads", [64, 512], 512],
] as const)("blocks of sums by %s have no more threads than there are, whatever a config's knobs are", (_, shape, threads) => {
  const x = f32("x", ...shape);
  const { space, schedule } = derive(graphOf([x], [sumOver(x, [1])]), "cuda/sm_90");
  const most = Array.from({ length: 200 }, (__, i) => {
    const inferred = infer(schedule(space.toIndex(space.valid.nth(Math.floor((i * space.valid.count) / 200)))).state);
    if (!inferred.ok) throw inferred.error;
    return Math.max(...inferred.value.launches.map(({ block }) => block.reduce((a, b) => a * b)));
  });
  expect(Math.max(...most)).toBe(threads);
});

it.each([
  [24, [1, 2, 4]],
  [6, [1, 2]],
])("vectors divide %i columns, and have 16 bytes at most of the widest operand", (columns, values) => {
  const [x, w, k] = [placeholder("x", [64, columns], "float16"), f32("w", 64, columns), reduceAxis("k", 64)];
  const product = compute("y", [["j", columns]], (j) => sum(mul(cast("float32", at(x, k.loopVar, j)), at(w, k.loopVar, j)), [k]));
  const { knobs } = derive(graphOf([x, w], [product]), "cuda/sm_90").space;
  expect(knobs.find(({ name }) => name === "y.vector")).toMatchObject({ values });
});

/** Of knobs named after their stage. */
const short = (values: Readonly<Record<string, Json>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name.replace(/.*\./, ""), Number(value)]));

it.each(Object.entries(cases))("%s", (_, make) => {
  const graph = make();
  const random = new Random(3);
  const data = dataOf(graph, random);
  const wanted = evaluate(graph, data) as ReadonlyMap<string, TensorData>;
  const derived = derive(graph, "cuda/sm_90");
  expect(derived.explained.map(({ rule }) => rule)).toContain("sums by columns");
  const { space } = derived;
  const configs = Array.from({ length: 24 }, () => space.toIndex(space.valid.nth(random.below(space.valid.count))));
  for (const index of [derived.start, ...configs]) {
    const run = outputsOf(derived, index, "cuda/sm_90", data);
    if (!run) throw new Error("a config needs more shared memory than there is");
    const values = Object.fromEntries(space.get(index).values);
    expect(
      faultIn(graph, run, (name) => wanted.get(name) as ArrayLike<number>),
      JSON.stringify(values),
    ).toBeUndefined();
    // One kernel, with a thread for each lane of each row or part.
    const inferred = infer(derived.schedule(index).state);
    const blocks = inferred.ok ? inferred.value.launches.map(({ block }) => block) : [];
    const { lanes, rows = 1, parts = 1 } = short(values);
    expect(blocks).toEqual([[lanes, rows * parts, 1]]);
  }
});
