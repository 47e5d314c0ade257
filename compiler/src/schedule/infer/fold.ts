/**
 * A reduction that the threads of a block share out: one of its loops is bound to threadIdx.x, and perhaps one to clusterIdx.x.
 * Each thread reduces its part into an array of its own, the threads of a row put these together, those of all blocks of a
 * cluster where they share it (a Fold statement), and what all then have is stored once.
 *
 *   for i: for ko: for ki bind threadIdx.x: c[i] += f(i, ko, ki)
 *     ->   for i: { alloc part;  part = 0;  for ko: for ki bind threadIdx.x: part += f(i, ko, ki);  fold part;  c[i] = part }
 */
import type { Refusal } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import { fitsFold } from "../../ir/fold.ts";
import type { ClusterShape, ThreadTag } from "../../ir/stmt.ts";
import { type Loop, loopOf, type Stage, type State, stageOf } from "../state.ts";
import { refuseAt } from "./loops.ts";
import type { Plan, StagePlan } from "./plan.ts";

const reductionOver = (state: State, { leaves }: Stage, tag: ThreadTag): Loop | undefined =>
  leaves.map((leaf) => loopOf(state, leaf)).find((loop) => loop.kind === "reduce" && loop.thread === tag);

export const sharedLoop = (state: State, stage: Stage): Loop | undefined => reductionOver(state, stage, "threadIdx.x");

/** The loop of a reduction that the blocks of a cluster share out. */
export const blocksLoop = (state: State, stage: Stage): Loop | undefined => reductionOver(state, stage, "clusterIdx.x");

/**
 * Where a reduction starts among the leaves of its stage: at its outermost reduction loop, or at the loop that decomposeReduction
 * names.
 */
export function startOf(state: State, { leaves, annotations: { start } }: Stage): number {
  return leaves.findIndex((leaf) => (start === undefined ? loopOf(state, leaf).kind === "reduce" : leaf === start.loop));
}

/** An array of each thread, and the loops over it, which are its dimensions. */
export interface Kept {
  readonly buffer: Buffer;
  readonly loops: readonly Loop[];
}

function keptIn(plan: Plan, { name, buffer: { dtype } }: Stage, below: readonly Loop[], suffix: string): Kept {
  const loops = below.filter(isKept);
  const shape = loops.length > 0 ? loops.map(({ ref }) => plan.extents[ref] as number) : [1];
  return { buffer: { name: `${name}.${suffix}`, dtype, shape, scope: "local" }, loops };
}

const carries = new WeakMap<StagePlan, Kept>();

/** What a scan carries from step to step: the last element of each loop below that of its steps. One array for each plan. */
export function carryOf(plan: Plan, planned: StagePlan): Kept | undefined {
  const { stage } = planned;
  const known = carries.get(planned);
  if (known) return known;
  if (planned.before) return undefined;
  const leaves = stage.leaves.map((leaf) => loopOf(plan.state, leaf));
  const at = leaves.findIndex(({ ordered, kind }) => ordered && kind === "spatial");
  if (at < 0) return undefined;
  const made = keptIn(plan, stage, leaves.slice(at + 1), "carried");
  carries.set(planned, made);
  return made;
}

const isKept = (loop: Loop): boolean => loop.kind === "spatial" && (loop.thread === undefined || loop.thread === "vthread");

/** A thread's part of the sums, and the loops over it; undefined where threads share nothing. */
export function partOf(plan: Plan, { stage }: StagePlan): Kept | undefined {
  const { state } = plan;
  if (!sharedLoop(state, stage)) return undefined;
  const below = stage.leaves.slice(startOf(state, stage)).map((leaf) => loopOf(state, leaf));
  return keptIn(plan, stage, below, "part");
}

/** A loop of an axis around a stage, by which the elements that are computed there differ. */
function distinguishing(plan: Plan, { base }: StagePlan, tag: ThreadTag): Loop | undefined {
  for (const { variables } of base.flatMap(({ atoms }) => atoms))
    for (const variable of variables) {
      const ref = plan.loopOfVariable(variable);
      const loop = ref === undefined ? undefined : loopOf(plan.state, ref);
      if (loop?.thread === tag) return loop;
    }
  return undefined;
}

/** Blocks share a row out together with their threads, and all blocks of the cluster do. */
function checkBlocks(plan: Plan, stage: Stage, blocks: Loop, launched: ClusterShape): Refusal | undefined {
  const extent = plan.extents[blocks.ref] as number;
  const refuse = (why: string) =>
    refuseAt(
      "bind.cluster",
      blocks.step,
      `bind: loop "${blocks.name}" of "${stage.name}" shares a reduction out over the ${extent} blocks of clusterIdx.x, but ${why}`,
    );
  if (!sharedLoop(plan.state, stage))
    return refuse(
      "no loop of it is bound to threadIdx.x, whose threads send each block's value: split the reduction and bind one",
    );
  const { x, y } = launched;
  if (y > 1) return refuse(`the kernel's clusters have ${y} blocks along clusterIdx.y, too, which have no part of it`);
  return extent === x ? undefined : refuse(`the kernel's clusters have ${x}: split it by ${x}`);
}

/**
 * Checks that the threads of a row reduce the same elements, that shuffles can fold the rows, and that only loops do the sums.
 */
export function checkFold(plan: Plan, planned: StagePlan, axes: ReadonlyMap<ThreadTag, number>): Refusal | undefined {
  const { stage } = planned;
  const [loop, blocks] = [sharedLoop(plan.state, stage), blocksLoop(plan.state, stage)];
  const wrong =
    blocks && checkBlocks(plan, stage, blocks, { x: axes.get("clusterIdx.x") ?? 1, y: axes.get("clusterIdx.y") ?? 1 });
  if (wrong || !loop) return wrong;
  for (const one of [loop, ...(blocks ? [blocks] : [])]) {
    const outer = distinguishing(plan, planned, one.thread as ThreadTag);
    if (!outer) continue;
    const [who, other] = one === loop ? ["threads", ", or bind one of the two to threadIdx.y"] : ["blocks", ""];
    return refuseAt(
      "bind.fold",
      Math.max(one.step, outer.step, "step" in stage.placement ? stage.placement.step : 0),
      `bind: loop "${one.name}" of "${stage.name}" shares a reduction out over ${one.thread}, but loop "${outer.name}" of "${stageOf(plan.state, outer.stage).name}" around it is bound to ${one.thread} too, and each of its ${who} needs another element: compute "${stage.name}" outside that loop${other}`,
    );
  }
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
