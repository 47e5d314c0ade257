/** Runs something, pauses and runs it again, until it is stopped. */
import type { Clock } from "@warpfarm/common";

export interface Repeated {
  stop(): Promise<void>;
}

/** The signal is that of stop. An error after it may be the stop itself. */
export function repeat(
  { clock, everyMs }: { readonly clock: Clock; readonly everyMs: number },
  once: (signal: AbortSignal) => Promise<void>,
  failed: (error: unknown, signal: AbortSignal) => void,
): Repeated {
  const stopped = new AbortController();
  const { signal } = stopped;
  const loop = async () => {
    while (!signal.aborted) {
      await once(signal).catch((error: unknown) => failed(error, signal));
      await clock.sleep(everyMs, { signal }).catch(() => {});
    }
  };
  const running = loop();
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
