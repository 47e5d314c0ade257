/**
 * Expected shares of configs that a source does not know. Logs of searches overlap little: each has measured what looked good at
 * its own shape, so the mean over the sources that know a config favours configs that one source alone knows.
 *
 * A Gaussian process over the knobs explains all known shares at once. A part of its variance is common to all sources and the
 * rest is each source's own, so a source that knows similar configs is believed first.
 */
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import { backward, factorize, forward } from "./process.ts";

export interface Known {
  readonly index: ConfigIndex;
  readonly share: number;
}

/** Length scales as positions from 0 to 1: of one knob, and of all knobs together. */
export const knobLength = 0.6;
export const allLength = 0.8;

/** Variances of logarithms of shares: of a source's level, of single knobs, of all knobs together, of a measurement. */
const level = 0.02;
const single = 0.05;
const together = 0.1;
const noise = 1e-3;
const common = 0.6;
/** Subtracted from an expected share, because the greatest of many expectations is mostly too great. */
const doubt = 0.05;
/** Rows of all sources that the process learns from; its time grows with the cube. */
const mostRows = 1500;

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
  const { rows, mean, weights, alike } = learnt(space, logs);
  for (const [c, index] of configs.entries()) {
    if (!known.some((of) => Number.isNaN(of[c]))) continue;
    const own = new Float64Array(logs.length);
    let all = 0;
    for (const [i, covariance] of alike(index).entries()) {
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

/** The shares by source and config; NaN = unknown. */
function knownShares(logs: readonly (readonly Known[])[], configs: readonly ConfigIndex[]): readonly Float64Array[] {
  return logs.map((log) => {
    const shares = new Map(log.map(({ index, share }) => [index, share]));
    return Float64Array.from(configs, (index) => shares.get(index) ?? Number.NaN);
  });
}

function learnt(space: ConfigSpace, logs: readonly (readonly Known[])[]) {
  const rows = logs.flatMap((log, source) =>
    bestAndOthers(log, Math.floor(mostRows / logs.length)).map((known): Row => ({ ...known, source })),
  );
  const mean = rows.reduce((sum, { share }) => sum + share, 0) / rows.length;
  const likeness = new Likeness(space);
  const columns = likeness.columns(rows);
  const factor = rows.map((a, i) => {
    const line = likeness.of(a.index, columns, i + 1);
    for (let j = 0; j < i; j++) line[j] = (line[j] as number) * (rows[j]?.source === a.source ? 1 : common);
    line[i] = (line[i] as number) + noise;
    return line;
  });
  factorize(factor);
  const shares = Float64Array.from(rows, ({ share }) => share - mean);
  const weights = backward(factor, forward(factor, shares));
  return { rows, mean, weights, alike: (index: ConfigIndex) => likeness.of(index, columns, rows.length) };
}

/** At most `most` rows: half of them the best, the other half spread evenly over the rest. */
export function bestAndOthers<Row extends { readonly share: number }>(log: readonly Row[], most: number): readonly Row[] {
  const ranked = [...log].sort((a, b) => b.share - a.share);
  if (ranked.length <= most) return ranked;
  const best = ranked.slice(0, most >> 1);
  const others = ranked.slice(best.length);
  const step = others.length / (most - best.length);
  return [...best, ...Array.from({ length: most - best.length }, (_, i) => others[Math.floor(i * step)] as Row)];
}

/** The covariance of configs within a source. */
class Likeness {
  readonly #space: ConfigSpace;
  readonly #wide: readonly number[];
  readonly #singles: readonly Float64Array[];
  readonly #factors: readonly Float64Array[];

  constructor(space: ConfigSpace) {
    this.#space = space;
    this.#wide = space.knobs.flatMap(({ size }, k) => (size > 1 ? [k] : []));
    const sizes = this.#wide.map((k) => space.knobs[k]?.size ?? 2);
    const tables = (length: number) =>
      sizes.map((size) =>
        Float64Array.from({ length: size }, (_, apart) => Math.exp(-((apart / (size - 1)) ** 2) / (2 * length ** 2))),
      );
    this.#singles = tables(knobLength);
    this.#factors = tables(allLength);
  }

  #place(index: ConfigIndex): readonly number[] {
    const digits = this.#space.digits(index);
    return this.#wide.map((k) => digits[k] as number);
  }

  columns(configs: readonly { readonly index: ConfigIndex }[]): readonly Int32Array[] {
    const places = configs.map(({ index }) => this.#place(index));
    return this.#singles.map((_, w) => Int32Array.from(places, (place) => place[w] as number));
  }

  of(index: ConfigIndex, columns: readonly Int32Array[], count: number): Float64Array {
    const sum = new Float64Array(count);
    const product = new Float64Array(count).fill(together);
    const scale = single / Math.max(1, columns.length);
    for (const [w, at] of this.#place(index).entries()) {
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
