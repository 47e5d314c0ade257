import { describe, expect, it } from "vitest";
import { infer } from "../infer.ts";
import { createSchedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { nestOf, refuses, rewritten, sampleGraph } from "./primitive.testing.ts";

describe("setScope", () => {
  it("widens a stage from one thread's part to the block's", () => {
    expect(
      rewritten((s) => {
        const [b, c] = [s.stage("b"), s.stage("c")];
        const [i] = s.axes(c) as [LoopRef];
        s.bind(i, "threadIdx.x");
        s.computeAt(b, c, i);
        s.bind(s.axes(b)[0] as LoopRef, "threadIdx.x");
        s.setScope(b, "shared");
      }),
    ).toMatchInlineSnapshot(`
      "
        stage c:
          for i in 6 bind threadIdx.x:
            alloc b: float32[6, 10] shared
            stage b:
              for i'1 in 6 bind threadIdx.x:
                for j in 10:
                  b[i'1, j] = a[i'1, j] + 1.0
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i, k] * w[k]
      "
    `);
  });
  it("lets a cache stand at the root after all", () => {
    const schedule = createSchedule(sampleGraph());
    const cached = schedule.cacheRead(schedule.stage("b"), "shared", [schedule.stage("c")]);
    schedule.setScope(cached, "global");
    expect(infer(schedule.state).ok).toBe(true);
    expect(nestOf(schedule).params.map((p) => [p.name, p.scope])).toEqual([
      ["a", "global"],
      ["w", "global"],
      ["c", "global"],
      ["b", "global"],
      ["b.shared", "global"],
    ]);
  });
  refuses([
    ["an output in shared memory", (s) => s.setScope(s.stage("c"), "shared"), "setScope.output"],
    ["a private tensor between kernels", (s) => s.setScope(s.stage("b"), "local"), "scope.root"],
    [
      "a scope narrower than the threads that fill it",
      (s) => {
        const [b, c] = [s.stage("b"), s.stage("c")];
        const [i] = s.axes(c) as [LoopRef];
        s.bind(i, "threadIdx.x");
        const cached = s.cacheRead(b, "shared", [c]);
        s.computeAt(cached, c, i);
        s.bind(s.axes(cached)[0] as LoopRef, "threadIdx.x");
        s.setScope(cached, "local");
      },
      "bind.scope",
    ],
    ["an unknown scope", (s) => s.setScope(s.stage("b"), "texture" as never), "setScope.args"],
  ]);
});
