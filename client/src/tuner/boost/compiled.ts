/**
 * A model prepared for very many predictions. A row becomes codes, one byte for each column that the model uses: how many of the
 * model's thresholds of that column are below the value. Trees are complete, so a prediction descends a fixed number of levels
 * without a branch: the sign of threshold - code selects the child. Predictions equal predict()'s to the last bit.
 */
import { invariant } from "@warpfarm/common";
import type { BoostModel } from "./boost.ts";
import type { Tree } from "./tree.ts";

/** Leaves of a complete tree double with each level. */
const mostLevels = 12;
/** No code is above it: the row goes left. */
const alwaysLeft = 255;

export class CompiledModel {
  /** Columns of the model that some tree uses. A row has a code for each. */
  readonly asked: Int32Array;
  readonly #cuts: readonly Float64Array[];
  readonly #start: number;
  readonly #trees: number;
  readonly #levels: number;
  readonly #position: Uint16Array;
  readonly #threshold: Uint8Array;
  readonly #value: Float64Array;

  constructor({ trees, start }: BoostModel) {
    const thresholds = thresholdsOf(trees);
    this.asked = Int32Array.from(thresholds.keys()).sort();
    this.#cuts = Array.from(this.asked, (column) => Float64Array.from(thresholds.get(column) ?? []).sort());
    this.#start = start;
    this.#trees = trees.length;
    this.#levels = trees.reduce((most, tree) => Math.max(most, depthOf(tree, 0)), 0);
    invariant(this.#levels <= mostLevels, `trees of ${this.#levels} levels; ${mostLevels} at most`);
    const leaves = 2 ** this.#levels;
    this.#position = new Uint16Array(trees.length * (leaves - 1));
    this.#threshold = new Uint8Array(trees.length * (leaves - 1)).fill(alwaysLeft);
    this.#value = new Float64Array(trees.length * leaves);
    const positions = new Map(Array.from(this.asked, (column, i) => [column, i]));
    trees.forEach((tree, t) => {
      this.#place(tree, t, positions, 0, 0);
    });
  }

  #place(tree: Tree, t: number, positions: ReadonlyMap<number, number>, node: number, at: number): void {
    const inner = 2 ** this.#levels - 1;
    const column = tree.column[node] as number;
    if (column < 0) {
      let leaf = at;
      while (leaf < inner) leaf = 2 * leaf + 1;
      this.#value[t * (inner + 1) + leaf - inner] = tree.value[node] as number;
      return;
    }
    const position = positions.get(column) as number;
    this.#position[t * inner + at] = position;
    this.#threshold[t * inner + at] = codeOf(this.#cuts[position] as Float64Array, tree.threshold[node] as number);
    const left = tree.left[node] as number;
    this.#place(tree, t, positions, left, 2 * at + 1);
    this.#place(tree, t, positions, left + 1, 2 * at + 2);
  }

  /** Writes the codes of the row whose values begin at `from`, from `to` on. */
  encode(values: Float32Array, from: number, codes: Uint8Array, to: number): void {
    for (let i = 0; i < this.asked.length; i++)
      codes[to + i] = codeOf(this.#cuts[i] as Float64Array, values[from + (this.asked[i] as number)] as number);
  }

  /** Predictions of the first out.length rows of codes. */
  predict(codes: Uint8Array, out: Float64Array): void {
    const [position, threshold, value, levels] = [this.#position, this.#threshold, this.#value, this.#levels];
    const width = this.asked.length;
    const inner = 2 ** levels - 1;
    for (let row = 0, from = 0; row < out.length; row++, from += width) {
      let sum = this.#start;
      for (let tree = 0, base = 0, leaf = -inner; tree < this.#trees; tree++, base += inner, leaf += inner + 1) {
        let node = 0;
        for (let level = 0; level < levels; level++)
          node =
            2 * node +
            1 +
            (((threshold[base + node] as number) - (codes[from + (position[base + node] as number)] as number)) >>> 31);
        sum += value[leaf + node] as number;
      }
      out[row] = sum;
    }
  }
}

function thresholdsOf(trees: readonly Tree[]): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>();
  for (const { column, threshold } of trees)
    for (let node = 0; node < column.length; node++) {
      const asked = column[node] as number;
      if (asked < 0) continue;
      const known = found.get(asked) ?? new Set();
      found.set(asked, known.add(threshold[node] as number));
    }
  for (const [column, set] of found) invariant(set.size <= alwaysLeft, `${set.size} thresholds of column ${column}`);
  return found;
}

function depthOf(tree: Tree, node: number): number {
  if ((tree.column[node] as number) < 0) return 0;
  const left = tree.left[node] as number;
  return 1 + Math.max(depthOf(tree, left), depthOf(tree, left + 1));
}

/** How many cuts lie below the value; 0 for NaN. */
function codeOf(cuts: Float64Array, value: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value > (cuts[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}
