/**
 * Every expression in canonical form under the ranges of the loops; loops of one iteration dissolve, conditions that always hold
 * vanish, statements that never run go. Bound loops of one iteration stay: they say what is launched.
 */
import type { Analyzer } from "../../arith/analyzer.ts";
import * as b from "../../ir/build.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { mapList, mapTiles } from "../../ir/visit.ts";
import { analyzerFor } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";

export const nothing: Stmt = b.seq([]);
export const isNothing = (s: Stmt): boolean => s.kind === "Seq" && s.stmts.length === 0;

/** Barriers wait by the number of groups since: one without copies counts as well. */
export const isCounted = (s: Stmt): boolean => s.kind === "Attr" && s.key === "async_group";

/** A sequence without what does nothing. */
export function seqOf(stmts: readonly Stmt[]): Stmt {
  return b.seq(stmts.some(isNothing) ? stmts.filter((s) => !isNothing(s)) : stmts);
}

export function simplifyStmt(s: Stmt, analyzer: Analyzer): Stmt {
  switch (s.kind) {
    case "For": {
      const body = simplifyStmt(s.body, analyzer);
      if (isNothing(body)) return body;
      // The analyzer has put 0 for the variable of a loop of one iteration.
      if (s.extent === 1 && s.forKind !== "bound") return body;
      return body === s.body ? s : { ...s, body };
    }
    case "Allocate":
    case "Attr": {
      const body = simplifyStmt(s.body, analyzer);
      if (isNothing(body) && !isCounted(s)) return body;
      return body === s.body ? s : { ...s, body };
    }
    case "If": {
      const cond = analyzer.simplify(s.cond);
      if (b.isFalse(cond)) return nothing;
      const body = simplifyStmt(s.body, analyzer);
      if (isNothing(body)) return body;
      return cond === s.cond && body === s.body ? s : b.ifThen(cond, body);
    }
    case "Store": {
      const indices = mapList(s.indices, (e) => analyzer.simplify(e));
      const value = analyzer.simplify(s.value);
      return indices === s.indices && value === s.value ? s : { ...s, indices, value };
    }
    case "Invoke": {
      const tiles = mapTiles(s.tiles, (e) => analyzer.simplify(e));
      return tiles === s.tiles ? s : { ...s, tiles };
    }
    case "Seq": {
      const stmts = mapList(s.stmts, (child) => simplifyStmt(child, analyzer));
      return stmts === s.stmts ? s : seqOf(stmts);
    }
    case "Barrier":
      return s;
  }
}

export const simplify = definePass<"lowered", "lowered">("simplify", (func) =>
  withBody(func, simplifyStmt(func.body, analyzerFor(func.body))),
);
