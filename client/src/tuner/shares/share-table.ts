/**
 * Records of the same space, as shares of the best (best time / time) of each source, in logarithms. The mean of a config's
 * logarithms is its geometric mean share, a ranking that needs no model. A share below `floor` and a failure both say only that a
 * config is bad there. Where a source has no record of a config, its share is expected from the other configs and the other
 * sources (expected-shares.ts). Where the sources are of several shapes, trees rank for the shape to come (shape-trees.ts).
 */
import { canonicalJson } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import { neighbours } from "../auto/candidates.ts";
import { isTime, type Known as Result, type ShareRow, type ShareSource, type TunerOptions } from "../tuner.ts";
import { expectedShares, type Known } from "./expected-shares.ts";
import { type ShapeLog, type ShapeRow, sharesByTrees } from "./shape-trees.ts";

/** Logarithm of a share of 0.37. */
export const floor = -1;
const worst = Math.exp(floor);
const mostKept = 4000;
const mostExpected = 1500;
/** Fewer shapes say little about how an optimum moves with the shape; of arguments alone more are needed. */
const leastShapes = { outlined: 4, bare: 8 };
/** The known configs whose shares the trees predict, and the first of them whose neighbours' shares they predict too. */
const mostAsked = 8000;
const mostVaried = 100;

export interface ShareTable {
  readonly configs: readonly ConfigIndex[];
  readonly mean: Float64Array;
  /**
   * By source: the difference of its share from the mean; expected where the source has no record of the config. Empty where
   * trees rank.
   */
  readonly deviations: readonly Float64Array[];
  readonly places: readonly Float64Array[];
}

/** `here`: the coming task. */
export function shareTable(
  space: ConfigSpace,
  sources: readonly ShareSource[],
  here: Pick<TunerOptions, "of" | "outline"> = {},
): ShareTable {
  const logs = sources.map(({ rows }) => knownIn(space, rows)).filter((log) => log.length > 0);
  const all = [...new Set(logs.flatMap((log) => log.map(({ index }) => index)))];
  const isComplete = logs.length === sources.length && logs.every((log) => log.length === all.length);
  const shapes = isComplete || sources.some(({ of }) => of === undefined) ? [] : shapeLogs(space, sources);
  const outline = shapes.some(({ rows }) => rows.some((row) => row.outline)) ? here.outline : undefined;
  // Trees predict for the shape itself; no source's own share is left to weigh.
  if (here.of && countOf(shapes) >= (outline ? leastShapes.outlined : leastShapes.bare))
    return tableByTrees(space, logs, sharesByTrees(space, shapes, here.of, outline));
  const asked = isComplete ? all : bestOfEach(logs, mostExpected);
  const shares = expectedShares(space, logs, asked, floor);
  const means = Float64Array.from(asked, (_, c) => shares.reduce((sum, of) => sum + (of[c] as number), 0) / logs.length);
  return ranked(space, asked, means, shares);
}

const bestTime = (rows: readonly Result[]): number =>
  rows.filter(isTime).reduce((least, { seconds = Infinity }) => Math.min(least, seconds), Infinity);

function knownIn(space: ConfigSpace, rows: readonly ShareRow[]): readonly Known[] {
  const best = bestTime(rows);
  return rows
    .filter(({ index }) => space.valid.has(index))
    .map((row) => ({ index: row.index, share: Math.log(shareOf(row, best)) }));
}

/**
 * Of a program that ended early only the most that its share can be is known. It has the mean, in logarithms, of that and of the
 * worst.
 */
function shareOf({ seconds, isBound }: Result, best: number): number {
  const most = seconds === undefined ? worst : Math.min(1, Math.max(worst, best / seconds));
  return isBound ? Math.sqrt(most * worst) : most;
}

/** In an order that does not depend on which configs are others here. */
function shapeLogs(space: ConfigSpace, sources: readonly ShareSource[]): readonly ShapeLog[] {
  const width = space.features(space.toIndex(0)).length;
  return sources.flatMap(({ of, rows, others = [] }) => {
    if (of === undefined) return [];
    const best = bestTime([...rows, ...others]);
    const learnt: ShapeRow[] = [];
    const learn = (features: readonly number[] | undefined, row: Result & Pick<ShapeRow, "outline">) => {
      if (features?.length === width) learnt.push({ features, outline: row.outline, share: shareOf(row, best) });
    };
    for (const row of rows) learn(row.features ?? space.features(row.index), row);
    for (const row of others) learn(row.features, row);
    return learnt.length === 0 ? [] : [{ of, rows: learnt.sort((a, b) => b.share - a.share || order(a, b)) }];
  });
}
function order({ features: a }: ShapeRow, { features: b }: ShapeRow): number {
  const k = a.findIndex((value, i) => value !== b[i]);
  return k < 0 ? 0 : (a[k] as number) - (b[k] as number);
}
const countOf = (shapes: readonly ShapeLog[]): number => new Set(shapes.map(({ of }) => canonicalJson(of.args))).size;

/** The known configs, and those next to the first of them. */
function tableByTrees(
  space: ConfigSpace,
  logs: readonly (readonly Known[])[],
  expect: (configs: readonly ConfigIndex[]) => Float64Array,
): ShareTable {
  const sharesOf = (configs: readonly ConfigIndex[]) => expect(configs).map((share) => Math.log(Math.max(worst, share)));
  const known = bestOfEach(logs, mostAsked);
  const shares = sharesOf(known);
  const first = byMean(known, shares).slice(0, mostVaried);
  const seen = new Set(known);
  const near = [...new Set(first.flatMap(({ index }) => neighbours(space, index)))].filter((index) => !seen.has(index));
  return ranked(space, [...known, ...near], Float64Array.from([...shares, ...sharesOf(near)]), []);
}

function bestOfEach(logs: readonly (readonly Known[])[], most: number): readonly ConfigIndex[] {
  const orders = logs.map((log) => [...log].sort((a, b) => b.share - a.share || a.index - b.index));
  const found = new Set<ConfigIndex>();
  const longest = Math.max(0, ...logs.map((log) => log.length));
  for (let place = 0; place < longest && found.size < most; place++)
    for (const order of orders) {
      const index = order[place]?.index;
      if (index !== undefined) found.add(index);
    }
  return [...found];
}

const byMean = (all: readonly ConfigIndex[], means: Float64Array) =>
  all.map((index, c) => ({ index, c, mean: means[c] as number })).sort((a, b) => b.mean - a.mean || a.index - b.index);

function ranked(
  space: ConfigSpace,
  all: readonly ConfigIndex[],
  means: Float64Array,
  shares: readonly Float64Array[],
): ShareTable {
  const best = byMean(all, means).slice(0, mostKept);
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
