/**
 * Body expressions as JSON (docs/contracts.md): an int32 is a number, a variable its name, everything else a list with its kind
 * first. Decoding goes through the checking constructors, and refuses what they would fold: a document has one form, so equal
 * expressions have equal bytes.
 */
import { type DType, dtypes, intRanges, isFloat, type Json } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import { binaryWords, type Expr, type MathName, mathNames, type Var } from "../ir/expr.ts";
import * as te from "../te/expr.ts";
import { GraphError } from "../te/graph-error.ts";
import { fail, readInt, readList, readOneOf, readString, show } from "./read-json.ts";

const binaries = {
  add: te.add,
  sub: te.sub,
  mul: te.mul,
  div: te.div,
  floor_div: te.floorDiv,
  floor_mod: te.floorMod,
  min: te.minimum,
  max: te.maximum,
  eq: te.equal,
  ne: te.notEqual,
  lt: te.less,
  le: te.lessEqual,
  gt: te.greater,
  ge: te.greaterEqual,
  and: te.all,
  or: te.any,
} as const;
type BinaryWord = keyof typeof binaries;

const { exp, exp2, log, sqrt, tanh, erf, sin, cos, floor, ceil, round, abs, tf32 } = te;
const maths: Record<Exclude<MathName, "pow">, (value: Expr) => Expr> = {
  exp,
  exp2,
  log,
  sqrt,
  tanh,
  erf,
  sin,
  cos,
  floor,
  ceil,
  round,
  abs,
  tf32,
};

const comparisons: ReadonlySet<string> = new Set(["eq", "ne", "lt", "le", "gt", "ge"]);

const floatText = (value: number): string => {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Object.is(value, -0) ? "-0" : String(value);
};

const taggedInts = (Object.keys(intRanges) as DType[]).filter((dtype) => dtype !== "int32");

/** Inverse of floatText; undefined for any other spelling. */
function floatValue(text: string): number | undefined {
  const value = text === "nan" ? Number.NaN : text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);
  return floatText(value) === text ? value : undefined;
}

export function encodeExpr(e: Expr): Json {
  switch (e.kind) {
    case "IntImm":
      return e.dtype === "int32" ? e.value : ["int", e.dtype, e.value];
    case "FloatImm":
      return ["float", e.dtype, floatText(e.value)];
    case "Var":
      return e.name;
    case "Not":
      return ["not", encodeExpr(e.value)];
    case "Cast":
      return ["cast", e.dtype, encodeExpr(e.value)];
    case "Select":
      return ["select", encodeExpr(e.cond), encodeExpr(e.whenTrue), encodeExpr(e.whenFalse)];
    case "Load":
      return ["load", e.buffer.name, e.indices.map(encodeExpr)];
    case "Call":
      return ["call", e.name, ...e.args.map(encodeExpr)];
    case "Lookup":
    case "Ramp":
    case "Broadcast":
      throw new GraphError(`a ${e.kind} in a body; bodies are scalar`);
    default:
      return [binaryWords[e.kind], encodeExpr(e.a), encodeExpr(e.b)];
  }
}

export interface Names {
  readonly vars: ReadonlyMap<string, Var>;
  readonly tensors: ReadonlyMap<string, Buffer>;
}

const readDType = (value: Json | undefined, path: string): DType => readOneOf(value, path, dtypes);

/** Runs a checking constructor. Reports a refusal for the path, and refuses what folding would change. */
function build(path: string, make: () => Expr, unfolded: (e: Expr) => boolean): Expr {
  let e: Expr;
  try {
    e = make();
  } catch (error) {
    if (error instanceof GraphError) return fail(path, error.message);
    throw error;
  }
  return unfolded(e) ? e : fail(path, "is not in normal form: a constant or an identity in it must be folded");
}

function arity(list: readonly Json[], count: number, path: string): void {
  if (list.length !== count) fail(path, `${show(list[0])} takes ${count - 1} operands, here are ${list.length - 1}`);
}

function decodeInt(list: readonly Json[], path: string): Expr {
  arity(list, 3, path);
  const dtype = readOneOf(list[1], `${path}[1]`, taggedInts);
  const [least, most] = intRanges[dtype] as readonly [number, number];
  return b.int(readInt(list[2], `${path}[2]`, least, most), dtype);
}

function decodeFloat(list: readonly Json[], path: string): Expr {
  arity(list, 3, path);
  const dtype = readOneOf(list[1], `${path}[1]`, dtypes.filter(isFloat));
  const text = readString(list[2], `${path}[2]`);
  const value = floatValue(text);
  if (value === undefined) return fail(`${path}[2]`, `${show(text)} is not a number as ECMAScript prints it, inf, -inf or nan`);
  return b.float(value, dtype);
}

export function decodeExpr(json: Json, path: string, names: Names): Expr {
  if (typeof json === "number") return b.int(readInt(json, path, -(2 ** 31), 2 ** 31 - 1));
  if (typeof json === "string")
    return (
      names.vars.get(json) ?? fail(path, `unknown variable ${show(json)}; the axes are ${[...names.vars.keys()].join(", ")}`)
    );
  const list: readonly Json[] = Array.isArray(json) ? json : fail(path, `${show(json)} is not an expression`);
  const word = readString(list[0], `${path}[0]`);
  const operand = (i: number): Expr => decodeExpr(list[i] as Json, `${path}[${i}]`, names);
  switch (word) {
    case "int":
      return decodeInt(list, path);
    case "float":
      return decodeFloat(list, path);
    case "not":
      arity(list, 2, path);
      return build(
        path,
        () => te.not(operand(1)),
        (e) => e.kind === "Not",
      );
    case "cast": {
      arity(list, 3, path);
      const dtype = readDType(list[1], `${path}[1]`);
      const value = operand(2);
      return build(
        path,
        () => te.cast(dtype, value),
        (e) => e !== value,
      );
    }
    case "select": {
      arity(list, 4, path);
      const [cond, whenTrue, whenFalse] = [operand(1), operand(2), operand(3)];
      return build(
        path,
        () => te.select(cond, whenTrue, whenFalse),
        (e) => e !== whenTrue && e !== whenFalse,
      );
    }
    case "load": {
      arity(list, 3, path);
      const name = readString(list[1], `${path}[1]`);
      const tensor = names.tensors.get(name) ?? fail(`${path}[1]`, `no input or earlier op is named ${show(name)}`);
      const indices = readList(list[2], `${path}[2]`, (item, at) => decodeExpr(item, at, names));
      return build(
        path,
        () => te.at(tensor, ...indices),
        () => true,
      );
    }
    case "call": {
      const name = readOneOf(list[1], `${path}[1]`, mathNames);
      arity(list, name === "pow" ? 4 : 3, path);
      const value = operand(2);
      return build(
        path,
        () => (name === "pow" ? te.pow(value, operand(3)) : maths[name](value)),
        () => true,
      );
    }
    default: {
      if (!Object.hasOwn(binaries, word)) return fail(`${path}[0]`, `unknown kind of expression ${show(word)}`);
      arity(list, 3, path);
      const [x, y] = [operand(1), operand(2)];
      const bothImmediate = x.kind === "IntImm" && y.kind === "IntImm" && x.dtype === y.dtype;
      const folds = bothImmediate && (x.dtype === "int32" || comparisons.has(word));
      return build(
        path,
        () => (folds ? x : binaries[word as BinaryWord](x, y)),
        (e) => "a" in e && e.a === x && e.b === y,
      );
    }
  }
}
