/**
 * Local arrays that can be arrays of vectors: every access is a whole vector of one width at a multiple of that width. gcc keeps
 * such an array in registers once its indices are constants, which it will not do for a float array read through vector pointers.
 */
import type { Analyzer } from "../../arith/analyzer.ts";
import { residueOf } from "../../arith/modular.ts";
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { walkExpr, walkStmt } from "../../ir/visit.ts";

export function vectorArrays(body: Stmt, analyzer: Analyzer): ReadonlyMap<Buffer, number> {
  /** 0 = does not qualify, undefined in the map = allocated, not yet accessed. */
  const lanes = new Map<Buffer, number | undefined>();
  const access = (buffer: Buffer, index: Expr) => {
    if (!lanes.has(buffer)) return;
    const known = lanes.get(buffer);
    const own = index.kind === "Ramp" && isMultiple(index.base, index.lanes, analyzer) ? index.lanes : 0;
    lanes.set(buffer, known === undefined || known === own ? own : 0);
  };
  const expr = (e: Expr) =>
    walkExpr(e, (part) => {
      if (part.kind === "Load") access(part.buffer, part.indices[0] as Expr);
    });
  walkStmt(
    body,
    (s) => {
      if (s.kind === "Allocate") lanes.set(s.buffer, undefined);
      if (s.kind === "Store") access(s.buffer, s.indices[0] as Expr);
    },
    expr,
  );
  const result = new Map<Buffer, number>();
  for (const [buffer, n] of lanes) if (n && (buffer.shape[0] ?? 0) % n === 0) result.set(buffer, n);
  return result;
}

function isMultiple(base: Expr, lanes: number, analyzer: Analyzer): boolean {
  const { modulus, residue } = residueOf(analyzer.linear(base));
  return modulus % lanes === 0 && residue % lanes === 0;
}
