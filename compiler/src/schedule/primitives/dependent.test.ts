import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { needs } from "../../../../test-support/needs.ts";
import { compileCubin } from "../../../../test-support/nvcc.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { rewriteStmt } from "../../ir/visit.ts";
import { emit, lowerFunc, verifyKernels } from "../../target/index.ts";
import { compute, placeholder, reduceAxis, sum } from "../../te/compute.ts";
import { at } from "../../te/expr.ts";
import { graphOf } from "../../te/graph-of.ts";
import { createSchedule, type Schedule } from "../schedule.ts";
import type { LoopRef } from "../state.ts";
import { nestOf, refuses, rewritten, sampleGraph } from "./primitive.testing.ts";

const target = parseTarget("cuda/sm_90");

/** Two kernels, the second one with a copy of an input before it reads what the first one wrote. */
function twoKernels(): Schedule {
  const s = createSchedule(sampleGraph());
  const c = s.stage("c");
  for (const name of ["b", "c"]) s.bind(s.axes(s.stage(name))[0] as LoopRef, "threadIdx.x");
  const weights = s.cacheRead(s.graph.inputs[1] as never, "shared", [c]);
  s.computeAt(weights, c, s.axes(c)[0] as LoopRef);
  s.dependent(c);
  return s;
}
const kernelsOf = (s: Schedule, to = target): readonly Kernel[] => lowerFunc(nestOf(s), to);
const textOf = (s: Schedule, to = target) => emit(kernelsOf(s, to), nestOf(s).params, to, { graph: s.graph });
const withBody = (kernels: readonly Kernel[], change: (s: Stmt) => Stmt): readonly Kernel[] =>
  kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: rewriteStmt(kernel.func.body, change) } }));

describe("dependent", () => {
  it("marks the kernel of one stage", () => {
    expect(rewritten((s) => s.dependent(s.stage("c")))).toContain("kernel, started before the one before it ends:");
  });

  it("marks the kernel of a sum whose start values have one of their own, which comes before it", () => {
    const a = placeholder("a", [8, 4]);
    const k = reduceAxis("k", 4);
    const s = createSchedule(graphOf([a], [compute("c", [["i", 8]], (i) => sum(at(a, i, k.loopVar), [k]))]));
    const c = s.stage("c");
    const [i] = s.axes(c) as [LoopRef];
    s.reorder([...s.reduceAxes(c), i]);
    s.bind(i, "threadIdx.x");
    s.dependent(c);
    const kernels = kernelsOf(s);
    expect(kernels.map(({ func, dependent = false }) => [func.name, dependent])).toEqual([
      ["c_kernel0", false],
      ["c_kernel1", true],
    ]);
  });

  it("waits behind what touches inputs alone, and before what another kernel writes", () => {
    const { text, kernels } = textOf(twoKernels());
    const second = text.slice(text.lastIndexOf('extern "C"'));
    const places = ["w_shared[", "wait_for_kernel();", "c[", "b["].map((part) => second.indexOf(`  ${part}`));
    expect(second.match(/wait_for_kernel\(\);/g)).toHaveLength(1);
    expect(places[0]).toBeGreaterThan(0);
    expect(places[0]).toBeLessThan(places[1] as number);
    expect(places[1]).toBeLessThan(places[2] as number);
    expect(text.slice(0, text.lastIndexOf('extern "C"')).trimEnd().endsWith("release_kernel();\n}")).toBe(true);
    expect(kernels.map(({ attributes }) => attributes)).toEqual([undefined, [{ kind: "dependent" }]]);
    expect(verifyKernels(kernelsOf(twoKernels()), target)).toEqual([]);
    // A compiler may read what is restricted before it waits.
    expect(second.slice(0, second.indexOf("{"))).toMatch(/const float \*__restrict__ w, float \*c, const float \*b\)/);
  });

  const faults: readonly [string, (s: Stmt) => Stmt, string][] = [
    ["that reads before it waits", (s) => (s.kind === "Handover" ? { kind: "Seq", stmts: [] } : s), "without having waited"],
    [
      "that waits after its first read",
      (s) => {
        const at = s.kind === "Seq" ? s.stmts.findIndex((child) => child.kind === "Handover" && child.what === "wait") : -1;
        if (s.kind !== "Seq" || at < 0) return s;
        return { ...s, stmts: [...s.stmts.toSpliced(at, 1), s.stmts[at] as Stmt] };
      },
      "without having waited",
    ],
    [
      "of which some threads wait",
      (s) =>
        s.kind === "Handover" && s.what === "wait"
          ? { kind: "If", cond: { kind: "IntImm", dtype: "bool", value: 1 }, body: s }
          : s,
      "under a condition",
    ],
  ];
  it.each(faults)("a kernel %s is refused", (_, change, why) => {
    const [violation] = verifyKernels(withBody(kernelsOf(twoKernels()), change), target);
    expect(violation?.rule).toBe("device.dependent");
    expect(violation?.message).toContain(why);
  });

  it("a kernel that reads no other's output waits all the same: what comes after it takes that for done", () => {
    const [, second] = kernelsOf(twoKernels());
    const alone = { ...(second as Kernel), func: { ...(second as Kernel).func, body: { kind: "Seq", stmts: [] } as Stmt } };
    expect(verifyKernels([second as Kernel, alone], target).at(-1)?.message).toContain("never waits");
  });

  it("is a note below sm_90, and nothing to a CPU", () => {
    const { text, kernels, notes } = textOf(twoKernels(), parseTarget("cuda/sm_80"));
    expect(text).not.toContain("griddepcontrol");
    expect(kernels.every(({ attributes }) => attributes === undefined)).toBe(true);
    expect(notes.map(({ rule }) => rule)).toContain("dependent.ignored");
    const s = createSchedule(sampleGraph());
    s.dependent(s.stage("c"));
    expect(textOf(s, parseTarget("cpu/x86-64-v3")).kernels.every(({ attributes }) => attributes === undefined)).toBe(true);
  });

  it("is what ptxas takes", (ctx) => {
    needs(ctx, "nvcc");
    const reports = compileCubin(textOf(twoKernels()).text, "sm_90", /griddepcontrol\.\w+/);
    expect(Object.fromEntries(Object.entries(reports).map(([name, { instructions }]) => [name, instructions]))).toEqual({
      c_kernel0: { "griddepcontrol.launch_dependents": 1 },
      c_kernel1: { "griddepcontrol.wait": 1 },
    });
  });

  refuses([
    ["the first kernel of a run", (s) => s.dependent(s.stage("b")), "dependent.first"],
    [
      "a stage inside another's nest",
      (s) => {
        s.dependent(s.stage("b"));
        s.computeAt(s.stage("b"), s.stage("c"), s.axes(s.stage("c"))[0] as LoopRef);
      },
      "dependent.root",
    ],
  ]);
});
