/** The error of a program that stops something itself: one FarmError. */
import { FarmError } from "@warpfarm/common";

/** Why `what` ends early, by its signal: the farm's own words, or that the program stopped it. */
export function stopped(what: string, signal: AbortSignal): FarmError {
  const { reason } = signal;
  if (reason instanceof FarmError) return reason;
  // Only the name of an abort without a reason, or of AbortSignal.timeout, is useful.
  const why = reason instanceof DOMException ? reason.name : reason instanceof Error ? reason.message : String(reason);
  return new FarmError("CANCELLED", `${what} was stopped by its signal: ${why}`, { cause: reason });
}

/** Does the work. Any error after an abort is the abort. */
export async function heeding<T>(what: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw stopped(what, signal);
  try {
    return await work();
  } catch (error) {
    throw signal.aborted ? stopped(what, signal) : error;
  }
}
