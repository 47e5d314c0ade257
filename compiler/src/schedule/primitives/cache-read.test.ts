import { describe, expect, it } from "vitest";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

describe("cacheRead", () => {
  it("copies a tensor and sends its readers to the copy", () => {
    expect(rewritten((s) => s.cacheRead(s.stage("b"), "global", [s.stage("c")]))).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j in 10:
              b[i, j] = a[i, j] + 1.0
        stage b.global:
          for ax0 in 6:
            for ax1 in 10:
              b.global[ax0, ax1] = b[ax0, ax1]
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b.global[i, k] * w[k]
      "
    `);
  });
  it("copies an input, in the part that is needed", () => {
    expect(
      rewritten((s) => {
        const c = s.stage("c");
        const w = s.cacheRead(s.graph.inputs[1] as never, "local", [c]);
        const [ko] = s.split(s.reduceAxes(c)[0] as LoopRef, [null, 4]);
        s.computeAt(w, c, ko);
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j in 10:
              b[i, j] = a[i, j] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k.outer in 3:
              alloc w.local: float32[4] local
              stage w.local:
                for ax0 in 4:
                  if k.outer * 4 + ax0 < 10:
                    w.local[ax0] = w[k.outer * 4 + ax0]
              for k.inner in 4:
                if k.outer * 4 + k.inner < 10:
                  c[i] = c[i] + b[i, k.outer * 4 + k.inner] * w.local[k.inner]
      "
    `);
  });
  refuses([
    ["no readers", (s) => s.cacheRead(s.stage("b"), "shared", []), "cacheRead.readers"],
    ["a reader that does not read", (s) => s.cacheRead(s.stage("c"), "shared", [s.stage("b")]), "cacheRead.readers"],
    [
      "a reader that was sent to another copy",
      (s) => {
        s.cacheRead(s.stage("b"), "shared", [s.stage("c")]);
        s.cacheRead(s.stage("b"), "local", [s.stage("c")]);
      },
      "cacheRead.readers",
    ],
    ["a scope that is none", (s) => s.cacheRead(s.stage("b"), "register" as "local", [s.stage("c")]), "cacheRead.args"],
    ["a cache that was given no place", (s) => s.cacheRead(s.stage("b"), "shared", [s.stage("c")]), "scope.root"],
  ]);
});
