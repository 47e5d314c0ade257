/** Matrix products. Those of halves are summed in float32. */
import {
  add,
  addTensors,
  at,
  type Buffer,
  batchMatmul,
  cast,
  castTensor,
  compute,
  type Expr,
  elementwise,
  mul,
  reduceAxis,
  reshape,
  sum,
} from "@warpfarm/compiler/language";
import { widened } from "./elementwise.ts";
import { type Operator, type Tensor, wideOf } from "./node.ts";

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

/**
 * Sums of products of one or two tensors, whose dimensions are letters; those that the result lacks are summed over. It is one
 * stage, which the rules take as the product that it is.
 */
const einsum: Operator = (node) => {
  const equation = String(node.any("equation") ?? "").replace(/\s/g, "");
  const [left = "", right] = equation.split("->");
  const terms = left.split(",");
  const isRead = /^[A-Za-z]*(,[A-Za-z]*)?(->[A-Za-z]*)?$/.test(equation) && terms.length === node.inputCount;
  if (!isRead)
    node.refuse(`its equation is ${JSON.stringify(equation)}; it takes letters of one or two inputs, such as "ij,jk->ik"`);
  const tensors = terms.map((_, i) => node.tensor(i));
  const extents = new Map<string, number>();
  for (const [i, term] of terms.entries()) {
    const { shape } = tensors[i] as Tensor;
    if (shape.length !== term.length) node.refuse(`input ${i} has ${shape.length} dimensions, and its letters are "${term}"`);
    for (const [d, letter] of [...term].entries()) {
      const extent = extents.get(letter) ?? shape[d];
      if (extent !== shape[d]) node.refuse(`${letter} is of ${extent} and of ${shape[d]} elements`);
      extents.set(letter, shape[d] as number);
    }
  }
  // Without a result, its letters are those that occur once, in the order of the alphabet.
  const once = [...extents.keys()].filter((letter) => left.split(letter).length === 2).sort();
  const kept = right === undefined ? once : [...right];
  const unknown = kept.find((letter, i) => !extents.has(letter) || kept.indexOf(letter) !== i);
  if (unknown !== undefined) node.refuse(`its result has ${unknown} twice, or no input has it`);
  const extentOf = (letter: string): number => extents.get(letter) as number;
  const summed = [...extents.keys()]
    .filter((letter) => !kept.includes(letter))
    .map((letter) => reduceAxis(`r_${letter}`, extentOf(letter)));
  const dtype = (tensors[0] as Tensor).buffer.dtype;
  const shape = kept.map(extentOf);
  const isWide = wideOf(dtype) !== dtype;
  const axes = kept.length === 0 ? ([["one", 1]] as const) : kept.map((letter) => [`i_${letter}`, extentOf(letter)] as const);
  const made = compute(isWide ? `${node.name}_wide` : node.name, axes, (...index) => {
    const placeOf = (letter: string): Expr =>
      summed.find(({ loopVar }) => loopVar.name === `r_${letter}`)?.loopVar ?? (index[kept.indexOf(letter)] as Expr);
    const factors = terms.map((term, i) =>
      cast(wideOf(dtype), at((tensors[i] as Tensor).buffer, ...(term === "" ? [0] : [...term].map(placeOf)))),
    );
    const product = factors.reduce((a, b) => mul(a, b));
    return summed.length > 0 ? sum(product, summed) : product;
  });
  return { kind: "tensor", shape, buffer: isWide ? castTensor(made, dtype, { name: node.name }) : made };
};

export const products: { readonly [op: string]: Operator } = { MatMul: matMul, Gemm: gemm, Einsum: einsum };
