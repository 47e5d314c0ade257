import { madeAhead, refuse } from "../checks.ts";
import { arg, definePrimitive, positiveNumber, stageRef } from "../define-primitive.ts";
import { replaceStage, stageOf } from "../state.ts";

/**
 * doubleBuffer with any number of arrays, which a GPU fills asynchronously (cp.async). Inference refuses it where it is
 * impossible (infer/double.ts).
 */
export const pipeline = definePrimitive({
  name: "pipeline",
  args: [arg("stage", stageRef), arg("stages", positiveNumber)],
  returns: "nothing",
  doc: `for k: { copy(k) to s; use s }   ->   start copies 0 .. n-2; for k: { wait for copy k; start copy k+n-1; use s[k % n] }      n arrays, at the loop where s is computed`,
  check: (state, { stage: ref, stages }) => {
    const { name } = stageOf(state, ref);
    if (stages < 2 || stages > 16) return refuse("pipeline.stages", `pipeline: ${stages} arrays for "${name}"; it takes 2 to 16`);
    return madeAhead("pipeline", state, ref);
  },
  apply: (state, { stage: ref, stages }) => {
    const stage = stageOf(state, ref);
    const ahead = { by: "pipeline", arrays: stages, step: state.step } as const;
    return { state: replaceStage(state, { ...stage, annotations: { ...stage.annotations, ahead } }) };
  },
});
