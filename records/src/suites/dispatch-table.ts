/**
 * A few kernels for many shapes. Chooses at most n configs, where each shape is served by the fastest of them that runs on it, so
 * that the weighted mean regret is least. The regret of a shape is time / best time - 1. The search is greedy first (each next
 * config lowers the sum most), then swaps one chosen config for another until no swap helps. This is the local search of the
 * k-median problem, whose result is at most 5 times the least sum (Arya et al., Local Search Heuristics for k-Median and Facility
 * Location Problems, STOC 2001); in practice it is the least. Of equal sums the configs whose names sort first win.
 */

export interface Choice {
  readonly chosen: readonly number[];
  /** The position of each shape's config. */
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
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const regrets = times.map((row, shape) =>
    row.map((seconds) => (seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, seconds / (best[shape] as number) - 1))),
  );
  const regretOf = (shape: number, config: number): number => regrets[shape]?.[config] ?? Number.POSITIVE_INFINITY;
  const leastWith = (chosen: readonly number[]): readonly number[] =>
    regrets.map((_, shape) => Math.min(...chosen.map((config) => regretOf(shape, config)), Number.POSITIVE_INFINITY));
  /** Compares the number of unserved shapes first, then the weighted sum. `config` beside those that have these least regrets. */
  const costOf = (least: readonly number[], config: number): readonly [unserved: number, sum: number] => {
    let [unserved, sum] = [0, 0];
    for (const [shape, known] of least.entries()) {
      const regret = Math.min(known, regretOf(shape, config));
      if (Number.isFinite(regret)) sum += regret * (weights[shape] as number);
      else unserved++;
    }
    return [unserved, sum];
  };
  const isLess = (a: readonly [number, number], b: readonly [number, number]): boolean =>
    a[0] < b[0] || (a[0] === b[0] && a[1] < b[1] - 1e-12);
  const all = Array.from({ length: times[0]?.length ?? 0 }, (_, i) => i);
  let chosen: number[] = [];
  let cost: readonly [number, number] = [times.length, 0];
  while (chosen.length < n) {
    const least = leastWith(chosen);
    let found: { readonly config: number; readonly cost: readonly [number, number] } | undefined;
    for (const config of all) {
      if (chosen.includes(config)) continue;
      const next = costOf(least, config);
      if (isLess(next, found?.cost ?? cost)) found = { config, cost: next };
    }
    if (!found) break;
    chosen.push(found.config);
    cost = found.cost;
  }
  for (let isBetter = true; isBetter; ) {
    isBetter = false;
    for (const out of chosen) {
      const others = chosen.filter((each) => each !== out);
      const least = leastWith(others);
      const better = all.find((config) => !chosen.includes(config) && isLess(costOf(least, config), cost));
      if (better === undefined) continue;
      chosen = [...others, better];
      cost = costOf(least, better);
      isBetter = true;
      break;
    }
  }
  if (cost[0] > 0 || chosen.length === 0) return undefined;
  chosen.sort((a, b) => a - b);
  const servedBy = [...times.keys()].map((shape) => chosen.reduce((a, b) => (regretOf(shape, b) < regretOf(shape, a) ? b : a)));
  const worstRegret = Math.max(...servedBy.map((config, shape) => regretOf(shape, config)));
  // The first of the greedy choice may serve no shape once the others are there.
  return { chosen: chosen.filter((config) => servedBy.includes(config)), servedBy, meanRegret: cost[1] / total, worstRegret };
}
