/**
 * A bounded queue between producers and one consumer. `push` waits while the queue is full. close() ends the consumer after the
 * queued items. fail() makes it throw at once.
 */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  readonly #limit: number;
  #takers: (() => void)[] = [];
  #pushers: (() => void)[] = [];
  #closed = false;
  #error: { readonly reason: unknown } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }
  get size(): number {
    return this.#items.length;
  }
  /** False when the queue is full or closed: for producers that may not wait. */
  tryPush(item: T): boolean {
    if (this.#closed || this.#items.length >= this.#limit) return false;
    this.#items.push(item);
    this.#wake();
    return true;
  }
  async push(item: T): Promise<void> {
    while (!this.tryPush(item)) {
      if (this.#error) throw this.#error.reason;
      if (this.#closed) throw new Error("push to a closed queue");
      await new Promise<void>((resolve) => this.#pushers.push(resolve));
    }
  }
  close(): void {
    this.#closed = true;
    this.#wake();
  }
  fail(reason: unknown): void {
    this.#error ??= { reason };
    this.close();
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      if (this.#error) throw this.#error.reason;
      if (this.#items.length > 0) {
        const item = this.#items.shift() as T;
        this.#wake();
        yield item;
      } else if (this.#closed) return;
      else await new Promise<void>((resolve) => this.#takers.push(resolve));
    }
  }
  #wake(): void {
    const waiting = [...this.#takers, ...this.#pushers];
    this.#takers = [];
    this.#pushers = [];
    for (const wake of waiting) wake();
  }
}
