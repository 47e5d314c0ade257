/**
 * How alike two configs are expected to be: a stationary kernel over scaled distance with one length a column (Rasmussen and Williams, "Gaussian Processes
 * for Machine Learning", 2006, §4.2), and the choice of those lengths by the likelihood of what was measured, under a log-normal prior that keeps
 * a few dozen results from explaining themselves (as BaCO does: Hellsten et al., ASPLOS 2023).
 */
import type { Random } from "@warpfarm/common";

/** Matern kernels of smoothness 3/2 and 5/2: kinked and smooth. */
export type Smoothness = "3/2" | "5/2";

export interface Kernel {
  readonly smoothness: Smoothness;
  /** By column, in units of the column's range. */
  readonly lengths: Float64Array;
  /** Variance of what no column explains, as a share of the signal's. */
  readonly noise: number;
}

export interface Prior {
  /** Median length. */
  readonly length: number;
}
const priorSpread = 1;
const usualNoise = 1e-3;
const noiseSpread = 2;
const [leastLength, mostLength] = [0.05, 20];
const [leastNoise, mostNoise] = [1e-6, 1];

export const firstKernel = (smoothness: Smoothness, width: number, prior: Prior): Kernel => ({
  smoothness,
  lengths: new Float64Array(width).fill(prior.length),
  noise: usualNoise,
});

/** Kernel between row i of `a` and row j of `b`, rows of `inverse.length` numbers. */
export function covariance(
  smoothness: Smoothness,
  inverse: Float64Array,
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
): number {
  const width = inverse.length;
  let sum = 0;
  for (let c = 0, p = i * width, q = j * width; c < width; c++) {
    const d = ((a[p + c] as number) - (b[q + c] as number)) * (inverse[c] as number);
    sum += d * d;
  }
  if (smoothness === "3/2") {
    const r = Math.sqrt(3 * sum);
    return (1 + r) * Math.exp(-r);
  }
  const r = Math.sqrt(5 * sum);
  return (1 + r + (r * r) / 3) * Math.exp(-r);
}

export interface Level {
  /** Mean far from all rows, and the signal's standard deviation, of the most likely constant process. */
  readonly mean: number;
  readonly deviation: number;
}
interface Fit extends Level {
  readonly logLikelihood: number;
}

/** Rows of `kernel.lengths.length` columns. */
export interface Observed {
  readonly rows: Float64Array;
  readonly values: Float64Array;
}

/** The best of `steps` random changes, one after the other, starting from `kernel`. */
export function fitKernel(kernel: Kernel, observed: Observed, prior: Prior, random: Random, steps: number): Kernel & Level {
  let best = kernel;
  let bestFit = likelihood(kernel, observed, prior);
  for (let step = 0; step < steps; step++) {
    const tried = changed(best, random);
    const fit = likelihood(tried, observed, prior);
    if (fit.logLikelihood > bestFit.logLikelihood) [best, bestFit] = [tried, fit];
  }
  return { ...best, mean: bestFit.mean, deviation: bestFit.deviation };
}

/** One length or the noise by much, or all by a little. */
function changed({ smoothness, lengths, noise }: Kernel, random: Random): Kernel {
  const width = lengths.length;
  const one = random.float() < 0.6 ? random.below(width + 1) : -1;
  const factor = (chosen: boolean): number => {
    if (one >= 0 && !chosen) return 1;
    return Math.exp((one >= 0 ? 1.2 : 0.4) * gauss(random));
  };
  return {
    smoothness,
    lengths: lengths.map((l, c) => Math.min(mostLength, Math.max(leastLength, l * factor(c === one)))),
    noise: Math.min(mostNoise, Math.max(leastNoise, noise * factor(one === width))),
  };
}

/** About normal: a sum of four uniform draws. */
const gauss = (random: Random): number => Math.sqrt(3) * (random.float() + random.float() + random.float() + random.float() - 2);

function likelihood(kernel: Kernel, { rows, values }: Observed, prior: Prior): Fit {
  const n = values.length;
  const inverse = kernel.lengths.map((l) => 1 / l);
  const factor = new Float64Array(n * n);
  // Cholesky row by row, with the right-hand sides y and 1 solved on the way.
  const y = new Float64Array(n);
  const one = new Float64Array(n);
  let logDeterminant = 0;
  let [yy, y1, one1] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const at = i * n;
    let [square, a, b] = [1 + kernel.noise, values[i] as number, 1];
    for (let j = 0; j < i; j++) {
      let sum = covariance(kernel.smoothness, inverse, rows, i, rows, j);
      const other = j * n;
      for (let k = 0; k < j; k++) sum -= (factor[at + k] as number) * (factor[other + k] as number);
      const l = sum / (factor[other + j] as number);
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
    kernel.lengths.reduce((sum, l) => sum + Math.log(l / prior.length) ** 2, 0) / (2 * priorSpread ** 2) +
    Math.log(kernel.noise / usualNoise) ** 2 / (2 * noiseSpread ** 2);
  return { mean, deviation: Math.sqrt(variance), logLikelihood: (-n / 2) * Math.log(variance) - logDeterminant - fromPrior };
}
