import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { emit, lowerFunc } from "../../target/index.ts";
import { infer } from "../infer.ts";
import { createSchedule, type Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { nestOf, refuses, sampleGraph } from "./primitive.testing.ts";

/** b copied to shared memory, eight rows at a time. */
function fetched(columns = 32): Schedule {
  const s = createSchedule(sampleGraph(32, columns));
  const c = s.stage("c");
  const a = s.cacheRead(s.stage("b"), "shared", [c]);
  s.computeInline(s.stage("b"));
  const [block, row] = s.split(s.axes(c)[0] as LoopRef, [null, 8]);
  s.bind(block, "blockIdx.x");
  s.bind(row, "threadIdx.x");
  s.computeAt(a, c, block);
  s.bind(s.axes(a)[0] as LoopRef, "threadIdx.x");
  return s;
}
const shared = (s: Schedule) => {
  const inferred = infer(s.state);
  if (!inferred.ok) throw inferred.error;
  return inferred.value.allocations.find(({ scope }) => scope === "shared")?.buffer;
};

describe("swizzle", () => {
  it.each([
    // float32 columns -> line and ways: a row, or 128 bytes of rows.
    [8, { unit: 4, line: 32, ways: 2 }],
    [16, { unit: 4, line: 32, ways: 4 }],
    [32, { unit: 4, line: 32, ways: 8 }],
    [64, { unit: 4, line: 64, ways: 8 }],
  ])("rows of %i floats", (columns, swizzle) => {
    const s = fetched(columns);
    s.swizzle(s.stage("b.shared"));
    expect(shared(s)?.swizzle).toEqual(swizzle);
    expect(shared(s)?.shape).toEqual([8, columns]);
  });

  it("moves every access alike, and costs no memory", () => {
    const s = fetched();
    const plain = emit(lowerFunc(nestOf(s), parseTarget("cuda/sm_90")), nestOf(s).params, parseTarget("cuda/sm_90"), {
      graph: s.graph,
    });
    s.swizzle(s.stage("b.shared"));
    const func = nestOf(s);
    const made = emit(lowerFunc(func, parseTarget("cuda/sm_90")), func.params, parseTarget("cuda/sm_90"), { graph: s.graph });
    const places = (text: string) => [...text.matchAll(/b_shared\[(\w+)/g)].map(([, first]) => first);
    expect(places(made.text).filter((first) => first !== "256")).toEqual(["swizzle_4_32_8", "swizzle_4_32_8"]);
    expect(made.text).toContain("float b_shared[256]");
    expect(plain.text).toContain("float b_shared[256]");
  });

  refuses([
    ["an output", (s) => s.swizzle(s.stage("c")), "swizzle.output"],
    ["memory between kernels", (s) => s.swizzle(s.stage("b")), "swizzle.root"],
    [
      "a thread's own memory",
      (s) => {
        s.computeAt(s.stage("b"), s.stage("c"), s.axes(s.stage("c"))[0] as LoopRef);
        s.setScope(s.stage("b"), "local");
        s.swizzle(s.stage("b"));
      },
      "swizzle.scope",
    ],
    [
      "rows that are no power of two",
      (s) => {
        s.computeAt(s.stage("b"), s.stage("c"), s.axes(s.stage("c"))[0] as LoopRef);
        s.setScope(s.stage("b"), "shared");
        s.swizzle(s.stage("b"));
      },
      "swizzle.row",
    ],
    [
      "padded rows",
      (s) => {
        s.computeAt(s.stage("b"), s.stage("c"), s.axes(s.stage("c"))[0] as LoopRef);
        s.setScope(s.stage("b"), "shared");
        s.storageAlign(s.stage("b"), 0, 8, 1);
        s.swizzle(s.stage("b"));
      },
      "swizzle.aligned",
    ],
  ]);
});
