/**
 * What a source would say of configs that it does not know. Logs of searches overlap little: each has measured what looked good
 * at its own shape, so the mean over the sources that know a config favours configs that one source alone knows.
 *
 * A Gaussian process over the knobs explains all known shares at once. Of its variance a part is common to all sources and the
 * rest is each source's own, so a source that knows similar configs is believed first, and the others otherwise.
 */
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";

/** Logarithms of shares, by config. */
export type Shares = ReadonlyMap<ConfigIndex, number>;

/** Length scales as positions from 0 to 1: of one knob, and of all knobs together. */
export const knobLength = 0.6;
export const allLength = 0.8;

/** Variances of logarithms of shares: of a source's level, of single knobs, of all knobs together, of a measurement. */
const level = 0.02;
const single = 0.05;
const together = 0.1;
const noise = 1e-3;
/** The part of the variance that is common to all sources. */
const common = 0.6;
/** Taken off an expected share: of many expectations the greatest is mostly too great. */
const doubt = 0.05;
/** Rows of all sources that the process learns from; its time grows with the cube. */
const mostRows = 1500;

interface Row {
  readonly source: number;
  readonly digits: readonly number[];
  readonly share: number;
}

/** By source and config: the known share, or the expected one, between `floor` and 0. */
export function expectedShares(
  space: ConfigSpace,
  logs: readonly Shares[],
  configs: readonly ConfigIndex[],
  floor: number,
): readonly Float64Array[] {
  const known = logs.map((log) => Float64Array.from(configs, (index) => log.get(index) ?? Number.NaN));
  if (known.every((of) => !of.some(Number.isNaN))) return known;
  const rows = logs.flatMap((log, source) =>
    learntFrom(log, Math.floor(mostRows / logs.length)).map(
      ([index, share]): Row => ({ source, digits: space.digits(index), share }),
    ),
  );
  const mean = rows.reduce((sum, { share }) => sum + share, 0) / rows.length;
  const alike = likeness(space);
  const weights = solve(
    rows.map((a, i) =>
      Float64Array.from({ length: i + 1 }, (_, j) => {
        const b = rows[j] as Row;
        return alike(a.digits, b.digits) * (a.source === b.source ? 1 : common) + (i === j ? noise : 0);
      }),
    ),
    Float64Array.from(rows, ({ share }) => share - mean),
  );
  for (const [c, index] of configs.entries()) {
    if (!known.some((of) => Number.isNaN(of[c]))) continue;
    const digits = space.digits(index);
    const own = new Float64Array(logs.length);
    let all = 0;
    for (const [i, row] of rows.entries()) {
      const term = alike(digits, row.digits) * (weights[i] as number);
      all += term;
      own[row.source] = (own[row.source] as number) + term;
    }
    for (const [s, of] of known.entries())
      if (Number.isNaN(of[c]))
        of[c] = Math.max(floor, Math.min(0, mean + common * all + (1 - common) * (own[s] as number)) - doubt);
  }
  return known;
}

/** Half of them the best, half spread over the others. */
function learntFrom(log: Shares, most: number): readonly (readonly [ConfigIndex, number])[] {
  const ranked = [...log].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  if (ranked.length <= most) return ranked;
  const best = ranked.slice(0, most >> 1);
  const others = ranked.slice(best.length);
  const step = others.length / (most - best.length);
  return [
    ...best,
    ...Array.from({ length: most - best.length }, (_, i) => others[Math.floor(i * step)] as [ConfigIndex, number]),
  ];
}

/** The covariance of two configs within a source. */
function likeness(space: ConfigSpace): (a: readonly number[], b: readonly number[]) => number {
  const wide = space.knobs.flatMap(({ size }, k) => (size > 1 ? [{ k, size }] : []));
  const table = (size: number, length: number) =>
    Float64Array.from({ length: size }, (_, apart) => Math.exp(-((apart / (size - 1)) ** 2) / (2 * length ** 2)));
  const singles = wide.map(({ size }) => table(size, knobLength));
  const factors = wide.map(({ size }) => table(size, allLength));
  return (a, b) => {
    let [sum, product] = [0, 1];
    for (let w = 0; w < wide.length; w++) {
      const k = wide[w]?.k as number;
      const apart = Math.abs((a[k] as number) - (b[k] as number));
      sum += singles[w]?.[apart] as number;
      product *= factors[w]?.[apart] as number;
    }
    return level + (single * sum) / Math.max(1, wide.length) + together * product;
  };
}

/** x of `a` x = `b`, by Cholesky; `a`: the lower half of a positive definite matrix, overwritten. */
function solve(a: readonly Float64Array[], b: Float64Array): Float64Array {
  const n = a.length;
  for (let i = 0; i < n; i++) {
    const row = a[i] as Float64Array;
    for (let j = 0; j <= i; j++) {
      const other = a[j] as Float64Array;
      let sum = row[j] as number;
      for (let k = 0; k < j; k++) sum -= (row[k] as number) * (other[k] as number);
      row[j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / (other[j] as number);
    }
  }
  const x = Float64Array.from(b);
  for (let i = 0; i < n; i++) {
    const row = a[i] as Float64Array;
    for (let k = 0; k < i; k++) x[i] = (x[i] as number) - (row[k] as number) * (x[k] as number);
    x[i] = (x[i] as number) / (row[i] as number);
  }
  for (let i = n - 1; i >= 0; i--) {
    x[i] = (x[i] as number) / (a[i]?.[i] as number);
    for (let k = 0; k < i; k++) x[k] = (x[k] as number) - (a[i]?.[k] as number) * (x[i] as number);
  }
  return x;
}
