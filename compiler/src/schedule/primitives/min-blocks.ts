import { refuse } from "../checks.ts";
import { arg, definePrimitive, positiveNumber, stageRef } from "../define-primitive.ts";
import { request, type Stage, stageOf } from "../state.ts";

const mostBlocks = 32;

/** A kernel has one launch bound; a stage inside a nest has no kernel of its own. */
const atRoot = ({ name, placement }: Stage) =>
  placement.kind === "root"
    ? undefined
    : refuse(
        "minBlocks.root",
        `minBlocks: "${name}" is computed inside another stage's nest; name the stage at the root, whose kernel it is`,
      );

/**
 * The second number of CUDA's __launch_bounds__: the compiler limits registers so that `blocks` blocks fit on a multiprocessor,
 * and spills if necessary.
 */
export const minBlocks = definePrimitive({
  name: "minBlocks",
  args: [arg("stage", stageRef), arg("blocks", positiveNumber)],
  returns: "nothing",
  doc: `__launch_bounds__(threads)   ->   __launch_bounds__(threads, blocks)      for the kernel of a stage at the root`,
  check: (state, { stage: ref, blocks }) =>
    blocks > mostBlocks
      ? refuse("minBlocks.blocks", `minBlocks: ${blocks} blocks for "${stageOf(state, ref).name}"; it takes 1 to ${mostBlocks}`)
      : undefined,
  apply: (state, { stage, blocks }) => ({ state: request(state, stage, { key: "minBlocks", value: blocks, rule: atRoot }) }),
});
