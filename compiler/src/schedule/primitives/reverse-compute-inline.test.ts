import { describe, expect, it } from "vitest";
import { compute, placeholder, reduceAxis, sum } from "../../te/compute.ts";
import { add, at, maximum, mul, sub } from "../../te/expr.ts";
import type { Graph } from "../../te/graph.ts";
import { graphOf } from "../../te/graph-of.ts";
import type { Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { refuses, rewritten } from "./primitive.testing.ts";

const grid: [string, number][] = [
  ["i", 6],
  ["j", 8],
];

/** t[i, j] = sum over k, then e[j, i] = max(t[i, j] - bias[j], 0). */
function relu(): Graph {
  const a = placeholder("a", [6, 5]);
  const bias = placeholder("bias", [8]);
  const k = reduceAxis("k", 5);
  const t = compute("t", grid, (i, j) => sum(mul(at(a, i, k.loopVar), at(bias, j)), [k]));
  const e = compute("e", [...grid].reverse(), (j, i) => maximum(sub(at(t, i, j), at(bias, j)), 0));
  return graphOf([a, bias], [e]);
}
/** Two producers of one consumer, one of them read elsewhere too. */
function fork(): Graph {
  const a = placeholder("a", [6, 8]);
  const p = compute("p", grid, (i, j) => add(at(a, i, j), 1));
  const q = compute("q", grid, (i, j) => mul(at(p, i, j), 2));
  const r = compute("r", grid, (i, j) => add(at(q, i, j), at(p, i, j)));
  return graphOf([a], [r]);
}

describe("reverseComputeInline", () => {
  it("puts an epilogue into the copy of an accumulation, over the loops of the copy", () => {
    expect(
      rewritten((s) => {
        const t = s.stage("t");
        const [i, j] = s.axes(t) as [LoopRef, LoopRef];
        const acc = s.cacheWrite(t, "local");
        const [io, jo, ii] = s.tile(i, j, 3, 4);
        s.computeAt(acc, t, ii);
        s.reverseComputeInline(s.stage("e"));
        expect(s.stage("e")).toBe(t);
        s.reorder([jo, io]);
      }, relu()),
    ).toMatchInlineSnapshot(`
      "
        stage e:
          for j.outer in 2:
            for i.outer in 2:
              for i.inner in 3:
                alloc t.local: float32[1, 4] local
                stage t.local:
                  for i.c in 1:
                    for j.c in 4:
                      t.local[0, j.c] = 0.0
                      for k in 5:
                        t.local[0, j.c] = t.local[0, j.c] + a[i.outer * 3 + i.inner, k] * bias[j.outer * 4 + j.c]
                for j.inner in 4:
                  e[j.outer * 4 + j.inner, i.outer * 3 + i.inner] = max(t.local[0, j.inner] - bias[j.outer * 4 + j.inner], 0.0)
      "
    `);
  });
  it("leaves the readers of the consumer alone", () => {
    rewritten((s: Schedule) => {
      s.computeInline(s.stage("q"));
      s.reverseComputeInline(s.stage("r"));
    }, fork());
  });
  const refusedBy = (call: (s: Schedule) => void, graph: Graph) => () => rewritten(call, graph);
  it("refuses producers whose loops cannot stay", () => {
    expect(refusedBy((s) => s.reverseComputeInline(s.stage("e")), relu())).toThrow("[reverseComputeInline.producer]");
    expect(refusedBy((s) => s.reverseComputeInline(s.stage("r")), fork())).toThrow("one of them must be inlined first");
    expect(refusedBy((s) => s.reverseComputeInline(s.stage("q")), fork())).toThrow('"r" reads "p" too');
  });
  it("refuses to lose what was done to the consumer's loops", () => {
    const cached = (then: (s: Schedule, i: LoopRef) => void) =>
      refusedBy((s) => {
        s.cacheWrite(s.stage("t"), "global");
        then(s, s.axes(s.stage("e"))[0] as LoopRef);
        s.reverseComputeInline(s.stage("e"));
      }, relu());
    expect(cached((s, i) => s.split(i, [null, 2]))).toThrow("[reverseComputeInline.scheduled]");
    expect(cached((s, i) => s.bind(i, "threadIdx.x"))).toThrow("[reverseComputeInline.marked]");
    expect(cached((s, i) => s.computeAt(s.stage("t"), s.stage("e"), i))).toThrow("[reverseComputeInline.attached]");
    expect(cached((s) => s.computeInline(s.stage("t")))).toThrow("[reverseComputeInline.producer]");
  });
  refuses([
    ["a reduction", (s) => s.reverseComputeInline(s.stage("c")), "reverseComputeInline.reduce"],
    [
      "an inlined stage",
      (s) => {
        s.computeInline(s.stage("b"));
        s.reverseComputeInline(s.stage("b"));
      },
      "reverseComputeInline.inlined",
    ],
    ["a reader of inputs only", (s) => s.reverseComputeInline(s.stage("b")), "reverseComputeInline.producer"],
  ]);
});
