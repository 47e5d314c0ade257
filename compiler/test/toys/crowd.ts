/**
 * A primitive that only asks, with a rule that inference asks: two blocks of a kernel at a time, of stages at the root that
 * reduce.
 */
import { refuse } from "../../src/schedule/checks.ts";
import { arg, definePrimitive, stageRef } from "../../src/schedule/define-primitive.ts";
import { request } from "../../src/schedule/state.ts";

export const crowd = definePrimitive({
  name: "crowd",
  args: [arg("stage", stageRef)],
  returns: "nothing",
  doc: "__launch_bounds__(threads)   ->   __launch_bounds__(threads, 2)",
  check: () => undefined,
  apply: (state, { stage }) => ({
    state: request(state, stage, {
      key: "minBlocks",
      value: 2,
      rule: ({ ref, name, combiner }, plan) =>
        combiner && plan.planOf(ref)?.path.length === 0
          ? undefined
          : refuse("crowd.sum", `crowd: "${name}" is no sum at the root; name one that is`),
    }),
  }),
});
