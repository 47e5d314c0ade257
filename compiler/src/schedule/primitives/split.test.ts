import { describe, expect, it } from "vitest";
import { compute, placeholder } from "../../te/compute.ts";
import { at } from "../../te/expr.ts";
import { graphOf } from "../../te/graph-of.ts";
import { createSchedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

describe("split", () => {
  it("divides a loop, the null part taking the rest", () => {
    expect(rewritten((s) => s.split(s.axes(s.stage("b"))[1] as LoopRef, [null, 5]))).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j.outer in 2:
              for j.inner in 5:
                b[i, j.outer * 5 + j.inner] = a[i, j.outer * 5 + j.inner] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i, k] * w[k]
      "
    `);
  });
  it("guards what does not divide, once for a chain", () => {
    expect(
      rewritten((s) => {
        const [, inner] = s.split(s.axes(s.stage("b"))[1] as LoopRef, [3, null]);
        s.split(inner, [null, 3]);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j.outer in 3:
              for j.inner.outer in 2:
                for j.inner.inner in 3:
                  if j.outer * 4 + j.inner.outer * 3 + j.inner.inner < 10 and j.inner.outer * 3 + j.inner.inner < 4:
                    b[i, j.outer * 4 + j.inner.outer * 3 + j.inner.inner] = a[i, j.outer * 4 + j.inner.outer * 3 + j.inner.inner] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i, k] * w[k]
      "
    `);
  });
  it("guards the update of a reduction, not its start", () => {
    expect(rewritten((s) => s.split(s.reduceAxes(s.stage("c"))[0] as LoopRef, [null, 2, 3]))).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j in 10:
              b[i, j] = a[i, j] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k.0 in 2:
              for k.1 in 2:
                for k.2 in 3:
                  if k.0 * 6 + k.1 * 3 + k.2 < 10:
                    c[i] = c[i] + b[i, k.0 * 6 + k.1 * 3 + k.2] * w[k.0 * 6 + k.1 * 3 + k.2]
      "
    `);
  });
  it("guards both when the spatial loop overruns", () => {
    expect(rewritten((s) => s.split(s.axes(s.stage("c"))[0] as LoopRef, [null, 4]))).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j in 10:
              b[i, j] = a[i, j] + 1.0
        stage c:
          for i.outer in 2:
            for i.inner in 4:
              if i.outer * 4 + i.inner < 6:
                c[i.outer * 4 + i.inner] = 0.0
              for k in 10:
                if i.outer * 4 + i.inner < 6:
                  c[i.outer * 4 + i.inner] = c[i.outer * 4 + i.inner] + b[i.outer * 4 + i.inner, k] * w[k]
      "
    `);
  });
  it("keeps one guard of a fused loop that overruns: the loops it was made of are within their extents then", () => {
    expect(
      rewritten((s) => {
        const b = s.stage("b");
        s.computeInline(b);
        const c = s.stage("c");
        const [k] = s.reduceAxes(c) as [LoopRef];
        const [outer, inner] = s.split(k, [null, 5]);
        s.split(s.fuse([outer, inner]), [null, 4]);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage c:
          for i in 6:
            c[i] = 0.0
            for k.outer.k.inner.fused.outer in 3:
              for k.outer.k.inner.fused.inner in 4:
                if k.outer.k.inner.fused.outer * 4 + k.outer.k.inner.fused.inner < 10:
                  c[i] = c[i] + (a[i, k.outer.k.inner.fused.outer * 4 + k.outer.k.inner.fused.inner] + 1.0) * w[k.outer.k.inner.fused.outer * 4 + k.outer.k.inner.fused.inner]
      "
    `);
  });
  it("counts the iterations past the end: an index must not leave 32 bits before it is compared", () => {
    const x = placeholder("x", [2 ** 31 - 1], "int8");
    const y = compute("y", [["i", 2 ** 31 - 1]], (i) => at(x, i));
    const schedule = createSchedule(graphOf([x], [y]));
    const [i] = schedule.axes(schedule.stage("y")) as [LoopRef];
    expect(() => schedule.split(i, [null, 1024])).toThrow("2147483648 iterations; at most 2147483647 [split.factors]");
    expect(schedule.split(i, [null, 1])).toHaveLength(2);
  });
  refuses([
    ["factors that do not cover", (s) => s.split(s.axes(s.stage("c"))[0] as LoopRef, [2, 2]), "split.cover"],
    ["two open factors", (s) => s.split(s.axes(s.stage("c"))[0] as LoopRef, [null, null]), "split.factors"],
    ["one factor", (s) => s.split(s.axes(s.stage("c"))[0] as LoopRef, [null]), "split.factors"],
    ["a factor of 0", (s) => s.split(s.axes(s.stage("c"))[0] as LoopRef, [null, 0]), "split.args"],
    ["too many iterations", (s) => s.split(s.axes(s.stage("c"))[0] as LoopRef, [65_536, 65_536]), "split.factors"],
    ["an unknown loop", (s) => s.split(99 as LoopRef, [null, 2]), "split.args"],
    [
      "a loop that was split",
      (s) => {
        const [i] = s.axes(s.stage("c")) as [LoopRef];
        s.split(i, [null, 2]);
        s.split(i, [null, 2]);
      },
      "split.leaf",
    ],
    [
      "a bound loop",
      (s) => {
        const [i] = s.axes(s.stage("c")) as [LoopRef];
        s.bind(i, "blockIdx.x");
        s.split(i, [null, 2]);
      },
      "split.marked",
    ],
    [
      "a loop with a pragma",
      (s) => {
        const [i] = s.axes(s.stage("c")) as [LoopRef];
        s.pragma(i, "unroll_explicit", 1);
        s.split(i, [null, 2]);
      },
      "split.marked",
    ],
    [
      "a loop where a stage is computed",
      (s) => {
        const [i] = s.axes(s.stage("c")) as [LoopRef];
        s.computeAt(s.stage("b"), s.stage("c"), i);
        s.split(i, [null, 2]);
      },
      "split.attached",
    ],
    [
      "factors that do not cover the inferred region",
      (s) => {
        const [i] = s.axes(s.stage("c")) as [LoopRef];
        s.computeAt(s.stage("b"), s.stage("c"), i);
        s.split(s.axes(s.stage("b"))[1] as LoopRef, [3, 3]);
      },
      "split.cover",
    ],
  ]);
});
