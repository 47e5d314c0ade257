/**
 * Threads: the launch that each root nest requests, and whether all its stages fit it. Loops of different stages that are bound
 * to threadIdx.x mean the same threads. The longest determines their number, and shorter ones are guarded when the nests are
 * merged. The root stage's binding determines the number of blocks, because further blocks would have no part of the result.
 */
import { defined, type Refusal } from "@warpfarm/common";
import { withProducer } from "../../ir/agent.ts";
import { type Scope, scopeRank } from "../../ir/buffer.ts";
import { isClusterTag, type ThreadTag, threadRank } from "../../ir/stmt.ts";
import { askedOf, type Loop, type LoopRef, loopOf, orderedLoop, type Stage, type StageRef } from "../state.ts";
import { checkFold, sharedLoop, startOf } from "./fold.ts";
import { refuseAt } from "./loops.ts";
import { isCopiedByEngine, type Plan, rootsOf, type StagePlan } from "./plan.ts";
import { lanesIn } from "./regions.ts";

export interface Launch {
  readonly name: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  /** Blocks in a cluster, neighbours in x; absent: 1. */
  readonly cluster?: number;
  /** Registers of a computing thread where the schedule distributes them; absent: all threads have an equal share. */
  readonly registers?: number;
  /** Blocks for which a multiprocessor has registers; absent: 1. */
  readonly minBlocks?: number;
}

type Axes = Map<ThreadTag, number>;

const boundLeaves = (plan: Plan, stage: Stage): Loop[] =>
  stage.leaves.map((leaf) => loopOf(plan.state, leaf)).filter((loop) => loop.thread !== undefined && loop.thread !== "vthread");

/** The copy engine may copy what one block requests to all blocks of its cluster. Each of them then requests its share. */
const isShare = (plan: Plan, stage: Stage): boolean => plan.planOf(stage.ref)?.isInner === true && isCopiedByEngine(stage);

/** Blocks of a cluster share only the result, rows that they reduce, and boxes that all of them read. */
function checkCluster(plan: Plan, { stage, root, base }: StagePlan, axes: Axes): Refusal | undefined {
  const [own, second] = boundLeaves(plan, stage).filter(({ thread }) => isClusterTag(thread));
  // A reduction that the cluster shares out is checkFold's.
  if (!own || own.kind === "reduce" || root === stage.ref) return undefined;
  const refuse = (rule: string, step: number, why: string) =>
    refuseAt(rule, Math.max(own.step, step), `bind: loop "${own.name}" of "${stage.name}" is bound to ${own.thread}, but ${why}`);
  if (!isShare(plan, stage))
    return refuse("bind.cluster", 0, `"${stage.name}" is neither the result nor brought by the copy engine (copyBy "tma")`);
  if (second)
    return refuse(
      "bind.cluster",
      second.step,
      `loop "${second.name}" to ${second.thread}: the boxes of a copy go along one of the two`,
    );
  const [extent, launched] = [plan.extents[own.ref] as number, axes.get(own.thread as ThreadTag) ?? 1];
  if (extent !== launched)
    return refuse(
      "bind.cluster",
      0,
      `has ${extent} iterations where the kernel's clusters have ${launched} blocks along it, each of which brings one share: split it by ${launched}`,
    );
  for (const { variables } of base.flatMap(({ atoms }) => atoms))
    for (const atom of variables) {
      const loop = loopOf(plan.state, plan.loopOfVariable(atom) as LoopRef);
      if (loop.thread === own.thread)
        return refuse(
          "bind.cluster",
          loop.step,
          `what it reads differs with loop "${loop.name}", which is too: the blocks of a cluster would not read the same boxes`,
        );
    }
  return undefined;
}

/** Several threads cannot fill a private buffer: each would fill a part of its own copy. Lanes fill a fragment together. */
function checkPrivate(plan: Plan, { stage, scope, drain, path }: StagePlan): Refusal | undefined {
  const lanes = lanesIn(plan, scope, [...stage.leaves, ...path]);
  for (const leaf of drain ? drain.below : stage.leaves) {
    const { thread, name, step, kind } = loopOf(plan.state, leaf);
    if (isClusterTag(thread) && isShare(plan, stage)) continue;
    // Each thread gets the whole result of a reduction that threads share.
    if (thread && kind === "spatial" && scopeRank(scope) > threadRank(thread) && !lanes.includes(thread))
      return refuseAt(
        "bind.scope",
        step,
        `bind: loop "${name}" of "${stage.name}" is bound to ${thread}, but "${stage.name}" is ${scope}: each has its own copy and must fill it whole`,
      );
  }
  return undefined;
}

/**
 * A stage computed after a loop of its producer takes the part of one thread, or one block. Loops outside already distinguish
 * these.
 */
function checkNested(plan: Plan, { stage, path }: StagePlan): Refusal | undefined {
  if (stage.placement.kind !== "after") return undefined;
  for (const { thread, name, step } of boundLeaves(plan, stage)) {
    const outer = path.map((ref) => loopOf(plan.state, ref)).find((loop) => loop.thread === thread);
    if (outer)
      return refuseAt(
        "bind.nested",
        Math.max(step, outer.step),
        `bind: loop "${name}" of "${stage.name}" is bound to ${thread}, but stands inside loop "${outer.name}", which is too: each would do its part of one part only`,
      );
  }
  return undefined;
}

function namedIn(nest: readonly StagePlan[], { ref, name }: Loop): string {
  const owner = nest.find(({ stage }) => stage.leaves.includes(ref));
  return owner === undefined ? `"${name}"` : `"${name}" of "${owner.stage.name}"`;
}

/**
 * Threads that a shared accumulation does not distinguish would each add to it: a race between the place of the sum and the loop
 * that they run.
 */
function checkAccumulation(plan: Plan, nest: readonly StagePlan[], { stage, scope }: StagePlan, axes: Axes): Refusal | undefined {
  if (!(stage.combiner || orderedLoop(plan.state, stage)) || scopeRank(scope) > 1 || sharedLoop(plan.state, stage))
    return undefined;
  const own = boundLeaves(plan, stage).map((loop) => loop.thread);
  const { placement } = stage;
  for (const [tag, extent] of axes) {
    const shared = threadRank(tag) === 1 || scope === "global";
    if (extent <= 1 || !shared || own.includes(tag)) continue;
    const bound = nest.flatMap((member) => boundLeaves(plan, member.stage)).find(({ thread }) => thread === tag);
    const where = "loop" in placement ? ` at loop ${namedIn(nest, loopOf(plan.state, placement.loop))}` : "";
    const whose = bound === undefined ? tag : `${tag}, as loop ${namedIn(nest, bound)} is`;
    return refuseAt(
      "reduce.repeated",
      "step" in placement ? placement.step : plan.state.step,
      `"${stage.name}" accumulates in ${scope} memory${where}, and none of its loops is bound to ${whose} (extent ${extent}): each of the ${extent} would add to the same elements; bind a loop or accumulate in a local cache`,
    );
  }
  return undefined;
}

function axesOf(plan: Plan, nest: readonly StagePlan[], root: StagePlan): Axes | Refusal {
  const axes: Axes = new Map(
    boundLeaves(plan, root.stage).map((loop) => [loop.thread as ThreadTag, plan.extents[loop.ref] as number]),
  );
  const fixed = new Set(axes.keys());
  for (const member of nest) {
    if (member === root) continue;
    for (const loop of boundLeaves(plan, member.stage)) {
      const tag = loop.thread as ThreadTag;
      const extent = plan.extents[loop.ref] as number;
      const launched = axes.get(tag) ?? 0;
      if (extent <= launched) continue;
      if (isClusterTag(tag)) continue;
      if (fixed.has(tag) && threadRank(tag) === 0)
        return refuseAt(
          "bind.extent",
          loop.step,
          `bind: loop "${loop.name}" of "${member.stage.name}" has ${extent} iterations, but "${root.stage.name}" launches ${tag} with ${launched}; at most that many`,
        );
      axes.set(tag, extent);
    }
  }
  return axes;
}

/** Whether a reduction at the root starts in front of all its loops. On a GPU that is a separate kernel. */
function startsApart({ stage }: StagePlan, { state }: Plan): boolean {
  const { combiner } = stage;
  return combiner !== undefined && startOf(state, stage) === 0 && !sharedLoop(state, stage);
}

export function launchesOf(plan: Plan): ReadonlyMap<StageRef, number> {
  const launches = new Map<StageRef, number>();
  let next = 0;
  for (const ref of rootsOf(plan)) {
    if (startsApart(plan.planOf(ref) as StagePlan, plan)) next++;
    launches.set(ref, next++);
  }
  return launches;
}

function launchOf(name: string, axes: Axes): Launch {
  const extent = (tag: ThreadTag) => axes.get(tag) ?? 1;
  const cluster = extent("clusterIdx.x") * extent("clusterIdx.y");
  return {
    name,
    grid: [extent("blockIdx.x") * cluster, extent("blockIdx.y"), extent("blockIdx.z")],
    block: [extent("threadIdx.x"), extent("threadIdx.y"), extent("threadIdx.z")],
    ...(cluster > 1 ? { cluster } : {}),
  };
}

export function inferLaunches(plan: Plan): readonly Launch[] | Refusal {
  const launches: Launch[] = [];
  const planned = plan.stages.filter((p): p is StagePlan => p !== undefined);
  for (const ref of rootsOf(plan)) {
    const root = plan.planOf(ref) as StagePlan;
    const nest = planned.filter((member) => member.root === ref);
    const axes = axesOf(plan, nest, root);
    if (!(axes instanceof Map)) return axes;
    for (const member of nest) {
      const found =
        checkCluster(plan, member, axes) ??
        checkPrivate(plan, member) ??
        checkNested(plan, member) ??
        checkAccumulation(plan, nest, member, axes) ??
        checkFold(plan, member, axes);
      if (found) return found;
    }
    if (startsApart(root, plan)) {
      const spatial = boundLeaves(plan, root.stage).filter((loop) => loop.kind === "spatial");
      const own: Axes = new Map(spatial.map((loop) => [loop.thread as ThreadTag, plan.extents[loop.ref] as number]));
      launches.push(launchOf(`${root.stage.name}.init`, own));
    }
    const { roles, minBlocks } = askedOf(root.stage);
    const launch = launchOf(root.stage.name, axes);
    const block = roles ? withProducer(launch.block) : launch.block;
    launches.push({ ...launch, block, ...defined({ registers: roles?.registers?.[1], minBlocks }) });
  }
  return launches;
}

/** The default scope of a tensor: shared by what is inside the innermost bound loop around it. */
export function defaultScope(plan: Plan, path: readonly LoopRef[]): Scope {
  let scope: Scope = "local";
  for (const ref of path) {
    const { thread } = loopOf(plan.state, ref);
    if (!thread) continue;
    if (threadRank(thread) === 1) return "local";
    scope = "shared";
  }
  return scope;
}
