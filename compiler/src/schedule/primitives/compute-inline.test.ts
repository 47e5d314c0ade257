import { describe, expect, it } from "vitest";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

describe("computeInline", () => {
  it("puts the formula where it is read", () => {
    expect(rewritten((s) => s.computeInline(s.stage("b")))).toMatchInlineSnapshot(`
      "
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + (a[i, k] + 1.0) * w[k]
      "
    `);
  });
  it("reaches through a cache made of it, whatever came first", () => {
    const inlineLast = rewritten((s) => {
      s.cacheRead(s.stage("b"), "global", [s.stage("c")]);
      s.computeInline(s.stage("b"));
    });
    const inlineFirst = rewritten((s) => {
      s.computeInline(s.stage("b"));
      s.cacheRead(s.stage("b"), "global", [s.stage("c")]);
    });
    expect(inlineLast).toBe(inlineFirst);
    expect(inlineLast).toMatchInlineSnapshot(`
      "
        stage b.global:
          for ax0 in 6:
            for ax1 in 10:
              b.global[ax0, ax1] = a[ax0, ax1] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b.global[i, k] * w[k]
      "
    `);
  });
  refuses([
    ["an output", (s) => s.computeInline(s.stage("c")), "computeInline.output"],
    ["a reduction", (s) => s.computeInline(s.cacheWrite(s.stage("c"), "local")), "computeInline.reduce"],
    [
      "a stage that holds another",
      (s) => {
        const b = s.stage("b");
        s.computeAt(s.cacheRead(s.graph.inputs[0] as never, "local", [b]), b, s.axes(b)[0] as LoopRef);
        s.computeInline(b);
      },
      "computeInline.attached",
    ],
  ]);
});
