import { refuse, scans } from "../checks.ts";
import { arg, definePrimitive, stageRef } from "../define-primitive.ts";
import { attachedAt, replaceStage, stageOf } from "../state.ts";

export const computeInline = definePrimitive({
  name: "computeInline",
  args: [arg("stage", stageRef)],
  returns: "nothing",
  doc: `for i: p[i] = f(i); for j: c(p[g(j)])   ->   for j: c(f(g(j)))`,
  check: (state, { stage: ref }) => {
    const stage = stageOf(state, ref);
    if (stage.isOutput) return refuse("computeInline.output", `computeInline: "${stage.name}" is an output of the graph`);
    if (stage.combiner)
      return refuse(
        "computeInline.reduce",
        `computeInline: "${stage.name}" is a reduction; only elementwise formulas can be inlined`,
      );
    const scanned = scans("computeInline", state, ref);
    if (scanned) return scanned;
    const attached = stage.leaves.flatMap((leaf) => attachedAt(state, leaf))[0];
    return (
      attached && refuse("computeInline.attached", `computeInline: "${attached.name}" is attached to a loop of "${stage.name}"`)
    );
  },
  apply: (state, { stage }) => ({ state: replaceStage(state, { ...stageOf(state, stage), placement: { kind: "inline" } }) }),
});
