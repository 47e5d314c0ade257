/**
 * Gradient-boosted regression trees (Friedman 2001; the Newton form of XGBoost, Chen and Guestrin 2016): the cost model of a
 * search. Pure: equal rows, labels, options and seed give equal models on every machine. A model is data.
 */
import { invariant, Random } from "@warpfarm/common";
import type { FeatureMatrix } from "@warpfarm/compiler";
import { type BinnedColumn, binColumns, mostBins } from "./bins.ts";
import { growTree, HistogramPool } from "./grow-tree.ts";
import { type LossName, makeLoss } from "./loss.ts";
import { addTree, type Tree } from "./tree.ts";

export interface Rows {
  readonly features: FeatureMatrix;
  /** One finite label per row. For the rank loss greater is better. */
  readonly labels: ArrayLike<number>;
  /** Rows whose label is only an upper bound, for the rank loss: they are below all that are above it, and no more is known. */
  readonly atMost?: ReadonlySet<number>;
}

export interface BoostOptions {
  readonly loss?: LossName;
  /** The most trees. */
  readonly rounds?: number;
  readonly learningRate?: number;
  readonly maxDepth?: number;
  readonly lambda?: number;
  readonly gamma?: number;
  readonly minChildWeight?: number;
  /** Share of the rows, and of the columns, from which a tree is grown; drawn anew for each tree. */
  readonly rowShare?: number;
  readonly columnShare?: number;
  readonly bins?: number;
  /**
   * Validates the rounds: training stops when this loss has not fallen for `patience` rounds, and the trees after the best round
   * are removed.
   */
  readonly validation?: Rows;
  readonly patience?: number;
  /**
   * False leaves the model's history empty unless there are validation rows, because the loss of each round takes as long as its
   * derivatives.
   */
  readonly traced?: boolean;
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
  patience: 20,
  traced: true,
  seed: 0,
} as const satisfies BoostOptions;

export interface BoostModel {
  readonly columns: number;
  readonly start: number;
  readonly trees: readonly Tree[];
  /** Loss after each round that was run, on the training rows and, when given, on the validation rows. */
  readonly history: readonly { readonly training: number; readonly validation?: number }[];
}

/** Boosts trees on the rows. Throws when a size, a share or a label is invalid. */
export function train({ features, labels, atMost }: Rows, options: BoostOptions = {}): BoostModel {
  const settings = { ...boostDefaults, ...options };
  check({ features, labels }, settings.bins, settings.rowShare, settings.columnShare);
  const random = new Random(settings.seed);
  const loss = makeLoss(settings.loss, Float64Array.from(labels), random, atMost);
  const judge = settings.validation && new Judge(settings.validation, features.columns, settings.loss, loss.start, random);
  const binned = binColumns(features, settings.bins);
  const pool = new HistogramPool(binned);
  const sampled = new Sampler(features.rows, binned.columns, settings.rowShare, settings.columnShare, random);
  const predictions = new Float64Array(features.rows).fill(loss.start);
  const derivatives = new Float64Array(2 * features.rows);
  const trees: Tree[] = [];
  const history: BoostModel["history"][number][] = [];
  while (trees.length < settings.rounds && !(judge && trees.length - judge.bestRound >= settings.patience)) {
    loss.derivatives(predictions, derivatives);
    const tree = growTree(binned, sampled.draw(), derivatives, settings, pool);
    trees.push(tree);
    addTree(tree, features.values, features.columns, predictions);
    if (judge) history.push({ training: loss.value(predictions), validation: judge.after(tree) });
    else if (settings.traced) history.push({ training: loss.value(predictions) });
  }
  return { columns: features.columns, start: loss.start, trees: trees.slice(0, judge?.bestRound), history };
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

/** Follows the loss on rows that training does not use. */
class Judge {
  bestRound = 0;
  readonly #rows: Rows;
  readonly #loss: ReturnType<typeof makeLoss>;
  readonly #predictions: Float64Array;
  #round = 0;
  #least: number;

  constructor(rows: Rows, columns: number, name: LossName, start: number, random: Random) {
    invariant(rows.features.columns === columns, `validation rows have ${rows.features.columns} columns, not ${columns}`);
    invariant(rows.labels.length === rows.features.rows, `${rows.labels.length} labels for ${rows.features.rows} rows`);
    this.#rows = rows;
    this.#loss = makeLoss(name, Float64Array.from(rows.labels), random);
    this.#predictions = new Float64Array(rows.features.rows).fill(start);
    this.#least = this.#loss.value(this.#predictions);
  }

  after(tree: Tree): number {
    const { values, columns } = this.#rows.features;
    addTree(tree, values, columns, this.#predictions);
    const value = this.#loss.value(this.#predictions);
    this.#round++;
    if (value < this.#least) {
      this.#least = value;
      this.bestRound = this.#round;
    }
    return value;
  }
}

/** One number per row: the expected label, or with the rank loss a score to sort by. */
export function predict(model: BoostModel, features: FeatureMatrix): Float64Array {
  invariant(features.columns === model.columns, `the model has ${model.columns} columns, the rows ${features.columns}`);
  const predictions = new Float64Array(features.rows).fill(model.start);
  for (const tree of model.trees) addTree(tree, features.values, features.columns, predictions);
  return predictions;
}

/**
 * The share of each column in all gains of splits; all zeros for a model without splits. A copy of an earlier column has none.
 */
export function importance(model: BoostModel): Float64Array {
  const shares = new Float64Array(model.columns);
  let total = 0;
  for (const { column, gain } of model.trees)
    column.forEach((asked, node) => {
      if (asked < 0) return;
      shares[asked] = (shares[asked] as number) + (gain[node] as number);
      total += gain[node] as number;
    });
  return total > 0 ? shares.map((gain) => gain / total) : shares;
}
