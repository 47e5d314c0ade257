import { alreadyMarked, nameLoop, notLeaf, refuse } from "../checks.ts";
import { arg, definePrimitive, intrinsicValue, loopRef } from "../define-primitive.ts";
import { loopOf, replaceStage, stageOf } from "../state.ts";

/** The nest is compared with the intrinsic when regions and strides are known (lower/passes/tensorize.ts). */
export const tensorize = definePrimitive({
  name: "tensorize",
  args: [arg("loop", loopRef), arg("intrinsic", intrinsicValue)],
  returns: "nothing",
  doc: `for i in 16: for j in 16: f[i, j] = s[i, j]   ->   load(f, s)      the loop and all inside become one call of a warp`,
  check: (state, { loop: ref, intrinsic }) => {
    const fault = notLeaf("tensorize", state, ref) ?? alreadyMarked("tensorize", state, ref);
    if (fault) return fault;
    const loop = loopOf(state, ref);
    const { tensorized } = stageOf(state, loop.stage).annotations;
    return (
      tensorized &&
      refuse(
        "tensorize.twice",
        `tensorize: ${nameLoop(state, loop)} by ${intrinsic.name}, but loop "${loopOf(state, tensorized.loop).name}" is done by ${tensorized.intrinsic.name}; a stage is tensorized once`,
      )
    );
  },
  apply: (state, { loop: ref, intrinsic }) => {
    const stage = stageOf(state, loopOf(state, ref).stage);
    const tensorized = { loop: ref, intrinsic, step: state.step };
    return { state: replaceStage(state, { ...stage, annotations: { ...stage.annotations, tensorized } }) };
  },
});
