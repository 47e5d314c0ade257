import { describe, expect, it } from "vitest";
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { indexMap } from "../../json/index-map.ts";
import { compute, placeholder, reduceAxis, sum } from "../../te/compute.ts";
import { add, at, floorDiv, floorMod, mul } from "../../te/expr.ts";
import type { Graph } from "../../te/graph.ts";
import { graphOf } from "../../te/graph-of.ts";
import type { Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

const rows = indexMap(["i", "j"], (i, j) => [floorDiv(i, 4), floorDiv(j, 4), floorMod(i, 4), floorMod(j, 4)]);

/** C[m, n] = sum over k of A[m, k] * B[k, n], as in the tensor-core programs. */
function product(m: number, n: number, k: number): Graph {
  const a = placeholder("A", [m, k]);
  const b = placeholder("B", [k, n]);
  const r = reduceAxis("k", k);
  const c = compute(
    "C",
    [
      ["m", m],
      ["n", n],
    ],
    (i, j) => sum(mul(at(a, i, r.loopVar), at(b, r.loopVar, j)), [r]),
  );
  return graphOf([a, b], [c]);
}

describe("transformLayout", () => {
  it("lays a tensor out in tiles and moves its readers", () => {
    expect(
      rewritten((s) => {
        const made = s.transformLayout(
          s.stage("b"),
          indexMap(["i", "j"], (i, j) => [floorDiv(i, 2), j, floorMod(i, 2)]),
        );
        expect(made).toEqual(s.axes(s.stage("b")));
      }),
    ).toMatchInlineSnapshot(`
      "
        stage b:
          for i.outer in 3:
            for j in 10:
              for i.inner in 2:
                b[i.outer, j, i.inner] = a[i.outer * 2 + i.inner, j] + 1.0
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i // 2, k, i % 2] * w[k]
      "
    `);
  });
  it("fills the places of no element", () => {
    expect(rewritten((s) => void s.transformLayout(s.stage("b"), rows))).toMatchInlineSnapshot(`
      "
        stage b:
          for i.outer in 2:
            for j.outer in 3:
              for i.inner in 4:
                for j.inner in 4:
                  b[i.outer, j.outer, i.inner, j.inner] = select(i.outer * 4 + i.inner < 6 and j.outer * 4 + j.inner < 10, a[i.outer * 4 + i.inner, j.outer * 4 + j.inner] + 1.0, 0.0)
        stage c:
          for i in 6:
            c[i] = 0.0
            for k in 10:
              c[i] = c[i] + b[i // 4, k // 4, i % 4, k % 4] * w[k]
      "
    `);
  });
  it("gives shared and private tiles the same bodies as a tensor stored in tiles", () => {
    const tiles = indexMap(["r", "c"], (r, c) => [floorDiv(r, 4), floorDiv(c, 4), floorMod(r, 4), floorMod(c, 4)]);
    const text = rewritten(
      (s: Schedule) => {
        const c = s.stage("C");
        const shared = s.cacheRead(s.graph.inputs[0] as Buffer, "shared", [c]);
        const own = s.cacheRead(shared, "local", [c]);
        const acc = s.cacheWrite(c, "local");
        for (const stage of [shared, own, acc]) s.transformLayout(stage, tiles);
        const [m, n] = s.axes(c) as [LoopRef, LoopRef];
        const [mo, no] = s.tile(m, n, 8, 8);
        s.computeAt(acc, c, no);
        const [ko, ki] = s.split(s.reduceAxes(acc)[0] as LoopRef, [null, 4]);
        s.reorder([ko, ...s.axes(acc), ki]);
        s.computeAt(shared, acc, ko);
        s.computeAt(own, acc, ko);
        s.bind(mo, "blockIdx.x");
      },
      product(16, 8, 8),
    );
    expect(text).toMatchInlineSnapshot(`
      "
        stage C:
          for m.outer in 2 bind blockIdx.x:
            for n.outer in 1:
              alloc C.local: float32[2, 2, 4, 4] local
              stage C.local:
                for r.outer.init in 2:
                  for c.outer.init in 2:
                    for r.inner.init in 4:
                      for c.inner.init in 4:
                        C.local[r.outer.init, c.outer.init, r.inner.init, c.inner.init] = 0.0
                for k.outer in 2:
                  alloc A.shared: float32[2, 1, 4, 4] shared
                  alloc A.shared.local: float32[2, 1, 4, 4] local
                  stage A.shared:
                    for r.outer in 2:
                      for c.outer in 1:
                        for r.inner in 4:
                          for c.inner in 4:
                            A.shared[r.outer, 0, r.inner, c.inner] = A[m.outer * 8 + r.outer * 4 + r.inner, k.outer * 4 + c.inner]
                  stage A.shared.local:
                    for r.outer in 2:
                      for c.outer in 1:
                        for r.inner in 4:
                          for c.inner in 4:
                            A.shared.local[r.outer, 0, r.inner, c.inner] = A.shared[r.outer, 0, r.inner, c.inner]
                  for r.outer in 2:
                    for c.outer in 2:
                      for r.inner in 4:
                        for c.inner in 4:
                          for k.inner in 4:
                            C.local[r.outer, c.outer, r.inner, c.inner] = C.local[r.outer, c.outer, r.inner, c.inner] + A.shared.local[r.outer, 0, r.inner, k.inner] * B[k.outer * 4 + k.inner, c.outer * 4 + c.inner]
              for m.inner in 8:
                for n.inner in 8:
                  C[m.outer * 8 + m.inner, n.inner] = C.local[m.inner // 4, n.inner // 4, m.inner % 4, n.inner % 4]
      "
    `);
  });
  it.each([
    // shape [6, 10] -> extents
    ["transposed", indexMap(["i", "j"], (i, j) => [j, i]), [10, 6]],
    ["fused", indexMap(["i", "j"], (i, j) => [add(mul(i, 10), j)]), [60]],
    ["fused the other way", indexMap(["i", "j"], (i, j) => [add(mul(j, 6), i)]), [60]],
    [
      "fused, then cut",
      indexMap(["i", "j"], (i, j) => [floorDiv(add(mul(i, 10), j), 8), floorMod(add(mul(i, 10), j), 8)]),
      [8, 8],
    ],
    [
      "cut in three",
      indexMap(["i", "j"], (i, j) => [floorDiv(j, 4), i, floorMod(floorDiv(j, 2), 2), floorMod(j, 2)]),
      [3, 6, 2, 2],
    ],
    ["cut and joined anew", indexMap(["i", "j"], (i, j) => [floorDiv(j, 5), add(mul(i, 5), floorMod(j, 5))]), [2, 30]],
    ["with an axis of one", indexMap(["i", "j"], (i, j) => [i, mul(0, 1), j]), [6, 1, 10]],
    ["wider than the tensor", indexMap(["i", "j"], (i, j) => [floorDiv(i, 16), j, floorMod(i, 16)]), [1, 10, 16]],
  ])("computes the same %s", (_, map, shape) => {
    rewritten((s) => {
      const b = s.stage("b");
      s.transformLayout(b, map);
      expect(s.state.stages[b]?.buffer.shape).toEqual(shape);
      s.computeAt(b, s.stage("c"), s.axes(s.stage("c"))[0] as LoopRef);
    });
    rewritten((s) => void s.transformLayout(s.stage("b"), map));
  });
  it("is known by its tensor still", () => {
    const graph = product(4, 4, 4);
    rewritten((s) => {
      const c = s.stage("C");
      const local = s.cacheWrite(c, "local");
      s.transformLayout(local, rows);
      s.computeAt(local, c, s.axes(c)[0] as LoopRef);
      expect(s.cacheRead(graph.inputs[0] as Buffer, "local", [local])).toBeGreaterThan(local);
      s.computeAt(s.stage("A.local"), local, s.reduceAxes(local)[0] as LoopRef);
    }, graph);
  });
  const laid = (to: (i: Var, j: Var) => readonly Expr[]) => (s: Schedule) =>
    void s.transformLayout(s.stage("b"), indexMap(["i", "j"], to as (...axes: Var[]) => readonly Expr[]));
  refuses([
    [
      "an output",
      (s) =>
        s.transformLayout(
          s.stage("c"),
          indexMap(["i"], (i) => [i]),
        ),
      "transformLayout.output",
    ],
    [
      "a map of other axes",
      (s) =>
        s.transformLayout(
          s.stage("b"),
          indexMap(["i"], (i) => [i]),
        ),
      "transformLayout.map",
    ],
    ["a lost axis", laid((i) => [i]), "transformLayout.map"],
    ["a lost part of an axis", laid((i, j) => [i, floorMod(j, 2)]), "transformLayout.map"],
    ["a part named twice", laid((i, j) => [i, j, floorMod(j, 2)]), "transformLayout.map"],
    ["two elements in one place", laid((i, j) => [add(i, j)]), "transformLayout.map"],
    ["a fused index with gaps", laid((i, j) => [add(mul(i, 11), j)]), "transformLayout.map"],
    ["parts that do not fit", laid((i, j) => [i, floorDiv(j, 3), floorMod(j, 4)]), "transformLayout.map"],
    ["a product of axes", laid((i, j) => [mul(i, j), j]), "transformLayout.map"],
    ["what is no map", (s) => s.transformLayout(s.stage("b"), { from: ["i", "i"], to: ["i"] }), "transformLayout.args"],
    [
      "a map that loads",
      (s) => s.transformLayout(s.stage("b"), { from: ["i", "j"], to: [["load", "a", ["i", "j"]], "j"] }),
      "transformLayout.args",
    ],
    [
      "a tensor whose loops were split",
      (s) => {
        s.split(s.axes(s.stage("b"))[0] as LoopRef, [null, 2]);
        s.transformLayout(s.stage("b"), rows);
      },
      "transformLayout.leaf",
    ],
    [
      "a tensor whose loops are bound",
      (s) => {
        s.bind(s.axes(s.stage("b"))[0] as LoopRef, "threadIdx.x");
        s.transformLayout(s.stage("b"), rows);
      },
      "transformLayout.marked",
    ],
    [
      "an inlined tensor",
      (s) => {
        s.computeInline(s.stage("b"));
        s.transformLayout(s.stage("b"), rows);
      },
      "transformLayout.inlined",
    ],
    [
      "padded strides",
      (s) => {
        s.storageAlign(s.stage("b"), 0, 8, 1);
        s.transformLayout(s.stage("b"), rows);
      },
      "transformLayout.aligned",
    ],
    [
      "the old loops afterwards",
      (s) => {
        const [i] = s.axes(s.stage("b")) as [LoopRef];
        s.transformLayout(s.stage("b"), rows);
        s.split(i, [null, 2]);
      },
      "split.leaf",
    ],
  ]);
});
