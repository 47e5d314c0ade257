import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { evaluate } from "../../interp/evaluate.ts";
import { interpretKernels } from "../../interp/interpret.ts";
import { printFunc } from "../../ir/print.ts";
import { lowerFunc, lowerUntil } from "../../target/index.ts";
import { infer } from "../infer.ts";
import { createSchedule, type Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { blockedProduct, inputsOf, nestOf, refuses, sampleGraph } from "./primitive.testing.ts";

const cuda = parseTarget("cuda/sm_90");

const lowered = (s: Schedule) => printFunc(lowerUntil(nestOf(s), cuda, "insert-barriers"));
const barriersOf = (text: string): number => text.match(/barrier/g)?.length ?? 0;

function expectRight(s: Schedule): void {
  const inputs = inputsOf(s.graph);
  const expected = evaluate(s.graph, inputs);
  const found = interpretKernels(lowerFunc(nestOf(s), cuda), inputs);
  for (const { name } of s.graph.outputs) expect(found.data.get(name)).toEqual(expected.get(name));
}

describe("doubleBuffer", () => {
  it("leaves a stage of a pipeline, whichever is named first, as many arrays", () => {
    const textOf = (...steps: readonly ((s: Schedule) => void)[]) => {
      const s = blockedProduct(12);
      for (const step of steps) step(s);
      return lowered(s);
    };
    const doubled = (s: Schedule) => s.doubleBuffer(s.stage("A.shared"));
    const piped = (s: Schedule) => s.pipeline(s.stage("A.shared"), 3);
    expect(textOf(piped)).not.toBe(textOf(doubled));
    for (const both of [textOf(piped, doubled), textOf(doubled, piped)]) expect(both).toBe(textOf(piped));
  });

  it("fills one half while the other is used, with one barrier an iteration", () => {
    const s = blockedProduct(12);
    expect(barriersOf(lowered(s))).toBe(2);
    s.doubleBuffer(s.stage("A.shared"));
    s.doubleBuffer(s.stage("B.shared"));
    const text = lowered(s);
    expect(`\n${text}`).toMatchInlineSnapshot(`
      "
      func C(A: float32[96], B: float32[96], C: float32[64]) lowered
        for i.outer in 2 bind blockIdx.y:
          for j.outer in 2 bind blockIdx.x:
            for i.inner in 4 bind threadIdx.y:
              for j.inner in 4 bind threadIdx.x:
                alloc C.local: float32[1] local
                alloc A.shared: float32[32] shared
                alloc B.shared: float32[32] shared
                stage C:
                  stage C.local:
                    C.local[0] = 0.0
                    stage A.shared:
                      A.shared[i.inner * 4 + j.inner] = A[i.outer * 48 + i.inner * 12 + j.inner]
                    stage B.shared:
                      B.shared[i.inner * 4 + j.inner] = B[j.outer * 4 + i.inner * 8 + j.inner]
                    for k.outer in 3:
                      barrier
                      stage A.shared:
                        if k.outer < 2:
                          A.shared[i.inner * 4 + j.inner - k.outer % 2 * 16 + 16] = A[i.outer * 48 + i.inner * 12 + j.inner + k.outer * 4 + 4]
                      stage B.shared:
                        if k.outer < 2:
                          B.shared[i.inner * 4 + j.inner - k.outer % 2 * 16 + 16] = B[j.outer * 4 + i.inner * 8 + j.inner + k.outer * 32 + 32]
                      for k.inner in 4:
                        C.local[0] = C.local[0] + A.shared[i.inner * 4 + k.outer % 2 * 16 + k.inner] * B.shared[j.inner + k.outer % 2 * 16 + k.inner * 4]
                  C[i.outer * 32 + j.outer * 4 + i.inner * 8 + j.inner] = C.local[0]
      "
    `);
    expect(barriersOf(text)).toBe(1);
    expectRight(s);
  });
  it.each([4, 5, 8, 13])("computes the same for k = %i", (k) => {
    const s = blockedProduct(k);
    s.doubleBuffer(s.stage("A.shared"));
    expectRight(s);
    s.doubleBuffer(s.stage("B.shared"));
    s.storageAlign(s.stage("B.shared"), 0, 8, 1);
    expectRight(s);
  });
  it("counts both halves, up to whole vectors, and one where there is no next iteration", () => {
    const bytes = (k: number) => {
      const s = blockedProduct(k);
      s.doubleBuffer(s.stage("B.shared"));
      s.storageAlign(s.stage("B.shared"), 0, 5, 0);
      const inferred = infer(s.state);
      if (!inferred.ok) throw inferred.error;
      return inferred.value.allocations.filter((a) => a.scope === "shared").map((a) => a.bytes);
    };
    // Four rows of B, five apart: 20 elements, the second half at 32.
    expect(bytes(12)).toEqual([64, 2 * 32 * 4]);
    expect(bytes(4)).toEqual([64, 80]);
  });
  it("works on private arrays on a CPU", () => {
    const s = createSchedule(sampleGraph());
    const c = s.stage("c");
    const [ko] = s.split(s.reduceAxes(c)[0] as LoopRef, [null, 4]);
    s.computeAt(s.stage("b"), c, ko);
    s.doubleBuffer(s.stage("b"));
    const cpu = parseTarget("cpu/x86-64-v3");
    const inputs = inputsOf(s.graph);
    expect(interpretKernels(lowerFunc(nestOf(s), cpu), inputs).data.get("c")).toEqual(evaluate(s.graph, inputs).get("c"));
    expect(`\n${printFunc(lowerUntil(nestOf(s), cpu, "simplify"))}`).toMatchInlineSnapshot(`
      "
      func c(a: float32[60], w: float32[10], c: float32[6]) lowered
        stage c:
          for i in 6:
            c[i] = 0.0
            alloc b: float32[32] local
            stage b:
              for j in 4:
                b[j] = a[i * 10 + j] + 1.0
            for k.outer in 3:
              stage b:
                for j in 4:
                  if j + k.outer * 4 < 6:
                    if k.outer < 2:
                      b[j - k.outer % 2 * 16 + 16] = a[i * 10 + j + k.outer * 4 + 4] + 1.0
              for k.inner in 4:
                if k.outer * 4 + k.inner < 10:
                  c[i] = c[i] + b[k.outer % 2 * 16 + k.inner] * w[k.outer * 4 + k.inner]
      "
    `);
  });
  const cached = (then: (s: Schedule, k: LoopRef) => void) => (s: Schedule) => {
    const c = s.stage("c");
    const [k] = s.reduceAxes(c) as [LoopRef];
    s.cacheRead(s.stage("b"), "local", [c]);
    then(s, k);
  };
  refuses([
    ["an output", (s) => s.doubleBuffer(s.stage("c")), "doubleBuffer.output"],
    ["a tensor of its own nest", (s) => s.doubleBuffer(s.stage("b")), "doubleBuffer.place"],
    [
      "a loop whose iterations are threads",
      (s) => {
        const [i] = s.axes(s.stage("c")) as [LoopRef];
        s.bind(i, "blockIdx.x");
        s.computeAt(s.stage("b"), s.stage("c"), i);
        s.doubleBuffer(s.stage("b"));
      },
      "doubleBuffer.loop",
    ],
    [
      "a copy of what the iteration makes",
      cached((s, k) => {
        s.computeAt(s.stage("b.local"), s.stage("c"), k);
        s.computeAt(s.stage("b"), s.stage("c"), k);
        s.doubleBuffer(s.stage("b.local"));
      }),
      "doubleBuffer.reads",
    ],
    [
      "a copy that holds another",
      cached((s, k) => {
        s.computeAt(s.stage("b.local"), s.stage("c"), k);
        s.computeAt(s.stage("b"), s.stage("b.local"), s.axes(s.stage("b.local"))[0] as LoopRef);
        s.doubleBuffer(s.stage("b.local"));
      }),
      "doubleBuffer.nest",
    ],
    [
      "a fragment",
      cached((s, k) => {
        s.computeAt(s.stage("b.local"), s.stage("c"), k);
        s.setScope(s.stage("b.local"), "wmma.matrix_a");
        s.doubleBuffer(s.stage("b.local"));
      }),
      "doubleBuffer.scope",
    ],
    [
      "a reduction",
      (s) => {
        const local = s.cacheWrite(s.stage("c"), "local");
        s.doubleBuffer(local);
      },
      "doubleBuffer.reduce",
    ],
  ]);
});
