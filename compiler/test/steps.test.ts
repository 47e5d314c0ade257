/**
 * Scans that go along with the steps of another recurrence: of each, the element of the step and the one before are kept, in the
 * arrays of a thread.
 */
import { parseTarget, Random } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { interpretDirectly } from "../src/interp/direct/index.ts";
import { interpret } from "../src/interp/interpret.ts";
import { constant } from "../src/ir/build.ts";
import { createData } from "../src/ir/numeric.ts";
import type { PrimFunc } from "../src/ir/prim-func.ts";
import { printFunc } from "../src/ir/print.ts";
import { infer } from "../src/schedule/infer.ts";
import { createSchedule, replay, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { lowerFunc } from "../src/target/index.ts";
import { compute, maxOf, placeholder, reduceAxis, scan, sum } from "../src/te/compute.ts";
import { add, at, div, exp2, floorDiv, greater, maximum, mul, select, sub } from "../src/te/expr.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";

const [rows, blocks, block] = [5, 4, 3];

/** The mean of v weighted by 2^x, block by block, as in attention. `back`: how far back the decay looks. */
function weighted({ last = blocks - 1, back = 1, steps = blocks } = {}): Graph {
  const [x, v] = [placeholder("x", [rows, blocks * block]), placeholder("v", [blocks * block])];
  const stepAxes = [
    ["i", rows],
    ["b", blocks],
  ] as const;
  const [jm, js, jo] = ["jm", "js", "jo"].map((name) => reduceAxis(name, block)) as [
    ReturnType<typeof reduceAxis>,
    ReturnType<typeof reduceAxis>,
    ReturnType<typeof reduceAxis>,
  ];
  const most = compute("most", stepAxes, (i, b) => maxOf(at(x, i, add(mul(b, block), jm.loopVar)), [jm]));
  const m = scan(
    "m",
    stepAxes,
    "b",
    () => constant(-Infinity, "float32"),
    (before, i, b) => maximum(before, at(most, i, b)),
  );
  const decay = compute("decay", stepAxes, (i, b) =>
    select(greater(b, back - 1), exp2(sub(at(m, i, sub(b, back)), at(m, i, b))), 0),
  );
  const p = compute(
    "p",
    [
      ["i", rows],
      ["j", blocks * block],
    ],
    (i, j) => exp2(sub(at(x, i, j), at(m, i, floorDiv(j, block)))),
  );
  const parts = compute("parts", stepAxes, (i, b) => sum(at(p, i, add(mul(b, block), js.loopVar)), [js]));
  const total = scan(
    "total",
    stepAxes,
    "b",
    () => constant(0, "float32"),
    (before, i, b) => add(mul(before, at(decay, i, b)), at(parts, i, b)),
  );
  const step = reduceAxis("step", steps);
  const sums = compute("sums", [["i", rows]], (i) => {
    const j = add(mul(step.loopVar, block), jo.loopVar);
    return sum(mul(at(p, i, j), at(v, j)), [step, jo], { decay: at(decay, i, step.loopVar) });
  });
  return graphOf([x, v], [compute("out", [["i", rows]], (i) => div(at(sums, i), at(total, i, last)))]);
}

const only = (loops: readonly LoopRef[]): LoopRef => loops[0] as LoopRef;

/** All of a step at its loop; a row is a thread's. */
function stepped(graph: Graph, thread: "cpu" | "cuda", more: readonly string[] = []): Schedule {
  const s = createSchedule(graph);
  const row = only(s.axes(s.stage("out")));
  if (thread === "cuda") s.bind(row, "threadIdx.x");
  s.computeAt(s.stage("sums"), s.stage("out"), row);
  const step = only(s.reduceAxes(s.stage("sums")));
  s.reorder([step, ...s.axes(s.stage("sums"))]);
  for (const name of ["most", "m", "decay", "p", "parts", "total", ...more]) s.computeAt(s.stage(name), s.stage("sums"), step);
  return s;
}

function funcOf(s: Schedule): PrimFunc<"scheduled"> {
  const inferred = infer(s.state);
  if (!inferred.ok) throw inferred.error;
  return inferred.value.func();
}

const random = new Random(96);
const given = {
  x: Array.from({ length: rows * blocks * block }, () => random.float() * 40 - 20),
  v: Array.from({ length: blocks * block }, () => random.float() - 0.5),
};
const inputs = () =>
  new Map(
    Object.entries(given).map(([name, values]) => {
      const data = createData("float32", values.length);
      for (const [i, value] of values.entries()) data[i] = value;
      return [name, data];
    }),
  );
const byHand = Array.from({ length: rows }, (_, i) => {
  const own = given.x.slice(i * blocks * block, (i + 1) * blocks * block).map(Math.fround);
  const weights = own.map((x) => 2 ** (x - Math.max(...own)));
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.reduce((sum, w, j) => sum + w * Math.fround(given.v[j] as number), 0) / total;
});

describe("the maximum so far, a total and a decayed sum in one loop", () => {
  it.each(["cpu", "cuda"] as const)("on %s, by both interpreters", (kind) => {
    const func = funcOf(stepped(weighted(), kind));
    const kernels = lowerFunc(func, parseTarget(kind === "cpu" ? "cpu/x86-64-v3" : "cuda/sm_80"));
    for (const funcs of [[func], kernels.map((kernel) => kernel.func)])
      for (const run of [interpret, interpretDirectly]) {
        const out = run(funcs, inputs()).data.get("out") as ArrayLike<number>;
        for (const [i, value] of byHand.entries()) expect(out[i]).toBeCloseTo(value, 5);
      }
  });
  it("with all rows in one nest, whose loop over steps is outside", () => {
    const s = createSchedule(weighted());
    s.computeAt(s.stage("sums"), s.stage("out"), only(s.axes(s.stage("out"))));
    const step = only(s.reduceAxes(s.stage("sums")));
    for (const name of ["most", "m", "decay", "p", "parts", "total"]) s.computeAt(s.stage(name), s.stage("sums"), step);
    const out = interpret([funcOf(s)], inputs()).data.get("out") as ArrayLike<number>;
    for (const [i, value] of byHand.entries()) expect(out[i]).toBeCloseTo(value, 5);
  });
  it("in tiles of rows that go beyond the last one", () => {
    const s = createSchedule(weighted());
    const [tile, row] = s.split(only(s.axes(s.stage("out"))), [null, 2]) as [LoopRef, LoopRef];
    s.bind(tile, "blockIdx.x");
    s.bind(row, "threadIdx.x");
    s.computeAt(s.stage("sums"), s.stage("out"), row);
    const step = only(s.reduceAxes(s.stage("sums")));
    for (const name of ["most", "m", "decay", "p", "parts", "total"]) s.computeAt(s.stage(name), s.stage("sums"), step);
    const out = interpret([funcOf(s)], inputs()).data.get("out") as ArrayLike<number>;
    for (const [i, value] of byHand.entries()) expect(out[i]).toBeCloseTo(value, 5);
  });
  it("keeps two elements of a scan, not its steps", () => {
    const text = printFunc(funcOf(stepped(weighted(), "cuda")));
    expect(text).toContain("alloc m: float32[1, 1] local");
    expect(text).toContain("alloc m.before: float32[1, 1] local");
    expect(text).toContain("m.before[0, 0] = m[0, 0]");
    expect(text).toContain("exp2(m.before[0, 0] - m[0, 0])");
    expect(text).toMatch(/for step in 4:[\s\S]*m\[0, 0\] = max\(select\(step >= 1, m.before\[0, 0\], -Infinity\), most/);
    expect(text).toContain("out[i] = sums[0] / total[0, 0]");
  });
  it("is replayed from its trace", () => {
    const s = stepped(weighted(), "cuda");
    const again = replay(s.graph, s.trace);
    expect(again.ok && printFunc(funcOf(again.value))).toBe(printFunc(funcOf(s)));
  });
});

it.each<[what: string, graph: Graph, why: string]>([
  [
    "a reader two steps back",
    weighted({ back: 2 }),
    'computeAt: "m" is a scan, and goes along with the steps of loop "step" of "sums"; "decay" reads it at b - 2',
  ],
  [
    "a reader after the loop of another than the last element",
    weighted({ last: 1 }),
    '"out" reads it at 1: inside the loop it has the element of the step and the one before, after it the last',
  ],
  ["a loop of other steps", weighted({ steps: blocks - 1 }), "it has 4 steps, and the loop 3"],
])("refuses %s", (_, graph, why) => {
  const inferred = infer(stepped(graph, "cuda").state);
  expect(inferred.ok ? "" : `${inferred.error.rule}: ${inferred.error.message}`).toMatch(/^scan\.steps: /);
  expect(inferred.ok ? "" : inferred.error.message).toContain(why);
});

it("refuses a parallel loop whose iterations would share what a scan keeps", () => {
  const s = createSchedule(weighted());
  const [tile, row] = s.split(only(s.axes(s.stage("out"))), [null, 2]) as [LoopRef, LoopRef];
  s.computeAt(s.stage("sums"), s.stage("out"), tile);
  const step = only(s.reduceAxes(s.stage("sums")));
  for (const name of ["most", "m", "decay", "p", "parts", "total"]) s.computeAt(s.stage(name), s.stage("sums"), step);
  expect(infer(s.state).ok && row).toBe(row);
  s.parallel(only(s.axes(s.stage("sums"))));
  const inferred = infer(s.state);
  expect(inferred.ok ? "" : inferred.error.message).toContain(
    'iterations of the parallel loop "i" around it would share what it keeps',
  );
});

it("refuses a reader that stands outside of what the loop belongs to", () => {
  const s = createSchedule(weighted());
  const step = only(s.reduceAxes(s.stage("sums")));
  s.computeAt(s.stage("total"), s.stage("sums"), step);
  const inferred = infer(s.state);
  expect(inferred.ok ? "" : inferred.error.message).toContain('its reader "out" stands outside');
});
