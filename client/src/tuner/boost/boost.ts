/**
 * Gradient-boosted regression trees (Friedman 2001; the Newton form of XGBoost, Chen and Guestrin 2016): the cost model of a
 * search. Pure: equal rows, labels, options and seed give equal models on every machine. A model is data.
 */
import { invariant, Random } from "@warpfarm/common";
import { type BinnedColumn, binColumns, mostBins } from "./bins.ts";
import type { FeatureMatrix } from "./feature-matrix.ts";
import { type GrowOptions, growTree, HistogramPool } from "./grow-tree.ts";
import { type LossName, makeLoss } from "./loss.ts";
import { addTree, type Tree, without } from "./tree.ts";

export interface Rows {
  readonly features: FeatureMatrix;
  /** One finite label per row. For the rank loss greater is better. */
  readonly labels: ArrayLike<number>;
  /** Rows whose label is only an upper bound, for the rank loss: they are below all that are above it, and no more is known. */
  readonly atMost?: ReadonlySet<number>;
}

export interface BoostOptions extends Partial<GrowOptions> {
  readonly loss?: LossName;
  /** Trees. */
  readonly rounds?: number;
  /** Share of the rows, and of the columns, from which a tree is grown; drawn anew for each tree. */
  readonly rowShare?: number;
  readonly columnShare?: number;
  readonly bins?: number;
  readonly seed?: number;
}

const boostDefaults = {
  loss: "squared",
  rounds: 200,
  learningRate: 0.1,
  maxDepth: 4,
  lambda: 1,
  gamma: 0,
  minChildWeight: 1,
  rowShare: 1,
  columnShare: 1,
  bins: 64,
  seed: 0,
} as const satisfies BoostOptions;

export interface BoostModel {
  readonly columns: number;
  readonly start: number;
  readonly trees: readonly Tree[];
}

/** Boosts trees on the rows. Throws when a size, a share or a label is invalid. */
export function train({ features, labels, atMost }: Rows, options: BoostOptions = {}): BoostModel {
  const settings = { ...boostDefaults, ...options };
  check({ features, labels }, settings.bins, settings.rowShare, settings.columnShare);
  const random = new Random(settings.seed);
  const loss = makeLoss(settings.loss, Float64Array.from(labels), random, atMost);
  const binned = binColumns(features, settings.bins);
  const pool = new HistogramPool(binned);
  const sampled = new Sampler(features.rows, binned.columns, settings.rowShare, settings.columnShare, random);
  const predictions = new Float64Array(features.rows).fill(loss.start);
  const derivatives = new Float64Array(2 * features.rows);
  const trees: Tree[] = [];
  while (trees.length < settings.rounds) {
    loss.derivatives(predictions, derivatives);
    const tree = growTree(binned, sampled.draw(), derivatives, settings, pool);
    trees.push(tree);
    addTree(tree, features.values, features.columns, predictions);
  }
  return { columns: features.columns, start: loss.start, trees };
}

function check({ features, labels }: Rows, bins: number, ...shares: readonly number[]): void {
  invariant(features.rows > 0 && labels.length === features.rows, `${labels.length} labels for ${features.rows} rows`);
  invariant(Array.from(labels).every(Number.isFinite), "a label is not a finite number");
  invariant(Number.isInteger(bins) && bins >= 2 && bins <= mostBins, `${bins} bins; 2 to ${mostBins}`);
  for (const share of shares) invariant(share > 0 && share <= 1, `a share of ${share}; above 0, at most 1`);
}

class Sampler {
  readonly #rows: number;
  readonly #columns: number;
  readonly #rowShare: number;
  readonly #columnShare: number;
  readonly #random: Random;

  constructor(rows: number, columns: readonly BinnedColumn[], rowShare: number, columnShare: number, random: Random) {
    this.#rows = rows;
    this.#columns = columns.length;
    this.#rowShare = rowShare;
    this.#columnShare = columnShare;
    this.#random = random;
  }

  draw(): { rows: Int32Array; columns: number[] } {
    return { rows: this.#choose(this.#rows, this.#rowShare), columns: [...this.#choose(this.#columns, this.#columnShare)] };
  }

  /** At least one, ascending: all but as many as are drawn to be left out. */
  #choose(count: number, share: number): Int32Array {
    const kept = Math.max(1, Math.round(count * share));
    const all = new Int32Array(count);
    const out = new Uint8Array(count);
    for (let i = 0; i < count; i++) all[i] = i;
    for (let i = count - 1; i >= kept; i--) {
      const at = this.#random.below(i + 1);
      out[all[at] as number] = 1;
      all[at] = all[i] as number;
    }
    let next = 0;
    for (let i = 0; i < count; i++) if (out[i] === 0) all[next++] = i;
    return all.subarray(0, kept);
  }
}

/** One number per row: the expected label, or with the rank loss a score to sort by. */
export function predict(model: BoostModel, features: FeatureMatrix): Float64Array {
  invariant(features.columns === model.columns, `the model has ${model.columns} columns, the rows ${features.columns}`);
  const predictions = new Float64Array(features.rows).fill(model.start);
  if (features.rows === 0) return predictions;
  const { values, columns } = features;
  const first = values.subarray(0, columns);
  const shared = Array.from(first, (value, column) => {
    for (let at = column; at < values.length; at += columns) if (!Object.is(values[at], value)) return false;
    return true;
  });
  for (const tree of model.trees) addTree(without(tree, shared, first), values, columns, predictions);
  return predictions;
}
