/**
 * A reduction that the threads of a block share out: one of its loops is bound to threadIdx.x. Each thread reduces its part into
 * an array of its own, the threads of a row put these together (a Fold statement), and what all then have is stored once.
 *
 *   for i: for ko: for ki bind threadIdx.x: c[i] += f(i, ko, ki)
 *     ->   for i: { alloc part;  part = 0;  for ko: for ki bind threadIdx.x: part += f(i, ko, ki);  fold part;  c[i] = part }
 */
import type { Refusal } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import { fitsFold } from "../../ir/fold.ts";
import type { ThreadTag } from "../../ir/stmt.ts";
import { type Loop, loopOf, type Stage, type State, stageOf } from "../state.ts";
import { refuseAt } from "./loops.ts";
import type { Plan, StagePlan } from "./plan.ts";

export const sharedLoop = (state: State, { leaves }: Stage): Loop | undefined =>
  leaves.map((leaf) => loopOf(state, leaf)).find((loop) => loop.kind === "reduce" && loop.thread !== undefined);

/**
 * Where a reduction starts among the leaves of its stage: at its outermost reduction loop, or at the loop that decomposeReduction
 * names.
 */
export function startOf(state: State, { leaves, annotations: { start } }: Stage): number {
  return leaves.findIndex((leaf) => (start === undefined ? loopOf(state, leaf).kind === "reduce" : leaf === start.loop));
}

const isKept = (loop: Loop): boolean => loop.kind === "spatial" && (loop.thread === undefined || loop.thread === "vthread");

/** A thread's part of the sums, and the loops over it; undefined where threads share nothing. */
export function partOf(
  plan: Plan,
  { stage }: StagePlan,
): { readonly buffer: Buffer; readonly loops: readonly Loop[] } | undefined {
  const { state, extents } = plan;
  if (!sharedLoop(state, stage)) return undefined;
  const below = stage.leaves.slice(startOf(state, stage)).map((leaf) => loopOf(state, leaf));
  const loops = below.filter(isKept);
  const shape = loops.length > 0 ? loops.map(({ ref }) => extents[ref] as number) : [1];
  return { buffer: { name: `${stage.name}.part`, dtype: stage.buffer.dtype, shape, scope: "local" }, loops };
}

/** A loop of threadIdx.x around a stage, by which the elements that are computed there differ. */
function distinguishing(plan: Plan, { base }: StagePlan): Loop | undefined {
  for (const { variables } of base.flatMap(({ atoms }) => atoms))
    for (const variable of variables) {
      const ref = plan.loopOfVariable(variable);
      const loop = ref === undefined ? undefined : loopOf(plan.state, ref);
      if (loop?.thread === "threadIdx.x") return loop;
    }
  return undefined;
}

/**
 * Checks that the threads of a row reduce the same elements, that shuffles can fold the rows, and that only loops do the sums.
 */
export function checkFold(plan: Plan, planned: StagePlan, axes: ReadonlyMap<ThreadTag, number>): Refusal | undefined {
  const { stage } = planned;
  const loop = sharedLoop(plan.state, stage);
  if (!loop) return undefined;
  const outer = distinguishing(plan, planned);
  if (outer)
    return refuseAt(
      "bind.fold",
      Math.max(loop.step, outer.step, "step" in stage.placement ? stage.placement.step : 0),
      `bind: loop "${loop.name}" of "${stage.name}" shares a reduction out over threadIdx.x, but loop "${outer.name}" of "${stageOf(plan.state, outer.stage).name}" around it is bound to threadIdx.x too, and each of its threads needs another element: compute "${stage.name}" outside that loop, or bind one of the two to threadIdx.y`,
    );
  const { tensorized } = stage.annotations;
  if (tensorized)
    return refuseAt(
      "bind.tensorized",
      Math.max(loop.step, tensorized.step),
      `bind: loop "${loop.name}" of "${stage.name}" shares a reduction out over ${loop.thread}, but ${tensorized.intrinsic.name} does the reduction; do one of them`,
    );
  const below = stage.leaves.slice(startOf(plan.state, stage)).map((leaf) => loopOf(plan.state, leaf));
  const inside = below.find((other) => other.kind === "spatial" && !isKept(other));
  if (inside)
    return refuseAt(
      "bind.inside",
      Math.max(loop.step, inside.step),
      `bind: loop "${inside.name}" of "${stage.name}" is bound to ${inside.thread} inside its reduction, which "${loop.name}" shares out over ${loop.thread}; reorder it outside`,
    );
  const threads = axes.get("threadIdx.x") ?? 1;
  if (fitsFold(threads)) return undefined;
  return refuseAt(
    "bind.lanes",
    loop.step,
    `bind: loop "${loop.name}" of "${stage.name}" shares a reduction out over the ${threads} threads of threadIdx.x; shuffles take 2, 4, 8, 16, 32 or a multiple of 32: split the loop by one of these`,
  );
}
