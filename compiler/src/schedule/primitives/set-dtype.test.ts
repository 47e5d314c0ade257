import { describe, expect, it } from "vitest";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

describe("setDtype", () => {
  it("widens a cache: terms are converted before they are added, and the sum is rounded once", () => {
    expect(
      rewritten((s) => {
        const c = s.stage("c");
        const local = s.cacheWrite(c, "local");
        s.computeAt(local, c, s.axes(c)[0] as LoopRef);
        s.setDtype(local, "float64");
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j in 10:
              b[i, j] = a[i, j] + 1.0
        stage c:
          for i in 6:
            alloc c.local: float64[1] local
            stage c.local:
              for i.c in 1:
                c.local[0] = float64(0.0)
                for k in 10:
                  c.local[0] = c.local[0] + float64(b[i, k] * w[k])
            c[i] = float32(c.local[0])
      "
    `);
  });
  it("widens a stage for all its readers", () => {
    const text = rewritten((s) => s.setDtype(s.stage("b"), "float64"));
    expect(text).toContain("b[i, j] = float64(a[i, j] + 1.0)");
    expect(text).toContain("float32(b[i, k])");
  });
  refuses([
    ["an output", (s) => s.setDtype(s.stage("c"), "float64"), "setDtype.output"],
    ["a narrower type", (s) => s.setDtype(s.stage("b"), "float16"), "setDtype.wider"],
    ["the same type", (s) => s.setDtype(s.stage("b"), "float32"), "setDtype.wider"],
    ["a whole number", (s) => s.setDtype(s.stage("b"), "int64"), "setDtype.wider"],
    [
      "an inlined stage",
      (s) => {
        s.computeInline(s.stage("b"));
        s.setDtype(s.stage("b"), "float64");
      },
      "setDtype.inlined",
    ],
  ]);
});
