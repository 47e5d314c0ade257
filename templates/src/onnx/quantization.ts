/**
 * Quantized operators. Scales and zero points are tensors of one element or, along `axis`, of one a channel. Sums of products of
 * 8-bit numbers are int32.
 */
import type { DType } from "@warpfarm/common";
import {
  addTensors,
  type Buffer,
  batchMatmul,
  cast,
  castTensor,
  convolution,
  div,
  type Expr,
  elementwise,
  mul,
  reshape,
  saturated,
  sub,
} from "@warpfarm/compiler/language";
import { type NodeReader, type Operator, preferFill, sizeOf, type Tensor } from "./node.ts";
import { convolutionOptions } from "./windows.ts";

/** A tensor of one element as (1), of one a channel along a dimension of `rank` ones. */
function spread(node: NodeReader, i: number, x: Tensor, axis: number, dtype?: DType): Buffer {
  const given = node.tensor(i, dtype);
  const count = sizeOf(given.shape);
  const name = `${node.name}_in${i}`;
  if (count === 1) return reshape(given.buffer, [1], { name });
  if (given.shape.length !== 1 || x.shape[axis] !== count)
    node.refuse(
      `input ${i} has the shape [${given.shape.join(", ")}]; it takes one element, or ${x.shape[axis] ?? "none"} for dimension ${axis}`,
    );
  return reshape(
    given.buffer,
    x.shape.map((_, d) => (d === axis ? count : 1)),
    { name },
  );
}

const positive = (node: NodeReader, i: number): void => {
  const value = node.value(i);
  if (value.kind === "tensor") preferFill(value, "positive");
};

/** The dimension of scales; that of a vector does not matter. */
function scaleAxis(node: NodeReader, { shape }: Tensor): number {
  if (node.int("block_size", 0) !== 0) node.refuse("block_size is given; scales are of the tensor or of a channel");
  if (shape.length >= 2) return node.axis("axis", 1, shape.length);
  node.ignore("axis");
  return 0;
}

const eightBits = (node: NodeReader, dtype: DType): DType =>
  dtype === "int8" || dtype === "uint8" ? dtype : node.refuse(`its integers are ${dtype}; they are int8 or uint8`);

function toInteger(x: Expr, zero: Expr | number, dtype: DType): Expr {
  return saturated(x, typeof zero === "number" ? zero : cast("float32", zero), dtype);
}

/** The type is that of the zero point, else uint8. */
const quantize: Operator = (node) => {
  const x = node.tensor(0);
  const axis = scaleAxis(node, x);
  node.ignore("saturate");
  const code = node.int("output_dtype", 0);
  positive(node, 1);
  const scale = spread(node, 1, x, axis, "float32");
  const zero = node.has(2) ? spread(node, 2, x, axis, code === 3 ? "int8" : "uint8") : undefined;
  const dtype = eightBits(node, zero?.dtype ?? (code === 3 ? "int8" : "uint8"));
  const buffer = elementwise(node.name, [x.buffer, scale, ...(zero ? [zero] : [])], (a, s, z) =>
    toInteger(div(cast("float32", a as Expr), cast("float32", s as Expr)), z ?? 0, dtype),
  );
  return { kind: "tensor", shape: x.shape, buffer };
};

/** (q - zero) scale */
const dequantize: Operator = (node) => {
  const q = node.tensor(0);
  const axis = scaleAxis(node, q);
  const scale = spread(node, 1, q, axis, "float32");
  const zero = node.has(2) ? spread(node, 2, q, axis, q.buffer.dtype) : undefined;
  const buffer = elementwise(node.name, [q.buffer, scale, ...(zero ? [zero] : [])], (a, s, z) => {
    const whole = cast("int32", a as Expr);
    return mul(cast(scale.dtype, z ? sub(whole, cast("int32", z)) : whole), s as Expr);
  });
  return { kind: "tensor", shape: q.shape, buffer };
};

/** x - zero in int32. */
function centred(node: NodeReader, x: Tensor, zero: number, axis: number): Buffer {
  eightBits(node, x.buffer.dtype);
  const name = `${node.name}_centred${zero}`;
  if (!node.has(zero)) return castTensor(x.buffer, "int32", { name });
  const offset = spread(node, zero, x, axis, x.buffer.dtype);
  return elementwise(name, [x.buffer, offset], (a, z) => sub(cast("int32", a as Expr), cast("int32", z as Expr)));
}

/** round(sums scaleA scaleB / scaleOut) + zero */
function requantized(node: NodeReader, sums: Buffer, scales: readonly [a: Buffer, b: Buffer, out: Buffer], zero: Tensor): Tensor {
  const dtype = eightBits(node, zero.buffer.dtype);
  const offset = reshape(zero.buffer, [1], { name: `${node.name}_zero` });
  const buffer = elementwise(node.name, [sums, ...scales, offset], (x, a, b, out, z) =>
    toInteger(mul(cast("float32", x as Expr), div(mul(a as Expr, b as Expr), out as Expr)), z as Expr, dtype),
  );
  return { kind: "tensor", shape: buffer.shape, buffer };
}

const matMulInteger: Operator = (node) => {
  const [a, b] = [node.tensor(0), node.tensor(1)];
  if (a.shape.length < 2 || b.shape.length < 2) node.refuse("an operand has fewer than 2 dimensions");
  const left = centred(node, a, 2, a.shape.length - 2);
  const right = centred(node, b, 3, b.shape.length - 1);
  const buffer = batchMatmul(left, right, { name: node.name });
  return { kind: "tensor", shape: buffer.shape, buffer };
};

const qLinearMatMul: Operator = (node) => {
  const [a, b] = [node.tensor(0), node.tensor(3)];
  if (a.shape.length < 2 || b.shape.length < 2) node.refuse("an operand has fewer than 2 dimensions");
  for (const i of [1, 4, 6]) positive(node, i);
  const [rows, columns] = [a.shape.length - 2, b.shape.length - 1];
  const sums = batchMatmul(centred(node, a, 2, rows), centred(node, b, 5, columns), { name: `${node.name}_sums` });
  const scales = [
    spread(node, 1, a, rows, "float32"),
    spread(node, 4, b, columns, "float32"),
    spread(node, 6, a, rows, "float32"),
  ] as const;
  return requantized(node, sums, scales, node.tensor(7, a.buffer.dtype));
};

const convInteger: Operator = (node) => {
  const [x, w] = [node.tensor(0), node.tensor(1)];
  const options = { ...convolutionOptions(node, x, w), outDtype: "int32" as DType, name: node.name };
  const buffer = convolution(centred(node, x, 2, 1), centred(node, w, 3, 0), options);
  return { kind: "tensor", shape: buffer.shape, buffer };
};

const qLinearConv: Operator = (node) => {
  const [x, w] = [node.tensor(0), node.tensor(3)];
  for (const i of [1, 4, 6]) positive(node, i);
  const options = { ...convolutionOptions(node, x, w), outDtype: "int32" as DType, name: `${node.name}_sums` };
  const products = convolution(centred(node, x, 2, 1), centred(node, w, 5, 0), options);
  const filters = w.shape[0] ?? 1;
  const alongChannels: Tensor = { kind: "tensor", shape: products.shape, buffer: products };
  let sums = products;
  if (node.has(8)) sums = addTensors(products, spread(node, 8, alongChannels, 1, "int32"), { name: `${node.name}_biased` });
  const scaleOfKernel = node.tensor(4, "float32");
  const count = sizeOf(scaleOfKernel.shape);
  if (count !== 1 && count !== filters) node.refuse(`the kernel's scale has ${count} elements; it has 1 or ${filters}`);
  const scales = [
    spread(node, 1, x, 1, "float32"),
    spread(node, 4, alongChannels, 1, "float32"),
    spread(node, 6, x, 1, "float32"),
  ] as const;
  return requantized(node, sums, scales, node.tensor(7, x.buffer.dtype));
};

export const quantization: { readonly [op: string]: Operator } = {
  QuantizeLinear: quantize,
  DequantizeLinear: dequantize,
  MatMulInteger: matMulInteger,
  QLinearMatMul: qLinearMatMul,
  ConvInteger: convInteger,
  QLinearConv: qLinearConv,
};
