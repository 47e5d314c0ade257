/**
 * A condition on every result of a piece of work becomes a condition on the work itself, so the copies for that work are
 * skipped too.
 *
 *   for k: { alloc S;  copy to S;  if y + r < 9: c += S[..] }   ->   if y + r < 9: for k: { alloc S;  copy to S;  c += S[..] }
 *
 * This happens only where all threads of a block decide alike, because the work contains cooperative copies, and later
 * barriers. A condition moves only over statements that write memory allocated around them in this iteration of every loop: no
 * other statement reads that memory.
 */
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import { given } from "../../ir/equal.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { isPlain, isRemark } from "../../ir/parts.ts";
import { type For, type Stmt, threadRank } from "../../ir/stmt.ts";
import { mapList, usesVar, walkStmt } from "../../ir/visit.ts";
import { conjuncts, readsMemory, usesAny } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";

function writesOnly(s: Stmt, own: ReadonlySet<Buffer>): boolean {
  const inside = new Set(own);
  let only = true;
  walkStmt(s, (part) => {
    if (part.kind === "Allocate") inside.add(part.buffer);
    else if (part.kind === "Store" || part.kind === "Fold") only &&= inside.has(part.buffer);
    else if (!isPlain(part)) only = false;
  });
  return only;
}

const runsAhead = (s: Stmt): boolean => s.kind === "Stage" && s.ahead !== undefined;

class Lift {
  readonly #ofThreads = new Set<Var>();
  /** The variable of the loop around, whose next iterations' copies may run ahead of this one's condition. */
  #iteration: Var | undefined;

  /** `own`: allocated around the statement in the same iteration of every loop. */
  run(s: Stmt, own: ReadonlySet<Buffer>): Stmt {
    if (isRemark(s)) {
      if (runsAhead(s)) return s;
      const body = this.run(s.body, own);
      return this.#over(body, (inner) => (inner === s.body ? s : { ...s, body: inner }));
    }
    switch (s.kind) {
      case "For":
        return this.#loop(s);
      case "Allocate": {
        const body = this.run(s.body, new Set([...own, s.buffer]));
        return this.#over(body, (inner) => (inner === s.body ? s : b.allocate(s.buffer, inner)));
      }
      case "Seq":
        return this.#sequence(
          mapList(s.stmts, (child) => this.run(child, own)),
          own,
          s,
        );
      default:
        return s;
    }
  }

  #loop(s: For): Stmt {
    const isOfThreads = s.thread !== undefined && threadRank(s.thread) > 0;
    if (isOfThreads) this.#ofThreads.add(s.loopVar);
    const outside = this.#iteration;
    this.#iteration = s.loopVar;
    const body = this.run(s.body, new Set());
    this.#iteration = outside;
    const around = (inner: Stmt): Stmt => (inner === s.body ? s : { ...s, body: inner });
    // A block's own condition is decided inside it: the loops at the head of a kernel stay where they are.
    return s.thread === undefined ? this.#over(body, around, s.loopVar) : around(body);
  }

  #over(body: Stmt, around: (inner: Stmt) => Stmt, loopVar?: Var): Stmt {
    if (body.kind !== "If") return around(body);
    const terms = conjuncts(body.cond);
    const out = terms.filter((term) => this.#isUniform(term) && !(loopVar && usesVar(term, loopVar)));
    if (out.length === 0) return around(body);
    const stay = terms.filter((term) => !out.includes(term));
    return b.ifThen(b.and(...out), around(b.ifThen(b.and(...stay), body.body)));
  }

  #sequence(stmts: readonly Stmt[], own: ReadonlySet<Buffer>, s: Stmt & { readonly kind: "Seq" }): Stmt {
    const last = stmts.at(-1) as Stmt;
    const others = stmts.slice(0, -1);
    const plain = stmts === s.stmts ? s : b.seq(stmts);
    if (last.kind !== "If" || others.length === 0 || !others.every((other) => writesOnly(other, own))) return plain;
    const terms = conjuncts(last.cond);
    const ahead = others.some(runsAhead);
    const changes = (term: Expr) => ahead && this.#iteration !== undefined && usesVar(term, this.#iteration);
    const out = terms.filter((term) => this.#isUniform(term) && !changes(term));
    if (out.length === 0) return plain;
    return b.ifThen(b.and(...out), b.seq(stmts.map((child) => out.reduce(given, child))));
  }

  #isUniform(term: Expr): boolean {
    return !readsMemory(term) && !usesAny(term, this.#ofThreads);
  }
}

export const liftConditions = definePass<"scheduled", "scheduled">("lift-conditions", (func) =>
  withBody(func, new Lift().run(func.body, new Set())),
);
