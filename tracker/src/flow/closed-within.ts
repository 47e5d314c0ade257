/**
 * Closes things that may never end: a silent store would keep a tracker's last statements, and everything that waits for them.
 */
import type { Clock } from "@warpfarm/common";

/** Whether it ended within `ms`; otherwise it is abandoned. Rejects if ending it does. */
export async function closedWithin(what: AsyncDisposable, ms: number, clock: Clock): Promise<boolean> {
  const over = new AbortController();
  const late = clock.sleep(ms, { signal: over.signal }).then(
    () => false,
    () => true, // it is over
  );
  try {
    return await Promise.race([what[Symbol.asyncDispose]().then(() => true), late]);
  } finally {
    over.abort();
  }
}
