import { type DType, dtypes, isFloat, machineEpsilon } from "@warpfarm/common";
import { cast, load } from "../../ir/build.ts";
import { refuse } from "../checks.ts";
import { arg, definePrimitive, stageRef, type ValueType, wordOf } from "../define-primitive.ts";
import { readersMoved, replaceStage, stageOf } from "../state.ts";

/** Most random steps would name a type that is not wider. */
const floatWord: ValueType<DType> = { ...wordOf(dtypes), draw: () => "float64" };

/**
 * The stage holds its values in a wider type, and its readers round them to the old one. It is meant for sums, which are then
 * rounded once. TVM's unsafe_set_dtype changes the type alone.
 */
export const setDtype = definePrimitive({
  name: "setDtype",
  args: [arg("stage", stageRef), arg("dtype", floatWord)],
  returns: "nothing",
  doc: `c.local: float32[1]; c.local[0] += f(k); c[i] = c.local[0]   ->   c.local: float64[1]; c.local[0] += float64(f(k)); c[i] = float32(c.local[0])`,
  check: (state, { stage: ref, dtype }) => {
    const { name, isOutput, buffer, placement } = stageOf(state, ref);
    if (isOutput)
      return refuse(
        "setDtype.output",
        `setDtype: "${name}" is an output of the graph, whose type the graph states; cache it first`,
      );
    if (placement.kind === "inline") return refuse("setDtype.inlined", `setDtype: "${name}" is inlined and holds nothing`);
    if (isFloat(buffer.dtype) && isFloat(dtype) && machineEpsilon(dtype) < machineEpsilon(buffer.dtype)) return undefined;
    return refuse(
      "setDtype.wider",
      `setDtype: "${name}" is of ${buffer.dtype}; a float type with more digits is allowed, not ${dtype}`,
    );
  },
  apply: (state, { stage: ref, dtype }) => {
    const stage = stageOf(state, ref);
    const { buffer: old, body, decay } = stage;
    const buffer = { ...old, dtype };
    const wider = replaceStage(state, { ...stage, buffer, body: cast(dtype, body), decay: decay && cast(dtype, decay) });
    return { state: readersMoved(wider, old, (indices) => cast(old.dtype, load(buffer, indices))) };
  },
});
