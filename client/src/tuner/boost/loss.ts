/**
 * What boosting makes small: a loss with its first and second derivative by each row's prediction.
 *
 * squared   half the squared difference from the label.
 * rank      of two rows the one with the greater label should be predicted greater: log(1 + exp(-(s_i - s_j))) (RankNet, Burges et al. 2005;
 *           the objective of XGBoost's rank:pairwise), over all pairs, or over a fixed seeded draw of them when there are many. Only the
 *           order of labels counts; predictions are scores of no unit. Rows of equal labels make no pair.
 */
import type { Random } from "@warpfarm/common";

export type LossName = "squared" | "rank";

export interface Loss {
  /** Prediction before the first tree. */
  readonly start: number;
  /** Mean over rows, or over pairs; 0 when there are none. */
  value(predictions: Float64Array): number;
  /** Overwrites both. */
  derivatives(predictions: Float64Array, gradient: Float64Array, hessian: Float64Array): void;
}

const pairsPerRow = 16;

export function makeLoss(name: LossName, labels: Float64Array, random: Random): Loss {
  return name === "squared" ? squaredLoss(labels) : rankLoss(labels, random);
}

function squaredLoss(labels: Float64Array): Loss {
  return {
    start: labels.reduce((sum, y) => sum + y, 0) / labels.length,
    value: (predictions) => labels.reduce((sum, y, i) => sum + ((predictions[i] as number) - y) ** 2, 0) / (2 * labels.length),
    derivatives: (predictions, gradient, hessian) => {
      for (let i = 0; i < labels.length; i++) gradient[i] = (predictions[i] as number) - (labels[i] as number);
      hessian.fill(1);
    },
  };
}

/** Rows two by two, the better one first. */
function drawPairs(labels: Float64Array, random: Random): Int32Array {
  const n = labels.length;
  const pairs: number[] = [];
  const add = (i: number, j: number) => {
    const [a, b] = [labels[i] as number, labels[j] as number];
    if (a !== b) pairs.push(a > b ? i : j, a > b ? j : i);
  };
  if (n - 1 <= 2 * pairsPerRow) for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) add(i, j);
  else for (let i = 0; i < n; i++) for (let k = 0; k < pairsPerRow; k++) add(i, random.below(n));
  return Int32Array.from(pairs);
}

function rankLoss(labels: Float64Array, random: Random): Loss {
  const pairs = drawPairs(labels, random);
  const lead = (predictions: Float64Array, at: number): number =>
    (predictions[pairs[at] as number] as number) - (predictions[pairs[at + 1] as number] as number);
  return {
    start: 0,
    value: (predictions) => {
      let sum = 0;
      for (let at = 0; at < pairs.length; at += 2) {
        const d = lead(predictions, at);
        // log(1 + exp(-d)) without overflow.
        sum += Math.max(0, -d) + Math.log1p(Math.exp(-Math.abs(d)));
      }
      return pairs.length === 0 ? 0 : sum / (pairs.length / 2);
    },
    derivatives: (predictions, gradient, hessian) => {
      gradient.fill(0);
      hessian.fill(0);
      for (let at = 0; at < pairs.length; at += 2) {
        const [better, worse] = [pairs[at] as number, pairs[at + 1] as number];
        const wrong = 1 / (1 + Math.exp(lead(predictions, at)));
        const curvature = wrong * (1 - wrong);
        gradient[better] = (gradient[better] as number) - wrong;
        gradient[worse] = (gradient[worse] as number) + wrong;
        hessian[better] = (hessian[better] as number) + curvature;
        hessian[worse] = (hessian[worse] as number) + curvature;
      }
    },
  };
}
