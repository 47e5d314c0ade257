/**
 * Records of a farm as the start of a search: known results of configs of this space, by shape and kind of device. A record of
 * another shape counts when this space has its knobs with its values, one of the same template also with other values. If fewer
 * than half of a source's records count, it belongs to another space.
 */
import { canonicalJson, type Json, type Seconds } from "@warpfarm/common";
import { type ConfigIndex, type ConfigSpace, type Entity, knobValues } from "@warpfarm/compiler";
import { better, isTime, type Known, type OtherRow, type ShareRow, type ShareSource } from "./tuner.ts";

/** What a record, of a store or of the package, says of one config. */
export interface KnownRecord {
  readonly args: readonly Json[];
  readonly target: string;
  readonly device?: { readonly key: string; readonly name: string };
  readonly config?: { readonly entity: Entity };
  readonly result:
    | { readonly kind: "timed"; readonly costs: readonly Seconds[] }
    | { readonly kind: "slower"; readonly atLeast: Seconds }
    | { readonly kind: "failed"; readonly errorNo: number };
}

type Group = Required<Pick<ShareSource, "name" | "of">> & {
  readonly rows: Map<ConfigIndex, ShareRow>;
  readonly others: Map<string, OtherRow>;
  strange: number;
};

/** What is known of a config of some shape, on a kind of device. */
export interface KnownConfig extends Required<Pick<KnownRecord, "args" | "target" | "device">> {
  /** Of this space's knobs, in their order; undefined where the config has others. */
  readonly values: readonly Json[] | undefined;
  readonly known: Known;
}

/**
 * Sources with applicable records, by name. A config's time is its fastest. The farm's own failures (error 8) do not count.
 * `areOfTemplate`: records with other entries of this space's knobs are of other shapes, and count as others.
 */
export const shareSourcesOf = (
  space: ConfigSpace,
  records: Iterable<KnownRecord>,
  areOfTemplate = false,
): readonly ShareSource[] => sourcesOfConfigs(space, configsIn(space, records), areOfTemplate);

function* configsIn(space: ConfigSpace, records: Iterable<KnownRecord>): Generator<KnownConfig> {
  for (const { result, args, device, target, config } of records) {
    // The default schedule, of which every search measures some, is no config.
    if (device === undefined || config === undefined || (result.kind === "failed" && result.errorNo === 8)) continue;
    const named = knobValues(space, config.entity);
    yield { args, target, device, values: named.ok ? named.value : undefined, known: knownOf(result) };
  }
}

/** The same of configs by their values. */
export function sourcesOfConfigs(
  space: ConfigSpace,
  configs: Iterable<KnownConfig>,
  areOfTemplate: boolean,
): readonly ShareSource[] {
  const groups = new Map<string, Group>();
  let [last, text]: [Json | undefined, string] = [undefined, ""];
  for (const { args, target, device, values, known } of configs) {
    // Thousands of results that come with the package share their arguments.
    if (args !== last) [last, text] = [args, canonicalJson(args)];
    const key = `${text} ${device.key} ${device.name}`;
    let group = groups.get(key);
    if (!group) {
      const name = `${JSON.stringify(args)} on ${device.name || device.key}`;
      group = { name, of: { args, target }, rows: new Map(), others: new Map(), strange: 0 };
      groups.set(key, group);
    }
    const index = values && space.indexOfValues(values);
    if (index !== undefined) group.rows.set(index, { index, ...better(group.rows.get(index), known) });
    else if (values && areOfTemplate) {
      const other = canonicalJson(values);
      group.others.set(other, { values, ...better(group.others.get(other), known) });
    } else group.strange++;
  }
  return [...groups.values()]
    .filter(({ rows, others, strange }) => {
      const all = [...rows.values(), ...others.values()];
      return all.length >= strange && all.some(isTime);
    })
    .map(({ name, of, rows, others }) => ({
      name,
      of,
      rows: [...rows.values()].sort((a, b) => a.index - b.index),
      ...(others.size > 0 && { others: [...others].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row) }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const resultsIn = (
  sources: readonly { readonly rows: readonly unknown[]; readonly others?: readonly unknown[] | undefined }[],
): number => sources.reduce((sum, { rows, others = [] }) => sum + rows.length + others.length, 0);

// A log keeps so many digits, and a search continued from its log must begin with the same values.
const rounded = (seconds: number): number => Number(seconds.toPrecision(5));

export function knownOf(result: KnownRecord["result"]): Known {
  if (result.kind === "failed") return { seconds: undefined };
  if (result.kind === "slower") return { seconds: rounded(result.atLeast), isBound: true };
  const costs = [...result.costs].sort((a, b) => a - b);
  return { seconds: rounded(costs[costs.length >> 1] as number) };
}
