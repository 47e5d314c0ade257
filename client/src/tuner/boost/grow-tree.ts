/**
 * Growing one tree by Newton steps (Chen and Guestrin, "XGBoost", 2016, §2.2): a leaf with gradient sum G and hessian sum H adds
 * -rate * G / (H + lambda), and a split is worth
 *
 *   gain = (GL^2 / (HL + lambda) + GR^2 / (HR + lambda) - G^2 / (H + lambda)) / 2 - gamma
 *
 * Level by level down to maxDepth. Histograms are made for the smaller child; the larger one's is the parent's less that.
 */
import type { Binned, BinnedColumn } from "./bins.ts";
import type { Tree } from "./tree.ts";

export interface GrowOptions {
  readonly maxDepth: number;
  readonly learningRate: number;
  readonly lambda: number;
  readonly gamma: number;
  /** Least hessian sum of a child; with squared loss, its least rows. */
  readonly minChildWeight: number;
}

/** Gradient sum, then hessian sum, of each bin, column after column. */
type Histogram = Float64Array;

/** Histograms to use again: they are large, and a tree needs a few at a time. */
export class HistogramPool {
  readonly #free: Histogram[] = [];
  readonly #length: number;

  constructor({ columns }: Binned) {
    this.#length = columns.reduce((bins, { cuts }) => bins + cuts.length + 1, 0) * 2;
  }
  take(): Histogram {
    return this.#free.pop() ?? new Float64Array(this.#length);
  }
  give(histogram: Histogram): void {
    this.#free.push(histogram);
  }
}

interface Split {
  readonly gain: number;
  readonly at: number;
  /** Codes up to this one go left. */
  readonly code: number;
}
/** A node whose rows are rows[start, end). */
interface Open {
  readonly node: number;
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly histogram: Histogram;
  readonly gradient: number;
  readonly hessian: number;
}

class Growth {
  readonly column: number[] = [];
  readonly threshold: number[] = [];
  readonly left: number[] = [];
  readonly value: number[] = [];
  readonly #columns: readonly BinnedColumn[];
  /** First bin of each column, and one past the last. */
  readonly #offsets: Int32Array;
  readonly #rows: Int32Array;
  readonly #derivatives: Float64Array;
  readonly #options: GrowOptions;
  readonly #pool: HistogramPool;
  readonly #scratch: Int32Array;
  readonly #sums: Float64Array;

  constructor(
    columns: readonly BinnedColumn[],
    rows: Int32Array,
    derivatives: Float64Array,
    options: GrowOptions,
    pool: HistogramPool,
  ) {
    this.#pool = pool;
    this.#scratch = new Int32Array(rows.length);
    this.#columns = columns;
    this.#rows = rows;
    this.#derivatives = derivatives;
    this.#sums = new Float64Array(2 * rows.length);
    this.#options = options;
    this.#offsets = new Int32Array(columns.length + 1);
    columns.forEach(({ cuts }, i) => {
      this.#offsets[i + 1] = (this.#offsets[i] as number) + cuts.length + 1;
    });
  }

  grow(): void {
    const whole = this.#histogram(0, this.#rows.length);
    const open: Open[] = [{ ...this.#addNode(0, this.#rows.length), depth: 0, histogram: whole }];
    for (let next = open.pop(); next; next = open.pop()) {
      const split = next.depth < this.#options.maxDepth ? this.#bestSplit(next) : undefined;
      const children = split ? this.#divide(next, split) : [];
      if (children.length === 0) this.#pool.give(next.histogram);
      else open.push(...children);
    }
  }

  #addNode(start: number, end: number): Omit<Open, "depth" | "histogram"> {
    let gradient = 0;
    let hessian = 0;
    for (let i = start; i < end; i++) {
      const row = this.#rows[i] as number;
      gradient += this.#derivatives[2 * row] as number;
      hessian += this.#derivatives[2 * row + 1] as number;
    }
    const { lambda, learningRate } = this.#options;
    const node = this.column.length;
    this.column.push(-1);
    this.threshold.push(0);
    this.left.push(-1);
    this.value.push(hessian + lambda > 0 ? (-learningRate * gradient) / (hessian + lambda) : 0);
    return { node, start, end, gradient, hessian };
  }

  #histogram(start: number, end: number): Histogram {
    const made = this.#pool.take();
    const columns = this.#columns.length;
    made.fill(0, 0, 2 * (this.#offsets[columns] as number));
    const rows = this.#rows.subarray(start, end);
    const sums = this.#sums;
    const derivatives = this.#derivatives;
    for (let i = 0; i < rows.length; i++) {
      const row = 2 * (rows[i] as number);
      sums[2 * i] = derivatives[row] as number;
      sums[2 * i + 1] = derivatives[row + 1] as number;
    }
    let c = 0;
    for (; c + 1 < columns; c += 2) addTwo(made, this.#offsets, c, this.#columns, rows, sums);
    if (c < columns) addOne(made, this.#offsets[c] as number, (this.#columns[c] as BinnedColumn).codes, rows, sums);
    return made;
  }

  #bestSplit({ histogram, gradient, hessian }: Open): Split | undefined {
    const { lambda, gamma, minChildWeight } = this.#options;
    const before = gradient ** 2 / (hessian + lambda);
    let best: Split | undefined;
    for (let at = 0; at < this.#columns.length; at++) {
      const last = (this.#offsets[at + 1] as number) - 1;
      let g = 0;
      let h = 0;
      for (let bin = this.#offsets[at] as number; bin < last; bin++) {
        g += histogram[2 * bin] as number;
        h += histogram[2 * bin + 1] as number;
        if (h < minChildWeight || hessian - h < minChildWeight) continue;
        const gain = (g ** 2 / (h + lambda) + (gradient - g) ** 2 / (hessian - h + lambda) - before) / 2 - gamma;
        if (gain > (best?.gain ?? leastGain(before))) best = { gain, at, code: bin - (this.#offsets[at] as number) };
      }
    }
    return best;
  }

  #divide(parent: Open, { at, code }: Split): Open[] {
    const { column, cuts, codes } = this.#columns[at] as BinnedColumn;
    const middle = this.#partition(parent, codes, code);
    // Rounding can promise a gain from a side without rows.
    if (middle === parent.start || middle === parent.end) return [];
    const left = this.#addNode(parent.start, middle);
    const right = this.#addNode(middle, parent.end);
    this.column[parent.node] = column;
    this.threshold[parent.node] = cuts[code] as number;
    this.left[parent.node] = left.node;
    const depth = parent.depth + 1;
    if (depth === this.#options.maxDepth) return [];
    const [small, large] = left.end - left.start <= right.end - right.start ? [left, right] : [right, left];
    const made = this.#histogram(small.start, small.end);
    return [
      { ...small, depth, histogram: made },
      { ...large, depth, histogram: this.#lessened(parent.histogram, made) },
    ];
  }

  /** Subtracts `part` from `whole`, in place. */
  #lessened(whole: Histogram, part: Histogram): Histogram {
    const used = 2 * (this.#offsets[this.#columns.length] as number);
    for (let i = 0; i < used; i++) whole[i] = (whole[i] as number) - (part[i] as number);
    return whole;
  }

  /** Puts rows of codes up to `code` first, each side in its order; returns where the other side begins. */
  #partition({ start, end }: Open, codes: Uint8Array, code: number): number {
    const rows = this.#rows;
    let left = start;
    let right = 0;
    for (let i = start; i < end; i++) {
      const row = rows[i] as number;
      if ((codes[row] as number) <= code) rows[left++] = row;
      else this.#scratch[right++] = row;
    }
    rows.set(this.#scratch.subarray(0, right), left);
    return left;
  }
}

function addOne(made: Histogram, offset: number, codes: Uint8Array, rows: Int32Array, sums: Float64Array): void {
  for (let i = 0; i < rows.length; i++) {
    const bin = 2 * (offset + (codes[rows[i] as number] as number));
    made[bin] = (made[bin] as number) + (sums[2 * i] as number);
    made[bin + 1] = (made[bin + 1] as number) + (sums[2 * i + 1] as number);
  }
}

/** The same of columns c and c + 1: each row is looked up once for both. */
function addTwo(
  made: Histogram,
  offsets: Int32Array,
  c: number,
  columns: readonly BinnedColumn[],
  rows: Int32Array,
  sums: Float64Array,
): void {
  const [{ codes: first }, { codes: second }] = [columns[c] as BinnedColumn, columns[c + 1] as BinnedColumn];
  const [from, other] = [offsets[c] as number, offsets[c + 1] as number];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const gradient = sums[2 * i] as number;
    const hessian = sums[2 * i + 1] as number;
    const a = 2 * (from + (first[row] as number));
    const b = 2 * (other + (second[row] as number));
    made[a] = (made[a] as number) + gradient;
    made[a + 1] = (made[a + 1] as number) + hessian;
    made[b] = (made[b] as number) + gradient;
    made[b + 1] = (made[b + 1] as number) + hessian;
  }
}

const leastGain = (before: number): number => 1e-12 * (1 + Math.abs(before));

/** The tree for these derivatives, from the rows and columns given. `rows` is put into another order. */
export function growTree(
  binned: Binned,
  { rows, columns }: { readonly rows: Int32Array; readonly columns: readonly number[] },
  derivatives: Float64Array,
  options: GrowOptions,
  pool: HistogramPool,
): Tree {
  const offered = columns.map((i) => binned.columns[i] as BinnedColumn);
  const growth = new Growth(offered, rows, derivatives, options, pool);
  growth.grow();
  return {
    column: Int32Array.from(growth.column),
    threshold: Float64Array.from(growth.threshold),
    left: Int32Array.from(growth.left),
    value: Float64Array.from(growth.value),
  };
}
