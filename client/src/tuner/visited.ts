/**
 * The configs a tuner is done with: proposed, told from elsewhere, or refused by the static check. Once visited, always visited;
 * `claim` is therefore the only way to propose, and it asks the static check once per config.
 */
import type { ConfigIndex } from "@warpfarm/compiler";
import type { TunerOptions } from "./tuner.ts";

export class Visited {
  readonly #seen = new Set<ConfigIndex>();
  readonly #options: TunerOptions;

  constructor(options: TunerOptions) {
    this.#options = options;
  }
  /** Configs not yet visited, valid or not. */
  get left(): number {
    return this.#options.space.size - this.#seen.size;
  }
  has(index: ConfigIndex): boolean {
    return this.#seen.has(index);
  }
  add(index: ConfigIndex): void {
    this.#seen.add(index);
  }
  /** Visits the config; true when it was new and valid, so that it may be proposed. */
  claim(index: ConfigIndex): boolean {
    if (this.#seen.has(index)) return false;
    this.#seen.add(index);
    return this.#options.isValid(index);
  }
}
