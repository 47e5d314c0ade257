/**
 * Vectors of several configs as one matrix, row by row. Zeros fill shorter ones at their end. A model must be asked with the
 * width of its training, so the width can be given.
 */
export interface FeatureMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

/** As wide as the longest vector, or as `columns`, which cuts longer vectors. */
export function featureMatrix(vectors: readonly Float32Array[], columns?: number): FeatureMatrix {
  const width = columns ?? vectors.reduce((most, vector) => Math.max(most, vector.length), 0);
  const values = new Float32Array(vectors.length * width);
  vectors.forEach((vector, row) => {
    values.set(vector.length > width ? vector.subarray(0, width) : vector, row * width);
  });
  return { rows: vectors.length, columns: width, values };
}
