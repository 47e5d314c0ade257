/**
 * Steps of a recurrence that change nothing (docs/adr/0126). Where c is false, a sum of select(c, term, 0) with a decay of
 * select(c, decay, 1), and scans along with it of select(c, step, before), keep what they have. All else that is computed at
 * the loop of the steps lives for one step. So the loop's body runs where c holds:
 *
 *   for b:  { use x;  m = select(b < e, f(m.before), m.before);  s *= select(b < e, d, 1);  if b < e: s += g }
 *     ->   for b: if b < e: { use x;  m = f(m.before);  s *= d;  s += g }
 *
 * Copies that run ahead stay before the condition; passes/make-channels.ts decides which turns of a ring it leaves out.
 */
import * as b from "../../ir/build.ts";
import { identityOf } from "../../ir/combiner.ts";
import { exprEqual } from "../../ir/equal.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { type Stmt, threadRank } from "../../ir/stmt.ts";
import { mapStmt, rewriteExpr, substitute, walkExpr } from "../../ir/visit.ts";
import { attachedAt, type Loop, type LoopRef, loopOf, type Stage, type State } from "../state.ts";
import type { Plan, StagePlan } from "./plan.ts";

/** The condition without which a sum with a decay, or a scan, keeps its values. A scan has none before its first step. */
function changesWhen(state: State, { stage, body, decay, before }: StagePlan): Expr | undefined {
  if (body.kind !== "Select") return undefined;
  const { cond, whenFalse } = body;
  if (before) {
    const along = stage.axes.find((_, d) => loopOf(state, stage.spatial[d] as LoopRef).ordered) as Var;
    const keeps =
      whenFalse.kind === "Select" &&
      exprEqual(whenFalse.cond, b.gt(along, b.int(0))) &&
      whenFalse.whenTrue.kind === "Load" &&
      whenFalse.whenTrue.buffer === stage.buffer;
    return keeps ? cond : undefined;
  }
  const zero = identityOf("sum", body.dtype);
  const isZero = zero !== undefined && exprEqual(whenFalse, zero);
  const keeps = decay?.kind === "Select" && exprEqual(decay.cond, cond) && exprEqual(decay.whenFalse, b.constant(1, body.dtype));
  return keeps && isZero ? cond : undefined;
}

/** Whether a stage in the nest of this one writes what stays. */
const writesBelow = (state: State, { leaves }: Stage): boolean =>
  leaves.some(
    (leaf) =>
      attachedAt(state, leaf, ["after"]).length > 0 || attachedAt(state, leaf, ["at"]).some((inner) => writesBelow(state, inner)),
  );

/**
 * When the steps of a stage's loop change anything; undefined where all may. Whole blocks decide alike, since barriers may stand
 * in the loop.
 */
export function takenWhen(plan: Plan, planned: StagePlan, steps: Loop): Expr | undefined {
  const { state, analyzer } = plan;
  const { stage, path } = planned;
  if (!planned.decay) return undefined;
  const inside = attachedAt(state, steps.ref, ["at"]);
  if (attachedAt(state, steps.ref, ["after"]).length > 0 || inside.some((s) => writesBelow(state, s))) return undefined;
  const scans = inside.map(({ ref }) => plan.planOf(ref) as StagePlan).filter(({ before }) => before);
  const conditions = [planned, ...scans].map((each) => {
    const cond = changesWhen(state, each);
    return cond && analyzer.simplify(cond, each.env);
  });
  const [taken] = conditions;
  if (!taken || !conditions.every((cond) => cond && exprEqual(cond, taken))) return undefined;
  const outer = [...path, ...stage.leaves.slice(0, stage.leaves.indexOf(steps.ref))].map((ref) => loopOf(state, ref));
  const uniform = outer.filter(({ thread }) => thread === undefined || threadRank(thread) === 0).map(({ loopVar }) => loopVar);
  let isUniform = true;
  walkExpr(taken, (e) => {
    if (e.kind === "Load" || (e.kind === "Var" && e !== steps.loopVar && !uniform.includes(e))) isUniform = false;
  });
  const first = analyzer.simplify(substitute(taken, new Map([[steps.loopVar, b.int(0)]])));
  return isUniform && (b.isTrue(first) || scans.length === 0) ? taken : undefined;
}

/** The statement where a condition holds. */
export function given(s: Stmt, cond: Expr): Stmt {
  const known = (e: Expr): Expr => rewriteExpr(e, (part) => (exprEqual(part, cond) ? b.bool(true) : part));
  return mapStmt(s, (child) => given(child, cond), known);
}
