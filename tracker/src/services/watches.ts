/** Limits the streams with which a principal watches suites. Each costs a query every second. */
import { FarmError } from "@warpfarm/common";
import type { Principal } from "@warpfarm/proto";

export class Watches {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds one until it is disposed. Throws RESOURCE_EXHAUSTED. */
  begin({ name, role }: Principal): Disposable {
    const open = this.#open.get(name) ?? 0;
    // `all` is everybody where no tokens are required.
    if (role !== "all" && open >= this.#most)
      throw new FarmError(
        "RESOURCE_EXHAUSTED",
        `${name} watches ${open} times; --quota watches of this tracker allows ${this.#most}: end some first`,
      );
    this.#open.set(name, open + 1);
    return {
      [Symbol.dispose]: () => {
        const left = (this.#open.get(name) ?? 1) - 1;
        if (left === 0) this.#open.delete(name);
        else this.#open.set(name, left);
      },
    };
  }
}
