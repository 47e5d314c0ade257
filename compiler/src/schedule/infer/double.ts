/**
 * Which stages may be filled some iterations ahead (doubleBuffer, pipeline): a copy computed at a sequential loop, from data that
 * exists before the iteration begins.
 */
import type { Refusal } from "@warpfarm/common";
import { isFragmentScope } from "../../ir/buffer.ts";
import { type Annotations, attachedAt, loopOf, type Stage } from "../state.ts";
import { refuseAt } from "./loops.ts";
import type { Plan, StagePlan } from "./plan.ts";

/** The number of arrays: as requested, at most one per iteration; 1 when nothing runs ahead. */
export function arraysOf(plan: Plan, { annotations: { ahead }, placement }: Stage): number {
  return ahead && placement.kind === "at" ? Math.min(ahead.arrays, plan.extents[placement.loop] as number) : 1;
}

type Ahead = NonNullable<Annotations["ahead"]>;

function faultOf(plan: Plan, planned: StagePlan, { by: word, arrays, step }: Ahead): Refusal | undefined {
  const { state } = plan;
  const { stage, scope } = planned;
  const { placement } = stage;
  const refuse = (rule: string, why: string) => refuseAt(`${word}.${rule}`, step, `${word}: "${stage.name}" ${why}`);
  if (placement.kind !== "at") return refuse("place", "is not computed at a loop; computeAt gives it one");
  const loop = loopOf(state, placement.loop);
  const here = `loop "${loop.name}" of "${state.stages[loop.stage]?.name}"`;
  if (loop.forKind !== "serial" && loop.forKind !== "unrolled")
    return refuse("loop", `is computed at ${here}, which is ${loop.thread ?? loop.forKind}: it has no next iteration`);
  if (isFragmentScope(scope) && (word === "pipeline" || loop.forKind !== "unrolled"))
    return refuse(
      "scope",
      `is ${scope} at ${here}; registers have no addresses: fragments are doubled, at a loop that is unrolled`,
    );
  if (stage.annotations.tensorized && !isFragmentScope(scope))
    return refuse("tensorized", "is done by an intrinsic; only copies of elements and loads of fragments are made ahead");
  const other = attachedAt(state, placement.loop).find(
    ({ annotations: { ahead } }) => ahead && (ahead.by !== word || ahead.arrays !== arrays),
  );
  if (other)
    return refuse("others", `is computed at ${here} with "${other.name}", which runs ahead otherwise; all there run ahead alike`);
  const inner = stage.leaves.flatMap((leaf) => attachedAt(state, leaf))[0];
  if (inner) return refuse("nest", `holds "${inner.name}"; what is computed inside it would be needed twice`);
  const maker = plan.stages.find(
    (p) => p?.isInner && p.path.includes(placement.loop) && planned.loads.some((load) => load.buffer === p.stage.buffer),
  );
  return maker && refuse("reads", `reads "${maker.stage.name}", which is made inside ${here}: the next one is not there yet`);
}

export function checkAhead(plan: Plan): Refusal | undefined {
  for (const planned of plan.stages) {
    const ahead = planned?.stage.annotations.ahead;
    const found = planned && ahead && faultOf(plan, planned, ahead);
    if (found) return found;
  }
  return undefined;
}
