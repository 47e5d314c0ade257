/**
 * A tuner whose first proposals are given: the configs that promise most when nothing was measured. Around a tuner with records
 * the first of them comes first, then the inner tuner's first proposals, which are the best configs of the shapes that are known,
 * then the others: a template's starts are made for the sizes at hand, of which records may know nothing (ADR 119).
 */
import type { ConfigIndex } from "@warpfarm/compiler";
import { askedOnce, type MakeTuner, type Measured, type Tuner, type TunerOptions } from "./tuner.ts";

export const withStarts =
  (make: MakeTuner, starts: readonly ConfigIndex[], lead = 0): MakeTuner =>
  (options) =>
    new StartsTuner(make, options, starts, lead);

class StartsTuner implements Tuner {
  readonly #inner: Tuner;
  readonly #isValid: (index: ConfigIndex) => boolean;
  readonly #left: ConfigIndex[];
  /** The inner tuner learns of a start only when its result is told, and may propose it before. */
  readonly #asked = new Set<ConfigIndex>();
  /** Proposals of the inner tuner that follow the first start. */
  readonly #lead: number;
  #proposed = 0;

  constructor(make: MakeTuner, options: TunerOptions, starts: readonly ConfigIndex[], lead: number) {
    this.#lead = lead;
    this.#isValid = askedOnce(options.isValid);
    this.#inner = make({ ...options, isValid: this.#isValid });
    this.#left = [...starts];
  }

  async prepare(): Promise<void> {
    await this.#inner.prepare?.();
  }

  get exhausted(): boolean {
    return this.#left.length === 0 && this.#inner.exhausted;
  }

  get mostOutstanding(): number {
    return Math.max(this.#left.length, this.#inner.mostOutstanding ?? Number.POSITIVE_INFINITY);
  }

  ask(n: number): readonly ConfigIndex[] {
    const proposals: ConfigIndex[] = [];
    while (proposals.length < n) {
      const isOfRecords = this.#proposed > 0 && this.#proposed <= this.#lead;
      const next = (isOfRecords ? this.#ofInner() : undefined) ?? this.#start() ?? this.#ofInner();
      if (next === undefined) break;
      this.#proposed++;
      this.#asked.add(next);
      proposals.push(next);
    }
    return proposals;
  }

  #start(): ConfigIndex | undefined {
    for (let next = this.#left.shift(); next !== undefined; next = this.#left.shift())
      if (!this.#asked.has(next) && this.#isValid(next)) return next;
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
