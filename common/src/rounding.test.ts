/**
 * Each operation passes on the error of each of its operands: the tolerance is at least the derivative times the operand's own,
 * and not many times that. docs/contracts.md ("Check") has the model.
 */
import { describe, expect, it } from "vitest";
import type { DType } from "./dtype.ts";
import { Random } from "./random.ts";
import { type Contents, type StageModel, type StageStep, stageTolerances } from "./rounding.ts";

type Held = Contents & { readonly dtype: DType };
/** Elements of one sign near `at`, from 5 % below it to 5 % above. */
const near = (at: number, dtype: DType = "float32"): Held => {
  const [low, high] = [0.95 * at, 1.05 * at].sort((a, b) => a - b) as [number, number];
  return { dtype, low, high, nearest: 0.95 * Math.abs(at), mean: at, rms: Math.abs(at), nan: 0, infinite: 0 };
};

/**
 * A stage that computes float32 from two inputs, of which one was rounded to float16, which is 8,192 times coarser. Returns the
 * tolerance of that input, and of an element of the result of size `value`, both absolute.
 */
function errorsOf(
  body: readonly StageStep[],
  { a, b, value }: { readonly a: number; readonly b: number; readonly value: number },
  rounded: "a" | "b",
) {
  const at = { a, b }[rounded];
  const stages: readonly StageModel[] = [
    {
      name: "half",
      dtype: "float16",
      terms: 1,
      body: [
        ["load", rounded, "own"],
        ["cast", "float16"],
      ],
    },
    {
      name: "out",
      dtype: "float32",
      terms: 1,
      body: body.flatMap((step): readonly StageStep[] =>
        step[0] === "load" && step[1] === rounded
          ? [
              ["load", "half", "own"],
              ["cast", "float32"],
            ]
          : [step],
      ),
    },
  ];
  const contents = new Map([
    ["a", near(a)],
    ["b", near(b)],
    ["half", near(at, "float16")],
    ["out", near(value)],
  ]);
  const tolerances = stageTolerances(stages, contents);
  const of = (name: string, size: number) => {
    const { atol, rtol } = tolerances.get(name) ?? { atol: Number.NaN, rtol: Number.NaN };
    return atol + rtol * Math.abs(size);
  };
  return { operand: of("half", at), result: of("out", value) };
}

const [loadA, loadB] = [["load", "a", "own"] as const, ["load", "b", "own"] as const];
const binaries: readonly (readonly [string, (a: number, b: number) => number])[] = [
  ["add", (a, b) => a + b],
  ["sub", (a, b) => a - b],
  ["mul", (a, b) => a * b],
  ["div", (a, b) => a / b],
  ["pow", (a, b) => a ** b],
];
/** By Simpson's rule. */
function erf(x: number): number {
  const [steps, f] = [400, (t: number) => Math.exp(-t * t)];
  const inner = Array.from({ length: steps - 1 }, (_, i) => (i % 2 === 0 ? 4 : 2) * f((x * (i + 1)) / steps));
  return ((2 / Math.sqrt(Math.PI)) * x * (f(0) + f(x) + inner.reduce((a, b) => a + b, 0))) / (3 * steps);
}

/** Their tolerance is that of their steepest slope, wherever the values lie. */
const curves = ["tanh", "erf", "sin", "cos"];
const unaries: readonly (readonly [string, (a: number) => number])[] = [
  ["exp", Math.exp],
  ["log", Math.log],
  ["sqrt", Math.sqrt],
  ["exp2", (a) => 2 ** a],
  ["tanh", Math.tanh],
  ["erf", erf],
  ["sin", Math.sin],
  ["cos", Math.cos],
  ["abs", Math.abs],
  ["square", (a) => a * a],
];
const slope = (f: (x: number) => number, at: number): number =>
  Math.abs(f(at * 1.000_001) - f(at * 0.999_999)) / (2e-6 * Math.abs(at));

describe("an error of an operand is in the tolerance of the result", () => {
  for (const [word, f] of binaries)
    for (const [a, b] of [
      [1.5, 4],
      [7, 0.5],
      [-2, 3],
      [2, -3],
      [-5, -0.25],
    ] as const) {
      if (word === "pow" && a < 0) continue;
      for (const rounded of ["a", "b"] as const)
        it(`${word} of ${a} and ${b}, rounded: ${rounded}`, () => {
          const body = [loadA, loadB, [word]] as unknown as readonly StageStep[];
          const { operand, result } = errorsOf(body, { a, b, value: f(a, b) }, rounded);
          const least = operand * (rounded === "a" ? slope((x) => f(x, b), a) : slope((x) => f(a, x), b));
          expect(operand / Math.abs({ a, b }[rounded])).toBeGreaterThan(2 ** -12); // of float16
          expect(result).toBeGreaterThan(0.99 * least);
          expect(result).toBeLessThan(3 * least);
        });
    }
  for (const [word, f] of unaries)
    for (const a of [0.25, 1.5, 6, ...(["log", "sqrt"].includes(word) ? [] : [-0.5])])
      it(`${word} of ${a}`, () => {
        const { operand, result } = errorsOf([loadA, [word]] as unknown as readonly StageStep[], { a, b: 1, value: f(a) }, "a");
        const least = operand * slope(f, a);
        expect(result).toBeGreaterThan(0.99 * least);
        if (!curves.includes(word) || (word === "tanh" && a < 2)) expect(result).toBeLessThan(4 * least);
      });
});

it("a value that is off may be rounded to the next whole number, and an exact one is not", () => {
  for (const word of ["floor", "ceil", "round"] as const) {
    const body = [loadA, ["add"], [word]] as unknown as readonly StageStep[];
    const model: StageModel = { name: "y", dtype: "float32", terms: 1, body: [loadA, loadA, ...body.slice(1)] };
    const alone: StageModel = { ...model, body: [loadA, [word]] };
    const contents = new Map([
      ["a", near(1.5)],
      ["y", near(3)],
    ] as const);
    expect(stageTolerances([model], contents).get("y")).toEqual({ atol: 1, rtol: 0 });
    expect(stageTolerances([alone], contents).get("y")).toEqual({ atol: 0, rtol: 0 });
  }
});

it("integers that were rounded from floats may be the next ones, also in sums of them", () => {
  const quantized = (offset: readonly StageStep[]): StageModel => ({
    name: "q",
    dtype: "int8",
    terms: 1,
    body: [loadA, ...offset, ["round"], ["cast", "int32"], ["cast", "int8"]] as readonly StageStep[],
  });
  const total: StageModel = {
    name: "y",
    dtype: "int32",
    combine: "sum",
    terms: 16,
    body: [
      ["load", "q", "own"],
      ["cast", "int32"],
    ],
  };
  const contents = new Map([
    ["a", near(90)],
    ["q", near(90, "int8")],
    ["y", near(1440, "int32")],
  ] as const);
  const allowed = (offset: readonly StageStep[]) => stageTolerances([quantized(offset), total], contents);
  expect(allowed([loadA, ["add"]]).get("q")).toEqual({ atol: 1, rtol: 0 });
  expect(allowed([loadA, ["add"]]).get("y")).toEqual({ atol: 4, rtol: 0 });
  expect([allowed([]).get("q"), allowed([]).get("y")]).toEqual([none, none]);
});
const none = { atol: 0, rtol: 0 };

it("a product of terms has their shares, and those of its steps", () => {
  const ofProduct = (terms: number) => {
    const model: StageModel = { name: "y", dtype: "float32", combine: "prod", terms, body: [loadA, loadB, ["mul"]] };
    const contents = new Map([
      ["a", near(1)],
      ["b", near(1)],
      ["y", near(1)],
    ] as const);
    return stageTolerances([model], contents).get("y")?.rtol ?? Number.NaN;
  };
  expect(ofProduct(1)).toBeGreaterThan(2 ** -24);
  expect(ofProduct(64)).toBeGreaterThan(8 * ofProduct(1));
  expect(ofProduct(64)).toBeLessThan(64 * ofProduct(1));
});

it("a quotient has the error of its divisor where that is a sum, relative of terms of one sign, absolute of both signs", () => {
  const terms = 4_096;
  const sum: StageModel = { name: "sum", dtype: "float32", combine: "sum", terms, body: [["load", "x", "own"]] };
  const quotient: StageModel = { name: "q", dtype: "float32", terms: 1, body: [loadA, ["load", "sum", "own"], ["div"]] };
  const alone: StageModel = { name: "q", dtype: "float32", terms: 1, body: [loadA, ["load", "exact", "own"], ["div"]] };
  const both: Held = { ...near(1), low: -1.05, mean: 0 };
  for (const [x, size] of [
    [near(1), terms],
    [both, 100],
  ] as const) {
    const contents = new Map([
      ["a", near(1)],
      ["x", x],
      ["sum", near(size)],
      ["exact", near(size)],
      ["q", near(1 / size)],
    ] as const);
    const tolerances = stageTolerances([sum, quotient], contents);
    const { atol = Number.NaN, rtol = Number.NaN } = tolerances.get("sum") ?? {};
    const q = tolerances.get("q");
    const exact = stageTolerances([alone], contents).get("q");
    const share = atol / size + rtol;
    expect(q && q.rtol + q.atol * size).toBeGreaterThan(0.99 * share);
    expect(share).toBeGreaterThan(3 * ((exact?.rtol ?? 1) + (exact?.atol ?? 1) * size));
  }
});

it("a value that is chosen has the larger error of the two", () => {
  const ofHalf = (word: "min" | "max" | "select") => errorsOf([loadA, loadB, [word]], { a: 2, b: 2, value: 2 }, "b");
  for (const word of ["min", "max", "select"] as const) {
    const { operand, result } = ofHalf(word);
    expect(result / operand).toBeCloseTo(1, 2);
  }
});

it("integers have none, and what is read must be there", () => {
  const stage = (dtype: DType): StageModel => ({
    name: "s",
    dtype,
    terms: 1,
    body: [["load", "a", "own"], ["load", "a", "own"], ["add"]],
  });
  const contents = new Map([
    ["a", near(7, "int32")],
    ["s", near(14, "int32")],
  ] as const);
  expect(stageTolerances([stage("int32")], contents).get("s")).toEqual({ atol: 0, rtol: 0 });
  expect(() => stageTolerances([stage("float32")], new Map([["s", near(1)]]))).toThrow('"a" is read before it is there');
  expect(() => stageTolerances([stage("float32")], new Map([["a", near(1)]]))).toThrow('"s" was not measured');
});

it("a difference of equal values, which is 0 everywhere, may be as large as another right kernel's roundings", () => {
  const half: StageModel = {
    name: "half",
    dtype: "float16",
    terms: 1,
    body: [
      ["load", "a", "own"],
      ["cast", "float16"],
    ],
  };
  const sum: StageModel = { name: "sum", dtype: "float16", combine: "sum", terms: 1, body: [["load", "half", "own"]] };
  const apart: StageModel = {
    name: "out",
    dtype: "float16",
    terms: 1,
    body: [["load", "half", "own"], ["load", "sum", "own"], ["sub"]],
  };
  const zeros: Held = { dtype: "float16", low: 0, high: 0, nearest: 0, mean: 0, rms: 0, nan: 0, infinite: 0 };
  const contents = new Map([
    ["a", near(2)],
    ["half", near(2, "float16")],
    ["sum", near(2, "float16")],
    ["out", zeros],
  ] as const);
  const { atol = Number.NaN } = stageTolerances([half, sum, apart], contents).get("out") ?? {};
  // Half a step of float16 at 2, which a kernel that keeps the float32 differs by; and not more than a few of them.
  expect(atol).toBeGreaterThan(2 ** -10);
  expect(atol).toBeLessThan(16 * 2 ** -10);
});

it("sums of masked weights: rows of few large terms are as far off as their terms, and no more", () => {
  const [rows, columns] = [512, 16];
  const random = new Random(5);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.float())) * Math.cos(2 * Math.PI * random.float());
  /** Eleven bits, as float16 has. */
  const half = (x: number): number => {
    const step = 2 ** (Math.floor(Math.log2(Math.abs(x) || 1)) - 10);
    return Math.round(x / step) * step;
  };
  const values = Array.from({ length: rows }, () => Array.from({ length: columns }, normal));
  const [weights, sums, off]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < rows; i++) {
    const powers = Array.from({ length: i + 1 }, () => Math.exp(normal()));
    const total = powers.reduce((a, b) => a + b, 0);
    weights.push(...powers.map((x) => x / total), ...Array<number>(rows - 1 - i).fill(0));
    for (let e = 0; e < columns; e++) {
      const sumOf = (weight: (x: number) => number) =>
        powers.reduce((sum, x, j) => sum + weight(x) * (values[j]?.[e] as number), 0);
      sums.push(sumOf((x) => half(x / total)));
      // Another right kernel rounds before it divides.
      off.push(Math.abs(sumOf(half) / total - (sums.at(-1) as number)));
    }
  }
  const stages: readonly StageModel[] = [
    {
      name: "rounded",
      dtype: "float16",
      terms: 1,
      body: [
        ["load", "w", "own"],
        ["cast", "float16"],
      ],
    },
    {
      ...{ name: "y", dtype: "float32", combine: "sum", terms: rows },
      body: [["load", "rounded", "outside"], ["cast", "float32"], ["load", "v", "outside"], ["mul"]],
    },
  ];
  const held = (dtype: DType, data: readonly number[]): Held => {
    const [low, high] = [data.reduce((a, b) => Math.min(a, b)), data.reduce((a, b) => Math.max(a, b))];
    const rms = Math.sqrt(data.reduce((sum, x) => sum + x * x, 0) / data.length);
    return { dtype, low, high, nearest: 0, mean: 0, rms, nan: 0, infinite: 0 };
  };
  const contents = new Map([
    ["w", held("float32", weights)],
    ["rounded", held("float16", weights)],
    ["v", held("float16", values.flat())],
    ["y", held("float32", sums)],
  ] as const);
  const { atol = Number.NaN, rtol = Number.NaN } = stageTolerances(stages, contents).get("y") ?? {};
  const worst = off.reduce((most, x, i) => Math.max(most, x / (atol + rtol * Math.abs(sums[i] as number))), 0);
  expect(worst).toBeLessThan(1);
  expect(worst).toBeGreaterThan(0.25);
});
