/**
 * Expressions as a user writes them: a plain number means a constant of the other operand's dtype, and a fault is a GraphError.
 */
import { type DType, isFloat } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import type { BinaryKind, CompareKind, Expr, MathName } from "../ir/expr.ts";
import { checkType, refuse } from "./graph-error.ts";

/** A number is a constant: int32 as an index, otherwise of the other operand's dtype. */
export type Operand = Expr | number;

/** Repeats the types' checks, because a user's file may be JavaScript. */
function checkOperand(what: string, x: unknown): void {
  if (typeof x === "number" || (typeof x === "object" && x !== null && "kind" in x && "dtype" in x)) return;
  if (typeof x === "object" && x !== null && "kind" in x && x.kind === "Reduction")
    refuse(
      `${what} takes no reduction, which is the whole body of a compute; give the reduction a compute of its own and read that by at`,
    );
  const isAxis = typeof x === "object" && x !== null && "loopVar" in x;
  refuse(`${what} takes numbers and expressions, not ${isAxis ? "an axis; the axis's variable is its .loopVar" : typeof x}`);
}

function lift(x: Operand, dtype: DType): Expr {
  if (typeof x !== "number") return x;
  if (!isFloat(dtype) && !Number.isSafeInteger(x)) refuse(`the constant ${x} is not a whole number, but stands beside ${dtype}`);
  return b.constant(x, dtype);
}

function pair(what: string, x: Operand, y: Operand): [Expr, Expr] {
  checkOperand(what, x);
  checkOperand(what, y);
  const dtype = typeof x !== "number" ? x.dtype : typeof y !== "number" ? y.dtype : "int32";
  const lifted: [Expr, Expr] = [lift(x, dtype), lift(y, dtype)];
  if (lifted[0].dtype !== lifted[1].dtype) refuse(`${what} of ${lifted[0].dtype} and ${lifted[1].dtype}; cast one of them`);
  return lifted;
}

const arithmetic = (what: string, kind: BinaryKind) => (x: Operand, y: Operand) => {
  const [a, c] = pair(what, x, y);
  if (a.dtype === "bool") refuse(`${what} of bool; cast it first`);
  if (kind === "Div" && !isFloat(a.dtype)) refuse(`div of ${a.dtype}; div is for floats, floorDiv for integers`);
  if ((kind === "FloorDiv" || kind === "FloorMod") && isFloat(a.dtype)) refuse(`${what} of ${a.dtype}; it is for integers`);
  if ((kind === "FloorDiv" || kind === "FloorMod") && b.isInt(c, 0)) refuse(`${what} by 0`);
  return b.binary(kind, a, c);
};
export const add = arithmetic("add", "Add");
export const sub = arithmetic("sub", "Sub");
export const mul = arithmetic("mul", "Mul");
export const div = arithmetic("div", "Div");
export const floorDiv = arithmetic("floorDiv", "FloorDiv");
export const floorMod = arithmetic("floorMod", "FloorMod");
export const minimum = arithmetic("minimum", "Min");
export const maximum = arithmetic("maximum", "Max");

const comparison = (what: string, kind: CompareKind) => (x: Operand, y: Operand) => b.compare(kind, ...pair(what, x, y));
export const equal = comparison("equal", "EQ");
export const notEqual = comparison("notEqual", "NE");
export const less = comparison("less", "LT");
export const lessEqual = comparison("lessEqual", "LE");
export const greater = comparison("greater", "GT");
export const greaterEqual = comparison("greaterEqual", "GE");

function condition(what: string, e: Expr): Expr {
  checkOperand(what, e);
  return e.dtype === "bool" ? e : refuse(`${what} of ${e.dtype}; it takes conditions (bool)`);
}
/** All of the conditions, tested in order. */
export const all = (...terms: readonly Expr[]): Expr => b.and(...terms.map((t) => condition("all", t)));
/** Any of the conditions, tested in order. */
export const any = (...terms: readonly Expr[]): Expr => terms.map((t) => condition("any", t)).reduce(b.or, b.bool(false));
export const not = (e: Expr): Expr => b.not(condition("not", e));

/** cond ? whenTrue : whenFalse; only the chosen side is evaluated, so the condition may guard a load. */
export function select(cond: Expr, whenTrue: Operand, whenFalse: Operand): Expr {
  return b.select(condition("select", cond), ...pair("select", whenTrue, whenFalse));
}
export function cast(dtype: DType, value: Expr): Expr {
  checkType("cast", dtype);
  checkOperand("cast", value);
  return b.cast(dtype, value);
}

export function at(tensor: Buffer, ...indices: readonly Operand[]): Expr {
  if (indices.length !== tensor.shape.length)
    refuse(`"${tensor.name}" has ${tensor.shape.length} dimensions, but is indexed by ${indices.length}`);
  for (const i of indices) checkOperand(`an index of "${tensor.name}"`, i);
  return b.load(
    tensor,
    indices.map((i) => lift(i, "int32")),
  );
}

const math = (name: MathName) => (value: Expr) => {
  checkOperand(name, value);
  return isFloat(value.dtype) || (name === "abs" && value.dtype !== "bool")
    ? b.call(name, value)
    : refuse(`${name} of ${value.dtype}; it is for floats`);
};
export const exp = math("exp");
export const exp2 = math("exp2");
export const log = math("log");
export const sqrt = math("sqrt");
export const tanh = math("tanh");
/** The error function, 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to the value. */
export const erf = math("erf");
export const sin = math("sin");
export const cos = math("cos");
export const floor = math("floor");
export const ceil = math("ceil");
/** To the nearest whole number, halves to the even one. */
export const round = math("round");
export const abs = math("abs");
/** To the 11 significant bits of a tensor core's factor, halves away from zero; still a float32. */
export const tf32 = (value: Expr): Expr => {
  checkOperand("tf32", value);
  return value.dtype === "float32" ? b.call("tf32", value) : refuse(`tf32 of ${value.dtype}; it rounds float32`);
};
export const pow = (x: Operand, y: Operand): Expr => {
  const [base, exponent] = pair("pow", x, y);
  return isFloat(base.dtype) ? b.call("pow", base, exponent) : refuse(`pow of ${base.dtype}; it is for floats`);
};
/** 1 / (1 + e^-x) */
export const sigmoid = (x: Expr): Expr => div(1, add(1, exp(sub(0, x))));
/** 1 / sqrt(x) */
export const rsqrt = (x: Expr): Expr => div(1, sqrt(x));
