/**
 * Elementwise operators: one element of the result from the elements at the same place of the operands. An operand whose extent
 * is 1 in a dimension, or which lacks leading dimensions, is repeated there (NumPy's broadcasting).
 *   out[i, j] = f(a[i, j], b[0, j])
 */
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute } from "../compute.ts";
import { add, at, cast, div, floorDiv, maximum, mul, sub } from "../expr.ts";
import { optionsOf, refuse } from "../graph-error.ts";

const shapeText = (tensor: Buffer): string => `"${tensor.name}" (${tensor.shape.join(", ")})`;

function commonShape(name: string, operands: readonly Buffer[]): readonly number[] {
  const rank = Math.max(...operands.map((t) => t.shape.length));
  return Array.from({ length: rank }, (_, d) => {
    const extents = operands.map((t) => t.shape[d - rank + t.shape.length] ?? 1);
    const extent = Math.max(...extents);
    if (extents.some((e) => e !== extent && e !== 1))
      refuse(
        `${name}: shapes of ${operands.map(shapeText).join(" and ")} differ in dimension ${d}; an extent may differ only from 1`,
      );
    return extent;
  });
}

/** The axes of a result of this shape. */
export const axesOf = (shape: readonly number[]): readonly (readonly [string, number])[] =>
  shape.map((extent, d) => [`i${d}`, extent]);

/** The operator of any function of the operands' elements. `shape`: the result's; absent: the operands' common one. */
export function elementwise(
  name: string,
  operands: readonly Buffer[],
  f: (...elements: readonly Expr[]) => Expr,
  shape: readonly number[] = commonShape(name, operands),
): Buffer {
  if (operands.length === 0) refuse(`${name} has no operands`);
  return compute(name, axesOf(shape), (...indices) => {
    const elements = operands.map((t) => {
      const own = indices.slice(indices.length - t.shape.length);
      return at(t, ...own.map((index, d) => (t.shape[d] === 1 ? 0 : index)));
    });
    return f(...elements);
  });
}

interface Named {
  readonly name?: string;
}
const nameOf = (operator: string, options: Named, name = operator): string => optionsOf(operator, options, ["name"]).name ?? name;

const binaryOf =
  (defaultName: string, f: (a: Expr, b: Expr) => Expr) =>
  (a: Buffer, b: Buffer, options: Named = {}): Buffer =>
    elementwise(nameOf(`${defaultName}Tensors`, options, defaultName), [a, b], (x, y) => f(x as Expr, y as Expr));

export const addTensors = binaryOf("add", add);
export const subtractTensors = binaryOf("subtract", sub);
export const multiplyTensors = binaryOf("multiply", mul);
/** The quotient of floats; of integers, rounded towards minus infinity. */
export const divideTensors = binaryOf("divide", (x, y) =>
  x.dtype.startsWith("int") || x.dtype === "uint8" ? floorDiv(x, y) : div(x, y),
);

export const relu = (x: Buffer, options: Named = {}): Buffer =>
  elementwise(nameOf("relu", options), [x], (element) => maximum(element as Expr, 0));

export const castTensor = (x: Buffer, dtype: Buffer["dtype"], options: Named = {}): Buffer =>
  elementwise(nameOf("castTensor", options, "cast"), [x], (element) => cast(dtype, element as Expr));
