import { describe, expect, it } from "vitest";
import { infer } from "../infer.ts";
import { createSchedule, type Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten, sampleGraph } from "./primitive.testing.ts";

/** b computed four rows and five columns at a time. */
function tiled(s: Schedule): void {
  const [b, c] = [s.stage("b"), s.stage("c")];
  const [, inner] = s.split(s.axes(c)[0] as LoopRef, [null, 4]);
  const [k] = s.reduceAxes(c) as [LoopRef];
  const [ko] = s.split(k, [null, 5]);
  s.reorder([ko, inner]);
  s.computeAt(b, c, ko);
}

describe("storageAlign", () => {
  it("pads rows", () => {
    expect(
      rewritten((s) => {
        tiled(s);
        s.storageAlign(s.stage("b"), 0, 8, 1);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage c:
          for i.outer in 2:
            for i.inner.init in 4:
              if i.outer * 4 + i.inner.init < 6:
                c[i.outer * 4 + i.inner.init] = 0.0
            for k.outer in 2:
              alloc b: float32[4, 5] strides [9, 1] local
              stage b:
                for i in 4:
                  for j in 5:
                    if i.outer * 4 + i < 6:
                      b[i, j] = a[i.outer * 4 + i, k.outer * 5 + j] + 1.0
              for i.inner in 4:
                for k.inner in 5:
                  if i.outer * 4 + i.inner < 6:
                    c[i.outer * 4 + i.inner] = c[i.outer * 4 + i.inner] + b[i.inner, k.inner] * w[k.outer * 5 + k.inner]
      "
    `);
  });
  it.each([
    // factor, offset -> stride of the rows of [4, 5], elements
    [1, 0, 5, 20],
    [8, 0, 8, 32],
    [8, 5, 5, 20],
    [4, 3, 7, 28],
    [2, 0, 6, 24],
  ])("factor %i, offset %i: rows %i apart, %i elements", (factor, offset, stride, elements) => {
    const schedule = createSchedule(sampleGraph());
    tiled(schedule);
    schedule.storageAlign(schedule.stage("b"), 0, factor, offset);
    const inferred = infer(schedule.state);
    if (!inferred.ok) throw inferred.error;
    expect(inferred.value.allocations).toMatchObject([{ buffer: { shape: [4, 5], strides: [stride, 1] }, bytes: elements * 4 }]);
  });
  it("pads both axes; the last annotation of one counts", () => {
    const schedule = createSchedule(sampleGraph());
    tiled(schedule);
    schedule.storageAlign(schedule.stage("b"), 0, 64, 0);
    schedule.storageAlign(schedule.stage("b"), 1, 3, 2);
    schedule.storageAlign(schedule.stage("b"), 0, 16, 3);
    const inferred = infer(schedule.state);
    if (!inferred.ok) throw inferred.error;
    expect(inferred.value.allocations[0]?.buffer.strides).toEqual([19, 2]);
  });
  refuses([
    ["an axis there is not", (s) => s.storageAlign(s.stage("b"), 2, 8, 1), "storageAlign.axis"],
    ["an offset of the whole factor", (s) => s.storageAlign(s.stage("b"), 0, 8, 8), "storageAlign.offset"],
    ["a factor of 0", (s) => s.storageAlign(s.stage("b"), 0, 0, 0), "storageAlign.args"],
    ["an output", (s) => s.storageAlign(s.stage("c"), 0, 8, 1), "storageAlign.output"],
    ["memory between kernels", (s) => s.storageAlign(s.stage("b"), 0, 8, 1), "storageAlign.root"],
  ]);
});
