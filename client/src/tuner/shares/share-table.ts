/**
 * Records of the same space, as shares of the best (best time / time) of each source, in logarithms. The mean of a config's
 * logarithms is its geometric mean share, a ranking that needs no model. A share below `floor` and a failure both say only that a
 * config is bad there. Where a source has no record of a config, its share is expected from the other configs and the other
 * sources (expected-shares.ts). Where outlines tell how each config divides each shape, and these foretell one source from the
 * others better, they rank instead.
 */
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { Outline, ShareSource } from "../tuner.ts";
import { expectedShares, type Known, outlinedShares, outlinesHelp } from "./expected-shares.ts";

/** Logarithm of a share of 0.37. */
export const floor = -1;
/** The most configs that are kept: the best ones. */
const mostKept = 4000;
/** The most configs whose shares are expected: the best of each source. */
const mostExpected = 1500;
/** Fewer sources say little about how an optimum moves with the shape. */
const leastOutlined = 4;

export interface ShareTable {
  /** By geometric mean, best first; equal ones by index. */
  readonly configs: readonly ConfigIndex[];
  readonly mean: Float64Array;
  /**
   * By source: the difference of its share from the mean; expected where the source has no record of the config. Empty where
   * outlines rank.
   */
  readonly deviations: readonly Float64Array[];
  /** By knob with more than one entry: the position of the config's entry, 0 to 1. */
  readonly places: readonly Float64Array[];
}

/** `outlineOf`: of configs at the shape to come. */
export function shareTable(
  space: ConfigSpace,
  sources: readonly ShareSource[],
  outlineOf?: (index: ConfigIndex) => Outline,
): ShareTable {
  const logs = sources.map(({ rows }) => {
    const best = rows.reduce((least, { seconds = Infinity }) => Math.min(least, seconds), Infinity);
    return rows
      .filter(({ index }) => space.valid.has(index))
      .map(({ index, seconds, outline }): Known => {
        return { index, outline, share: seconds === undefined ? floor : Math.max(floor, Math.log(best / seconds)) };
      });
  });
  const all = [...new Set(logs.flatMap((log) => log.map(({ index }) => index)))];
  const isComplete = logs.every((log) => log.length === all.length);
  const asked = isComplete ? all : bestOfEach(logs);
  const isOutlined = outlineOf && logs.length >= leastOutlined && logs.every((log) => log.every(({ outline }) => outline));
  // The process speaks of the shape itself; no source's own share of it is left to weigh.
  if (isOutlined && !isComplete && outlinesHelp(space, logs)) {
    const means = outlinedShares(space, logs, asked, outlineOf);
    return ranked(space, asked, means, []);
  }
  const shares = expectedShares(space, logs, asked, floor);
  const means = Float64Array.from(asked, (_, c) => shares.reduce((sum, of) => sum + (of[c] as number), 0) / logs.length);
  return ranked(space, asked, means, shares);
}

/** The best of each source in turn. */
function bestOfEach(logs: readonly (readonly Known[])[]): readonly ConfigIndex[] {
  const orders = logs.map((log) => [...log].sort((a, b) => b.share - a.share || a.index - b.index));
  const found = new Set<ConfigIndex>();
  const longest = Math.max(0, ...logs.map((log) => log.length));
  for (let place = 0; place < longest && found.size < mostExpected; place++)
    for (const order of orders) {
      const index = order[place]?.index;
      if (index !== undefined) found.add(index);
    }
  return [...found];
}

function ranked(
  space: ConfigSpace,
  all: readonly ConfigIndex[],
  means: Float64Array,
  shares: readonly Float64Array[],
): ShareTable {
  const best = all
    .map((index, c) => ({ index, c, mean: means[c] as number }))
    .sort((a, b) => b.mean - a.mean || a.index - b.index)
    .slice(0, mostKept);
  const configs = best.map(({ index }) => index);
  const digits = configs.map((index) => space.digits(index));
  const wide = space.knobs.flatMap(({ size }, k) => (size > 1 ? [k] : []));
  return {
    configs,
    mean: Float64Array.from(best, ({ mean }) => mean),
    deviations: shares.map((of) => Float64Array.from(best, (one) => (of[one.c] as number) - one.mean)),
    places: wide.map((k) => Float64Array.from(digits, (of) => (of[k] as number) / ((space.knobs[k]?.size ?? 2) - 1))),
  };
}
