/** The first configs, before a model can propose any. */
import type { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { Visited } from "../visited.ts";
import { neighbours } from "./candidates.ts";
import type { Metric } from "./metric.ts";
import type { Row } from "./results.ts";

const mostCompared = 300;

/** Draws among which the first config is the one nearest to the middle. */
const middleOf = 1000;
/** Draws among which the second, where most of them have more valid neighbours than the first, is the one with the most. */
const freestOf = 200;
/** Draws among which each other of the start is the one farthest from those before. More draws would find only corners. */
const spreadOver = 24;

export class Start {
  readonly #space: ConfigSpace;
  readonly #metric: Metric;
  readonly #visited: Visited;
  readonly #random: Random;

  constructor(space: ConfigSpace, metric: Metric, visited: Visited, random: Random) {
    this.#space = space;
    this.#metric = metric;
    this.#visited = visited;
    this.#random = random;
  }

  /** The middle first, because corners are rarely good; then the freest, if needed; then the farthest from recent rows. */
  next(all: readonly Pick<Row, "index" | "digits">[]): ConfigIndex | undefined {
    const rows = all.slice(-mostCompared);
    const fromRows = (digits: Int32Array) =>
      rows.reduce((least, row) => Math.min(least, this.#metric.distance(digits, row.digits)), Number.POSITIVE_INFINITY);
    const [first] = rows;
    const next =
      first === undefined
        ? this.#bestOf(this.#draws(middleOf), (digits) => -this.#metric.fromMiddle(digits))
        : ((rows.length === 1 ? this.#freest(first.index) : undefined) ?? this.#bestOf(this.#draws(spreadOver), fromRows));
    return next !== undefined && this.#visited.claim(next) ? next : undefined;
  }

  /** The draw with the most valid neighbours, if `first` has fewer than most of the draws; otherwise undefined. */
  #freest(first: ConfigIndex): ConfigIndex | undefined {
    const space = this.#space;
    if (space.valid.count === space.size) return undefined;
    const freedom = new Map(this.#draws(freestOf).map((index) => [index, neighbours(space, index).length]));
    const own = neighbours(space, first).length;
    const freer = [...freedom.values()].filter((count) => count > own);
    if (2 * freer.length <= freedom.size) return undefined;
    return this.#bestOf(
      [...freedom.keys()],
      (digits, index) => (freedom.get(index) ?? 0) - this.#metric.fromMiddle(digits) / this.#metric.width,
    );
  }

  /** The one worth most of those not visited; undefined when none is left of them. */
  #bestOf(among: readonly ConfigIndex[], worth: (digits: Int32Array, index: ConfigIndex) => number): ConfigIndex | undefined {
    let best: ConfigIndex | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const index of among) {
      if (this.#visited.has(index)) continue;
      const value = worth(this.#metric.digits(index), index);
      if (value > most) [best, most] = [index, value];
    }
    return best;
  }

  #draws(count: number): readonly ConfigIndex[] {
    return Array.from({ length: count }, () => this.#space.random(this.#random));
  }
}
