import type { Json } from "@warpfarm/common";
import { type ConfigIndex, type ConfigSpace, completeEntity } from "@warpfarm/compiler/language";
import type { Entity } from "@warpfarm/records/suites";

/** Where that config is in a space; undefined when the space has no such config. */
export function indexIn(space: ConfigSpace, named: Entity): ConfigIndex | undefined {
  const values = valuesIn(space, named);
  return values && indexOfValues(space, values);
}

/** Values of the space's knobs in order, whether or not it has them; undefined when the config has other knobs. */
export function valuesIn(space: ConfigSpace, named: Entity): readonly Json[] | undefined {
  const { knobs } = space;
  const entity = completeEntity(space, named);
  const isOf =
    entity.length === knobs.length && entity.every(([name, kind], i) => name === knobs[i]?.name && kind === knobs[i]?.kind);
  return isOf ? entity.map(([, , value]) => value) : undefined;
}

/** `values`: one for each knob, in order. */
export function indexOfValues(space: ConfigSpace, values: readonly Json[]): ConfigIndex | undefined {
  const index = space.indexOf(new Map(space.knobs.map(({ name }, i) => [name, values[i]])));
  return index === undefined ? undefined : space.toIndex(index);
}
