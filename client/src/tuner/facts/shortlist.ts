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
import {
  type Built,
  type CompilerFacts,
  factColumns,
  instructionColumns,
  writeFacts,
  writeInstructions,
} from "./compiler-facts.ts";

export interface JudgedConfig {
  readonly index: ConfigIndex;
  /** Greater is better, 0 for one that failed. */
  readonly speed: number;
}

/** Results with facts from which the trees are asked, and results up to which. */
const leastResults = 4;
const mostResults = 24;

export class Shortlist {
  /** How many configs of the model's order are compared, and so built for each measured one. */
  readonly length: number;
  readonly #columns: KnobColumns;
  readonly #facts = new Map<ConfigIndex, CompilerFacts | undefined>();
  readonly #seed: number;
  #ranked: readonly ConfigIndex[] = [];

  constructor(space: ConfigSpace, seed: number, length: number) {
    this.#columns = new KnobColumns(space);
    this.#seed = seed;
    this.length = length;
  }

  /** Facts are used while at most this many results are known. */
  isOpen(results: number): boolean {
    return results <= mostResults;
  }

  learn(built: readonly Built[]): void {
    for (const { index, facts } of built) this.#facts.set(index, facts);
  }

  /** Asked configs, from whose facts and results the trees learn, and configs of the last order that may be proposed. */
  wanted(asked: readonly ConfigIndex[], results: number, mayBeProposed: (index: ConfigIndex) => boolean): readonly ConfigIndex[] {
    if (!this.isOpen(results)) return [];
    return [...asked, ...this.#ranked.filter(mayBeProposed)].filter((index) => !this.#facts.has(index));
  }

  /** One of `ranked`, the model's best first; undefined when facts are not used. */
  choose(ranked: readonly ConfigIndex[], results: readonly JudgedConfig[]): ConfigIndex | undefined {
    this.#ranked = ranked;
    const known = results.filter(({ index }) => this.#facts.get(index)).sort((a, b) => a.index - b.index);
    const built = ranked.flatMap((index, place) => (this.#facts.get(index) ? [{ index, place }] : []));
    const fastest = Math.max(0, ...known.map(({ speed }) => speed));
    if (known.length < leastResults || built.length < 2 || fastest === 0) return undefined;
    const compared = [...known, ...built].map(({ index }) => index);
    // Builders that do not count them would look like kernels without instructions.
    const counted = compared.every((index) => this.#facts.get(index)?.instructions !== undefined);
    const features = this.#matrix(
      known.map(({ index }) => index),
      counted,
    );
    const labels = known.map(({ speed }) => speed / fastest);
    const model = train({ features, labels }, { ...ranking, seed: this.#seed });
    const scores = predict(
      model,
      this.#matrix(
        built.map(({ index }) => index),
        counted,
      ),
    );
    const byTrees = [...built.keys()].sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
    const sums = byTrees.map((i, place) => place + i);
    return built[byTrees[sums.indexOf(Math.min(...sums))] as number]?.index;
  }

  #matrix(configs: readonly ConfigIndex[], counted: boolean) {
    const { width } = this.#columns;
    const columns = width + factColumns + (counted ? instructionColumns : 0);
    const values = new Float32Array(configs.length * columns);
    configs.forEach((index, i) => {
      this.#columns.write(index, values, i * columns);
      const facts = this.#facts.get(index) as CompilerFacts;
      writeFacts(facts, values, i * columns + width);
      if (counted && facts.instructions) writeInstructions(facts.instructions, values, i * columns + width + factColumns);
    });
    return { rows: configs.length, columns, values };
  }
}
