/** From 0, the least first; equal values share the mean of their ranks. */
export function ranks(values: ArrayLike<number>): Float64Array {
  const order = Int32Array.from({ length: values.length }, (_, i) => i).sort(
    (i, j) => (values[i] as number) - (values[j] as number),
  );
  const made = new Float64Array(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to] as number] === values[order[from] as number]) to++;
    for (let k = from; k < to; k++) made[order[k] as number] = (from + to - 1) / 2;
    from = to;
  }
  return made;
}

/** Spearman's rank correlation, -1 to 1; 0 where one of the two is all equal. */
export function rankCorrelation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [x, y] = [ranks(a), ranks(b)];
  const mean = (x.length - 1) / 2;
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [(x[i] as number) - mean, (y[i] as number) - mean];
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0;
}
