/** Products whose operands are transposed before: no stage remains of that, and each target's schedules are right. */
import { Random } from "@warpfarm/common";
import { evaluate } from "@warpfarm/compiler";
import {
  batchMatmul,
  castTensor,
  type Graph,
  graphOf,
  maxOver,
  placeholder,
  relu,
  slice,
  transpose,
} from "@warpfarm/compiler/language";
import { expect, it } from "vitest";
import { dataOf, faultIn, outputsOf } from "./check.testing.ts";
import { derive } from "./derive.ts";

type Dtype = "float32" | "float16";
const targets = [
  ["float32", "cpu/x86-64-v3"],
  ["float32", "cuda/sm_90"],
  ["float16", "cuda/sm_80"],
  ["float16", "cuda/sm_90a"],
] as const;

/** Attention's products of 2 heads: 64 tokens of 16 elements, as (tokens, heads, elements). */
const scores = (dtype: Dtype): Graph => {
  const [q, k] = [placeholder("q", [1, 64, 2, 16], dtype), placeholder("k", [1, 64, 2, 16], dtype)];
  // In two steps, and in one that is not its own inverse.
  const left = transpose(transpose(q, [0, 1, 3, 2], { name: "elements" }), [0, 3, 1, 2], { name: "left" });
  const right = transpose(k, [0, 2, 3, 1], { name: "right" });
  return graphOf([q, k], [batchMatmul(left, right, { name: "y", outDtype: "float32" })]);
};
const mixed = (dtype: Dtype): Graph => {
  const [p, v] = [placeholder("p", [1, 2, 64, 32], dtype), placeholder("v", [1, 32, 2, 16], dtype)];
  const right = transpose(v, [0, 2, 1, 3], { name: "right" });
  const sums = batchMatmul(p, right, { name: "sums", outDtype: "float32" });
  // Stored as (tokens, elements, heads).
  return graphOf([p, v], [transpose(castTensor(sums, dtype, { name: "cast" }), [0, 2, 3, 1], { name: "y" })]);
};

const withY = ["joined", "computed with y"];
const ofScores = { elements: withY, left: withY, right: withY, y: ["product", undefined] };
const ofMixed = {
  ...{ right: ["joined", "computed with sums"], sums: ["product", "in the nest of y"] },
  ...{ cast: withY, y: ["product", undefined] },
};

it.each(targets)("products of %s on %s", (dtype, target) => {
  const made = [scores(dtype), mixed(dtype)];
  for (const graph of made) {
    const derived = derive(graph, target);
    const { space, start } = derived;
    expect(derived.graph.ops.map(({ output }) => output.name)).not.toEqual(expect.arrayContaining(["right"]));
    const explained = Object.fromEntries(derived.explained.map(({ stage, rule, why }) => [stage, [rule.split(" ")[0], why]]));
    expect(explained).toEqual(graph === made[0] ? ofScores : ofMixed);
    const random = new Random(2);
    const data = dataOf(graph, random);
    const wanted = evaluate(graph, data);
    const configs = Array.from({ length: 3 }, () => space.toIndex(space.valid.nth(random.below(space.valid.count))));
    for (const index of [start, ...configs]) {
      const run = outputsOf(derived, index, target, data);
      if (run) expect(faultIn(graph, run, (name) => wanted.get(name) as ArrayLike<number>)).toBeUndefined();
      else expect(index).not.toBe(start);
    }
  }
});

it("a transposed tensor that is a result, or that something else reads, is there for it", () => {
  const [a, b] = [placeholder("a", [8, 6]), placeholder("b", [8, 4])];
  const turned = transpose(a, [1, 0], { name: "turned" });
  const product = batchMatmul(turned, b, { name: "product" });
  const others = [relu(turned, { name: "r" }), maxOver(turned, [0], { name: "top" }), turned];
  const back = transpose(product, [1, 0], { name: "back" });
  const second = batchMatmul(a, b, { name: "second", transposeA: true });
  const both = [transpose(second, [1, 0], { name: "turned_second" }), relu(second, { name: "above" })];
  const graph = graphOf([a, b], [product, back, ...both, ...others]);
  for (const target of ["cpu/x86-64-v3", "cuda/sm_90"]) {
    const derived = derive(graph, target);
    expect(derived.graph.ops.map(({ output }) => output.name)).toEqual(expect.arrayContaining(["product", "second"]));
    const data = dataOf(graph, new Random(4));
    const wanted = evaluate(graph, data);
    const run = outputsOf(derived, derived.start, target, data);
    if (!run) throw new Error("the start does not fit");
    expect(faultIn(graph, run, (name) => wanted.get(name) as ArrayLike<number>)).toBeUndefined();
  }
});

it.each([
  "cpu/x86-64-v3",
  "cuda/sm_90",
])("a part of a product that begins with its first rows is no exchange, on %s", (target) => {
  const [a, b] = [placeholder("a", [2, 8, 4], "float32"), placeholder("b", [2, 4, 8], "float32")];
  const product = batchMatmul(a, b, { name: "product" });
  const graph = graphOf([a, b], [slice(product, 1, 0, 5)]);
  const derived = derive(graph, target);
  expect(derived.graph.outputs.map(({ shape }) => shape)).toEqual([[2, 5, 8]]);
  const data = dataOf(graph, new Random(5));
  const wanted = evaluate(graph, data);
  const run = outputsOf(derived, derived.start, target, data);
  if (!run) throw new Error("the start does not fit");
  expect(faultIn(graph, run, (name) => wanted.get(name) as ArrayLike<number>)).toBeUndefined();
});
