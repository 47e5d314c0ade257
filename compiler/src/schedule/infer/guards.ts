/**
 * Conditions under which a stage's statement may run (docs/reference/source-programs.md 6.6): a split that does not divide runs
 * past its parent, and an inferred region may leave the tensor. Proven conditions are dropped. Such a condition wraps the single
 * statement, never a loop that may contain a barrier.
 *
 * Steps of a recurrence that change nothing (ADR 111). Where c is false, a sum of select(c, term, 0) with a decay of
 * select(c, decay, 1), and scans along with it of select(c, step, before), keep what they have. All else that is computed at
 * the loop of the steps lives for one step. So the loop's body runs where c holds:
 *
 *   for b:  { use x;  m = select(b < e, f(m.before), m.before);  s *= select(b < e, d, 1);  if b < e: s += g }
 *     ->   for b: if b < e: { use x;  m = f(m.before);  s *= d;  s += g }
 *
 * Copies that run ahead stay before the condition; passes/make-channels.ts decides which turns of a ring it leaves out.
 */
import { addScaled, constantOf, isConstant, type Linear } from "../../arith/linear.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import { identityOf } from "../../ir/combiner.ts";
import { exprEqual } from "../../ir/equal.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { threadRank } from "../../ir/stmt.ts";
import { substitute, walkExpr } from "../../ir/visit.ts";
import { attachedAt, type Loop, type LoopRef, loopOf, type Relation, type Stage, type State } from "../state.ts";
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
    if (!b.isTrue(cond) && !list.some((known) => exprEqual(known, cond))) list.push(cond);
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
