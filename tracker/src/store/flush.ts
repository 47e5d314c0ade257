/**
 * One flush for all who ask while the one before is under way, or in the same turn of the event loop. What was committed before somebody
 * asks is committed before the flush begins that he waits for.
 */

/** `flush` runs once at a time. Each caller gets the outcome of one that began after the call. */
export function shared(flush: () => Promise<void>): () => Promise<void> {
  let under: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const begin = async () => {
    await under;
    await new Promise((resolve) => setImmediate(resolve));
    next = undefined;
    const work = flush();
    under = work.catch(() => {});
    await work;
  };
  return () => {
    next ??= begin();
    return next;
  };
}
