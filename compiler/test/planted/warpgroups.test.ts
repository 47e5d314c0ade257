/**
 * Barriers of a warpgroup: each warpgroup writes its rows to panels in shared memory and has the engine store them, while the
 * other goes on. Faults planted one at a time, in the IR and in the text: rules, both interpreters or a machine made after the
 * PTX ISA notice each.
 */
import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { type Product, scheduleOf } from "../../../test-support/programs/warpgroups.ts";
import { compileProgram } from "../../src/compile.ts";
import { interpretDirectly } from "../../src/interp/direct/index.ts";
import { InterpError } from "../../src/interp/error.ts";
import { interpretKernels } from "../../src/interp/interpret.ts";
import * as b from "../../src/ir/build.ts";
import type { Var } from "../../src/ir/expr.ts";
import type { Kernel } from "../../src/ir/prim-func.ts";
import type { Stmt } from "../../src/ir/stmt.ts";
import { mapStmt, substituteStmt, walkStmt } from "../../src/ir/visit.ts";
import { infer } from "../../src/schedule/infer.ts";
import { createSchedule, type Schedule } from "../../src/schedule/schedule.ts";
import type { LoopRef } from "../../src/schedule/state.ts";
import { lowerVerified, verifyKernels } from "../../src/target/index.ts";
import { compute, placeholder } from "../../src/te/compute.ts";
import { add, at, mul } from "../../src/te/expr.ts";
import { graphOf } from "../../src/te/graph-of.ts";
import { runEngineOnHost } from "../run-engine.testing.ts";
import { difference, subjectOf } from "../subject.ts";

const target = parseTarget("cuda/sm_90a");

function lowered(schedule: Schedule): readonly Kernel[] {
  const inferred = infer(schedule.state);
  if (!inferred.ok) throw inferred.error;
  const made = lowerVerified(inferred.value.func(), target);
  if (!made.ok) throw new Error(made.error.map(({ message }) => message).join("\n"));
  return made.value;
}

/** Two tiles of two warpgroups of 64 rows, a producer. */
const product: Product = {
  ...{ dtype: "float16", layout: "NT", size: [256, 32, 32], n: 32, groups: 2, chunk: 16, slots: 2, span: 64 },
  ...{ blocks: 1, roles: [0, 0], stored: true },
};
const inParts = scheduleOf({ ...product, parts: 2 });
const [parts, whole] = [lowered(inParts), lowered(scheduleOf(product))];
const subject = subjectOf(inParts.graph, -2, 2);

const planted = (kernels: readonly Kernel[], on: (s: Stmt) => Stmt | undefined): readonly Kernel[] => {
  const run = (s: Stmt): Stmt => on(s) ?? mapStmt(s, run, (e) => e);
  return kernels.map((kernel) => ({ ...kernel, func: { ...kernel.func, body: run(kernel.func.body) } }));
};
const rules = (bad: readonly Kernel[]) => verifyKernels(bad, target).map(({ rule }) => rule);
/** What an interpreter refuses, or which element of the result differs. */
function told(run: () => ReturnType<typeof interpretDirectly>): string | undefined {
  try {
    return difference(subject, run());
  } catch (error) {
    if (error instanceof InterpError) return error.rule;
    throw error;
  }
}
const seen = (bad: readonly Kernel[]) =>
  told(() =>
    interpretDirectly(
      bad.map(({ func }) => func),
      subject.inputs,
    ),
  );
const agents = (kernels: readonly Kernel[]): string[] => {
  const found: string[] = [];
  for (const { func } of kernels)
    walkStmt(func.body, (s) => {
      if (s.kind === "Barrier" || s.kind === "Drain") found.push(`${s.kind} ${s.agent}`);
    });
  return found;
};
/** The variable that counts warpgroups. */
const group = ((): Var => {
  let found: Var | undefined;
  walkStmt((parts[0] as Kernel).func.body, (s) => {
    if (s.kind === "For" && s.thread === "threadIdx.y") found = s.loopVar;
  });
  return found as Var;
})();

it("each warpgroup meets alone where its rows are its own; the block meets where one box has the rows of both", () => {
  const each = ["Barrier warpgroup", "Barrier warpgroup", "Drain warpgroup"];
  expect(agents(parts)).toEqual([...each, ...each]);
  expect(agents(whole)).toEqual(["Barrier block", "Barrier block", "Drain block"]);
  for (const kernels of [parts, whole]) {
    expect([rules(kernels), seen(kernels)]).toEqual([[], undefined]);
    expect(told(() => interpretKernels(kernels, subject.inputs))).toBeUndefined();
  }
});

describe("planted in the IR", () => {
  const [race, proxy] = ["interp.race", "interp.proxy"];
  /** In the place of each barrier before a part is written (0), or after a fence (1). */
  const barriers = (which: 0 | 1, other: Stmt) => {
    let met = 0;
    return planted(parts, (s) => (s.kind === "Barrier" && met++ % 2 === which ? other : undefined));
  };
  const inWhole = (s: Stmt) => (s.kind === "Barrier" ? b.barrierOf("warpgroup") : undefined);
  it.each<[what: string, bad: readonly Kernel[], rule: string | undefined, seen: string]>([
    ["a warpgroup meets where one box has the rows of both", planted(whole, inWhole), "device.copy-engine", proxy],
    [
      "the block's first thread stores the rows of both after a meeting of each",
      planted(parts, (s) => {
        if (s.kind !== "Drain") return undefined;
        const each = b.variable("each");
        return { ...s, agent: "block", body: b.forLoop(each, 2, substituteStmt(s.body, new Map([[group, each]]))) };
      }),
      "device.copy-engine",
      proxy,
    ],
    [
      "each warpgroup stores the rows of the other",
      planted(parts, (s) =>
        s.kind === "Drain" ? { ...s, body: substituteStmt(s.body, new Map([[group, b.sub(b.int(1), group)]])) } : undefined,
      ),
      "device.copy-engine",
      proxy,
    ],
    [
      "a fence in one warpgroup alone",
      planted(parts, (s) => (s.kind === "Fence" ? { kind: "If", cond: b.eq(group, b.int(0)), body: s } : undefined)),
      "device.barrier",
      "interp.proxy",
    ],
    ["no fence", planted(parts, (s) => (s.kind === "Fence" ? b.seq([]) : undefined)), "device.copy-engine", proxy],
    ["only warps meet before a part is written", barriers(0, b.barrierOf("warp")), undefined, race],
    ["only warps meet after a part is written", barriers(1, b.barrierOf("warp")), "device.copy-engine", proxy],
    ["nobody meets before a part is written", barriers(0, b.seq([])), undefined, race],
    [
      "a barrier of the first warpgroup alone",
      planted(parts, (s) => (s.kind === "Barrier" ? { kind: "If", cond: b.eq(group, b.int(0)), body: s } : undefined)),
      "device.barrier",
      "interp.divergence",
    ],
  ])("%s", (_, bad, rule, found) => {
    if (rule) expect(rules(bad)).toContain(rule);
    expect(seen(bad)).toBe(found);
  });
});

describe("planted in the text", () => {
  /** B = 2 A + 1: two tiles of 128 rows, two parts of 32 columns each. */
  function scheduled(): Schedule {
    const A = placeholder("A", [256, 64], "float32");
    const axes = [
      ["i", 256],
      ["j", 64],
    ] as const;
    const sch = createSchedule(graphOf([A], [compute("B", axes, (i, j) => add(mul(at(A, i, j), 2), 1))]));
    const B = sch.stage("B");
    const AS = sch.cacheRead(A, "shared", [B]);
    const BS = sch.cacheWrite(B, "shared");
    const refs = (count: number, list: readonly LoopRef[]): LoopRef[] => {
      expect(list).toHaveLength(count);
      return [...list];
    };
    const [i, j] = refs(2, sch.axes(B)) as [LoopRef, LoopRef];
    const [io, y, ii] = refs(3, sch.split(i, [null, 2, 64])) as [LoopRef, LoopRef, LoopRef];
    const [part, jj] = refs(2, sch.split(j, [2, null])) as [LoopRef, LoopRef];
    sch.reorder([io, y, part, ii, jj]);
    const [block, wave] = refs(2, sch.split(io, [1, null])) as [LoopRef, LoopRef];
    sch.bind(block, "blockIdx.x");
    sch.bind(y, "threadIdx.y");
    sch.copyBy(B, "tma");
    sch.computeAt(BS, B, part);
    const [row, column] = refs(2, sch.axes(BS)) as [LoopRef, LoopRef];
    const [ry, rows] = refs(2, sch.split(row, [null, 64])) as [LoopRef, LoopRef];
    sch.bind(ry, "threadIdx.y");
    const [, lane] = refs(2, sch.split(sch.fuse([rows, column]), [null, 128])) as [LoopRef, LoopRef];
    sch.bind(lane, "threadIdx.x");
    sch.computeAt(AS, B, wave);
    sch.pipeline(AS, 2);
    sch.copyBy(AS, "tma");
    sch.specialize(B, 0, 0);
    return sch;
  }
  const sch = scheduled();
  const { graph } = sch;
  const made = compileProgram({ version: 1, kind: "schedule", target: "cuda/sm_90a", graph, trace: sch.trace });
  if (!made.ok) throw new Error(made.error.message);
  const text = made.value;
  const copied = subjectOf(graph);
  const outcome = (change: (text: string) => string): string => {
    try {
      const got = runEngineOnHost({ ...text, text: change(text.text) }, copied.inputs).get("B");
      return JSON.stringify(got) === JSON.stringify(copied.expected.get("B")) ? "right" : "wrong";
    } catch (error) {
      return /nobody goes on|more than a warpgroup meets|stores are read/.exec(String(error))?.[0] ?? String(error);
    }
  };

  it("without a fault the text is right, and warpgroups meet by barriers 2 and 3", () => {
    expect(text.text).toMatch(/bar\.sync %0, 128;.* "r"\(group \+ 2\)/);
    expect(text.text).toMatch(/ warpgroup_meets\(i_\w+\);/);
    expect(outcome((of) => of)).toBe("right");
  });
  it.each<[what: string, change: (text: string) => string]>([
    ["both warpgroups meet by one barrier", (of) => of.replace(/ warpgroup_meets\(i_\w+\);/g, " warpgroup_meets(0);")],
    [
      "another lane waits than the one that has the engine store",
      (of) => of.replace(/== 0\) \{\n *tma_store_read/g, (found) => found.replace("0", "32")),
    ],
  ])("%s", (_, change) => {
    expect(change(text.text)).not.toBe(text.text);
    expect(outcome(change)).not.toBe("right");
  });
});
