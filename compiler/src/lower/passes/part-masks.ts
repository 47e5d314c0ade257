/**
 * In loops whose last steps a block leaves out (docs/adr/0126), elements are tested where the end passes through a step. For a
 * nest whose tests hold for all of its elements in most steps, that is one test:
 *
 *   for k: if k < e: for t in 8: if 8 * k + t < y: s += x[t]
 *     ->   for k: if k < e: { if 8 * k + 7 < 0: for t: s += x[t];  if 8 * k >= -7: for t: if 8 * k + t < y: s += x[t] }
 *
 * The test is the strictest that an element of the block has, so that all threads decide alike. The pass runs when loops are not
 * yet unrolled and threads stand at the head.
 */
import type { Analyzer } from "../../arith/analyzer.ts";
import { type Linear, pick } from "../../arith/linear.ts";
import * as b from "../../ir/build.ts";
import { exprEqual, given } from "../../ir/equal.ts";
import type { Binary, Expr, Var } from "../../ir/expr.ts";
import type { For, Stmt } from "../../ir/stmt.ts";
import { mapStmt, usesVar, walkExpr, walkStmt } from "../../ir/visit.ts";
import { analyzerFor, readsMemory, usesAny } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";

/** A nest of loops of one thread over stores. */
const isOfElements = (s: Stmt): boolean =>
  s.kind === "Store" ||
  (s.kind === "Seq" && s.stmts.every(isOfElements)) ||
  ((s.kind === "If" || (s.kind === "For" && s.forKind !== "bound")) && isOfElements(s.body));

class Parting {
  readonly #analyzer: Analyzer;
  readonly #ofBlocks = new Set<Var>();
  readonly #ofThreads = new Set<Var>();
  /** Variables with one value for all threads of a block in an iteration of the loop; empty outside of such loops. */
  #common = new Set<Var>();

  constructor(body: Stmt) {
    this.#analyzer = analyzerFor(body);
    walkStmt(body, (s) => {
      if (s.kind === "For" && s.thread) (s.thread.startsWith("blockIdx") ? this.#ofBlocks : this.#ofThreads).add(s.loopVar);
    });
  }

  readonly run = (s: Stmt): Stmt => {
    if (s.kind !== "For") return mapStmt(s, this.run, (e) => e);
    if (this.#common.size > 0 && isOfElements(s)) return this.#parted(s);
    const before = this.#common;
    if (this.#isEnding(s)) this.#common = new Set([...this.#ofBlocks, s.loopVar]);
    const made = mapStmt(s, this.run, (e) => e);
    this.#common = before;
    return made;
  };

  /** Whether a block leaves iterations out. */
  #isEnding({ loopVar, body, forKind }: For): boolean {
    if (forKind !== "serial" || body.kind !== "If" || readsMemory(body.cond)) return false;
    return usesVar(body.cond, loopVar) && usesAny(body.cond, this.#ofBlocks) && !usesAny(body.cond, this.#ofThreads);
  }

  #parted(nest: For): Stmt {
    const tests = this.#testsIn(nest);
    const strictest = tests.map((test) => this.#strictest(test));
    if (tests.length === 0 || strictest.some((test) => test === undefined)) return nest;
    const whole = this.#analyzer.simplify(b.and(...(strictest as Expr[])));
    if (b.isTrue(whole) || b.isFalse(whole)) return nest;
    const untested = tests.reduce<Stmt>(given, nest);
    return b.seq([b.ifThen(whole, untested), b.ifThen(b.not(whole), nest)]);
  }

  /** Comparisons that differ between elements of a step. */
  #testsIn(nest: Stmt): readonly Binary[] {
    const found: Binary[] = [];
    walkStmt(
      nest,
      () => {},
      (e) =>
        walkExpr(e, (part) => {
          if (!isBound(part) || readsMemory(part) || !this.#differs(part)) return;
          if (!found.some((known) => exprEqual(known, part))) found.push(part);
        }),
    );
    return found;
  }

  /** Whether it is of the step, and of its elements. */
  #differs(e: Expr): boolean {
    let [ofStep, ofElements] = [false, false];
    walkExpr(e, (part) => {
      if (part.kind !== "Var") return;
      ofStep ||= this.#common.has(part);
      ofElements ||= !this.#common.has(part);
    });
    return ofStep && ofElements;
  }

  #strictest({ kind, a, b: other }: Binary): Expr | undefined {
    const difference = this.#analyzer.sum(this.#analyzer.linear(a), this.#analyzer.linear(other), -1);
    const isCommon = (atom: Linear["atoms"][number]) => atom.variables.every(({ variable }) => this.#common.has(variable));
    const common = { ...pick(difference, (_, atom) => isCommon(atom)), constant: 0 };
    const { lo, hi } = this.#analyzer.boundsOf(this.#analyzer.sum(difference, common, -1));
    const least = kind === "LT" || kind === "LE" ? hi : lo;
    if (!Number.isFinite(least)) return undefined;
    return b.compare(kind as "LT", b.add(this.#analyzer.expr(common), b.int(least)), b.int(0));
  }
}

const isBound = (e: Expr): e is Binary =>
  (e.kind === "LT" || e.kind === "LE" || e.kind === "GT" || e.kind === "GE") && e.a.dtype === "int32";

export const partMasks = definePass<"lowered", "lowered">("part-masks", (func) =>
  withBody(func, new Parting(func.body).run(func.body)),
);
