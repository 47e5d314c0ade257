/** The place of a stage: the loops around it, the scope of its result, and the order in which stages can be planned. */
import type { Refusal } from "@warpfarm/common";
import type { Scope } from "../../ir/buffer.ts";
import { formulasOf } from "../../te/access.ts";
import { type Loop, type LoopRef, loopOf, orderedLoop, type Stage, type State, stageOf, stepsOf } from "../state.ts";
import { inlined, loadsOf } from "./inline.ts";
import { defaultScope } from "./launch.ts";
import { refuseAt } from "./loops.ts";
import type { Plan } from "./plan.ts";
import { readersOf, seenAt } from "./regions.ts";

export const around = (leaves: readonly LoopRef[], at: LoopRef, path: readonly LoopRef[]): LoopRef[] => [
  ...leaves.slice(0, leaves.indexOf(at) + 1).reverse(),
  ...path,
];

/**
 * Consumers first, because regions flow to producers. A stage that is computed after a loop of its producer comes after that one,
 * and before its other inputs. A scan that goes along with a loop comes after the owner of the loop, which need not read it.
 */
export function planningOrder(state: State): readonly Stage[] {
  const left = state.order.map((ref) => stageOf(state, ref)).filter((s) => s.placement.kind !== "inline");
  left.reverse();
  const ownerOf = (s: Stage) => (s.placement.kind === "after" ? loopOf(state, s.placement.loop) : stepsOf(state, s))?.stage;
  const owners = new Map(left.map((s) => [s, ownerOf(s)]));
  if (left.every((s) => owners.get(s) === undefined)) return left;
  const reads = new Map(
    left.map((s) => [s, new Set(formulasOf(inlined(state, s)).flatMap((e) => loadsOf(e).map((load) => load.buffer)))]),
  );
  const order: Stage[] = [];
  while (left.length > 0) {
    const waits = (s: Stage) =>
      left.some(
        (other) =>
          other !== s && (owners.get(s) === other.ref || (reads.get(other)?.has(s.buffer) && owners.get(other) !== s.ref)),
      );
    const [next] = left.splice(
      Math.max(
        0,
        left.findIndex((s) => !waits(s)),
      ),
      1,
    );
    order.push(next as Stage);
  }
  return order;
}

/** The loops around an attached stage, or why it cannot be there. */
export function pathOf(plan: Plan, stage: Stage): readonly LoopRef[] | Refusal {
  const { placement } = stage;
  if (placement.kind !== "at" && placement.kind !== "after") return [];
  const { state } = plan;
  const loop = loopOf(state, placement.loop);
  const owner = plan.planOf(loop.stage);
  const here = `loop "${loop.name}" of "${stageOf(state, loop.stage).name}"`;
  if (placement.kind === "after") {
    if (!owner?.drain)
      return refuseAt(
        "reverseComputeAt.reads",
        placement.step,
        `reverseComputeAt: "${stage.name}" is computed after ${here}, which is inlined`,
      );
  } else {
    const readers = readersOf(plan, stage);
    const outside = readers.find((reader) => seenAt(plan, stage, reader) === undefined);
    if (!owner || readers.length === 0 || outside) {
      const found = outside ? `its reader "${outside.stage.name}" stands outside` : "nothing there reads it";
      return refuseAt("computeAt.reader", placement.step, `computeAt: "${stage.name}" is computed at ${here}, but ${found}`);
    }
  }
  const path = around(owner.stage.leaves, placement.loop, owner.path);
  const lanes = path.map((ref) => loopOf(state, ref)).find((l) => l.forKind === "vectorized");
  if (lanes)
    return refuseAt(
      "vectorize.attached",
      placement.step,
      `"${stage.name}" is computed at ${here}, inside "${lanes.name}", which is vectorized; lanes hold no nest`,
    );
  return path;
}

export function innerScope(plan: Plan, { name, scope }: Stage, path: readonly LoopRef[], step: number): Scope | Refusal {
  const outer = path.map((ref) => loopOf(plan.state, ref)).find((loop) => loop.thread);
  if (scope === "global" && outer)
    return refuseAt(
      "scope.global",
      step,
      `"${name}" is global, but is computed inside "${outer.name}" (${outer.thread}), where each block would write all of it; cache it in shared or local memory`,
    );
  return scope ?? defaultScope(plan, path);
}

export function rootScope(plan: Plan, { name, scope }: Stage): Scope | Refusal {
  if (scope === undefined || scope === "global") return "global";
  return refuseAt(
    "scope.root",
    plan.state.step,
    `"${name}" is ${scope}, but is kept whole, between kernels; give it a place with computeAt`,
  );
}

/** Loops over threads must be outside of loops that one thread or processor runs by itself. */
export function checkOrder(plan: Plan, stage: Stage, path: readonly LoopRef[]): Refusal | undefined {
  let outer: Loop | undefined;
  for (let i = path.length - 1; i >= -stage.leaves.length; i--) {
    const loop = loopOf(plan.state, (i >= 0 ? path[i] : stage.leaves[-i - 1]) as LoopRef);
    if (outer && loop.thread && loop.thread !== "vthread")
      return refuseAt(
        "bind.order",
        Math.max(outer.step, loop.step),
        `bind: loop "${loop.name}" of "${stage.name}" is bound to ${loop.thread} inside the ${outer.forKind} loop "${outer.name}"; threads stand outside`,
      );
    if (loop.forKind === "vectorized" || loop.forKind === "parallel") outer = loop;
  }
  return undefined;
}

/** What a decay reads exists before the loops of the step's terms. */
function checkDecayReads(plan: Plan, { placement, name, buffer }: Stage): Refusal | undefined {
  if (placement.kind !== "at") return undefined;
  const at = loopOf(plan.state, placement.loop);
  const { stage: owner, decay } = plan.planOf(at.stage) ?? {};
  const ordered = owner && decay && orderedLoop(plan.state, owner);
  if (!ordered || owner.leaves.indexOf(at.ref) <= owner.leaves.indexOf(ordered.ref)) return undefined;
  if (!loadsOf(decay).some((load) => load.buffer === buffer)) return undefined;
  return refuseAt(
    "computeAt.decay",
    placement.step,
    `computeAt: "${name}" would be computed at loop "${at.name}" of "${owner.name}", whose decay reads it before that, once for each step; compute it at loop "${ordered.name}" or outside of that`,
  );
}

/** The terms of a step come after its decay. */
export function checkDecay(plan: Plan, stage: Stage): Refusal | undefined {
  const late = checkDecayReads(plan, stage);
  if (late) return late;
  const ordered = stage.decay && orderedLoop(plan.state, stage);
  const first = stage.leaves.map((leaf) => loopOf(plan.state, leaf)).find(({ kind }) => kind === "reduce");
  if (!ordered || first === ordered) return undefined;
  return refuseAt(
    "scan.order",
    plan.state.step,
    `"${stage.name}" is a sum with a decay along loop "${ordered.name}", but its reduction loop "${first?.name}" stands outside of that; reorder it inside`,
  );
}

/** The start of a reduction must be outside of all its reduction loops. */
export function checkStart(plan: Plan, stage: Stage): Refusal | undefined {
  const { start } = stage.annotations;
  if (!start) return undefined;
  const outside = stage.leaves.slice(0, stage.leaves.indexOf(start.loop)).map((leaf) => loopOf(plan.state, leaf));
  const sum = outside.find((loop) => loop.kind === "reduce");
  return (
    sum &&
    refuseAt(
      "decomposeReduction.order",
      start.step,
      `decomposeReduction: "${stage.name}" would start before loop "${loopOf(plan.state, start.loop).name}", inside its reduction loop "${sum.name}", and lose what was added before`,
    )
  );
}
