/**
 * A kernel whose stage is specialized gets two roles (ir/bulk.ts): the producer fills its channels, the consumers use them.
 *
 *   for t in T:                      producer:               consumers:
 *     for k in K:                      for t in T:             for t in T:
 *       fill k                           for k in K:             for k in K:
 *       await k               ->           fill k                  await k
 *       use(k)                                                     use(k)
 *       release k                                                  release k
 *     C[..] = ..                                                 C[..] = ..
 *
 * Both run equal loops with constant extents, so their turns agree. The producer is ahead by the number of slots, also over the
 * end of the inner loop. The pass runs right after make-channels.
 */
import * as b from "../../ir/build.ts";
import { isRemark } from "../../ir/parts.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { holds, mapStmt } from "../../ir/visit.ts";
import { definePass, withBody } from "../pass.ts";
import { attrsOf, inNest, rootNests } from "./lower-threads.ts";

const nothing = b.seq([]);
const isNothing = (s: Stmt): boolean => s.kind === "Seq" && s.stmts.length === 0;

function onlyFills(s: Stmt): Stmt {
  if (s.kind === "Fill") return s;
  if (!holds(s, "Fill")) return nothing;
  if (s.kind === "Seq") return b.seq(s.stmts.map(onlyFills).filter((part) => !isNothing(part)));
  return isRemark(s) ? onlyFills(s.body) : mapStmt(s, onlyFills, (e) => e);
}
function withoutFills(s: Stmt): Stmt {
  if (s.kind === "Fill") return nothing;
  // Remarks around a stage's channel and its own work would keep both barriers before them.
  if (s.kind === "Stage" && holds(s.body, "Await", "Drain")) return withoutFills(s.body);
  return mapStmt(s, withoutFills, (e) => e);
}

function split(nest: Stmt): Stmt {
  const { roles } = attrsOf(nest);
  if (!roles || !holds(nest, "Fill")) return nest;
  const core = (s: Stmt): Stmt =>
    (s.kind === "For" && s.forKind === "bound") || s.kind === "Allocate" || s.kind === "AllocChannel"
      ? { ...s, body: core(s.body) }
      : { kind: "Roles", producer: onlyFills(s), consumers: withoutFills(s), ...roles };
  return inNest(nest, core);
}

export const splitRoles = definePass<"lowered", "lowered">("split-roles", (func) => {
  const nests = rootNests(func.body);
  const made = nests.map(split);
  return made.some((nest, i) => nest !== nests[i]) ? withBody(func, b.seq(made)) : func;
});
