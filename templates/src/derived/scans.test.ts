/**
 * Long scans by blocks, derived for a GPU and run by the interpreter, against loops written by hand. Lengths are odd, so
 * that the last block is not full; values are whole, so that any grouping of a sum gives the same bits.
 */
import { Random } from "@warpfarm/common";
import {
  add,
  at,
  type Buffer,
  cast,
  compute,
  constant,
  type Expr,
  type Graph,
  graphOf,
  greater,
  maximum,
  minimum,
  mul,
  type Operand,
  placeholder,
  scan,
  select,
} from "@warpfarm/compiler/language";
import { describe, expect, it } from "vitest";
import { dataOf, faultIn, outputsOf } from "./check.testing.ts";
import { type Derived, derive } from "./derive.ts";
import { byBlocks } from "./scans.ts";

const target = "cuda/sm_90";

/** What a step does, in te and by hand. */
interface Kind {
  readonly combine: (before: Expr, term: Expr) => Expr;
  /** The term of an element of the input. */
  readonly term?: (x: Expr) => Expr;
  readonly byHand: (before: number, x: number) => number;
}
const sign = (x: number) => (x > 0 ? 1 : -1);
const kinds = {
  sum: { combine: add, byHand: (before, x) => before + x },
  "term first": { combine: (before, term) => add(term, before), byHand: (before, x) => before + x },
  product: {
    combine: mul,
    term: (x) => select(greater(x, 0), constant(1, x.dtype), constant(-1, x.dtype)),
    byHand: (before, x) => before * sign(x),
  },
  max: { combine: maximum, byHand: Math.max },
  min: { combine: minimum, byHand: Math.min },
} satisfies Record<string, Kind>;

interface Case {
  readonly shape: readonly number[];
  readonly along: number;
  readonly kind: keyof typeof kinds;
  readonly dtype?: "float32" | "int32" | "float16";
}

const axesOf = (shape: readonly number[]) => shape.map((extent, d) => [`i${d}`, extent] as const);
const product = (numbers: readonly number[]) => numbers.reduce((a, b) => a * b, 1);

/** From starts of their own for each element beside the scan, read from a tensor; an epilogue; the scan is an output too. */
function graphFor({ shape, along, kind, dtype = "float32" }: Case): Graph {
  const x = placeholder("x", shape, dtype);
  const isVector = shape.length === 1;
  const first = placeholder("first", isVector ? [1] : shape.toSpliced(along, 1), dtype);
  const { combine, term = (e: Expr) => e }: Kind = kinds[kind];
  const out = scan(
    "out",
    axesOf(shape),
    `i${along}`,
    (...index) => at(first, ...(isVector ? [0] : index.toSpliced(along, 1))),
    (before, ...index) => combine(before, term(at(x, ...index))),
  );
  const twice = compute("twice", axesOf(shape), (...index: Operand[]) => mul(at(out, ...index), 2));
  return graphOf([x, first], [out, twice]);
}

function byHand({ shape, along, kind }: Case, x: ArrayLike<number>, first: ArrayLike<number>): number[] {
  const [n, inner] = [shape[along] as number, product(shape.slice(along + 1))];
  const out: number[] = [];
  for (let place = 0; place < product(shape); place++) {
    const [outer, i, rest] = [Math.floor(place / (n * inner)), Math.floor(place / inner) % n, place % inner];
    const before = i === 0 ? first[outer * inner + rest] : out[place - inner];
    out.push(kinds[kind].byHand(before as number, x[place] as number));
  }
  return out;
}

const cases: readonly (readonly [Case, stages: number])[] = [
  [{ shape: [2, 577], along: 1, kind: "sum" }, 3],
  [{ shape: [577, 3], along: 0, kind: "product" }, 3],
  [{ shape: [2, 515, 3], along: 1, kind: "max" }, 3],
  [{ shape: [3, 1, 640], along: 2, kind: "min", dtype: "int32" }, 3],
  [{ shape: [513, 1], along: 0, kind: "term first", dtype: "float16" }, 3],
  // Its totals are many too.
  [{ shape: [32_833], along: 0, kind: "sum", dtype: "int32" }, 5],
];

const ofBlocks = ({ explained }: Derived) => explained.filter(({ why }) => why?.includes("by blocks"));

it.each(cases)("%o", (of, stages) => {
  const graph = graphFor(of);
  const data = dataOf(graph, new Random(3));
  const [x, first] = ["x", "first"].map((name) => data.get(name) as ArrayLike<number>) as [ArrayLike<number>, ArrayLike<number>];
  const want = byHand(of, x, first);
  const derived = derive(graph, target);
  expect(ofBlocks(derived).map(({ stage }) => stage)).toHaveLength(stages);
  const random = new Random(5);
  for (const index of [derived.start, derived.space.random(random), derived.space.random(random)]) {
    const run = outputsOf(derived, index, target, data);
    expect(run && faultIn(graph, run, (name) => (name === "out" ? want : want.map((value) => 2 * value)))).toBeUndefined();
  }
});

describe("scans", () => {
  const zero = () => constant(0, "float32");
  const along = (shape: readonly number[], step: (before: Expr, ...index: Expr[]) => Expr, start: () => Expr = zero) =>
    graphOf([x(shape)], [scan("out", axesOf(shape), "i0", start, step)]);
  const made = new Map<string, Buffer>();
  const x = (shape: readonly number[]): Buffer => {
    const name = `x${shape.join("x")}`;
    const found = made.get(name) ?? placeholder(name, shape);
    made.set(name, found);
    return found;
  };
  const long = [9000, 2];
  it.each([
    ["steps that are no single operation", along(long, (before, ...i) => add(mul(before, 2), at(x(long), ...i)))],
    ["steps whose term needs the value before", along(long, (before, ...i) => add(before, mul(before, at(x(long), ...i))))],
    ["short scans", along([100, 2], (before, ...i) => add(before, at(x([100, 2]), ...i)))],
    ["scans beside many others", along([600, 5000], (before, ...i) => add(before, at(x([600, 5000]), ...i)))],
  ])("stay as they are: %s", (_, graph) => {
    expect(byBlocks(graph).graph).toBe(graph);
  });
  it("may have axes named as those of blocks", () => {
    const axes = [["block", 2] as const, ["step", 700] as const];
    const y = placeholder("y", [2, 700]);
    const graph = graphOf([y], [scan("out", axes, "step", zero, (before, ...i) => add(before, at(y, ...i)))]);
    expect(byBlocks(graph).graph.ops.map(({ output }) => output.shape)).toEqual([
      [2, 11, 64],
      [2, 10],
      [2, 700],
    ]);
  });
  it("start with what their start gives for the first step", () => {
    const graph = graphOf(
      [x([600])],
      [
        scan(
          "out",
          [["i", 600]],
          "i",
          (i) => cast("float32", add(i, 5)),
          (before, i) => add(before, at(x([600]), i)),
        ),
      ],
    );
    const data = dataOf(graph, new Random(2));
    const given = data.get("x600") as ArrayLike<number>;
    let total = 5;
    const want = Array.from(given, (value) => (total += value));
    const derived = derive(graph, target);
    expect(ofBlocks(derived)).toHaveLength(3);
    const run = outputsOf(derived, derived.start, target, data);
    expect(run && faultIn(graph, run, () => want)).toBeUndefined();
  });
});
