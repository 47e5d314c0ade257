import { describe, expect, it } from "vitest";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

describe("pragma", () => {
  it("stands around its loop; the last value of a key counts", () => {
    expect(
      rewritten((s) => {
        const [i] = s.axes(s.stage("c")) as [LoopRef];
        s.pragma(i, "auto_unroll_max_step", 16);
        s.pragma(i, "auto_unroll_max_step", 512);
        s.pragma(i, "unroll_explicit", 1);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j in 10:
              b[i, j] = a[i, j] + 1.0
        stage c:
          pragma auto_unroll_max_step 512, unroll_explicit 1:
            for i in 6:
              c[i] = 0.0
              for k in 10:
                c[i] = c[i] + b[i, k] * w[k]
      "
    `);
  });
  refuses([
    ["a key that is none", (s) => s.pragma(s.axes(s.stage("b"))[0] as LoopRef, "fast" as "unroll_explicit", 1), "pragma.args"],
    ["a negative value", (s) => s.pragma(s.axes(s.stage("b"))[0] as LoopRef, "unroll_explicit", -1), "pragma.args"],
    [
      "a loop that was split",
      (s) => {
        const [i] = s.axes(s.stage("b")) as [LoopRef];
        s.split(i, [null, 2]);
        s.pragma(i, "unroll_explicit", 1);
      },
      "pragma.leaf",
    ],
  ]);
});
