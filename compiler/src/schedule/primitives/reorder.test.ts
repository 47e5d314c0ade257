import { describe, expect, it } from "vitest";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

describe("reorder", () => {
  it("moves only the named loops, among the places they hold", () => {
    expect(
      rewritten((s) => {
        const [i, j] = s.axes(s.stage("b")) as [LoopRef, LoopRef];
        const [io, ii] = s.split(i, [null, 2]);
        s.reorder([j, io]);
        s.reorder([ii]);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for j in 10:
            for i.inner in 2:
              for i.outer in 3:
                b[i.inner + i.outer * 2, j] = a[i.inner + i.outer * 2, j] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i, k] * w[k]
      "
    `);
  });
  it("puts the start of a reduction before its outermost reduction loop", () => {
    expect(
      rewritten((s) => {
        const [i] = s.axes(s.stage("c")) as [LoopRef];
        const [k] = s.reduceAxes(s.stage("c")) as [LoopRef];
        const [io, ii] = s.split(i, [null, 3]);
        s.reorder([io, k, ii]);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j in 10:
              b[i, j] = a[i, j] + 1.0
        stage c:
          for i.outer in 2:
            for i.inner.init in 3:
              c[i.outer * 3 + i.inner.init] = 0.0
            for k in 10:
              for i.inner in 3:
                c[i.outer * 3 + i.inner] = c[i.outer * 3 + i.inner] + b[i.outer * 3 + i.inner, k] * w[k]
      "
    `);
  });
  refuses([
    [
      "loops of two stages",
      (s) => s.reorder([s.axes(s.stage("b"))[0] as LoopRef, s.axes(s.stage("c"))[0] as LoopRef]),
      "reorder.stage",
    ],
    [
      "a loop named twice",
      (s) => {
        const [i] = s.axes(s.stage("b")) as [LoopRef];
        s.reorder([i, i]);
      },
      "reorder.twice",
    ],
    ["no loops", (s) => s.reorder([]), "reorder.loops"],
    [
      "a loop that was split",
      (s) => {
        const [i, j] = s.axes(s.stage("b")) as [LoopRef, LoopRef];
        s.split(i, [null, 2]);
        s.reorder([j, i]);
      },
      "reorder.leaf",
    ],
  ]);
});
