/**
 * The first proposals from a prior, for a tuner whose model has no place for one: every other of the first proposals is the
 * prior's, the rest the tuner's own, until these are made or results contradict the prior (guard.ts). After that the tuner's
 * model knows their results, and the prior is not used.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { Prior } from "./tuner.ts";
import type { Visited } from "./visited.ts";
import { Annealer } from "./xgb/annealing.ts";
import { diverse } from "./xgb/diverse.ts";
import { type JudgedRow, leastTrust, trustIn } from "./xgb/guard.ts";

/** Length of the opening in proposals; half of them are the prior's. */
const proposals = 16;
const drawn = 64;

export class PriorOpening {
  readonly #prior: Prior;
  readonly #space: ConfigSpace;
  readonly #visited: Visited;
  readonly #random: Random;
  #drawn: readonly ConfigIndex[] | undefined;
  #picks: Iterator<ConfigIndex> | undefined;
  #turn = 0;

  constructor(prior: Prior, space: ConfigSpace, visited: Visited, seed: number) {
    this.#prior = prior;
    this.#space = space;
    this.#visited = visited;
    this.#random = new Random(seed);
  }

  async prepare(): Promise<void> {
    if (!this.#picks && !this.#prior.isCheap) await this.#prior.warm(this.#draws());
  }

  /** The prior's proposal; undefined when it is not its turn. `rows`: the results so far. */
  next(rows: () => readonly JudgedRow[]): ConfigIndex | undefined {
    if (this.#turn >= proposals || this.#turn++ % 2 === 1) return undefined;
    if (trustIn(this.#prior, rows()) < leastTrust) {
      this.#turn = proposals;
      return undefined;
    }
    this.#picks ??= this.#ranked().values();
    for (let next = this.#picks.next(); !next.done; next = this.#picks.next())
      if (this.#visited.claim(next.value)) return next.value;
    return undefined;
  }

  #draws(): readonly ConfigIndex[] {
    this.#drawn ??= [...new Set(Array.from({ length: drawn }, () => this.#space.random(this.#random)))];
    return this.#drawn;
  }

  /** Twice as many as needed, because some will be refused. */
  #ranked(): readonly ConfigIndex[] {
    const prior = this.#prior;
    const score = (points: ArrayLike<number>) => prior.score(Array.from(points) as ConfigIndex[]);
    const ranked = prior.isCheap
      ? new Annealer(this.#space).run(
          new Float64Array(0),
          2 * proposals,
          this.#random,
          (points, scores) => scores.set(score(points)),
          (index) => this.#visited.has(index),
        ).best
      : Array.from(score(this.#draws()), (value, i) => ({ index: this.#draws()[i] as ConfigIndex, score: value })).sort(
          (a, b) => b.score - a.score || a.index - b.index,
        );
    return diverse(ranked, proposals, (index) => this.#space.digits(index));
  }
}
