/**
 * This pass decides which loops are repeated textually, which are left to the next compiler as `#pragma unroll` (they keep the
 * kind `unrolled`), and which stay. A loop marked `unrolled` is always one of the first two; a serial loop becomes one under
 * the pragma auto_unroll_max_step when no rolled loop is inside it, at most 8 unrolled ones are, and iterations times steps in
 * the body are at most the pragma's value. A step is a store; each member of a sequence is counted from zero, then summed.
 * unroll_explicit 0 = leave it to the compiler. Source: TVM's unroll_loop; docs/reference/autotvm.md 7.7.
 *
 * One rule differs from TVM: a copy into shared memory gains nothing from being unrolled in the text. Beyond 8 steps it is left
 * to the compiler, explicit or not, and beyond 32 it is unrolled in part: `#pragma unroll 30`. Unrolled in full, such copies took
 * up to 45 s to compile and their values were spilled. Loops around a copy count all its steps.
 *
 * Loops that a ring feeds are repeated for its slots (ring-rounds.ts).
 *
 * The pass decides bottom-up and repeats top-down in one traversal, so every statement is instantiated once. It drops stage and
 * pragma remarks, which are no longer needed, except a stage's name outside repeated code.
 */
import type { Analyzer } from "../../arith/analyzer.ts";
import { type Buffer, teamOf } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import { isRemark, touches } from "../../ir/parts.ts";
import type { For, Remark, Stmt, Store } from "../../ir/stmt.ts";
import { eachPart, mapStmt, someExpr } from "../../ir/visit.ts";
import { Instantiation } from "../instantiate.ts";
import { analyzerFor } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";
import { inRounds } from "./ring-rounds.ts";
import { isNothing, nothing } from "./simplify.ts";

const maxDepth = 8;
/** More repeated statements than this are left to the compiler, whatever the schedule says: the text would not fit. */
const maxSteps = 1 << 15;

/** For a loop that only copies into shared memory: steps written as text, and steps at a time when left to the compiler. */
const maxCopyText = 8;
const maxCopySteps = 32;

/** A number: left to the compiler, that many iterations at a time. */
type Decision = "repeat" | "leave" | "keep" | number;
interface Pragmas {
  readonly maxStep: number;
  readonly explicit: boolean;
}
interface Count {
  readonly steps: number;
  readonly unrollDepth: number;
  readonly rolledLoops: number;
  readonly copies: boolean;
}

function decide(s: Stmt, pragmas: Pragmas, decisions: Map<For, Decision>): Count {
  switch (s.kind) {
    case "Pragma": {
      const { auto_unroll_max_step: maxStep = pragmas.maxStep, unroll_explicit: explicit } = s.pragmas;
      return decide(s.body, { maxStep, explicit: explicit === undefined ? pragmas.explicit : explicit !== 0 }, decisions);
    }
    case "Store":
      return { steps: 1, unrollDepth: 0, rolledLoops: 0, copies: isSharedCopy(s) };
    case "For":
      return decideLoop(s, decide(s.body, pragmas, decisions), pragmas, decisions);
    default: {
      if (touches(s).length > 0) return { steps: 1, unrollDepth: 0, rolledLoops: 0, copies: false };
      // A barrier is no step.
      const counts: Count[] = [];
      eachPart(
        s,
        (child) => counts.push(decide(child, pragmas, decisions)),
        () => {},
      );
      return {
        steps: counts.reduce((sum, c) => sum + c.steps, 0),
        unrollDepth: counts.reduce((most, c) => Math.max(most, c.unrollDepth), 0),
        rolledLoops: counts.reduce((most, c) => Math.max(most, c.rolledLoops), 0),
        copies: counts.every((c) => c.copies),
      };
    }
  }
}

function decideLoop(loop: For, body: Count, pragmas: Pragmas, decisions: Map<For, Decision>): Count {
  // Threads and OpenMP's loops are not loops of the program's text.
  if (loop.forKind === "bound" || loop.forKind === "parallel") return body;
  const steps = loop.extent * body.steps;
  // Rounds of a ring are not unrolled by nvcc either, which would take 24 s to compile some.
  if (loop.factor !== undefined) {
    decisions.set(loop, loop.factor);
    return { ...body, rolledLoops: body.rolledLoops + 1 };
  }
  const auto = loop.forKind === "serial" && body.rolledLoops === 0 && body.unrollDepth <= maxDepth && steps <= pragmas.maxStep;
  if (!auto && loop.forKind !== "unrolled") {
    decisions.set(loop, "keep");
    return { ...body, rolledLoops: body.rolledLoops + 1 };
  }
  decisions.set(loop, unrolledHow(loop, body, steps, pragmas));
  return { ...body, steps, unrollDepth: body.unrollDepth + 1 };
}

function unrolledHow(loop: For, body: Count, steps: number, pragmas: Pragmas): Decision {
  if (body.copies && steps > maxCopySteps) return factorOf(loop.extent, maxCopySteps / body.steps);
  const textSteps = body.copies ? maxCopyText : maxSteps;
  return pragmas.explicit && steps <= textSteps ? "repeat" : "leave";
}

/** The largest divisor of the extent in the upper half of `most`; otherwise `most`. */
function factorOf(extent: number, most: number): number {
  const allowed = Math.max(1, Math.floor(most));
  for (let factor = allowed; 2 * factor > allowed; factor--) if (extent % factor === 0) return factor;
  return allowed;
}

function isSharedCopy({ buffer, value }: Store): boolean {
  const isRegisters = ({ scope }: Buffer) => scope === "local" || teamOf(scope) === "warpgroup";
  return buffer.scope === "shared" && !someExpr(value, (e) => e.kind === "Load" && isRegisters(e.buffer));
}

class Unroller {
  readonly #decisions: ReadonlyMap<For, Decision>;
  readonly #copies: Instantiation;

  constructor(decisions: ReadonlyMap<For, Decision>, analyzer: Analyzer) {
    this.#decisions = decisions;
    const repeated = [...decisions].filter(([, decision]) => decision === "repeat");
    this.#copies = new Instantiation(
      repeated.map(([{ loopVar, extent }]) => [loopVar, extent]),
      (cond) => analyzer.simplify(cond),
    );
  }

  run(s: Stmt): Stmt {
    if (isRemark(s)) {
      const body = this.run(s.body);
      return this.#hasServed(s) || isNothing(body) ? body : body === s.body ? s : { ...s, body };
    }
    switch (s.kind) {
      case "For":
        return this.#decisions.get(s) === "repeat" ? this.#gathered(s) : this.#loop(s);
      case "If": {
        const cond = this.#copies.condition(s.cond);
        if (b.isFalse(cond)) return nothing;
        const body = this.run(s.body);
        return cond === s.cond && body === s.body ? s : isNothing(body) ? nothing : b.ifThen(cond, body);
      }
      case "Seq":
        return this.#gathered(s);
      default:
        return mapStmt(s, (child) => this.run(child), this.#copies.expr);
    }
  }

  #hasServed(s: Remark): boolean {
    return s.kind !== "Stage" || this.#copies.isActive;
  }

  #gathered(s: Stmt): Stmt {
    const made: Stmt[] = [];
    this.#gather(s, made);
    if (s.kind === "Seq" && made.length === s.stmts.length && made.every((child, i) => child === s.stmts[i])) return s;
    return b.seq(made);
  }
  #gather(s: Stmt, into: Stmt[]): void {
    if (s.kind === "Seq") {
      for (const child of s.stmts) this.#gather(child, into);
    } else if (isRemark(s) && this.#hasServed(s)) {
      this.#gather(s.body, into);
    } else if (s.kind === "For" && this.#decisions.get(s) === "repeat") {
      this.#copies.repeat(s.loopVar, s.extent, () => this.#gather(s.body, into));
    } else {
      const made = this.run(s);
      if (made.kind === "Seq") into.push(...made.stmts);
      else into.push(made);
    }
  }

  #loop(loop: For): Stmt {
    const body = this.run(loop.body);
    if (isNothing(body)) return body;
    const decision = this.#decisions.get(loop);
    if (typeof decision === "number") return { ...loop, forKind: "unrolled", factor: decision, body };
    const forKind = decision === "leave" ? "unrolled" : loop.forKind;
    return body === loop.body && forKind === loop.forKind ? loop : { ...loop, forKind, body };
  }
}

export const unroll = definePass<"device", "device">("unroll", (func) => {
  const decisions = new Map<For, Decision>();
  const body = inRounds(func.body);
  decide(body, { maxStep: 0, explicit: true }, decisions);
  return withBody(func, new Unroller(decisions, analyzerFor(body)).run(body));
});
