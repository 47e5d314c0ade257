import { describe, expect, it } from "vitest";
import { at, bound, buffer, func, lin, loop, n, set, v } from "../lower/ir.testing.ts";
import * as b from "./build.ts";
import { exprEqual } from "./equal.ts";
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

it("expressions are equal by their parts, their buffers and the bits of their floats", () => {
  const sum = (i: Expr, j: Expr) => b.add(at(A, i, j), at(A, j, i));
  expect(exprEqual(sum(y, n(0)), sum(y, n(0)))).toBe(true);
  for (const other of [sum(z, n(0)), sum(y, n(1)), b.sub(at(A, y, n(0)), at(A, n(0), y))])
    expect(exprEqual(sum(y, n(0)), other)).toBe(false);
  expect(exprEqual(at(A, n(0), n(0)), at(buffer("A", [8, 8]), n(0), n(0)))).toBe(false);
  expect(exprEqual(b.ramp(x, 1, 4), b.ramp(x, 2, 4))).toBe(false);
  expect(exprEqual(b.call("exp", b.float(1)), b.call("log", b.float(1)))).toBe(false);
  expect(exprEqual(b.int(3), b.int(3, "int8"))).toBe(false);
  expect(exprEqual(b.float(0), b.float(-0))).toBe(false);
  expect(exprEqual(b.float(Number.NaN), b.float(Number.NaN))).toBe(true);
});
