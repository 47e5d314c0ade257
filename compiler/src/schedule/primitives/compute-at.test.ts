import { describe, expect, it } from "vitest";
import type { Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

/**
 * Two threads read two rows of c each from shared memory, where threads have written `rows` rows each: sums that a thread keeps
 * for both loops.
 */
function keptInThreads(s: Schedule, rows: number): void {
  const c = s.stage("c");
  const shared = s.cacheWrite(c, "shared");
  const sums = s.cacheWrite(shared, "local");
  const [block, thread] = s.split(s.axes(c)[0] as LoopRef, [null, 2, 2]);
  s.bind(block, "blockIdx.x");
  s.bind(thread, "threadIdx.y");
  s.computeAt(shared, c, thread);
  const [own] = s.split(s.axes(shared)[0] as LoopRef, [null, rows]);
  s.bind(own, "threadIdx.y");
  s.computeAt(sums, c, thread);
}

describe("computeAt", () => {
  it("computes at a loop what its body needs", () => {
    expect(rewritten((s) => s.computeAt(s.stage("b"), s.stage("c"), s.axes(s.stage("c"))[0] as LoopRef))).toMatchInlineSnapshot(`
      "
        stage c:
          for i in 6:
            alloc b: float32[1, 10] local
            stage b:
              for i'1 in 1:
                for j in 10:
                  b[0, j] = a[i, j] + 1.0
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[0, k] * w[k]
      "
    `);
  });
  it("covers every thread of a block when shared, one when local", () => {
    expect(
      rewritten((s) => {
        const [bs, c] = [s.stage("b"), s.stage("c")];
        const [i] = s.axes(c) as [LoopRef];
        const [k] = s.reduceAxes(c) as [LoopRef];
        const [block, thread] = s.split(i, [null, 4]);
        s.bind(block, "blockIdx.x");
        s.bind(thread, "threadIdx.x");
        const [ko] = s.split(k, [null, 5]);
        const shared = s.cacheRead(bs, "shared", [c]);
        const local = s.cacheRead(shared, "local", [c]);
        s.computeInline(bs);
        s.computeAt(shared, c, ko);
        s.computeAt(local, c, ko);
        const [r] = s.axes(shared) as [LoopRef];
        s.bind(r, "threadIdx.x");
      }),
    ).toMatchInlineSnapshot(`
      "
        stage c:
          for i.outer in 2 bind blockIdx.x:
            for i.inner in 4 bind threadIdx.x:
              if i.outer * 4 + i.inner < 6:
                c[i.outer * 4 + i.inner] = 0.0
              for k.outer in 2:
                alloc b.shared: float32[4, 5] shared
                alloc b.shared.local: float32[1, 5] local
                stage b.shared:
                  for ax0 in 4 bind threadIdx.x:
                    for ax1 in 5:
                      if i.outer * 4 + ax0 < 6:
                        b.shared[ax0, ax1] = a[i.outer * 4 + ax0, k.outer * 5 + ax1] + 1.0
                stage b.shared.local:
                  for ax0 in 1:
                    for ax1 in 5:
                      if i.outer * 4 + i.inner < 6:
                        b.shared.local[0, ax1] = b.shared[i.inner, ax1]
                for k.inner in 5:
                  if i.outer * 4 + i.inner < 6:
                    c[i.outer * 4 + i.inner] = c[i.outer * 4 + i.inner] + b.shared.local[0, k.inner] * w[k.outer * 5 + k.inner]
      "
    `);
  });
  it("keeps what a thread needs in two loops of the same threads", () => {
    expect(rewritten((s) => keptInThreads(s, 2))).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6:
            for j in 10:
              b[i, j] = a[i, j] + 1.0
        stage c:
          for i.0 in 2 bind blockIdx.x:
            for i.1 in 2 bind threadIdx.y:
              alloc c.shared.local: float32[2] local
              alloc c.shared: float32[4] shared
              stage c.shared.local:
                for i.c.c in 2:
                  if i.0 * 2 + i.1 < 3:
                    c.shared.local[i.c.c] = 0.0
                  for k in 10:
                    if i.0 * 2 + i.1 < 3:
                      c.shared.local[i.c.c] = c.shared.local[i.c.c] + b[i.0 * 4 + i.1 * 2 + i.c.c, k] * w[k]
              stage c.shared:
                for i.c.inner in 2:
                  if i.0 * 2 + i.1 < 3:
                    c.shared[i.1 * 2 + i.c.inner] = c.shared.local[i.c.inner]
              for i.2 in 2:
                if i.0 * 2 + i.1 < 3:
                  c[i.0 * 4 + i.1 * 2 + i.2] = c.shared[i.1 * 2 + i.2]
      "
    `);
  });
  refuses([
    [
      "a loop of another stage",
      (s) => s.computeAt(s.stage("b"), s.stage("c"), s.axes(s.stage("b"))[0] as LoopRef),
      "computeAt.loop",
    ],
    ["an output", (s) => s.computeAt(s.stage("c"), s.stage("b"), s.axes(s.stage("b"))[0] as LoopRef), "computeAt.output"],
    [
      "a loop that was split",
      (s) => {
        const [i] = s.axes(s.stage("c")) as [LoopRef];
        s.split(i, [null, 2]);
        s.computeAt(s.stage("b"), s.stage("c"), i);
      },
      "computeAt.leaf",
    ],
    [
      "an inlined consumer",
      (s) => {
        const b = s.stage("b");
        const a = s.cacheRead(s.graph.inputs[0] as never, "local", [b]);
        s.computeInline(b);
        s.computeAt(a, b, s.axes(b)[0] as LoopRef);
      },
      "computeAt.inlined",
    ],
    [
      "a circle",
      (s) => {
        const c = s.stage("c");
        const x = s.cacheWrite(c, "local");
        const y = s.cacheWrite(x, "local");
        s.computeAt(y, x, s.axes(x)[0] as LoopRef);
        s.computeAt(x, y, s.axes(y)[0] as LoopRef);
      },
      "computeAt.cycle",
    ],
    [
      "a loop outside of which its reader stands",
      (s) => {
        const c = s.stage("c");
        s.cacheWrite(c, "global");
        s.computeAt(s.stage("b"), c, s.axes(c)[0] as LoopRef);
      },
      "computeAt.reader",
    ],
    [
      "a private stage outside its reader's threads",
      (s) => {
        const c = s.stage("c");
        const [i] = s.axes(c) as [LoopRef];
        const [outer, inner] = s.split(i, [null, 2]);
        s.bind(inner, "threadIdx.x");
        const local = s.cacheRead(s.stage("b"), "local", [c]);
        s.computeAt(local, c, outer);
      },
      "computeAt.thread",
    ],
    ["a private stage inside fewer threads than its reader's", (s) => keptInThreads(s, 1), "computeAt.thread"],
    [
      "global memory written by every block",
      (s) => {
        const c = s.stage("c");
        const [i] = s.axes(c) as [LoopRef];
        s.bind(i, "blockIdx.x");
        const cached = s.cacheRead(s.stage("b"), "global", [c]);
        s.computeAt(cached, c, i);
      },
      "scope.global",
    ],
  ]);
});
