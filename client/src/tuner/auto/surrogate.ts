/**
 * The model of `auto`: which candidates look best, given all results. Rows are appended to a posterior as they are asked; every few results, or when
 * the incumbent changes, everything is made anew: the next view's kernel is fitted, candidates are gathered, the window of rows is chosen.
 */
import type { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import { KnobColumns } from "../knob-columns.ts";
import type { Visited } from "../visited.ts";
import { firstKernel, fitKernel, type Kernel, type Prior, type Smoothness } from "./kernel.ts";
import { logImprovement, Posterior } from "./posterior.ts";
import type { Results, Row } from "./results.ts";

/** One way to look at the results. */
export interface View {
  readonly smoothness: Smoothness;
  /** Quantile of the times seen at which they are clipped; 1 = not at all. */
  readonly clip: number;
  readonly prior: Prior;
}
export const defaultViews: readonly View[] = [
  { smoothness: "5/2", clip: 0.2, prior: { length: 2.5 } },
  { smoothness: "5/2", clip: 0.05, prior: { length: 2.5 } },
  { smoothness: "5/2", clip: 0.5, prior: { length: 0.7 } },
];

/** A failure counts as the time at this quantile, or at the clip below it. */
const failedQuantile = 0.75;
/** Results after which the model is made anew: at least so many, and so large a share of those it knew. */
const leastNews = 4;
const newsShare = 0.05;
/** Rows in the posterior, and rows a kernel is fitted to; half of each are the best, the others the latest and a draw. */
const mostRows = 300;
const mostFitted = 80;
const fitSteps = 40;
/** Standard deviations that the local search is optimistic by. */
const optimism = 1;

export class Surrogate {
  readonly #results: Results;
  readonly #random: Random;
  readonly #columns: KnobColumns;
  readonly #views: readonly View[];
  readonly #kernels: Kernel[];
  #view = -1;
  #knownAtFit = Number.NEGATIVE_INFINITY;
  #bestAtFit: Row | undefined;
  #candidates: readonly ConfigIndex[] = [];
  #position = new Map<ConfigIndex, number>();
  #posterior: Posterior | undefined;
  #rows: Row[] = [];
  /** Rows of results that the posterior has or has left out. */
  #taken = 0;
  #bestValue = 0;

  constructor(space: ConfigSpace, results: Results, random: Random, views: readonly View[]) {
    this.#views = views;
    this.#results = results;
    this.#random = random;
    this.#columns = new KnobColumns(space);
    this.#kernels = views.map(({ smoothness, prior }) => firstKernel(smoothness, this.#columns.width, prior));
  }

  /** Takes in what is new. `gather` is called when candidates are needed. */
  refresh(gather: () => readonly ConfigIndex[]): void {
    const { known, best, rows } = this.#results;
    const news = known - this.#knownAtFit;
    if (news >= Math.max(leastNews, newsShare * known)) this.#fitAnew(gather());
    else if (best !== this.#bestAtFit) this.#build(gather());
    for (; this.#taken < rows.length; this.#taken++) this.#add(rows[this.#taken] as Row);
    const values = this.#valuesOf(this.#rows);
    this.#bestValue = values.reduce((least, v) => (v < least ? v : least), Number.POSITIVE_INFINITY);
    this.#posterior?.update(values);
  }

  #add(row: Row): void {
    this.#rows.push(row);
    this.#posterior?.add(row.columns);
  }

  #fitAnew(gathered: readonly ConfigIndex[]): void {
    this.#view = (this.#view + 1) % this.#views.length;
    this.#knownAtFit = this.#results.known;
    const known = this.#results.rows.filter((row) => row.state === "timed" || row.state === "failed");
    const chosen = this.#sample(known, mostFitted);
    const values = this.#valuesOf(chosen);
    const { prior } = this.#views[this.#view] as View;
    const kernel = this.#kernels[this.#view] as Kernel;
    this.#kernels[this.#view] = fitKernel(kernel, { rows: matrix(chosen), values }, prior, this.#random, fitSteps);
    this.#build(gathered);
  }

  #build(gathered: readonly ConfigIndex[]): void {
    const width = this.#columns.width;
    const columns = new Float64Array(width * gathered.length);
    gathered.forEach((index, i) => {
      this.#columns.write(index, columns, i * width);
    });
    this.#bestAtFit = this.#results.best;
    this.#candidates = gathered;
    this.#position = new Map(gathered.map((index, i) => [index, i]));
    const kernel = this.#kernels[this.#view] as ReturnType<typeof fitKernel>;
    this.#posterior = new Posterior(kernel, columns, gathered.length);
    this.#rows = [];
    for (const row of window(this.#results.rows)) this.#add(row);
    this.#taken = this.#results.rows.length;
  }

  /** Of many rows the better half of the allowance, and a draw of the others. */
  #sample(rows: readonly Row[], most: number): readonly Row[] {
    if (rows.length <= most) return rows;
    const sorted = [...rows].sort(byValue);
    return [...sorted.slice(0, most >> 1), ...this.#random.shuffle(sorted.slice(most >> 1)).slice(0, most - (most >> 1))];
  }

  /** As the view sees them: clipped logarithms, failures among the worst, NaN for what is not known. */
  #valuesOf(rows: readonly Row[]): Float64Array {
    const times = Float64Array.from(rows.filter((r) => r.state === "timed").map((r) => r.value)).sort();
    const at = (q: number): number => times[Math.min(times.length - 1, Math.floor(q * times.length))] ?? 0;
    const { clip } = this.#views[this.#view] as View;
    const most = clip < 1 ? at(clip) : Number.POSITIVE_INFINITY;
    const failed = Math.min(most, at(failedQuantile));
    return Float64Array.from(rows, (r) =>
      r.state === "timed" ? Math.min(r.value, most) : r.state === "failed" ? failed : Number.NaN,
    );
  }

  /** The candidate of the greatest expected improvement. */
  mostImproving(visited: Visited): ConfigIndex | undefined {
    return this.#best(this.#candidates.keys(), visited, (c, { mean }, deviation) =>
      logImprovement(this.#bestValue, mean[c] as number, deviation),
    );
  }

  /** The candidate among these of the lowest time that is still believable. */
  mostPromising(among: ReadonlySet<ConfigIndex>, visited: Visited): ConfigIndex | undefined {
    const positions = [...among].map((index) => this.#position.get(index)).filter((c) => c !== undefined);
    return this.#best(positions, visited, (c, { mean }, deviation) => optimism * deviation - (mean[c] as number));
  }

  #best(
    positions: Iterable<number>,
    visited: Visited,
    worth: (candidate: number, posterior: Posterior, deviation: number) => number,
  ): ConfigIndex | undefined {
    const posterior = this.#posterior;
    if (!posterior) return undefined;
    let best: ConfigIndex | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const c of positions) {
      const index = this.#candidates[c] as ConfigIndex;
      if (visited.has(index)) continue;
      const value = worth(c, posterior, posterior.deviation(c));
      if (value > most) [best, most] = [index, value];
    }
    return best;
  }

  /** The config nearest to the middle of the space; the first of them when there are none. */
  central(configs: readonly ConfigIndex[]): ConfigIndex | undefined {
    const { width } = this.#columns;
    const columns = new Float64Array(width);
    const measured = configs.map((index) => {
      this.#columns.write(index, columns, 0);
      return { index, far: columns.reduce((sum, x) => sum + (x - 0.5) ** 2, 0) };
    });
    return measured.reduce<(typeof measured)[number] | undefined>((a, b) => (a && a.far <= b.far ? a : b), undefined)?.index;
  }

  /** The config farthest from every row asked so far; the first of them when there are none. */
  farthest(configs: readonly ConfigIndex[]): ConfigIndex | undefined {
    const { width } = this.#columns;
    const columns = new Float64Array(width);
    const distance = (index: ConfigIndex): number => {
      this.#columns.write(index, columns, 0);
      const near = (row: Row) => columns.reduce((sum, x, c) => sum + (x - (row.columns[c] as number)) ** 2, 0);
      return this.#results.rows.slice(-mostRows).reduce((least, row) => Math.min(least, near(row)), Number.POSITIVE_INFINITY);
    };
    const measured = configs.map((index) => ({ index, far: distance(index) }));
    return measured.reduce<(typeof measured)[number] | undefined>((a, b) => (a && a.far >= b.far ? a : b), undefined)?.index;
  }
}

const byValue = (a: Row, b: Row): number =>
  (a.state === "timed" ? a.value : Number.POSITIVE_INFINITY) < (b.state === "timed" ? b.value : Number.POSITIVE_INFINITY)
    ? -1
    : 1;

/** Rows that a posterior is built from: all, or the best half of the allowance and the latest others; in their old order. */
function window(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= mostRows) return rows;
  const best = new Set(
    rows
      .filter((r) => r.state === "timed")
      .sort((a, b) => a.value - b.value || a.index - b.index)
      .slice(0, mostRows >> 1),
  );
  const latest = rows.filter((r) => !best.has(r)).slice(-(mostRows - best.size));
  const kept = new Set([...best, ...latest]);
  return rows.filter((r) => kept.has(r));
}

function matrix(rows: readonly Row[]): Float64Array {
  const width = rows[0]?.columns.length ?? 0;
  const made = new Float64Array(rows.length * width);
  rows.forEach((row, i) => {
    made.set(row.columns, i * width);
  });
  return made;
}
