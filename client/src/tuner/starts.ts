/**
 * A tuner whose first proposals are given: the configs that promise most when nothing was measured. A template's starts are made
 * for the sizes at hand, so they come before what records of other shapes propose (ADR 119). The inner tuner is made when they
 * are under way, because trees of thousands of records take a second, in which the first starts are built.
 */
import type { ConfigIndex } from "@warpfarm/compiler";
import { askedOnce, type MakeTuner, type Measured, type Tuner, type TunerOptions } from "./tuner.ts";

export const withStarts =
  (make: MakeTuner, starts: readonly ConfigIndex[]): MakeTuner =>
  (options) =>
    new StartsTuner(make, options, starts);

class StartsTuner implements Tuner {
  readonly #make: () => Tuner;
  #inner: Tuner | undefined;
  readonly #isValid: (index: ConfigIndex) => boolean;
  readonly #left: ConfigIndex[];
  /** The inner tuner learns of a start only when its result is told, and may propose it before. */
  readonly #asked = new Set<ConfigIndex>();
  /** For the inner tuner, once it is made. */
  #told: Measured[] = [];

  constructor(make: MakeTuner, options: TunerOptions, starts: readonly ConfigIndex[]) {
    this.#isValid = askedOnce(options.isValid);
    this.#make = () => make({ ...options, isValid: this.#isValid });
    this.#left = [...starts];
  }

  get exhausted(): boolean {
    return this.#left.length === 0 && this.#inner?.exhausted === true;
  }

  /** Nothing is learned from one start for another. */
  get mostOutstanding(): number {
    return this.#inner?.mostOutstanding ?? Number.POSITIVE_INFINITY;
  }

  ask(n: number): readonly ConfigIndex[] {
    const proposals: ConfigIndex[] = [];
    while (proposals.length < n) {
      const next = this.#next() ?? this.#ofInner();
      if (next === undefined) break;
      this.#asked.add(next);
      proposals.push(next);
    }
    return proposals;
  }

  /** The start that comes next, of those that are left. */
  #next(): ConfigIndex | undefined {
    for (let next = this.#left[0]; next !== undefined; next = this.#left[0]) {
      if (!this.#asked.has(next) && this.#isValid(next)) return next;
      this.#left.shift();
    }
    return undefined;
  }

  #made(): Tuner {
    if (this.#inner !== undefined) return this.#inner;
    this.#inner = this.#make();
    this.#inner.tell(this.#told);
    this.#told = [];
    return this.#inner;
  }

  #ofInner(): ConfigIndex | undefined {
    for (;;) {
      const [next] = this.#made().ask(1);
      if (next === undefined || !this.#asked.has(next)) return next;
    }
  }

  tell(pairs: readonly Measured[]): void {
    for (const { index } of pairs) this.#asked.add(index);
    if (this.#inner === undefined) this.#told.push(...pairs);
    else this.#inner.tell(pairs);
  }
}
