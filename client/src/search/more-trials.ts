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

  /** So many in all; never fewer than before. */
  set(count: number): void {
    if (count <= this.#count) return;
    this.#count = count;
    this.#tell();
    this.#next = this.#wait();
  }

  /**
   * `ask` hears from whoever gives them whether these are all: it has set further ones when it resolves, or there will be none.
   */
  givenBy(ask: (signal: AbortSignal) => Promise<void>): void {
    this.#ask = ask;
  }
  /** The search would end here. False: it was given more. */
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
