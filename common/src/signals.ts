/** Linked and deadline AbortSignals. Every function that waits takes `{ signal }` last. */
import { after, type Clock } from "./clock.ts";
import { FarmError } from "./farm-error.ts";

/** Aborts when any of the given signals does. Undefined ones are skipped. */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((s) => s !== undefined));
}

/** Aborts after ms with DEADLINE_EXCEEDED that names `what`. Does not keep the process alive. */
export function deadlineSignal(clock: Clock, ms: number, what: string): AbortSignal {
  const controller = new AbortController();
  after(clock, ms, () => controller.abort(new FarmError("DEADLINE_EXCEEDED", `${what} took longer than ${ms} ms`)));
  return controller.signal;
}

/** Rejects with the signal's reason as soon as it aborts; otherwise follows the promise, whose later failure is ignored. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => {});
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
