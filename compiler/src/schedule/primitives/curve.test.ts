import { describe, expect, it } from "vitest";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten, sampleGraph } from "./primitive.testing.ts";

describe("curve", () => {
  it("makes one loop of two, which goes through them in another order", () => {
    expect(rewritten((s) => s.curve(s.axes(s.stage("b")), "hilbert", 1))).toMatchInlineSnapshot(`
      "
        stage b:
          for i.j.fused in 60:
            b[hilbert_of_6x10[i.j.fused] // 10, hilbert_of_6x10[i.j.fused] % 10] = a[hilbert_of_6x10[i.j.fused] // 10, hilbert_of_6x10[i.j.fused] % 10] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i, k] * w[k]
      "
    `);
  });
  it("goes through groups of rows, split into tiles that do not divide: from its end on it is beyond the last row", () => {
    expect(
      rewritten((s) => {
        const [i, j] = s.axes(s.stage("b")) as [LoopRef, LoopRef];
        const [jo] = s.split(j, [null, 4]) as [LoopRef, LoopRef];
        s.split(s.curve([i, jo], "group", 4), [null, 7]);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i.j.outer.fused.outer in 3:
            for i.j.outer.fused.inner in 7:
              for j.inner in 4:
                if group4_of_6x3[i.j.outer.fused.outer * 7 + i.j.outer.fused.inner] % 3 * 4 + j.inner < 10 and i.j.outer.fused.outer * 7 + i.j.outer.fused.inner < 18:
                  b[group4_of_6x3[i.j.outer.fused.outer * 7 + i.j.outer.fused.inner] // 3, group4_of_6x3[i.j.outer.fused.outer * 7 + i.j.outer.fused.inner] % 3 * 4 + j.inner] = a[group4_of_6x3[i.j.outer.fused.outer * 7 + i.j.outer.fused.inner] // 3, group4_of_6x3[i.j.outer.fused.outer * 7 + i.j.outer.fused.inner] % 3 * 4 + j.inner] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i, k] * w[k]
      "
    `);
  });
  refuses([
    [
      "three loops",
      (s) => {
        const [i, j] = s.axes(s.stage("b")) as [LoopRef, LoopRef];
        s.curve([...s.split(i, [null, 2]), j], "hilbert", 1);
      },
      "curve.loops",
    ],
    ["one loop", (s) => s.curve(s.axes(s.stage("c")), "group", 2), "curve.loops"],
    ["reductions", (s) => s.curve(s.split(s.reduceAxes(s.stage("c"))[0] as LoopRef, [null, 2]), "group", 2), "curve.reduce"],
    ["groups of Hilbert's curve", (s) => s.curve(s.axes(s.stage("b")), "hilbert", 2), "curve.group"],
    [
      "loops in the wrong order",
      (s) => {
        const [i, j] = s.axes(s.stage("b")) as [LoopRef, LoopRef];
        s.curve([j, i], "hilbert", 1);
      },
      "curve.neighbours",
    ],
  ]);
  it("refuses a grid of more places than a table has, where it is computed", () => {
    expect(() => rewritten((s) => s.curve(s.axes(s.stage("b")), "hilbert", 1), sampleGraph(4097, 4))).toThrow(
      'curve: loop "i.j.fused" of "b" goes through 4097 x 4 places; at most 16384: split or fuse the loops',
    );
  });
});
