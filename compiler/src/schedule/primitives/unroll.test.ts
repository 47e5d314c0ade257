import { describe, expect, it } from "vitest";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

describe("unroll", () => {
  it("marks a loop", () => {
    expect(
      rewritten((s) => {
        const [, inner] = s.split(s.axes(s.stage("b"))[1] as LoopRef, [null, 5]);
        s.unroll(inner);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j.outer in 2:
              for j.inner in 5 unrolled:
                b[i, j.outer * 5 + j.inner] = a[i, j.outer * 5 + j.inner] + 1.0
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
      "a loop marked before",
      (s) => {
        const [i] = s.axes(s.stage("b")) as [LoopRef];
        s.bind(i, "vthread");
        s.unroll(i);
      },
      "unroll.twice",
    ],
    [
      "a loop that was split",
      (s) => {
        const [i] = s.axes(s.stage("b")) as [LoopRef];
        s.split(i, [null, 2]);
        s.unroll(i);
      },
      "unroll.leaf",
    ],
  ]);
});
