/**
 * A config as AutoTVM's records write it (docs/reference/autotvm.md 1.8): `{"index": 7, "code_hash": null, "entity": [["tile_f",
 * "sp", [-1, 2]], ...]}`.
 *
 * AutoTVM trusts the entity and never compares it with the index; a space that changed since the log was written then goes
 * unnoticed. Here both must name the same config of today's space.
 */
import { err, invariant, type Json, ok, type Result } from "@warpfarm/common";
import type { ConfigEntity, ConfigSpace } from "./config-space.ts";

export interface ConfigJson {
  readonly index: number;
  readonly code_hash: string | null;
  /** Kinds are `sp` and `ot` here. AutoTVM's own records also have `re` and `an`. */
  readonly entity: readonly (readonly [name: string, kind: string, value: Json])[];
}

export function configToJson(space: ConfigSpace, entity: ConfigEntity): ConfigJson {
  return {
    index: entity.index,
    code_hash: null,
    entity: space.knobs.map((knob) => [knob.name, knob.kind, entity.values.get(knob.name) as Json]),
  };
}

type Entity = ConfigJson["entity"];

/** Adds the values of knobs that the entity does not name because they were added after it was written. */
export function completeEntity({ knobs }: ConfigSpace, entity: Entity): Entity {
  const complete: Entity[number][] = [];
  let next = 0;
  for (const { name, kind, unnamed } of knobs) {
    const given = entity[next];
    if (given?.[0] !== name && unnamed !== undefined) complete.push([name, kind, unnamed]);
    else if (given !== undefined) {
      complete.push(given);
      next++;
    }
  }
  return [...complete, ...entity.slice(next)];
}

/** The config of these values, or one sentence that says why this space does not have it. */
export function configFromEntity(space: ConfigSpace, given: Entity): Result<ConfigEntity, string> {
  const entity = completeEntity(space, given);
  const listed = entity.map(([name]) => name).join(", ");
  const known = space.knobs.map((k) => k.name).join(", ");
  if (listed !== known) return err(`the record has the knobs ${listed}; this space has ${known}`);
  for (const [i, knob] of space.knobs.entries()) {
    const [name, kind, value] = entity[i] as Entity[number];
    if (kind !== knob.kind) return err(`knob ${name} is of kind "${kind}" in the record; it is "${knob.kind}" in this space`);
    if (knob.find(value) === undefined) {
      return err(`knob ${name} has no entry ${JSON.stringify(value)} among its ${knob.size}`);
    }
  }
  const index = space.indexOf(new Map(entity.map(([name, , value]) => [name, value])));
  invariant(index !== undefined, "every knob has the value that it was asked for");
  return ok(space.get(index));
}

/** The config of a record, or one sentence that says why this space does not have it. */
export function configFromJson(space: ConfigSpace, json: ConfigJson): Result<ConfigEntity, string> {
  const config = configFromEntity(space, json.entity);
  if (!config.ok || config.value.index === json.index) return config;
  return err(`the record's index ${json.index} and its entity disagree: this entity has index ${config.value.index}`);
}
