import { describe, expect, it } from "vitest";
import type { Schedule } from "../schedule.ts";
import type { LoopRef, StageRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

const parts = (s: Schedule): { c: StageRef; i: LoopRef; ko: LoopRef; ki: LoopRef } => {
  const c = s.stage("c");
  const [i] = s.axes(c) as [LoopRef];
  const [ko, ki] = s.split(s.reduceAxes(c)[0] as LoopRef, [null, 4]);
  return { c, i, ko, ki };
};

describe("rfactor", () => {
  it("makes partial sums, with what runs past the end left out", () => {
    expect(
      rewritten((s) => {
        const { c, ko, ki } = parts(s);
        s.computeInline(s.stage("b"));
        const rf = s.rfactor(ki, 0);
        expect(s.leaves(rf)).toEqual([...s.axes(rf), ko]);
        expect(s.reduceAxes(c)).toHaveLength(1);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage c.rf:
          for k.inner in 4:
            for i in 6:
              c.rf[k.inner, i] = 0.0
              for k.outer in 3:
                if k.inner + k.outer * 4 < 10:
                  c.rf[k.inner, i] = c.rf[k.inner, i] + (a[i, k.inner + k.outer * 4] + 1.0) * w[k.inner + k.outer * 4]
        stage c:
          for i in 6:
            c[i] = 0.0
            for k.inner.v in 4:
              c[i] = c[i] + c.rf[k.inner.v, i]
      "
    `);
  });
  it("has no sum left when the only loop is factored", () => {
    expect(
      rewritten((s) => {
        s.computeInline(s.stage("b"));
        s.rfactor(s.reduceAxes(s.stage("c"))[0] as LoopRef, 1);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage c.rf:
          for i in 6:
            for k in 10:
              c.rf[i, k] = (a[i, k] + 1.0) * w[k]
        stage c:
          for i in 6:
            c[i] = 0.0
            for k.v in 10:
              c[i] = c[i] + c.rf[i, k.v]
      "
    `);
  });
  it("splits a sum over the threads of a block", () => {
    expect(
      rewritten((s) => {
        const { c, i, ko, ki } = parts(s);
        const fused = s.fuse([ko, ki]);
        const [, inner] = s.split(fused, [null, 3]);
        s.computeInline(s.stage("b"));
        const rf = s.rfactor(inner, 0);
        s.bind(i, "blockIdx.x");
        s.computeAt(s.cacheWrite(c, "local"), c, i);
        s.computeAt(rf, c, i);
        s.bind(s.axes(rf)[0] as LoopRef, "threadIdx.x");
        s.setScope(rf, "shared");
      }),
    ).toMatchInlineSnapshot(`
      "
        stage c:
          for i in 6 bind blockIdx.x:
            alloc c.rf: float32[3, 1] shared
            alloc c.local: float32[1] local
            stage c.rf:
              for k.outer.k.inner.fused.inner in 3 bind threadIdx.x:
                for i'1 in 1:
                  c.rf[k.outer.k.inner.fused.inner, 0] = 0.0
                  for k.outer.k.inner.fused.outer in 4:
                    if k.outer.k.inner.fused.inner + k.outer.k.inner.fused.outer * 3 < 10:
                      c.rf[k.outer.k.inner.fused.inner, 0] = c.rf[k.outer.k.inner.fused.inner, 0] + (a[i, k.outer.k.inner.fused.inner + k.outer.k.inner.fused.outer * 3] + 1.0) * w[k.outer.k.inner.fused.inner + k.outer.k.inner.fused.outer * 3]
            stage c.local:
              for i.c in 1:
                c.local[0] = 0.0
                for k.outer.k.inner.fused.inner.v in 3:
                  c.local[0] = c.local[0] + c.rf[k.outer.k.inner.fused.inner.v, 0]
            c[i] = c.local[0]
      "
    `);
  });
  it("can be done again to what it made", () => {
    rewritten((s) => {
      const { c, ko, ki } = parts(s);
      s.rfactor(ki, 1);
      s.rfactor(ko, 2);
      s.rfactor(s.reduceAxes(c)[0] as LoopRef, 0);
    });
  });
  refuses([
    ["a spatial loop", (s) => s.rfactor(s.axes(s.stage("c"))[0] as LoopRef, 0), "rfactor.spatial"],
    ["an axis beyond the last", (s) => s.rfactor(s.reduceAxes(s.stage("c"))[0] as LoopRef, 2), "rfactor.axis"],
    [
      "a loop that was split",
      (s) => {
        const [k] = s.reduceAxes(s.stage("c")) as [LoopRef];
        s.split(k, [null, 2]);
        s.rfactor(k, 0);
      },
      "rfactor.leaf",
    ],
    [
      "a loop where a stage is computed",
      (s) => {
        const { c, ko } = parts(s);
        s.computeAt(s.stage("b"), c, ko);
        s.rfactor(ko, 0);
      },
      "rfactor.attached",
    ],
    [
      "a sum whose start was placed",
      (s) => {
        const { c, i, ko } = parts(s);
        s.decomposeReduction(c, i);
        s.rfactor(ko, 0);
      },
      "rfactor.start",
    ],
  ]);
});
