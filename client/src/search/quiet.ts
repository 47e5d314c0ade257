import type { Clock } from "@warpfarm/common";

const lookEveryMs = 1_000;

/** Calls `quietFor` when nothing was heard for a while, then after twice that time, until it is disposed. */
export abstract class Quiet implements Disposable {
  protected readonly clock: Clock;
  readonly #usualMs: number;
  readonly #over = new AbortController();
  #patienceMs: number;
  #heardAt: number;
  #isHeld = false;

  constructor(clock: Clock, patienceMs: number) {
    this.clock = clock;
    this.#usualMs = patienceMs;
    this.#patienceMs = patienceMs;
    this.#heardAt = clock.monotonic();
    void this.#watch().catch(() => {}); // the end
  }
  protected abstract quietFor(ms: number, signal: AbortSignal): Promise<void>;

  heard(): void {
    this.#heardAt = this.clock.monotonic();
    this.#patienceMs = this.#usualMs;
  }
  /** Whether nothing can be heard, so that nothing is missed. */
  held(isHeld: boolean): void {
    this.#isHeld = isHeld;
  }
  [Symbol.dispose](): void {
    this.#over.abort();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      if (this.#isHeld) this.heard();
      const quietMs = this.clock.monotonic() - this.#heardAt;
      if (quietMs >= this.#patienceMs) {
        this.#patienceMs *= 2;
        await this.quietFor(quietMs, signal);
      } else await this.clock.sleep(Math.min(this.#patienceMs - quietMs, lookEveryMs), { signal });
    }
  }
}
