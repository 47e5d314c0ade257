/**
 * What may be filled one iteration ahead (doubleBuffer, lower/passes/inject-double-buffer.ts): a copy computed at a loop that runs one
 * iteration after the other, from what is there before the iteration begins.
 */
import { isFragmentScope } from "../../ir/intrinsic.ts";
import { attachedAt, loopOf, type Stage } from "../state.ts";
import { type Fault, fault } from "./loops.ts";
import type { Plan, StagePlan } from "./plan.ts";

/** Asked for, and the loop has a next iteration. */
export const isDoubled = (plan: Plan, { annotations, placement }: Stage): boolean =>
  annotations.doubled !== undefined && placement.kind === "at" && (plan.extents[placement.loop] as number) > 1;

function faultOf(plan: Plan, planned: StagePlan, step: number): Fault | undefined {
  const { state } = plan;
  const { stage, scope } = planned;
  const { placement } = stage;
  const refuse = (rule: string, why: string) => fault(`doubleBuffer.${rule}`, step, `doubleBuffer: "${stage.name}" ${why}`);
  if (placement.kind !== "at") return refuse("place", "is not computed at a loop; computeAt gives it one");
  const loop = loopOf(state, placement.loop);
  const here = `loop "${loop.name}" of "${state.stages[loop.stage]?.name}"`;
  if (loop.forKind !== "serial" && loop.forKind !== "unrolled")
    return refuse("loop", `is computed at ${here}, which is ${loop.thread ?? loop.forKind}: it has no next iteration`);
  if (isFragmentScope(scope)) return refuse("scope", `is ${scope}; fragments are not doubled`);
  if (stage.annotations.tensorized) return refuse("tensorized", "is done by an intrinsic; only copies of elements are doubled");
  const inner = stage.leaves.flatMap((leaf) => attachedAt(state, leaf))[0];
  if (inner) return refuse("nest", `holds "${inner.name}"; what is computed inside it would be needed twice`);
  const maker = plan.stages.find(
    (p) => p?.isInner && p.path.includes(placement.loop) && planned.loads.some((load) => load.buffer === p.stage.buffer),
  );
  return maker && refuse("reads", `reads "${maker.stage.name}", which is made inside ${here}: the next one is not there yet`);
}

export function checkDoubled(plan: Plan): Fault | undefined {
  for (const planned of plan.stages) {
    const { doubled } = planned?.stage.annotations ?? {};
    const found = planned && doubled && faultOf(plan, planned, doubled.step);
    if (found) return found;
  }
  return undefined;
}
