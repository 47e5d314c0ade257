/** What a config says of itself, without a schedule (TVM 0.17 `ConfigEntity.get_flatten_feature`, `get_other_option`). */
import type { ConfigIndex, ConfigSpace } from "../space/config-space.ts";

/** Every knob's numbers in definition order: a split its sizes, -1 first, a choice its value. */
export const knobFeatures = (space: ConfigSpace, index: ConfigIndex): Float32Array => Float32Array.from(space.features(index));

/**
 * The choices alone: a nest does not show them (how far to unroll, say), so AutoTVM's cost model appends them to its itervar and
 * curve vectors.
 */
export function choiceFeatures(space: ConfigSpace, index: ConfigIndex): Float32Array {
  const digits = space.digits(index);
  return Float32Array.from(space.knobs.flatMap((knob, i) => (knob.kind === "ot" ? knob.features(digits[i] as number) : [])));
}
