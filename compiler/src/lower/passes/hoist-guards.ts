/**
 * Conditions move out of the loops on which they do not depend, and neighbouring statements with one condition share it.
 *
 *   for i in 9: if t < 6 and i < n - t: S   ->   if t < 6: for i in 9: if i < n - t: S
 *   if c: S1;  if c: S2                     ->   if c: { S1; S2 }
 *
 * A condition never moves around a barrier (all threads must arrive), and a condition that reads memory never moves (the memory
 * may change in between). The pass runs after insertBarriers, which needs conditions at their statements.
 */

import * as b from "../../ir/build.ts";
import { exprEqual } from "../../ir/equal.ts";
import type { Expr } from "../../ir/expr.ts";
import { meetingKinds } from "../../ir/parts.ts";
import type { For, Stmt } from "../../ir/stmt.ts";
import { holds, mapList, mapStmt, usesVar } from "../../ir/visit.ts";
import { conjuncts, readsMemory } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";

const hasBarrier = (s: Stmt): boolean => holds(s, ...meetingKinds);

function hoist(s: Stmt): Stmt {
  switch (s.kind) {
    case "For": {
      const body = hoist(s.body);
      const loop = body === s.body ? s : { ...s, body };
      return loop.forKind === "bound" ? loop : outOf(loop);
    }
    case "If": {
      const body = hoist(s.body);
      if (body.kind === "If") return b.ifThen(b.and(s.cond, body.cond), body.body);
      return body === s.body ? s : { ...s, body };
    }
    case "Seq": {
      const stmts = mapList(s.stmts, hoist);
      const joined = joinNeighbours(stmts);
      return joined === s.stmts ? s : b.seq(joined);
    }
    default:
      return mapStmt(s, hoist, (e) => e);
  }
}

function outOf(loop: For): Stmt {
  if (loop.body.kind !== "If" || hasBarrier(loop.body)) return loop;
  const terms = conjuncts(loop.body.cond);
  const movable = (term: Expr) => !usesVar(term, loop.loopVar) && !readsMemory(term);
  const out = terms.filter(movable);
  if (out.length === 0) return loop;
  const stay = terms.filter((term) => !movable(term));
  return b.ifThen(b.and(...out), { ...loop, body: b.ifThen(b.and(...stay), loop.body.body) });
}

function joinNeighbours(stmts: readonly Stmt[]): readonly Stmt[] {
  const joined: Stmt[] = [];
  for (const s of stmts) {
    const last = joined.at(-1);
    if (s.kind === "If" && last?.kind === "If" && !hasBarrier(s) && exprEqual(s.cond, last.cond) && !readsMemory(s.cond)) {
      joined[joined.length - 1] = b.ifThen(s.cond, b.seq([last.body, s.body]));
    } else joined.push(s);
  }
  return joined.length === stmts.length ? stmts : joined;
}

export const hoistGuards = definePass<"lowered", "lowered">("hoist-guards", (func) => withBody(func, hoist(func.body)));
