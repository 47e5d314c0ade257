/** Waits for what others bring about. */
import { systemClock } from "@warpfarm/common";

/**
 * Looks again and again, more rarely the longer it waits: hundreds may wait at once. Rejects when `ms` have gone by, which are
 * for those who wait in vain: a busy machine takes its time.
 */
export async function until(holds: () => boolean | Promise<boolean>, what: string, ms = 120_000): Promise<void> {
  const from = systemClock.monotonic();
  for (;;) {
    if (await holds()) return;
    const waitedMs = systemClock.monotonic() - from;
    if (waitedMs > ms) throw new Error(`waited ${ms} ms in vain for ${what}`);
    await systemClock.sleep(waitedMs < 100 ? 5 : Math.min(15 + waitedMs / 100, 100));
  }
}
