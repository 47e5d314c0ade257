/** Code that waits or stamps takes a Clock, and tests give a manual one. Only this file uses Date.now. */
export interface Clock {
  /** Unix time in milliseconds: for stamps that people and other machines read. */
  now(): number;
  /** Milliseconds that never go back: for spans and deadlines. */
  monotonic(): number;
  /** Resolves after ms; rejects with signal.reason when aborted. */
  sleep(ms: number, options?: SleepOptions): Promise<void>;
}

export interface SleepOptions {
  readonly signal?: AbortSignal;
  /** Whether the sleep lets the process end. */
  readonly isBackground?: boolean;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep(ms, { signal, isBackground = false } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", abort);
        resolve();
      }, ms);
      if (isBackground) timer.unref();
      signal?.addEventListener("abort", abort, { once: true });
    });
  },
};

/** Calls `act` after ms, unless the result is disposed before. Does not keep the process alive. */
export function after(clock: Pick<Clock, "sleep">, ms: number, act: () => void): Disposable {
  const disposed = new AbortController();
  void clock.sleep(ms, { signal: disposed.signal, isBackground: true }).then(act, () => {});
  return { [Symbol.dispose]: () => disposed.abort() };
}

/** A clock that moves only when told; sleepers wake in order of their deadlines. */
export class ManualClock implements Clock {
  #now: number;
  readonly #sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  constructor(startMs = 1_700_000_000_000) {
    this.#now = startMs;
  }
  now(): number {
    return this.#now;
  }
  monotonic(): number {
    return this.#now;
  }
  sleep(ms: number, { signal }: SleepOptions = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const sleeper = { at: this.#now + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }
  /** Moves time forward, waking every sleeper whose deadline is passed. */
  advance(ms: number): void {
    this.#now += ms;
    for (const s of [...this.#sleepers].sort((a, b) => a.at - b.at)) {
      if (s.at > this.#now) continue;
      this.#sleepers.delete(s);
      s.wake();
    }
  }
}
