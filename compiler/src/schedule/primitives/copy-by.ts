import { copyEngines, isClusterTag } from "../../ir/stmt.ts";
import { refuse } from "../checks.ts";
import { arg, definePrimitive, stageRef, wordOf } from "../define-primitive.ts";
import type { Plan } from "../infer/plan.ts";
import { loopOf, request, type Stage, stageOf } from "../state.ts";

/**
 * A copy between a shared array and memory of the caller. The engine copies the whole tile, so no loop may be bound to a thread.
 * One loop may be bound to clusterIdx.x or .y: each block then loads a part and the engine multicasts it.
 */
function fits(stage: Stage, plan: Plan) {
  const planned = plan.planOf(stage.ref);
  if (!planned) return undefined;
  const { name, annotations, leaves } = stage;
  const engine = (rule: string, why: string) => refuse(`copyBy.${rule}`, `copyBy: "${name}" ${why}`);
  if (planned.isInner && planned.scope !== "shared")
    return engine("scope", `is ${planned.scope}; the copy engine fills shared memory`);
  if (stage.combiner) return engine("reduce", "is a reduction; the copy engine only copies");
  if (annotations.tensorized) return engine("tensorized", `is done by ${annotations.tensorized.intrinsic.name}`);
  if (annotations.aligned) return engine("aligned", "has padded strides; the copy engine writes rows without gaps: swizzle it");
  if (annotations.ahead?.by === "doubleBuffer")
    return engine("ahead", "is double-buffered; what the copy engine fills runs ahead by pipeline");
  if (!planned.isInner) return undefined;
  const loop = leaves
    .map((leaf) => loopOf(plan.state, leaf))
    .find(({ forKind, thread }) => forKind !== "serial" && forKind !== "unrolled" && !isClusterTag(thread));
  const how = loop && (loop.thread === undefined ? loop.forKind : `bound to ${loop.thread}`);
  return loop && engine("loop", `is copied by the engine as a whole, but its loop "${loop.name}" is ${how}`);
}

/**
 * The copy engine of sm_90 (TMA) copies the stage, box by box. It computes addresses, fills elements outside the tensor with
 * zeros, and reports when all bytes have arrived. The stage is either in shared memory and read from a tensor, or an output
 * written from shared memory. With pipeline the copies run ahead, in a ring of slots. A pass checks the nest once regions are
 * known (lower/passes/bulk-copies.ts). One loop may be bound to clusterIdx.x or clusterIdx.y: blocks along this axis then read
 * the same box, and each brings a share of it to all of them (multicast). A CPU copies by loops.
 */
export const copyBy = definePrimitive({
  name: "copyBy",
  args: [arg("stage", stageRef), arg("engine", wordOf(copyEngines))],
  returns: "nothing",
  doc: `for i in 64: for j in 64: s[i, j] = A[k*64 + i, n + j]   ->   s = box [64, 64] at A[k*64, n]      started by one thread, awaited by all`,
  check: (state, { stage: ref }) => {
    const stage = stageOf(state, ref);
    return stage.placement.kind === "inline"
      ? refuse("copyBy.inline", `copyBy: "${stage.name}" is computed where it is used; give it a place`)
      : undefined;
  },
  apply: (state, { stage, engine }) => ({ state: request(state, stage, { key: "engine", value: engine, rule: fits }) }),
});
