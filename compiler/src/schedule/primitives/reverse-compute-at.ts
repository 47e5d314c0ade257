import { nameLoop, notLeaf, refuse, scans } from "../checks.ts";
import { arg, definePrimitive, loopRef, stageRef } from "../define-primitive.ts";
import { loopOf, replaceStage, stageOf, standsIn } from "../state.ts";

/** Inference checks that the consumer needs only what exists after the loop (infer/drain.ts). */
export const reverseComputeAt = definePrimitive({
  name: "reverseComputeAt",
  args: [arg("stage", stageRef), arg("producer", stageRef), arg("loop", loopRef)],
  returns: "nothing",
  doc: `for i: for j: c[i, j] = ...; for i: for j: d[i, j] = f(c[i, j])   ->   for i: { for j: c[j] = ...; for j: d[i, j] = f(c[j]) }      d after loop i of c`,
  check: (state, { stage: ref, producer: from, loop: loopAt }) => {
    const stage = stageOf(state, ref);
    const producer = stageOf(state, from);
    const loop = loopOf(state, loopAt);
    if (loop.stage !== from)
      return refuse("reverseComputeAt.loop", `reverseComputeAt: ${nameLoop(state, loop)} is not a loop of "${producer.name}"`);
    const fault = notLeaf("reverseComputeAt", state, loopAt);
    if (fault) return fault;
    if (stage.combiner)
      return refuse(
        "reverseComputeAt.reduce",
        `reverseComputeAt: "${stage.name}" is a reduction; it needs more than what one loop makes`,
      );
    if (producer.isOutput)
      return refuse(
        "reverseComputeAt.output",
        `reverseComputeAt: "${producer.name}" is an output of the graph and is kept whole; only what nothing else reads is taken`,
      );
    if (producer.placement.kind === "inline" || producer.placement.kind === "at")
      return refuse(
        "reverseComputeAt.producer",
        `reverseComputeAt: "${producer.name}" is ${producer.placement.kind === "inline" ? "inlined" : "computed inside a consumer"}; its own loops must lead`,
      );
    const scanned = scans("reverseComputeAt", state, from) ?? scans("reverseComputeAt", state, ref);
    if (scanned) return scanned;
    if (standsIn(state, producer, stage))
      return refuse("reverseComputeAt.cycle", `reverseComputeAt: "${producer.name}" is itself computed inside "${stage.name}"`);
    return undefined;
  },
  apply: (state, { stage, loop }) => ({
    state: replaceStage(state, { ...stageOf(state, stage), placement: { kind: "after", loop, step: state.step } }),
  }),
});
