/**
 * Tensors of more elements than int32 numbers: right where a schedule keeps parts of them, refused where memory has them whole.
 */
import { parseTarget } from "@warpfarm/common";
import { expect, it } from "vitest";
import { interpretKernels } from "../src/interp/interpret.ts";
import { infer } from "../src/schedule/infer.ts";
import { inputsOf, nestOf } from "../src/schedule/primitives/primitive.testing.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef, StageRef } from "../src/schedule/state.ts";
import { emit, lowerFunc } from "../src/target/index.ts";
import { compute, placeholder } from "../src/te/compute.ts";
import { add, at, mul } from "../src/te/expr.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { reshape } from "../src/te/ops/shapes.ts";

const cuda = parseTarget("cuda/sm_90");
const [side, depth, count] = [8192, 4096, 128];

const a = placeholder("a", [side]);
/** 2^38 elements. */
const all = compute(
  "all",
  [
    ["i", side],
    ["j", side],
    ["k", depth],
  ],
  (i, j, k) => add(mul(at(a, i), 4), add(mul(at(a, j), 2), at(a, k))),
);
const some = compute("some", [["x", count]], (x) => at(all, add(mul(x, 64), 63), add(mul(x, -64), side - 1), mul(x, 32)));

const scheduled = (place: (s: Schedule, stage: StageRef, x: LoopRef) => void): Schedule => {
  const s = createSchedule(graphOf([a], [some]));
  const [x] = s.axes(s.stage("some")) as [LoopRef];
  s.bind(x, "blockIdx.x");
  place(s, s.stage("all"), x);
  return s;
};

it.each<[string, Parameters<typeof scheduled>[0]]>([
  ["at a loop of its reader", (s, stage, x) => s.computeAt(stage, s.stage("some"), x)],
  ["by its reader", (s, stage) => s.computeInline(stage)],
])("a computed %s is right, and no number of its text is beyond int32", (_, place) => {
  const s = scheduled(place);
  const inputs = inputsOf(s.graph);
  const data = inputs.get("a") as Float32Array;
  const of = (i: number) => data[i] as number;
  const want = Array.from({ length: count }, (_, x) => of(x * 64 + 63) * 4 + (of(side - 1 - 64 * x) * 2 + of(x * 32)));
  const func = nestOf(s);
  const kernels = lowerFunc(func, cuda);
  const got = interpretKernels(kernels, inputs).data.get("some") as Float32Array;
  expect([...got]).toEqual(want.map(Math.fround));
  const { text } = emit(kernels, func.params, cuda, { graph: s.graph });
  expect(Math.max(...(text.match(/\b\d+\b/g) ?? []).map(Number))).toBeLessThan(2 ** 31);
});

it("is refused where memory has it whole, with what to do", () => {
  const made = infer(scheduled(() => undefined).state);
  expect(made.ok ? undefined : made.error.message).toBe(
    '"all" has 274877906944 elements where it is stored; at most 2147483647 can be numbered: compute it at an inner loop of its reader, or inline it [storage.size]',
  );
});

it("an argument is refused at once, and so is an order by numbers of elements", () => {
  const why = (name: string) => `tensor "${name}" has 274877906944 elements; at most 2147483647 can be numbered`;
  expect(() => graphOf([a], [all])).toThrow(why("all"));
  expect(() => reshape(all, [side * 64, side * 64], { name: "flat" })).toThrow(why("flat"));
});
