/**
 * A tuner whose first proposals are given: the configs that a template names for the sizes at hand. Beside records they come
 * behind the records' first proposal, which is mostly better than the first of them, and before the others, which resemble it
 * (ADR 128).
 */
import type { ConfigIndex } from "@warpfarm/compiler";
import { askedOnce, type MakeTuner, type Measured, proposed, type Tuner, type TunerOptions } from "./tuner.ts";

export const withStarts =
  (make: MakeTuner, starts: readonly ConfigIndex[]): MakeTuner =>
  (options) =>
    new StartsTuner(make, options, starts);

class StartsTuner implements Tuner {
  readonly #inner: Tuner;
  readonly #isValid: (index: ConfigIndex) => boolean;
  readonly #left: ConfigIndex[];
  /** The inner tuner learns of a start only when its result is told, and may propose it before. */
  readonly #asked = new Set<ConfigIndex>();
  #isRecordsTurn: boolean;

  constructor(make: MakeTuner, options: TunerOptions, starts: readonly ConfigIndex[]) {
    this.#isValid = askedOnce(options.isValid);
    this.#inner = make({ ...options, isValid: this.#isValid });
    this.#left = [...starts];
    this.#isRecordsTurn = (options.records ?? []).length > 0;
  }

  get exhausted(): boolean {
    return this.#left.length === 0 && this.#inner.exhausted;
  }

  /** Nothing is learned from one start for another. */
  get mostOutstanding(): number {
    return this.#left.length > 0 ? Number.POSITIVE_INFINITY : (this.#inner.mostOutstanding ?? Number.POSITIVE_INFINITY);
  }

  ask(n: number): readonly ConfigIndex[] {
    return proposed(n, () => {
      const next = (this.#isRecordsTurn ? undefined : this.#next()) ?? this.#ofInner();
      this.#isRecordsTurn = false;
      if (next !== undefined) this.#asked.add(next);
      return next;
    });
  }

  /** The start that comes next, of those that are left. */
  #next(): ConfigIndex | undefined {
    for (let next = this.#left[0]; next !== undefined; next = this.#left[0]) {
      if (!this.#asked.has(next) && this.#isValid(next)) return next;
      this.#left.shift();
    }
    return undefined;
  }

  #ofInner(): ConfigIndex | undefined {
    for (;;) {
      const [next] = this.#inner.ask(1);
      if (next === undefined || !this.#asked.has(next)) return next;
    }
  }

  tell(pairs: readonly Measured[]): void {
    for (const { index } of pairs) this.#asked.add(index);
    this.#inner.tell(pairs);
  }
}
