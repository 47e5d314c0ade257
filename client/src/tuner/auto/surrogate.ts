/**
 * The model of `auto`: which candidates look best, given all results. Rows are appended to a posterior as they are asked. Every
 * few results, or when the incumbent changes, the posterior is made anew: candidates are gathered, the window of rows is chosen
 * and, when enough is new, the next view's kernel is fitted.
 */
import type { Random } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import type { Visited } from "../visited.ts";
import { firstKernel, fitKernel, type Kernel, type Level, type Prior } from "./kernel.ts";
import type { Metric } from "./metric.ts";
import { logImprovement, Posterior } from "./posterior.ts";
import { hasRun, isKnown, type Results, type Row } from "./results.ts";

interface View {
  /** Times are clipped at this quantile, but at least `leastUnclipped` of them stay; 1 = no clipping. */
  readonly clip: number;
  readonly prior: Prior;
}
const views: readonly View[] = [
  { clip: 0.2, prior: { length: 2.5 } },
  { clip: 1, prior: { length: 1.5 } },
  { clip: 0.05, prior: { length: 2.5 } },
  { clip: 0.5, prior: { length: 0.7 } },
];

const leastUnclipped = 2;
/**
 * A failure counts as the time at this quantile, or at the clip if that is lower, plus a share of its excess over the best: it is
 * worse than slow.
 */
const failedQuantile = 0.75;
const failedExcess = 0.5;
/** What a time is expected to be above its bound, in logarithms: after one repeat it is 0.37, after two 0.23. */
const beyond = 0.25;
/** The kernel is fitted anew after at least this many new results, and at least this share of those it knew. */
const leastNews = 4;
const newsShare = 0.08;
/** Rows in the posterior, and rows to which a kernel is fitted. Half of each are the best, the others the latest and a draw. */
const mostRows = 200;
const mostFitted = 80;
const fitSteps = 40;
const optimism = 1;

export class Surrogate {
  readonly #results: Results;
  readonly #random: Random;
  readonly #metric: Metric;
  readonly #kernels: Kernel[];
  #view = -1;
  #knownAtFit = Number.NEGATIVE_INFINITY;
  #bestAtBuild: Row | undefined;
  #candidates: readonly ConfigIndex[] = [];
  #position = new Map<ConfigIndex, number>();
  #posterior: Posterior | undefined;
  #rows: Row[] = [];
  /** Rows of results, including those that left the pool, that the posterior has used or left out. */
  #taken = 0;
  /** How the view treats bad times, until the posterior is made anew. */
  #levels: Levels = { clip: Number.POSITIVE_INFINITY, failed: 0 };
  #bestValue = 0;

  constructor(metric: Metric, results: Results, random: Random) {
    this.#results = results;
    this.#random = random;
    this.#metric = metric;
    this.#kernels = views.map(({ prior }) => firstKernel(metric.width, prior));
  }

  /** Takes new results. Calls `gather` when candidates are needed. */
  refresh(gather: () => readonly ConfigIndex[]): void {
    const { known, best, rows, dropped } = this.#results;
    const news = known - this.#knownAtFit;
    if (news >= Math.max(leastNews, newsShare * known)) this.#fitAnew(gather());
    else if (best !== this.#bestAtBuild) this.#build(gather());
    for (const row of rows.slice(Math.max(0, this.#taken - dropped))) this.#add(row);
    this.#taken = rows.length + dropped;
    const values = this.#valuesOf(this.#rows);
    this.#bestValue = values.reduce((least, v) => (v < least ? v : least), Number.POSITIVE_INFINITY);
    this.#posterior?.update(values);
  }

  #add(row: Row): void {
    this.#rows.push(row);
    this.#posterior?.add(row.digits);
  }

  #fitAnew(gathered: readonly ConfigIndex[]): void {
    this.#view = (this.#view + 1) % views.length;
    this.#knownAtFit = this.#results.known;
    this.#levels = this.#levelsOf();
    const known = this.#results.rows.filter(isKnown);
    const chosen = this.#sample(known, mostFitted);
    const observed = { digits: chosen.map((row) => row.digits), values: this.#valuesOf(chosen) };
    const { prior } = views[this.#view] as View;
    const kernel = this.#kernels[this.#view] as Kernel;
    this.#kernels[this.#view] = fitKernel(this.#metric, kernel, observed, prior, this.#random, fitSteps);
    this.#build(gathered);
  }

  #build(gathered: readonly ConfigIndex[]): void {
    const columns = this.#metric.shapes.map(() => new Int32Array(gathered.length));
    gathered.forEach((index, i) => {
      const digits = this.#metric.digits(index);
      for (let k = 0; k < columns.length; k++) (columns[k] as Int32Array)[i] = digits[k] as number;
    });
    this.#levels = this.#levelsOf();
    this.#bestAtBuild = this.#results.best;
    this.#candidates = gathered;
    this.#position = new Map(gathered.map((index, i) => [index, i]));
    const kernel = this.#kernels[this.#view] as Kernel & Level;
    this.#posterior = new Posterior(this.#metric, kernel, columns, gathered.length);
    this.#rows = [];
    for (const row of this.#results.window(mostRows)) this.#add(row);
    this.#taken = this.#results.rows.length + this.#results.dropped;
  }

  /** Takes, of many rows, the better ones for half of the allowance, and a draw of the others. */
  #sample(rows: readonly Row[], most: number): readonly Row[] {
    if (rows.length <= most) return rows;
    const sorted = [...rows].sort(byValue);
    return [...sorted.slice(0, most >> 1), ...this.#random.shuffle(sorted.slice(most >> 1)).slice(0, most - (most >> 1))];
  }

  #levelsOf(): Levels {
    const times = Float64Array.from(this.#results.rows.filter(hasRun).map((r) => r.value)).sort();
    const at = (q: number): number => {
      const position = Math.max(leastUnclipped, Math.floor(q * times.length));
      return times[Math.min(times.length - 1, position)] ?? 0;
    };
    const view = views[this.#view] as View;
    const clip = view.clip < 1 ? at(view.clip) : Number.POSITIVE_INFINITY;
    const slow = Math.min(clip, at(failedQuantile));
    return { clip, failed: slow + failedExcess * (slow - (times[0] ?? slow)) };
  }

  /**
   * Values in the view: clipped logarithms, failures among the worst, NaN for unknown. A bound is no time: what ended early
   * counts as somewhat slower than its bound.
   */
  #valuesOf(rows: readonly Row[]): Float64Array {
    const { clip, failed } = this.#levels;
    const inView = ({ state, value }: Row): number => {
      if (state === "timed") return Math.min(value, clip);
      if (state === "slower") return Math.min(value + beyond, clip);
      return state === "failed" ? failed : Number.NaN;
    };
    return Float64Array.from(rows, inView);
  }

  mostImproving(visited: Visited): ConfigIndex | undefined {
    return this.#best(this.#candidates.keys(), visited, (c, { mean }, deviation) =>
      logImprovement(this.#bestValue, mean[c] as number, deviation),
    );
  }

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
}

/** Of a row that has a time or a bound. */
const placeOf = (row: Row): number => (hasRun(row) ? row.value : Number.POSITIVE_INFINITY);
const byValue = (a: Row, b: Row): number => (placeOf(a) < placeOf(b) ? -1 : 1);

/** How a view treats bad results: the most that a time counts, and what a failure counts. */
interface Levels {
  readonly clip: number;
  readonly failed: number;
}
