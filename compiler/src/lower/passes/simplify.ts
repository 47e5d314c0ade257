/**
 * Every expression is put into canonical form under the ranges of the loops. Loops of one iteration, conditions that always
 * hold and statements that never run are removed. Bound loops of one iteration stay, because they define the launch.
 */
import type { Analyzer } from "../../arith/analyzer.ts";
import * as b from "../../ir/build.ts";
import { isRemark } from "../../ir/parts.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { mapList, mapStmt } from "../../ir/visit.ts";
import { analyzerFor } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";

export const nothing: Stmt = b.seq([]);
export const isNothing = (s: Stmt): boolean => s.kind === "Seq" && s.stmts.length === 0;

function seqOf(stmts: readonly Stmt[]): Stmt {
  return b.seq(stmts.some(isNothing) ? stmts.filter((s) => !isNothing(s)) : stmts);
}

export function simplifyStmt(s: Stmt, analyzer: Analyzer): Stmt {
  if (s.kind === "Allocate" || isRemark(s)) {
    const body = simplifyStmt(s.body, analyzer);
    return isNothing(body) ? body : body === s.body ? s : { ...s, body };
  }
  switch (s.kind) {
    case "For": {
      const body = simplifyStmt(s.body, analyzer);
      if (isNothing(body)) return body;
      // The analyzer has replaced the variable of a loop of one iteration by 0.
      if (s.extent === 1 && s.forKind !== "bound") return body;
      return body === s.body ? s : { ...s, body };
    }
    case "If": {
      const cond = analyzer.simplify(s.cond);
      if (b.isFalse(cond)) return nothing;
      const body = simplifyStmt(s.body, analyzer);
      if (isNothing(body)) return body;
      return cond === s.cond && body === s.body ? s : b.ifThen(cond, body);
    }
    case "Seq": {
      const stmts = mapList(s.stmts, (child) => simplifyStmt(child, analyzer));
      return stmts === s.stmts ? s : seqOf(stmts);
    }
    default:
      // A group of copies stays even when it is empty: waiting counts groups.
      return mapStmt(
        s,
        (child) => simplifyStmt(child, analyzer),
        (e) => analyzer.simplify(e),
      );
  }
}

export const simplify = definePass<"lowered", "lowered">("simplify", (func) =>
  withBody(func, simplifyStmt(func.body, analyzerFor(func.body))),
);
