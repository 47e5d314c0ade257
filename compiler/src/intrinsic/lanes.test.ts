/** Fragments of known layout: a lane's own code reads what the lane keeps, and nothing else. */

import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { evaluate } from "../interp/evaluate.ts";
import { interpretKernels } from "../interp/interpret.ts";
import { indexMap } from "../json/index-map.ts";
import { nestOf } from "../schedule/primitives/primitive.testing.ts";
import { createSchedule, type Schedule } from "../schedule/schedule.ts";
import type { LoopRef } from "../schedule/state.ts";
import { lowerFunc, lowerVerified } from "../target/index.ts";
import { compute, placeholder } from "../te/compute.ts";
import { at, floorDiv, floorMod, mul } from "../te/expr.ts";
import { graphOf } from "../te/graph-of.ts";
import { matmul } from "../te/ops/matmul.ts";
import { mmaSync } from "./cuda/mma-sync.ts";

const target = parseTarget("cuda/sm_80");
const tiles = indexMap(["i", "j"], (i, j) => [floorDiv(i, 16), floorDiv(j, 16), floorMod(i, 16), floorMod(j, 16)]);

/** C = 2 * (A B), 16x32 by one warp; `turned`: lanes go down the columns first. */
function product(turned = false): Schedule {
  const [a, b] = [placeholder("A", [16, 16], "float16"), placeholder("B", [16, 32], "float16")];
  const sums = matmul(a, b, { name: "sums", outDtype: "float32" });
  const axes = [
    ["i", 16],
    ["j", 32],
  ] as const;
  const s = createSchedule(graphOf([a, b], [compute("C", axes, (i, j) => mul(at(sums, i, j), 2))]));
  const { loadA, loadB, mma } = mmaSync("float16");
  const [C, S] = [s.stage("C"), s.stage("sums")];
  const shared = [a, b].map((input) => s.cacheRead(input, "shared", [S]));
  const fragments = shared.map((copy, i) => s.cacheRead(copy, i === 0 ? "wmma.matrix_a" : "wmma.matrix_b", [S]));
  s.setScope(S, "wmma.accumulator");
  for (const stage of [...fragments, S]) s.transformLayout(stage, tiles);
  const [i, j] = s.axes(C) as [LoopRef, LoopRef];
  const [ih, il] = s.split(i, [2, 8]);
  const [jo, jt] = s.split(j, [null, 16]);
  const [jh, jl, jv] = s.split(jt, [2, 4, 2]);
  const [block, jt2] = s.split(jo, [1, null]);
  const lanes = turned ? [jl, il] : [il, jl];
  s.reorder([block, ...lanes, jt2, ih, jh, jv]);
  s.bind(block, "blockIdx.x");
  s.bind(s.fuse(lanes), "threadIdx.x");
  s.computeAt(S, C, block);
  const [si, sj, ii, jj] = s.axes(S) as [LoopRef, LoopRef, LoopRef, LoopRef];
  const [ko, kk] = s.split(s.reduceAxes(S)[0] as LoopRef, [null, 16]);
  s.reorder([ko, si, sj, ii, jj, kk]);
  for (const stage of [...shared, ...fragments]) s.computeAt(stage, S, ko);
  for (const copy of shared) {
    const [, lane] = s.split(s.fuse(s.axes(copy)), [null, 32]);
    s.bind(lane, "threadIdx.x");
  }
  s.tensorize(s.axes(fragments[0] as never)[2] as LoopRef, loadA.row);
  s.tensorize(s.axes(fragments[1] as never)[2] as LoopRef, loadB.row);
  s.tensorize(ii, mma);
  return s;
}
const inputsOf = (s: Schedule) =>
  new Map(
    s.graph.inputs.map(({ name, shape: [rows = 0, columns = 0] }) => [
      name,
      Float32Array.from({ length: rows * columns }, (_, i) => (i % 7) - 3),
    ]),
  );

describe("an epilogue of the lanes", () => {
  it("stores what each lane has summed up", () => {
    const s = product();
    const kernels = lowerVerified(nestOf(s), target);
    if (!kernels.ok) throw new Error(kernels.error[0]?.message);
    expect(interpretKernels(kernels.value, inputsOf(s)).data.get("C")).toEqual(evaluate(s.graph, inputsOf(s)).get("C"));
  });
  it("is refused where a lane would read what another keeps, by the rules and by the interpreter", () => {
    const s = product(true);
    const kernels = lowerVerified(nestOf(s), target);
    expect(kernels.ok ? [] : kernels.error.map(({ rule }) => rule)).toContain("device.fragment");
    expect(() => interpretKernels(lowerFunc(nestOf(s), target), inputsOf(s))).toThrow("interp.lane");
  });
});
