/**
 * Records of a farm as the start of a search: known results of configs of this space, by shape and kind of device. A record of
 * another shape counts when this space has its knobs with its values. If fewer than half of a source's records count, it belongs
 * to another space.
 */
import { canonicalJson } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { TuningRecord } from "@warpfarm/records";
import { indexIn } from "./index-in.ts";
import type { ShareSource } from "./tuner.ts";

/** Sources with applicable records, by name. A config's time is its fastest. The farm's own failures (error 8) do not count. */
export function shareSourcesOf(space: ConfigSpace, records: Iterable<TuningRecord>): readonly ShareSource[] {
  const groups = new Map<
    string,
    Required<Pick<ShareSource, "name" | "of">> & { readonly rows: Map<ConfigIndex, number | undefined>; strange: number }
  >();
  for (const record of records) {
    const { result, args, device, target } = record;
    if (device === undefined || (result.kind === "failed" && result.errorNo === 8)) continue;
    const key = canonicalJson([args, device.key, device.name]);
    const name = `${JSON.stringify(args)} on ${device.name || device.key}`;
    const group = groups.get(key) ?? { name, of: { args, target }, rows: new Map(), strange: 0 };
    groups.set(key, group);
    const index = indexIn(space, record.config?.entity ?? []);
    if (index === undefined) group.strange++;
    else group.rows.set(index, faster(group.rows.get(index), result));
  }
  return [...groups.values()]
    .filter(({ rows, strange }) => rows.size >= strange && [...rows.values()].some((seconds) => seconds !== undefined))
    .map(({ name, of, rows }) => ({
      name,
      of,
      rows: Array.from(rows, ([index, seconds]) => ({ index, seconds })).sort((a, b) => a.index - b.index),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function faster(known: number | undefined, result: TuningRecord["result"]): number | undefined {
  if (result.kind === "failed") return known;
  const costs = [...result.costs].sort((a, b) => a - b);
  const seconds = costs[costs.length >> 1] as number;
  // The log keeps this many digits, and a search continued from its log must begin with the same values.
  return Math.min(known ?? Number.POSITIVE_INFINITY, Number(seconds.toPrecision(5)));
}
