import { describe, expect, it } from "vitest";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

describe("cacheWrite", () => {
  it("moves the reduction, with its loops, to a stage of its own", () => {
    expect(
      rewritten((s) => {
        const c = s.stage("c");
        const [k] = s.reduceAxes(c) as [LoopRef];
        const [ko] = s.split(k, [null, 5]);
        const local = s.cacheWrite(c, "local");
        s.computeAt(local, c, s.axes(c)[0] as LoopRef);
        s.reorder([ko, s.axes(local)[0] as LoopRef]);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j in 10:
              b[i, j] = a[i, j] + 1.0
        stage c:
          for i in 6:
            alloc c.local: float32[1] local
            stage c.local:
              for i.c.init in 1:
                c.local[0] = 0.0
              for k.outer in 2:
                for i.c in 1:
                  for k.inner in 5:
                    c.local[0] = c.local[0] + b[i, k.outer * 5 + k.inner] * w[k.outer * 5 + k.inner]
            c[i] = c.local[0]
      "
    `);
  });
  it("takes the readers along", () => {
    const before = rewritten((s) => {
      const c = s.stage("c");
      const b = s.cacheRead(s.stage("b"), "global", [c]);
      const local = s.cacheWrite(c, "local");
      s.computeAt(local, c, s.axes(c)[0] as LoopRef);
      s.computeAt(b, local, s.axes(local)[0] as LoopRef);
    });
    expect(before).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j in 10:
              b[i, j] = a[i, j] + 1.0
        stage c:
          for i in 6:
            alloc c.local: float32[1] local
            stage c.local:
              for i.c in 1:
                alloc b.global: float32[1, 10] global
                stage b.global:
                  for ax0 in 1:
                    for ax1 in 10:
                      b.global[0, ax1] = b[i, ax1]
                c.local[0] = 0.0
                for k in 10:
                  c.local[0] = c.local[0] + b.global[0, k] * w[k]
            c[i] = c.local[0]
      "
    `);
  });
  refuses([
    [
      "an inlined stage",
      (s) => {
        s.computeInline(s.stage("b"));
        s.cacheWrite(s.stage("b"), "local");
      },
      "cacheWrite.inlined",
    ],
    ["a cache that was given no place", (s) => s.cacheWrite(s.stage("c"), "local"), "scope.root"],
  ]);
});
