/**
 * Simulated annealing over a model's predictions, as AutoTVM's SimulatedAnnealingOptimizer means it (autotvm.md §4.8): parallel chains, each step
 * changes one knob at random, worse points are accepted with probability exp(change / temperature), the temperature falls linearly to 0, the best
 * points ever seen are kept, and chains go on where the last plan left them. Points the space excludes are never stepped on.
 */
import type { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";

export interface AnnealingOptions {
  readonly chains: number;
  readonly steps: number;
  /** Ends after so many steps without a change among the kept. */
  readonly patience: number;
  /** At the start; scores are divided by their spread first, so it has no unit. */
  readonly temperature: number;
}
export const annealingDefaults: AnnealingOptions = { chains: 96, steps: 160, patience: 30, temperature: 1 };

/** Draws for a step that stays in the space, before the chain stays where it is. */
const triesPerStep = 8;

export interface Ranked {
  readonly index: ConfigIndex;
  readonly score: number;
}

export class Annealer {
  readonly #space: ConfigSpace;
  readonly #random: Random;
  readonly #options: AnnealingOptions;
  #points: ConfigIndex[] = [];

  constructor(space: ConfigSpace, random: Random, options: Partial<AnnealingOptions> = {}) {
    this.#space = space;
    this.#random = random;
    this.#options = { ...annealingDefaults, ...options };
  }

  /** Up to `count` points of the highest scores that `exclude` lets through, best first. */
  best(
    count: number,
    score: (points: readonly ConfigIndex[]) => Float64Array,
    exclude: (index: ConfigIndex) => boolean,
  ): Ranked[] {
    const { chains, steps, patience, temperature } = this.#options;
    const random = this.#random;
    while (this.#points.length < Math.min(chains, this.#space.valid.count)) this.#points.push(this.#space.random(random));
    const kept = new Best(count);
    const offer = (points: readonly ConfigIndex[], scores: Float64Array): boolean =>
      points.reduce((changed, index, i) => (!exclude(index) && kept.offer(index, scores[i] as number)) || changed, false);
    let scores = score(this.#points);
    offer(this.#points, scores);
    const unit = spread(scores);
    for (let step = 0, idle = 0; step < steps && idle < patience; step++) {
      const warmth = temperature * (1 - step / steps) + 1e-5;
      const moved = this.#points.map((point) => this.#step(point));
      const next = score(moved);
      idle = offer(moved, next) ? 0 : idle + 1;
      const accepted = next.map((value, i) =>
        Number(random.float() < Math.exp(Math.min(0, (value - (scores[i] as number)) / unit / warmth))),
      );
      this.#points = this.#points.map((point, i) => (accepted[i] ? (moved[i] as ConfigIndex) : point));
      scores = scores.map((value, i) => (accepted[i] ? (next[i] as number) : value));
    }
    return kept.sorted();
  }

  #step(point: ConfigIndex): ConfigIndex {
    const { knobs, valid } = this.#space;
    const open = knobs.flatMap((knob, i) => (knob.size > 1 ? [i] : []));
    if (open.length === 0) return point;
    for (let tries = 0; tries < triesPerStep; tries++) {
      const digits = [...this.#space.digits(point)];
      const i = this.#random.pick(open);
      const size = knobs[i]?.size ?? 1;
      digits[i] = ((digits[i] ?? 0) + 1 + this.#random.below(size - 1)) % size;
      const index = this.#space.fromDigits(digits);
      if (valid.has(index)) return index;
    }
    return point;
  }
}

/** Standard deviation, or 1 where there is none. */
function spread(values: Float64Array): number {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length) || 1;
}

/** The highest scores offered, each point once. */
class Best {
  readonly #count: number;
  readonly #scores = new Map<ConfigIndex, number>();
  #least = Number.NEGATIVE_INFINITY;

  constructor(count: number) {
    this.#count = count;
  }
  /** True when it was taken. */
  offer(index: ConfigIndex, score: number): boolean {
    if (this.#count === 0 || this.#scores.has(index) || (this.#scores.size >= this.#count && score <= this.#least)) return false;
    this.#scores.set(index, score);
    if (this.#scores.size > this.#count) {
      const worst = this.#worst();
      if (worst) this.#scores.delete(worst.index);
    }
    if (this.#scores.size >= this.#count) this.#least = this.#worst()?.score ?? this.#least;
    return true;
  }
  #worst(): Ranked | undefined {
    let worst: Ranked | undefined;
    for (const [index, score] of this.#scores)
      if (!worst || score < worst.score || (score === worst.score && index > worst.index)) worst = { index, score };
    return worst;
  }
  sorted(): Ranked[] {
    return [...this.#scores].map(([index, score]) => ({ index, score })).sort((a, b) => b.score - a.score || a.index - b.index);
  }
}
