/**
 * Structural equality of expressions. Variables and buffers are what they are, whatever their names. Float immediates are
 * compared bit for bit: 0.0 is not -0.0.
 */
import * as b from "./build.ts";
import type { Expr } from "./expr.ts";
import type { Stmt } from "./stmt.ts";
import { children, mapStmt, rewriteExpr } from "./visit.ts";

const sameNumbers = (a: readonly number[], b: readonly number[]) => a.length === b.length && a.every((x, i) => x === b[i]);

/** Whether nodes of one kind and type say the same, their operands apart. */
function sameNode(a: Expr, b: Expr): boolean {
  switch (a.kind) {
    case "IntImm":
      return b.kind === "IntImm" && a.value === b.value;
    case "FloatImm":
      return b.kind === "FloatImm" && Object.is(a.value, b.value);
    case "Var":
      return a === b;
    case "Load":
      return b.kind === "Load" && a.buffer === b.buffer;
    case "Lookup":
      return b.kind === "Lookup" && sameNumbers(a.table.values, b.table.values);
    case "Ramp":
      return b.kind === "Ramp" && a.stride === b.stride && a.lanes === b.lanes;
    case "Broadcast":
      return b.kind === "Broadcast" && a.lanes === b.lanes;
    case "Call":
      return b.kind === "Call" && a.name === b.name;
    default:
      return true;
  }
}

export function exprEqual(a: Expr, b: Expr): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.dtype !== b.dtype || !sameNode(a, b)) return false;
  const [left, right] = [children(a), children(b)];
  return left.length === right.length && left.every((x, i) => exprEqual(x, right[i] as Expr));
}

/** The statement where a condition, as it stands there, holds. */
export function given(s: Stmt, cond: Expr): Stmt {
  const known = (e: Expr): Expr => rewriteExpr(e, (part) => (exprEqual(part, cond) ? b.bool(true) : part));
  return mapStmt(s, (child) => given(child, cond), known);
}
