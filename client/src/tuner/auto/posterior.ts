/**
 * What a Gaussian process believes of a set of candidates, kept up to date as rows come in: for each candidate the solved column V = L^-1 k is kept, so
 * that one more row costs O(candidates x rows), not a new factorization. Values may be unknown yet: a row in flight already makes its
 * surroundings certain, with the mean believed before (Ginsbourger et al. 2010, "kriging believer").
 */
import { covariance, type Kernel, type Level } from "./kernel.ts";

export class Posterior {
  readonly #kernel: Kernel & Level;
  readonly #inverse: Float64Array;
  readonly #candidates: Float64Array;
  readonly #count: number;
  /** Row-major copies of the rows' columns. */
  #rows = new Float64Array(0);
  #rowCount = 0;
  readonly #factor: Float64Array[] = [];
  readonly #solved: Float64Array[] = [];
  readonly mean: Float64Array;
  /** Of the signal: 1 far from all rows. */
  readonly variance: Float64Array;

  constructor(kernel: Kernel & Level, candidates: Float64Array, count: number) {
    this.#kernel = kernel;
    this.#inverse = kernel.lengths.map((l) => 1 / l);
    this.#candidates = candidates;
    this.#count = count;
    this.mean = new Float64Array(count);
    this.variance = new Float64Array(count).fill(1);
  }

  get rows(): number {
    return this.#rowCount;
  }

  /** Appends a row of columns. */
  add(row: Float64Array): void {
    const { smoothness, noise } = this.#kernel;
    const width = this.#inverse.length;
    const n = this.#rowCount++;
    if (this.#rows.length < (n + 1) * width) {
      const grown = new Float64Array(Math.max(64, 2 * (n + 1)) * width);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    this.#rows.set(row, n * width);
    const line = new Float64Array(n + 1);
    let square = 1 + noise;
    for (let j = 0; j < n; j++) {
      const other = this.#factor[j] as Float64Array;
      let sum = covariance(smoothness, this.#inverse, this.#rows, n, this.#rows, j);
      for (let k = 0; k < j; k++) sum -= (line[k] as number) * (other[k] as number);
      const l = sum / (other[j] as number);
      line[j] = l;
      square -= l * l;
    }
    const pivot = Math.sqrt(Math.max(square, 1e-10));
    line[n] = pivot;
    this.#factor.push(line);
    const solved = new Float64Array(this.#count);
    for (let c = 0; c < this.#count; c++) solved[c] = covariance(smoothness, this.#inverse, this.#rows, n, this.#candidates, c);
    for (let j = 0; j < n; j++) {
      const l = line[j] as number;
      const column = this.#solved[j] as Float64Array;
      for (let c = 0; c < this.#count; c++) solved[c] = (solved[c] as number) - l * (column[c] as number);
    }
    for (let c = 0; c < this.#count; c++) {
      const v = (solved[c] as number) / pivot;
      solved[c] = v;
      this.variance[c] = (this.variance[c] as number) - v * v;
    }
    this.#solved.push(solved);
  }

  /** Means given the rows' values, in their order; NaN is not known yet. */
  update(values: Float64Array): void {
    const { mean } = this.#kernel;
    this.mean.fill(mean);
    const z = new Float64Array(this.#rowCount);
    for (let i = 0; i < this.#rowCount; i++) {
      const value = values[i] as number;
      if (Number.isNaN(value)) continue;
      const line = this.#factor[i] as Float64Array;
      let rest = value - mean;
      for (let k = 0; k < i; k++) rest -= (line[k] as number) * (z[k] as number);
      const zi = rest / (line[i] as number);
      z[i] = zi;
      const column = this.#solved[i] as Float64Array;
      for (let c = 0; c < this.#count; c++) this.mean[c] = (this.mean[c] as number) + (column[c] as number) * zi;
    }
  }

  deviation(candidate: number): number {
    return this.#kernel.deviation * Math.sqrt(Math.max(this.variance[candidate] as number, 1e-9));
  }
}

/** Logarithm of the improvement expected on `best`, smaller being better (Jones et al. 1998); finite however small. */
export function logImprovement(best: number, mean: number, deviation: number): number {
  const u = (best - mean) / deviation;
  if (u < -5) return Math.log(deviation) - (u * u) / 2 - 2 * Math.log(-u);
  return Math.log(deviation * (u * normal(u) + Math.exp((-u * u) / 2) / Math.sqrt(2 * Math.PI)));
}

/** The normal distribution function (Numerical Recipes, erfc by Chebyshev fit; error below 1.2e-7). */
function normal(u: number): number {
  const x = -u / Math.SQRT2;
  const z = Math.abs(x);
  const t = 1 / (1 + z / 2);
  const coefficients = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223,
  ];
  const polynomial = coefficients.reduce((sum, c) => sum * t + c, 0);
  const erfc = t * Math.exp(-z * z + polynomial);
  return (x >= 0 ? erfc : 2 - erfc) / 2;
}
