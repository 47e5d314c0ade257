/**
 * Faults planted in correct functions, one at a time, of the kinds that schedules and lowerings get wrong. Each must be caught:
 * by a detector of the interpreter (its rule is named) or because the result differs from the graph's definition.
 */

import { describe, expect, it } from "vitest";
import { interpretDirectly } from "../../src/interp/direct/index.ts";
import { InterpError } from "../../src/interp/error.ts";
import { interpret } from "../../src/interp/interpret.ts";
import type { Buffer } from "../../src/ir/buffer.ts";
import * as b from "../../src/ir/build.ts";
import type { Binary, Expr, Load } from "../../src/ir/expr.ts";
import type { PrimFunc } from "../../src/ir/prim-func.ts";
import type { For, Stmt, Store } from "../../src/ir/stmt.ts";
import { walkStmt } from "../../src/ir/visit.ts";
import { difference } from "../subject.ts";
import { type Case, chain, cpu, gpu, nest, rows } from "./cases.testing.ts";
import { type Pick, plant } from "./mutate.ts";

function verdictBy(run: typeof interpret | typeof interpretDirectly, { subject, funcs }: Case): string {
  try {
    const different = difference(subject, run(funcs, subject.inputs));
    return different === undefined ? "agrees" : different.includes("not written") ? "unwritten" : "differs";
  } catch (error) {
    if (error instanceof InterpError) return error.rule;
    throw error;
  }
}

/** Alignment is the business of the generated interpreter alone, and order that of the direct one; all else both must see. */
function verdict(c: Case): string {
  const [fast, direct] = [verdictBy(interpret, c), verdictBy(interpretDirectly, c)];
  if (direct === "interp.race") return direct;
  if (fast !== "interp.alignment") expect(direct, "the direct interpreter").toBe(fast);
  return fast;
}

/** The case with one fault in one of its functions. */
const spoil = (c: Case, pick: Pick, func = 0): Case => ({
  ...c,
  funcs: c.funcs.map((f, i) => (i === func ? { ...f, body: plant(f.body, pick) } : f)),
});

const storesTo = (s: Stmt, name: string): s is Store => s.kind === "Store" && s.buffer.name === name;
const holds = (s: Stmt, name: string): boolean => {
  let found = false;
  walkStmt(s, (x) => {
    found ||= storesTo(x, name);
  });
  return found;
};
const isLoop = (s: Stmt, name: string): s is For => s.kind === "For" && s.loopVar.name === name;
const isLoad = (e: Expr, name: string): e is Load => e.kind === "Load" && e.buffer.name === name;
const isBinary = (e: Expr, kind: Binary["kind"]): e is Binary => e.kind === kind;
/** threadIdx.x of its first kernel. */
function threadOf({ funcs }: Case): Expr {
  let found: Expr | undefined;
  walkStmt(funcs[0]?.body as Stmt, (s) => {
    if (s.kind === "For" && s.thread === "threadIdx.x") found = s.loopVar;
  });
  return found as Expr;
}
const nothing: Stmt = { kind: "Seq", stmts: [] };
/** Another number where the right operand is `from`. */
const constant = (kind: Binary["kind"], from: number, to: number) => (e: Expr) =>
  isBinary(e, kind) && b.isInt(e.b, from) ? { ...e, b: b.int(to) } : undefined;
/** Drops the condition just around a store to this buffer. */
const unguarded = (name: string) => (s: Stmt) => (s.kind === "If" && storesTo(s.body, name) ? s.body : undefined);
/** Another buffer in the place of one, everywhere. */
const withBuffer = (c: Case, name: string, change: Partial<Buffer>): Case => {
  const made = new Map<Buffer, Buffer>();
  const changed = (old: Buffer): Buffer => {
    const known = made.get(old) ?? { ...old, ...change };
    made.set(old, known);
    return known;
  };
  const replace = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(replace);
    if (typeof node !== "object" || node === null) return node;
    if ("scope" in node && "name" in node && node.name === name) return changed(node as Buffer);
    if (!("kind" in node) || node.kind === "Var") return node;
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replace(value)]));
  };
  return { ...c, funcs: c.funcs.map((f) => ({ ...f, body: replace(f.body) as Stmt })) };
};

describe("correct programs agree with their graphs", () => {
  it.each(Object.entries({ gpu, nest, cpu, chain, rows }))("%s", (_, c) => {
    expect(verdict(c)).toBe("agrees");
  });
  it("and have what the faults need: barriers, guards, vectors, several kernels", () => {
    const kinds = (c: Case): Set<string> => {
      const found = new Set<string>();
      for (const f of c.funcs) walkStmt(f.body, (s) => void found.add(s.kind === "For" ? s.forKind : s.kind));
      return found;
    };
    expect([...kinds(gpu)]).toEqual(expect.arrayContaining(["Barrier", "If", "Allocate", "bound"]));
    expect([...kinds(cpu)]).toEqual(expect.arrayContaining(["parallel", "If"]));
    expect(chain.funcs).toHaveLength(3);
  });
});

const faults: [string, string | readonly string[], () => Case][] = [
  ["a copy without its predicate", "interp.bounds", () => spoil(nest, { stmt: unguarded("pad_temp.shared") })],
  [
    "a copied run not moved back to end where the whole does",
    "interp.bounds",
    () => spoil(gpu, { expr: (e) => (isBinary(e, "Min") ? e.a : undefined), nth: "all" }),
  ],
  [
    "a copied run moved back too far",
    "interp.uninitialised",
    () => spoil(gpu, { expr: (e) => (isBinary(e, "Min") ? { ...e, b: b.sub(e.b, b.int(1)) } : undefined), nth: "all" }),
  ],
  [
    "an output store without its predicate",
    ["interp.bounds", "interp.uninitialised"],
    () => spoil(gpu, { stmt: unguarded("conv") }),
  ],
  ["a copy's predicate one too narrow", "interp.uninitialised", () => spoil(nest, { expr: constant("LT", 35, 34) })],
  ["the first barrier missing", "interp.race", () => spoil(gpu, { stmt: (s) => (s.kind === "Barrier" ? nothing : undefined) })],
  [
    "the second barrier missing",
    ["interp.race", "interp.uninitialised"],
    () => spoil(gpu, { stmt: (s) => (s.kind === "Barrier" ? nothing : undefined), nth: 1 }),
  ],
  [
    "a barrier moved behind the loop that needs it",
    ["interp.race", "interp.uninitialised"],
    () =>
      spoil(gpu, {
        stmt: (s) => {
          const at = s.kind === "Seq" ? s.stmts.findLastIndex((x) => x.kind === "Barrier") : -1;
          if (s.kind !== "Seq" || at < 0) return undefined;
          return {
            ...s,
            stmts: [...s.stmts.slice(0, at), ...s.stmts.slice(at + 1, at + 2), b.barrier, ...s.stmts.slice(at + 2)],
          };
        },
      }),
  ],
  [
    "a barrier that not all threads reach",
    "interp.divergence",
    () => {
      let row: Expr = b.int(0);
      walkStmt(gpu.funcs[0]?.body as Stmt, (s) => {
        if (s.kind === "For" && s.thread === "threadIdx.y") row = s.loopVar;
      });
      return spoil(gpu, { stmt: (s) => (s.kind === "Barrier" ? { kind: "If", cond: b.lt(row, b.int(2)), body: s } : undefined) });
    },
  ],
  ["the padding clipped one too far at the end", ["differs", "interp.bounds"], () => spoil(gpu, { expr: constant("LT", 6, 7) })],
  [
    "the padding clipped one too far at the beginning",
    ["differs", "interp.bounds"],
    () => spoil(gpu, { expr: constant("GE", 1, 0) }),
  ],
  [
    "a reduction loop one too short",
    "differs",
    () => spoil(gpu, { stmt: (s) => (isLoop(s, "ry.1") ? { ...s, extent: 2 } : undefined) }),
  ],
  [
    "a reduction loop one too long",
    ["differs", "interp.bounds", "interp.uninitialised"],
    () => spoil(gpu, { stmt: (s) => (isLoop(s, "ry.1") ? { ...s, extent: 4 } : undefined) }),
  ],
  [
    "a copy loop one too short",
    "interp.uninitialised",
    () =>
      spoil(gpu, {
        stmt: (s) => (s.kind === "For" && s.extent === 12 && holds(s, "kernel.shared") ? { ...s, extent: 11 } : undefined),
      }),
  ],
  [
    "a wrong stride of a flat index",
    ["differs", "interp.bounds", "interp.uninitialised"],
    () => spoil(gpu, { expr: constant("Mul", 35, 36), nth: 1 }),
  ],
  ["swapped split factors", "unwritten", () => spoil(nest, { expr: constant("Mul", 4, 2), nth: "all" })],
  [
    "an initial value dropped",
    "interp.uninitialised",
    () => spoil(gpu, { stmt: (s) => (storesTo(s, "conv.local") && s.value.kind === "FloatImm" ? nothing : undefined) }),
  ],
  [
    "the initial value set again in every step of the reduction",
    "differs",
    () => {
      let init: Stmt = nothing;
      walkStmt(gpu.funcs[0]?.body as Stmt, (s) => {
        if (isLoop(s, "x.c.init")) init = s;
      });
      return spoil(gpu, { stmt: (s) => (isLoop(s, "rc.0") ? { ...s, body: b.seq([init, s.body]) } : undefined) });
    },
  ],
  [
    "two virtual threads in one accumulator",
    "differs",
    () =>
      spoil(gpu, {
        expr: (e) => (isBinary(e, "Add") && b.isInt(e.b, 5) && e.a.kind === "Var" && e.a.name.startsWith("x") ? e.a : undefined),
        nth: "all",
      }),
  ],
  [
    "products in the narrow type",
    "differs",
    () =>
      spoil(cpu, {
        expr: (e) =>
          isBinary(e, "Mul") && e.a.kind === "Cast" && e.b.kind === "Cast"
            ? { kind: "Cast", dtype: "int32", value: { kind: "Mul", dtype: "int8", a: e.a.value, b: e.b.value } }
            : undefined,
      }),
  ],
  [
    "one thread axis taken for another",
    ["differs", "interp.bounds"],
    () => {
      const axes = new Map<string, Expr>();
      walkStmt(gpu.funcs[0]?.body as Stmt, (s) => {
        if (s.kind === "For" && s.thread) axes.set(s.thread, s.loopVar);
      });
      return spoil(gpu, { expr: (e) => (e === axes.get("threadIdx.z") ? axes.get("threadIdx.y") : undefined), nth: 4 });
    },
  ],
  ["shared memory that is each thread's own", "interp.uninitialised", () => withBuffer(gpu, "kernel.shared", { scope: "local" })],
  ["shared memory one element short", "interp.bounds", () => withBuffer(gpu, "pad_temp.shared", { shape: [69] })],
  ["one accumulator for all threads", "interp.race", () => withBuffer(gpu, "conv.local", { scope: "shared" })],
  [
    "a result stored before it is computed",
    "interp.uninitialised",
    () =>
      spoil(gpu, {
        stmt: (s) =>
          s.kind === "Seq" && s.stmts.some((x) => holds(x, "conv")) ? { ...s, stmts: s.stmts.toReversed() } : undefined,
      }),
  ],
  [
    "a copy made in the first step only",
    "differs",
    () => {
      let step: Expr = b.int(0);
      walkStmt(gpu.funcs[0]?.body as Stmt, (s) => {
        if (isLoop(s, "rc.0")) step = s.loopVar;
      });
      return spoil(gpu, {
        stmt: (s) => (storesTo(s, "kernel.shared") ? { kind: "If", cond: b.eq(step, b.int(0)), body: s } : undefined),
      });
    },
  ],
  [
    "the sides of a select exchanged",
    ["differs", "interp.bounds"],
    () => spoil(gpu, { expr: (e) => (e.kind === "Select" ? { ...e, whenTrue: e.whenFalse, whenFalse: e.whenTrue } : undefined) }),
  ],
  [
    "a block too few",
    "unwritten",
    () => spoil(gpu, { stmt: (s) => (s.kind === "For" && s.thread === "blockIdx.z" ? { ...s, extent: 1 } : undefined) }),
  ],
  [
    "a block too many",
    "interp.uninitialised",
    () => spoil(gpu, { stmt: (s) => (s.kind === "For" && s.thread === "blockIdx.z" ? { ...s, extent: 3 } : undefined) }),
  ],
  [
    "a predicate of a tail dropped on the CPU",
    "interp.bounds",
    () => spoil(cpu, { stmt: (s) => (s.kind === "If" && holds(s, "C") ? s.body : undefined), nth: "all" }),
  ],
  [
    "a reduction run in parallel",
    "interp.block_race",
    () =>
      spoil(
        spoil(cpu, { stmt: (s) => (s.kind === "For" && s.forKind === "parallel" ? { ...s, forKind: "serial" } : undefined) }),
        { stmt: (s) => (isLoop(s, "k") ? { ...s, forKind: "parallel" } : undefined) },
      ),
  ],
  [
    "the operands of a difference exchanged",
    "differs",
    () => spoil(chain, { expr: (e) => (isBinary(e, "Sub") ? { ...e, a: e.b, b: e.a } : undefined) }, 1),
  ],
  [
    "a maximum that starts at zero",
    "differs",
    () => spoil(chain, { expr: (e) => (e.kind === "FloatImm" && e.value === -Infinity ? { ...e, value: 0 } : undefined) }),
  ],
  [
    "a minimum for a maximum",
    "differs",
    () => spoil(chain, { expr: (e) => (isBinary(e, "Max") ? { ...e, kind: "Min" } : undefined) }),
  ],
  [
    "kernels launched in another order",
    "interp.uninitialised",
    () => ({ ...chain, funcs: [1, 0, 2].map((i) => chain.funcs[i] as PrimFunc) }),
  ],
  [
    "a vector one element too far",
    ["interp.alignment", "interp.bounds"],
    () => spoil(chain, { expr: (e) => (e.kind === "Ramp" ? { ...e, base: b.add(e.base, b.int(1)) } : undefined) }, 1),
  ],
  [
    "a vector that takes every second element",
    ["differs", "interp.bounds", "interp.race"],
    () => spoil(chain, { expr: (e) => (e.kind === "Ramp" ? { ...e, stride: 2 } : undefined), nth: 1 }, 1),
  ],
  [
    "a load from another buffer",
    "differs",
    () => {
      let other: Buffer | undefined;
      walkStmt(gpu.funcs[0]?.body as Stmt, (s) => {
        if (s.kind === "Allocate" && s.buffer.name === "pad_temp.shared.local") other = s.buffer;
      });
      return spoil(gpu, { expr: (e) => (isLoad(e, "kernel.shared.local") ? { ...e, buffer: other ?? e.buffer } : undefined) });
    },
  ],
];

faults.push(
  [
    "threads that do not put their parts together",
    "differs",
    () => spoil(rows, { stmt: (s) => (s.kind === "Fold" ? nothing : undefined) }),
  ],
  [
    "half of a warp put together",
    "differs",
    () => spoil(rows, { stmt: (s) => (s.kind === "Fold" && s.lanes === 32 ? { ...s, lanes: 16 } : undefined) }),
  ],
  [
    "lanes that are in no warp of the block",
    "interp.lane",
    () => spoil(rows, { stmt: (s) => (s.kind === "Fold" ? { ...s, lanes: 256 } : undefined) }),
  ],
  [
    "parts put together by some threads",
    "interp.divergence",
    () =>
      spoil(rows, {
        stmt: (s) => (s.kind === "Fold" ? { kind: "If", cond: b.lt(threadOf(rows), b.int(40)), body: s } : undefined),
      }),
  ],
  [
    "a thread whose part has no start",
    "interp.uninitialised",
    () =>
      spoil(rows, {
        stmt: (s) =>
          storesTo(s, "s.part") && s.value.kind === "FloatImm"
            ? { kind: "If", cond: b.lt(threadOf(rows), b.int(63)), body: s }
            : undefined,
      }),
  ],
  [
    "a warp's value in another's place",
    ["interp.uninitialised", "interp.race"],
    () => spoil(rows, { expr: constant("FloorDiv", 32, 64) }),
  ],
  [
    "no barrier before the warps' values are read",
    ["interp.uninitialised", "interp.race"],
    () => spoil(rows, { stmt: (s) => (s.kind === "Barrier" ? nothing : undefined) }),
  ],
);

faults.push([
  "warps that meet without each other where one reads what another wrote",
  "interp.race",
  () => spoil(rows, { stmt: (s) => (s.kind === "Barrier" ? b.barrierOf("warp") : undefined) }),
]);

describe("every planted fault is caught", () => {
  it.each(faults)("%s", (_, caught, make) => {
    const found = verdict(make());
    expect(typeof caught === "string" ? [caught] : caught).toContain(found);
  });
});
