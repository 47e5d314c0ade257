/** Ends a run that gets no result. Otherwise a farm that answers but measures nothing would hold a script for ever. */
import { type Clock, durationWords, FarmError } from "@warpfarm/common";

const lookEveryMs = 1_000;

export class GiveUp implements Disposable {
  readonly #clock: Clock;
  readonly #afterMs: number;
  readonly #over = new AbortController();
  readonly #given = new AbortController();
  #heardAt: number;
  #isHeld = false;

  constructor(clock: Clock, afterMs: number) {
    this.#clock = clock;
    this.#afterMs = afterMs;
    this.#heardAt = clock.monotonic();
    void this.#watch().catch(() => {}); // the end
  }

  /** Aborts, with the error of the run, after that time without a result. */
  get signal(): AbortSignal {
    return this.#given.signal;
  }
  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }
  /** Whether no result can come, so that none is missed. */
  held(isHeld: boolean): void {
    this.#isHeld = isHeld;
  }
  [Symbol.dispose](): void {
    this.#over.abort();
  }

  async #watch(): Promise<void> {
    for (;;) {
      if (this.#isHeld) this.heard();
      const leftMs = this.#heardAt + this.#afterMs - this.#clock.monotonic();
      if (leftMs <= 0) break;
      await this.#clock.sleep(Math.min(leftMs, lookEveryMs), { signal: this.#over.signal });
    }
    const why = `no result came for ${durationWords(this.#afterMs)} (--give-up); warpfarm nodes and warpfarm sessions show what the farm does`;
    this.#given.abort(new FarmError("DEADLINE_EXCEEDED", why));
  }
}
