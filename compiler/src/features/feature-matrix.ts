/**
 * Vectors of several configs as one matrix, row by row. Shorter ones are filled with zeros at their end, as AutoTVM does since
 * TVM 0.9 (`xgboost_cost_model.py`); a model trained on one width is asked with the same one, so the width can be given.
 */
export interface FeatureMatrix {
  readonly rows: number;
  readonly columns: number;
  /** Row-major. */
  readonly values: Float32Array;
}

/** As wide as the longest vector, or as `columns`: longer vectors then lose their end. */
export function featureMatrix(vectors: readonly Float32Array[], columns?: number): FeatureMatrix {
  const width = columns ?? vectors.reduce((most, vector) => Math.max(most, vector.length), 0);
  const values = new Float32Array(vectors.length * width);
  vectors.forEach((vector, row) => {
    values.set(vector.length > width ? vector.subarray(0, width) : vector, row * width);
  });
  return { rows: vectors.length, columns: width, values };
}
