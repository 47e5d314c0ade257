/**
 * A Gaussian process whose mean is the geometric mean share of a table and whose deviations from it are of three kinds:
 *
 *   sources  linear in the deviation of each source: a source that predicted well so far has more weight, a wrong one less
 *   knobs    one term per knob: preferences of this device that no source shows
 *   alike    one term for configs that are similar in the knobs and in every source
 *
 * The level is free, because the best time on this device is unknown. The next config is the one with the greatest expected
 * improvement. A config in flight counts with the time that the model expects, so that several configs at once spread out.
 */
import { allLength, knobLength } from "./expected-shares.ts";
import type { ShareTable } from "./share-table.ts";

interface Kernel {
  readonly sources: number;
  readonly knobs: number;
  readonly alike: number;
  /** Length scales: of one knob, of all knobs, of shares. */
  readonly knobLength: number;
  readonly allLength: number;
  readonly shareLength: number;
  readonly noise: number;
}
/** Chosen on recorded spaces of five kernels (docs/tuners-lab.md): variances of logarithms of shares. */
const kernel: Kernel = {
  sources: 1,
  knobs: 0.01,
  alike: 0.0025,
  knobLength,
  allLength,
  shareLength: 1.2,
  noise: 1e-4,
};
const level = 1;

export class ShareModel {
  readonly #table: ShareTable;
  readonly #variance: Float64Array;
  /** Rows that were conditioned on: position in the table, column of L, solved column V = L^-1 k. */
  readonly #rows: { readonly at: number; readonly line: Float64Array; readonly solved: Float64Array }[] = [];

  constructor(table: ShareTable) {
    this.#table = table;
    const { deviations, configs } = table;
    this.#variance = Float64Array.from(configs, (_, i) => {
      const own = deviations.reduce((sum, of) => sum + (of[i] as number) ** 2, 0) / Math.max(1, deviations.length);
      return level + kernel.sources * own + kernel.knobs + kernel.alike;
    });
  }

  add(at: number): void {
    const column = this.#covariances(at);
    const line = new Float64Array(this.#rows.length + 1);
    const solved = column;
    for (const [j, row] of this.#rows.entries()) {
      const l = row.solved[at] as number;
      line[j] = l;
      for (let c = 0; c < solved.length; c++) solved[c] = (solved[c] as number) - l * (row.solved[c] as number);
    }
    const pivot = Math.sqrt(Math.max((solved[at] as number) + kernel.noise, 1e-10));
    line[this.#rows.length] = pivot;
    for (let c = 0; c < solved.length; c++) {
      solved[c] = (solved[c] as number) / pivot;
      this.#variance[c] = (this.#variance[c] as number) - (solved[c] as number) ** 2;
    }
    this.#rows.push({ at, line, solved });
  }

  #covariances(at: number): Float64Array {
    const { deviations, places, mean, configs } = this.#table;
    const column = new Float64Array(configs.length);
    const { knobLength, allLength, shareLength } = kernel;
    for (let c = 0; c < column.length; c++) {
      let [linear, apart] = [0, ((mean[c] as number) - (mean[at] as number)) ** 2 * deviations.length];
      for (const of of deviations) {
        const [x, y] = [of[c] as number, of[at] as number];
        linear += x * y;
        apart += (x - y) ** 2;
      }
      let [single, all] = [0, 0];
      for (const of of places) {
        const square = ((of[c] as number) - (of[at] as number)) ** 2;
        single += Math.exp(-square / (2 * knobLength ** 2));
        all += square;
      }
      const near = Math.exp(-all / (2 * allLength ** 2));
      column[c] =
        level +
        (kernel.sources * linear) / Math.max(1, deviations.length) +
        (kernel.knobs * single) / Math.max(1, places.length) +
        kernel.alike * near * Math.exp(-apart / (2 * shareLength ** 2));
    }
    return column;
  }

  /** The model's belief about every config. */
  believe(values: readonly (number | undefined)[]): { readonly mean: Float64Array; readonly deviation: Float64Array } {
    const mean = Float64Array.from(this.#table.mean);
    const z: number[] = [];
    for (const [i, { at, line, solved }] of this.#rows.entries()) {
      const value = values[i];
      let rest = value === undefined ? 0 : value - (this.#table.mean[at] as number);
      if (value !== undefined) for (let j = 0; j < i; j++) rest -= (line[j] as number) * (z[j] as number);
      const step = value === undefined ? 0 : rest / (line[i] as number);
      z.push(step);
      for (let c = 0; c < mean.length; c++) mean[c] = (mean[c] as number) + step * (solved[c] as number);
    }
    return { mean, deviation: this.#variance.map((value) => Math.sqrt(Math.max(value, 1e-9))) };
  }
}
