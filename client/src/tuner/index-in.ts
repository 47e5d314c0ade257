import { type ConfigIndex, type ConfigSpace, completeEntity } from "@warpfarm/compiler/language";
import type { Entity } from "@warpfarm/records/suites";

/** Where that config is in a space; undefined when the space has no such config. */
export function indexIn(space: ConfigSpace, named: Entity): ConfigIndex | undefined {
  const entity = completeEntity(space, named);
  const isOf =
    space.knobs.length === entity.length &&
    space.knobs.every((knob, i) => {
      const [name, kind, value] = entity[i] as Entity[number];
      return name === knob.name && kind === knob.kind && knob.find(value) !== undefined;
    });
  const index = isOf ? space.indexOf(new Map(entity.map(([name, , value]) => [name, value]))) : undefined;
  return index === undefined ? undefined : space.toIndex(index);
}
