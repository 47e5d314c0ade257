/**
 * What boosting makes small: a loss with its first and second derivative by each row's prediction.
 *
 * squared   half the squared difference from the label.
 * rank      of two rows the one with the greater label should be predicted greater: log(1 + exp(-(s_i - s_j))) (RankNet, Burges
 *           et al. 2005; the objective of XGBoost's rank:pairwise), over all pairs, or over a fixed seeded draw of them when
 *           there are many. Only the order of labels counts; predictions are scores of no unit. Rows of equal labels make no
 *           pair, and neither does one whose label is an upper bound with one below it.
 */
import type { Random } from "@warpfarm/common";

export type LossName = "squared" | "rank";

export interface Loss {
  /** Prediction before the first tree. */
  readonly start: number;
  /** Overwrites `out`: first, then second derivative of each row, row after row. */
  derivatives(predictions: Float64Array, out: Float64Array): void;
}

const pairsPerRow = 16;

export function makeLoss(name: LossName, labels: Float64Array, random: Random, atMost: ReadonlySet<number> = new Set()): Loss {
  return name === "squared" ? squaredLoss(labels) : rankLoss(labels, random, atMost);
}

function squaredLoss(labels: Float64Array): Loss {
  return {
    start: labels.reduce((sum, y) => sum + y, 0) / labels.length,
    derivatives: (predictions, out) => {
      for (let i = 0; i < labels.length; i++) {
        out[2 * i] = (predictions[i] as number) - (labels[i] as number);
        out[2 * i + 1] = 1;
      }
    },
  };
}

/** Pairs of rows by the better one: it is better than worse[first[row]] to worse[first[row + 1] - 1]. */
interface Pairs {
  readonly first: Int32Array;
  readonly worse: Int32Array;
}

function drawPairs(labels: Float64Array, random: Random, atMost: ReadonlySet<number>): Pairs {
  const n = labels.length;
  const isAll = n - 1 <= 2 * pairsPerRow;
  const drawn = new Int32Array(isAll ? n * (n - 1) : 2 * n * pairsPerRow);
  const first = new Int32Array(n + 1);
  let end = 0;
  const add = (i: number, j: number) => {
    const [a, b] = [labels[i] as number, labels[j] as number];
    if (a === b) return;
    const better = a > b ? i : j;
    // The true label of the better one may be below the other's, unless that is 0, a failure's.
    if (atMost.has(better) && Math.min(a, b) > 0) return;
    drawn[end++] = better;
    drawn[end++] = better === i ? j : i;
    first[better + 1] = (first[better + 1] as number) + 1;
  };
  if (isAll) for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) add(i, j);
  else for (let i = 0; i < n; i++) for (let k = 0; k < pairsPerRow; k++) add(i, random.below(n));
  for (let i = 0; i < n; i++) first[i + 1] = (first[i + 1] as number) + (first[i] as number);
  const worse = new Int32Array(end / 2);
  const next = first.slice();
  for (let at = 0; at < end; at += 2) {
    const better = drawn[at] as number;
    const place = next[better] as number;
    worse[place] = drawn[at + 1] as number;
    next[better] = place + 1;
  }
  return { first, worse };
}

/** Predictions farther below the greatest count as this far: their exponentials are still above 0. */
const leastExponent = -700;

function rankLoss(labels: Float64Array, random: Random, atMost: ReadonlySet<number>): Loss {
  const { first, worse } = drawPairs(labels, random, atMost);
  const strengths = new Float64Array(labels.length);
  return {
    start: 0,
    // 1 / (1 + exp(s_i - s_j)) = exp(s_j) / (exp(s_i) + exp(s_j)): an exponential a row, not one a pair.
    derivatives: (predictions, out) => {
      let top = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < predictions.length; i++) top = Math.max(top, predictions[i] as number);
      for (let i = 0; i < predictions.length; i++)
        strengths[i] = Math.exp(Math.max(leastExponent, (predictions[i] as number) - top));
      out.fill(0);
      for (let better = 0, at = 0; better < strengths.length; better++) {
        const strength = strengths[better] as number;
        const end = first[better + 1] as number;
        let gradient = 0;
        let hessian = 0;
        for (; at < end; at++) {
          const row = worse[at] as number;
          const other = strengths[row] as number;
          const wrong = other / (strength + other);
          const curvature = wrong * (1 - wrong);
          gradient += wrong;
          hessian += curvature;
          out[2 * row] = (out[2 * row] as number) + wrong;
          out[2 * row + 1] = (out[2 * row + 1] as number) + curvature;
        }
        out[2 * better] = (out[2 * better] as number) - gradient;
        out[2 * better + 1] = (out[2 * better + 1] as number) + hessian;
      }
    },
  };
}
