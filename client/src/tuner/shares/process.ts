/** Gaussian processes over rows of several sources: the algebra, without any kernel. */

/**
 * L of a positive definite matrix, of which the lower half is given by rows and overwritten. Four rows at a time, because
 * otherwise loads dominate: the time grows with the cube of the rows.
 */
export function factorize(rows: readonly Float64Array[]): void {
  for (let from = 0; from < rows.length; from += 4) {
    const block = rows.slice(from, from + 4);
    if (block.length === 4) eliminateFour(rows, block, from);
    else for (const row of block) eliminate(rows, row, 0, from);
    for (const [i, row] of block.entries()) {
      eliminate(rows, row, from, from + i);
      let square = row[from + i] as number;
      for (let k = 0; k < from + i; k++) square -= (row[k] as number) ** 2;
      row[from + i] = Math.sqrt(Math.max(square, 1e-12));
    }
  }
}

function eliminate(rows: readonly Float64Array[], row: Float64Array, from: number, to: number): void {
  for (let j = from; j < to; j++) {
    const other = rows[j] as Float64Array;
    let sum = row[j] as number;
    for (let k = 0; k < j; k++) sum -= (row[k] as number) * (other[k] as number);
    row[j] = sum / (other[j] as number);
  }
}

function eliminateFour(rows: readonly Float64Array[], block: readonly Float64Array[], to: number): void {
  const [a, b, c, d] = block as [Float64Array, Float64Array, Float64Array, Float64Array];
  for (let j = 0; j < to; j++) {
    const other = rows[j] as Float64Array;
    let [p, q, r, s] = [a[j] as number, b[j] as number, c[j] as number, d[j] as number];
    for (let k = 0; k < j; k++) {
      const x = other[k] as number;
      p -= x * (a[k] as number);
      q -= x * (b[k] as number);
      r -= x * (c[k] as number);
      s -= x * (d[k] as number);
    }
    const pivot = other[j] as number;
    a[j] = p / pivot;
    b[j] = q / pivot;
    c[j] = r / pivot;
    d[j] = s / pivot;
  }
}

/** L^-1 `y`, given that `y` is 0 before `from`. */
export function forward(factor: readonly Float64Array[], y: Float64Array, from = 0): Float64Array {
  const x = Float64Array.from(y);
  for (let i = from; i < x.length; i++) {
    const row = factor[i] as Float64Array;
    let sum = x[i] as number;
    for (let k = from; k < i; k++) sum -= (row[k] as number) * (x[k] as number);
    x[i] = sum / (row[i] as number);
  }
  return x;
}

/** L^-T `y`. */
export function backward(factor: readonly Float64Array[], y: Float64Array): Float64Array {
  const x = Float64Array.from(y);
  for (let i = x.length - 1; i >= 0; i--) {
    const row = factor[i] as Float64Array;
    const value = (x[i] as number) / (row[i] as number);
    x[i] = value;
    for (let k = 0; k < i; k++) x[k] = (x[k] as number) - (row[k] as number) * value;
  }
  return x;
}
