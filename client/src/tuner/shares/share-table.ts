/**
 * Records of the same space, as shares of the best (best time / time) of each source, in logarithms. The mean of a config's
 * logarithms is its geometric mean share, a ranking that needs no model. A share below `floor` and a failure both say only that a
 * config is bad there. Where a source has no record of a config, the mean of the other sources is used.
 */
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { ShareSource } from "../tuner.ts";

/** Logarithm of a share of 0.37. */
export const floor = -1;
/** The most configs that are kept: the best ones. */
const mostKept = 4000;

export interface ShareTable {
  /** By geometric mean, best first; equal ones by index. */
  readonly configs: readonly ConfigIndex[];
  readonly mean: Float64Array;
  /** By source: the difference of its share from the mean; 0 where the source has no record of the config. */
  readonly deviations: readonly Float64Array[];
  /** By knob with more than one entry: the position of the config's entry, 0 to 1. */
  readonly places: readonly Float64Array[];
}

export function shareTable(space: ConfigSpace, sources: readonly ShareSource[]): ShareTable {
  const logs = sources.map(({ rows }) => {
    const best = rows.reduce((least, { seconds = Infinity }) => Math.min(least, seconds), Infinity);
    return new Map(
      rows.map(({ index, seconds }) => [index, seconds === undefined ? floor : Math.max(floor, Math.log(best / seconds))]),
    );
  });
  const means = new Map<ConfigIndex, number>();
  for (const log of logs)
    for (const index of log.keys()) {
      if (means.has(index) || !space.valid.has(index)) continue;
      const met = logs.flatMap((other) => other.get(index) ?? []);
      means.set(index, met.reduce((sum, value) => sum + value, 0) / met.length);
    }
  const ranked = [...means].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, mostKept);
  const configs = ranked.map(([index]) => index);
  const mean = Float64Array.from(ranked, ([, value]) => value);
  const digits = configs.map((index) => space.digits(index));
  const wide = space.knobs.flatMap(({ size }, k) => (size > 1 ? [k] : []));
  return {
    configs,
    mean,
    deviations: logs.map((log) =>
      Float64Array.from(configs, (index, i) => (log.get(index) ?? (mean[i] as number)) - (mean[i] as number)),
    ),
    places: wide.map((k) => Float64Array.from(digits, (of) => (of[k] as number) / ((space.knobs[k]?.size ?? 2) - 1))),
  };
}
