import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../interp/evaluate.ts";
import { interpretKernels } from "../../interp/interpret.ts";
import { lowerVerified } from "../../target/index.ts";
import { infer } from "../infer.ts";
import { createSchedule, type Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { inputsOf, nestOf, refuses, rewritten, sampleGraph } from "./primitive.testing.ts";

describe("decomposeReduction", () => {
  it("starts the sums before a loop outside them", () => {
    expect(
      rewritten((s) => {
        const c = s.stage("c");
        const [outer] = s.split(s.axes(c)[0] as LoopRef, [null, 4]);
        const [ko] = s.split(s.reduceAxes(c)[0] as LoopRef, [null, 5]);
        s.computeAt(s.stage("b"), c, ko);
        s.decomposeReduction(c, outer);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage c:
          for i.outer.init in 2:
            for i.inner.init in 4:
              if i.outer.init * 4 + i.inner.init < 6:
                c[i.outer.init * 4 + i.inner.init] = 0.0
          for i.outer in 2:
            for i.inner in 4:
              for k.outer in 2:
                alloc b: float32[1, 5] local
                stage b:
                  for i in 1:
                    for j in 5:
                      if i.outer * 4 + i.inner < 6:
                        b[0, j] = a[i.outer * 4 + i.inner, k.outer * 5 + j] + 1.0
                for k.inner in 5:
                  if i.outer * 4 + i.inner < 6:
                    c[i.outer * 4 + i.inner] = c[i.outer * 4 + i.inner] + b[0, k.inner] * w[k.outer * 5 + k.inner]
      "
    `);
  });
  it("keeps what is bound bound, and interleaves virtual threads", () => {
    expect(
      rewritten((s) => {
        const c = s.stage("c");
        const [block, virtual, thread] = s.split(s.axes(c)[0] as LoopRef, [null, 2, 1]);
        s.bind(block, "blockIdx.x");
        s.bind(virtual, "vthread");
        s.bind(thread, "threadIdx.x");
        s.decomposeReduction(c, virtual);
        s.reorder([block, virtual, s.reduceAxes(c)[0] as LoopRef, thread]);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j in 10:
              b[i, j] = a[i, j] + 1.0
        stage c:
          for i.0 in 3 bind blockIdx.x:
            for i.1.init in 2 bind vthread:
              for i.2.init in 1 bind threadIdx.x:
                c[i.0 * 2 + i.1.init] = 0.0
            for i.1 in 2 bind vthread:
              for k in 10:
                for i.2 in 1 bind threadIdx.x:
                  c[i.0 * 2 + i.1] = c[i.0 * 2 + i.1] + b[i.0 * 2 + i.1, k] * w[k]
      "
    `);
  });
  it.each([
    [
      "placed in front of the launched loop",
      [
        ["c.init", 3],
        ["c", 3],
      ],
      (s: Schedule, block: LoopRef) => s.decomposeReduction(s.stage("c"), block),
    ],
    [
      "because the reduction is outermost",
      [
        ["c.init", 3],
        ["c", 3],
      ],
      (s: Schedule, block: LoopRef, rest: LoopRef[]) => s.reorder([...s.reduceAxes(s.stage("c")), block, ...rest]),
    ],
    ["not when a launched loop is around it", [["c", 3]], () => undefined],
  ] as const)("is a launch of its own where it stands in front of all loops: %s", (_, expected, place) => {
    const s = createSchedule(sampleGraph());
    const c = s.stage("c");
    s.computeInline(s.stage("b"));
    const [block, thread] = s.split(s.axes(c)[0] as LoopRef, [null, 2]);
    s.bind(block, "blockIdx.x");
    s.bind(thread, "threadIdx.x");
    place(s, block, [thread]);
    const inferred = infer(s.state);
    if (!inferred.ok) throw inferred.error;
    const { launches } = inferred.value;
    expect(launches.map(({ name, grid }) => [name, grid[0]])).toEqual(expected);
    const kernels = lowerVerified(nestOf(s), parseTarget("cuda/sm_90"));
    if (!kernels.ok) throw new Error(kernels.error[0]?.message);
    expect(kernels.value.map(({ grid, block: threads }) => ({ grid, block: threads }))).toEqual(
      launches.map(({ grid, block: threads }) => ({ grid, block: threads })),
    );
    const inputs = inputsOf(s.graph);
    expect(interpretKernels(kernels.value, inputs).data.get("c")).toEqual(evaluate(s.graph, inputs).get("c"));
  });
  refuses([
    [
      "a stage that reduces nothing",
      (s) => s.decomposeReduction(s.stage("b"), s.axes(s.stage("b"))[0] as LoopRef),
      "decomposeReduction.reduce",
    ],
    [
      "a loop of another stage",
      (s) => s.decomposeReduction(s.stage("c"), s.axes(s.stage("b"))[0] as LoopRef),
      "decomposeReduction.loop",
    ],
    [
      "a place inside the sum",
      (s) => {
        const c = s.stage("c");
        const [i] = s.axes(c) as [LoopRef];
        s.decomposeReduction(c, i);
        s.reorder([s.reduceAxes(c)[0] as LoopRef, i]);
      },
      "decomposeReduction.order",
    ],
    [
      "a loop that was split",
      (s) => {
        const c = s.stage("c");
        const [i] = s.axes(c) as [LoopRef];
        s.split(i, [null, 2]);
        s.decomposeReduction(c, i);
      },
      "decomposeReduction.leaf",
    ],
    [
      "to split the loop of the place",
      (s) => {
        const c = s.stage("c");
        const [i] = s.axes(c) as [LoopRef];
        s.decomposeReduction(c, i);
        s.split(i, [null, 2]);
      },
      "split.start",
    ],
    [
      "a cache of a sum whose start was placed",
      (s) => {
        const c = s.stage("c");
        s.decomposeReduction(c, s.axes(c)[0] as LoopRef);
        s.cacheWrite(c, "local");
      },
      "cacheWrite.start",
    ],
  ]);
});
