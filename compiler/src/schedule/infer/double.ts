/**
 * Which stages may be filled some iterations ahead (doubleBuffer, pipeline): a copy computed at a sequential loop, from data that
 * exists before the iteration begins.
 */
import type { Refusal } from "@warpfarm/common";
import { isFragmentScope } from "../../ir/buffer.ts";
import { attachedAt, loopOf, type Stage } from "../state.ts";
import { refuseAt } from "./loops.ts";
import type { Plan, StagePlan } from "./plan.ts";

/** The number of arrays: as requested, at most one per iteration; 1 when nothing runs ahead. */
export function arraysOf(plan: Plan, { annotations: { doubled, pipelined }, placement }: Stage): number {
  const asked = pipelined?.stages ?? (doubled ? 2 : 1);
  return placement.kind === "at" ? Math.min(asked, plan.extents[placement.loop] as number) : 1;
}

interface RunAhead {
  readonly word: "doubleBuffer" | "pipeline";
  readonly step: number;
}
const runAheadOf = ({ annotations: { doubled, pipelined } }: Stage): RunAhead | undefined =>
  pipelined ? { word: "pipeline", step: pipelined.step } : doubled && { word: "doubleBuffer", step: doubled.step };

function faultOf(plan: Plan, planned: StagePlan, { word, step }: RunAhead): Refusal | undefined {
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
  const other = attachedAt(state, placement.loop).find((s) => {
    const ahead = runAheadOf(s);
    return ahead && (ahead.word !== word || s.annotations.pipelined?.stages !== stage.annotations.pipelined?.stages);
  });
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
    const ahead = planned && runAheadOf(planned.stage);
    const found = ahead && faultOf(plan, planned, ahead);
    if (found) return found;
  }
  return undefined;
}
