/** The project's only source of randomness, seeded: xoroshiro128+ of pure-rand. Equal seeds give equal draws on every machine. */

import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";

/** The finalizer of MurmurHash3: each bit of the seed changes half of the state. */
function mixed(seed: number): number {
  let h = seed | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

export class Random {
  readonly #generator: RandomGenerator;
  constructor(seed: number) {
    this.#generator = xoroshiro128plus(mixed(seed));
  }
  /** Uniform integer in [0, n). Requires 1 <= n <= 2^53. */
  below(n: number): number {
    return uniformInt(this.#generator, 0, n - 1);
  }
  float(): number {
    return (this.#generator.next() >>> 0) / 0x1_0000_0000;
  }
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError("pick from an empty list");
    return items[this.below(items.length)] as T;
  }
  shuffle<T>(items: readonly T[]): T[] {
    const a = [...items];
    for (let i = a.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [a[i], a[j]] = [a[j] as T, a[i] as T];
    }
    return a;
  }
}
