import type { BoostOptions } from "./boost.ts";

/**
 * Options with which the tuners' models of the knobs learn the order of results. Depth and rate are AutoTVM's, and the loss is
 * that of TVM up to 0.12. On recorded spaces deeper trees scored no better, and squared loss worse. Each model draws rows and
 * columns anew, so the next one, a few results later, differs and does not get stuck at the same place.
 */
export const ranking: BoostOptions = {
  loss: "rank",
  // A row that is ranked with certainty has next to no hessian left.
  minChildWeight: 0.1,
  rounds: 60,
  learningRate: 0.3,
  maxDepth: 3,
  bins: 32,
  rowShare: 0.9,
  columnShare: 0.9,
};
