import { refuse } from "../checks.ts";
import { arg, definePrimitive, scopeWord, stageRef } from "../define-primitive.ts";
import { replaceStage, stageOf } from "../state.ts";

/** Inference checks whether the scope fits the place, since the stage may move later. */
export const setScope = definePrimitive({
  name: "setScope",
  args: [arg("stage", stageRef), arg("scope", scopeWord)],
  returns: "nothing",
  doc: `alloc p: float32[8] local   ->   alloc p: float32[8] shared      and p then covers all threads of a block`,
  check: (state, { stage: ref, scope }) => {
    const { name, isOutput } = stageOf(state, ref);
    if (!isOutput || scope === "global") return undefined;
    return refuse("setScope.output", `setScope: "${name}" is an output of the graph, in ${scope} memory; outputs are global`);
  },
  apply: (state, { stage, scope }) => ({ state: replaceStage(state, { ...stageOf(state, stage), scope }) }),
});
