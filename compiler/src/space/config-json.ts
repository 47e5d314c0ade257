/**
 * A config by its knobs' values: that is its name in logs, records and messages, whatever its index in today's space. A knob that
 * the name lacks has the value that the knob says (`absent`).
 *
 * AutoTVM's records write `{"index": 7, "code_hash": null, "entity": [["tile_f", "sp", [-1, 2]], ...]}`
 * (docs/reference/autotvm.md 1.8). Nobody reads the index: it is that of the space in which the line was written.
 */
import { err, invariant, type Json, ok, type Result } from "@warpfarm/common";
import type { ConfigEntity, ConfigIndex, ConfigSpace } from "./config-space.ts";

/** Name, kind and value of each knob. Kinds are `sp` and `ot` here; AutoTVM's own records also have `re` and `an`. */
export type Entity = readonly (readonly [name: string, kind: string, value: Json])[];

export interface ConfigJson {
  readonly index: number;
  readonly code_hash: string | null;
  readonly entity: Entity;
}

export function entityOf(space: ConfigSpace, index: ConfigIndex): Entity {
  const values = valuesAt(space, index);
  return space.knobs.map(({ name, kind }, i) => [name, kind, values[i] as Json]);
}

/** A config's values, in the order of the knobs. */
export function valuesAt(space: ConfigSpace, index: ConfigIndex): readonly Json[] {
  const digits = space.digits(index);
  return space.knobs.map(({ decode }, i) => decode(digits[i] as number));
}

export const configToJson = (space: ConfigSpace, { index }: ConfigEntity): ConfigJson => ({
  index,
  code_hash: null,
  entity: entityOf(space, index),
});

/** A value for each knob of the space, in order; or why the config belongs to other knobs. */
export function knobValues({ knobs }: ConfigSpace, entity: Entity): Result<readonly Json[], string> {
  // Most configs name the knobs of the space in its order, and searches read thousands of them.
  if (entity.length === knobs.length && knobs.every(({ name, kind }, i) => entity[i]?.[0] === name && entity[i]?.[1] === kind))
    return ok(entity.map(([, , value]) => value));
  const named = new Map(entity.map(([name, kind, value]) => [name, { kind, value }]));
  const others = (): Result<never, string> => {
    const [there, here] = [entity.map(([name]) => name), knobs.map(({ name }) => name)];
    return err(`the config has the knobs ${there.join(", ")}; this space has ${here.join(", ")}`);
  };
  const values: Json[] = [];
  let used = 0;
  for (const { name, kind, absent } of knobs) {
    const given = named.get(name);
    if (given === undefined && absent === undefined) return others();
    if (given !== undefined && given.kind !== kind)
      return err(`knob ${name} is of kind "${given.kind}" in the config; it is "${kind}" in this space`);
    if (given !== undefined) used++;
    values.push(given === undefined ? (absent as Json) : given.value);
  }
  return used === entity.length ? ok(values) : others();
}

/** The config of these values by knob, which a person or a template names, or why this space does not have it. */
export function configWith(space: ConfigSpace, values: Readonly<Record<string, Json>>): Result<ConfigIndex, string> {
  const kinds = new Map(space.knobs.map(({ name, kind }) => [name, kind]));
  return configNamed(
    space,
    Object.entries(values).map(([name, value]) => [name, kinds.get(name) ?? "ot", value]),
  );
}

/** The config of this name, or one sentence on why this space does not have it. */
export function configNamed(space: ConfigSpace, entity: Entity): Result<ConfigIndex, string> {
  const values = knobValues(space, entity);
  if (!values.ok) return values;
  for (const [i, knob] of space.knobs.entries()) {
    const value = values.value[i];
    if (knob.find(value) === undefined)
      return err(`knob ${knob.name} has no entry ${JSON.stringify(value)} among its ${knob.size}`);
  }
  const index = space.indexOfValues(values.value);
  invariant(index !== undefined, "every knob has the value that it was asked for");
  return ok(index);
}
