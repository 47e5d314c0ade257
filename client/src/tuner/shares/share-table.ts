/**
 * Records of the same space, as shares of the best (best time / time) of each source, in logarithms. The mean of a config's
 * logarithms is its geometric mean share, a ranking that needs no model. A share below `floor` and a failure both say only that a
 * config is bad there. Where a source has no record of a config, its share is expected from the other configs
 * and the other sources (expected-shares.ts).
 */
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { ShareSource } from "../tuner.ts";
import { expectedShares } from "./expected-shares.ts";

/** Logarithm of a share of 0.37. */
export const floor = -1;
/** The most configs that are kept: the best ones. */
const mostKept = 4000;

export interface ShareTable {
  /** By geometric mean, best first; equal ones by index. */
  readonly configs: readonly ConfigIndex[];
  readonly mean: Float64Array;
  /** By source: the difference of its share from the mean; expected where the source has no record of the config. */
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
  const all = [...new Set(logs.flatMap((log) => [...log.keys()]))].filter((index) => space.valid.has(index));
  const shares = expectedShares(space, logs, all, floor);
  const means = Float64Array.from(all, (_, c) => shares.reduce((sum, of) => sum + (of[c] as number), 0) / logs.length);
  const ranked = all
    .map((index, c) => ({ index, c, mean: means[c] as number }))
    .sort((a, b) => b.mean - a.mean || a.index - b.index)
    .slice(0, mostKept);
  const configs = ranked.map(({ index }) => index);
  const mean = Float64Array.from(ranked, (of) => of.mean);
  const digits = configs.map((index) => space.digits(index));
  const wide = space.knobs.flatMap(({ size }, k) => (size > 1 ? [k] : []));
  return {
    configs,
    mean,
    deviations: shares.map((of) => Float64Array.from(ranked, (one) => (of[one.c] as number) - one.mean)),
    places: wide.map((k) => Float64Array.from(digits, (of) => (of[k] as number) / ((space.knobs[k]?.size ?? 2) - 1))),
  };
}
