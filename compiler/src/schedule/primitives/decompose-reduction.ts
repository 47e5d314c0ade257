import { nameLoop, notLeaf, refuse } from "../checks.ts";
import { arg, definePrimitive, loopRef, stageRef } from "../define-primitive.ts";
import { loopOf, replaceStage, stageOf } from "../state.ts";

/** This is an annotation, since loops may still move; inference checks that the place is outside the reduction. */
export const decomposeReduction = definePrimitive({
  name: "decomposeReduction",
  args: [arg("stage", stageRef), arg("loop", loopRef)],
  returns: "nothing",
  doc: `for i: { c[i] = 0; for k: c[i] += f(i, k) }   ->   for i.init: c[i.init] = 0; for i: for k: c[i] += f(i, k)      before loop i`,
  check: (state, { stage: at, loop: ref }) => {
    const stage = stageOf(state, at);
    const loop = loopOf(state, ref);
    if (loop.stage !== at)
      return refuse("decomposeReduction.loop", `decomposeReduction: ${nameLoop(state, loop)} is not a loop of "${stage.name}"`);
    if (!stage.combiner)
      return refuse("decomposeReduction.reduce", `decomposeReduction: "${stage.name}" reduces nothing; it has no start`);
    return notLeaf("decomposeReduction", state, ref);
  },
  apply: (state, { stage: ref, loop }) => {
    const stage = stageOf(state, ref);
    return {
      state: replaceStage(state, { ...stage, annotations: { ...stage.annotations, start: { loop, step: state.step } } }),
    };
  },
});
