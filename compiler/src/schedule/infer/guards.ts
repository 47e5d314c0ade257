/**
 * Conditions under which a stage's statement may run (docs/reference/source-programs.md 6.6): a split that does not divide runs
 * past its parent; an inferred region may leave the tensor. Proven ones are dropped. A condition wraps the single statement,
 * never a loop that may hold a barrier.
 */
import { addScaled, constantOf, isConstant, type Linear } from "../../arith/linear.ts";
import { isTrue } from "../../ir/build.ts";
import { exprEqual } from "../../ir/equal.ts";
import type { Expr } from "../../ir/expr.ts";
import { loopOf, type Relation } from "../state.ts";
import type { Plan, StagePlan } from "./plan.ts";

export interface Guards {
  /** Over spatial loops only: what an initialization needs too. */
  readonly spatial: readonly Expr[];
  readonly reduce: readonly Expr[];
}

function overruns(plan: Plan, relation: Relation): boolean {
  if (relation.kind !== "split") return false;
  const covered = relation.parts.reduce((product, part) => product * (plan.extents[part] as number), 1);
  return covered !== plan.extents[relation.parent];
}

export function guardsOf(plan: Plan, { stage, base, env }: StagePlan): Guards {
  const { analyzer, state, extents, values } = plan;
  const spatial: Expr[] = [];
  const reduce: Expr[] = [];
  const need = (list: Expr[], cond: Expr) => {
    if (!isTrue(cond) && !list.some((known) => exprEqual(known, cond))) list.push(cond);
  };
  for (const relation of stage.relations) {
    if (relation.kind !== "split" || !overruns(plan, relation)) continue;
    const list = loopOf(state, relation.parent).kind === "reduce" ? reduce : spatial;
    need(list, analyzer.below(values[relation.parent] as Linear, extents[relation.parent] as number));
  }
  for (const [d, axis] of stage.axes.entries()) {
    const from = base[d] as Linear;
    const whole = stage.buffer.shape[d] as number;
    if (isConstant(from) && from.constant === 0 && extents[stage.spatial[d] as number] === whole) continue;
    // The split guards keep the root loop below its extent, whatever its leaves could reach without them.
    const least = analyzer.boundsOf(from).lo;
    const most = analyzer.boundsOf(from).hi + (extents[stage.spatial[d] as number] as number) - 1;
    const value = env.get(axis) as Linear;
    if (most >= whole) need(spatial, analyzer.below(value, whole));
    if (least < 0) need(spatial, analyzer.below(addScaled(constantOf(-1), value, -1), 0));
  }
  return { spatial, reduce };
}
