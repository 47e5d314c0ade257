/** Random configs that were never visited, each at most once. */
import type { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import { Permutation } from "./permutation.ts";
import { refusalsPerAsk } from "./tuner.ts";
import type { Visited } from "./visited.ts";

export class Drawn {
  readonly #space: ConfigSpace;
  readonly #visited: Visited;
  readonly #unexplored: Permutation;

  constructor(space: ConfigSpace, visited: Visited, random: Random) {
    this.#space = space;
    this.#visited = visited;
    this.#unexplored = new Permutation(space.valid.count, random);
  }

  /** The next config, which is visited from now on; undefined when none is left, or after too many refusals in a row. */
  next(): ConfigIndex | undefined {
    for (let refused = 0; this.#unexplored.left > 0 && refused < refusalsPerAsk; refused++) {
      const index = this.#space.toIndex(this.#space.valid.nth(this.#unexplored.next()));
      if (this.#visited.claim(index)) return index;
    }
    return undefined;
  }
}
