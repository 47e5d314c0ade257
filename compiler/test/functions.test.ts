/**
 * Functions of floats. The interpreters' values are compared with the C library's in float64; the text's in float32 with those,
 * in units of the last place. docs/writing-a-template.md states the numbers.
 */
import type { DType } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { runC } from "../../test-support/run-c.ts";
import { compileProgram } from "../src/compile.ts";
import { evaluate } from "../src/interp/evaluate.ts";
import { interpret } from "../src/interp/interpret.ts";
import type { Expr } from "../src/ir/expr.ts";
import { createData, type TensorData } from "../src/ir/numeric.ts";
import { infer } from "../src/schedule/infer.ts";
import { createSchedule } from "../src/schedule/schedule.ts";
import { defaultSchedule } from "../src/target/default-schedule.ts";
import { compute, placeholder, productOf, reduceAxis, sum } from "../src/te/compute.ts";
import * as te from "../src/te/expr.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";

const count = 4096;
/** Name, function, arguments from and to, units in the last place of float32. */
const functions: readonly (readonly [string, (x: Expr) => Expr, number, number, number])[] = [
  ["exp", te.exp, -20, 20, 1],
  ["exp2", te.exp2, -30, 30, 1],
  ["log", te.log, 1e-3, 1e3, 1],
  ["sqrt", te.sqrt, 0, 1e3, 0.5],
  ["rsqrt", te.rsqrt, 1e-3, 1e3, 1.5],
  ["tanh", te.tanh, -9, 9, 2],
  ["sigmoid", te.sigmoid, -15, 15, 2.5],
  ["erf", te.erf, -6.5, 6.5, 2],
  ["sin", te.sin, -50, 50, 1],
  ["cos", te.cos, -50, 50, 1],
  ["floor", te.floor, -9, 9, 0],
  ["ceil", te.ceil, -9, 9, 0],
  ["round", te.round, -9, 9, 0],
  ["pow of a base", (x) => te.pow(x, 2.5), 0, 50, 1],
  ["pow of an exponent", (x) => te.pow(1.75, x), -30, 30, 1],
];

/** Neighbours spread evenly, with whole numbers and halves among them. */
const argumentsOf = (dtype: DType, from: number, to: number): TensorData =>
  createData(dtype, count).map((_: number, i: number) =>
    i % 16 === 0
      ? Math.max(from, Math.round(from + ((to - from) * i) / count) + 0.5 * ((i / 16) % 2))
      : from + ((to - from) * (i + 0.37)) / count,
  ) as TensorData;

function unitOf(x: number): number {
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(x))), -126);
  return 2 ** (exponent - 23);
}

function inC(graph: Graph, inputs: ReadonlyMap<string, TensorData>): TensorData {
  const { trace } = defaultSchedule(graph, "cpu/x86-64-v1");
  const made = compileProgram({ version: 1, kind: "schedule", target: "cpu/x86-64-v1", graph, trace });
  if (!made.ok) throw new Error(made.error.message);
  return runC(made.value, inputs).get("y") as TensorData;
}

const graphOfAll = (dtype: DType): Graph => {
  const x = placeholder("x", [functions.length, count], dtype);
  const y = compute(
    "y",
    [
      ["f", functions.length],
      ["i", count],
    ],
    (f, i) =>
      functions.reduceRight<Expr>((rest, [, of], k) => te.select(te.equal(f, k), of(te.at(x, f, i)), rest), te.at(x, f, i)),
  );
  return graphOf([x], [y]);
};
const inputsOf = (dtype: DType): ReadonlyMap<string, TensorData> => {
  const x = createData(dtype, functions.length * count);
  for (const [k, [, , from, to]] of functions.entries()) x.set(argumentsOf(dtype, from, to) as Float64Array, k * count);
  return new Map([["x", x]]);
};

describe("a function of floats", () => {
  it("has the C library's value in float64, to 16 units in the last place", (ctx) => {
    needs(ctx, "cc");
    const [graph, inputs] = [graphOfAll("float64"), inputsOf("float64")];
    const [ours, theirs] = [evaluate(graph, inputs).get("y") as TensorData, inC(graph, inputs)];
    const worst = functions.map(([name], k) => {
      const off = Array.from({ length: count }, (_, i) => k * count + i).map((i) => {
        const [a, b] = [ours[i] as number, theirs[i] as number];
        return Object.is(a, b) ? 0 : Math.abs(a - b) / (unitOf(b) * 2 ** -29);
      });
      return [name, Math.max(...off)] as const;
    });
    expect(worst.filter(([, off]) => !(off <= 16))).toEqual([]);
  });

  it("is within the stated units of float32 in C", (ctx) => {
    needs(ctx, "cc");
    const [graph, inputs] = [graphOfAll("float32"), inputsOf("float32")];
    const exact = evaluate(graph, inputs, { accumulate: "float64" }).get("y") as TensorData;
    const theirs = inC(graph, inputs);
    const over = functions.flatMap(([name, , , , most], k) => {
      const off = Array.from({ length: count }, (_, i) => k * count + i).map((i) => {
        const [a, b] = [exact[i] as number, theirs[i] as number];
        return a === b ? 0 : Math.abs(a - b) / unitOf(a);
      });
      return Math.max(...off) <= most ? [] : [[name, Math.max(...off)]];
    });
    expect(over).toEqual([]);
  });

  it("takes halves to the even number, and keeps the sign of zero", () => {
    const x = placeholder("x", [8], "float64");
    const graph = graphOf([x], [compute("y", [["i", 8]], (i) => te.round(te.at(x, i)))]);
    const given = Float64Array.of(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999999999999994, 2 ** 52 + 1);
    const wanted = Float64Array.of(-2, -2, -0, 0, 2, 2, 0, 2 ** 52 + 1);
    expect(evaluate(graph, new Map([["x", given]])).get("y")).toEqual(wanted);
  });

  it("rounds float32 to tf32, halves away from zero, in C as in the interpreter", (ctx) => {
    const unit = 2 ** -10;
    const rows: readonly (readonly [number, number])[] = [
      [1 + unit / 2, 1 + unit],
      [-1 - unit / 2, -1 - unit],
      [1 + 1.5 * unit, 1 + 2 * unit],
      [1 + unit / 2 - 2 ** -23, 1],
      [2 - 2 ** -23, 2],
      [3 * 2 ** -149, 0],
      [2 ** -137, 2 ** -136],
      [-0, -0],
      [3.4028234e38, Infinity],
      [-Infinity, -Infinity],
      [Number.NaN, Number.NaN],
    ];
    const x = placeholder("x", [rows.length]);
    const graph = graphOf([x], [compute("y", [["i", rows.length]], (i) => te.tf32(te.at(x, i)))]);
    const inputs = new Map([["x", Float32Array.from(rows, ([from]) => from)]]);
    const wanted = Float32Array.from(rows, ([, to]) => to);
    expect(evaluate(graph, inputs).get("y")).toEqual(wanted);
    needs(ctx, "cc");
    expect(inC(graph, inputs)).toEqual(wanted);
    expect(() => te.tf32(te.at(placeholder("d", [4], "float64"), 0))).toThrow("tf32 of float64; it rounds float32");
  });

  it("refuses integers, and bases and exponents of two types, by name", () => {
    const [n, f, d] = [placeholder("n", [4], "int32"), placeholder("f", [4]), placeholder("d", [4], "float64")];
    expect(() => te.erf(te.at(n, 0))).toThrow("erf of int32; it is for floats");
    expect(() => te.pow(te.at(n, 0), 2)).toThrow("pow of int32; it is for floats");
    expect(() => te.pow(te.at(f, 0), te.at(d, 0))).toThrow("pow of float32 and float64; cast one of them");
  });
});

it("a reduction inside an expression is refused, wherever it stands", () => {
  const x = placeholder("x", [4]);
  const k = reduceAxis("k", 4);
  const total = sum(te.at(x, k.loopVar), [k]) as never;
  for (const [word, make] of [
    ["add", () => te.add(total, 1)],
    ["exp", () => te.exp(total)],
    ["pow", () => te.pow(2, total)],
    ["cast", () => te.cast("float64", total)],
    ["select", () => te.select(total, 1, 2)],
    ["select", () => te.select(te.less(te.at(x, 0), 1), total, te.at(x, 0))],
    ["not", () => te.not(total)],
    ['an index of "x"', () => te.at(x, total)],
  ] as const)
    expect(make).toThrow(
      `${word} takes no reduction, which is the whole body of a compute; give the reduction a compute of its own`,
    );
});

describe("a product over an axis", () => {
  const product = (dtype: DType, terms: number): Graph => {
    const x = placeholder("x", [5, terms], dtype);
    const k = reduceAxis("k", terms);
    return graphOf([x], [compute("y", [["i", 5]], (i) => productOf(te.at(x, i, k.loopVar), [k]))]);
  };
  const factors = (dtype: DType, terms: number) =>
    createData(dtype, 5 * terms).map((_: number, i: number) => [1, 2, -1, 3, 1, 1, -2][(i * i + i) % 7] as number) as TensorData;
  const byHand = (x: TensorData, terms: number): number[] =>
    Array.from({ length: 5 }, (_, i) => [...x.slice(i * terms, (i + 1) * terms)].reduce((a: number, b) => a * Number(b), 1));

  it.each<DType>(["float32", "float64", "int32"])("of %s: by definition, in C, and as threads fold it", (dtype) => {
    const terms = 16;
    const graph = product(dtype, terms);
    const inputs = new Map([["x", factors(dtype, terms)]]);
    const wanted = byHand(inputs.get("x") as TensorData, terms);
    expect(Array.from(evaluate(graph, inputs).get("y") as TensorData)).toEqual(wanted);
    const s = createSchedule(graph);
    const [k] = s.reduceAxes(s.stage("y"));
    s.bind(k as never, "threadIdx.x");
    const inferred = infer(s.state);
    if (!inferred.ok) throw inferred.error;
    expect(Array.from(interpret([inferred.value.func()], inputs).data.get("y") as TensorData)).toEqual(wanted);
    const made = compileProgram({ version: 1, kind: "schedule", target: "cuda/sm_90", graph, trace: s.trace });
    expect(made.ok && made.value.text).toMatch(/fold_prod_[a-z]+\d+_x16/);
  });
  it("in C", (ctx) => {
    needs(ctx, "cc");
    const inputs = new Map([["x", factors("float32", 9)]]);
    expect(Array.from(inC(product("float32", 9), inputs))).toEqual(byHand(inputs.get("x") as TensorData, 9));
  });
});
