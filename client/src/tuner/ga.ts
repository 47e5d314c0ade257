/**
 * AutoTVM's genetic algorithm (GATuner, docs/reference/autotvm.md 4.4): a gene is a config's digits; a child takes a prefix of
 * one parent and the suffix of another, then each digit is drawn anew with probability `mutation`; parents are chosen in
 * proportion to their speed.
 *
 * Two differences. A child already visited or refused is mutated further (as TVM 0.7 did) instead of measured again. And nothing
 * waits: when a generation is all proposed, the next is bred from the results told since the last breeding and the elites,
 * whoever is still in flight; a late result joins the pool of the breeding after it. With one config in flight this is AutoTVM's
 * order exactly. The pool is sorted by index, so a breeding depends on which results are in, not on the order they came in.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import { Drawn } from "./drawn.ts";
import type { Measured, Tuner, TunerOptions } from "./tuner.ts";
import { Visited } from "./visited.ts";

interface GaOptions {
  readonly population: number;
  readonly elites: number;
  readonly mutation: number;
}
const autotvmDefaults: GaOptions = { population: 100, elites: 3, mutation: 0.1 };

interface Scored {
  readonly index: ConfigIndex;
  /** Runs per second, or the most that they can be where a program ended early; 0 for a failure. */
  readonly score: number;
}

const mutationsPerChild = 100;

export const gaTuner = (options: TunerOptions, ga: GaOptions = autotvmDefaults): Tuner => new GaTuner(options, ga);

class GaTuner implements Tuner {
  readonly #space: ConfigSpace;
  readonly #ga: GaOptions;
  readonly #random: Random;
  readonly #visited: Visited;
  readonly #drawn: Drawn;
  /** What is left to propose of this generation: bred but not yet claimed, or a plain list near the end of the space. */
  #generation: Iterator<ConfigIndex>;
  #pool = new Map<ConfigIndex, Scored>();
  #elites: readonly Scored[] = [];

  constructor(options: TunerOptions, ga: GaOptions) {
    this.#space = options.space;
    this.#ga = ga;
    this.#random = new Random(options.seed);
    this.#visited = new Visited(options);
    this.#drawn = new Drawn(options.space, this.#visited, this.#random);
    this.#generation = this.#sample(ga.population);
  }

  get exhausted(): boolean {
    return this.#visited.left === 0;
  }

  ask(n: number): readonly ConfigIndex[] {
    const proposals: ConfigIndex[] = [];
    for (let bred = false; proposals.length < n && this.#visited.left > 0; ) {
      const next = this.#generation.next();
      if (!next.done) {
        proposals.push(next.value);
        bred = false;
      } else if (bred) break;
      else {
        this.#generation = this.#nextGeneration();
        bred = true;
      }
    }
    return proposals;
  }

  tell(pairs: readonly Measured[]): void {
    for (const { index, outcome } of pairs) {
      this.#visited.add(index);
      if (outcome.kind !== "skipped") this.#pool.set(index, { index, score: scoreOf(outcome) });
    }
  }

  #nextGeneration(): Iterator<ConfigIndex> {
    for (const elite of this.#elites) if (!this.#pool.has(elite.index)) this.#pool.set(elite.index, elite);
    const parents = [...this.#pool.values()].sort((a, b) => a.index - b.index);
    this.#pool = new Map();
    this.#elites = [...parents].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, this.#ga.elites);
    if (this.#visited.left <= this.#ga.population) return this.#rest();
    return parents.length < 2 ? this.#sample(this.#ga.population) : this.#children(parents);
  }

  /** Up to n random unvisited configs; ends early after too many refusals. */
  *#sample(n: number): Iterator<ConfigIndex> {
    for (let found = 0; found < n; found++) {
      const index = this.#drawn.next();
      if (index === undefined) return;
      yield index;
    }
  }

  *#rest(): Iterator<ConfigIndex> {
    for (let rank = 0; rank < this.#space.valid.count; rank++) {
      const index = this.#space.toIndex(this.#space.valid.nth(rank));
      if (this.#visited.claim(index)) yield index;
    }
  }

  *#children(parents: readonly Scored[]): Iterator<ConfigIndex> {
    const weights = parents.map((p) => p.score + 1e-8);
    for (let born = 0; born < this.#ga.population && this.#visited.left > 0; born++) {
      const child = this.#settle(this.#cross(...pickTwo(parents, weights, this.#random)));
      if (child === undefined) return;
      yield child;
    }
  }

  #cross(a: Scored, b: Scored): number[] {
    const { knobs } = this.#space;
    const random = this.#random;
    const cut = random.below(Math.max(1, knobs.length));
    const digits = [...this.#space.digits(a.index).slice(0, cut), ...this.#space.digits(b.index).slice(cut)];
    for (const [i, knob] of knobs.entries()) if (random.float() < this.#ga.mutation) digits[i] = knob.random(random);
    return digits;
  }

  /** The child if it may be proposed, otherwise a mutant of it, otherwise any config that may. */
  #settle(digits: number[]): ConfigIndex | undefined {
    const { knobs } = this.#space;
    for (let tries = 0; tries < mutationsPerChild; tries++) {
      const index = this.#space.fromDigits(digits);
      if (this.#visited.claim(index)) return index;
      const i = this.#random.below(knobs.length);
      digits[i] = knobs[i]?.random(this.#random) ?? 0;
    }
    const drawn = this.#sample(1).next();
    return drawn.done ? undefined : drawn.value;
  }
}

function scoreOf(outcome: Exclude<Measured["outcome"], { kind: "skipped" }>): number {
  if (outcome.kind === "slower") return 1 / outcome.atLeast;
  return outcome.kind === "timed" ? 1 / outcome.seconds : 0;
}

function pickTwo(parents: readonly Scored[], weights: readonly number[], random: Random): [Scored, Scored] {
  const first = pickWeighted(weights, random);
  const second = pickWeighted(
    weights.map((w, i) => (i === first ? 0 : w)),
    random,
  );
  return [parents[first] as Scored, parents[second] as Scored];
}

function pickWeighted(weights: readonly number[], random: Random): number {
  let rest = random.float() * weights.reduce((a, b) => a + b, 0);
  for (const [i, weight] of weights.entries()) {
    if (weight > 0 && rest < weight) return i;
    rest -= weight;
  }
  return weights.findLastIndex((w) => w > 0);
}
