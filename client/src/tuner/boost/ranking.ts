import type { BoostOptions } from "./boost.ts";

/**
 * What the tuners' models of the knobs learn the order of results with. Depth and rate are AutoTVM's, the loss what it had up to
 * TVM 0.12. On recorded spaces deeper trees scored no better, squared loss worse. Rows and columns are drawn anew for each model:
 * the next one, a few results later, differs and is not stuck where this one is.
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
  traced: false,
};
