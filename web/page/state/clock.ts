/** Time for the page: a parameter of what waits or measures, so that tests move it. */
export interface PageClock {
  /** Unix time in milliseconds; it may jump. */
  now(): number;
  /** Milliseconds since some moment; it never goes back. */
  monotonic(): number;
  /** Once, after so many milliseconds; what comes back cancels it. */
  after(ms: number, act: () => void): () => void;
  /** Again and again; what comes back ends it. */
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
