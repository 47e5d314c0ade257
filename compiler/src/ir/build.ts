/**
 * The only constructors of expressions and statements: they check dtypes, fold constants, and remove obvious identities.
 * arith/simplify does the rest.
 */
import { type DType, defined, invariant, isFloat } from "@warpfarm/common";
import type { Agent } from "./agent.ts";
import type { Buffer } from "./buffer.ts";
import type { Binary, BinaryKind, Call, CompareKind, Expr, IntImm, Load, LogicKind, MathName, Table, Var } from "./expr.ts";
import { type Intrinsic, type InvokeForm, operandsOf } from "./intrinsic.ts";
import type {
  Allocate,
  Async,
  Barrier,
  Combiner,
  Fold,
  For,
  ForKind,
  Handover,
  Invoke,
  KernelAttrs,
  Pragmas,
  Stage,
  Stmt,
  ThreadTag,
  Tile,
  Wait,
} from "./stmt.ts";

export const int = (value: number, dtype: DType = "int32"): IntImm => {
  invariant(Number.isSafeInteger(value), `int immediate ${value}`);
  return { kind: "IntImm", dtype, value: value + 0 };
};
export const float = (value: number, dtype: DType = "float32"): Expr => ({ kind: "FloatImm", dtype, value });
export const bool = (value: boolean): IntImm => ({ kind: "IntImm", dtype: "bool", value: value ? 1 : 0 });
export const constant = (value: number, dtype: DType): Expr => (isFloat(dtype) ? float(value, dtype) : int(value, dtype));
export const variable = (name: string, dtype: DType = "int32"): Var => ({ kind: "Var", dtype, name });

export const isInt = (e: Expr, value?: number): e is IntImm => e.kind === "IntImm" && (value === undefined || e.value === value);
export const isTrue = (e: Expr): boolean => e.kind === "IntImm" && e.dtype === "bool" && e.value === 1;
export const isFalse = (e: Expr): boolean => e.kind === "IntImm" && e.dtype === "bool" && e.value === 0;

function same(a: Expr, b: Expr, kind: string): DType {
  invariant(a.dtype === b.dtype, `${kind} of ${a.dtype} and ${b.dtype}`);
  return a.dtype;
}

const floorMod = (a: number, b: number): number => a - b * Math.floor(a / b);

function foldInts(kind: BinaryKind, a: number, b: number): number {
  switch (kind) {
    case "Add":
      return a + b;
    case "Sub":
      return a - b;
    case "Mul":
      return a * b;
    case "FloorDiv":
      return Math.floor(a / b);
    case "FloorMod":
      return floorMod(a, b);
    case "Min":
      return Math.min(a, b);
    case "Max":
      return Math.max(a, b);
    case "Div":
      invariant(false, "Div of integers; use FloorDiv");
  }
}

/** Folds int32 index arithmetic and exact identities; floats are left as written (x + 0.0 is not x for -0.0). */
export function binary(kind: BinaryKind, a: Expr, b: Expr): Expr {
  const dtype = same(a, b, kind);
  if (dtype === "int32") {
    if (a.kind === "IntImm" && b.kind === "IntImm") return int(foldInts(kind, a.value, b.value));
    if (b.kind === "IntImm") {
      if (b.value === 0 && (kind === "Add" || kind === "Sub")) return a;
      if (b.value === 1 && (kind === "Mul" || kind === "FloorDiv")) return a;
      if (b.value === 0 && kind === "Mul") return b;
      if (b.value === 1 && kind === "FloorMod") return int(0);
    }
    if (a.kind === "IntImm") {
      if (a.value === 0 && kind === "Add") return b;
      if (a.value === 1 && kind === "Mul") return b;
      if (a.value === 0 && kind === "Mul") return a;
    }
  } else invariant(kind !== "Div" || isFloat(dtype), `Div of ${dtype}; use floorDiv`);
  return { kind, dtype, a, b };
}
const binaryOf = (kind: BinaryKind) => (a: Expr, b: Expr) => binary(kind, a, b);
export const add = binaryOf("Add");
export const sub = binaryOf("Sub");
export const mul = binaryOf("Mul");
export const div = binaryOf("Div");
export const floorDiv = binaryOf("FloorDiv");
export const floorModulo = binaryOf("FloorMod");
export const min = binaryOf("Min");
export const max = binaryOf("Max");

const folds: Record<CompareKind, (a: number, b: number) => boolean> = {
  EQ: (a, b) => a === b,
  NE: (a, b) => a !== b,
  LT: (a, b) => a < b,
  LE: (a, b) => a <= b,
  GT: (a, b) => a > b,
  GE: (a, b) => a >= b,
};
export function compare(kind: CompareKind, a: Expr, b: Expr): Expr {
  same(a, b, kind);
  if (a.kind === "IntImm" && b.kind === "IntImm") return bool(folds[kind](a.value, b.value));
  return { kind, dtype: "bool", a, b };
}
const compareOf = (kind: CompareKind) => (a: Expr, b: Expr) => compare(kind, a, b);
export const eq = compareOf("EQ");
export const ne = compareOf("NE");
export const lt = compareOf("LT");
export const le = compareOf("LE");
export const gt = compareOf("GT");
export const ge = compareOf("GE");

function logic(kind: LogicKind, a: Expr, b: Expr): Expr {
  invariant(a.dtype === "bool" && b.dtype === "bool", `${kind} of ${a.dtype} and ${b.dtype}`);
  const absorbing = kind === "And" ? isFalse : isTrue;
  const neutral = kind === "And" ? isTrue : isFalse;
  if (neutral(a) || absorbing(b)) return b;
  if (neutral(b) || absorbing(a)) return a;
  return { kind, dtype: "bool", a, b } satisfies Binary;
}
export const and = (...terms: readonly Expr[]): Expr => terms.reduce((a, b) => logic("And", a, b), bool(true));
export const or = (a: Expr, b: Expr): Expr => logic("Or", a, b);
export const not = (value: Expr): Expr => {
  invariant(value.dtype === "bool", `Not of ${value.dtype}`);
  return value.kind === "IntImm" ? bool(value.value === 0) : { kind: "Not", dtype: "bool", value };
};
export const cast = (dtype: DType, value: Expr): Expr => (value.dtype === dtype ? value : { kind: "Cast", dtype, value });
export function select(cond: Expr, whenTrue: Expr, whenFalse: Expr): Expr {
  invariant(cond.dtype === "bool", `Select on ${cond.dtype}`);
  if (isTrue(cond)) return whenTrue;
  if (isFalse(cond)) return whenFalse;
  return { kind: "Select", dtype: same(whenTrue, whenFalse, "Select"), cond, whenTrue, whenFalse };
}
export function load(buffer: Buffer, indices: readonly Expr[]): Load {
  invariant(
    indices.length === buffer.shape.length,
    `${buffer.name} has ${buffer.shape.length} dimensions, not ${indices.length}`,
  );
  return { kind: "Load", dtype: buffer.dtype, buffer, indices };
}
export function lookup(table: Table, index: Expr): Expr {
  invariant(index.dtype === "int32", `an index of ${index.dtype} into ${table.name}`);
  return index.kind === "IntImm" ? int(entryOf(table, index.value)) : { kind: "Lookup", dtype: "int32", table, index };
}
export const entryOf = ({ values }: Table, index: number): number => values[index] ?? index;
export const ramp = (base: Expr, stride: number, lanes: number): Expr => ({
  kind: "Ramp",
  dtype: base.dtype,
  base,
  stride,
  lanes,
});
export const broadcast = (value: Expr, lanes: number): Expr => ({ kind: "Broadcast", dtype: value.dtype, value, lanes });
export const call = (name: MathName, ...args: readonly Expr[]): Call => {
  const first = args[0];
  invariant(first !== undefined && args.length === (name === "pow" ? 2 : 1), `${name} of ${args.length} arguments`);
  return { kind: "Call", dtype: first.dtype, name, args };
};

export function forLoop(loopVar: Var, extent: number, body: Stmt, forKind: Exclude<ForKind, "bound"> = "serial"): For {
  invariant(Number.isSafeInteger(extent) && extent >= 1, `loop ${loopVar.name} of extent ${extent}`);
  return { kind: "For", loopVar, extent, forKind, body };
}
export const boundLoop = (loopVar: Var, extent: number, thread: ThreadTag, body: Stmt): For => ({
  kind: "For",
  loopVar,
  extent,
  forKind: "bound",
  thread,
  body,
});
export const ifThen = (cond: Expr, body: Stmt): Stmt => (isTrue(cond) ? body : { kind: "If", cond, body });
export function store(buffer: Buffer, indices: readonly Expr[], value: Expr): Stmt {
  invariant(
    indices.length === buffer.shape.length,
    `${buffer.name} has ${buffer.shape.length} dimensions, not ${indices.length}`,
  );
  invariant(value.dtype === buffer.dtype, `store of ${value.dtype} into ${buffer.name}, which holds ${buffer.dtype}`);
  return { kind: "Store", buffer, indices, value };
}
/** Flattens nested sequences; a single statement is not wrapped. */
export function seq(stmts: readonly Stmt[]): Stmt {
  const flat = stmts.some((s) => s.kind === "Seq") ? stmts.flatMap((s) => (s.kind === "Seq" ? s.stmts : [s])) : stmts;
  const [first] = flat;
  return flat.length === 1 && first ? first : { kind: "Seq", stmts: flat };
}
export const allocate = (buffer: Buffer, body: Stmt): Allocate => ({ kind: "Allocate", buffer, body });
export const kernelNest = (attrs: KernelAttrs, body: Stmt): Stmt =>
  Object.keys(attrs).length === 0 ? body : { kind: "KernelNest", attrs, body };
export const stage = (name: string, body: Stmt, how: Pick<Stage, "ahead" | "engine" | "ring"> = {}): Stage => ({
  kind: "Stage",
  name,
  ...how,
  body,
});
export const pragma = (pragmas: Pragmas, body: Stmt): Stmt =>
  Object.keys(pragmas).length === 0 ? body : { kind: "Pragma", pragmas, body };
export function invoke(intrinsic: Intrinsic, form: InvokeForm, tiles: readonly Tile[]): Invoke {
  const operands = operandsOf(intrinsic, form);
  invariant(tiles.length === operands.length, `${intrinsic.name} takes ${operands.length} tiles, not ${tiles.length}`);
  return { kind: "Invoke", intrinsic, form, tiles };
}
export const fold = (
  combiner: Combiner,
  buffer: Buffer,
  { lanes, blocks, exchange }: Pick<Fold, "lanes" | "blocks" | "exchange"> = {},
): Fold => ({ kind: "Fold", combiner, buffer, ...defined({ lanes, blocks, exchange }) });
export const handover = (what: Handover["what"]): Handover => ({ kind: "Handover", what });
export const barrierOf = (agent: Agent): Barrier => ({ kind: "Barrier", agent });
export const barrier = barrierOf("block");
export const async = (body: Stmt): Async => ({ kind: "Async", engine: "cp_async", body });
export const wait = (pending: number): Wait => ({ kind: "Wait", engine: "cp_async", pending });
