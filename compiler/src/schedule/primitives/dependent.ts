import { refuse } from "../checks.ts";
import { arg, definePrimitive, stageRef } from "../define-primitive.ts";
import { launchesOf } from "../infer/launch.ts";
import type { Plan } from "../infer/plan.ts";
import { request, type Stage } from "../state.ts";

/**
 * A kernel waits for the previous one. A stage inside a nest has no kernel of its own, and the first kernel has no previous one.
 */
function hasOneBefore({ ref, name, placement }: Stage, plan: Plan) {
  if (placement.kind !== "root")
    return refuse(
      "dependent.root",
      `dependent: "${name}" is computed inside another stage's nest; name the stage at the root, whose kernel it is`,
    );
  return launchesOf(plan).get(ref) === 0
    ? refuse("dependent.first", `dependent: "${name}" is the first kernel of a run; it waits for the whole run before`)
    : undefined;
}

/**
 * Programmatic dependent launch: the stage's kernel starts while the kernel before it ends, and waits before it first touches
 * memory that other kernels write. Its start and its work until then overlap with that kernel. It needs sm_90 or later;
 * elsewhere a note says that it is ignored.
 */
export const dependent = definePrimitive({
  name: "dependent",
  args: [arg("stage", stageRef)],
  returns: "nothing",
  doc: `kernel 0; kernel 1   ->   kernel 0 { ...; release };  kernel 1 { ...; wait; ... }      for the kernel of a stage at the root`,
  check: () => undefined,
  apply: (state, { stage }) => ({ state: request(state, stage, { key: "dependent", value: true, rule: hasOneBefore }) }),
});
