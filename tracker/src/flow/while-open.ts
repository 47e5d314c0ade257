/**
 * Waiters for the end of a call, behind one listener of its signal. A stream of calls has one signal, and adding and removing a
 * listener costs as much as a small message.
 */
export interface Waiting {
  gone(): void;
}

const waiting = new WeakMap<AbortSignal, Set<Waiting>>();

/** `gone` is called when the signal aborts, at once if it has, unless the waiter `leaves` before. */
export function waits(who: Waiting, signal: AbortSignal): void {
  if (signal.aborted) {
    who.gone();
    return;
  }
  const known = waiting.get(signal);
  const all = known ?? new Set();
  all.add(who);
  if (known) return;
  waiting.set(signal, all);
  signal.addEventListener("abort", () => {
    for (const each of [...all]) each.gone();
  });
}

export function leaves(who: Waiting, signal: AbortSignal): void {
  waiting.get(signal)?.delete(who);
}
