/** Trials that a search is given while it runs, beyond those with which it began. */
export class MoreTrials {
  #count = 0;
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

  /** Resolves at the next change. */
  changed(): Promise<void> {
    return this.#next;
  }
  #wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#tell = resolve;
    });
  }
}
