/** Softmax, normalizations and reductions. Those of halves are computed in float32. */
import { isFloat } from "@warpfarm/common";
import {
  abs,
  add,
  argmax,
  argmin,
  at,
  axesOf,
  type Buffer,
  batchNorm,
  cast,
  compute,
  constant,
  type Expr,
  elementwise,
  exp,
  groupNorm,
  layerNorm,
  less,
  log,
  logSoftmax,
  maximum,
  maxOver,
  meanOver,
  minOver,
  mul,
  type NormOptions,
  productOver,
  reshape,
  rmsNorm,
  scan,
  select,
  softmax,
  sqrt,
  sub,
  sumOver,
} from "@warpfarm/compiler/language";
import { inWide, widened } from "./elementwise.ts";
import { type NodeReader, type Operator, type Tensor, wideOf } from "./node.ts";

const alongOne =
  (of: typeof softmax): Operator =>
  (node) => {
    const x = node.tensor(0);
    const dimension = node.axis("axis", -1, x.shape.length);
    return { kind: "tensor", shape: x.shape, buffer: inWide(node, x, (buffer, name) => of(buffer, { name, dimension })) };
  };

/** A vector of one number a channel beside (N, C, ...). */
function channels(node: NodeReader, i: number, rank: number, count: number, fill?: "positive"): Buffer {
  const given = fill ? node.positive(i) : node.tensor(i);
  if (given.shape.join() !== String(count))
    node.refuse(`input ${i} has the shape [${given.shape.join(", ")}]; it takes [${count}]`);
  const wide = widened(given, `${node.name}_wide${i}`).buffer;
  return reshape(wide, [count, ...new Array<number>(rank - 2).fill(1)], { name: `${node.name}_in${i}` });
}

function affine(node: NodeReader, first: number, buffer: (i: number) => Buffer): Pick<NormOptions, "scale" | "bias"> {
  return {
    ...(node.has(first) ? { scale: buffer(first) } : {}),
    ...(node.has(first + 1) ? { bias: buffer(first + 1) } : {}),
  };
}

const imageRank = (node: NodeReader, { shape }: Tensor): readonly [channels: number, rank: number] =>
  shape.length >= 2 ? [shape[1] ?? 1, shape.length] : node.refuse(`its input has ${shape.length} dimensions; it has at least 2`);

const batchNormalization: Operator = (node) => {
  const x = node.tensor(0);
  const [count, rank] = imageRank(node, x);
  if (node.flag("training_mode")) node.refuse("training_mode is 1; it is computed with given mean and variance");
  node.ignore("momentum", "spatial");
  const epsilon = node.float("epsilon", 1e-5);
  const at = (i: number, fill?: "positive") => channels(node, i, rank, count, fill);
  const options = { epsilon, scale: at(1), bias: at(2) };
  const [mean, variance] = [at(3), at(4, "positive")];
  return {
    kind: "tensor",
    shape: x.shape,
    buffer: inWide(node, x, (buffer, name) => batchNorm(buffer, mean, variance, { ...options, name })),
  };
};

const instanceNormalization: Operator = (node) => {
  const x = node.tensor(0);
  const [count, rank] = imageRank(node, x);
  const dimensions = x.shape.slice(2).map((_, d) => d + 2);
  if (dimensions.length === 0) node.refuse("its input has no dimensions after channels");
  const options = { epsilon: node.float("epsilon", 1e-5), dimensions, ...affine(node, 1, (i) => channels(node, i, rank, count)) };
  return { kind: "tensor", shape: x.shape, buffer: inWide(node, x, (buffer, name) => layerNorm(buffer, { ...options, name })) };
};

/** Scale and bias are of channels (opset 21) or of groups (opset 18). */
const groupNormalization: Operator = (node) => {
  const x = node.tensor(0);
  const [count, rank] = imageRank(node, x);
  const groups = node.int("num_groups", 0);
  node.ignore("stash_type");
  const epsilon = node.float("epsilon", 1e-5);
  const parameter = (i: number): Buffer => {
    const { shape } = node.tensor(i);
    if (count === groups || shape.join() !== String(groups) || count % groups !== 0) return channels(node, i, rank, count);
    const each = reshape(channels(node, i, 2, groups), [groups, 1], { name: `${node.name}_group${i}` });
    const all = elementwise(`${node.name}_all${i}`, [each], (one) => one as Expr, [groups, count / groups]);
    return reshape(all, [count, ...new Array<number>(rank - 2).fill(1)], { name: `${node.name}_channel${i}` });
  };
  const options = { epsilon, ...affine(node, 1, parameter) };
  return {
    kind: "tensor",
    shape: x.shape,
    buffer: inWide(node, x, (buffer, name) => groupNorm(buffer, groups, { ...options, name })),
  };
};

const overLast =
  (of: typeof layerNorm): Operator =>
  (node) => {
    const x = node.tensor(0);
    const axis = node.axis("axis", -1, x.shape.length);
    node.ignore("stash_type");
    const own = x.shape.slice(axis);
    const parameter = (i: number): Buffer => {
      const given = node.tensor(i);
      if (
        given.shape.length > own.length ||
        given.shape.some((extent, d) => extent !== 1 && extent !== own[d - given.shape.length + own.length])
      )
        node.refuse(`input ${i} has the shape [${given.shape.join(", ")}]; it takes [${own.join(", ")}]`);
      return widened(given, `${node.name}_wide${i}`).buffer;
    };
    const dimensions = own.map((_, d) => axis + d);
    const options = { epsilon: node.float("epsilon", 1e-5), dimensions, ...affine(node, 1, parameter) };
    return { kind: "tensor", shape: x.shape, buffer: inWide(node, x, (buffer, name) => of(buffer, { ...options, name })) };
  };

type Over = (x: Buffer, dimensions: readonly number[], options: { readonly name: string; readonly drops: boolean }) => Buffer;
interface Around {
  /** Of each element, before the reduction. */
  readonly before?: (x: Expr) => Expr;
  readonly after?: (x: Expr) => Expr;
}

const same = (x: Expr): Expr => x;

function reducing(over: Over, { before = same, after = same }: Around = {}, isForFloats = after !== same): Operator {
  return (node) => {
    const x = node.tensor(0);
    const rank = x.shape.length;
    const given = node.numbers("axes", 1) ?? [];
    const keeps = node.flag("keepdims", true);
    const { dtype } = x.buffer;
    if (isForFloats && !isFloat(dtype)) node.refuse(`its input is ${dtype}; it takes floats`);
    const wide = wideOf(dtype);
    // Over no dimension each element is a sum of its own: that of squares is a square.
    if (node.flag("noop_with_empty_axes") && given.length === 0)
      return { ...x, buffer: elementwise(node.name, [x.buffer], (e) => cast(dtype, after(before(cast(wide, e as Expr))))) };
    const axes = given.length > 0 ? given.map((axis) => node.axisOf(axis, rank)) : x.buffer.shape.map((_, d) => d);
    const shape = x.shape.flatMap((extent, d) => (axes.includes(d) ? (keeps ? [1] : []) : [extent]));
    const name = (step: string, isLast: boolean): string => (isLast ? node.name : `${node.name}_${step}`);
    const isWide = wide !== dtype;
    const input =
      before !== same || isWide ? elementwise(`${node.name}_in`, [x.buffer], (e) => before(cast(wide, e as Expr))) : x.buffer;
    const isFinished = after !== same || isWide;
    const drops = !keeps || rank === 0;
    const reduced = over(input, axes, { name: name("over", !isFinished), drops });
    const buffer = isFinished ? elementwise(node.name, [reduced], (e) => cast(dtype, after(e as Expr))) : reduced;
    return { kind: "tensor", shape, buffer };
  };
}
const square = (x: Expr): Expr => mul(x, x);

/** log of the sum of e^x, by the greatest element, so that it is finite. */
const logSumExp: Over = (x, dimensions, { name, drops }) => {
  const top = maxOver(x, dimensions, { name: `${name}_max` });
  const power = elementwise(`${name}_exp`, [x, top], (a, m) => exp(sub(a as Expr, m as Expr)));
  const total = sumOver(power, dimensions, { name: `${name}_sum`, drops });
  const level = drops ? reshape(top, total.shape, { name: `${name}_level` }) : top;
  return elementwise(name, [total, level], (s, m) => sub(log(s as Expr), sub(0, m as Expr)));
};

const place =
  (of: typeof argmax): Operator =>
  (node) => {
    const x = node.tensor(0);
    const axis = node.axis("axis", 0, x.shape.length);
    const keeps = node.flag("keepdims", true);
    if (node.flag("select_last_index")) node.refuse("select_last_index is 1; the first of equal elements is found");
    const shape = keeps ? x.shape.with(axis, 1) : x.shape.toSpliced(axis, 1);
    return { kind: "tensor", shape, buffer: of(x.buffer, axis, { name: node.name, drops: !keeps }) };
  };

/**
 * Sums from the first element to each, or from the last; `exclusive` without the element itself. Halves are summed in float32.
 */
const runningSum: Operator = (node) => {
  const x = node.tensor(0);
  const { shape } = x;
  const given = node.hasAttribute("axis")
    ? node.int("axis", 0)
    : (node.numbers("axis", 1)?.[0] ?? node.refuse("axis is missing"));
  const axis = node.axisOf(given, shape.length);
  const [isExclusive, isReverse] = [node.flag("exclusive"), node.flag("reverse")];
  const turned = (i: Expr): Expr => (isReverse ? sub((shape[axis] ?? 1) - 1, i) : i);
  const make = (buffer: Buffer, name: string): Buffer => {
    const isPlain = !isReverse && !isExclusive;
    const zero = constant(0, buffer.dtype);
    const [axes, along] = [axesOf(shape), `i${axis}`];
    const element = (from: Buffer, index: readonly Expr[], i: Expr) => at(from, ...index.with(axis, i));
    const sums = scan(
      isPlain ? name : `${name}_sums`,
      axes,
      along,
      () => zero,
      (before, ...index) => add(before, element(buffer, index, turned(index[axis] as Expr))),
    );
    if (isPlain) return sums;
    return compute(name, axes, (...index) => {
      const last = sub(turned(index[axis] as Expr), Number(isExclusive));
      return select(less(last, 0), zero, element(sums, index, maximum(last, 0)));
    });
  };
  return { kind: "tensor", shape, buffer: isFloat(x.buffer.dtype) ? inWide(node, x, make) : make(x.buffer, node.name) };
};

export const rows: { readonly [op: string]: Operator } = {
  Softmax: alongOne(softmax),
  LogSoftmax: alongOne(logSoftmax),
  BatchNormalization: batchNormalization,
  InstanceNormalization: instanceNormalization,
  GroupNormalization: groupNormalization,
  LayerNormalization: overLast(layerNorm),
  RMSNormalization: overLast(rmsNorm),
  ReduceSum: reducing(sumOver),
  ReduceMean: reducing(meanOver, {}, true),
  ReduceMax: reducing(maxOver),
  ReduceMin: reducing(minOver),
  ReduceProd: reducing(productOver),
  ReduceL1: reducing(sumOver, { before: abs }),
  ReduceL2: reducing(sumOver, { before: square, after: sqrt }),
  ReduceSumSquare: reducing(sumOver, { before: square }),
  ReduceLogSum: reducing(sumOver, { after: log }),
  ReduceLogSumExp: reducing(logSumExp, {}, true),
  ArgMax: place(argmax),
  ArgMin: place(argmin),
  CumSum: runningSum,
};
