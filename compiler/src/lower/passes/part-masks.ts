/**
 * In loops whose last steps a block leaves out (ADR 111), elements are tested where the end passes through a step. Where
 * these tests hold for all elements in most steps, they become one, around all neighbouring statements that have such tests:
 *
 *   for k: if k < e: for t in 8: if 8 * k + t < y: s += x[t]
 *     ->   for k: if k < e: { if 8 * k + 7 < 0: for t: s += x[t];  if 8 * k >= -7: for t: if 8 * k + t < y: s += x[t] }
 *
 * The test is the strictest that an element of the block has, so that all threads decide alike and may fold inside. A test around
 * each nest would divide a step into many blocks of instructions, which the next compiler does not interleave: chains of a
 * maximum would wait for each other. The pass runs when loops are not yet unrolled and threads stand at the head.
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

/** Of one thread: stores, and folds with its neighbours, to which all threads of a block come together. */
const isOfElements = (s: Stmt): boolean => {
  if (s.kind === "Store" || s.kind === "Fold") return true;
  if (s.kind === "Seq") return s.stmts.every(isOfElements);
  return (s.kind === "If" || s.kind === "Stage" || (s.kind === "For" && s.forKind !== "bound")) && isOfElements(s.body);
};

/** A comparison, and the strictest that an element of the block has. */
interface Test {
  readonly test: Binary;
  readonly strictest: Expr;
}

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
    if (this.#common.size > 0) {
      if (s.kind === "Seq") {
        const made = this.#runsOf(s.stmts).flatMap((run) => this.#parted(run));
        return made.length === s.stmts.length && made.every((one, i) => one === s.stmts[i]) ? s : b.seq(made);
      }
      if (s.kind !== "If" && isOfElements(s)) return b.seq(this.#parted([s]));
    }
    if (s.kind !== "For") return mapStmt(s, this.run, (e) => e);
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

  /** Statements of elements that follow each other, and the others one by one. */
  #runsOf(stmts: readonly Stmt[]): readonly (readonly Stmt[])[] {
    const runs: Stmt[][] = [];
    for (const [i, s] of stmts.entries()) {
      const before = stmts[i - 1];
      if (before && isOfElements(before) && isOfElements(s)) (runs.at(-1) as Stmt[]).push(s);
      else runs.push([s]);
    }
    return runs;
  }

  /** All that stands from the first tested statement of a run to the last has one test, so it stays one block of instructions. */
  #parted(run: readonly Stmt[]): readonly Stmt[] {
    if (!run.every(isOfElements)) return run.map(this.run);
    const tests = run.map((s) => this.#testsIn(s));
    const isTested = (found: readonly Test[]) => found.length > 0;
    const [first, last] = [tests.findIndex(isTested), tests.findLastIndex(isTested)];
    if (first < 0) return run;
    const all = distinct(tests.flat(), ({ test }) => test);
    const stricts = distinct(all, ({ strictest }) => strictest).map(({ strictest }) => strictest);
    const whole = this.#analyzer.simplify(b.and(...stricts));
    if (b.isTrue(whole) || b.isFalse(whole)) return run;
    const masked = b.seq(run.slice(first, last + 1));
    const untested = all.reduce<Stmt>((s, { test }) => given(s, test), masked);
    return [...run.slice(0, first), b.ifThen(whole, untested), b.ifThen(b.not(whole), masked), ...run.slice(last + 1)];
  }

  /** Comparisons that differ between elements of a step, and hold for all of them in some steps. */
  #testsIn(nest: Stmt): readonly Test[] {
    const found: Test[] = [];
    walkStmt(
      nest,
      () => {},
      (e) =>
        walkExpr(e, (part) => {
          if (!isBound(part) || readsMemory(part) || !this.#differs(part)) return;
          const strictest = this.#strictest(part);
          if (strictest && !b.isFalse(strictest)) found.push({ test: part, strictest });
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
    return this.#analyzer.simplify(b.compare(kind as "LT", b.add(this.#analyzer.expr(common), b.int(least)), b.int(0)));
  }
}

function distinct(tests: readonly Test[], of: (test: Test) => Expr): readonly Test[] {
  return tests.filter((test, i) => tests.findIndex((other) => exprEqual(of(other), of(test))) === i);
}

const isBound = (e: Expr): e is Binary =>
  (e.kind === "LT" || e.kind === "LE" || e.kind === "GT" || e.kind === "GE") && e.a.dtype === "int32";

export const partMasks = definePass<"lowered", "lowered">("part-masks", (func) =>
  withBody(func, new Parting(func.body).run(func.body)),
);
