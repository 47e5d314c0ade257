/**
 * What a source would say of configs that it does not know. Logs of searches overlap little: each has measured what looked good
 * at its own shape, so the mean over the sources that know a config favours configs that one source alone knows.
 *
 * A Gaussian process over the knobs explains all known shares at once. Of its variance a part is common to all sources and the
 * rest is each source's own, so a source that knows similar configs is believed first, and the others otherwise. Where the
 * outlines of all rows are known (outline.ts), sources of similar shapes share more of it, and it can speak of a shape without
 * any rows.
 */
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { Outline } from "../tuner.ts";
import { outlinePositions, positionsOf, shapeLikeness } from "./outline.ts";
import { backward, factorize, forward, withoutOwnGroup } from "./process.ts";

export interface Known {
  readonly index: ConfigIndex;
  /** Logarithm of the share of the best. */
  readonly share: number;
  readonly outline?: Outline | undefined;
}

/** Length scales as positions from 0 to 1: of one knob, and of all knobs together. */
export const knobLength = 0.6;
export const allLength = 0.8;
/** Of one knob where outlines are known. */
const outlinedLength = 0.3;

/** Variances of logarithms of shares: of a source's level, of single knobs, of all knobs together, of a measurement. */
const level = 0.02;
const single = 0.05;
const together = 0.1;
const noise = 1e-3;
/** The part of the variance that is common to all sources. */
const common = 0.6;
/** Taken off an expected share: of many expectations the greatest is mostly too great. */
const doubt = 0.05;
/** Standard deviations taken off what outlines say, for the same reason, of this number of the best; off the others more. */
const doubts = 2.5;
const mostDoubted = 100;
/** Rows of all sources that the process learns from, and that a trial of it does; its time grows with the cube. */
const mostRows = 1500;
const mostTried = 600;
/** Parts into which a position of an outline is divided, from 0 to 1. */
const fine = 64;

interface Row extends Known {
  readonly source: number;
}

/** By source and config: the known share, or the expected one, between `floor` and 0. */
export function expectedShares(
  space: ConfigSpace,
  logs: readonly (readonly Known[])[],
  configs: readonly ConfigIndex[],
  floor: number,
): readonly Float64Array[] {
  const known = knownShares(logs, configs);
  if (known.every((of) => !of.some(Number.isNaN))) return known;
  const { rows, mean, weights, alike } = learnt(space, logs, false);
  for (const [c, index] of configs.entries()) {
    if (!known.some((of) => Number.isNaN(of[c]))) continue;
    const own = new Float64Array(logs.length);
    let all = 0;
    for (const [i, covariance] of alike({ index }).entries()) {
      const term = covariance * (weights[i] as number);
      const source = rows[i]?.source as number;
      all += term;
      own[source] = (own[source] as number) + term;
    }
    for (const [s, of] of known.entries())
      if (Number.isNaN(of[c]))
        of[c] = Math.max(floor, Math.min(0, mean + common * all + (1 - common) * (own[s] as number)) - doubt);
  }
  return known;
}

/** By source and config; NaN = not known. */
function knownShares(logs: readonly (readonly Known[])[], configs: readonly ConfigIndex[]): readonly Float64Array[] {
  return logs.map((log) => {
    const shares = new Map(log.map(({ index, share }) => [index, share]));
    return Float64Array.from(configs, (index) => shares.get(index) ?? Number.NaN);
  });
}

/** What the process expects of configs with these outlines, at a shape that no source has. */
export function outlinedShares(
  space: ConfigSpace,
  logs: readonly (readonly Known[])[],
  configs: readonly ConfigIndex[],
  outlineOf: (index: ConfigIndex) => Outline,
): Float64Array {
  const { rows, mean, weights, factor, alike, between } = learnt(space, logs, true);
  const [some] = configs;
  if (some === undefined) return new Float64Array(0);
  const shape = outlineOf(some);
  const bySource = logs.map(([one]) => between(shape, one?.outline as Outline));
  const covariances = (index: ConfigIndex) =>
    alike({ index, outline: outlineOf(index) }).map((of, i) => of * (bySource[rows[i]?.source as number] as number));
  const means = Float64Array.from(configs, (index) =>
    covariances(index).reduce((sum, covariance, i) => sum + covariance * (weights[i] as number), mean),
  );
  const order = Array.from(configs, (_, c) => c).sort((a, b) => (means[b] as number) - (means[a] as number));
  for (const [place, c] of order.entries()) {
    const variance = level + single + together;
    const solved = place < mostDoubted ? forward(factor, covariances(configs[c] as ConfigIndex)) : new Float64Array(0);
    const left = solved.reduce((rest, x) => rest - x * x, variance);
    means[c] = (means[c] as number) - doubts * Math.sqrt(Math.max(left, 0));
  }
  return means;
}

/**
 * Do outlines foretell a source from the others better than the knobs alone? Each source is left out in turn, and the mean
 * share of the configs that come first by either is compared.
 */
export function outlinesHelp(space: ConfigSpace, logs: readonly (readonly Known[])[]): boolean {
  const [knobs, outlines] = [false, true].map((isOutlined) => {
    const { rows, mean, factor } = learnt(space, logs, isOutlined, mostTried);
    const shares = Float64Array.from(rows, ({ share }) => share - mean);
    const said = withoutOwnGroup(
      factor,
      shares,
      rows.map(({ source }) => source),
    );
    const firsts = logs.map((_, s) => {
      const own = rows.flatMap((row, i) => (row.source === s ? [{ share: row.share, said: said[i] as number }] : []));
      const first = own.sort((a, b) => b.said - a.said).slice(0, firstTried);
      return first.reduce((sum, { share }) => sum + share, 0) / first.length;
    });
    return firsts.reduce((sum, share) => sum + share, 0);
  }) as [number, number];
  return outlines > knobs;
}
const firstTried = 4;

/** The process, given what the sources know. */
function learnt(space: ConfigSpace, logs: readonly (readonly Known[])[], isOutlined: boolean, most = mostRows) {
  const rows = logs.flatMap((log, source) =>
    learntFrom(log, Math.floor(most / logs.length)).map((known): Row => ({ ...known, source })),
  );
  const mean = rows.reduce((sum, { share }) => sum + share, 0) / rows.length;
  const likeness = new Likeness(space, isOutlined);
  const columns = likeness.columns(rows);
  const between = (a: Outline, b: Outline) => common + (1 - common) * shapeLikeness(a, b);
  const bySources = logs.map(([a], s) =>
    logs.map(([b], t) => (s === t ? 1 : isOutlined ? between(a?.outline as Outline, b?.outline as Outline) : common)),
  );
  const factor = rows.map((a, i) => {
    const line = likeness.of(a, columns, i + 1);
    const bySource = bySources[a.source] as readonly number[];
    for (let j = 0; j < i; j++) line[j] = (line[j] as number) * (bySource[rows[j]?.source as number] as number);
    line[i] = (line[i] as number) + noise;
    return line;
  });
  factorize(factor);
  const shares = Float64Array.from(rows, ({ share }) => share - mean);
  const weights = backward(factor, forward(factor, shares));
  return { rows, mean, between, factor, weights, alike: (config: Placed) => likeness.of(config, columns, rows.length) };
}

/** Half of them the best, half spread over the others. */
function learntFrom(log: readonly Known[], most: number): readonly Known[] {
  const ranked = [...log].sort((a, b) => b.share - a.share || a.index - b.index);
  if (ranked.length <= most) return ranked;
  const best = ranked.slice(0, most >> 1);
  const others = ranked.slice(best.length);
  const step = others.length / (most - best.length);
  return [...best, ...Array.from({ length: most - best.length }, (_, i) => others[Math.floor(i * step)] as Known)];
}

type Placed = Pick<Known, "index" | "outline">;

/** The covariance of configs within a source. Positions of an outline count like those of knobs with many entries. */
class Likeness {
  readonly #space: ConfigSpace;
  readonly #isOutlined: boolean;
  /** Knobs with more than one entry. */
  readonly #wide: readonly number[];
  /** By knob and position, by entries apart. */
  readonly #singles: readonly Float64Array[];
  readonly #factors: readonly Float64Array[];

  constructor(space: ConfigSpace, isOutlined: boolean) {
    this.#space = space;
    this.#isOutlined = isOutlined;
    this.#wide = space.knobs.flatMap(({ size }, k) => (size > 1 ? [k] : []));
    const sizes = this.#wide.map((k) => (space.knobs[k]?.size ?? 2) - 1);
    const units = [...sizes, ...(isOutlined ? outlinePositions.map(() => fine) : [])];
    const most = (unit: number, i: number) => (i < sizes.length ? unit : 2 * fine);
    const tables = (length: number) =>
      units.map((unit, i) =>
        Float64Array.from({ length: most(unit, i) + 1 }, (_, apart) => Math.exp(-((apart / unit) ** 2) / (2 * length ** 2))),
      );
    this.#singles = tables(isOutlined ? outlinedLength : knobLength);
    this.#factors = tables(allLength);
  }

  #place({ index, outline }: Placed): readonly number[] {
    const digits = this.#space.digits(index);
    const own = this.#wide.map((k) => digits[k] as number);
    return this.#isOutlined && outline ? [...own, ...positionsOf(outline).map((at) => Math.round(at * fine))] : own;
  }

  /** By knob and position, of many configs. */
  columns(configs: readonly Placed[]): readonly Int32Array[] {
    const places = configs.map((config) => this.#place(config));
    return this.#singles.map((_, w) => Int32Array.from(places, (place) => place[w] as number));
  }

  /** The covariances of one config with the first `count` of many. */
  of(config: Placed, columns: readonly Int32Array[], count: number): Float64Array {
    const sum = new Float64Array(count);
    const product = new Float64Array(count).fill(together);
    const scale = single / Math.max(1, columns.length);
    for (const [w, at] of this.#place(config).entries()) {
      const column = columns[w] as Int32Array;
      const singles = this.#singles[w] as Float64Array;
      const factors = this.#factors[w] as Float64Array;
      for (let j = 0; j < count; j++) {
        const apart = Math.abs((column[j] as number) - at);
        sum[j] = (sum[j] as number) + (singles[apart] as number);
        product[j] = (product[j] as number) * (factors[apart] as number);
      }
    }
    for (let j = 0; j < count; j++) sum[j] = level + scale * (sum[j] as number) + (product[j] as number);
    return sum;
  }
}
