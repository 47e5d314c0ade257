/**
 * The configs that a tuner is done with: proposed, told from elsewhere, or refused by the static check. A visited config stays
 * visited, so `claim` is the only way to propose, and it runs the static check once per config. Configs that the space's own
 * constraints exclude are neither checked nor counted.
 */
import type { ConfigIndex } from "@warpfarm/compiler";
import type { TunerOptions } from "./tuner.ts";

export class Visited {
  readonly #seen = new Set<ConfigIndex>();
  readonly #options: TunerOptions;
  #excluded = 0;

  constructor(options: TunerOptions) {
    this.#options = options;
  }
  /** Configs of the space not yet visited, whatever the static check would say. */
  get left(): number {
    return this.#options.space.valid.count - (this.#seen.size - this.#excluded);
  }
  has(index: ConfigIndex): boolean {
    return this.#seen.has(index);
  }
  add(index: ConfigIndex): void {
    if (this.#seen.has(index)) return;
    this.#seen.add(index);
    if (!this.#options.space.valid.has(index)) this.#excluded++;
  }
  /** Visits the config; true when it was new and valid, so that it may be proposed. */
  claim(index: ConfigIndex): boolean {
    if (this.#seen.has(index) || !this.#options.space.valid.has(index)) return false;
    this.#seen.add(index);
    return this.#options.isValid(index);
  }
}
