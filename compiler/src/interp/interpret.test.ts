import type { DType } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import type { Buffer } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import type { PrimFunc } from "../ir/prim-func.ts";
import { buffer, func } from "../lower/ir.testing.ts";
import { compute, placeholder, reduceAxis, sum } from "../te/compute.ts";
import { graphOf } from "../te/graph-of.ts";
import { interpretDirectly } from "./direct/index.ts";
import { evaluate } from "./evaluate.ts";
import { floats, loop, range, thread } from "./interpret.testing.ts";
import { interpret } from "./interpret.ts";

/** One value of an expression, by both interpreters, which share no expression code, and by evaluate. */
function valuesOf(e: Expr): readonly [number, number, number] {
  const out = buffer("out", [1], "global", e.dtype);
  const store = func("lowered", [out], b.store(out, [b.int(0)], e));
  const [generated, direct] = [interpret, interpretDirectly].map((run) => run([store], new Map()).data.get("out")?.[0] as number);
  const probe = placeholder("probe", [1]);
  const graph = graphOf([probe], [compute("c", [["i", 1]], () => e)]);
  return [generated as number, direct as number, evaluate(graph, new Map([["probe", floats(0)]])).get("c")?.[0] as number];
}

it("floats are rounded after each operation, or kept in float64", () => {
  const A = placeholder("A", [2], "float32");
  const element = (i: Var) => b.mul(b.add(b.load(A, [i]), b.float(0.1)), b.cast("float32", b.cast("float16", b.load(A, [i]))));
  const k = reduceAxis("k", 2);
  const graph = graphOf(
    [A],
    [compute("all", [["i", 2]], element), compute("one", [["i", 1]], () => sum(element(k.loopVar), [k]))],
  );
  const [x, y] = [2049, 2 ** 24 + 2];
  const given = new Map([["A", Float32Array.of(x, y)]]);
  const exact = evaluate(graph, given, { accumulate: "float64" });
  expect([...(exact.get("all") ?? [])]).toEqual([(x + 0.1) * x, (y + 0.1) * y]);
  expect([...(exact.get("one") ?? [])]).toEqual([(x + 0.1) * x + (y + 0.1) * y]);
  const rounded = evaluate(graph, given).get("all") ?? [];
  expect([...rounded]).toEqual([Math.fround(Math.fround(x + Math.fround(0.1)) * 2048), Number.POSITIVE_INFINITY]);
});

describe("arithmetic", () => {
  const f = (x: number, dtype: DType = "float32") => b.float(x, dtype);
  const i8 = (x: number) => b.int(x, "int8");
  // Opaque to constant folding.
  const i = (x: number): Expr => b.cast("int32", f(x, "float64"));
  it.each<[string, Expr, number]>([
    ["float32 rounds the sum", b.add(f(2 ** 24), f(1)), 2 ** 24],
    ["float32 rounds immediates", b.mul(f(0.1), f(1)), Math.fround(0.1)],
    ["float64 does not", b.mul(f(0.1, "float64"), f(3, "float64")), 0.1 * 3],
    ["float16 rounds", b.add(f(2048, "float16"), f(1, "float16")), 2048],
    ["float16 overflows", b.mul(f(60000, "float16"), f(2, "float16")), Infinity],
    ["bfloat16 rounds", b.add(f(256, "bfloat16"), f(1, "bfloat16")), 256],
    ["division rounds", b.div(f(1), f(3)), Math.fround(1 / 3)],
    ["int8 wraps", b.add(i8(127), i8(1)), -128],
    ["int8 products wrap", b.mul(i8(-128), i8(-1)), -128],
    ["uint8 wraps", b.sub(b.int(0, "uint8"), b.int(1, "uint8")), 255],
    ["int32 wraps", b.add(i(2 ** 31 - 1), i(1)), -(2 ** 31)],
    ["int32 products wrap exactly", b.mul(i(123456789), i(987654321)), Math.imul(123456789, 987654321)],
    ["floorDiv rounds down", b.floorDiv(i(-7), i(2)), -4],
    ["floorMod is not negative", b.floorModulo(i(-7), i(4)), 1],
    ["min and max", b.min(i(3), b.max(i(-5), i(2))), 2],
    ["float to int truncates", b.cast("int32", f(-2.7)), -2],
    ["int to float rounds", b.cast("float32", i(2 ** 24 + 1)), 2 ** 24],
    ["a condition is 1 or 0", b.cast("float32", b.lt(i(1), i(2))), 1],
    ["and, or, not", b.cast("int32", b.or(b.and(b.lt(i(1), i(2)), b.not(b.eq(i(1), i(1)))), b.ge(i(2), i(2)))), 1],
    ["equal conditions are equal", b.cast("int32", b.eq(b.lt(i(1), i(2)), b.gt(i(3), i(2)))), 1],
    ["exp rounds", b.call("exp", f(1)), Math.fround(Math.E)],
    ["abs of int8", b.call("abs", i8(-128)), -128],
    ["select takes one side only", b.select(b.lt(i(1), i(2)), i(7), b.floorDiv(i(1), i(0))), 7],
    ["minus infinity", b.max(f(-Infinity), f(-3)), -3],
  ])("%s", (_, e, value) => {
    expect(valuesOf(e)).toEqual([value, value, value]);
  });
  it("refuses to divide an integer by zero", () => {
    expect(() => valuesOf(b.floorDiv(i(1), i(0)))).toThrow(/interp.division_by_zero/);
  });
});

describe("loops in place, vectors, strides", () => {
  const input = buffer("input", [2, 8]);
  const output = buffer("output", [2, 8]);
  const given = () => new Map([["input", range(16)]]);

  it("runs bound loops of the scheduled dialect one after another, allocations fresh", () => {
    const tile = buffer("tile", [4], "shared");
    const body = thread("blockIdx.x", 2, (block) =>
      thread("threadIdx.x", 2, (t) =>
        b.allocate(
          tile,
          b.seq([
            thread("threadIdx.x", 4, (c) => b.store(tile, [c], b.load(input, [block, b.add(b.mul(t, b.int(4)), c)]))),
            loop(4, (i) => b.store(output, [block, b.add(b.mul(t, b.int(4)), i)], b.load(tile, [b.sub(b.int(3), i)]))),
          ]),
        ),
      ),
    );
    const run = interpret([func("scheduled", [input, output], body)], given());
    expect([...(run.data.get("output") ?? [])]).toEqual([3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]);
  });

  it("loads all lanes of a vector before it stores one", () => {
    const a = buffer("a", [8]);
    const f = func(
      "lowered",
      [a],
      b.store(a, [b.ramp(b.int(1), 1, 4)], b.add(b.load(a, [b.ramp(b.int(0), 2, 4)]), b.broadcast(b.float(10), 4))),
    );
    expect([...(interpret([f], new Map([["a", range(8)]])).data.get("a") ?? [])]).toEqual([0, 10, 12, 14, 16, 5, 6, 7]);
  });

  it("refuses a GPU's vector access that is not aligned to its size, on the chosen side only", () => {
    const [a, c] = [buffer("a", [12]), buffer("c", [8])];
    const copy = (offset: number, cond: (t: Expr) => Expr): PrimFunc => {
      const at = (t: Expr, by: number) => b.ramp(b.add(b.mul(t, b.int(4)), b.int(by)), 1, 4);
      const store = (t: Expr) =>
        b.store(c, [at(t, 0)], b.select(cond(t), b.load(a, [at(t, offset)]), b.broadcast(b.float(0), 4)));
      return func("device", [a, c], thread("threadIdx.x", 2, store));
    };
    const run = (f: PrimFunc) => interpret([f], new Map([["a", range(12)]])).data.get("c");
    expect([...(run(copy(4, (t) => b.ge(t, b.int(0)))) ?? [])]).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
    expect(() => run(copy(2, (t) => b.ge(t, b.int(1))))).toThrow(/thread 1: 4 lanes at "a"\[6\].*interp.alignment/);
    expect([...(run(copy(2, (t) => b.ge(t, b.int(5)))) ?? [])]).toEqual(Array(8).fill(0));
  });

  it("walks padded rows by their strides and checks each dimension", () => {
    const tile: Buffer = { ...buffer("tile", [2, 8], "local"), strides: [9, 1] };
    const copy = (column: (j: Var) => Expr): PrimFunc =>
      func(
        "lowered",
        [input, output],
        b.allocate(
          tile,
          loop(2, (i) =>
            loop(8, (j) =>
              b.seq([b.store(tile, [i, column(j)], b.load(input, [i, j])), b.store(output, [i, j], b.load(tile, [i, j]))]),
            ),
          ),
        ),
      );
    expect(interpret([copy((j) => j)], given()).data.get("output")).toEqual(range(16));
    expect(() => interpret([copy((j) => b.add(j, b.int(1)))], given())).toThrow(/interp.uninitialised/);
    expect(() => interpret([func("lowered", [output], b.store(output, [b.int(0), b.int(8)], b.float(0)))], new Map())).toThrow(
      /"output"\[0, 8\] outside its shape \[2, 8\]/,
    );
  });
});
