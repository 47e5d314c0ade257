/** Matrix products. Those of halves are summed in float32. */
import {
  add,
  addTensors,
  type Buffer,
  batchMatmul,
  castTensor,
  type Expr,
  elementwise,
  mul,
  reshape,
} from "@warpfarm/compiler/language";
import { widened } from "./elementwise.ts";
import { type Operator, wideOf } from "./node.ts";

/** A vector on the left is a row, on the right a column; the result lacks that dimension. */
const matMul: Operator = (node) => {
  const [a, b] = [node.tensor(0), node.tensor(1)];
  if (a.shape.length === 0 || b.shape.length === 0) node.refuse("an operand has no dimensions");
  const { dtype } = a.buffer;
  const [isRow, isColumn] = [a.shape.length === 1, b.shape.length === 1];
  const left = isRow ? reshape(a.buffer, [1, ...a.shape], { name: `${node.name}_row` }) : a.buffer;
  const right = isColumn ? reshape(b.buffer, [...b.shape, 1], { name: `${node.name}_column` }) : b.buffer;
  const isWide = wideOf(dtype) !== dtype;
  const isReshaped = isRow || isColumn;
  const sums = batchMatmul(left, right, {
    name: isWide ? `${node.name}_wide` : isReshaped ? `${node.name}_product` : node.name,
    outDtype: wideOf(dtype),
  });
  const product = isWide ? castTensor(sums, dtype, { name: isReshaped ? `${node.name}_product` : node.name }) : sums;
  if (!isReshaped) return { kind: "tensor", shape: product.shape, buffer: product };
  const batch = product.shape.slice(0, -2);
  const shape = [...batch, ...(isRow ? [] : product.shape.slice(-2, -1)), ...(isColumn ? [] : product.shape.slice(-1))];
  return { kind: "tensor", shape, buffer: reshape(product, shape.length === 0 ? [1] : shape, { name: node.name }) };
};

/** alpha A B + beta C */
const gemm: Operator = (node) => {
  const [a, b] = [node.tensor(0), node.tensor(1)];
  for (const { shape } of [a, b]) if (shape.length !== 2) node.refuse(`an operand has ${shape.length} dimensions; both have 2`);
  const { dtype } = a.buffer;
  const [alpha, beta] = [node.float("alpha", 1), node.float("beta", 1)];
  const c = node.has(2) ? node.tensor(2, dtype) : undefined;
  const isWide = wideOf(dtype) !== dtype;
  const steps: ((x: Buffer, name: string) => Buffer)[] = [];
  const times = (x: Expr, factor: number): Expr => (factor === 1 ? x : mul(x, factor));
  if (c) {
    const wide = widened(c, `${node.name}_c`).buffer;
    steps.push((x, name) =>
      alpha === 1 && beta === 1
        ? addTensors(x, wide, { name })
        : elementwise(name, [x, wide], (sum, other) => add(times(sum as Expr, alpha), times(other as Expr, beta))),
    );
  } else if (alpha !== 1) steps.push((x, name) => elementwise(name, [x], (sum) => mul(sum as Expr, alpha)));
  if (isWide) steps.push((x, name) => castTensor(x, dtype, { name }));
  const nameOf = (step: number): string => (step === steps.length ? node.name : `${node.name}_${step === 0 ? "sums" : "wide"}`);
  const options = { transposeA: node.flag("transA"), transposeB: node.flag("transB"), outDtype: wideOf(dtype) };
  const sums = batchMatmul(a.buffer, b.buffer, { ...options, name: nameOf(0) });
  const buffer = steps.reduce((x, step, i) => step(x, nameOf(i + 1)), sums);
  if (buffer.shape.join() !== sums.shape.join()) node.refuse("C is larger than the product");
  return { kind: "tensor", shape: buffer.shape, buffer };
};

export const products: { readonly [op: string]: Operator } = { MatMul: matMul, Gemm: gemm };
