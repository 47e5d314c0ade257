import { describe, expect, it } from "vitest";
import { printFunc } from "../ir/print.ts";
import { defaultSchedule } from "../target/default-schedule.ts";
import { infer } from "./infer.ts";
import { expectAgreement, expectReplay, nestOf, sampleGraph } from "./primitives/primitive.testing.ts";
import { createSchedule, replay } from "./schedule.ts";
import type { LoopRef, StageRef } from "./state.ts";
import type { TraceStep } from "./trace.ts";

describe("Schedule", () => {
  it("numbers stages and loops over the ops in order", () => {
    const s = createSchedule(sampleGraph());
    expect([s.stage("b"), s.stage("c")]).toEqual([0, 1]);
    expect([s.axes(s.stage("b")), s.axes(s.stage("c")), s.reduceAxes(s.stage("c"))]).toEqual([[0, 1], [2], [3]]);
    expect(s.extent(s.axes(s.stage("b"))[1] as LoopRef)).toBe(10);
  });
  it("keeps reduction handles through cacheWrite, spatial ones with the copy", () => {
    const s = createSchedule(sampleGraph());
    const c = s.stage("c");
    const [i, k] = [...s.axes(c), ...s.reduceAxes(c)];
    const cached = s.cacheWrite(c, "local");
    expect([s.axes(c), s.reduceAxes(c), s.reduceAxes(cached)]).toEqual([[i], [], [k]]);
  });
  it("leaves everything as it was when a step is refused", () => {
    const s = createSchedule(sampleGraph());
    const { state, trace } = s;
    expect(() => s.fuse([])).toThrow("[fuse.loops] at step 0");
    expect(s.state).toBe(state);
    expect(s.trace).toBe(trace);
  });
  it("never changes a state it gave out, and infers one state once", () => {
    const s = createSchedule(sampleGraph());
    const before = s.state;
    const first = infer(before);
    s.split(s.axes(s.stage("b"))[0] as LoopRef, [null, 2]);
    expect(before.loops).toHaveLength(4);
    expect(infer(before)).toBe(first);
    expect(infer(s.state)).not.toBe(first);
  });
  it("refuses more loops than anybody can walk: many splits, and one into many", () => {
    const first = (s: ReturnType<typeof createSchedule>) => s.axes(s.stage("b"))[0] as LoopRef;
    const one = createSchedule(sampleGraph());
    const many = [null, ...Array.from({ length: 50_000 }, () => 1)];
    expect(() => one.split(first(one), many)).toThrow(/into 50001 would make \d+ loops; at most 128 \[split\.loops\]/);
    const two = createSchedule(sampleGraph());
    const splits = (): void => {
      let loop = first(two);
      for (let i = 0; i < 1000; i++) [loop] = two.split(loop, [null, 1]) as [LoopRef, LoopRef];
    };
    expect(splits).toThrow(/would make 129 loops; at most 128 \[split\.loops\]/);
  });
  it("is the same beside other schedules of its graph, whatever those did first and whoever changes a list given to a step", () => {
    const graph = sampleGraph();
    const factors: (number | null)[] = [null, 2];
    const scheduled = (of: typeof graph, inner: number) => {
      const s = createSchedule(of);
      factors[1] = inner;
      const [, j] = s.split(s.axes(s.stage("b"))[0] as LoopRef, factors) as [LoopRef, LoopRef];
      s.unroll(j);
      s.cacheRead(of.inputs[1] as never, "global", [s.stage("c")]);
      return s;
    };
    const inners = [2, 2, 3, 2, 3, 5];
    const beside = inners.map((inner) => scheduled(graph, inner));
    for (const [n, inner] of inners.entries()) {
      const alone = scheduled(sampleGraph(), inner);
      expect(beside[n]?.trace).toEqual(alone.trace);
      expect(beside[n]?.print()).toBe(alone.print());
      expect(printFunc(nestOf(beside[n] as typeof alone))).toBe(printFunc(nestOf(alone)));
    }
    expect(beside[1]?.state).toBe(beside[0]?.state);
    expect(beside[2]?.state).not.toBe(beside[0]?.state);
  });
  it("says which stages exist", () => {
    expect(() => createSchedule(sampleGraph()).stage("d")).toThrow('"d" is not a stage; known are "b", "c"');
    const read = createSchedule(sampleGraph());
    read.cacheWrite(read.stage("c"), "local");
    expect(() => read.stage("c.locl")).toThrow('"c.locl" is not a stage (did you mean c.local?)');
    expect(() => createSchedule(sampleGraph()).axes(7 as StageRef)).toThrow("s7 is not a stage");
  });
  it("records steps as words, snake case", () => {
    const s = createSchedule(sampleGraph());
    const c = s.stage("c");
    s.cacheRead(s.graph.inputs[1] as never, "local", [c]);
    s.computeAt(s.stage("w.local"), c, s.axes(c)[0] as LoopRef);
    expect(s.trace).toEqual([
      { op: "cache_read", in: ["i1", "s1"], args: { scope: "local" }, out: ["s2", "l4"] },
      { op: "compute_at", in: ["s2", "s1", "l2"], args: {}, out: [] },
    ]);
  });
  it("charges a regional fault to the step that caused it", () => {
    const s = createSchedule(sampleGraph());
    const c = s.stage("c");
    s.unroll(s.reduceAxes(c)[0] as LoopRef);
    s.computeAt(s.stage("b"), c, s.axes(c)[0] as LoopRef);
    s.split(s.axes(s.stage("b"))[1] as LoopRef, [3, 3]);
    s.unroll(s.axes(s.stage("b"))[0] as LoopRef);
    const found = infer(s.state);
    expect(found.ok).toBe(false);
    if (!found.ok) expect([found.error.rule, found.error.step]).toEqual(["split.cover", 2]);
  });
});

describe("replay", () => {
  const step = (change: Partial<TraceStep>): TraceStep => ({
    op: "split",
    in: ["l0"],
    args: { factors: [null, 2] },
    out: ["l4", "l5"],
    ...change,
  });
  it.each<[string, TraceStep, string]>([
    ["an unknown primitive", step({ op: "rotate" }), "trace.step"],
    ["a word that is no ref", step({ in: ["x0"] }), "trace.step"],
    ["a ref of another kind", step({ in: ["s0"] }), "trace.step"],
    ["no ref", step({ in: [] }), "trace.step"],
    ["a ref too many", step({ in: ["l0", "l1"] }), "trace.step"],
    ["a loop that does not exist", step({ in: ["l9"] }), "split.args"],
    ["a missing argument", step({ args: {} }), "trace.step"],
    ["an unknown argument", step({ args: { factors: [null, 2], inner: 1 } }), "trace.step"],
    ["an argument of another type", step({ args: { factors: [null, "2"] } }), "trace.step"],
    ["a fractional factor", step({ args: { factors: [null, 2.5] } }), "trace.step"],
    ["other results", step({ out: ["l4"] }), "trace.out"],
    ["a refused step", step({ args: { factors: [null] } }), "split.factors"],
  ])("refuses %s", (_, bad, rule) => {
    const good: TraceStep = { op: "unroll", in: ["l3"], args: {}, out: [] };
    const found = replay(sampleGraph(), [good, bad]);
    expect(found.ok).toBe(false);
    if (!found.ok) expect([found.error.rule, found.error.step]).toEqual([rule, 1]);
  });
});

describe("defaultSchedule", () => {
  it.each(["cpu/x86-64-v3", "cuda/sm_90"])("computes the graph on %s", (target) => {
    const schedule = defaultSchedule(sampleGraph(7, 41), target);
    expectAgreement(schedule);
    expectReplay(schedule);
  });
  it("spreads spatial loops over guarded blocks of threads", () => {
    const inferred = infer(defaultSchedule(sampleGraph(7, 41), "cuda/sm_90").state);
    expect(inferred.ok && inferred.value.launches).toEqual([
      { name: "b", grid: [2, 1, 1], block: [256, 1, 1] },
      { name: "c", grid: [1, 1, 1], block: [256, 1, 1] },
    ]);
  });
  it("takes what lies between root stages as a parameter, after inputs and outputs", () => {
    const func = nestOf(defaultSchedule(sampleGraph(), "cpu/x86-64-v3"));
    expect(func.params.map((p) => p.name)).toEqual(["a", "w", "c", "b"]);
  });
});
