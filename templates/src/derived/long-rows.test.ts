/** Rows that a cluster of blocks holds: each block a part, the sums over all of them. */
import { Random } from "@warpfarm/common";
import {
  type Buffer,
  type ChoiceKnob,
  type ConfigIndex,
  castTensor,
  type Graph,
  graphOf,
  infer,
  layerNorm,
  placeholder,
  softmax,
} from "@warpfarm/compiler/language";
import { expect, it } from "vitest";
import { type Data, faultIn, outputsOf } from "./check.testing.ts";
import { derive } from "./derive.ts";

const target = "cuda/sm_90";
const [rows, columns] = [2, 16_384];

function computation(of: (x: Buffer) => Buffer, dtype: "float16" | "float32" = "float16", length = columns): Graph {
  const x = placeholder("x", [rows, length], dtype);
  const result = of(dtype === "float16" ? castTensor(x, "float32", { name: "wide" }) : x);
  return graphOf([x], [dtype === "float16" ? castTensor(result, dtype, { name: "out" }) : result]);
}

/** Rows whose parts differ much: a block that lacks the others' values would be far off. */
function data(random: Random): Data {
  const own = Float32Array.from({ length: rows * columns }, (_, i) => random.below(8) - 4 + ((i % columns) >> 12));
  return new Map([["x", own]]);
}

const each = (x: Float32Array, f: (row: readonly number[]) => readonly number[]): number[] =>
  Array.from({ length: rows }, (_, r) => f([...x.subarray(r * columns, (r + 1) * columns)])).flat();

const softmaxOf = (row: readonly number[]): readonly number[] => {
  const top = row.reduce((a, b) => Math.max(a, b));
  const powers = row.map((v) => Math.exp(v - top));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((v) => v / total);
};
const normOf = (row: readonly number[]): readonly number[] => {
  const mean = row.reduce((a, b) => a + b, 0) / columns;
  const variance = row.reduce((a, b) => a + (b - mean) ** 2, 0) / columns;
  return row.map((v) => (v - mean) / Math.sqrt(variance + 1e-5));
};

it.each([
  ["softmax", softmax, softmaxOf, "out", { blocks: 2, threads: 1024, vector: 4 }],
  ["softmax", softmax, softmaxOf, "out", { blocks: 8, threads: 64, vector: 8 }],
  ["layer norm", layerNorm, normOf, "out", { blocks: 4, threads: 128, vector: 8 }],
  ["softmax", softmax, softmaxOf, "out", { blocks: 4, threads: 64, vector: 8, hold: "operands" }],
  ["softmax", softmax, softmaxOf, "out", { blocks: 1, threads: 512, vector: 4, hold: "operands" }],
  ["layer norm", layerNorm, normOf, "out", { blocks: 2, threads: 128, vector: 8, hold: "operands" }],
] as const)("%s by a cluster", (_, of, byLoops, root, { blocks, threads, vector, ...more }) => {
  const graph = computation((x) => of(x));
  const derived = derive(graph, target);
  const values = { row_blocks: blocks, row_threads: threads, rows: 1, vector, hold: "registers", ...more };
  const index = derived.space.indexOf(new Map(Object.entries(values).map(([name, value]) => [`${root}.${name}`, value])));
  const given = data(new Random(blocks));
  const run = outputsOf(derived, index as NonNullable<typeof index>, target, given);
  // Halves are within one rounding of the double's.
  const want = each(given.get("x") as Float32Array, byLoops);
  const got = run?.data.get(root) as ArrayLike<number>;
  const wrong = want.findIndex((v, i) => !(Math.abs((got[i] as number) - v) <= 2 ** -11 * Math.abs(v) + 2 ** -24));
  expect(wrong < 0 ? "right" : `${root}[${wrong}] is ${got[wrong]}, not ${want[wrong]}`).toBe("right");
  expect(run?.unwritten(root)).toBeUndefined();
});

it("single precision, and each number of blocks of the space", () => {
  const graph = computation((x) => softmax(x), "float32");
  const derived = derive(graph, target);
  const given = data(new Random(1));
  const want = each(given.get("x") as Float32Array, softmaxOf);
  for (const row_blocks of [1, 2, 4, 8]) {
    const values = { row_blocks, row_threads: 256, rows: 1, vector: 4, hold: "registers" };
    const index = derived.space.indexOf(new Map(Object.entries(values).map(([name, value]) => [`softmax.${name}`, value])));
    const run = outputsOf(derived, index as NonNullable<typeof index>, target, given);
    expect(run && faultIn(graph, run, () => want)).toBeUndefined();
  }
});

it.each([
  [1024, { row_threads: 64, rows: 2, hold: "registers" }],
  [32_768, { row_blocks: 1, row_threads: 512, rows: 1, hold: "operands" }],
  [131_072, { row_blocks: 4, row_threads: 512, rows: 1, hold: "operands" }],
  [262_144, { row_blocks: 8, row_threads: 512, rows: 1, hold: "operands" }],
] as const)("rows of %i halves begin with whole vectors and as few blocks as hold one twice", (length, values) => {
  const derived = derive(
    computation((x) => softmax(x), "float16", length),
    target,
  );
  const start = [...derived.space.get(derived.start).values].map(([name, value]) => [name.split(".")[1], value]);
  expect(Object.fromEntries(start)).toEqual({ vector: 8, ...values });
  const older = derive(
    computation((x) => softmax(x), "float16", length),
    "cuda/sm_80",
  );
  const inferred = infer(older.schedule(older.start).state);
  expect(inferred.ok && inferred.value.launches[0]?.cluster).toBeUndefined();
});

it("long rows of halves are held as operands, in half the bytes of a thread; others as what is computed of them", () => {
  const holdsOf = (dtype: "float16" | "float32", length: number) =>
    derive(
      computation((x) => softmax(x), dtype, length),
      target,
    );
  const knob = ({ space }: ReturnType<typeof derive>) => space.knobs.find(({ name }) => name.endsWith(".hold")) as ChoiceKnob;
  const long = holdsOf("float16", 65_536);
  expect(knob(long).values).toContain("operands");
  for (const other of [holdsOf("float16", 8192), holdsOf("float32", 65_536)])
    expect(knob(other).values).not.toContain("operands");
  const bytesOf = (hold: string) => {
    const values = { row_blocks: 4, row_threads: 256, rows: 1, vector: 8, hold };
    const named = Object.entries(values).map(([name, value]) => [`out.${name}`, value] as const);
    const inferred = infer(long.schedule(long.space.indexOf(new Map(named)) as ConfigIndex).state);
    const held = inferred.ok ? inferred.value.allocations.filter(({ scope }) => scope === "local") : [];
    return held.map(({ bytes }) => bytes).filter((bytes) => bytes > 4);
  };
  // A thread has 64 elements: halves once, or widened and as powers.
  expect(bytesOf("operands")).toEqual([128]);
  expect(bytesOf("registers")).toEqual([256, 256]);
});
