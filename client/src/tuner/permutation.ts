/**
 * A random order of 0..n-1, drawn one by one: Fisher-Yates over a sparse array, so a draw costs O(1) time and memory however
 * large n is.
 */
import type { Random } from "@warpfarm/common";

export class Permutation {
  readonly #moved = new Map<number, number>();
  readonly #random: Random;
  #left: number;

  constructor(n: number, random: Random) {
    this.#left = n;
    this.#random = random;
  }
  get left(): number {
    return this.#left;
  }
  /** The next number; requires left > 0. */
  next(): number {
    const at = this.#random.below(this.#left);
    const last = --this.#left;
    const drawn = this.#moved.get(at) ?? at;
    this.#moved.set(at, this.#moved.get(last) ?? last);
    this.#moved.delete(last);
    return drawn;
  }
}
