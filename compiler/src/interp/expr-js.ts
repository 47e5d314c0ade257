/**
 * Expressions as JavaScript text with the arithmetic of their dtypes: float32 rounds at every operation (no contraction),
 * integers wrap. Conditions are JavaScript truth values; code that stores one converts it to a number. Helper names are those of
 * `exprHelpers`.
 */
import { assertNever, type DType, InternalError, isFloat } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import type { Binary, Expr, Table, Var } from "../ir/expr.ts";
import { mathValues } from "../ir/math.ts";
import { floorMod, roundTo, toBfloat16, toE4m3, toE5m2, toFloat16, toInt64, truncateTo } from "../ir/numeric.ts";
import { InterpError } from "./error.ts";

export interface Namer {
  /** Floats are not rounded. */
  readonly isWide?: boolean;
  variable(v: Var): string;
  buffer(b: Buffer): number | string;
  table(t: Table): string;
}

const divisor = (b: number): number => {
  if (b === 0) throw new InterpError("interp.division_by_zero", "an integer is divided by 0");
  return b;
};

export const exprHelpers = {
  math: mathValues,
  F: Math.fround,
  H: toFloat16,
  B: toBfloat16,
  E4: toE4m3,
  E5: toE5m2,
  I64: toInt64,
  fm: floorMod,
  nz: divisor,
  mn: (a: number, b: number): number => (a < b ? a : b),
  mx: (a: number, b: number): number => (a > b ? a : b),
  at: (values: readonly number[], index: number): number => values[index] ?? index,
  ti32: truncateTo("int32"),
  ti64: truncateTo("int64"),
  ti8: truncateTo("int8"),
  tu8: truncateTo("uint8"),
  ti4: truncateTo("int4"),
  ti1: truncateTo("int1"),
} as const;

function rounded(dtype: DType, text: string): string {
  switch (dtype) {
    case "float64":
      return `(${text})`;
    case "float32":
      return `F(${text})`;
    case "float16":
      return `H(${text})`;
    case "bfloat16":
      return `B(${text})`;
    case "float8_e4m3fn":
      return `E4(${text})`;
    case "float8_e5m2":
      return `E5(${text})`;
    case "int64":
      return `I64(${text})`;
    case "int32":
      return `(${text}|0)`;
    case "int8":
      return `((${text})<<24>>24)`;
    case "int4":
      return `((${text})<<28>>28)`;
    case "uint8":
      return `((${text})&255)`;
    case "int1":
      return `((${text})&1)`;
    case "bool":
      return `+(${text})`;
  }
}

function truncated(dtype: DType, text: string): string {
  switch (dtype) {
    case "int32":
      return `ti32(${text})`;
    case "int64":
      return `ti64(${text})`;
    case "int8":
      return `ti8(${text})`;
    case "uint8":
      return `tu8(${text})`;
    case "int4":
      return `ti4(${text})`;
    case "int1":
      return `ti1(${text})`;
    default:
      throw new InternalError(`float to ${dtype} is not a truncation`);
  }
}

type Round = typeof rounded;

function castText(to: DType, from: DType, value: string, round: Round): string {
  if (to === from) return value;
  if (to === "bool") return `(${value}!=0)`;
  if (from === "bool") return `(+${value})`;
  return isFloat(from) && !isFloat(to) ? truncated(to, value) : round(to, value);
}

const literal = (value: number): string =>
  value < 0 || Object.is(value, -0) ? `(${Object.is(value, -0) ? "-0" : value})` : String(value);

const operators = { EQ: "==", NE: "!=", LT: "<", LE: "<=", GT: ">", GE: ">=", And: "&&", Or: "||" } as const;

function binaryText(e: Binary, a: string, b: string, round: Round): string {
  switch (e.kind) {
    case "Add":
      return round(e.dtype, `${a}+${b}`);
    case "Sub":
      return round(e.dtype, `${a}-${b}`);
    case "Mul":
      return e.dtype === "int32" ? `Math.imul(${a},${b})` : round(e.dtype, `${a}*${b}`);
    case "Div":
      return round(e.dtype, `${a}/${b}`);
    case "FloorDiv":
      return round(e.dtype, `Math.floor(${a}/${nonZero(e.b, b)})`);
    case "FloorMod":
      return round(e.dtype, `fm(${a},${nonZero(e.b, b)})`);
    case "Min":
      return `mn(${a},${b})`;
    case "Max":
      return `mx(${a},${b})`;
    default:
      return `(${a}${operators[e.kind]}${b})`;
  }
}

const nonZero = (e: Expr, text: string): string => (e.kind === "IntImm" && e.value !== 0 ? text : `nz(${text})`);

/** `lane`: the name of the lane variable inside a vector statement. */
export function exprText(e: Expr, names: Namer, lane?: string): string {
  const text = (x: Expr): string => exprText(x, names, lane);
  const round: Round = (dtype, value) => (names.isWide && isFloat(dtype) ? `(${value})` : rounded(dtype, value));
  switch (e.kind) {
    case "IntImm":
      return literal(e.value);
    case "FloatImm":
      return literal(names.isWide ? e.value : roundTo(e.dtype)(e.value));
    case "Var":
      return names.variable(e);
    case "Not":
      return `(!${text(e.value)})`;
    case "Cast":
      return castText(e.dtype, e.value.dtype, text(e.value), round);
    case "Select":
      return `(${text(e.cond)}?${text(e.whenTrue)}:${text(e.whenFalse)})`;
    case "Load":
      return `L${names.buffer(e.buffer)}(${e.indices.map(text).join(",")})`;
    case "Call":
      return round(e.dtype, `math.${e.name}(${e.args.map(text).join(",")})`);
    case "Lookup":
      return `at(${names.table(e.table)},${text(e.index)})`;
    case "Ramp":
      if (lane === undefined) throw new InterpError("interp.dialect", "a vector stands in a scalar statement");
      return `((${text(e.base)}+Math.imul(${e.stride},${lane}))|0)`;
    case "Broadcast":
      return text(e.value);
    case "Add":
    case "Sub":
    case "Mul":
    case "Div":
    case "FloorDiv":
    case "FloorMod":
    case "Min":
    case "Max":
    case "EQ":
    case "NE":
    case "LT":
    case "LE":
    case "GT":
    case "GE":
    case "And":
    case "Or":
      return binaryText(e, text(e.a), text(e.b), round);
    default:
      return assertNever(e);
  }
}
