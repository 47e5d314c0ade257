/** Tiles that threads write and tensor cores read: fences, who must meet, and what is refused without them. */
import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { interpretDirectly } from "../src/interp/direct/index.ts";
import { interpret } from "../src/interp/interpret.ts";
import { wgmma } from "../src/intrinsic/cuda/wgmma.ts";
import type { Buffer } from "../src/ir/buffer.ts";
import * as b from "../src/ir/build.ts";
import type { Kernel } from "../src/ir/prim-func.ts";
import type { Stmt } from "../src/ir/stmt.ts";
import { mapStmt, walkStmt } from "../src/ir/visit.ts";
import { indexMap } from "../src/json/index-map.ts";
import { infer } from "../src/schedule/infer.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { lowerFunc, verifyKernels } from "../src/target/index.ts";
import { compute, placeholder, reduceAxis, sum } from "../src/te/compute.ts";
import { add, at, cast, floorDiv, floorMod, mul } from "../src/te/expr.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { difference, subjectOf } from "./subject.ts";

const target = parseTarget("cuda/sm_90a");
const [groups, depth, columns, turns] = [2, 64, 16, 3];
const rows = 64 * groups;

/** C = sum over turns of (A + turn) B, of which threads write A + turn. */
function graph() {
  const [A, B] = [placeholder("A", [rows, depth], "float16"), placeholder("B", [columns, depth], "float16")];
  const raised = compute(
    "raised",
    [
      ["t", turns],
      ["i", rows],
      ["k", depth],
    ],
    (t, i, k) => add(at(A, i, k), cast("float16", t)),
  );
  const k = reduceAxis("k", depth);
  const products = compute(
    "products",
    [
      ["t", turns],
      ["i", rows],
      ["j", columns],
    ],
    (t, i, j) => sum(mul(cast("float32", at(raised, t, i, k.loopVar)), cast("float32", at(B, j, k.loopVar))), [k]),
  );
  const t = reduceAxis("turn", turns);
  return graphOf(
    [A, B],
    [
      compute(
        "C",
        [
          ["i", rows],
          ["j", columns],
        ],
        (i, j) => sum(at(products, t.loopVar, i, j), [t]),
      ),
    ],
  );
}
const subject = subjectOf(graph());

type Loops = [LoopRef, LoopRef, LoopRef, LoopRef, LoopRef];
const loops = (found: readonly LoopRef[]): Loops => [...found] as Loops;

/** `rowsOf`: whether each warpgroup writes the rows that it multiplies, or every second row. */
function schedule(rowsOf: "own" | "all"): Schedule {
  const s = createSchedule(subject.graph);
  const C = s.stage("C");
  const sums = s.cacheWrite(C, "local");
  const BS = s.cacheRead(subject.graph.inputs[1] as Buffer, "shared", [s.stage("products")]);
  const [i, j] = loops(s.axes(C));
  const [io, group, warp, half, row] = loops(s.split(i, [1, groups, 4, 2, 8]));
  const [jo, lane, pair] = loops(s.split(j, [columns / 8, 4, 2]));
  s.reorder([io, group, warp, row, lane, half, jo, pair]);
  s.bind(io, "blockIdx.x");
  s.bind(group, "threadIdx.y");
  const lanes = s.fuse([warp, row, lane]);
  s.bind(lanes, "threadIdx.x");
  s.computeAt(sums, C, lanes);
  s.transformLayout(
    sums,
    indexMap(["i", "j"], (i, j) => [
      ...[floorDiv(i, 16), floorMod(i, 8), floorDiv(floorMod(j, 8), 2)],
      ...[floorMod(floorDiv(i, 8), 2), floorDiv(j, 8), floorMod(j, 2)],
    ]),
  );
  const turn = s.reduceAxes(sums)[0] as LoopRef;
  const own = s.axes(sums);
  s.reorder([turn, ...own]);
  for (const loop of own.slice(3)) s.unroll(loop);
  const products = s.stage("products");
  s.setScope(products, "warpgroup.accumulator");
  s.transformLayout(
    products,
    indexMap(["t", "i", "j"], (t, i, j) => [t, floorDiv(i, 64), floorMod(i, 64), j]),
  );
  s.computeAt(products, sums, turn);
  const [t, tile, inner, column] = loops(s.axes(products));
  const [steps, step] = loops(s.split(s.reduceAxes(products)[0] as LoopRef, [depth / 16, 16]));
  s.reorder([t, tile, steps, inner, column, step]);
  s.unroll(steps);
  const along = { major: "k", swizzle: 128 } as const;
  s.swizzle(BS);
  s.computeAt(BS, C, io);
  s.copyBy(BS, "tma");
  const raised = s.stage("raised");
  s.setScope(raised, "shared");
  s.swizzle(raised);
  s.computeAt(raised, sums, turn);
  const [, ri, rk] = loops(s.axes(raised));
  const [first, second] = loops(s.split(ri, rowsOf === "own" ? [groups, 64] : [64, groups]));
  const [writer, others] = rowsOf === "own" ? [first, second] : [second, first];
  s.reorder([writer, others, rk]);
  const [many, thread] = loops(s.split(s.fuse([others, rk]), [null, 128]));
  s.reorder([writer, thread, many]);
  s.bind(writer, "threadIdx.y");
  s.bind(thread, "threadIdx.x");
  s.tensorize(inner, wgmma({ dtype: "float16", n: columns, a: along, b: along }));
  return s;
}

function kernelsOf(rowsOf: "own" | "all"): readonly Kernel[] {
  const inferred = infer(schedule(rowsOf).state);
  if (!inferred.ok) throw inferred.error;
  return lowerFunc(inferred.value.func(), target);
}
const told = (kernels: readonly Kernel[]): readonly string[] =>
  [interpret, interpretDirectly].map((run) => {
    try {
      return (
        difference(
          subject,
          run(
            kernels.map(({ func }) => func),
            new Map(subject.inputs),
          ),
        ) ?? "right"
      );
    } catch (error) {
      return String(error).match(/\[interp\.\w+\]/)?.[0] ?? String(error);
    }
  });
const meetings = (kernels: readonly Kernel[]): readonly string[] => {
  const found: string[] = [];
  for (const { func } of kernels)
    walkStmt(func.body, (s) => {
      if (s.kind === "Barrier") found.push(s.agent);
      if (s.kind === "Fence") found.push("fence");
    });
  return found;
};

describe.each<["own" | "all", string]>([
  ["own", "warpgroup"],
  ["all", "block"],
])("rows of %s", (rowsOf, agent) => {
  const kernels = kernelsOf(rowsOf);
  const planted = (change: (s: Stmt) => Stmt | undefined): readonly Kernel[] => {
    let changed = 0;
    const run = (s: Stmt): Stmt => {
      const other = change(s);
      if (other) changed++;
      return other ?? mapStmt(s, run, (e) => e);
    };
    const made = kernels.map((kernel): Kernel => ({ ...kernel, func: { ...kernel.func, body: run(kernel.func.body) } }));
    expect(changed).toBeGreaterThan(0);
    return made;
  };
  const rules = (made: readonly Kernel[]) => verifyKernels(made, target).map(({ rule }) => rule);

  it(`the ${agent} meets before the write and between fence and product`, () => {
    expect(rules(kernels)).toEqual([]);
    expect(meetings(kernels)).toEqual([agent, "fence", agent]);
    expect(told(kernels)).toEqual(["right", "right"]);
  });
  it("no fence", () => {
    const made = planted((s) => (s.kind === "Fence" ? b.seq([]) : undefined));
    expect(rules(made)).toContain("wgmma.proxy");
    expect(told(made)).toEqual(["[interp.proxy]", "[interp.proxy]"]);
  });
  it("no barrier after the fence", () => {
    let seen = 0;
    const made = planted((s) => (s.kind === "Barrier" && ++seen === 2 ? b.seq([]) : undefined));
    expect(rules(made)).toContain("wgmma.proxy");
    for (const why of told(made)) expect(why).toMatch(/\[interp\.(proxy|race)\]/);
  });
  it("the fence after the barrier", () => {
    let seen = 0;
    const made = planted((s) =>
      s.kind === "Fence" ? b.seq([]) : s.kind === "Barrier" && ++seen === 2 ? b.seq([s, { kind: "Fence" }]) : undefined,
    );
    expect(rules(made)).toContain("wgmma.proxy");
    expect(told(made)).toEqual(["[interp.proxy]", "[interp.proxy]"]);
  });
  it("no barrier between a product and the next write", () => {
    let seen = 0;
    const made = planted((s) => (s.kind === "Barrier" && ++seen === 1 ? b.seq([]) : undefined));
    for (const why of told(made)) expect(why).toMatch(/\[interp\.(race|in_flight)\]/);
  });
  it("smaller teams meet than must", () => {
    const smaller = agent === "block" ? "warpgroup" : "warp";
    const made = planted((s) => (s.kind === "Barrier" ? b.barrierOf(smaller) : undefined));
    for (const why of told(made)) expect(why).toMatch(/\[interp\.(proxy|race)\]/);
    if (smaller === "warp") expect(rules(made)).toContain("wgmma.proxy");
  });
});
