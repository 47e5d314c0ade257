import { type DType, formatTarget, parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { compileProgram } from "../../compile.ts";
import { interpretDirectly } from "../../interp/direct/index.ts";
import { evaluate } from "../../interp/evaluate.ts";
import { interpretKernels } from "../../interp/interpret.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import { printFunc } from "../../ir/print.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { mapStmt } from "../../ir/visit.ts";
import { lowerFunc, lowerUntil } from "../../target/index.ts";
import { compute, placeholder } from "../../te/compute.ts";
import { at, greaterEqual, less, mul, select } from "../../te/expr.ts";
import { fills } from "../../te/fill.ts";
import { graphOf } from "../../te/graph-of.ts";
import { infer } from "../infer.ts";
import { createSchedule, type Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { blockedProduct, inputsOf, nestOf, refuses } from "./primitive.testing.ts";

const cuda = parseTarget("cuda/sm_80");

/** Operands in `stages` arrays each. */
function product(k: number, stages: number, dtype: DType = "float32"): Schedule {
  const s = blockedProduct(k, dtype);
  for (const operand of ["A.shared", "B.shared"]) s.pipeline(s.stage(operand), stages);
  return s;
}

const run = (s: Schedule, kernels: readonly Kernel[]) => interpretKernels(kernels, inputsOf(s.graph)).data.get("C");
const ordered = (s: Schedule, kernels: readonly Kernel[]) => () =>
  interpretDirectly(
    kernels.map(({ func }) => func),
    inputsOf(s.graph),
  );

describe("pipeline", () => {
  it.each([
    // k, arrays asked for, arrays there are, groups a barrier may leave on their way
    [16, 2, 2, 0],
    [20, 3, 3, 1],
    // An array for each iteration: all are on their way before the first.
    [16, 4, 4, 3],
    [8, 4, 2, 1],
  ])("a sum of %i in %i arrays: %i there, one barrier an iteration that leaves %i groups", (k, asked, arrays, wait) => {
    const s = product(k, asked);
    const inferred = infer(s.state);
    if (!inferred.ok) throw inferred.error;
    expect(inferred.value.allocations.filter(({ scope }) => scope === "shared").map(({ bytes }) => bytes)).toEqual([
      arrays * 64,
      arrays * 64,
    ]);
    const text = printFunc(lowerUntil(nestOf(s), cuda, "insert-barriers"));
    expect(text.match(/(wait|barrier).*/g)).toEqual([`wait cp_async, all but ${wait} groups`, "barrier"]);
    expect(text.match(/async cp_async/g)).toHaveLength(wait + 2);
    expect(run(s, lowerFunc(nestOf(s), cuda))).toEqual(evaluate(s.graph, inputsOf(s.graph)).get("C"));
  });

  it("counts its turns in CUDA's text instead of dividing, where a mask would not do", () => {
    const textOf = (arrays: number): string => {
      const { graph, trace } = product(32, arrays);
      const made = compileProgram({ version: 1, kind: "schedule", target: formatTarget(cuda), graph, trace });
      if (!made.ok) throw new Error(made.error.message);
      return made.value.text;
    };
    const text = textOf(3);
    const declared = text.matchAll(/^ *int (\w+_mod_3\w*) = (\d);$/gm);
    const start = new Map([...declared].map(([, name = "", value]) => [name, Number(value)]));
    expect(start.size).toBe(2);
    // What is copied is two ahead of what is read.
    const copied = /A_shared \+ .*?(\w+_mod_3\w*)|A_shared\[.*?(\w+_mod_3\w*).*\] =/.exec(text);
    const read = / A_shared\[.*?(\w+_mod_3\w*)/.exec(text.slice(text.indexOf("+= ")));
    expect([copied, read].map((found) => start.get(found?.[1] ?? found?.[2] ?? ""))).toEqual([2, 0]);
    for (const [name, from] of start) {
      const [step] = text.match(new RegExp(`^ *${name} = ${name} == .*;$`, "m")) ?? [];
      const loop = `let ${name} = ${from}; const all = []; for (let k = 0; k < 8; k++) { all.push(${name}); ${step} } return all;`;
      expect(new Function(loop)()).toEqual(Array.from({ length: 8 }, (_, k) => (k + from) % 3));
    }
    expect(text).not.toContain("% 3");
    expect(textOf(4)).not.toContain("_mod_");
  });

  it.each([
    ["float32", true],
    ["int32", true],
    ["float16", false],
  ] as const)("leaves copies of one element to the machine where it has 4 bytes: %s", (dtype, byItself) => {
    const { graph, trace } = product(32, 2, dtype);
    const made = compileProgram({ version: 1, kind: "schedule", target: formatTarget(cuda), graph, trace });
    if (!made.ok) throw new Error(made.error.message);
    const copies = made.value.text.split("\n").filter((line) => /^ +(cp_async_4\(\(?)?[AB]_shared\b.*[AB][_ ]?/.test(line));
    expect(copies).toHaveLength(4);
    expect(copies.map((line) => line.includes("cp_async_4("))).toEqual(copies.map(() => byItself));
  });

  const within = (A: Buffer, i: Expr) => at(A, select(less(i, 30), i, 0));
  it.each<readonly [string, boolean, (A: Buffer, i: Expr, places: Buffer) => Expr]>([
    ["zero", true, (A, i) => select(less(i, 30), within(A, i), 0)],
    ["zero, by two conditions", true, (A, i) => select(less(i, 30), select(greaterEqual(i, 1), within(A, i), 0), 0)],
    ["negative zero", false, (A, i) => select(less(i, 30), within(A, i), -0)],
    ["one", false, (A, i) => select(less(i, 30), within(A, i), 1)],
    // Where the condition fails, the place must not be read.
    ["zero, of places in memory", false, (A, i, places) => select(less(i, 30), at(A, at(places, select(less(i, 30), i, 0))), 0)],
  ])("%s stands for what is not there: copied by itself, %s", (_, byItself, element) => {
    const [input, places] = [placeholder("A", [30]), placeholder("places", [30], "int32", fills.below(30))];
    const padded = compute("padded", [["i", 32]], (i) => element(input, i, places));
    const s = createSchedule(graphOf([input, places], [compute("out", [["i", 32]], (i) => mul(at(padded, i), 2))]));
    const [out, stage] = [s.stage("out"), s.stage("padded")];
    const [outer, inner] = s.split(s.axes(out)[0] as LoopRef, [null, 4]);
    s.bind(inner, "threadIdx.x");
    s.setScope(stage, "shared");
    s.computeAt(stage, out, outer);
    s.bind(s.axes(stage)[0] as LoopRef, "threadIdx.x");
    s.pipeline(stage, 2);
    const { graph, trace } = s;
    const made = compileProgram({ version: 1, kind: "schedule", target: formatTarget(cuda), graph, trace });
    if (!made.ok) throw new Error(made.error.message);
    expect(made.value.text.includes("cp_async_4_or_zero(")).toBe(byItself);
  });

  it("is plain arrays and plain barriers where nothing copies by itself", () => {
    const s = product(16, 3);
    const old = parseTarget("cuda/sm_75");
    const text = printFunc(lowerUntil(nestOf(s), old, "insert-barriers"));
    expect(text.match(/barrier.*/g)).toEqual(["barrier"]);
    expect(text).not.toContain("async");
    expect(run(s, lowerFunc(nestOf(s), old))).toEqual(evaluate(s.graph, inputsOf(s.graph)).get("C"));
  });

  /** The kernels with their waits changed. */
  const withWait = (kernels: readonly Kernel[], wait: (old: number) => number): readonly Kernel[] => {
    const change = (s: Stmt): Stmt => (s.kind === "Wait" ? { ...s, pending: wait(s.pending) } : mapStmt(s, change, (e) => e));
    return kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: change(kernel.func.body) } }));
  };
  it("would read what is on its way if a barrier left one group more", () => {
    const s = product(20, 3);
    const kernels = lowerFunc(nestOf(s), cuda);
    expect(
      run(
        s,
        withWait(kernels, (wait) => wait - 1),
      ),
    ).toEqual(run(s, kernels));
    const late = withWait(kernels, (wait) => wait + 1);
    expect(ordered(s, late)).toThrow("interp.on_its_way");
  });
  it("would read what the others have not told it if no barrier came after the wait", () => {
    const s = product(20, 3);
    const change = (x: Stmt): Stmt => (x.kind === "Barrier" ? b.seq([]) : mapStmt(x, change, (e) => e));
    const kernels = lowerFunc(nestOf(s), cuda).map((kernel) => ({
      ...kernel,
      func: { ...kernel.func, body: change(kernel.func.body) },
    }));
    expect(ordered(s, kernels)).toThrow("interp.on_its_way");
  });
  const copyOf = (s: Schedule) => s.stage("b.local");
  const cached = (then: (s: Schedule, k: LoopRef) => void) => (s: Schedule) => {
    s.cacheRead(s.stage("b"), "local", [s.stage("c")]);
    then(s, s.reduceAxes(s.stage("c"))[0] as LoopRef);
  };
  refuses([
    ["one array", (s) => s.pipeline(s.stage("b"), 1), "pipeline.stages"],
    ["an output", (s) => s.pipeline(s.stage("c"), 2), "pipeline.output"],
    ["a stage without a loop", (s) => s.pipeline(s.stage("b"), 3), "pipeline.place"],
    [
      "a fragment",
      cached((s, k) => {
        s.computeAt(copyOf(s), s.stage("c"), k);
        s.setScope(copyOf(s), "wmma.matrix_a");
        s.pipeline(copyOf(s), 3);
      }),
      "pipeline.scope",
    ],
    [
      "two copies that run ahead by different counts",
      (s) => {
        const c = s.stage("c");
        const k = s.reduceAxes(c)[0] as LoopRef;
        const copies = [s.cacheRead(s.stage("b"), "local", [c]), s.cacheRead(s.graph.inputs[1] as never, "local", [c])];
        for (const [i, copy] of copies.entries()) {
          s.computeAt(copy, c, k);
          s.pipeline(copy, 2 + i);
        }
      },
      "pipeline.others",
    ],
  ]);
});
