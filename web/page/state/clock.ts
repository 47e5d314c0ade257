/** The page's clock, a parameter of everything that waits or measures time, so that tests control it. */
export interface PageClock {
  /** Unix time in milliseconds; it may jump. */
  now(): number;
  /** Milliseconds since some moment; it never goes back. */
  monotonic(): number;
  /** Calls `act` once after that many milliseconds; the returned function cancels it. */
  after(ms: number, act: () => void): () => void;
  every(ms: number, act: () => void): () => void;
}

export const browserClock: PageClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  every(ms, act) {
    const timer = setInterval(act, ms);
    return () => clearInterval(timer);
  },
};
