import type { Clock } from "@warpfarm/common";

/** Answers yes at most once in `ms`; the first time as if the last yes had been at `since`. */
export function atMostEvery(ms: number, clock: Pick<Clock, "monotonic">, since = clock.monotonic()): () => boolean {
  let last = since;
  return () => {
    const now = clock.monotonic();
    if (now - last < ms) return false;
    last = now;
    return true;
  };
}
