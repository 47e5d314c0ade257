/** Threads of stages that share a launch, and regions of loops that run past what they share out. */
import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { difference, subjectOf } from "../../../test/subject.ts";
import { interpretKernels } from "../../interp/interpret.ts";
import { lowerFunc } from "../../target/index.ts";
import { compute, placeholder, reduceAxis, sum } from "../../te/compute.ts";
import { at, mul } from "../../te/expr.ts";
import { graphOf } from "../../te/graph-of.ts";
import { infer } from "../infer.ts";
import { createSchedule, type Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";

function expectRight(schedule: Schedule) {
  const found = infer(schedule.state);
  if (!found.ok) throw found.error;
  const subject = subjectOf(schedule.graph);
  const kernels = lowerFunc(found.value.func(), parseTarget("cuda/sm_90"));
  expect(difference(subject, interpretKernels(kernels, subject.inputs))).toBeUndefined();
  expect(kernels.map(({ block }) => block)).toEqual(found.value.launches.map(({ block }) => block));
  return found.value;
}

/** out[f, p] = sum over k of w[f, k] * x[k, p]: 6 filters a block, 7 pixels, and shared sums of its own. */
function product(threads: number, own: number): Schedule {
  const [w, x] = [placeholder("w", [12, 5]), placeholder("x", [5, 7])];
  const k = reduceAxis("k", 5);
  const out = compute(
    "out",
    [
      ["f", 12],
      ["p", 7],
    ],
    (f, p) => sum(mul(at(w, f, k.loopVar), at(x, k.loopVar, p)), [k]),
  );
  const s = createSchedule(graphOf([w, x], [out]));
  const stage = s.stage("out");
  const sums = s.cacheWrite(stage, "shared");
  const [f, p] = s.axes(stage) as [LoopRef, LoopRef];
  const [block, inner] = s.split(f, [null, 6]) as [LoopRef, LoopRef];
  s.bind(block, "blockIdx.x");
  const [, thread] = s.split(s.fuse([inner, p]), [null, threads]) as [LoopRef, LoopRef];
  s.bind(thread, "threadIdx.x");
  s.computeAt(sums, stage, block);
  const [, lane] = s.split(s.fuse(s.axes(sums)), [null, own]) as [LoopRef, LoopRef];
  s.bind(lane, "threadIdx.x");
  return s;
}

describe("a launch", () => {
  it("has as many threads as the stage that wants most; the root's statement is guarded", () => {
    const { launches } = expectRight(product(8, 14));
    expect(launches[0]?.block).toEqual([14, 1, 1]);
  });
  it("has the root's where that wants most", () => {
    const { launches } = expectRight(product(14, 8));
    expect(launches[0]?.block).toEqual([14, 1, 1]);
  });
});

describe("a region read by threads that share out a fused loop", () => {
  it.each([8, 16, 32, 42, 64])("is what is read when %i of them run past its end", (threads) => {
    const { allocations } = expectRight(product(threads, 7));
    expect(allocations.map(({ buffer }) => buffer.shape)).toEqual([[6, 7]]);
  });
});
