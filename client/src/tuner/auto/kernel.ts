/**
 * How similar the performance of two configs is expected to be: the product of their knobs' similarities (metric.ts). Lengths and
 * noise maximize the likelihood of the results, under a log-normal prior that keeps a few dozen results from overfitting (as in
 * BaCO: Hellsten et al., ASPLOS 2023).
 */
import type { Random } from "@warpfarm/common";
import { type KnobShape, type Metric, similarity } from "./metric.ts";

export interface Kernel {
  readonly lengths: Float64Array;
  /** Variance that no knob explains, as a share of the signal's. */
  readonly noise: number;
}

export interface Prior {
  readonly length: number;
}
const priorSpread = 1;
const usualNoise = 1e-3;
const noiseSpread = 2;
const [leastLength, mostLength] = [0.05, 20];
const [leastNoise, mostNoise] = [1e-6, 1];
/** Share of the tried changes that change all lengths at once. */
const ofAll = 0.15;

export const firstKernel = (width: number, prior: Prior): Kernel => ({
  lengths: new Float64Array(width).fill(prior.length),
  noise: usualNoise,
});

export interface Level {
  /** Mean far from all rows, and the signal's standard deviation, of the most likely constant process. */
  readonly mean: number;
  readonly deviation: number;
}

interface Observed {
  readonly digits: readonly Int32Array[];
  readonly values: Float64Array;
}

/** Pairs (i, j) of n rows with j < i. */
const pairs = (n: number): number => (n * (n - 1)) / 2;

/** The best of `steps` random changes, one after the other, starting from `kernel`. */
export function fitKernel(
  metric: Metric,
  kernel: Kernel,
  { digits, values }: Observed,
  prior: Prior,
  random: Random,
  steps: number,
): Kernel & Level {
  const { shapes, width } = metric;
  const tablesOf = (lengths: Float64Array) => shapes.map((shape, k) => pairTable(shape, k, lengths, digits));
  const likelihood = new Likelihood(values, prior);
  let best = kernel;
  let tables: readonly Float64Array[] = tablesOf(kernel.lengths);
  let bestFit = likelihood.of(best, tables);
  for (let step = 0; step < steps; step++) {
    const one = random.float() < ofAll ? -1 : random.below(width + 1);
    const factor = Math.exp((one < 0 ? 0.5 : 1.2) * gauss(random));
    const tried =
      one === width
        ? { lengths: best.lengths, noise: within(best.noise * factor, leastNoise, mostNoise) }
        : {
            lengths: best.lengths.map((l, c) => (one < 0 || c === one ? within(l * factor, leastLength, mostLength) : l)),
            noise: best.noise,
          };
    const triedTables =
      one < 0
        ? tablesOf(tried.lengths)
        : tables.map((table, k) => {
            const shape = shapes[k] as KnobShape;
            return one >= shape.first && one < shape.first + shape.columns.length
              ? pairTable(shape, k, tried.lengths, digits)
              : table;
          });
    const fit = likelihood.of(tried, triedTables);
    if (fit.logLikelihood > bestFit.logLikelihood) [best, bestFit, tables] = [tried, fit, triedTables];
  }
  return { ...best, mean: bestFit.mean, deviation: bestFit.deviation };
}

const within = (x: number, least: number, most: number): number => Math.min(most, Math.max(least, x));

/** About normal: a sum of four uniform draws. */
const gauss = (random: Random): number => Math.sqrt(3) * (random.float() + random.float() + random.float() + random.float() - 2);

/** Similarities of the rows' digits in knob k, by pair. */
function pairTable(shape: KnobShape, k: number, lengths: Float64Array, digits: readonly Int32Array[]): Float64Array {
  const n = digits.length;
  const made = new Float64Array(pairs(n));
  const { size } = shape;
  const own = Int32Array.from(digits, (row) => row[k] as number);
  let at = 0;
  if (size * size >= made.length) {
    for (let i = 1; i < n; i++)
      for (let j = 0; j < i; j++) made[at++] = similarity(shape, lengths, own[i] as number, own[j] as number);
    return made;
  }
  const byDigits = new Float64Array(size * size);
  for (let a = 0; a < size; a++)
    for (let b = 0; b <= a; b++) {
      const alike = similarity(shape, lengths, a, b);
      byDigits[a * size + b] = alike;
      byDigits[b * size + a] = alike;
    }
  for (let i = 1; i < n; i++) {
    const row = (own[i] as number) * size;
    for (let j = 0; j < i; j++) made[at++] = byDigits[row + (own[j] as number)] as number;
  }
  return made;
}

interface Fit extends Level {
  readonly logLikelihood: number;
}

class Likelihood {
  readonly #values: Float64Array;
  readonly #prior: Prior;
  readonly #factor: Float64Array;
  readonly #covariance: Float64Array;
  readonly #y: Float64Array;
  readonly #one: Float64Array;

  constructor(values: Float64Array, prior: Prior) {
    const n = values.length;
    this.#values = values;
    this.#prior = prior;
    this.#factor = new Float64Array(n * n);
    this.#covariance = new Float64Array(pairs(n));
    this.#y = new Float64Array(n);
    this.#one = new Float64Array(n);
  }

  of(kernel: Kernel, tables: readonly Float64Array[]): Fit {
    const n = this.#values.length;
    const [factor, covariance, y, one] = [this.#factor, this.#covariance, this.#y, this.#one];
    covariance.fill(1);
    for (const table of tables)
      for (let p = 0; p < covariance.length; p++) covariance[p] = (covariance[p] as number) * (table[p] as number);
    // Cholesky row by row, with the right-hand sides y and 1 solved on the way.
    let logDeterminant = 0;
    let [yy, y1, one1] = [0, 0, 0];
    let pair = 0;
    for (let i = 0; i < n; i++) {
      const at = i * n;
      let [square, a, b] = [1 + kernel.noise, this.#values[i] as number, 1];
      for (let j = 0; j < i; j++, pair++) {
        let rest = covariance[pair] as number;
        const other = j * n;
        for (let k = 0; k < j; k++) rest -= (factor[at + k] as number) * (factor[other + k] as number);
        const l = rest / (factor[other + j] as number);
        factor[at + j] = l;
        square -= l * l;
        a -= l * (y[j] as number);
        b -= l * (one[j] as number);
      }
      const pivot = Math.sqrt(Math.max(square, 1e-12));
      factor[at + i] = pivot;
      y[i] = a / pivot;
      one[i] = b / pivot;
      yy += (y[i] as number) ** 2;
      y1 += (y[i] as number) * (one[i] as number);
      one1 += (one[i] as number) ** 2;
      logDeterminant += Math.log(pivot);
    }
    const mean = y1 / one1;
    const variance = Math.max(1e-12, (yy - mean * y1) / n);
    const fromPrior =
      kernel.lengths.reduce((sum, l) => sum + Math.log(l / this.#prior.length) ** 2, 0) / (2 * priorSpread ** 2) +
      Math.log(kernel.noise / usualNoise) ** 2 / (2 * noiseSpread ** 2);
    return { mean, deviation: Math.sqrt(variance), logLikelihood: (-n / 2) * Math.log(variance) - logDeterminant - fromPrior };
  }
}
