/** Fragments that lanes write and tensor cores read from registers: who may write what and when, and texts that ptxas takes. */
import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { some } from "../../test-support/campaign.ts";
import { needs } from "../../test-support/needs.ts";
import { compileCubin } from "../../test-support/nvcc.ts";
import { interpretDirectly } from "../src/interp/direct/index.ts";
import { interpret } from "../src/interp/interpret.ts";
import { type Wgmma, wgmma } from "../src/intrinsic/cuda/wgmma.ts";
import type { Buffer } from "../src/ir/buffer.ts";
import * as b from "../src/ir/build.ts";
import type { Kernel, PrimFunc } from "../src/ir/prim-func.ts";
import type { Stmt } from "../src/ir/stmt.ts";
import { mapStmt, walkStmt } from "../src/ir/visit.ts";
import { indexMap } from "../src/json/index-map.ts";
import { infer } from "../src/schedule/infer.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { emit, lowerFunc, verifyKernels } from "../src/target/index.ts";
import { compute, placeholder, reduceAxis, sum } from "../src/te/compute.ts";
import { add, at, cast, floorDiv, floorMod, mul, tf32 } from "../src/te/expr.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { difference, subjectOf } from "./subject.ts";

const target = parseTarget("cuda/sm_90a");
const [groups, columns, turns] = [2, 16, 3];
const rows = 64 * groups;
type DType = Wgmma["dtype"];
const bytesOf = { float16: 2, bfloat16: 2, float32: 4, int8: 1, float8_e4m3fn: 1, float8_e5m2: 1 } as const;
/** Two rows of 128 bytes in shared memory are eight instructions' worth. */
const depthOf = (dtype: DType) => 128 / bytesOf[dtype];

/** C = sum over turns of (A + turn) B, of which lanes write A + turn. */
function graphOfType(dtype: DType): Graph {
  const depth = depthOf(dtype);
  const wide = dtype === "int8" ? "int32" : "float32";
  const A = placeholder("A", [rows, depth], dtype);
  const B = placeholder("B", [columns, depth], dtype);
  const other =
    dtype === "float32"
      ? compute(
          "rounded",
          [
            ["j", columns],
            ["k", depth],
          ],
          (j, k) => tf32(at(B, j, k)),
        )
      : B;
  const turn = ["t", turns] as const;
  const raised = compute("raised", [turn, ["i", rows], ["k", depth]], (t, i, k) => {
    const value = add(cast(wide, at(A, i, k)), cast(wide, t));
    return dtype === "float32" ? tf32(value) : cast(dtype, value);
  });
  const k = reduceAxis("k", depth);
  const factor = (e: ReturnType<typeof at>) => (dtype === "float32" ? tf32(e) : cast(wide, e));
  const products = compute("products", [turn, ["i", rows], ["j", columns]], (t, i, j) =>
    sum(mul(factor(at(raised, t, i, k.loopVar)), factor(at(other, j, k.loopVar))), [k]),
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

type Loops = [LoopRef, LoopRef, LoopRef, LoopRef, LoopRef, LoopRef, LoopRef];
const loops = (found: readonly LoopRef[]): Loops => [...found] as Loops;

/** `isScalar`: elements of A are written one by one. */
function schedule(graph: Graph, dtype: DType, isScalar: boolean): Schedule {
  const [depth, run] = [depthOf(dtype), 4 / bytesOf[dtype]];
  const s = createSchedule(graph);
  const C = s.stage("C");
  const sums = s.cacheWrite(C, "local");
  const other = dtype === "float32" ? s.stage("rounded") : undefined;
  const BS = s.cacheRead(other ?? (graph.inputs[1] as Buffer), "shared", [s.stage("products")]);
  if (other !== undefined) {
    const [j, k] = loops(s.axes(other));
    s.bind(j, "blockIdx.x");
    s.bind(k, "threadIdx.x");
  }
  const [i, j] = loops(s.axes(C));
  const [io, group, warp, half, row] = loops(s.split(i, [1, groups, 4, 2, 8]));
  const [jo, lane, pair] = loops(s.split(j, [columns / 8, 4, 2]));
  s.reorder([io, group, warp, row, lane, half, jo, pair]);
  s.bind(io, "blockIdx.x");
  s.bind(group, "threadIdx.z");
  s.bind(s.fuse([warp, row]), "threadIdx.y");
  s.bind(lane, "threadIdx.x");
  s.computeAt(sums, C, lane);
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
  const [products, raised] = [s.stage("products"), s.stage("raised")];
  s.setScope(products, "warpgroup.accumulator");
  s.transformLayout(
    products,
    indexMap(["t", "i", "j"], (t, i, j) => [t, floorDiv(i, 64), floorMod(i, 64), j]),
  );
  s.computeAt(products, sums, turn);
  const [t, tile, inner, column] = loops(s.axes(products));
  const [steps, step] = loops(s.split(s.reduceAxes(products)[0] as LoopRef, [4, depth / 4]));
  s.reorder([t, tile, steps, inner, column, step]);
  s.unroll(steps);
  s.swizzle(BS);
  s.computeAt(BS, C, io);
  s.copyBy(BS, "tma");
  s.setScope(raised, "warpgroup.matrix_a");
  s.transformLayout(
    raised,
    indexMap(["t", "i", "k"], (t, i, k) => [t, floorDiv(i, 64), floorDiv(k, depth / 4), floorMod(i, 64), floorMod(k, depth / 4)]),
  );
  s.computeAt(raised, sums, turn);
  const [rt, rtile, part, ri, rk] = loops(s.axes(raised));
  const [rw, rh, rr] = loops(s.split(ri, [4, 2, 8]));
  const [rc, rl, rv] = loops(s.split(rk, [2, 4, run]));
  s.reorder([rw, rr, rl, rt, rtile, part, rh, rc, rv]);
  s.bind(s.fuse([rw, rr]), "threadIdx.y");
  s.bind(rl, "threadIdx.x");
  if (isScalar || run === 1) s.unroll(rv);
  else s.vectorize(rv);
  s.tensorize(inner, wgmma({ dtype, n: columns, a: "registers", b: { major: "k", swizzle: 128 } }));
  return s;
}

function kernelsOf(
  graph: Graph,
  dtype: DType,
  isScalar = false,
): { readonly nest: PrimFunc; readonly kernels: readonly Kernel[] } {
  const inferred = infer(schedule(graph, dtype, isScalar).state);
  if (!inferred.ok) throw inferred.error;
  const nest = inferred.value.func();
  return { nest, kernels: lowerFunc(nest, target) };
}
type Subject = ReturnType<typeof subjectOf>;
function told(subject: Subject, kernels: readonly Kernel[], run: typeof interpretDirectly): string {
  try {
    const funcs = kernels.map(({ func }) => func);
    return difference(subject, run(funcs, new Map(subject.inputs))) ?? "right";
  } catch (error) {
    return String(error).match(/\[interp\.\w+\]/)?.[0] ?? String(error);
  }
}
const rules = (made: readonly Kernel[]) => verifyKernels(made, target).map(({ rule }) => rule);

function fragmentIn(kernels: readonly Kernel[]): Buffer {
  const found: Buffer[] = [];
  for (const { func } of kernels)
    walkStmt(func.body, (s) => {
      if (s.kind === "Allocate" && s.buffer.scope === "warpgroup.matrix_a") found.push(s.buffer);
    });
  return found[0] as Buffer;
}

describe("A of each type, written by the lanes that keep it", () => {
  it.for(some<DType>(["float16", "bfloat16", "float32", "int8", "float8_e4m3fn"], 0, 2, 3, 4))("%s", (dtype, ctx) => {
    const subject = subjectOf(graphOfType(dtype));
    const { nest, kernels } = kernelsOf(subject.graph, dtype);
    expect(verifyKernels(kernels, target)).toEqual([]);
    for (const run of [interpret, interpretDirectly]) expect(told(subject, kernels, run)).toBe("right");
    needs(ctx, "nvcc");
    const { text } = emit(kernels, nest.params, target, { graph: subject.graph });
    // Warnings are errors, among them those of products that ptxas has to do one after the other.
    expect(Object.values(compileCubin(text, "sm_90a")).at(-1)).toMatchObject({ spillBytes: 0, stackBytes: 0 });
    const words = { float16: ", 1, 1, 0;", bfloat16: ", 1, 1, 0;", float32: ", 1, 1;", int8: " p;", float8_e4m3fn: ", 1, 1;" };
    expect(text).toContain(words[dtype as keyof typeof words]);
    // Of each instruction by rows and groups of columns, while registers go by columns first.
    const written = text.matchAll(/&raised\[(\d+)\] =/g);
    const [parts, halves] = [
      [0, 1, 2, 3],
      [0, 1],
    ] as const;
    const wanted = parts.flatMap((part) => halves.flatMap((half) => halves.map((column) => part * 4 + column * 2 + half)));
    expect([...written].map(([, register]) => Number(register))).toEqual(wanted);
    // nvcc may move nothing that writes the registers to where tensor cores read them.
    const order = /wgmma_settle_b32_16\(raised\);\n *wgmma_fence\(\);[\s\S]*wgmma_wait_0\(\);\n.*\n *wgmma_end_b32_16\(raised\);/;
    expect(text).toMatch(order);
    expect(text.slice(text.indexOf("// raised"), text.indexOf("wgmma_commit();"))).not.toMatch(/__sync|meet|fence_async/);
  });
});

describe("planted faults", () => {
  const subject = subjectOf(graphOfType("float16"));
  const { kernels } = kernelsOf(subject.graph, "float16");
  const raised = fragmentIn(kernels);
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
  const isGroup = (s: Stmt): boolean => s.kind === "Async" && s.engine === "wgmma";
  const isWait = (s: Stmt): boolean => s.kind === "Wait" && s.engine === "wgmma";

  it.each<[what: string, change: (s: Stmt) => Stmt | undefined]>([
    ["no wait before the registers are written again", (s) => (isWait(s) ? b.seq([]) : undefined)],
    ["a wait for all groups but one", (s) => (s.kind === "Wait" ? { ...s, pending: 1 } : undefined)],
    [
      "registers written between the product and its wait",
      (s) => {
        if (s.kind !== "Seq" || !s.stmts.some(isGroup)) return undefined;
        const at = s.stmts.findIndex(isGroup);
        const write = b.store(raised, [b.ramp(b.int(0), 1, 2)], b.broadcast(b.constant(0, "float16"), 2));
        return b.seq([...s.stmts.slice(0, at + 1), write, ...s.stmts.slice(at + 1)]);
      },
    ],
  ])("%s", (_, change) => {
    const made = planted(change);
    expect(rules(made)).toContain("wgmma.in_flight");
    expect(told(subject, made, interpretDirectly)).toBe("[interp.in_flight]");
  });
  const moved = (by: number) =>
    planted((s) => {
      if (s.kind !== "Store" || s.buffer !== raised) return undefined;
      const [index] = s.indices;
      if (index?.kind !== "Ramp") return undefined;
      return {
        ...s,
        indices: [b.ramp(b.floorModulo(b.add(index.base, b.int(by)), b.int(raised.shape[0] as number)), 1, index.lanes)],
      };
    });
  it("another lane writes", () => {
    const made = moved(2);
    expect(rules(made)).toContain("device.fragment");
    expect(told(subject, made, interpret)).toBe("[interp.lane]");
  });
  it("a vector that begins within a register", () => expect(rules(moved(1))).toContain("device.fragment"));
  it("half a register", () => {
    const { kernels: made } = kernelsOf(subject.graph, "float16", true);
    expect(verifyKernels(made, target)[0]?.message).toMatch(
      /raised has 2 elements in a register, and .* is not a whole one; vectorize a loop over 2 neighbours/,
    );
  });
  it("one of two elements in a register is read", () => {
    const made = planted((s) =>
      s.kind === "Store" && s.buffer.scope === "local" && s.value.kind === "FloatImm"
        ? { ...s, value: b.cast("float32", b.load(raised, [b.int(0)])) }
        : undefined,
    );
    expect(rules(made)).toContain("device.fragment");
  });
});
