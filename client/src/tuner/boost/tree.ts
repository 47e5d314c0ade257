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

/**
 * The tree for rows that all have the values of the first in some columns: without the splits that ask those. Rows of one task
 * have its arguments in common, and a third of the splits of trees over several shapes ask for them.
 */
export function without(tree: Tree, shared: readonly boolean[], first: Float32Array): Tree {
  const reached = (from: number): number => {
    let node = from;
    for (let asked = tree.column[node] as number; shared[asked]; asked = tree.column[node] as number) {
      const next = tree.left[node] as number;
      node = (first[asked] as number) > (tree.threshold[node] as number) ? next + 1 : next;
    }
    return node;
  };
  const nodes = [reached(0)];
  const left: number[] = [];
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i] as number;
    left.push(nodes.length);
    if ((tree.column[node] as number) < 0) continue;
    const next = tree.left[node] as number;
    nodes.push(reached(next), reached(next + 1));
  }
  return {
    column: Int32Array.from(nodes, (node) => tree.column[node] as number),
    threshold: Float64Array.from(nodes, (node) => tree.threshold[node] as number),
    left: Int32Array.from(left),
    value: Float64Array.from(nodes, (node) => tree.value[node] as number),
  };
}
