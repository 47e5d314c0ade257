/**
 * Walking and rewriting. A rewrite returns the identical object when nothing below it changed, so "(unchanged)", WeakMap caches
 * and fixpoints cost nothing.
 */
import { assertNever } from "@warpfarm/common";
import type { Buffer } from "./buffer.ts";
import * as b from "./build.ts";
import type { Expr, Var } from "./expr.ts";
import { eachPart, mapList, mapStmt, touches } from "./parts.ts";
import type { Kernel } from "./prim-func.ts";
import type { Stmt, StmtKind } from "./stmt.ts";

export { eachPart, mapList, mapStmt };

export function children(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case "IntImm":
    case "FloatImm":
    case "Var":
      return [];
    case "Not":
    case "Cast":
    case "Broadcast":
      return [e.value];
    case "Select":
      return [e.cond, e.whenTrue, e.whenFalse];
    case "Load":
      return e.indices;
    case "Lookup":
      return [e.index];
    case "Ramp":
      return [e.base];
    case "Call":
      return e.args;
    default:
      return [e.a, e.b];
  }
}

/** Applies f to the direct parts; returns `e` itself when nothing changed. Rebuilt nodes go through the folding constructors. */
export function mapChildren(e: Expr, f: (child: Expr) => Expr): Expr {
  switch (e.kind) {
    case "IntImm":
    case "FloatImm":
    case "Var":
      return e;
    case "Not": {
      const value = f(e.value);
      return value === e.value ? e : b.not(value);
    }
    case "Cast": {
      const value = f(e.value);
      return value === e.value ? e : b.cast(e.dtype, value);
    }
    case "Broadcast": {
      const value = f(e.value);
      return value === e.value ? e : b.broadcast(value, e.lanes);
    }
    case "Select": {
      const cond = f(e.cond);
      const whenTrue = f(e.whenTrue);
      const whenFalse = f(e.whenFalse);
      return cond === e.cond && whenTrue === e.whenTrue && whenFalse === e.whenFalse ? e : b.select(cond, whenTrue, whenFalse);
    }
    case "Load": {
      const indices = mapList(e.indices, f);
      return indices === e.indices ? e : b.load(e.buffer, indices);
    }
    case "Lookup": {
      const index = f(e.index);
      return index === e.index ? e : b.lookup(e.table, index);
    }
    case "Ramp": {
      const base = f(e.base);
      return base === e.base ? e : b.ramp(base, e.stride, e.lanes);
    }
    case "Call": {
      const args = mapList(e.args, f);
      return args === e.args ? e : b.call(e.name, ...args);
    }
    case "And": {
      const x = f(e.a);
      const y = f(e.b);
      return x === e.a && y === e.b ? e : b.and(x, y);
    }
    case "Or": {
      const x = f(e.a);
      const y = f(e.b);
      return x === e.a && y === e.b ? e : b.or(x, y);
    }
    case "EQ":
    case "NE":
    case "LT":
    case "LE":
    case "GT":
    case "GE": {
      const x = f(e.a);
      const y = f(e.b);
      return x === e.a && y === e.b ? e : b.compare(e.kind, x, y);
    }
    case "Add":
    case "Sub":
    case "Mul":
    case "Div":
    case "FloorDiv":
    case "FloorMod":
    case "Min":
    case "Max": {
      const x = f(e.a);
      const y = f(e.b);
      return x === e.a && y === e.b ? e : b.binary(e.kind, x, y);
    }
    default:
      return assertNever(e);
  }
}

/** Bottom-up: parts first, then `on`, which may return its argument. */
export function rewriteExpr(e: Expr, on: (e: Expr) => Expr): Expr {
  return on(mapChildren(e, (child) => rewriteExpr(child, on)));
}

/** Bottom-up over statements. `onExpr` gets the expressions inside as a whole. */
export function rewriteStmt(s: Stmt, onStmt: (s: Stmt) => Stmt, onExpr: (e: Expr) => Expr = (e) => e): Stmt {
  return onStmt(mapStmt(s, (child) => rewriteStmt(child, onStmt, onExpr), onExpr));
}

/** Calls f on e and every part of it, outermost first. Written out, because it runs on every expression of every candidate. */
export function walkExpr(e: Expr, f: (e: Expr) => void): void {
  f(e);
  switch (e.kind) {
    case "IntImm":
    case "FloatImm":
    case "Var":
      return;
    case "Load":
      for (const index of e.indices) walkExpr(index, f);
      return;
    case "Not":
    case "Cast":
    case "Broadcast":
    case "Select":
    case "Lookup":
    case "Ramp":
    case "Call":
      for (const child of children(e)) walkExpr(child, f);
      return;
    default:
      walkExpr(e.a, f);
      walkExpr(e.b, f);
  }
}

export function walkStmt(s: Stmt, fs: (s: Stmt) => void, fe: (e: Expr) => void = () => {}): void {
  const visit = (part: Stmt): void => {
    fs(part);
    eachPart(part, visit, fe);
  };
  visit(s);
}

export function someExpr(e: Expr, is: (part: Expr) => boolean): boolean {
  let found = false;
  walkExpr(e, (part) => {
    found ||= is(part);
  });
  return found;
}
/** `isExpr`: asked of each part of its expressions. */
export function someStmt(s: Stmt, is: (part: Stmt) => boolean, isExpr?: (part: Expr) => boolean): boolean {
  let found = false;
  walkStmt(
    s,
    (part) => {
      found ||= is(part);
    },
    isExpr &&
      ((e) => {
        found ||= someExpr(e, isExpr);
      }),
  );
  return found;
}
export const holds = (s: Stmt, ...kinds: readonly StmtKind[]): boolean => someStmt(s, ({ kind }) => kinds.includes(kind));

/** Replaces variables; unmapped ones stay. */
export function substitute(e: Expr, map: ReadonlyMap<Var, Expr>): Expr {
  if (e.kind === "Var") return map.get(e) ?? e;
  return mapChildren(e, (child) => substitute(child, map));
}
export function substituteStmt(s: Stmt, map: ReadonlyMap<Var, Expr>): Stmt {
  const fe = (e: Expr) => substitute(e, map);
  const fs = (child: Stmt): Stmt => mapStmt(child, fs, fe);
  return fs(s);
}

export function usesVar(e: Expr, v: Var): boolean {
  return e === v || children(e).some((child) => usesVar(child, v));
}

/** 1 for a scalar. */
export function lanesOf(e: Expr): number {
  switch (e.kind) {
    case "IntImm":
    case "FloatImm":
    case "Var":
      return 1;
    case "Ramp":
    case "Broadcast":
      return e.lanes;
    case "Load": {
      // Only a Ramp makes an index a vector, and it stands at its top.
      const last = e.indices[e.indices.length - 1];
      return last?.kind === "Ramp" ? last.lanes : 1;
    }
    case "Not":
    case "Cast":
    case "Select":
    case "Lookup":
    case "Call":
      return children(e).reduce((lanes, child) => Math.max(lanes, lanesOf(child)), 1);
    default:
      return Math.max(lanesOf(e.a), lanesOf(e.b));
  }
}

export function writtenIn(body: Stmt): ReadonlySet<Buffer> {
  const written = new Set<Buffer>();
  walkStmt(body, (s) => {
    for (const { buffer, how } of touches(s)) if (how === "write") written.add(buffer);
  });
  return written;
}

/** Parameters that one of the kernels writes. */
export function paramsWritten(kernels: readonly Kernel[]): ReadonlySet<Buffer> {
  const written = new Set(kernels.flatMap(({ func }) => [...writtenIn(func.body)]));
  return new Set(kernels.flatMap(({ func }) => func.params.filter((buffer) => written.has(buffer))));
}
