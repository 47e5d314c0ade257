import { describe, expect, it } from "vitest";
import { at, bound, buffer, func, lin, loop, n, set, v } from "../lower/ir.testing.ts";
import * as b from "./build.ts";
import { exprEqual, funcEqual, stmtEqual } from "./equal.ts";
import type { Expr } from "./expr.ts";
import { printExpr, printFunc, printStmt } from "./print.ts";
import type { Stmt } from "./stmt.ts";

const A = buffer("A", [8, 8]);
const [x, y, z] = [v("x"), v("y"), v("z")] as const;

describe("printExpr", () => {
  it.each<[string, Expr]>([
    ["x - (y - z)", b.sub(x, b.sub(y, z))],
    ["x - y - z", b.sub(b.sub(x, y), z)],
    ["(x + y) * z", b.mul(b.add(x, y), z)],
    ["x // (y * z) % 4", b.floorModulo(b.floorDiv(x, b.mul(y, z)), n(4))],
    ["x < 3 and (y == z or not (x >= y))", b.and(b.lt(x, n(3)), b.or(b.eq(y, z), b.not(b.ge(x, y))))],
    ["select(x < 3, A[x, y], 0.0)", b.select(b.lt(x, n(3)), at(A, x, y), b.float(0))],
    ["min(x, max(y, 2))", b.min(x, b.max(y, n(2)))],
    ["exp(float64(x))", b.call("exp", b.cast("float64", x))],
    ["ramp(x * 4, 1, 4)", b.ramp(lin(x, 4), 1, 4)],
    ["int8(3) + int8(x)", b.add(b.int(3, "int8"), b.cast("int8", x))],
    ["-0.0", b.float(-0)],
  ])("%s", (text, e) => {
    expect(printExpr(e)).toBe(text);
  });
});

it("prints a function with everything in it, telling apart variables of one name", () => {
  const aligned = { ...buffer("S", [8, 8], "shared"), strides: [12, 1] };
  const inner = v("x");
  const body = b.stage(
    "A",
    bound(
      x,
      8,
      "blockIdx.x",
      b.allocate(aligned, b.seq([b.barrier, loop(inner, 8, b.ifThen(b.lt(inner, x), set(aligned, inner, x, at(A, x, inner))))])),
    ),
  );
  expect(
    printFunc(func("scheduled", [A], b.seq([body, b.forLoop(y, 4, set(A, y, y, b.float(0.5)), "parallel")]))),
  ).toMatchInlineSnapshot(`
    "func f(A: float32[8, 8]) scheduled
      stage A:
        for x in 8 bind blockIdx.x:
          alloc S: float32[8, 8] strides [12, 1] shared
          barrier
          for x'1 in 8:
            if x'1 < x:
              S[x'1, x] = A[x, x'1]
      for y in 4 parallel:
        A[y, y] = 0.5
    "
  `);
});

it("prints what is said of a nest, one line for each remark", () => {
  const body = set(A, n(0), n(0), b.float(1));
  const copied = b.stage("S", body, { ahead: { by: "pipeline", arrays: 3 }, engine: "tma" });
  const unmatched: Stmt = { kind: "Unmatched", primitive: "copyBy", why: "it computes x", body };
  const asked = { minBlocks: 2, dependent: true, roles: { registers: [24, 240] } } as const;
  expect(
    printStmt(b.kernelNest(asked, b.seq([copied, b.pragma({ tensor_core: 1, unroll_explicit: 0 }, unmatched)]))),
  ).toMatchInlineSnapshot(`
      "kernel, at least 2 blocks a multiprocessor, started before the one before it ends, two roles of 24 and 240 registers:
        stage S, 3 arrays by pipeline, copied by tma:
          A[0, 0] = 1.0
        pragma unroll_explicit 0, tensor_core 1:
          not by copyBy, it computes x:
            A[0, 0] = 1.0"
    `);
  expect(
    printStmt(b.kernelNest({ roles: {} }, b.stage("S", body, { ahead: { by: "double_buffer", arrays: 2 } }))),
  ).toMatchInlineSnapshot(`
      "kernel, two roles:
        stage S, 2 arrays by double_buffer:
          A[0, 0] = 1.0"
    `);
});

it("leaves out remarks that say nothing", () => {
  const body = set(A, n(0), n(0), b.float(1));
  expect([b.kernelNest({}, body), b.pragma({}, body)]).toEqual([body, body]);
});

describe("equality", () => {
  it("sees what is asked of a kernel, of a copy and of loops", () => {
    const body = set(A, n(0), n(0), b.float(1));
    const said = (blocks: number, registers: number, arrays: number, step: number) =>
      b.kernelNest(
        { minBlocks: blocks, roles: { registers: [24, registers] } },
        b.stage("S", b.pragma({ auto_unroll_max_step: step }, body), { ahead: { by: "pipeline", arrays } }),
      );
    expect(stmtEqual(said(1, 240, 2, 8), said(1, 240, 2, 8))).toBe(true);
    for (const other of [said(2, 240, 2, 8), said(1, 232, 2, 8), said(1, 240, 3, 8), said(1, 240, 2, 9)])
      expect(stmtEqual(said(1, 240, 2, 8), other)).toBe(false);
  });
  const nest = (i: ReturnType<typeof v>, of = buffer("L", [8], "local"), extent = 8): Stmt =>
    loop(i, extent, b.allocate(of, b.seq([set(of, i, at(A, i, n(0))), set(A, i, n(1), at(of, i))])));
  it("renames loop variables and allocated buffers", () => {
    expect(stmtEqual(nest(v("i")), nest(v("other"), buffer("M", [8], "local")))).toBe(true);
  });
  it("sees other extents, scopes, shapes, arguments and values", () => {
    const one = nest(v("i"));
    expect(stmtEqual(one, nest(v("i"), undefined, 7))).toBe(false);
    expect(stmtEqual(one, nest(v("i"), buffer("L", [8], "shared")))).toBe(false);
    expect(stmtEqual(one, nest(v("i"), buffer("L", [9], "local")))).toBe(false);
    expect(exprEqual(at(A, n(0), n(0)), at(buffer("A", [8, 8]), n(0), n(0)))).toBe(false);
    expect(exprEqual(b.float(0), b.float(-0))).toBe(false);
    expect(exprEqual(b.float(Number.NaN), b.float(Number.NaN))).toBe(true);
  });
  it("renames one to one: two variables never become one", () => {
    const [p, q, r] = [v("p"), v("q"), v("r")] as const;
    const both = (i: typeof p, j: typeof p, e: Expr) => loop(i, 8, loop(j, 8, set(A, i, j, b.cast("float32", e))));
    expect(stmtEqual(both(p, q, b.add(p, q)), both(r, x, b.add(r, x)))).toBe(true);
    expect(stmtEqual(both(p, q, b.add(p, q)), both(r, x, b.add(r, r)))).toBe(false);
    expect(stmtEqual(both(p, q, b.add(p, z)), both(r, x, b.add(r, y)))).toBe(false);
  });
  it("sees every part of a statement of a machine, and the buffers it names", () => {
    const [S, T] = [buffer("S", [64], "shared"), buffer("T", [64], "shared")];
    const channel = (slots: number, of = S) => ({ name: "ring", slots, buffers: [of] });
    const waits = (turn: number, slots = 2, of = S): Stmt => ({ kind: "Await", channel: channel(slots, of), turn: n(turn) });
    const box = (x0: number, extent = 4): Stmt => ({
      kind: "BulkCopy",
      direction: "in",
      tensor: { buffer: A, dims: [8, 8], strides: [8, 1], box: [extent, 8] },
      origin: [n(x0), n(0)],
      shared: S,
      indices: [n(0)],
    });
    expect(stmtEqual(waits(1), waits(1))).toBe(true);
    expect(stmtEqual(box(1), box(1))).toBe(true);
    for (const other of [waits(2), waits(1, 3), waits(1, 2, T), { ...waits(1), kind: "Release" } as Stmt, b.wait(1)])
      expect(stmtEqual(waits(1), other)).toBe(false);
    for (const other of [box(2), box(1, 8), { ...box(1), direction: "out" } as Stmt])
      expect(stmtEqual(box(1), other)).toBe(false);
    // Arrays that a body allocates are renamed in them too.
    const inside = (of: typeof S): Stmt => b.allocate(of, waits(1, 2, of));
    expect(stmtEqual(inside(S), inside(T))).toBe(true);
    expect(stmtEqual(b.barrier, b.barrierOf("warp"))).toBe(false);
    expect(stmtEqual(b.wait(0), b.wait(1))).toBe(false);
  });
  it("compares functions by their arguments' names and layouts", () => {
    const same = (name: string) => {
      const of = buffer(name, [4]);
      return func("lowered", [of], loop(v("i"), 4, set(of, n(0), b.float(1))));
    };
    expect(funcEqual(same("P"), same("P"))).toBe(true);
    expect(funcEqual(same("P"), same("Q"))).toBe(false);
  });
});
