import { refuse } from "../checks.ts";
import { arg, definePrimitive, stageRef } from "../define-primitive.ts";
import { replaceStage, stageOf } from "../state.ts";

/** Avoids bank conflicts without the memory that storageAlign costs, in the form of ldmatrix and TMA. */
export const swizzle = definePrimitive({
  name: "swizzle",
  args: [arg("stage", stageRef)],
  returns: "nothing",
  doc: `alloc p: float16[64, 64]   ->   16-byte unit u of row r stands at u ^ (r % 8)      and 8 units above each other lie in 8 different groups of banks`,
  check: (state, { stage: ref }) => {
    const { name, isOutput } = stageOf(state, ref);
    return isOutput
      ? refuse("swizzle.output", `swizzle: "${name}" is an output of the graph; arguments lie as their caller says`)
      : undefined;
  },
  apply: (state, { stage: ref }) => {
    const stage = stageOf(state, ref);
    return { state: replaceStage(state, { ...stage, annotations: { ...stage.annotations, swizzled: { step: state.step } } }) };
  },
});
