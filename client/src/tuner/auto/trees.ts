/**
 * The second model of `auto`: boosted trees over the knobs that learn the order of the results. They are rough where the Gaussian
 * process is smooth: a knob's effect may jump at any entry, differ on either side of another knob's cut, and say nothing of what
 * is left of it. So what one model cannot see, the other may (ensembles of models of different kinds: SMAC's forests beside
 * Gaussian processes, Hutter et al. 2011; AutoTVM's trees, Chen et al. 2018).
 */
import type { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import { predict, train } from "../boost/boost.ts";
import { KnobColumns } from "../boost/knob-columns.ts";
import { ranking } from "../boost/ranking.ts";
import type { Visited } from "../visited.ts";
import { isKnown, type Results } from "./results.ts";

/** Results the trees are grown from: half of them the best, the others the latest. */
const mostRows = 1000;

export class Trees {
  readonly #results: Results;
  readonly #random: Random;
  readonly #columns: KnobColumns;
  /** Best first, as of this number of results. */
  #ranked: readonly ConfigIndex[] = [];
  #known = -1;

  constructor(space: ConfigSpace, results: Results, random: Random) {
    this.#results = results;
    this.#random = random;
    this.#columns = new KnobColumns(space);
  }

  /** The candidate ranked first of those not visited. `gather` is called when there are new results. */
  first(visited: Visited, gather: () => readonly ConfigIndex[]): ConfigIndex | undefined {
    const { known } = this.#results;
    if (this.#known !== known) this.#ranked = this.#rank(gather());
    this.#known = known;
    return this.#ranked.find((index) => !visited.has(index));
  }

  #rank(candidates: readonly ConfigIndex[]): readonly ConfigIndex[] {
    const columns = this.#columns;
    const rows = this.#results.window(mostRows).filter(isKnown);
    const best = this.#results.best;
    if (best === undefined || columns.width === 0) return [];
    const labels = rows.map(({ state, value }) => (state === "failed" ? 0 : Math.exp(best.value - value)));
    const atMost = new Set(rows.flatMap(({ state }, i) => (state === "slower" ? [i] : [])));
    const features = columns.matrix(rows.map(({ index }) => index));
    const model = train({ features, labels, atMost }, { ...ranking, seed: this.#random.below(2 ** 31) });
    const scores = predict(model, columns.matrix(candidates));
    return Array.from(candidates.keys())
      .sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b)
      .map((c) => candidates[c] as ConfigIndex);
  }
}
