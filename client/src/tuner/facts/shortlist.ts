/**
 * Which of the configs that a tuner's model ranks first is proposed, by what compilers said of them. Boosted trees over the knobs
 * and the facts learn the order of the results so far; of the built ones on the shortlist the one is taken whose places in both
 * orders, the model's and the trees', add up to the least.
 *
 * Only while results are few: on the recorded space that has such facts they help a model of up to 16 results and mislead one of
 * 32 (docs/tuners.md). Equal results and facts give equal choices, whatever their order.
 */
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import { predict, train } from "../boost/boost.ts";
import { ranking } from "../boost/ranking.ts";
import { KnobColumns } from "../features/knob-columns.ts";
import { type Built, type CompilerFacts, factColumns, writeFacts } from "./compiler-facts.ts";

export interface JudgedConfig {
  readonly index: ConfigIndex;
  /** Greater is better, 0 for one that failed. */
  readonly speed: number;
}

export interface ShortlistOptions {
  /** Configs of the model's order that are built and compared. */
  readonly length: number;
  /** Results with facts from which, and up to which, facts have a say. */
  readonly from: number;
  readonly to: number;
}
export const shortlistDefaults: ShortlistOptions = { length: 16, from: 4, to: 24 };

export class Shortlist {
  readonly #columns: KnobColumns;
  readonly #facts = new Map<ConfigIndex, CompilerFacts | undefined>();
  readonly #seed: number;
  readonly settings: ShortlistOptions;

  constructor(space: ConfigSpace, seed: number, settings: ShortlistOptions = shortlistDefaults) {
    this.#columns = new KnobColumns(space);
    this.#seed = seed;
    this.settings = settings;
  }

  learn(built: readonly Built[]): void {
    for (const { index, facts } of built) this.#facts.set(index, facts);
  }

  knows(index: ConfigIndex): boolean {
    return this.#facts.has(index);
  }

  /** One of `ranked`, the model's best first; undefined when facts have no say. */
  choose(ranked: readonly ConfigIndex[], results: readonly JudgedConfig[]): ConfigIndex | undefined {
    const { from, to } = this.settings;
    if (results.length > to) return undefined;
    const known = results.filter(({ index }) => this.#facts.get(index)).sort((a, b) => a.index - b.index);
    const built = ranked.flatMap((index, place) => (this.#facts.get(index) ? [{ index, place }] : []));
    if (known.length < from || built.length < 2) return undefined;
    const features = this.#matrix(known.map(({ index }) => index));
    const fastest = Math.max(...known.map(({ speed }) => speed));
    if (!(fastest > 0)) return undefined;
    const labels = known.map(({ speed }) => speed / fastest);
    const model = train({ features, labels }, { ...ranking, seed: this.#seed });
    const scores = predict(model, this.#matrix(built.map(({ index }) => index)));
    const byTrees = [...built.keys()].sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
    let best: ConfigIndex | undefined;
    let least = Number.POSITIVE_INFINITY;
    byTrees.forEach((i, place) => {
      const sum = place + i;
      if (sum < least) [best, least] = [built[i]?.index, sum];
    });
    return best;
  }

  #matrix(configs: readonly ConfigIndex[]) {
    const { width } = this.#columns;
    const columns = width + factColumns;
    const values = new Float32Array(configs.length * columns);
    configs.forEach((index, i) => {
      this.#columns.write(index, values, i * columns);
      writeFacts(this.#facts.get(index) as CompilerFacts, values, i * columns + width);
    });
    return { rows: configs.length, columns, values };
  }
}
