/** Reads that leave their tensor are refused by name, near ones that stay inside are not; judged by evaluating every element. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { InterpError } from "../interp/error.ts";
import { evaluate } from "../interp/evaluate.ts";
import { bufferSize } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import { compareKinds, type Expr } from "../ir/expr.ts";
import { createData } from "../ir/numeric.ts";
import { axis, compute, placeholder, reduceAxis, sum } from "./compute.ts";
import { readOutside } from "./contained.ts";
import * as te from "./expr.ts";
import { add, all, any, at, cast, floorDiv, floorMod, less, maximum, minimum, mul, not, select, sub } from "./expr.ts";
import { fills } from "./fill.ts";
import type { ComputeOp, Graph } from "./graph.ts";
import { boxOf, elementValues } from "./value-range.ts";

const { greaterEqual, lessEqual, equal, notEqual } = te;
const n = 4096;
const x = placeholder("x", [n]);
const m = placeholder("m", [48, 80]);
const image = placeholder("image", [1, 8, 30, 34]);
const k3 = reduceAxis("k", 3);
const k5 = reduceAxis("l", 5);
const gatherIndex = (fill?: Parameters<typeof placeholder>[3]) => placeholder("index", [16], "int32", fill);
const of1 = (body: (i: Expr) => Expr, extent = n) => compute("out", [["i", extent]], (i) => body(i));
const window = (body: (i: Expr, k: Expr) => Expr, extent = n) =>
  compute("out", [["i", extent]], (i) => sum(body(i, k3.loopVar), [k3]));

/** A wrong computation, what its refusal says, and the nearest right one. */
const pairs: readonly (readonly [string, wrong: () => unknown, said: RegExp, right: () => unknown])[] = [
  [
    "one place too far",
    () => of1((i) => at(x, add(i, 1))),
    /^compute "out" reads "x" at i \+ 1 in dimension 0, which is 1 to 4096; "x" has the elements 0 to 4095 there, and where i = 4095 the index is 4096; guard the read by select, clamp the index by minimum and maximum, or change an extent$/,
    () => of1((i) => at(x, add(i, 1)), n - 1),
  ],
  [
    "a negative index",
    () => of1((i) => at(x, sub(i, 1))),
    /"x" at i - 1 .* which is -1 to 4094; .* where i = 0 the index is -1;/,
    () => of1((i) => at(x, maximum(sub(i, 1), 0))),
  ],
  [
    "a window without padding",
    () => window((i, k) => at(x, add(i, k))),
    /where i = 409[45], k = [12] the index is 409[67]/,
    () => window((i, k) => at(x, add(i, k)), n - 2),
  ],
  [
    "a causal window whose guard is off by one",
    () => window((i, k) => select(greaterEqual(add(i, k), 1), at(x, sub(add(i, k), 2)), 0)),
    /under i \+ k >= 1; .* the index is -1;/,
    () => window((i, k) => select(greaterEqual(add(i, k), 2), at(x, sub(add(i, k), 2)), 0)),
  ],
  [
    "a guard on the wrong variable",
    () => window((i, k) => select(greaterEqual(k, 1), at(x, sub(i, 1)), 0)),
    /under k >= 1; .* where i = 0, k = [12] the index is -1/,
    () => window((i) => select(greaterEqual(i, 1), at(x, sub(i, 1)), 0)),
  ],
  [
    "the side of a select where the guard fails",
    () => of1((i) => select(less(i, n - 1), 0, at(x, add(i, 1)))),
    /under not \(i < 4095\); .* the index is 4096/,
    () => of1((i) => select(less(i, n - 1), at(x, add(i, 1)), at(x, i))),
  ],
  [
    "a strided convolution without pad",
    () =>
      compute(
        "conv",
        [
          ["y", 15],
          ["x", 17],
        ],
        (y, c) => sum(at(image, 0, 0, add(mul(y, 2), k3.loopVar), add(mul(c, 2), k5.loopVar)), [k3, k5]),
      ),
    /"conv" reads "image" at y \* 2 \+ k in dimension 2, which is 0 to 30; "image" has the elements 0 to 29 there/,
    () =>
      compute(
        "conv",
        [
          ["y", 14],
          ["x", 15],
        ],
        (y, c) => sum(at(image, 0, 0, add(mul(y, 2), k3.loopVar), add(mul(c, 2), k5.loopVar)), [k3, k5]),
      ),
  ],
  [
    "transposed dimensions",
    () => compute("t", [["i", 48], ["j", 80]], (i, j) => at(m, j, i)), // biome-ignore format: one line a case
    /"m" at j in dimension 0, which is 0 to 79; "m" has the elements 0 to 47/,
    () => compute("t", [["i", 80], ["j", 48]], (i, j) => at(m, j, i)), // biome-ignore format: one line a case
  ],
  [
    "a gather whose fill is too wide by one",
    () => of1((i) => at(placeholder("list", [12]), at(gatherIndex(fills.below(13)), i)), 16),
    /may read "list" at index\[i\] .* 0 to 12; .* index\[i\] = 12 the index is 12; narrow the fill of "index", guard/,
    () => of1((i) => at(placeholder("list", [12]), at(gatherIndex(fills.below(12)), i)), 16),
  ],
  [
    "a gather without a fill",
    () => of1((i) => at(placeholder("list", [128]), at(gatherIndex(), i)), 16),
    /may read "list" .* -128 to 127; .* say what "index" holds by a fill \(fills\.below\(n\) at its placeholder\)/,
    () => {
      const index = gatherIndex();
      return of1((i) => at(placeholder("list", [128]), maximum(at(index, i), 0)), 16);
    },
  ],
  [
    "a gather whose guard compares another element",
    () => {
      const index = gatherIndex(fills.range(-1, 11));
      return of1((i) => select(greaterEqual(at(index, 0), 0), at(placeholder("list", [12]), at(index, i)), 0), 16);
    },
    /may read "list"/,
    () => {
      const index = gatherIndex(fills.range(-1, 11));
      return of1((i) => select(greaterEqual(at(index, i), 0), at(placeholder("list", [12]), at(index, i)), 0), 16);
    },
  ],
  [
    "a remainder of one more than the extent",
    () => of1((i) => at(x, floorMod(mul(i, 3), n + 1))),
    /the index is 4096/,
    () => of1((i) => at(x, floorMod(mul(i, 3), n))),
  ],
  [
    "a remainder of something negative, by hand",
    () => of1((i) => at(x, sub(sub(i, 5), mul(floorDiv(i, 7), 7)))),
    /the index is -/,
    () => of1((i) => at(x, sub(i, mul(floorDiv(i, 7), 7)))),
  ],
  [
    "a quotient that reaches the extent",
    () => of1((i) => at(placeholder("half", [n / 2]), floorDiv(add(i, 1), 2))),
    /where i = 4095 the index is 2048/,
    () => of1((i) => at(placeholder("half", [n / 2]), floorDiv(i, 2))),
  ],
  [
    "a transposed convolution whose guard forgets the end",
    () => window((i, k) => select(all(greaterEqual(sub(i, k), 0), equal(floorMod(sub(i, k), 2), 0)), at(placeholder("s", [n / 2 - 1]), floorDiv(sub(i, k), 2)), 0)), // biome-ignore format: one line a case
    /the index is 2047/,
    () => window((i, k) => select(all(greaterEqual(sub(i, k), 0), equal(floorMod(sub(i, k), 2), 0)), at(placeholder("s", [n / 2]), floorDiv(sub(i, k), 2)), 0)), // biome-ignore format: one line a case
  ],
  [
    "axes of a reduction, fused by hand",
    () => compute("out", [["i", 1]], () => sum(at(m, floorDiv(mul(k3.loopVar, k5.loopVar), 1), add(mul(k3.loopVar, 35), mul(k5.loopVar, 3))), [k3, k5])), // biome-ignore format: one line a case
    /the index is 8[02]/,
    () => compute("out", [["i", 1]], () => sum(at(m, mul(k3.loopVar, k5.loopVar), add(mul(k3.loopVar, 33), mul(k5.loopVar, 3))), [k3, k5])), // biome-ignore format: one line a case
  ],
  [
    "an index from an intermediate stage",
    () => {
      const rows = compute("rows", [["r", 48]], (r) => select(less(r, 8), r, sub(r, 9)));
      return compute("out", [["i", 48]], (i) => at(m, at(rows, i), 0));
    },
    /reads "m" at rows\[i\] in dimension 0, .* where i = 8 the index is -1/,
    () => {
      const rows = compute("rows", [["r", 48]], (r) => select(less(r, 8), r, sub(r, 8)));
      return compute("out", [["i", 48]], (i) => at(m, at(rows, i), 0));
    },
  ],
  [
    "an intermediate stage that itself reads outside",
    () => {
      const shifted = compute("shifted", [["s", n]], (s) => at(x, sub(s, 1)));
      return of1((i) => select(greaterEqual(i, 1), at(shifted, i), 0));
    },
    /compute "shifted" reads "x"/,
    () => {
      const shifted = compute("shifted", [["s", n]], (s) => select(less(s, 1), 0, at(x, sub(s, 1))));
      return of1((i) => select(greaterEqual(i, 1), at(shifted, i), 0));
    },
  ],
  [
    "a row chosen by a sum",
    () => {
      const flags = placeholder("flags", [16, 6], "int32", fills.range(0, 1));
      const l = reduceAxis("l", 6);
      const count = compute("count", [["i", 16]], (i) => sum(at(flags, i, l.loopVar), [l]));
      return of1((i) => at(placeholder("row", [6]), at(count, i)), 16);
    },
    /may read "row" at count\[i\] in dimension 0, which is 0 to 6/,
    () => {
      const flags = placeholder("flags", [16, 6], "int32", fills.range(0, 1));
      const l = reduceAxis("l", 6);
      const count = compute("count", [["i", 16]], (i) => sum(at(flags, i, l.loopVar), [l]));
      return of1((i) => at(placeholder("row", [7]), at(count, i)), 16);
    },
  ],
  [
    "a read in a condition, before its guard",
    () => of1((i) => select(all(te.greater(at(x, sub(i, 1)), 0), greaterEqual(i, 1)), at(x, i), 0)),
    /"x" at i - 1/,
    () => of1((i) => select(all(greaterEqual(i, 1), te.greater(at(x, sub(i, 1)), 0)), at(x, i), 0)),
  ],
  [
    "a read behind an any that does not exclude it",
    () => of1((i) => select(any(greaterEqual(i, 1), te.greater(at(x, sub(i, 1)), 0)), 1, at(x, i))),
    /"x" at i - 1 .* under not \(i >= 1\); .* where i = 0 the index is -1/,
    () => of1((i) => select(any(less(i, 1), te.greater(at(x, sub(i, 1)), 0)), 1, at(x, i))),
  ],
  [
    "any where all is meant",
    () => of1((i) => select(any(greaterEqual(i, 1), less(i, 3)), at(x, sub(i, 1)), 0)),
    /the index is -1/,
    () => of1((i) => select(not(any(less(i, 1), equal(i, 7))), at(x, sub(i, 1)), 0)),
  ],
  [
    "nearest neighbours, scaled by a float that is too large",
    () => of1((i) => at(placeholder("small", [2048]), cast("int32", mul(cast("float32", i), b.float(0.5002))))),
    /reads "small" at int32\(float32\(i\) \* 0\.5002\)/,
    () => of1((i) => at(placeholder("small", [2048]), cast("int32", mul(cast("float32", i), b.float(0.5))))),
  ],
  [
    "a product that overflows int32 on the way",
    () => of1((i) => at(x, floorDiv(mul(i, 1 << 20), 1 << 20))),
    /beyond int32/,
    () => of1((i) => at(x, floorDiv(mul(i, 1 << 19), 1 << 19))),
  ],
  [
    "a triangle of a large matrix, one column too wide",
    () => compute("out", [["i", 40_000], ["j", 40_000]].map(([a, e]) => [a, e] as [string, number]), (i, j) => select(lessEqual(j, add(i, 1)), at(placeholder("v", [40_000]), sub(i, j)), 0)), // biome-ignore format: one line a case
    /the index is -1;/,
    () => compute("out", [["i", 40_000], ["j", 40_000]].map(([a, e]) => [a, e] as [string, number]), (i, j) => select(lessEqual(j, i), at(placeholder("v", [40_000]), sub(i, j)), 0)), // biome-ignore format: one line a case
  ],
  [
    "a scaled guard that is too weak by one",
    () => compute("out", [["i", 30_000], ["j", 30_000]].map(([a, e]) => [a, e] as [string, number]), (i, j) => select(less(add(mul(i, 2), mul(j, 2)), 50_002), at(placeholder("v", [25_000]), add(i, j)), 0)), // biome-ignore format: one line a case
    /the index is 25000/,
    () => compute("out", [["i", 30_000], ["j", 30_000]].map(([a, e]) => [a, e] as [string, number]), (i, j) => select(less(add(mul(i, 2), mul(j, 2)), 50_000), at(placeholder("v", [25_000]), add(i, j)), 0)), // biome-ignore format: one line a case
  ],
];

describe("a read", () => {
  it.each(pairs)("%s: refused, and its right neighbour is not", (_, wrong, said, right) => {
    expect(wrong).toThrow(said);
    expect(right).not.toThrow();
  });

  it("of a formula too hard to decide is refused as such, and accepted once it is clamped", () => {
    const hard = (i: Expr, j: Expr) => floorMod(add(mul(i, j), mul(floorMod(mul(i, i), 97), floorMod(mul(j, 31), 89))), 4099);
    const axes = [["i", 30_000], ["j", 30_000]] as const; // biome-ignore format: one line
    const tooHard = () =>
      compute("out", axes, (i, j) => select(notEqual(hard(i, j), 4096), at(placeholder("h", [4098]), hard(i, j)), 0));
    expect(tooHard).toThrow(/"h" at .*guard the read by select, clamp the index by minimum and maximum/);
    expect(() => compute("out", axes, (i, j) => at(placeholder("h", [4098]), minimum(hard(i, j), 4097)))).not.toThrow();
  });
});

describe("the verdict is that of evaluating every element", () => {
  const [p, q] = [axis("p", 6), axis("q", 9)];
  const index = placeholder("index", [6], "int32", fills.range(-2, 5));
  const divisor = fc.constantFrom(1, 2, 3, 4, 5, 7).map((v) => b.int(v));
  const small = fc.integer({ min: -7, max: 12 }).map((v) => b.int(v));
  const trees = (leaf: fc.Arbitrary<Expr>) =>
    fc.letrec<{ index: Expr; condition: Expr }>((tie) => {
      const [i, c] = [tie("index"), tie("condition")];
      return {
        index: fc.oneof(
          { maxDepth: 3, depthSize: "small" },
          leaf,
          fc.tuple(i, i).map(([s, t]) => b.add(s, t)),
          fc.tuple(i, i).map(([s, t]) => b.sub(s, t)),
          fc.tuple(i, i).map(([s, t]) => b.mul(s, t)),
          fc.tuple(i, divisor).map(([s, d]) => b.floorDiv(s, d)),
          fc.tuple(i, divisor).map(([s, d]) => b.floorModulo(s, d)),
          fc.tuple(i, i).map(([s, t]) => b.min(s, t)),
          fc.tuple(i, i).map(([s, t]) => b.max(s, t)),
          fc.tuple(c, i, i).map(([k, s, t]) => b.select(k, s, t)),
          i.map((s) => b.cast("int32", b.cast("int8", s))),
        ),
        condition: fc.oneof(
          { maxDepth: 3, depthSize: "small" },
          fc.tuple(fc.constantFrom(...compareKinds), i, i).map(([kind, s, t]) => b.compare(kind, s, t)),
          fc.tuple(c, c).map(([s, t]) => b.and(s, t)),
          fc.tuple(c, c).map(([s, t]) => b.or(s, t)),
          c.map((s) => b.not(s)),
        ),
      };
    });
  const source = placeholder("source", [7]);
  const zero = b.float(0);
  const opOf = (body: Expr): ComputeOp => ({ output: placeholder("out", [6, 9]), axes: [p, q], reduce: [], body });
  const tensors = {
    opOf: () => undefined,
    valuesOf: (t: Parameters<typeof elementValues>[0]) => elementValues(t, () => undefined),
  };
  const isRefused = (op: ComputeOp): boolean => readOutside(op.body, boxOf(op.axes), tensors) !== undefined;
  const evaluates = (op: ComputeOp, values: readonly number[]): boolean => {
    const graph: Graph = { inputs: [source, index], ops: [op], outputs: [op.output] };
    try {
      evaluate(
        graph,
        new Map([
          ["source", createData("float32", bufferSize(source))],
          ["index", Int32Array.from(values)],
        ]),
      );
      return true;
    } catch (error) {
      if (error instanceof InterpError && error.rule === "interp.bounds") return false;
      throw error;
    }
  };
  /** A read under a condition, in both orders. */
  const guarded = (cond: Expr, i: Expr, isElse: boolean): Expr => {
    const load = b.load(source, [i]);
    return isElse ? b.select(cond, zero, load) : b.select(cond, load, zero);
  };

  it("of axes: exactly", () => {
    const { index: i, condition } = trees(fc.oneof(fc.constantFrom<Expr>(p.loopVar, q.loopVar), small));
    let refused = 0;
    fc.assert(
      fc.property(condition, i, fc.boolean(), (cond, tree, isElse) => {
        // Clamped at one side, so that a good part of the trees is inside.
        const op = opOf(guarded(cond, isElse ? tree : b.max(b.floorModulo(tree, b.int(8)), b.int(0)), isElse));
        const isOutside = isRefused(op);
        if (isOutside) refused++;
        expect(evaluates(op, [0, 0, 0, 0, 0, 0])).toBe(!isOutside);
      }),
      { numRuns: isFull ? 5000 : 800 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it("of elements of an input: what is accepted stays inside, whatever the input holds", () => {
    const element = fc.constantFrom(p.loopVar, b.int(3)).map((at1): Expr => b.load(index, [at1]));
    const { index: i, condition } = trees(fc.oneof(element, fc.constantFrom<Expr>(p.loopVar, q.loopVar), small));
    const held = fc.array(fc.integer({ min: -2, max: 5 }), { minLength: 6, maxLength: 6 });
    let accepted = 0;
    fc.assert(
      fc.property(condition, i, fc.boolean(), held, (cond, tree, isElse, values) => {
        const op = opOf(guarded(cond, b.min(tree, b.int(6)), isElse));
        if (isRefused(op)) return;
        accepted++;
        expect(evaluates(op, values)).toBe(true);
      }),
      { numRuns: isFull ? 5000 : 800 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

describe("values of an input's elements", () => {
  it("are those of its fill; a permutation's are the places along its last axis", () => {
    const valuesOf = (fill: Parameters<typeof placeholder>[3]) =>
      elementValues(placeholder("index", [2, 48], "int32", fill), () => undefined);
    expect(valuesOf(fills.permutation)).toEqual({ lo: 0, hi: 47 });
    expect(valuesOf(fills.range(-3, 7))).toEqual({ lo: -3, hi: 7 });
    expect(valuesOf(fills.below(9))).toEqual({ lo: 0, hi: 8 });
  });
  it("decide what a permutation may index: a list as long as its last axis, and none that is shorter", () => {
    const gather = (length: number) =>
      compute(
        "out",
        [
          ["i", 2],
          ["j", 48],
        ],
        (i, j) => at(placeholder("list", [length]), at(placeholder("index", [2, 48], "int32", fills.permutation), i, j)),
      );
    expect(() => gather(47)).toThrow(/which is 0 to 47/);
    expect(() => gather(48)).not.toThrow();
  });
});
