import { describe, expect, it } from "vitest";
import { compute, placeholder, reduceAxis, sum } from "../../te/compute.ts";
import { add, at, less, maximum, mul, select } from "../../te/expr.ts";
import type { Graph } from "../../te/graph.ts";
import { graphOf } from "../../te/graph-of.ts";
import { infer } from "../infer.ts";
import { createSchedule, type Schedule } from "../schedule.ts";
import type { LoopRef, StageRef } from "../state.ts";
import { rewritten } from "./primitive.testing.ts";

/**
 * c[i, j] = sum over k of a[i, k]; d = c + bias[j]; e[j, i] = max(d[i, j], 0): an epilogue in two steps, the last one transposed.
 */
function epilogue(rows = 6, columns = 8): Graph {
  const a = placeholder("a", [rows, 5]);
  const bias = placeholder("bias", [columns]);
  const k = reduceAxis("k", 5);
  const grid: [string, number][] = [
    ["i", rows],
    ["j", columns],
  ];
  const c = compute("c", grid, (i, j) => sum(mul(at(a, i, k.loopVar), at(bias, j)), [k]));
  const d = compute("d", grid, (i, j) => add(at(c, i, j), at(bias, j)));
  const e = compute("e", [...grid].reverse(), (j, i) => maximum(at(d, i, j), 0));
  return graphOf([a, bias], [e]);
}
const stages = (s: Schedule) => ["c", "d", "e"].map((name) => s.stage(name)) as [StageRef, StageRef, StageRef];

describe("reverseComputeAt", () => {
  it("puts an epilogue into the nest of what it takes", () => {
    expect(
      rewritten((s) => {
        const [c, d, e] = stages(s);
        const [i, j] = s.axes(c) as [LoopRef, LoopRef];
        const [, , ii] = s.tile(i, j, 3, 4);
        s.reverseComputeAt(d, c, ii);
        s.computeInline(d);
        s.reverseComputeAt(d, c, ii);
        s.reverseComputeAt(e, d, s.axes(d)[1] as LoopRef);
      }, epilogue()),
    ).toMatchInlineSnapshot(`
      "
        stage c:
          for i.outer in 2:
            for j.outer in 2:
              for i.inner in 3:
                alloc c: float32[1, 4] local
                for j.inner in 4:
                  c[0, j.inner] = 0.0
                  for k in 5:
                    c[0, j.inner] = c[0, j.inner] + a[i.outer * 3 + i.inner, k] * bias[j.outer * 4 + j.inner]
                stage d:
                  for i in 1:
                    for j in 4:
                      alloc d: float32[1, 1] local
                      d[0, 0] = c[0, j] + bias[j.outer * 4 + j]
                      stage e:
                        for j'1 in 1:
                          for i'1 in 1:
                            e[j.outer * 4 + j, i.outer * 3 + i.inner] = max(d[0, 0], 0.0)
      "
    `);
  });
  it("covers a block when shared, to be stored by other threads than computed it", () => {
    expect(
      rewritten((s) => {
        const [c, d, e] = stages(s);
        s.computeInline(d);
        const copy = s.cacheRead(c, "local", [d]);
        s.computeInline(copy);
        const [i, j] = s.axes(c) as [LoopRef, LoopRef];
        const [block, , thread] = s.tile(i, j, 3, 8);
        s.bind(block, "blockIdx.x");
        s.bind(thread, "threadIdx.x");
        s.setScope(c, "shared");
        s.reverseComputeAt(e, c, block);
        const [, lane] = s.split(s.axes(e)[0] as LoopRef, [null, 3]);
        s.bind(lane, "threadIdx.x");
      }, epilogue()),
    ).toMatchInlineSnapshot(`
      "
        stage c:
          for i.outer in 2 bind blockIdx.x:
            alloc c: float32[3, 8] shared
            for j.outer in 1:
              for i.inner in 3 bind threadIdx.x:
                for j.inner in 8:
                  c[i.inner, j.inner] = 0.0
                  for k in 5:
                    c[i.inner, j.inner] = c[i.inner, j.inner] + a[i.outer * 3 + i.inner, k] * bias[j.inner]
            stage e:
              for j.outer in 3:
                for j.inner in 3 bind threadIdx.x:
                  for i in 3:
                    if j.outer * 3 + j.inner < 8:
                      e[j.outer * 3 + j.inner, i.outer * 3 + i] = max(c[i, j.outer * 3 + j.inner] + bias[j.outer * 3 + j.inner], 0.0)
      "
    `);
  });
  it("guards a rest and keeps what a later nest reads whole", () => {
    expect(
      rewritten((s) => {
        const [c, d] = stages(s);
        const [io] = s.split(s.axes(c)[0] as LoopRef, [null, 4]);
        s.reverseComputeAt(d, c, io);
      }, epilogue()),
    ).toMatchInlineSnapshot(`
      "
        stage c:
          for i.outer in 2:
            alloc c: float32[4, 8] local
            for i.inner in 4:
              for j in 8:
                if i.outer * 4 + i.inner < 6:
                  c[i.inner, j] = 0.0
                for k in 5:
                  if i.outer * 4 + i.inner < 6:
                    c[i.inner, j] = c[i.inner, j] + a[i.outer * 4 + i.inner, k] * bias[j]
            stage d:
              for i in 4:
                for j in 8:
                  if i.outer * 4 + i < 6:
                    d[i.outer * 4 + i, j] = c[i, j] + bias[j]
        stage e:
          for j in 8:
            for i in 6:
              e[j, i] = max(d[i, j], 0.0)
      "
    `);
  });
  it("takes nothing that is larger than what it reads: nobody would compute the rest", () => {
    const a = placeholder("a", [6]);
    const c = compute("c", [["i", 6]], (i) => add(at(a, i), 1));
    const infers = (extent: number) => {
      const s = createSchedule(graphOf([a], [compute("d", [["i", extent]], (i) => select(less(i, 6), at(c, i), 0))]));
      s.reverseComputeAt(s.stage("d"), s.stage("c"), s.axes(s.stage("c"))[0] as LoopRef);
      return infer(s.state);
    };
    expect(infers(6).ok).toBe(true);
    expect(infers(8)).toMatchObject({ ok: false, error: { rule: "reverseComputeAt.reads" } });
  });
  it("runs the nest where its last stage would have stood", () => {
    const a = placeholder("a", [4]);
    const p = compute("p", [["i", 4]], (i) => add(at(a, i), 1));
    const q = compute("q", [["i", 4]], (i) => mul(at(a, i), 2));
    const r = compute("r", [["i", 4]], (i) => add(at(p, i), at(q, i)));
    const text = rewritten(
      (s) => s.reverseComputeAt(s.stage("r"), s.stage("p"), s.axes(s.stage("p"))[0] as LoopRef),
      graphOf([a], [r]),
    );
    expect(text.indexOf("stage q")).toBeLessThan(text.indexOf("stage p"));
  });
  const refused: [string, (s: Schedule) => unknown, string][] = [
    [
      "a loop of another stage",
      (s) => s.reverseComputeAt(stages(s)[1], stages(s)[0], s.axes(stages(s)[1])[0] as LoopRef),
      "reverseComputeAt.loop",
    ],
    [
      "a reduction",
      (s) => s.reverseComputeAt(stages(s)[0], stages(s)[1], s.axes(stages(s)[1])[0] as LoopRef),
      "reverseComputeAt.reduce",
    ],
    [
      "an output's loop",
      (s) => s.reverseComputeAt(stages(s)[1], stages(s)[2], s.axes(stages(s)[2])[0] as LoopRef),
      "reverseComputeAt.output",
    ],
    [
      "an inlined producer",
      (s) => {
        s.computeInline(stages(s)[1]);
        s.reverseComputeAt(stages(s)[2], stages(s)[1], s.axes(stages(s)[1])[0] as LoopRef);
      },
      "reverseComputeAt.producer",
    ],
    [
      "a circle",
      (s) => {
        const [c, d, e] = stages(s);
        s.reverseComputeAt(d, c, s.axes(c)[0] as LoopRef);
        const x = s.cacheWrite(d, "local");
        s.computeAt(x, e, s.axes(e)[0] as LoopRef);
        s.reverseComputeAt(d, x, s.axes(x)[0] as LoopRef);
      },
      "reverseComputeAt.producer",
    ],
    [
      "what reads nothing of it",
      (s) => s.reverseComputeAt(stages(s)[2], stages(s)[0], s.axes(stages(s)[0])[0] as LoopRef),
      "reverseComputeAt.reads",
    ],
    [
      "a place where sums are not done",
      (s) => s.reverseComputeAt(stages(s)[1], stages(s)[0], s.reduceAxes(stages(s)[0])[0] as LoopRef),
      "reverseComputeAt.sum",
    ],
    [
      "a start outside",
      (s) => {
        const [c, d] = stages(s);
        const [i, j] = s.axes(c) as [LoopRef, LoopRef];
        s.decomposeReduction(c, j);
        s.reverseComputeAt(d, c, j);
        expect(i).toBeLessThan(j);
      },
      "reverseComputeAt.start",
    ],
    [
      "what is no box",
      (s) => {
        const [c, d] = stages(s);
        const fused = s.fuse(s.axes(c));
        const [outer] = s.split(fused, [null, 5]);
        s.reverseComputeAt(d, c, outer);
      },
      "reverseComputeAt.box",
    ],
    [
      "what overruns in the middle",
      (s) => {
        const [c, d] = stages(s);
        const [, inner] = s.split(s.axes(c)[1] as LoopRef, [2, null]);
        const [middle] = s.split(inner, [null, 3]);
        s.reverseComputeAt(d, c, middle);
      },
      "reverseComputeAt.box",
    ],
    [
      "private memory across threads",
      (s) => {
        const [c, d] = stages(s);
        const [i, j] = s.axes(c) as [LoopRef, LoopRef];
        s.bind(j, "threadIdx.x");
        s.setScope(c, "local");
        s.reverseComputeAt(d, c, i);
      },
      "reverseComputeAt.thread",
    ],
    [
      "shared memory inside the threads that fill it",
      (s) => {
        const [c, d] = stages(s);
        const [i, j] = s.axes(c) as [LoopRef, LoopRef];
        s.bind(i, "threadIdx.x");
        s.setScope(c, "shared");
        s.reverseComputeAt(d, c, j);
      },
      "reverseComputeAt.threads",
    ],
    [
      "what another stage reads too",
      (s) => {
        const [c, d] = stages(s);
        s.cacheRead(c, "global", [d]);
        s.cacheRead(c, "global", [s.stage("c.global")]);
        s.reverseComputeAt(s.stage("c.global"), c, s.axes(c)[0] as LoopRef);
      },
      "reverseComputeAt.reads",
    ],
    [
      "two places",
      (s) => {
        const [c, d] = stages(s);
        const [i, j] = s.axes(c) as [LoopRef, LoopRef];
        s.reverseComputeAt(d, c, i);
        const x = s.cacheRead(c, "local", [d]);
        s.reverseComputeAt(x, c, j);
      },
      "reverseComputeAt.places",
    ],
    [
      "memory of the whole grid inside a block",
      (s) => {
        const [c, d] = stages(s);
        const [i] = s.axes(c) as [LoopRef];
        s.bind(i, "blockIdx.x");
        s.setScope(c, "global");
        s.reverseComputeAt(d, c, i);
      },
      "scope.global",
    ],
  ];
  it.each(refused)("refuses %s", (_, call, rule) => {
    const schedule = createSchedule(epilogue());
    const found = (() => {
      try {
        call(schedule);
      } catch (error) {
        return error as { rule: string };
      }
      const inferred = infer(schedule.state);
      return inferred.ok ? undefined : inferred.error;
    })();
    expect(found?.rule).toBe(rule);
  });
});
