/**
 * What every primitive's test states: a table of rewrites (what the loops become) and a table of refusals (which rule). Each
 * rewrite is also computed: the nest runs in the interpreter and must agree with the graph's definition, must be legal
 * `scheduled`, and its trace must survive JSON and replay to the same nest.
 */
import type { DType } from "@warpfarm/common";
import { expect, it } from "vitest";
import { evaluate } from "../../interp/evaluate.ts";
import { interpret } from "../../interp/interpret.ts";
import { bufferSize } from "../../ir/buffer.ts";
import { createData, type TensorData } from "../../ir/numeric.ts";
import type { PrimFunc } from "../../ir/prim-func.ts";
import { printFunc } from "../../ir/print.ts";
import { compute, placeholder, reduceAxis, sum } from "../../te/compute.ts";
import { add, at, mul } from "../../te/expr.ts";
import type { Graph } from "../../te/graph.ts";
import { graphOf } from "../../te/graph-of.ts";
import { matmul } from "../../te/ops/matmul.ts";
import { verifyScheduled } from "../../verify/scheduled.ts";
import { ScheduleError } from "../error.ts";
import { infer } from "../infer.ts";
import { createSchedule, replay, type Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";

/** b[i, j] = a[i, j] + 1, then c[i] = sum over k of b[i, k] * w[k]. */
export function sampleGraph(rows = 6, columns = 10): Graph {
  const a = placeholder("a", [rows, columns]);
  const w = placeholder("w", [columns]);
  const b = compute(
    "b",
    [
      ["i", rows],
      ["j", columns],
    ],
    (i, j) => add(at(a, i, j), 1),
  );
  const k = reduceAxis("k", columns);
  const c = compute("c", [["i", rows]], (i) => sum(mul(at(b, i, k.loopVar), at(w, k.loopVar)), [k]));
  return graphOf([a, w], [c]);
}

/** A product in blocks of 4 x 4 threads, both operands fetched together, four values of k at a time. */
export function blockedProduct(k: number, dtype: DType = "float32"): Schedule {
  const [a, b] = [placeholder("A", [8, k], dtype), placeholder("B", [k, 8], dtype)];
  const s = createSchedule(graphOf([a, b], [matmul(a, b, { layout: "NN" })]));
  const out = s.stage("C");
  const acc = s.cacheWrite(out, "local");
  const shared = [a, b].map((input) => s.cacheRead(input, "shared", [acc]));
  const [by, bx, ty, tx] = s.tile(...(s.axes(out) as [LoopRef, LoopRef]), 4, 4);
  s.bind(by, "blockIdx.y");
  s.bind(bx, "blockIdx.x");
  s.bind(ty, "threadIdx.y");
  s.bind(tx, "threadIdx.x");
  s.computeAt(acc, out, tx);
  const [ko, ki] = s.split(s.reduceAxes(acc)[0] as LoopRef, [null, 4]);
  s.reorder([ko, ki, ...s.axes(acc)]);
  for (const stage of shared) {
    s.computeAt(stage, acc, ko);
    const [y, x] = s.axes(stage) as [LoopRef, LoopRef];
    s.bind(y, "threadIdx.y");
    s.bind(x, "threadIdx.x");
  }
  return s;
}

/** Small whole numbers: sums are exact, so order does not matter. */
export function inputsOf(graph: Graph): Map<string, TensorData> {
  return new Map(
    graph.inputs.map((buffer, n) => {
      const data = createData(buffer.dtype, bufferSize(buffer));
      for (let i = 0; i < data.length; i++) data[i] = ((i * 7 + n * 3) % 11) - 5;
      return [buffer.name, data];
    }),
  );
}

export function nestOf(schedule: Schedule): PrimFunc<"scheduled"> {
  const inferred = infer(schedule.state);
  if (!inferred.ok) throw inferred.error;
  return inferred.value.func();
}

export function expectAgreement(schedule: Schedule): void {
  const { graph } = schedule;
  const inputs = inputsOf(graph);
  const expected = evaluate(graph, inputs);
  const found = interpret([nestOf(schedule)], inputs);
  for (const { name } of graph.outputs) {
    expect(found.unwritten(name)).toBeUndefined();
    expect(found.data.get(name)).toEqual(expected.get(name));
  }
}

export function expectReplay(schedule: Schedule): void {
  const again = replay(schedule.graph, JSON.parse(JSON.stringify(schedule.trace)), schedule.intrinsics);
  if (!again.ok) throw again.error;
  expect(again.value.trace).toEqual(schedule.trace);
  expect(printFunc(nestOf(again.value))).toBe(printFunc(nestOf(schedule)));
}

type Call = (sch: Schedule) => void;

/**
 * Applies `call` to a schedule of the sample graph; everything a rewrite must keep is checked, then the caller looks at the text.
 */
export function rewritten(call: Call, graph: Graph = sampleGraph()): string {
  const schedule = createSchedule(graph);
  call(schedule);
  expect(verifyScheduled(nestOf(schedule))).toEqual([]);
  expectAgreement(schedule);
  expectReplay(schedule);
  return `\n${printFunc(nestOf(schedule)).split("\n").slice(1).join("\n")}`;
}

/** Every call is refused by its rule, at once or by inference, with nothing changed by a call that is refused at once. */
export function refuses(table: readonly (readonly [what: string, call: Call, rule: string])[]): void {
  it.each<readonly [string, Call, string]>(table)("refuses %s", (_, call, rule) => {
    const schedule = createSchedule(sampleGraph());
    const refusedBy = (): ScheduleError | undefined => {
      try {
        call(schedule);
      } catch (error) {
        if (error instanceof ScheduleError) return error;
        throw error;
      }
      const inferred = infer(schedule.state);
      return inferred.ok ? undefined : inferred.error;
    };
    const error = refusedBy();
    expect(error?.rule).toBe(rule);
    expect(error?.message).toContain(`[${rule}]`);
    expect(schedule.state.step).toBe(schedule.trace.length);
  });
}

/**
 * What parallel, unroll and vectorize share: a mark on one loop of the nest, named `mark` in its text, refused twice or on a loop
 * that is gone.
 */
export function marksALoop(name: "parallel" | "unroll" | "vectorize", mark: string): void {
  it("marks a loop", () => {
    const text = rewritten((s) => {
      const [, inner] = s.split(s.axes(s.stage("b"))[1] as LoopRef, [null, 5]);
      s[name](inner);
    });
    expect(text).toBe(`
  stage b:
    for i in 6:
      for j.outer in 2:
        for j.inner in 5 ${mark}:
          b[i, j.outer * 5 + j.inner] = a[i, j.outer * 5 + j.inner] + 1.0
  stage c:
    for i in 6:
      c[i] = 0.0
      for k in 10:
        c[i] = c[i] + b[i, k] * w[k]
`);
  });
  refuses([
    [
      "a loop marked before",
      (s) => {
        const [i] = s.axes(s.stage("b")) as [LoopRef];
        s.bind(i, "vthread");
        s[name](i);
      },
      `${name}.twice`,
    ],
    [
      "a loop that was split",
      (s) => {
        const [i] = s.axes(s.stage("b")) as [LoopRef];
        s.split(i, [null, 2]);
        s[name](i);
      },
      `${name}.leaf`,
    ],
  ]);
}
