/** Trials that a search is given while it runs, beyond those with which it began. */
export class MoreTrials {
  #count = 0;
  #ask: (signal: AbortSignal) => Promise<void> = async () => {};
  #tell: () => void = () => {};
  #next: Promise<void>;

  constructor() {
    this.#next = this.#wait();
  }
  get count(): number {
    return this.#count;
  }

  /** The number of all added trials; it never decreases. */
  set(count: number): void {
    if (count <= this.#count) return;
    this.#count = count;
    this.#tell();
    this.#next = this.#wait();
  }

  /** Call `ask` when the search runs out of trials. When it resolves, either `count` has grown or the search may end. */
  givenBy(ask: (signal: AbortSignal) => Promise<void>): void {
    this.#ask = ask;
  }
  /** Asks whether the search may end. False: it was given more trials. */
  async settle(signal: AbortSignal): Promise<boolean> {
    const before = this.#count;
    await this.#ask(signal);
    return this.#count === before;
  }

  changed(): Promise<void> {
    return this.#next;
  }
  #wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#tell = resolve;
    });
  }
}
