/** What the tests of operators compare with: plain arrays and plain arithmetic, which share no code with the compiler. */
import { expect } from "vitest";
import { evaluate } from "../../interp/evaluate.ts";
import type { Buffer } from "../../ir/buffer.ts";
import type { TensorData } from "../../ir/numeric.ts";
import { placeholder } from "../compute.ts";
import { graphOf } from "../graph-of.ts";

export const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
/** Small whole numbers: sums are exact in any order. */
export const numbers = (shape: readonly number[], salt = 1): Float64Array =>
  Float64Array.from({ length: sizeOf(shape) }, (_, i) => ((i * 7 + salt * 13 + (i >> 3) * 5) % 17) - 8);

export function resultOf(output: Buffer, given: readonly (readonly [Buffer, TensorData])[]): number[] {
  const graph = graphOf(
    given.map(([tensor]) => tensor),
    [output],
  );
  return [...(evaluate(graph, new Map(given.map(([tensor, data]) => [tensor.name, data]))).get(output.name) ?? [])];
}

/** The same, with tensors and data in two lists. */
export const resultFrom = (inputs: readonly Buffer[], output: Buffer, data: readonly TensorData[]): number[] =>
  resultOf(
    output,
    inputs.map((tensor, i) => [tensor, data[i] as TensorData]),
  );

/** Calls `visit` with every index of a shape, in row-major order. */
export function forAll(
  shape: readonly number[],
  visit: (index: readonly number[]) => void,
  before: readonly number[] = [],
): void {
  const [extent, ...rest] = shape;
  if (extent === undefined) visit(before);
  else for (let i = 0; i < extent; i++) forAll(rest, visit, [...before, i]);
}
export const mapped = (shape: readonly number[], f: (index: readonly number[]) => number): number[] => {
  const values: number[] = [];
  forAll(shape, (index) => values.push(f(index)));
  return values;
};
/** The element of row-major data; undefined outside. */
export function read(data: TensorData, shape: readonly number[], index: readonly number[]): number | undefined {
  let offset = 0;
  for (const [d, extent] of shape.entries()) {
    const i = index[d] as number;
    if (i < 0 || i >= extent) return undefined;
    offset = offset * extent + i;
  }
  return data[offset] as number;
}
export const f64 = (name: string, shape: readonly number[]): Buffer => placeholder(name, shape, "float64");
export const n = (list: readonly number[], i: number): number => list[i] as number;

export const close = (got: readonly number[], wanted: readonly number[]): void => {
  expect(got.length).toBe(wanted.length);
  for (const [i, value] of wanted.entries())
    expect(Math.abs((got[i] as number) - value)).toBeLessThan(1e-12 * (1 + Math.abs(value)));
};
