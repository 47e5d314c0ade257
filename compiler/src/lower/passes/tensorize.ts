/**
 * Nests marked by tensorize become calls of their intrinsics (intrinsic/match.ts). A nest that does not match keeps its loops,
 * and its mark says why; the rules of the device then refuse it. The pass runs first, while indices have their dimensions and
 * no loop has been changed.
 *
 * Loops that number fragments are marked unrolled: registers have no addresses.
 */

import { matchNest } from "../../intrinsic/match.ts";
import { type Buffer, isFragmentScope } from "../../ir/buffer.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { touches } from "../../ir/parts.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { holds, mapStmt, walkExpr, walkStmt } from "../../ir/visit.ts";
import { analyzerFor } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";

function fragmentVariables(body: Stmt): ReadonlySet<Var> {
  const found = new Set<Var>();
  const look = (buffer: Buffer, indices: readonly Expr[]): void => {
    if (!isFragmentScope(buffer.scope)) return;
    for (const index of indices)
      walkExpr(index, (e) => {
        if (e.kind === "Var") found.add(e);
      });
  };
  let hasTiles = false;
  walkStmt(
    body,
    (s) => {
      for (const { buffer, indices = [], tile } of touches(s)) {
        hasTiles ||= tile !== undefined;
        look(buffer, indices);
      }
    },
    (whole) =>
      walkExpr(whole, (e) => {
        if (e.kind === "Load") look(e.buffer, e.indices);
      }),
  );
  return hasTiles ? found : new Set();
}

export function unrollFragmentLoops(body: Stmt): Stmt {
  const numbered = fragmentVariables(body);
  const run = (s: Stmt): Stmt => {
    const made = mapStmt(s, run, (e) => e);
    return made.kind === "For" && made.forKind === "serial" && numbered.has(made.loopVar)
      ? { ...made, forKind: "unrolled" }
      : made;
  };
  return numbered.size === 0 ? body : run(body);
}

export const tensorize = definePass<"scheduled", "scheduled">("tensorize", (func) => {
  if (!holds(func.body, "Tensorize")) return func;
  const analyzer = analyzerFor(func.body);
  const run = (s: Stmt): Stmt => {
    if (s.kind !== "Tensorize") return mapStmt(s, run, (e) => e);
    const { intrinsic, isInit = false, body } = s;
    const made = matchNest(body, intrinsic, isInit, analyzer);
    if (made.ok) return made.value ?? body;
    return { kind: "Unmatched", primitive: "tensorize", why: `${intrinsic.name} does not match: ${made.error}`, body };
  };
  return withBody(func, unrollFragmentLoops(run(func.body)));
});
