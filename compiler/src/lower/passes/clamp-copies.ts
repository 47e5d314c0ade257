/**
 * When a thread's run of elements would reach past the end of a copy into shared memory, the thread moves its run back to end
 * there. The run overlaps its neighbour's and writes equal values. A guard at every element would keep the loads from being in
 * flight together.
 *
 *   for i in 14: if x*14 + i < 93: S[x*14 + i] = A[x*14 + i]   ->   for i in 14: S[min(x*14, 79) + i] = A[min(x*14, 79) + i]
 *
 * This is allowed where the written value depends on x and i through the guarded sum alone (x*14 + i takes every value below
 * 93). Neither this statement nor another that writes there may read what the kernel writes: otherwise a sum's start values
 * would overwrite what a neighbour has added. A thread whose run begins past the end does nothing: `if x*14 < 93` stands around
 * the loop unless it always holds. The pass runs before insertBarriers, because threads now share elements.
 */
import { isPacked } from "@warpfarm/common";
import type { Analyzer } from "../../arith/analyzer.ts";
import { addScaled, type Linear, pick, single, type VarAtom } from "../../arith/linear.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { isPlain, touches } from "../../ir/parts.ts";
import type { For, If, Stmt } from "../../ir/stmt.ts";
import { mapStmt, substitute, substituteStmt, usesVar, walkExpr, walkStmt } from "../../ir/visit.ts";
import { analyzerFor, conjuncts, readsMemory, usesAny } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";

type Store = Extract<Stmt, { kind: "Store" }>;

/** i added to a sum of other variables, all of it below a limit, every value from 0 to there taken by some thread and i. */
interface Run {
  readonly begin: Linear;
  readonly limit: number;
}

function runOf(guard: Expr, loop: For, analyzer: Analyzer): Run | undefined {
  if (guard.kind !== "LT" || guard.b.kind !== "IntImm" || guard.b.value < loop.extent) return undefined;
  const sum = analyzer.linear(guard.a);
  const own = (atom: Linear["atoms"][number]) => atom.kind === "var" && atom.variable === loop.loopVar;
  if (sum.constant !== 0 || sum.coefs[sum.atoms.findIndex(own)] !== 1 || !takesEveryValue(sum)) return undefined;
  const begin = pick(sum, (_, atom) => !own(atom));
  return begin.atoms.length > 0 ? { begin, limit: guard.b.value } : undefined;
}

/** x*93 + y*14 + i with y < 7, i < 14: each term's step is at most what the smaller ones reach, plus one. */
function takesEveryValue(sum: Linear): boolean {
  const terms = sum.atoms.map((atom, k) => ({ step: sum.coefs[k] as number, atom }));
  terms.sort((p, q) => p.step - q.step);
  let reached = 1;
  for (const { step, atom } of terms) {
    if (atom.kind !== "var" || atom.bounds.lo !== 0 || step < 1 || step > reached) return false;
    reached += step * atom.bounds.hi;
  }
  return Number.isFinite(reached);
}

class Clamping {
  readonly #analyzer: Analyzer;
  readonly #written = new Set<Buffer>();
  readonly #computed = new Set<Buffer>();

  constructor(body: Stmt) {
    this.#analyzer = analyzerFor(body);
    walkStmt(body, (s) => {
      for (const { buffer } of touches(s)) {
        this.#written.add(buffer);
        if (s.kind !== "Store") this.#computed.add(buffer);
      }
    });
    walkStmt(body, (s) => {
      if (s.kind !== "Store") return;
      walkExpr(s.value, (e) => {
        if (e.kind === "Load" && this.#written.has(e.buffer)) this.#computed.add(s.buffer);
      });
    });
  }

  readonly run = (s: Stmt): Stmt => {
    switch (s.kind) {
      case "For": {
        const copy = s.forKind === "serial" ? this.#clamped(s) : undefined;
        if (copy) return copy;
        const body = this.run(s.body);
        return body === s.body ? s : { ...s, body };
      }
      default:
        return isPlain(s) ? mapStmt(s, this.run, (e) => e) : s;
    }
  };

  #clamped(loop: For): Stmt | undefined {
    if (loop.body.kind !== "If" || loop.body.body.kind !== "Store" || !this.#isCopy(loop.body)) return undefined;
    const terms = conjuncts(loop.body.cond);
    const ofElement = (term: Expr) => usesVar(term, loop.loopVar);
    let guards: readonly Expr[] = terms.filter(ofElement);
    let store: Store = loop.body.body;
    const starts = new Map<Var, Expr>();
    const entry = terms.filter((term) => !ofElement(term));
    for (let next = this.#next(guards, store, loop); next; next = this.#next(guards, store, loop)) {
      ({ guards, store } = next);
      // One object for all its places: codegen gives it a name.
      starts.set(next.start, substitute(next.value, starts));
      entry.push(next.entry);
    }
    if (starts.size === 0) return undefined;
    const inner: Stmt = { ...loop, body: b.ifThen(b.and(...guards), store) };
    return substituteStmt(b.ifThen(b.and(...entry), inner), starts);
  }

  /** The statement with one more guard removed, and the run's start as a variable of its own. */
  #next(guards: readonly Expr[], store: Store, loop: For) {
    const analyzer = this.#analyzer;
    for (const guard of guards) {
      const run = runOf(guard, loop, analyzer);
      if (!run) continue;
      const place = b.variable("place");
      const start = b.variable("start");
      const toPlace = new Map([[loop.loopVar, addScaled(single(analyzer.declare(place, run.limit)), run.begin, -1)]]);
      const fromPlace = new Map([
        [place, addScaled(single(analyzer.declare(start, run.limit - loop.extent + 1)), analyzer.value(loop.loopVar), 1)],
      ]);
      const gone = new Set(run.begin.atoms.map((atom) => (atom as VarAtom).variable));
      const exprs = [...store.indices, store.value, ...guards.filter((other) => other !== guard)].map((e) =>
        analyzer.simplify(e, toPlace),
      );
      if (exprs.some((e) => usesAny(e, gone) || usesVar(e, loop.loopVar))) continue;
      const [index, value, ...rest] = exprs.map((e) => analyzer.simplify(e, fromPlace)) as [Expr, Expr, ...Expr[]];
      const begin = analyzer.expr(run.begin);
      return {
        guards: rest.filter((e) => !b.isTrue(e)),
        store: { ...store, indices: [index], value },
        start,
        value: b.min(begin, b.int(run.limit - loop.extent)),
        entry: analyzer.below(run.begin, run.limit),
      };
    }
    return undefined;
  }

  /**
   * Into shared memory, of what nobody writes, on conditions that read none: doing it twice, by any thread, does no harm. A part
   * of a word is written by reading the rest of it, which another thread may be writing.
   */
  #isCopy({ cond, body }: If): boolean {
    if (body.kind !== "Store" || body.buffer.scope !== "shared" || isPacked(body.buffer.dtype)) return false;
    return !this.#computed.has(body.buffer) && !readsMemory(cond);
  }
}

export const clampCopies = definePass<"lowered", "lowered">("clamp-copies", (func) =>
  withBody(func, new Clamping(func.body).run(func.body)),
);
