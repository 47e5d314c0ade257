/**
 * Who waits for the end of a call, as one listener of its signal however many come and go: a stream of calls has one signal, and to add and
 * remove a listener costs as much as a small message.
 */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `gone` when the signal aborts, at once if it has; until the returned function is called. */
export function whileOpen(signal: AbortSignal, gone: () => void): () => void {
  if (signal.aborted) {
    gone();
    return () => {};
  }
  const known = waiting.get(signal);
  const all = known ?? new Set();
  all.add(gone);
  if (!known) {
    waiting.set(signal, all);
    signal.addEventListener("abort", () => {
      for (const each of [...all]) each();
    });
  }
  return () => void all.delete(gone);
}
