import { assertNever } from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import * as b from "../ir/build.ts";
import { exprEqual } from "../ir/equal.ts";
import { type Binary, compareKinds, type Expr, type Var } from "../ir/expr.ts";
import { Analyzer } from "./analyzer.ts";
import { everything, times } from "./interval.ts";
import { zero } from "./linear.ts";
import { bounds, modular, type Ranges, simplify } from "./simplify.ts";

const proveTrue = (cond: Expr, ranges: Ranges): boolean => b.isTrue(simplify(cond, ranges));

/** In npm test one of five. */
const runs = (count: number) => ({ numRuns: isFull ? count : count / 5 });

it("a map of ranges that grew counts with all that is in it", () => {
  const [x, y] = [b.variable("x"), b.variable("y")];
  const ranges = new Map([[x, 4]]);
  const both = b.lt(b.add(x, y), b.int(7));
  expect([proveTrue(b.lt(x, b.int(4)), ranges), proveTrue(both, ranges)]).toEqual([true, false]);
  ranges.set(y, 4);
  expect([proveTrue(both, ranges), bounds(b.add(x, y), ranges)]).toEqual([true, { lo: 0, hi: 6 }]);
});

it("a product with 0 is 0, whatever is known of the other factor", () => {
  expect(times({ lo: 0, hi: 0 }, everything)).toEqual({ lo: 0, hi: 0 });
  expect(times({ lo: 0, hi: 2 }, { lo: 1, hi: Infinity })).toEqual({ lo: 0, hi: Infinity });
});

it("what a table does not have is the index itself, so it is within the bounds", () => {
  const [inside, beyond] = [b.variable("x"), b.variable("y")];
  const analyzer = new Analyzer([
    [inside, 3],
    [beyond, 4],
  ]);
  const table = { name: "t", values: [1, 0, 2] };
  expect(analyzer.boundsOf(analyzer.lookup(table, analyzer.value(inside)))).toEqual({ lo: 0, hi: 2 });
  expect(analyzer.boundsOf(analyzer.lookup(table, analyzer.value(beyond)))).toEqual({ lo: 0, hi: 3 });
});

// An evaluator that shares no code with the simplifier.
function evaluate(e: Expr, env: ReadonlyMap<Var, number>): number {
  const of = (x: Expr) => evaluate(x, env);
  switch (e.kind) {
    case "IntImm":
      return e.value;
    case "Var":
      return env.get(e) as number;
    case "Not":
      return of(e.value) ? 0 : 1;
    case "Select":
      return of(e.cond) ? of(e.whenTrue) : of(e.whenFalse);
    case "FloatImm":
    case "Cast":
    case "Load":
    case "Lookup":
    case "Ramp":
    case "Broadcast":
    case "Call":
      throw new Error(`no ${e.kind} here`);
    default:
      return evaluateBinary(e, of(e.a), of(e.b)) + 0; // -0 is 0
  }
}
function evaluateBinary(e: Binary, x: number, y: number): number {
  switch (e.kind) {
    case "Add":
      return x + y;
    case "Sub":
      return x - y;
    case "Mul":
      return x * y;
    case "FloorDiv":
      return Math.floor(x / y);
    case "FloorMod":
      return ((x % y) + y) % y;
    case "Min":
      return Math.min(x, y);
    case "Max":
      return Math.max(x, y);
    case "EQ":
      return Number(x === y);
    case "NE":
      return Number(x !== y);
    case "LT":
      return Number(x < y);
    case "LE":
      return Number(x <= y);
    case "GT":
      return Number(x > y);
    case "GE":
      return Number(x >= y);
    case "And":
      return x && y;
    case "Or":
      return x || y;
    case "Div":
      throw new Error("no Div here");
    default:
      return assertNever(e.kind);
  }
}

const [x, y, z] = ["x", "y", "z"].map((name) => b.variable(name)) as [Var, Var, Var];
const divisor = fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 8, 12, 14, 24).map((v) => b.int(v));
const { index, condition } = fc.letrec<{ index: Expr; condition: Expr }>((tie) => {
  const i = tie("index");
  const c = tie("condition");
  return {
    index: fc.oneof(
      { maxDepth: 5, depthSize: "medium" },
      fc.oneof(
        fc.constantFrom<Expr>(x, y, z),
        fc.integer({ min: -30, max: 30 }).map((v) => b.int(v)),
      ),
      fc.tuple(i, i).map(([p, q]) => b.add(p, q)),
      fc.tuple(i, i).map(([p, q]) => b.sub(p, q)),
      fc.tuple(i, fc.integer({ min: -9, max: 9 })).map(([p, k]) => b.mul(p, b.int(k))),
      fc.tuple(i, divisor).map(([p, d]) => b.floorDiv(p, d)),
      fc.tuple(i, divisor).map(([p, d]) => b.floorModulo(p, d)),
      fc.tuple(i, i).map(([p, q]) => b.min(p, q)),
      fc.tuple(i, i).map(([p, q]) => b.max(p, q)),
      fc.tuple(c, i, i).map(([k, p, q]) => b.select(k, p, q)),
    ),
    condition: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.tuple(fc.constantFrom(...compareKinds), i, i).map(([kind, p, q]) => b.compare(kind, p, q)),
      fc.tuple(c, c).map(([p, q]) => b.and(p, q)),
      fc.tuple(c, c).map(([p, q]) => b.or(p, q)),
      c.map((p) => b.not(p)),
    ),
  };
});
const extents = fc.tuple(...[x, y, z].map(() => fc.constantFrom(1, 2, 3, 4, 5, 7, 8, 12)));
const rangesOf = (e: readonly number[]) => new Map([x, y, z].map((v, i) => [v, e[i] as number]));
function* points(e: readonly number[]): Generator<Map<Var, number>> {
  const [p = 1, q = 1, r = 1] = e;
  for (let i = 0; i < p; i++)
    for (let j = 0; j < q; j++)
      for (let k = 0; k < r; k++)
        yield new Map([
          [x, i],
          [y, j],
          [z, k],
        ]);
}

describe("simplify, against enumeration", () => {
  const holds = (e: Expr, extent: readonly number[]) => {
    const simple = simplify(e, rangesOf(extent));
    for (const at of points(extent))
      if (evaluate(simple, at) !== evaluate(e, at))
        throw new Error(`${evaluate(simple, at)}, not ${evaluate(e, at)}, at ${[...at.values()]}`);
    const again = simplify(simple, rangesOf(extent));
    if (!exprEqual(again, simple)) throw new Error("not idempotent");
    if (again !== simple) throw new Error("unchanged, but another object");
  };
  it("keeps the value of sums, divisions and selects; is idempotent; returns the same object when unchanged", () => {
    fc.assert(fc.property(index, extents, holds), runs(3000));
  });
  it("keeps the value of conditions", () => {
    fc.assert(fc.property(condition, extents, holds), runs(2000));
  });
  it("bounds contain every value, residues are right", () => {
    const contains = (e: Expr, extent: readonly number[]) => {
      const ranges = rangesOf(extent);
      const { lo, hi } = bounds(e, ranges);
      const { modulus, residue } = modular(e, ranges);
      for (const at of points(extent)) {
        const value = evaluate(e, at);
        if (value < lo || value > hi) throw new Error(`${value} is not in [${lo}, ${hi}]`);
        const found = modulus === 0 ? value : ((value % modulus) + modulus) % modulus;
        if (found !== residue) throw new Error(`${value} mod ${modulus} is ${found}, not ${residue}`);
      }
    };
    fc.assert(fc.property(index, extents, contains), runs(1500));
  });
});

describe("simplify, forms", () => {
  const [i, j, k, u] = ["i", "j", "k", "u"].map((name) => b.variable(name)) as [Var, Var, Var, Var];
  const ranges = new Map([
    [i, 196],
    [j, 8],
    [k, 4],
  ]);
  const n = (v: number) => b.int(v);
  const div = (e: Expr, d: number) => b.floorDiv(e, n(d));
  const mod = (e: Expr, d: number) => b.floorModulo(e, n(d));
  const lin = (...terms: readonly (readonly [Expr, number])[]) => terms.map(([e, c]) => b.mul(e, n(c))).reduce(b.add);

  const table: readonly (readonly [string, Expr, Expr])[] = [
    ["terms in order of declaration", b.add(b.add(k, n(3)), b.add(j, i)), b.add(b.add(b.add(i, j), k), n(3))],
    ["opaque terms cancel", b.sub(b.add(b.mul(div(i, 14), n(9)), j), b.mul(div(i, 14), n(9))), j],
    ["quotient and remainder join", b.add(b.mul(div(i, 14), n(14)), mod(i, 14)), i],
    ["three digits join", lin([div(i, 21), 21], [mod(div(i, 7), 3), 7], [mod(i, 7), 1]), i],
    ["fine part is dropped", div(lin([i, 8], [j, 1]), 8), i],
    ["fine part below a coarse divisor", div(lin([i, 8], [j, 1]), 24), div(i, 3)],
    ["remainder keeps the fine part", mod(lin([i, 8], [j, 1]), 24), b.add(b.mul(mod(i, 3), n(8)), j)],
    ["division of a division", div(div(u, 3), 5), div(u, 15)],
    ["division in range", div(j, 8), n(0)],
    ["remainder in range", mod(j, 8), j],
    ["negative values round down", div(b.sub(j, n(8)), 8), n(-1)],
    ["min decided by ranges", b.min(j, b.add(j, k)), j],
    ["comparison decided", b.lt(j, n(8)), b.bool(true)],
    ["comparison of multiples", b.lt(lin([i, 6], [k, 1]), n(324)), b.lt(i, n(54))],
    ["comparison of a quotient", b.lt(div(i, 14), n(3)), b.lt(i, n(42))],
    ["lower bound", b.le(n(1), i), b.ge(i, n(1))],
    ["select on a decided condition", b.select(b.ge(j, n(0)), i, k), i],
    ["negation of a comparison", b.not(b.lt(i, n(4))), b.ge(i, n(4))],
    ["parity never equal", b.eq(b.mul(i, n(2)), n(5)), b.bool(false)],
  ];
  it.each(table)("%s", (_, before, after) => {
    expect(simplify(before, ranges)).toEqual(after);
  });
  it("proves what ranges imply, and nothing else", () => {
    expect(proveTrue(b.lt(lin([j, 4], [k, 1]), n(32)), ranges)).toBe(true);
    expect(proveTrue(b.lt(lin([j, 4], [k, 1]), n(31)), ranges)).toBe(false);
    expect(proveTrue(b.ge(u, n(0)), ranges)).toBe(false);
  });
  it("knows alignment", () => {
    expect(modular(lin([i, 64], [j, 8], [u, 4]), ranges)).toEqual({ modulus: 4, residue: 0 });
    expect(modular(b.add(lin([i, 64], [j, 8]), n(3)), ranges)).toEqual({ modulus: 8, residue: 3 });
  });
});

const lin16 = (x: Expr, y: Expr, z: Expr): Expr => b.add(b.add(b.mul(x, b.int(16)), b.mul(y, b.int(8))), z);

describe("the digits of a fused loop's value", () => {
  // A loop over 3 images of `height` x `width` pixels, as fuse decomposes it; its value comes in blocks.
  it.each([
    [56, 56],
    [28, 12],
    [7, 7],
    [9, 20],
  ])("that comes in blocks join again: %i x %i", (height, width) => {
    const [blocks, halves] = [b.variable("blocks"), b.variable("halves")];
    const lanes = b.variable("lanes");
    const analyzer = new Analyzer([
      [blocks, Math.floor((3 * height * width) / 16)],
      [halves, 2],
      [lanes, 8],
    ]);
    const value = analyzer.linear(lin16(blocks, halves, lanes));
    const pixels = height * width;
    const digits = [
      [analyzer.split(value, pixels, Infinity), pixels],
      [analyzer.split(value, width, pixels), width],
      [analyzer.split(value, 1, width), 1],
    ] as const;
    const joined = digits.reduce((sum, [digit, stride]) => analyzer.sum(sum, digit, stride), zero);
    expect(analyzer.expr(joined)).toEqual(analyzer.expr(value));
    for (const [x, y, z] of [
      [0, 0, 0],
      [5, 1, 7],
      [11, 0, 3],
      [19, 1, 1],
    ] as const) {
      const env = new Map([
        [blocks, x],
        [halves, y],
        [lanes, z],
      ]);
      const whole = 16 * x + 8 * y + z;
      const found = digits.map(([digit]) => evaluate(analyzer.expr(digit), env));
      expect(found).toEqual([Math.floor(whole / pixels), Math.floor((whole % pixels) / width), whole % width]);
    }
  });
});
