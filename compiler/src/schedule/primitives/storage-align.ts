import { refuse } from "../checks.ts";
import { arg, definePrimitive, positiveNumber, stageRef, wholeNumber } from "../define-primitive.ts";
import { loopOf, replaceStage, stageOf } from "../state.ts";

/**
 * Rows of shared memory whose length is a multiple of the banks conflict; padded ones do not. A later call for an axis replaces
 * an earlier one.
 */
export const storageAlign = definePrimitive({
  name: "storageAlign",
  args: [arg("stage", stageRef), arg("axis", wholeNumber), arg("factor", positiveNumber), arg("offset", wholeNumber)],
  returns: "nothing",
  doc: `alloc p: [32, 256]   ->   alloc p: [32, 256] strides [264, 1]      storageAlign(p, 0, 16, 8): the stride of axis 0 mod 16 is 8`,
  check: (state, { stage: ref, axis, factor, offset }) => {
    const { name, axes, spatial, isOutput } = stageOf(state, ref);
    const loop = spatial[axis];
    if (loop === undefined)
      return refuse("storageAlign.axis", `storageAlign: axis ${axis} of "${name}", which has ${axes.length}; they count from 0`);
    if (offset >= factor)
      return refuse(
        "storageAlign.offset",
        `storageAlign: offset ${offset} and factor ${factor} for axis ${axis} ("${loopOf(state, loop).name}") of "${name}"; the offset is below the factor`,
      );
    if (!isOutput) return undefined;
    return refuse("storageAlign.output", `storageAlign: "${name}" is an output of the graph; arguments are dense`);
  },
  apply: (state, { stage: ref, axis, factor, offset }) => {
    const stage = stageOf(state, ref);
    const others = stage.annotations.aligned?.filter((known) => known.axis !== axis) ?? [];
    const aligned = [...others, { axis, factor, offset, step: state.step }];
    return { state: replaceStage(state, { ...stage, annotations: { ...stage.annotations, aligned } }) };
  },
});
