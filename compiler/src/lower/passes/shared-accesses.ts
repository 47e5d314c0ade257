import { defined } from "@warpfarm/common";
import type { Team } from "../../ir/agent.ts";
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { eachPart, touches } from "../../ir/parts.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { walkExpr } from "../../ir/visit.ts";

export interface Access {
  readonly buffer: Buffer;
  readonly index: Expr;
  readonly reach?: number;
  /** Conditions around it: it happens where all hold. */
  readonly when?: readonly Expr[];
  readonly isCarried?: true;
  /** The largest team whose threads have met since; and before, after the beginning of the statement that it is in. */
  readonly met?: Team;
  readonly metBefore?: Team;
}
export interface Accesses {
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
}
export const none: Accesses = { reads: [], writes: [] };
const isNone = (a: Accesses): boolean => a.reads.length === 0 && a.writes.length === 0;
export function union(a: Accesses, c: Accesses): Accesses {
  if (isNone(a)) return c;
  if (isNone(c)) return a;
  return { reads: merged(a.reads, c.reads), writes: merged(a.writes, c.writes) };
}
const merged = (a: readonly Access[], c: readonly Access[]): readonly Access[] =>
  a.length === 0 ? c : c.length === 0 ? a : [...new Set([...a, ...c])];

/** The accesses of a statement itself, without its parts. */
export function accessesOf(s: Stmt): Accesses {
  const reads: Access[] = [];
  const writes: Access[] = [];
  eachPart(
    s,
    () => {},
    (e) => sharedReads(e, reads),
  );
  for (const { buffer, indices, reach, how } of touches(s))
    if (buffer.scope === "shared" && indices)
      (how === "read" ? reads : writes).push({ buffer, index: indices[0] as Expr, ...defined({ reach }) });
  return reads.length === 0 && writes.length === 0 ? none : { reads, writes };
}

function sharedReads(e: Expr, into: Access[]): void {
  walkExpr(e, (part) => {
    if (part.kind === "Load" && part.buffer.scope === "shared")
      into.push({ buffer: part.buffer, index: part.indices[0] as Expr });
  });
}
