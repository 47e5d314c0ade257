/** Operators of one element at a time, with NumPy's broadcasting. */
import { type DType, isFloat } from "@warpfarm/common";
import {
  abs,
  add,
  all,
  any,
  type Buffer,
  cast,
  castTensor,
  ceil,
  cos,
  div,
  type Expr,
  equal,
  erf,
  elementwise as everywhere,
  exp,
  floor,
  floorDiv,
  floorMod,
  gelu as geluOf,
  geluTanh,
  greater,
  greaterEqual,
  hardSwish,
  less,
  lessEqual,
  log,
  maximum,
  minimum,
  mul,
  not,
  notEqual,
  type Operand,
  pow,
  reshape,
  round,
  select,
  sigmoid,
  silu,
  sin,
  sqrt,
  sub,
  tanh,
} from "@warpfarm/compiler/language";
import {
  isHalf,
  keptType,
  type NodeReader,
  type Operator,
  onnxTypes,
  preferFill,
  type Tensor,
  type Value,
  wideOf,
} from "./node.ts";

/** The shape of operands that are broadcast. */
export function commonShape(node: NodeReader, shapes: readonly (readonly number[])[]): readonly number[] {
  const rank = Math.max(...shapes.map(({ length }) => length));
  return Array.from({ length: rank }, (_, d) => {
    const extents = shapes.map((shape) => shape[d - rank + shape.length] ?? 1);
    const extent = extents.find((e) => e !== 1) ?? 1;
    if (extents.some((e) => e !== extent && e !== 1))
      node.refuse(`the shapes ${shapes.map((s) => `[${s.join(", ")}]`).join(" and ")} cannot be broadcast to each other`);
    return extent;
  });
}

/**
 * f of the elements at one place. Constants of one element are numbers in the formula; the others are stored with the type of the
 * first tensor.
 */
export function elements(node: NodeReader, values: readonly Value[], f: (...elements: readonly Operand[]) => Expr): Tensor {
  const shape = commonShape(
    node,
    values.map((value) => value.shape),
  );
  const dtype = values.find((value) => value.kind === "tensor")?.buffer.dtype;
  const tensors = new Map<number, Buffer>();
  const rank = Math.max(0, ...values.map((value) => (value.kind === "tensor" ? value.shape.length : 0)));
  for (const [i, value] of values.entries())
    if (value.kind === "tensor") tensors.set(i, value.buffer);
    else if (value.numbers.length > 1 || dtype === undefined || value.shape.length > rank)
      tensors.set(
        i,
        node.stored(value, `${node.name}_in${i}`, dtype === undefined || dtype === "bool" ? value.dtype : dtype).buffer,
      );
  const places = [...tensors.keys()];
  const buffer = everywhere(node.name, [...tensors.values()], (...loaded) =>
    f(
      ...values.map((value, i) =>
        value.kind === "constant" && !tensors.has(i) ? (value.numbers[0] as number) : (loaded[places.indexOf(i)] as Expr),
      ),
    ),
  );
  return { kind: "tensor", shape, buffer };
}

/** A function of floats; that of a half goes through float32. */
const ofFloats =
  (f: (x: Expr, node: NodeReader) => Expr, fill?: "positive"): Operator =>
  (node) => {
    const x = node.tensor(0);
    const { dtype } = x.buffer;
    if (!isFloat(dtype)) node.refuse(`its input is ${dtype}; it takes floats`);
    if (fill) preferFill(x, fill);
    return elements(node, [x], (element) => cast(dtype, f(cast(wideOf(dtype), element as Expr), node)));
  };
const ofAny =
  (f: (x: Expr, node: NodeReader) => Expr): Operator =>
  (node) =>
    elements(node, [node.tensor(0)], (x) => f(x as Expr, node));

const binary =
  (f: (a: Operand, b: Operand) => Expr): Operator =>
  (node) =>
    elements(node, [node.value(0), node.value(1)], (a, b) => f(a as Operand, b as Operand));
const many =
  (f: (a: Operand, b: Operand) => Expr): Operator =>
  (node) =>
    elements(node, node.values(), (...all) => (all.length === 1 ? add(all[0] as Operand, 0) : (all.reduce(f) as Expr)));

const dtypeOf = (...operands: readonly Operand[]): DType =>
  operands.map((x) => (typeof x === "number" ? undefined : x.dtype)).find((dtype) => dtype !== undefined) ?? "float32";

/** Of whole numbers it is rounded towards 0, and the quotient by 0 is 0. */
function quotient(a: Operand, b: Operand): Expr {
  if (isFloat(dtypeOf(a, b))) return div(a, b);
  const safe = typeof b === "number" ? b : select(equal(b, 0), 1, b);
  const down = floorDiv(a, safe);
  const isInexact = notEqual(mul(down, safe), a);
  const whole = select(all(isInexact, less(down, 0)), add(down, 1), down);
  return typeof b === "number" ? whole : select(equal(b, 0), 0, whole);
}
const remainder = (a: Operand, b: Operand): Expr => floorMod(a, typeof b === "number" ? b : select(equal(b, 0), 1, b));

/** Halves are raised in float32. An exponent of 2, 0.5 and the like needs no power. */
function power(a: Operand, b: Operand): Expr {
  const dtype = dtypeOf(a, b);
  const wide = (x: Operand): Operand => (typeof x === "number" ? x : cast(wideOf(dtype), x));
  if (b === 2) return mul(a, a);
  if (b === 3) return mul(mul(a, a), a);
  if (b === 0.5) return cast(dtype, sqrt(wide(a) as Expr));
  return cast(dtype, pow(wide(a), wide(b)));
}

/** More nodes than one carry the same bool, which has no arithmetic. */
const logic =
  (f: (a: Expr, b: Expr) => Expr): Operator =>
  (node) => {
    const [a, b] = [node.tensor(0, "bool"), node.tensor(1, "bool")];
    for (const { buffer } of [a, b]) if (buffer.dtype !== "bool") node.refuse(`an input is ${buffer.dtype}; it takes bool`);
    return elements(node, [a, b], (x, y) => f(x as Expr, y as Expr));
  };

const clip: Operator = (node) => {
  const bound = (name: string, input: number): Operand | undefined => {
    if (node.hasAttribute(name)) return node.float(name, 0);
    return node.has(input) ? (node.numbers(name, input)?.[0] as number) : undefined;
  };
  const [low, high] = [bound("min", 1), bound("max", 2)];
  return elements(node, [node.tensor(0)], (x) => {
    const raised = low === undefined ? (x as Expr) : maximum(x as Expr, low);
    return high === undefined ? raised : minimum(raised, high);
  });
};

export function converted(x: Expr, to: DType): Expr {
  if (to === "bool") return notEqual(x, 0);
  return cast(to, x);
}

const castTo: Operator = (node) => {
  const code = node.int("to", 0);
  node.ignore("saturate", "round_mode");
  const given = onnxTypes[code] ?? node.refuse(`the type ${code} is none of ${Object.keys(onnxTypes).join(", ")}`);
  const to = keptType(given);
  return elements(node, [node.tensor(0)], (x) => converted(x as Expr, to));
};

const where: Operator = (node) => {
  const condition = node.tensor(0, "bool");
  if (condition.buffer.dtype !== "bool") node.refuse(`its condition is ${condition.buffer.dtype}; it takes bool`);
  const sides = [node.value(1), node.value(2)];
  const tensor = sides.find((side) => side.kind === "tensor");
  const whole = sides.every((side) => side.kind === "constant" && side.dtype !== "float32");
  const dtype = tensor?.buffer.dtype ?? (whole ? "int32" : "float32");
  const values = sides.map((side, i): Value => {
    const isNumber = side.kind === "constant" && side.numbers.length === 1 && tensor !== undefined;
    return side.kind === "tensor" || isNumber ? side : node.stored(side, `${node.name}_in${i + 1}`, dtype);
  });
  return elements(node, [condition, ...values], (c, x, y) => select(c as Expr, x as Operand, y as Operand));
};

const prelu: Operator = (node) => {
  const [x, slope] = [node.tensor(0), node.tensor(1)];
  // The slope of one element a channel is broadcast as NumPy does, so exporters give it as (C, 1, 1).
  return elements(node, [x, slope], (v, s) => select(less(v as Expr, 0), mul(v as Expr, s as Expr), v as Expr));
};

const identity: Operator = (node) => {
  const { shape, buffer } = node.tensor(0);
  return { kind: "tensor", shape, buffer: reshape(buffer, buffer.shape, { name: node.name }) };
};
const dropout: Operator = (node) => {
  node.ignore("seed", "ratio");
  for (const input of [1, 2]) node.has(input);
  return identity(node);
};

const steady = (alpha: number, x: Expr): Expr => select(less(x, 0), mul(sub(exp(x), 1), alpha), x);

export const elementwise: { readonly [op: string]: Operator } = {
  Abs: ofAny(abs),
  Neg: ofAny((x) => sub(0, x)),
  Relu: ofAny((x) => maximum(x, 0)),
  LeakyRelu: ofAny((x, node) => select(less(x, 0), mul(x, node.float("alpha", 0.01)), x)),
  PRelu: prelu,
  ThresholdedRelu: ofAny((x, node) => select(greater(x, node.float("alpha", 1)), x, 0)),
  Elu: ofFloats((x, node) => steady(node.float("alpha", 1), x)),
  Celu: ofFloats((x, node) => {
    const alpha = node.float("alpha", 1);
    return add(maximum(x, 0), minimum(mul(sub(exp(div(x, alpha)), 1), alpha), 0));
  }),
  Selu: ofFloats((x, node) => mul(steady(node.float("alpha", 1.6732632423543772), x), node.float("gamma", 1.0507009873554805))),
  Sigmoid: ofFloats(sigmoid),
  HardSigmoid: ofFloats((x, node) => minimum(maximum(add(mul(x, node.float("alpha", 0.2)), node.float("beta", 0.5)), 0), 1)),
  HardSwish: ofFloats(hardSwish),
  Swish: ofFloats((x, node) => {
    const alpha = node.float("alpha", 1);
    return alpha === 1 ? silu(x) : mul(x, sigmoid(mul(x, alpha)));
  }),
  Mish: ofFloats((x) => mul(x, tanh(log(add(1, exp(x)))))),
  Softplus: ofFloats((x) => add(maximum(x, 0), log(add(1, exp(sub(0, abs(x))))))),
  Softsign: ofFloats((x) => div(x, add(1, abs(x)))),
  Tanh: ofFloats(tanh),
  Erf: ofFloats(erf),
  Gelu: ofFloats((x, node) => (node.word("approximate", ["none", "tanh"]) === "tanh" ? geluTanh(x) : geluOf(x))),
  Exp: ofFloats(exp),
  Log: ofFloats(log, "positive"),
  Sqrt: ofFloats(sqrt, "positive"),
  Reciprocal: ofFloats((x) => div(1, x)),
  Floor: ofFloats(floor),
  Ceil: ofFloats(ceil),
  Round: ofFloats(round),
  Sin: ofFloats(sin),
  Cos: ofFloats(cos),
  Sign: ofAny((x) => sub(cast(x.dtype, greater(x, 0)), cast(x.dtype, less(x, 0)))),
  Not: ofAny(not),
  Identity: identity,
  Dropout: dropout,
  Cast: castTo,
  Clip: clip,
  Add: binary(add),
  Sub: binary(sub),
  Mul: binary(mul),
  Div: binary(quotient),
  Mod: (node) => {
    if (node.flag("fmod")) node.refuse("fmod is 1; only remainders with the divisor's sign are computed");
    return binary(remainder)(node);
  },
  Pow: binary(power),
  Min: many(minimum),
  Max: many(maximum),
  Sum: many(add),
  Mean: (node) => {
    const count = node.inputCount;
    return elements(node, node.values(), (...all) =>
      div(
        all.reduce((a, b) => add(a, b)),
        count,
      ),
    );
  },
  Equal: binary(equal),
  Less: binary(less),
  LessOrEqual: binary(lessEqual),
  Greater: binary(greater),
  GreaterOrEqual: binary(greaterEqual),
  And: logic((a, b) => all(a, b)),
  Or: logic((a, b) => any(a, b)),
  Xor: logic((a, b) => any(all(a, not(b)), all(not(a), b))),
  Where: where,
};

/** A tensor in float32 if it is of halves. */
export function widened(tensor: Tensor, name: string): Tensor {
  if (!isHalf(tensor.buffer.dtype)) return tensor;
  return { ...tensor, buffer: everywhere(name, [tensor.buffer], (x) => cast("float32", x as Expr)) };
}

/** `make` of the float32 of halves, and the result in the tensor's type. */
export function inWide(node: NodeReader, x: Tensor, make: (buffer: Buffer, name: string) => Buffer): Buffer {
  const { dtype } = x.buffer;
  if (!isFloat(dtype)) node.refuse(`its input is ${dtype}; it takes floats`);
  const wide = widened(x, `${node.name}_in`);
  if (wide === x) return make(x.buffer, node.name);
  return castTensor(make(wide.buffer, `${node.name}_wide`), dtype, { name: node.name });
}
