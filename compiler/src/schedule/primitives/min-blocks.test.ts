import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { emit, lowerFunc } from "../../target/index.ts";
import type { Schedule } from "../schedule.ts";
import { createSchedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { nestOf, refuses, rewritten, sampleGraph } from "./primitive.testing.ts";

function heads(schedule: Schedule, target: string): string[] {
  const func = nestOf(schedule);
  const to = parseTarget(target);
  const { text } = emit(lowerFunc(func, to), func.params, to, { graph: schedule.graph });
  return text.split("\n").filter((line) => /\w\(.*\) \{$/.test(line) && !line.startsWith(" "));
}

describe("minBlocks", () => {
  it("marks the kernel of one stage", () => {
    expect(rewritten((s) => s.minBlocks(s.stage("c"), 2))).toContain("kernel, at least 2 blocks a multiprocessor:");
    const schedule = createSchedule(sampleGraph());
    for (const name of ["b", "c"]) schedule.bind(schedule.axes(schedule.stage(name))[0] as LoopRef, "threadIdx.x");
    schedule.minBlocks(schedule.stage("b"), 3);
    schedule.minBlocks(schedule.stage("b"), 2);
    expect(heads(schedule, "cuda/sm_90").map((line) => /__launch_bounds__\([^)]*\)/.exec(line)?.[0])).toEqual([
      "__launch_bounds__(6, 2)",
      "__launch_bounds__(6)",
    ]);
  });

  it("reaches the sum where its start is a kernel of its own", () => {
    const schedule = createSchedule(sampleGraph());
    const c = schedule.stage("c");
    schedule.computeInline(schedule.stage("b"));
    const [axis] = schedule.axes(c) as [LoopRef];
    schedule.reorder([...schedule.reduceAxes(c), axis]);
    schedule.bind(axis, "threadIdx.x");
    schedule.minBlocks(c, 4);
    expect(heads(schedule, "cuda/sm_90").every((line) => line.includes("__launch_bounds__(6, 4)"))).toBe(true);
  });

  it("is nothing to a CPU", () => {
    const schedule = createSchedule(sampleGraph());
    const before = heads(schedule, "cpu/x86-64-v3");
    schedule.minBlocks(schedule.stage("c"), 2);
    expect(heads(schedule, "cpu/x86-64-v3")).toEqual(before);
  });

  it("takes 32 blocks, as many as a multiprocessor holds", () => {
    expect(rewritten((s) => s.minBlocks(s.stage("c"), 32))).toContain("kernel, at least 32 blocks a multiprocessor:");
  });

  refuses([
    ["more blocks than any GPU holds", (s) => s.minBlocks(s.stage("c"), 33), "minBlocks.blocks"],
    [
      "a stage inside another's nest",
      (s) => {
        s.minBlocks(s.stage("b"), 2);
        s.computeAt(s.stage("b"), s.stage("c"), s.axes(s.stage("c"))[0] as LoopRef);
      },
      "minBlocks.root",
    ],
    [
      "a stage that is computed inline",
      (s) => {
        s.minBlocks(s.stage("b"), 2);
        s.computeInline(s.stage("b"));
      },
      "minBlocks.root",
    ],
  ]);
});
