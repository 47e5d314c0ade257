/**
 * Expressions: one union, string `kind`, readonly plain objects. Only ir/build.ts makes them (dtype checks, constant folding).
 * Index arithmetic is int32. A vector has lanes > 1 and is made by Ramp, Broadcast, or from vector parts (lanesOf in visit.ts).
 */
import type { DType } from "@warpfarm/common";
import type { Buffer } from "./buffer.ts";

export interface IntImm {
  readonly kind: "IntImm";
  readonly dtype: DType;
  readonly value: number;
}
export interface FloatImm {
  readonly kind: "FloatImm";
  readonly dtype: DType;
  readonly value: number;
}
/** A variable, compared by identity; the name is for people. */
export interface Var {
  readonly kind: "Var";
  readonly dtype: DType;
  readonly name: string;
}

const binaryKinds = ["Add", "Sub", "Mul", "Div", "FloorDiv", "FloorMod", "Min", "Max"] as const;
/** Div is for floats; FloorDiv and FloorMod round towards minus infinity and are for integers. */
export type BinaryKind = (typeof binaryKinds)[number];
export const compareKinds = ["EQ", "NE", "LT", "LE", "GT", "GE"] as const;
export type CompareKind = (typeof compareKinds)[number];
const logicKinds = ["And", "Or"] as const;
export type LogicKind = (typeof logicKinds)[number];

/**
 * One shape for all two-operand forms: arithmetic keeps the dtype, comparisons and logic give bool. And, Or are short-circuit.
 */
export interface Binary {
  readonly kind: BinaryKind | CompareKind | LogicKind;
  readonly dtype: DType;
  readonly a: Expr;
  readonly b: Expr;
}
export interface Not {
  readonly kind: "Not";
  readonly dtype: "bool";
  readonly value: Expr;
}
export interface Cast {
  readonly kind: "Cast";
  readonly dtype: DType;
  readonly value: Expr;
}
/** cond ? whenTrue : whenFalse. Only the chosen side is evaluated, so the condition may guard a Load. */
export interface Select {
  readonly kind: "Select";
  readonly dtype: DType;
  readonly cond: Expr;
  readonly whenTrue: Expr;
  readonly whenFalse: Expr;
}
export interface Load {
  readonly kind: "Load";
  readonly dtype: DType;
  readonly buffer: Buffer;
  readonly indices: readonly Expr[];
}
/** Constant numbers. Equal names mean equal numbers. */
export interface Table {
  readonly name: string;
  readonly values: readonly number[];
}
export interface Lookup {
  readonly kind: "Lookup";
  readonly dtype: "int32";
  readonly table: Table;
  readonly index: Expr;
}
/** Lanes base, base + stride, base + 2·stride ...; only as an index. */
export interface Ramp {
  readonly kind: "Ramp";
  readonly dtype: DType;
  readonly base: Expr;
  readonly stride: number;
  readonly lanes: number;
}
export interface Broadcast {
  readonly kind: "Broadcast";
  readonly dtype: DType;
  readonly value: Expr;
  readonly lanes: number;
}
/**
 * Of one argument; `pow` has two. `round` takes halves to the even number. `tf32` rounds a float32 to the 11 significant bits
 * that tensor cores multiply, halves away from zero (PTX ISA, cvt.rna.tf32.f32).
 */
export const mathNames = [
  "exp",
  "exp2",
  "log",
  "pow",
  "sqrt",
  "tanh",
  "erf",
  "sin",
  "cos",
  "floor",
  "ceil",
  "round",
  "abs",
  "tf32",
] as const;
export type MathName = (typeof mathNames)[number];
export interface Call {
  readonly kind: "Call";
  readonly dtype: DType;
  readonly name: MathName;
  readonly args: readonly Expr[];
}

export type Expr = IntImm | FloatImm | Var | Binary | Not | Cast | Select | Load | Lookup | Ramp | Broadcast | Call;
export type ExprKind = Expr["kind"];

/** The words of documents. */
export const binaryWords = {
  Add: "add",
  Sub: "sub",
  Mul: "mul",
  Div: "div",
  FloorDiv: "floor_div",
  FloorMod: "floor_mod",
  Min: "min",
  Max: "max",
  EQ: "eq",
  NE: "ne",
  LT: "lt",
  LE: "le",
  GT: "gt",
  GE: "ge",
  And: "and",
  Or: "or",
} as const satisfies Record<Binary["kind"], string>;
