/**
 * Conditions under which a stage's statement may run (docs/reference/source-programs.md 6.6): a split that does not divide runs
 * past its parent, and an inferred region may leave the tensor. Proven conditions are dropped. A condition wraps the single
 * statement, never a loop that may contain a barrier.
 */
import { addScaled, constantOf, isConstant, type Linear } from "../../arith/linear.ts";
import type { Buffer } from "../../ir/buffer.ts";
import { isTrue } from "../../ir/build.ts";
import { exprEqual } from "../../ir/equal.ts";
import type { Expr } from "../../ir/expr.ts";
import { walkExpr } from "../../ir/visit.ts";
import { type LoopRef, loopOf, type Relation, type Stage } from "../state.ts";
import { isCopiedByEngine, type Plan, type StagePlan } from "./plan.ts";

export interface Guards {
  readonly spatial: readonly Expr[];
  readonly reduce: readonly Expr[];
}

function overruns(plan: Plan, relation: Relation): boolean {
  if (relation.kind !== "split") return false;
  const covered = relation.parts.reduce((product, part) => product * (plan.extents[part] as number), 1);
  return covered !== plan.extents[relation.parent];
}

/**
 * Whether values beyond the tensor's extent may be computed. If the copy engine copies all operands of a tensorized statement,
 * these values come from outside the operands, where the engine writes zeros. An element that only says where an operand begins
 * (a group's matrix) is read by the copy, and a rule of the device holds its index. Readers of the sums have their own guards.
 */
function mayGoBeyond(plan: Plan, { stage, isInner, loads, buffer }: StagePlan): boolean {
  if (!isInner || stage.annotations.tensorized === undefined) return false;
  const isBrought = (read: Buffer) => plan.stages.some((other) => other?.stage.buffer === read && isCopiedByEngine(other.stage));
  const brought = loads.filter((load) => isBrought(load.buffer));
  const placing = new Set<Expr>();
  for (const index of brought.flatMap(({ indices }) => indices)) walkExpr(index, (part) => placing.add(part));
  return loads.every(
    (load) => load.buffer === stage.buffer || load.buffer === buffer || brought.includes(load) || placing.has(load),
  );
}

/**
 * The root loop that exceeds its extent whenever this one does: between the two there are only outermost parts of splits and
 * fusions.
 */
function carriedTo(plan: Plan, stage: Stage, loop: LoopRef): LoopRef | undefined {
  if (stage.spatial.includes(loop)) return loop;
  for (const relation of stage.relations) {
    if (relation.kind === "fuse" && relation.fused === loop) {
      // Parts of one iteration before it are always 0 (infer/loops.ts).
      const leading = relation.parts.find((part) => (plan.extents[part] as number) > 1);
      return leading === undefined ? undefined : carriedTo(plan, stage, leading);
    }
    if (relation.kind === "split" && relation.parts[0] === loop) return carriedTo(plan, stage, relation.parent);
  }
  return undefined;
}

export function guardsOf(plan: Plan, planned: StagePlan): Guards {
  const { stage, base, env } = planned;
  const { analyzer, state, extents, values } = plan;
  const spatial: Expr[] = [];
  const reduce: Expr[] = [];
  const need = (list: Expr[], cond: Expr) => {
    if (!isTrue(cond) && !list.some((known) => exprEqual(known, cond))) list.push(cond);
  };
  // The copy engine leaves out only what is outside of a tensor, so the axis must show that a loop overruns.
  const overrun = new Set<LoopRef>();
  for (const relation of stage.relations) {
    if (relation.kind !== "split" || !overruns(plan, relation)) continue;
    const root = stage.placement.kind === "root" && isCopiedByEngine(stage) ? carriedTo(plan, stage, relation.parent) : undefined;
    if (root !== undefined) {
      overrun.add(root);
      continue;
    }
    const list = loopOf(state, relation.parent).kind === "reduce" ? reduce : spatial;
    need(list, analyzer.below(values[relation.parent] as Linear, extents[relation.parent] as number));
  }
  for (const [d, axis] of stage.axes.entries()) {
    const from = base[d] as Linear;
    const whole = stage.buffer.shape[d] as number;
    const root = stage.spatial[d] as LoopRef;
    const value = env.get(axis) as Linear;
    if (overrun.has(root)) need(spatial, analyzer.below(value, whole));
    if (isConstant(from) && from.constant === 0 && extents[root] === whole) continue;
    // The split guards keep the root loop below its extent, whatever its leaves could reach without them.
    const least = analyzer.boundsOf(from).lo;
    const most = analyzer.boundsOf(from).hi + (extents[root] as number) - 1;
    if (most >= whole && !mayGoBeyond(plan, planned)) need(spatial, analyzer.below(value, whole));
    if (least < 0) need(spatial, analyzer.below(addScaled(constantOf(-1), value, -1), 0));
  }
  return { spatial, reduce };
}
