/**
 * The posterior of a Gaussian process at a set of candidates, updated as rows come in: for each candidate the solved column V =
 * L^-1 k is kept, so one more row costs O(candidates x rows) and no new factorization. Values may be unknown: a row in flight
 * already reduces the uncertainty around it, with the posterior mean as its value (Ginsbourger et al. 2010, "kriging believer").
 */
import type { Kernel, Level } from "./kernel.ts";
import { type Metric, Similarities } from "./metric.ts";

export class Posterior {
  readonly #kernel: Kernel & Level;
  readonly #similar: readonly Similarities[];
  readonly #candidates: readonly Int32Array[];
  readonly #count: number;
  readonly #rows: Int32Array[] = [];
  readonly #factor: Float64Array[] = [];
  readonly #solved: Float64Array[] = [];
  /** The rows' values as of the last update, and L^-1 (values - mean). */
  #values: number[] = [];
  readonly #z: number[] = [];
  readonly mean: Float64Array;
  /** The variance as a share of the signal's: 1 far from all rows. */
  readonly variance: Float64Array;

  constructor(metric: Metric, kernel: Kernel & Level, candidates: readonly Int32Array[], count: number) {
    this.#kernel = kernel;
    this.#similar = metric.shapes.map((shape) => new Similarities(shape, kernel.lengths));
    this.#candidates = candidates;
    this.#count = count;
    this.mean = new Float64Array(count).fill(kernel.mean);
    this.variance = new Float64Array(count).fill(1);
  }

  add(row: Int32Array): void {
    const n = this.#rows.length;
    const tables = this.#similar.map((s, k) => s.to(row[k] as number));
    const line = new Float64Array(n + 1);
    let square = 1 + this.#kernel.noise;
    for (let j = 0; j < n; j++) {
      const other = this.#rows[j] as Int32Array;
      let rest = 1;
      for (let k = 0; k < tables.length; k++) rest *= (tables[k] as Float64Array)[other[k] as number] as number;
      const factor = this.#factor[j] as Float64Array;
      for (let k = 0; k < j; k++) rest -= (line[k] as number) * (factor[k] as number);
      const l = rest / (factor[j] as number);
      line[j] = l;
      square -= l * l;
    }
    const pivot = Math.sqrt(Math.max(square, 1e-10));
    line[n] = pivot;
    this.#rows.push(row);
    this.#factor.push(line);
    this.#solved.push(this.#solve(tables, line));
  }

  /**
   * Computes the new row's column of V and subtracts what it explains from the variance. Four rows at a time, because otherwise
   * the loads and stores of `solved` dominate.
   */
  #solve(tables: readonly Float64Array[], line: Float64Array): Float64Array {
    const count = this.#count;
    const n = line.length - 1;
    const solved = new Float64Array(count).fill(1);
    for (let k = 0; k < tables.length; k++) {
      const table = tables[k] as Float64Array;
      const digits = this.#candidates[k] as Int32Array;
      for (let c = 0; c < count; c++) solved[c] = (solved[c] as number) * (table[digits[c] as number] as number);
    }
    let j = 0;
    for (; j + 3 < n; j += 4) {
      const [l0, l1, l2, l3] = [line[j] as number, line[j + 1] as number, line[j + 2] as number, line[j + 3] as number];
      const v0 = this.#solved[j] as Float64Array;
      const v1 = this.#solved[j + 1] as Float64Array;
      const v2 = this.#solved[j + 2] as Float64Array;
      const v3 = this.#solved[j + 3] as Float64Array;
      for (let c = 0; c < count; c++)
        solved[c] =
          (solved[c] as number) -
          (l0 * (v0[c] as number) + l1 * (v1[c] as number) + l2 * (v2[c] as number) + l3 * (v3[c] as number));
    }
    for (; j < n; j++) {
      const l = line[j] as number;
      const v = this.#solved[j] as Float64Array;
      for (let c = 0; c < count; c++) solved[c] = (solved[c] as number) - l * (v[c] as number);
    }
    const inverse = 1 / (line[n] as number);
    const { variance } = this;
    for (let c = 0; c < count; c++) {
      const v = (solved[c] as number) * inverse;
      solved[c] = v;
      variance[c] = (variance[c] as number) - v * v;
    }
    return solved;
  }

  /** Means for the rows' values, in their order; NaN = unknown. Computes only what changed since the last time. */
  update(values: ArrayLike<number>): void {
    const { mean } = this;
    const z = this.#z;
    let from = 0;
    while (from < z.length && Object.is(values[from], this.#values[from])) from++;
    for (let i = from; i < this.#rows.length; i++) {
      const value = values[i] as number;
      let zi = 0;
      if (!Number.isNaN(value)) {
        const line = this.#factor[i] as Float64Array;
        let rest = value - this.#kernel.mean;
        for (let k = 0; k < i; k++) rest -= (line[k] as number) * (z[k] as number);
        zi = rest / (line[i] as number);
      }
      const change = zi - (z[i] ?? 0);
      z[i] = zi;
      if (change === 0) continue;
      const column = this.#solved[i] as Float64Array;
      for (let c = 0; c < mean.length; c++) mean[c] = (mean[c] as number) + change * (column[c] as number);
    }
    this.#values = Array.from(values);
  }

  deviation(candidate: number): number {
    return this.#kernel.deviation * Math.sqrt(Math.max(this.variance[candidate] as number, 1e-9));
  }
}

/**
 * Logarithm of the expected improvement over `best`, where smaller is better (Jones et al. 1998). Far out, where its two terms
 * nearly cancel, it uses the first terms of their asymptotic series as a fraction.
 */
export function logImprovement(best: number, mean: number, deviation: number): number {
  const u = (best - mean) / deviation;
  const square = u * u;
  if (u < -4) return Math.log((deviation / rootOfTwoPi) * ((square + 2) / (square * (square + 5)))) - square / 2;
  const density = Math.exp(-square / 2) / rootOfTwoPi;
  return Math.log(deviation * (u * normal(u, density) + density));
}

const rootOfTwoPi = Math.sqrt(2 * Math.PI);

/** The normal distribution function, given its density there (Abramowitz and Stegun 26.2.17; error below 7.5e-8). */
function normal(u: number, density: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(u));
  const polynomial = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return u >= 0 ? 1 - density * polynomial : density * polynomial;
}
