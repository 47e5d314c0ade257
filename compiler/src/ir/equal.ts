/**
 * Structural equality up to renaming of loop variables and allocated buffers. Free variables and buffers (arguments) must be
 * identical, unless the caller pairs them. Float immediates are compared bit for bit: 0.0 is not -0.0.
 */
import type { Buffer } from "./buffer.ts";
import * as b from "./build.ts";
import type { Expr, Var } from "./expr.ts";
import type { Intrinsic } from "./intrinsic.ts";
import type { PrimFunc } from "./prim-func.ts";
import type { Stmt } from "./stmt.ts";
import { children, mapStmt, rewriteExpr } from "./visit.ts";

/** Pairs in both directions: a renaming is one to one. */
class Renaming<T> {
  readonly #forth = new Map<T, T>();
  readonly #back = new Map<T, T>();
  bind(a: T, b: T): void {
    this.#forth.set(a, b);
    this.#back.set(b, a);
  }
  same(a: T, b: T): boolean {
    const to = this.#forth.get(a);
    const from = this.#back.get(b);
    return to === undefined && from === undefined ? a === b : to === b && from === a;
  }
}

interface Context {
  readonly vars: Renaming<Var>;
  readonly buffers: Renaming<Buffer>;
}
const context = (): Context => ({ vars: new Renaming(), buffers: new Renaming() });

const sameNumbers = (a: readonly number[], b: readonly number[]) => a.length === b.length && a.every((x, i) => x === b[i]);
function sameLayout(a: Buffer, b: Buffer): boolean {
  if (a.dtype !== b.dtype || a.scope !== b.scope || !sameNumbers(a.shape, b.shape)) return false;
  if (JSON.stringify(a.swizzle) !== JSON.stringify(b.swizzle)) return false;
  return a.strides && b.strides ? sameNumbers(a.strides, b.strides) : a.strides === b.strides;
}

function exprs(a: Expr, b: Expr, c: Context): boolean {
  if (a === b && a.kind === "IntImm") return true;
  if (a.kind !== b.kind || a.dtype !== b.dtype) return false;
  switch (a.kind) {
    case "IntImm":
      return b.kind === "IntImm" && a.value === b.value;
    case "FloatImm":
      return b.kind === "FloatImm" && Object.is(a.value, b.value);
    case "Var":
      return b.kind === "Var" && c.vars.same(a, b);
    case "Load":
      if (b.kind !== "Load" || !c.buffers.same(a.buffer, b.buffer)) return false;
      break;
    case "Lookup":
      if (b.kind !== "Lookup" || !sameNumbers(a.table.values, b.table.values)) return false;
      break;
    case "Ramp":
      if (b.kind !== "Ramp" || a.stride !== b.stride || a.lanes !== b.lanes) return false;
      break;
    case "Broadcast":
      if (b.kind !== "Broadcast" || a.lanes !== b.lanes) return false;
      break;
    case "Call":
      if (b.kind !== "Call" || a.name !== b.name) return false;
      break;
  }
  const left = children(a);
  const right = children(b);
  return left.length === right.length && left.every((x, i) => exprs(x, right[i] as Expr, c));
}

const isIntrinsic = (x: object): x is Intrinsic => "operands" in x;
const isBuffer = (x: object): x is Buffer => "scope" in x && "shape" in x;
const isNode = (x: object): x is Expr | Stmt => "kind" in x;
const isExpr = (x: Expr | Stmt): x is Expr => "dtype" in x;

function values(a: unknown, b: unknown, c: Context): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b;
  if (isBuffer(a)) return isBuffer(b) && c.buffers.same(a, b);
  if (isNode(a)) {
    if (!isNode(b) || isExpr(a) !== isExpr(b)) return false;
    return isExpr(a) ? exprs(a, b as Expr, c) : stmts(a, b as Stmt, c);
  }
  if (isIntrinsic(a)) return a === b;
  return fields(a, b, c, "name");
}

/** Records, but for one field; a field that is undefined is absent. */
function fields(a: object, b: object, c: Context, but?: string): boolean {
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].every((key) => key === but || values(left.get(key), right.get(key), c));
}

function stmts(a: Stmt, b: Stmt, c: Context): boolean {
  if (a.kind !== b.kind) return false;
  // Binds the variables and arrays that a statement makes to the other's, for its body.
  if (a.kind === "For" && b.kind === "For") c.vars.bind(a.loopVar, b.loopVar);
  if (a.kind === "Allocate" && b.kind === "Allocate") {
    if (!sameLayout(a.buffer, b.buffer)) return false;
    c.buffers.bind(a.buffer, b.buffer);
  }
  // The array that an Allocate makes is bound by now, and so compares equal.
  return fields(a, b, c);
}

export const exprEqual = (a: Expr, b: Expr): boolean => a === b || exprs(a, b, context());
export const stmtEqual = (a: Stmt, b: Stmt): boolean => a === b || stmts(a, b, context());
export function funcEqual(a: PrimFunc, b: PrimFunc): boolean {
  if (a === b) return true;
  if (a.dialect !== b.dialect || a.params.length !== b.params.length) return false;
  const c = context();
  for (let i = 0; i < a.params.length; i++) {
    const x = a.params[i] as Buffer;
    const y = b.params[i] as Buffer;
    if (x.name !== y.name || !sameLayout(x, y)) return false;
    c.buffers.bind(x, y);
  }
  return stmts(a.body, b.body, c);
}

/** The statement where a condition, as it stands there, holds. */
export function given(s: Stmt, cond: Expr): Stmt {
  const known = (e: Expr): Expr => rewriteExpr(e, (part) => (exprEqual(part, cond) ? b.bool(true) : part));
  return mapStmt(s, (child) => given(child, cond), known);
}
