/** Waits for what others bring about. */
import { systemClock } from "@warpfarm/common";

/**
 * Checks the condition repeatedly, less often the longer it waits, because hundreds may wait at once. Rejects after `ms`, a limit
 * for conditions that never hold: a busy machine is slow.
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
