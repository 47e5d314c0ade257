import { describe, expect, it } from "vitest";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

describe("bind", () => {
  it("gives loops to blocks, threads and virtual threads", () => {
    expect(
      rewritten((s) => {
        const [i, j] = s.axes(s.stage("b")) as [LoopRef, LoopRef];
        s.bind(i, "blockIdx.x");
        const [outer, inner] = s.split(j, [null, 5]);
        s.bind(outer, "vthread");
        s.bind(inner, "threadIdx.x");
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i in 6 bind blockIdx.x:
            for j.outer in 2 bind vthread:
              for j.inner in 5 bind threadIdx.x:
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
      "a loop bound before",
      (s) => {
        const [i] = s.axes(s.stage("b")) as [LoopRef];
        s.bind(i, "blockIdx.x");
        s.bind(i, "blockIdx.y");
      },
      "bind.twice",
    ],
    [
      "an axis bound before in the stage",
      (s) => {
        const [i, j] = s.axes(s.stage("b")) as [LoopRef, LoopRef];
        s.bind(i, "threadIdx.x");
        s.bind(j, "threadIdx.x");
      },
      "bind.twice",
    ],
    ["a reduction over blocks", (s) => s.bind(s.reduceAxes(s.stage("c"))[0] as LoopRef, "blockIdx.x"), "bind.reduce"],
    ["a reduction over other threads", (s) => s.bind(s.reduceAxes(s.stage("c"))[0] as LoopRef, "threadIdx.y"), "bind.reduce"],
    [
      "a reduction over threads that no shuffle puts together",
      (s) => s.bind(s.split(s.reduceAxes(s.stage("c"))[0] as LoopRef, [null, 3])[1], "threadIdx.x"),
      "bind.lanes",
    ],
    [
      "threads inside a reduction that is shared out",
      (s) => {
        const c = s.stage("c");
        const [k] = s.reduceAxes(c) as [LoopRef];
        const [outer, lane] = s.split(k, [null, 2]);
        s.reorder([outer, lane, ...s.axes(c)]);
        s.bind(lane, "threadIdx.x");
        s.bind(s.axes(c)[0] as LoopRef, "threadIdx.y");
      },
      "bind.inside",
    ],
    ["a tag that is none", (s) => s.bind(s.axes(s.stage("b"))[0] as LoopRef, "threadIdx.w" as "threadIdx.x"), "bind.args"],
    [
      "more blocks than the result has",
      (s) => {
        const c = s.stage("c");
        const [i] = s.axes(c) as [LoopRef];
        const [outer, inner] = s.split(i, [null, 2]);
        s.bind(outer, "blockIdx.x");
        s.bind(inner, "threadIdx.x");
        const cached = s.cacheWrite(c, "local");
        s.computeAt(cached, c, inner);
        const w = s.cacheRead(s.graph.inputs[1] as never, "shared", [cached]);
        s.computeAt(w, cached, s.axes(cached)[0] as LoopRef);
        s.bind(s.axes(w)[0] as LoopRef, "blockIdx.x");
      },
      "bind.extent",
    ],
    [
      "threads that share a private buffer",
      (s) => {
        const c = s.stage("c");
        const [i] = s.axes(c) as [LoopRef];
        s.bind(i, "blockIdx.x");
        const cached = s.cacheWrite(c, "local");
        s.computeAt(cached, c, i);
        const w = s.cacheRead(s.graph.inputs[1] as never, "local", [cached]);
        s.computeAt(w, cached, s.axes(cached)[0] as LoopRef);
        s.bind(s.axes(w)[0] as LoopRef, "threadIdx.x");
      },
      "bind.scope",
    ],
    [
      "threads that would all add to one sum",
      (s) => {
        const c = s.stage("c");
        s.bind(s.axes(c)[0] as LoopRef, "blockIdx.x");
        const w = s.cacheRead(s.graph.inputs[1] as never, "shared", [c]);
        s.computeAt(w, c, s.axes(c)[0] as LoopRef);
        s.bind(s.axes(w)[0] as LoopRef, "threadIdx.x");
      },
      "reduce.repeated",
    ],
    [
      "blocks that would all add to one sum in global memory",
      (s) => {
        const sums = s.cacheWrite(s.stage("c"), "global");
        const [outer] = s.split(s.axes(sums)[0] as LoopRef, [null, 3]);
        s.reverseComputeAt(s.stage("c"), sums, outer);
        s.bind(s.leaves(s.stage("c")).at(-1) as LoopRef, "blockIdx.x");
      },
      "reduce.repeated",
    ],
    [
      "threads inside lanes",
      (s) => {
        const [i, j] = s.axes(s.stage("b")) as [LoopRef, LoopRef];
        s.vectorize(i);
        s.bind(j, "threadIdx.x");
      },
      "bind.order",
    ],
  ]);
});
