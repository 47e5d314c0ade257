/** The elements of tensors in another order or shape, without arithmetic on them. */
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { checkStored, compute } from "../compute.ts";
import { add, at, floorDiv, floorMod, less, mul, type Operand, select, sub } from "../expr.ts";
import { optionsOf, refuse } from "../graph-error.ts";
import { axesOf } from "./elementwise.ts";
import { dimensionOf } from "./reductions.ts";

interface Named {
  readonly name?: string;
}

/** Dimension d of the result is dimension order[d] of x. */
export function transpose(x: Buffer, order: readonly number[], options: Named = {}): Buffer {
  const { name = "transposed" } = optionsOf("transpose", options, ["name"]);
  const from = order.map((d) => dimensionOf(name, x, d));
  if (from.length !== x.shape.length || new Set(from).size < from.length)
    refuse(`${name}: the order [${order.join(", ")}] does not name each of the ${x.shape.length} dimensions of "${x.name}" once`);
  return compute(name, axesOf(from.map((d) => x.shape[d] ?? 1)), (...index) =>
    at(x, ...x.shape.map((_, d) => index[from.indexOf(d)] as Expr)),
  );
}

/** The same elements in row-major order. */
export function reshape(x: Buffer, shape: readonly number[], options: Named = {}): Buffer {
  const { name = "reshaped" } = optionsOf("reshape", options, ["name"]);
  const count = (extents: readonly number[]) => extents.reduce((a, b) => a * b, 1);
  if (count(shape) !== count(x.shape))
    refuse(`${name}: the shape (${shape.join(", ")}) has ${count(shape)} elements; "${x.name}" has ${count(x.shape)}`);
  checkStored({ ...x, name });
  return compute(name, axesOf(shape), (...index) => {
    const flat = index.reduce<Operand>((offset, i, d) => add(mul(offset, shape[d] ?? 1), i), 0) as Expr;
    const from: Operand[] = [];
    let stride = 1;
    for (const extent of x.shape.toReversed()) {
      const above = stride === 1 ? flat : floorDiv(flat, stride);
      stride *= extent;
      from.unshift(extent === 1 ? 0 : stride === count(x.shape) ? above : floorMod(above, extent));
    }
    return at(x, ...from);
  });
}

/** Elements begin, begin + step, ... before end of one dimension; a step below 0 goes backwards, at most to end -1. */
export function slice(
  x: Buffer,
  dimension: number,
  begin: number,
  end: number,
  options: Named & { readonly step?: number } = {},
): Buffer {
  const { name = "sliced", step = 1 } = optionsOf("slice", options, ["name", "step"]);
  const d = dimensionOf(name, x, dimension);
  const extent = x.shape[d] ?? 1;
  const count = Math.ceil((end - begin) / step);
  const isInside = begin >= 0 && begin < extent && end >= -1 && end <= extent;
  if (![begin, end, step].every(Number.isSafeInteger) || step === 0 || count < 1 || !isInside)
    refuse(
      `${name}: [${begin}, ${end}) by ${step} is no part of dimension ${d} of "${x.name}", which has the elements 0 to ${extent - 1}`,
    );
  const shape = x.shape.with(d, count);
  return compute(name, axesOf(shape), (...index) => at(x, ...index.map((i, k) => (k === d ? add(mul(i, step), begin) : i))));
}

/** Tensors after each other along one dimension; all else is equal. */
export function concatenate(parts: readonly Buffer[], dimension: number, options: Named = {}): Buffer {
  const { name = "joined" } = optionsOf("concatenate", options, ["name"]);
  const first = parts[0] ?? refuse(`${name}: there are no parts`);
  const d = dimensionOf(name, first, dimension);
  for (const part of parts)
    if (part.shape.length !== first.shape.length || part.shape.some((extent, k) => k !== d && extent !== first.shape[k]))
      refuse(
        `${name}: "${part.name}" (${part.shape.join(", ")}) and "${first.name}" (${first.shape.join(", ")}) differ beside dimension ${d}`,
      );
  const ends: number[] = [];
  for (const part of parts) ends.push((ends.at(-1) ?? 0) + (part.shape[d] ?? 0));
  return compute(name, axesOf(first.shape.with(d, ends.at(-1) ?? 0)), (...index) => {
    const i = index[d] as Expr;
    const element = (k: number) => at(parts[k] as Buffer, ...index.with(d, sub(i, ends[k - 1] ?? 0) as never));
    return parts
      .slice(0, -1)
      .reduceRight<Expr>((rest, _, k) => select(less(i, ends[k] ?? 0), element(k), rest), element(parts.length - 1));
  });
}

/**
 * The parts of x that the indices name along a dimension, which the shape of the indices replaces: an embedding is the gather of
 * rows. The indices' fill keeps them inside (fills.below), or the read is refused.
 */
export function gather(x: Buffer, indices: Buffer, options: Named & { readonly dimension?: number } = {}): Buffer {
  const { name = "gathered", dimension = 0 } = optionsOf("gather", options, ["name", "dimension"]);
  const d = dimensionOf(name, x, dimension);
  const rank = indices.shape.length;
  const shape = [...x.shape.slice(0, d), ...indices.shape, ...x.shape.slice(d + 1)];
  return compute(name, axesOf(shape), (...index) =>
    at(x, ...index.slice(0, d), at(indices, ...index.slice(d, d + rank)), ...index.slice(d + rank)),
  );
}
