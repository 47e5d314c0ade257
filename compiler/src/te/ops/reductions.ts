/**
 * Reductions of a tensor over some of its dimensions, which keep the extent 1 or are dropped, and places of extremes. Dimensions
 * are counted from 0, negative ones from the end.
 */
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute, maxOf, minOf, productOf, type Reduction, reduceAxis, sum } from "../compute.ts";
import { at, div, equal, select } from "../expr.ts";
import { optionsOf, refuse } from "../graph-error.ts";
import { axesOf, elementwise } from "./elementwise.ts";

interface ReduceOptions {
  readonly name?: string;
  /** Whether the result has no such dimensions; without any it has the shape [1]. Absent: they have the extent 1. */
  readonly drops?: boolean;
}

/** The dimension counted from 0. Throws GraphError when there is none. */
export function dimensionOf(what: string, x: Buffer, dimension: number): number {
  const rank = x.shape.length;
  if (!Number.isSafeInteger(dimension) || dimension < -rank || dimension >= rank)
    refuse(`${what}: "${x.name}" has no dimension ${dimension}; it has ${rank}, from 0 or from -${rank}`);
  return dimension < 0 ? dimension + rank : dimension;
}

type Reduce = (term: Expr, axes: Parameters<typeof sum>[1]) => Reduction;

function reduced(
  x: Buffer,
  dimensions: readonly number[],
  { name, drops = false }: ReduceOptions & { readonly name: string },
  reduce: Reduce,
  term: (index: readonly Expr[], place: readonly Expr[]) => Expr = (index) => at(x, ...index),
): Buffer {
  const over = dimensions.map((d) => dimensionOf(name, x, d));
  if (over.length === 0 || new Set(over).size < over.length)
    refuse(`${name}: the dimensions [${dimensions.join(", ")}] are none, or one is there twice`);
  // In the order of memory, in whatever order they were named.
  over.sort((a, b) => a - b);
  const inner = over.map((d) => reduceAxis(`r${d}`, x.shape[d] ?? 1));
  const kept = x.shape.flatMap((_, d) => (drops && over.includes(d) ? [] : [d]));
  const shape = kept.map((d) => (over.includes(d) ? 1 : (x.shape[d] ?? 1)));
  return compute(name, axesOf(shape.length === 0 ? [1] : shape), (...place) => {
    const index = x.shape.map((_, d) => inner[over.indexOf(d)]?.loopVar ?? (place[kept.indexOf(d)] as Expr));
    return reduce(term(index, place), inner);
  });
}

const reducing =
  (word: string, reduce: Reduce) =>
  (x: Buffer, dimensions: readonly number[], options: ReduceOptions = {}): Buffer => {
    const { name = word, drops = false } = optionsOf(`${word}Over`, options, ["name", "drops"]);
    return reduced(x, dimensions, { name, drops }, reduce);
  };
export const sumOver = reducing("sum", sum);
export const productOver = reducing("product", productOf);
export const maxOver = reducing("max", maxOf);
export const minOver = reducing("min", minOf);

/** Of floats. */
export function meanOver(x: Buffer, dimensions: readonly number[], options: ReduceOptions = {}): Buffer {
  const { name = "mean", drops = false } = optionsOf("meanOver", options, ["name", "drops"]);
  const total = reduced(x, dimensions, { name: `${name}_sum`, drops }, sum);
  const count = dimensions.reduce((n, d) => n * (x.shape[dimensionOf(name, x, d)] ?? 1), 1);
  return elementwise(name, [total], (x) => div(x as Expr, count));
}

const placeOf =
  (word: string, reduce: Reduce) =>
  (x: Buffer, dimension: number, options: ReduceOptions = {}): Buffer => {
    const { name = word, drops = false } = optionsOf(word, options, ["name", "drops"]);
    const d = dimensionOf(name, x, dimension);
    const extreme = reduced(x, [d], { name: `${name}_value`, drops }, reduce);
    return reduced(x, [d], { name, drops }, minOf, (index, place) =>
      select(equal(at(x, ...index), at(extreme, ...place)), index[d] as Expr, (x.shape[d] ?? 1) - 1),
    );
  };
/** int32: the least index among equal greatest elements. Where an element is NaN the index is one of the dimension. */
export const argmax = placeOf("argmax", maxOf);
/** int32: the least index among equal least elements. Where an element is NaN the index is one of the dimension. */
export const argmin = placeOf("argmin", minOf);
