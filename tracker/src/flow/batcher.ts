/**
 * Groups many small requests into few transactions. While one batch is written, and for a moment from its start (`Spacing`), the
 * next one gathers. So a single request waits for nobody, and many requests share the cost of a statement. When a batch fails,
 * each of its requests is tried alone, so a bad one affects only itself. When the store is away all fail at once: trying each
 * alone against a silent store would keep the last of them for hours, and everybody behind them.
 */
import type { Clock } from "@warpfarm/common";
import { isAway } from "./away.ts";

/**
 * The time from start to start is at least three times that of a statement, so each statement has more jobs. At half of a
 * tracker's capacity this halves the number of statements, and one costs as much as two jobs. A rest after the end instead would
 * be longest when everything is late already.
 */
const gatherTimes = 3;
const gatherMs = 4;

/** Spaces the beginnings of pieces of work. */
export class Spacing {
  readonly #leastMs: number;
  readonly #clock: Clock;
  #began = Number.NEGATIVE_INFINITY;
  #tookMs = 0;

  /** `leastMs`: the least space. */
  constructor(clock: Clock, leastMs = 0) {
    this.#clock = clock;
    this.#leastMs = leastMs;
  }

  /**
   * Resolves when the next batch may begin, after at least one turn of the event loop, so items that arrive in one tick go
   * together.
   */
  async turn(): Promise<void> {
    const apart = Math.max(this.#leastMs, Math.min(gatherTimes * this.#tookMs, gatherMs));
    const wait = this.#began + apart - this.#clock.monotonic();
    await (wait < 1 ? new Promise((resolve) => setImmediate(resolve)) : this.#clock.sleep(wait));
  }

  rested(): void {
    this.#began = Number.NEGATIVE_INFINITY;
  }

  async work<R>(work: () => Promise<R>): Promise<R> {
    this.#began = this.#clock.monotonic();
    try {
      return await work();
    } finally {
      this.#tookMs = this.#clock.monotonic() - this.#began;
    }
  }
}

interface BatcherOptions {
  readonly clock: Clock;
  readonly maxItems?: number;
  readonly everyMs?: number;
}

export class Batcher<T, R> {
  readonly #run: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #maxItems: number;
  #waiting: { readonly item: T; readonly resolve: (r: R) => void; readonly reject: (e: unknown) => void }[] = [];
  readonly #spacing: Spacing;
  #working = false;

  constructor(run: (items: readonly T[]) => Promise<readonly R[]>, { clock, maxItems = 256, everyMs = 0 }: BatcherOptions) {
    this.#run = run;
    this.#maxItems = maxItems;
    this.#spacing = new Spacing(clock, everyMs);
  }

  push(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#working) return;
      this.#working = true;
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#spacing.turn();
      const batch = this.#waiting.splice(0, this.#maxItems);
      try {
        const answers = await this.#spacing.work(() => this.#run(batch.map((w) => w.item)));
        for (const [i, w] of batch.entries()) w.resolve(answers[i] as R);
      } catch (error) {
        if (batch.length === 1 || isAway(error)) for (const w of batch) w.reject(error);
        else
          for (const w of batch)
            await this.#run([w.item]).then(
              ([answer]) => w.resolve(answer as R),
              (e: unknown) => w.reject(e),
            );
      }
    }
    this.#working = false;
  }
}
