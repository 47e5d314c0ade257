/**
 * Nests marked by tensorize become calls of their intrinsics (intrinsic/match.ts). A nest that does not match keeps its loops,
 * and its mark says why; the rules of the device then refuse it. The pass runs first, while indices have their dimensions and
 * no loop has been changed.
 *
 * Loops that number fragments are marked unrolled: registers have no addresses.
 */

import { matchNest } from "../../intrinsic/match.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { isFragmentScope } from "../../ir/intrinsic.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { mapStmt, walkExpr, walkStmt } from "../../ir/visit.ts";
import { analyzerFor } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";

/** Variables in the places of fragments. */
function fragmentVariables(body: Stmt): ReadonlySet<Var> {
  const found = new Set<Var>();
  const look = (buffer: Buffer, indices: readonly Expr[]): void => {
    if (!isFragmentScope(buffer.scope)) return;
    for (const index of indices)
      walkExpr(index, (e) => {
        if (e.kind === "Var") found.add(e);
      });
  };
  let hasInvokes = false;
  walkStmt(
    body,
    (s) => {
      if (s.kind !== "Invoke") return;
      hasInvokes = true;
      for (const { buffer, indices } of s.tiles) look(buffer, indices);
    },
    (whole) =>
      walkExpr(whole, (e) => {
        if (e.kind === "Load") look(e.buffer, e.indices);
      }),
  );
  return hasInvokes ? found : new Set();
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
  const { intrinsics = [] } = func;
  if (intrinsics.length === 0) return func;
  const analyzer = analyzerFor(func.body);
  const run = (s: Stmt): Stmt => {
    if (s.kind !== "Attr" || s.key !== "tensorize") return mapStmt(s, run, (e) => e);
    const [name, what] = String(s.value).split(" ");
    const intrinsic = intrinsics.find((known) => known.name === name);
    if (!intrinsic) return s;
    const made = matchNest(s.body, intrinsic, what === "init", analyzer);
    return made.ok ? (made.value ?? s.body) : b.attr("tensorize", `${name} does not match: ${made.error}`, s.body);
  };
  return withBody(func, unrollFragmentLoops(run(func.body)));
});
