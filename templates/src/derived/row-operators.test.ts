/** Operators over rows, as te/ops writes them: dimensions of extent 1, reshapes, scales, residuals and tails hide no row. */
import { canonicalJson, Random } from "@warpfarm/common";
import { evaluate } from "@warpfarm/compiler";
import {
  addTensors,
  type Buffer,
  castTensor,
  elementwise,
  type Graph,
  graphOf,
  groupNorm,
  infer,
  layerNorm,
  logSoftmax,
  placeholder,
  relu,
  rmsNorm,
  silu,
  softmax,
} from "@warpfarm/compiler/language";
import { expect, it } from "vitest";
import { dataOf, faultIn, outputsOf } from "./check.testing.ts";
import { derive } from "./derive.ts";

type Shape = readonly number[];
const inputs = (...shapes: readonly Shape[]): readonly Buffer[] => shapes.map((shape, i) => placeholder(`in${i}`, [...shape]));
const half = (shape: Shape, dtype: "float16" | "bfloat16") => placeholder("in0", [...shape], dtype);

/** Odd shapes, and those of which threads hold a row. */
const operators: Readonly<Record<string, readonly [Shape, Shape, (shape: Shape) => Graph]>> = {
  softmax: [
    [5, 33],
    [64, 1024],
    (shape) => {
      const [x] = inputs(shape) as [Buffer];
      return graphOf([x], [softmax(x)]);
    },
  ],
  "log-softmax of bfloat16, of scaled inputs": [
    [2, 3, 21],
    [4, 16, 1024],
    (shape) => {
      const x = half(shape, "bfloat16");
      const scaled = elementwise("scaled", [x], (e) => e as never);
      const wide = castTensor(scaled, "float32", { name: "wide" });
      return graphOf([x], [castTensor(logSoftmax(wide), "bfloat16", { name: "out" })]);
    },
  ],
  "layer norm with scale and bias": [
    [7, 19],
    [64, 1024],
    (shape) => {
      const [x, scale, bias] = inputs(shape, shape.slice(1), shape.slice(1)) as [Buffer, Buffer, Buffer];
      return graphOf([x, scale, bias], [layerNorm(x, { scale, bias })]);
    },
  ],
  "layer norm of two dimensions, in any order": [
    [3, 5, 7],
    [8, 32, 32],
    (shape) => {
      const [x] = inputs(shape) as [Buffer];
      return graphOf([x], [layerNorm(x, { dimensions: [-1, -2] })]);
    },
  ],
  "layer norm of a sum with a residual, and relu": [
    [2, 3, 20],
    [2, 32, 1024],
    (shape) => {
      const [x, residual] = inputs(shape, shape) as [Buffer, Buffer];
      return graphOf([x, residual], [relu(layerNorm(addTensors(x, residual)))]);
    },
  ],
  "RMS norm of float16 with a scale": [
    [6, 13],
    [64, 1024],
    (shape) => {
      const x = half(shape, "float16");
      const scale = placeholder("in1", shape.slice(1));
      const normal = rmsNorm(castTensor(x, "float32", { name: "wide" }), { scale });
      return graphOf([x, scale], [castTensor(normal, "float16", { name: "out" })]);
    },
  ],
  "group norm with scale, bias and SiLU": [
    [2, 6, 3, 5],
    [2, 32, 16, 16],
    (shape) => {
      const channels = [shape[1] as number, 1, 1];
      const [x, scale, bias] = inputs(shape, channels, channels) as [Buffer, Buffer, Buffer];
      return graphOf(
        [x, scale, bias],
        [elementwise("act", [groupNorm(x, shape[1] === 6 ? 3 : 8, { scale, bias })], (e) => silu(e as never))],
      );
    },
  ],
  "instance norm of one image": [
    [1, 3, 4, 5],
    [1, 32, 32, 32],
    (shape) => {
      const [x] = inputs(shape) as [Buffer];
      return graphOf([x], [groupNorm(x, shape[1] as number)]);
    },
  ],
  "softmax of one row": [
    [37],
    [1024],
    (shape) => {
      const [x] = inputs(shape) as [Buffer];
      return graphOf([x], [softmax(x)]);
    },
  ],
};

it.each(
  Object.keys(operators).flatMap((name) => ["cpu/x86-64-v3", "cuda/sm_90"].map((target) => [name, target] as const)),
)("%s is one nest of rows, and right, on %s", (name, target) => {
  const [odd, , make] = operators[name] as (typeof operators)[string];
  const graph = make(odd);
  const derived = derive(graph, target);
  expect(derived.explained.filter(({ rule }) => rule !== "rows")).toEqual([]);
  const random = new Random(name.length);
  const data = dataOf(graph, random);
  const want = evaluate(graph, data);
  const { space } = derived;
  const of = (word: string) => space.knobs.filter(({ name: knob }) => knob.endsWith(`.${word}`)).map(({ name: knob }) => knob);
  const [hold] = of("hold");
  const start = space.get(derived.start).values;
  const holds = hold ? ["again", "shared"].map((word) => space.indexOf(new Map([...start, [hold, word]]))) : [];
  for (const index of [derived.start, ...holds, space.random(random)]) {
    if (index === undefined) continue;
    const run = outputsOf(derived, index, target, data);
    const fault = run && faultIn(graph, run, (output) => want.get(output) as never);
    expect(fault, canonicalJson([...space.get(index).values])).toBeUndefined();
  }
});

it.each(Object.keys(operators))("%s is read once, by threads that hold what they need", (name) => {
  const [, usual, make] = operators[name] as (typeof operators)[string];
  const derived = derive(make(usual), "cuda/sm_90");
  const { values } = derived.space.get(derived.start);
  expect([...values].find(([knob]) => knob.endsWith(".hold"))?.[1]).toBe("registers");
  const inferred = infer(derived.schedule(derived.start).state);
  if (!inferred.ok) throw inferred.error;
  const { allocations, launches } = inferred.value;
  expect(launches.length).toBe(1);
  const threads = (launches[0]?.block ?? []).reduce((a, b) => a * b, 1);
  // Of a row of 1,024 elements in threads, or of eight rows; no thread has an array of a whole row.
  const held = allocations.filter(({ scope }) => scope === "local").map(({ bytes }) => bytes);
  expect(Math.max(...held)).toBe((1024 * 4 * Number([...values].find(([knob]) => knob.endsWith(".rows"))?.[1] ?? 1)) / threads);
});
