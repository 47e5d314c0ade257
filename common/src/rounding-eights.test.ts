/**
 * Products of floats of 8 bits: sums as tensor cores of 9.0 make them are within the tolerance, and a product that leaves out one
 * step of 32 terms is not.
 */
import { expect, it } from "vitest";
import { filledValue } from "./fill.ts";
import { float8Bits, float8ToNumber } from "./halves.ts";
import { type Contents, type StageModel, stageTolerances } from "./rounding.ts";

const dtype = "float8_e4m3fn";
const products = 96;

function factors(K: number, buffer: number): Float64Array {
  const fill = { kind: "normal", mean: "0", deviation: "1" } as const;
  const value = (i: number) => filledValue({ dtype, shape: [products * K] }, fill, 7, buffer, i);
  return Float64Array.from({ length: products * K }, (_, i) => float8ToNumber(dtype, float8Bits(dtype, value(i))));
}

function contents(values: ArrayLike<number>): Contents {
  const all = Array.from(values);
  const of = (f: (x: number) => number) => all.reduce((sum, x) => sum + f(x), 0) / all.length;
  return {
    low: all.reduce((a, b) => Math.min(a, b)),
    high: all.reduce((a, b) => Math.max(a, b)),
    nearest: all.reduce((a, b) => Math.min(a, Math.abs(b)), Infinity),
    mean: of((x) => x),
    rms: Math.sqrt(of((x) => x * x)),
    nan: 0,
    infinite: 0,
  };
}

/** Of 32 terms and the sum so far, each cut off 13 bits behind the first one of the greatest. */
function step(sum: number, terms: readonly number[]): number {
  const greatest = [sum, ...terms].reduce((a, x) => Math.max(a, Math.abs(x)), 0);
  if (greatest === 0) return 0;
  const unit = 2 ** (Math.floor(Math.log2(greatest)) - 13);
  return [sum, ...terms].reduce((a, x) => a + Math.trunc(x / unit) * unit, 0);
}

it.each([32, 128, 1024, 4096])("of %i terms", (K) => {
  const [a, b] = [factors(K, 0), factors(K, 1)];
  const termsOf = (row: number) => Array.from({ length: K }, (_, k) => (a[row * K + k] as number) * (b[row * K + k] as number));
  const rows = Array.from({ length: products }, (_, row) => termsOf(row));
  const exact = rows.map((terms) => terms.reduce((x, y) => x + y, 0));
  const ofCores = rows.map((terms) => {
    let sum = 0;
    for (let k = 0; k < K; k += 32) sum = step(sum, terms.slice(k, k + 32));
    return sum;
  });
  const without = rows.map((terms, row) => (exact[row] as number) - terms.slice(0, 32).reduce((x, y) => x + y, 0));
  const model: StageModel = {
    name: "sums",
    dtype: "float32",
    combine: "sum",
    terms: K,
    body: [["load", "a", "own"], ["cast", "float32"], ["load", "b", "own"], ["cast", "float32"], ["mul"]],
  };
  const held = new Map([
    ["a", { ...contents(a), dtype } as const],
    ["b", { ...contents(b), dtype } as const],
    ["sums", { ...contents(exact), dtype: "float32" } as const],
  ]);
  const { atol, rtol } = stageTolerances([model], held).get("sums") ?? { atol: 0, rtol: 0 };
  const wrong = (got: readonly number[]) =>
    got.filter((x, i) => Math.abs(x - (exact[i] as number)) > atol + rtol * Math.abs(exact[i] as number)).length;
  expect(wrong(ofCores)).toBe(0);
  expect(wrong(without)).toBeGreaterThan(products / 4);
});
