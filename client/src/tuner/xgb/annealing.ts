/**
 * Simulated annealing over a model's predictions, as AutoTVM's SimulatedAnnealingOptimizer means it (docs/reference/autotvm.md
 * 4.8): parallel chains, each step changes one knob at random, worse points are accepted with probability exp(change /
 * temperature), the temperature falls linearly to 0, the best points ever seen are kept, and chains go on where the last plan
 * left them. Points the space excludes are never stepped on.
 */
import type { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";

export interface AnnealingOptions {
  readonly chains: number;
  readonly steps: number;
  /** Ends after this many steps without a change of the kept points. */
  readonly patience: number;
  /** Initial temperature. Scores are divided by their spread first, so it has no unit. */
  readonly temperature: number;
}
const annealingDefaults: AnnealingOptions = { chains: 64, steps: 120, patience: 30, temperature: 1 };

const triesPerStep = 8;

interface Ranked {
  readonly index: ConfigIndex;
  readonly score: number;
}

/** Writes a score for each point, greater is better. */
type Scorer = (points: Float64Array, scores: Float64Array) => void;

export class Annealer {
  readonly #space: ConfigSpace;
  readonly #options: AnnealingOptions;
  /** Knobs with a choice: their size, and what one digit adds to the index. */
  readonly #open: readonly { readonly size: number; readonly stride: number }[];

  constructor(space: ConfigSpace, options: Partial<AnnealingOptions> = {}) {
    this.#space = space;
    this.#options = { ...annealingDefaults, ...options };
    let stride = 1;
    const steps = space.knobs.map(({ size }) => {
      const step = { size, stride };
      stride *= size;
      return step;
    });
    this.#open = steps.filter(({ size }) => size > 1);
  }

  /** Up to `count` points of the highest scores that `exclude` allows. */
  run(from: Float64Array, count: number, random: Random, score: Scorer, exclude: (index: ConfigIndex) => boolean) {
    const { chains, steps, patience, temperature } = this.#options;
    const length = Math.min(chains, this.#space.valid.count);
    const points = Float64Array.from({ length }, (_, i) => from[i] ?? this.#space.random(random));
    const kept = new Best(count);
    const offer = (offered: Float64Array, scores: Float64Array): boolean => {
      let changed = false;
      for (let i = 0; i < offered.length; i++)
        if (kept.wouldTake(scores[i] as number) && !exclude(offered[i] as ConfigIndex))
          changed = kept.offer(offered[i] as ConfigIndex, scores[i] as number) || changed;
      return changed;
    };
    const scores = new Float64Array(length);
    score(points, scores);
    offer(points, scores);
    const unit = spread(scores);
    const moved = new Float64Array(length);
    const next = new Float64Array(length);
    for (let step = 0, idle = 0; step < steps && idle < patience; step++) {
      const warmth = unit * (temperature * (1 - step / steps) + 1e-5);
      for (let i = 0; i < length; i++) moved[i] = this.#step(points[i] as number, random);
      score(moved, next);
      idle = offer(moved, next) ? 0 : idle + 1;
      for (let i = 0; i < length; i++) {
        const change = (next[i] as number) - (scores[i] as number);
        if (random.float() >= Math.exp(Math.min(0, change / warmth))) continue;
        points[i] = moved[i] as number;
        scores[i] = next[i] as number;
      }
    }
    return { best: kept.sorted(), points };
  }

  #step(point: number, random: Random): number {
    const open = this.#open;
    if (open.length === 0) return point;
    for (let tries = 0; tries < triesPerStep; tries++) {
      const { size, stride } = random.pick(open);
      const digit = Math.floor(point / stride) % size;
      const index = point + (((digit + 1 + random.below(size - 1)) % size) - digit) * stride;
      if (this.#space.valid.has(index)) return index;
    }
    return point;
  }
}

/** Standard deviation, or 1 where there is none. */
function spread(values: Float64Array): number {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length) || 1;
}

class Best {
  readonly #count: number;
  readonly #scores = new Map<ConfigIndex, number>();
  #least = Number.NEGATIVE_INFINITY;

  constructor(count: number) {
    this.#count = count;
  }
  wouldTake(score: number): boolean {
    return this.#count > 0 && (this.#scores.size < this.#count || score > this.#least);
  }
  /** True when it was taken. */
  offer(index: ConfigIndex, score: number): boolean {
    if (!this.wouldTake(score) || this.#scores.has(index)) return false;
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
  sorted(): ConfigIndex[] {
    return [...this.#scores].sort(([a, ofA], [b, ofB]) => ofB - ofA || a - b).map(([index]) => index);
  }
}
