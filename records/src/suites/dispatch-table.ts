/**
 * A few kernels for many shapes. Chooses at most n configs, where each shape is served by the fastest of them that runs on it, so
 * that the weighted mean regret is least. The regret of a shape is time / best time - 1.
 * The search is greedy first (each next config lowers the sum most), then swaps one chosen config for another until no swap
 * helps. This is the local search of the k-median problem, whose result is at most 5 times the least sum (Arya et al., Local
 * Search Heuristics for k-Median and Facility Location Problems, STOC 2001); in practice it is the least. Of equal sums the
 * configs whose names sort first win, so everybody gets the same table.
 */

export interface Choice {
  /** Positions of the configs chosen, ascending. */
  readonly chosen: readonly number[];
  /** Per shape: position of the config that serves it. */
  readonly servedBy: readonly number[];
  readonly meanRegret: number;
  readonly worstRegret: number;
}

/**
 * `times[shape][config]`: seconds, or undefined where it does not run or was not measured. `best[shape]`: the least time known.
 * Undefined when no `n` configs serve every shape.
 */
export function chooseKernels(
  times: readonly (readonly (number | undefined)[])[],
  best: readonly number[],
  weights: readonly number[],
  n: number,
): Choice | undefined {
  const configs = times[0]?.length ?? 0;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const regretOf = (shape: number, config: number): number => {
    const seconds = times[shape]?.[config];
    return seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, seconds / (best[shape] as number) - 1);
  };
  /** Compares the number of unserved shapes first, then the weighted sum. */
  const costOf = (chosen: readonly number[]): readonly [unserved: number, sum: number] => {
    let [unserved, sum] = [0, 0];
    for (const shape of times.keys()) {
      const least = Math.min(...chosen.map((config) => regretOf(shape, config)), Number.POSITIVE_INFINITY);
      if (Number.isFinite(least)) sum += least * (weights[shape] as number);
      else unserved++;
    }
    return [unserved, sum];
  };
  const isLess = (a: readonly [number, number], b: readonly [number, number]): boolean =>
    a[0] < b[0] || (a[0] === b[0] && a[1] < b[1] - 1e-12);
  const all = Array.from({ length: configs }, (_, i) => i);
  let chosen: number[] = [];
  let cost = costOf(chosen);
  while (chosen.length < n) {
    let found: { readonly config: number; readonly cost: readonly [number, number] } | undefined;
    for (const config of all) {
      if (chosen.includes(config)) continue;
      const next = costOf([...chosen, config]);
      if (isLess(next, found?.cost ?? cost)) found = { config, cost: next };
    }
    if (!found) break;
    chosen.push(found.config);
    cost = found.cost;
  }
  for (let isBetter = true; isBetter; ) {
    isBetter = false;
    for (const out of chosen)
      for (const config of all) {
        if (isBetter || chosen.includes(config)) continue;
        const swapped = chosen.map((each) => (each === out ? config : each));
        const next = costOf(swapped);
        if (!isLess(next, cost)) continue;
        chosen = swapped;
        cost = next;
        isBetter = true;
      }
  }
  if (cost[0] > 0 || chosen.length === 0) return undefined;
  chosen.sort((a, b) => a - b);
  const servedBy = [...times.keys()].map((shape) => chosen.reduce((a, b) => (regretOf(shape, b) < regretOf(shape, a) ? b : a)));
  const regrets = servedBy.map((config, shape) => regretOf(shape, config));
  return { chosen, servedBy, meanRegret: cost[1] / total, worstRegret: Math.max(...regrets) };
}
