/** Terms of a reduction that a condition leaves out: a test around the step, not a zero that is added. */
import { describe, expect, it } from "vitest";
import { evaluate } from "../../interp/evaluate.ts";
import { interpret } from "../../interp/interpret.ts";
import { printFunc } from "../../ir/print.ts";
import { compute, maxOf, minOf, placeholder, productOf, reduceAxis, sum } from "../../te/compute.ts";
import { add, at, less, select } from "../../te/expr.ts";
import type { Combiner } from "../../te/graph.ts";
import { graphOf } from "../../te/graph-of.ts";
import { infer } from "../infer.ts";
import { createSchedule, type Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";

const reduceBy = { sum, prod: productOf, max: maxOf, min: minOf };

/** c[i] = the reduction over k in 0..8 of (i + k < 9 ? a[i, k] : whenFalse) */
function nestOf(combiner: Combiner, whenFalse: number, schedule: (s: Schedule) => void = () => {}) {
  const a = placeholder("a", [6, 8]);
  const k = reduceAxis("k", 8);
  const c = compute("c", [["i", 6]], (i) =>
    reduceBy[combiner](select(less(add(i, k.loopVar), 9), at(a, i, k.loopVar), whenFalse), [k]),
  );
  const graph = graphOf([a], [c]);
  const made = createSchedule(graph);
  schedule(made);
  const inferred = infer(made.state);
  if (!inferred.ok) throw inferred.error;
  const func = inferred.value.func();
  const inputs = new Map([["a", Float32Array.from({ length: 48 }, (_, n) => ((n * 7) % 13) - 6)]]);
  expect(interpret([func], inputs).data.get("c")).toEqual(evaluate(graph, inputs).get("c"));
  return printFunc(func);
}

describe("a term that a condition leaves out", () => {
  it.each<[Combiner, number]>([
    ["sum", 0],
    ["prod", 1],
    ["max", Number.NEGATIVE_INFINITY],
    ["min", Number.POSITIVE_INFINITY],
  ])("of a %s, with %d for the others, is a test around the step", (combiner, identity) => {
    const text = nestOf(combiner, identity);
    expect(text).toContain("if i + k < 9");
    expect(text).not.toContain("select");
  });
  it.each<[Combiner, number]>([
    ["sum", 1],
    ["prod", 0],
    ["max", 0],
    ["min", 0],
  ])("of a %s, with %d for the others, is a term", (combiner, other) => {
    const text = nestOf(combiner, other);
    expect(text).toContain("select(i + k < 9");
    expect(text).not.toContain("if ");
  });
  it("minus zero is another start than zero: it stays a term", () => {
    expect(nestOf("sum", -0)).toContain("select");
  });
  it("of a vectorized loop stays a select", () => {
    const text = nestOf("sum", 0, (s) => {
      const stage = s.stage("c");
      const [i] = s.axes(stage) as [LoopRef];
      const [k] = s.reduceAxes(stage) as [LoopRef];
      s.reorder([k, i]);
      s.vectorize(i);
    });
    expect(text).toContain("select");
  });
});
