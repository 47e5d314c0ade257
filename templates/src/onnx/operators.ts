/** The operators of ONNX's default domain that a subgraph may hold. A new one takes a line of a table and of docs/models.md. */
import type { DType } from "@warpfarm/common";
import { arrangement } from "./arrangement.ts";
import { elementwise } from "./elementwise.ts";
import type { NodeReader, Operator, Value } from "./node.ts";
import { products } from "./products.ts";
import { quantization } from "./quantization.ts";
import { rows } from "./rows.ts";
import { windows } from "./windows.ts";

/** Known numbers: `value_int`, `value_float`, or a list. */
function constantOf(node: NodeReader): Value {
  const kinds: readonly (readonly [name: string, dtype: DType, isList: boolean])[] = [
    ["value_float", "float32", false],
    ["value_int", "int32", false],
    ["value_floats", "float32", true],
    ["value_ints", "int32", true],
  ];
  for (const [name, dtype, isList] of kinds) {
    if (!node.hasAttribute(name)) continue;
    const numbers = isList ? (node.numbers(name, 0) ?? []) : [dtype === "int32" ? node.int(name, 0) : node.float(name, 0)];
    if (numbers.length === 0) node.refuse(`${name} is empty`);
    if (dtype === "int32" && !numbers.every(Number.isSafeInteger)) node.refuse(`${name} holds numbers that are not whole`);
    return { kind: "constant", dtype, numbers, shape: isList ? [numbers.length] : [] };
  }
  return node.refuse(`it takes one of the attributes ${kinds.map(([name]) => name).join(", ")}`);
}

/** Does each element of the result depend on those of the operands at its own place alone, by NumPy's broadcasting? */
export const isElementwise = (op: string): boolean => Object.hasOwn(elementwise, op);

export const onnxOperators: { readonly [op: string]: Operator } = {
  ...elementwise,
  ...windows,
  ...products,
  ...rows,
  ...arrangement,
  ...quantization,
  Constant: constantOf,
};
