/**
 * One regression tree over raw values: at a split, values above the threshold go right, the others (and NaN) left. Data: it can
 * be sent and stored.
 */
export interface Tree {
  /** By node, 0 the root: column asked, -1 at a leaf. */
  readonly column: Int32Array;
  readonly threshold: Float64Array;
  /** The right child is the one after. */
  readonly left: Int32Array;
  readonly value: Float64Array;
}

/** Adds the tree's values to the predictions of all rows. */
export function addTree(tree: Tree, values: Float32Array, columns: number, predictions: Float64Array): void {
  const { column, threshold, left, value } = tree;
  for (let row = 0, base = 0; row < predictions.length; row++, base += columns) {
    let node = 0;
    for (let asked = column[0] as number; asked >= 0; asked = column[node] as number) {
      const next = left[node] as number;
      node = (values[base + asked] as number) > (threshold[node] as number) ? next + 1 : next;
    }
    predictions[row] = (predictions[row] as number) + (value[node] as number);
  }
}
