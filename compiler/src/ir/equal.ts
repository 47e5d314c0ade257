/**
 * Structural equality up to renaming of loop variables and allocated buffers. Free variables and buffers (arguments) must be the
 * very same, unless the caller pairs them. Float immediates are compared bit for bit: 0.0 is not -0.0.
 */
import type { Buffer } from "./buffer.ts";
import type { Channel } from "./bulk.ts";
import type { Expr, Var } from "./expr.ts";
import type { PrimFunc } from "./prim-func.ts";
import type { Stmt, Tile } from "./stmt.ts";
import { children } from "./visit.ts";

/** Pairs made so far, left to right and back: a renaming is one to one. */
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
/** Equal but for the name. */
export function sameLayout(a: Buffer, b: Buffer): boolean {
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

/** Of statements that name no variable and no buffer: all but what stands in them. */
const sameFields = (a: Stmt, b: Stmt): boolean => {
  const other: Readonly<Record<string, unknown>> = { ...b };
  return Object.entries(a).every(([key, value]) => key === "body" || value === other[key]);
};

const sameExprs = (a: readonly Expr[], b: readonly Expr[], c: Context): boolean =>
  a.length === b.length && a.every((x, i) => exprs(x, b[i] as Expr, c));

const sameChannel = (a: Channel, b: Channel, c: Context): boolean =>
  a.slots === b.slots &&
  a.bytes === b.bytes &&
  a.buffers.length === b.buffers.length &&
  a.buffers.every((x, i) => c.buffers.same(x, b.buffers[i] as Buffer));

function stmts(a: Stmt, b: Stmt, c: Context): boolean {
  switch (a.kind) {
    case "For":
      if (b.kind !== "For" || a.extent !== b.extent || a.forKind !== b.forKind || a.thread !== b.thread || a.factor !== b.factor)
        return false;
      c.vars.bind(a.loopVar, b.loopVar);
      return stmts(a.body, b.body, c);
    case "If":
      return b.kind === "If" && exprs(a.cond, b.cond, c) && stmts(a.body, b.body, c);
    case "Store":
      return (
        b.kind === "Store" &&
        c.buffers.same(a.buffer, b.buffer) &&
        a.indices.length === b.indices.length &&
        a.indices.every((x, i) => exprs(x, b.indices[i] as Expr, c)) &&
        exprs(a.value, b.value, c)
      );
    case "Invoke":
      return (
        b.kind === "Invoke" &&
        a.intrinsic === b.intrinsic &&
        a.form === b.form &&
        a.tiles.every((x, i) => {
          const y = b.tiles[i] as Tile;
          return (
            c.buffers.same(x.buffer, y.buffer) &&
            sameNumbers(x.strides, y.strides) &&
            x.indices.length === y.indices.length &&
            x.indices.every((e, d) => exprs(e, y.indices[d] as Expr, c))
          );
        })
      );
    case "Seq":
      return b.kind === "Seq" && a.stmts.length === b.stmts.length && a.stmts.every((x, i) => stmts(x, b.stmts[i] as Stmt, c));
    case "Allocate":
      if (b.kind !== "Allocate" || !sameLayout(a.buffer, b.buffer)) return false;
      c.buffers.bind(a.buffer, b.buffer);
      return stmts(a.body, b.body, c);
    case "Fold":
      return b.kind === "Fold" && a.combiner === b.combiner && a.lanes === b.lanes && c.buffers.same(a.buffer, b.buffer);
    case "BulkCopy":
      return (
        b.kind === "BulkCopy" &&
        a.direction === b.direction &&
        c.buffers.same(a.tensor.buffer, b.tensor.buffer) &&
        c.buffers.same(a.shared, b.shared) &&
        sameNumbers(a.tensor.dims, b.tensor.dims) &&
        sameNumbers(a.tensor.strides, b.tensor.strides) &&
        sameNumbers(a.tensor.box, b.tensor.box) &&
        sameExprs(a.origin, b.origin, c) &&
        sameExprs(a.indices, b.indices, c)
      );
    case "AllocChannel":
      return b.kind === "AllocChannel" && sameChannel(a.channel, b.channel, c) && stmts(a.body, b.body, c);
    case "Fill":
      return b.kind === "Fill" && sameChannel(a.channel, b.channel, c) && exprs(a.turn, b.turn, c) && stmts(a.body, b.body, c);
    case "Await":
    case "Release":
      return b.kind === a.kind && sameChannel(a.channel, b.channel, c) && exprs(a.turn, b.turn, c);
    case "Drain":
      return b.kind === "Drain" && stmts(a.body, b.body, c);
    case "Attr":
    case "Async":
      return sameFields(a, b) && "body" in b && stmts(a.body, b.body, c);
    case "Barrier":
    case "Fence":
    case "Handover":
    case "Wait":
      return sameFields(a, b);
  }
}

export const exprEqual = (a: Expr, b: Expr): boolean => a === b || exprs(a, b, context());
export const stmtEqual = (a: Stmt, b: Stmt): boolean => a === b || stmts(a, b, context());
/** Same dialect, parameters of the same layout and names, bodies equal. */
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
