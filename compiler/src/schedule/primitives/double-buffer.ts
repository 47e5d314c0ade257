import { madeAhead } from "../checks.ts";
import { arg, definePrimitive, stageRef } from "../define-primitive.ts";
import { replaceStage, stageOf } from "../state.ts";

/** An annotation that a pass carries out after inference. Inference refuses it where it is impossible (infer/double.ts). */
export const doubleBuffer = definePrimitive({
  name: "doubleBuffer",
  args: [arg("stage", stageRef)],
  returns: "nothing",
  doc: `for k: { copy(k) to s; use s }   ->   copy(0) to s[0]; for k: { if k + 1 < n: copy(k + 1) to s[1 - k%2]; use s[k%2] }      at the loop where s is computed`,
  check: (state, { stage }) => madeAhead("doubleBuffer", state, stage),
  apply: (state, { stage: ref }) => {
    const stage = stageOf(state, ref);
    // Stages of a pipeline are two arrays and more.
    if (stage.annotations.ahead?.by === "pipeline") return { state };
    const ahead = { by: "doubleBuffer", arrays: 2, step: state.step } as const;
    return { state: replaceStage(state, { ...stage, annotations: { ...stage.annotations, ahead } }) };
  },
});
