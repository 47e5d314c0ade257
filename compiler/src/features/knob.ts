import type { ConfigIndex, ConfigSpace } from "../space/config-space.ts";

/**
 * The choices of a config: a nest does not show them (how far to unroll, say), so AutoTVM's cost model appends them to its
 * vectors (TVM 0.17 `get_other_option`).
 */
export function choiceFeatures(space: ConfigSpace, index: ConfigIndex): Float32Array {
  const digits = space.digits(index);
  return Float32Array.from(space.knobs.flatMap((knob, i) => (knob.kind === "ot" ? knob.features(digits[i] as number) : [])));
}
