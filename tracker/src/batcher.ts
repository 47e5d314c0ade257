/**
 * Many small requests as few transactions: while one batch is being written the next one gathers, so a lone request waits for nobody and
 * a crowd shares the cost. When a batch fails each of its requests is tried alone: one that breaks hurts only itself.
 */
export class Batcher<T, R> {
  readonly #run: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #maxItems: number;
  #waiting: { readonly item: T; readonly resolve: (r: R) => void; readonly reject: (e: unknown) => void }[] = [];
  #working = false;

  constructor(run: (items: readonly T[]) => Promise<readonly R[]>, maxItems = 256) {
    this.#run = run;
    this.#maxItems = maxItems;
  }

  /** Resolves with the item's own answer once its batch is durable. */
  push(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#working) return;
      this.#working = true;
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    // One turn of the event loop: whatever arrived in the same tick goes together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxItems);
      try {
        const answers = await this.#run(batch.map((w) => w.item));
        for (const [i, w] of batch.entries()) w.resolve(answers[i] as R);
      } catch (error) {
        if (batch.length === 1) batch[0]?.reject(error);
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
