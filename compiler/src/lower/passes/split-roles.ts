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
import type { Roles } from "../../ir/bulk.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { holds, mapStmt, walkStmt } from "../../ir/visit.ts";
import { definePass, withBody } from "../pass.ts";
import { rootNests } from "./lower-threads.ts";

/** What a schedule says of a nest's roles, if it is to have roles. */
export function rolesOf(nest: Stmt): Pick<Roles, "registers"> | undefined {
  let found: Pick<Roles, "registers"> | undefined;
  walkStmt(nest, (s) => {
    if (s.kind !== "Attr" || s.key !== "specialize") return;
    const [producer = 0, consumer = 0] = String(s.value).split(" ").map(Number);
    found = producer > 0 ? { registers: [producer, consumer] } : {};
  });
  return found;
}

const nothing = b.seq([]);
const isNothing = (s: Stmt): boolean => s.kind === "Seq" && s.stmts.length === 0;

/** Fills, and the loops and conditions around them. */
function onlyFills(s: Stmt): Stmt {
  if (s.kind === "Fill") return s;
  if (!holds(s, "Fill")) return nothing;
  if (s.kind === "Seq") return b.seq(s.stmts.map(onlyFills).filter((part) => !isNothing(part)));
  return s.kind === "Attr" ? onlyFills(s.body) : mapStmt(s, onlyFills, (e) => e);
}
function withoutFills(s: Stmt): Stmt {
  if (s.kind === "Fill") return nothing;
  // What stands around a stage's channel and its own work would keep a barrier between the two in front of both.
  const isAround = s.kind === "Attr" && (s.key === "specialize" || (s.key === "stage" && holds(s.body, "Await", "Drain")));
  if (isAround) return withoutFills(s.body);
  return mapStmt(s, withoutFills, (e) => e);
}

function split(nest: Stmt): Stmt {
  const roles = rolesOf(nest);
  if (!roles || !holds(nest, "Fill")) return nest;
  const core = (s: Stmt): Stmt =>
    (s.kind === "For" && s.forKind === "bound") || s.kind === "Allocate" || s.kind === "AllocChannel"
      ? { ...s, body: core(s.body) }
      : { kind: "Roles", producer: onlyFills(s), consumers: withoutFills(s), ...roles };
  return core(nest);
}

export const splitRoles = definePass<"lowered", "lowered">("split-roles", (func) => {
  const nests = rootNests(func.body);
  const made = nests.map(split);
  return made.some((nest, i) => nest !== nests[i]) ? withBody(func, b.seq(made)) : func;
});
