import { nameLoop, notLeaf, refuse } from "../checks.ts";
import { arg, definePrimitive, loopRef, stageRef } from "../define-primitive.ts";
import { loopOf, replaceStage, stageOf, standsIn } from "../state.ts";

export const computeAt = definePrimitive({
  name: "computeAt",
  args: [arg("stage", stageRef), arg("consumer", stageRef), arg("loop", loopRef)],
  returns: "nothing",
  doc: `for i: p; for j: c(p)   ->   for j: { for i in what c needs of p at j: p; c(p) }`,
  // Inference checks that the consumer reads the stage inside the loop: readers may still move there.
  check: (state, { stage: ref, consumer: at, loop: loopAt }) => {
    const stage = stageOf(state, ref);
    const consumer = stageOf(state, at);
    const loop = loopOf(state, loopAt);
    if (loop.stage !== at)
      return refuse("computeAt.loop", `computeAt: ${nameLoop(state, loop)} is not a loop of "${consumer.name}"`);
    const fault = notLeaf("computeAt", state, loopAt);
    if (fault) return fault;
    if (stage.isOutput)
      return refuse(
        "computeAt.output",
        `computeAt: "${stage.name}" is an output of the graph; outputs are computed whole, at the root`,
      );
    if (consumer.placement.kind === "inline")
      return refuse("computeAt.inlined", `computeAt: "${consumer.name}" is inlined and has no loops`);
    if (standsIn(state, consumer, stage))
      return refuse("computeAt.cycle", `computeAt: "${consumer.name}" is itself computed inside "${stage.name}"`);
    return undefined;
  },
  apply: (state, { stage, loop }) => ({
    state: replaceStage(state, { ...stageOf(state, stage), placement: { kind: "at", loop, step: state.step } }),
  }),
});
