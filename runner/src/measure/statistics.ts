/**
 * How many runs make one batch: AutoTVM's time_evaluator (WrapTimeEvaluator in TVM's runtime), with two changes: the state lives
 * for one candidate only, and a batch is never made longer than a second on purpose.
 */
/** A batch is not grown beyond this: a larger min_repeat_ms buys nothing but waiting. */
const maxBatchMs = 1_000;

/** After this many batches in which the timer did not move the kernel has no measurable time. */
export const zeroTimeBatches = 100;

/**
 * Runs of the next batch when `number` runs took `elapsedMs` > 0: enough for `minRepeatMs`, at least the golden ratio more. Equal
 * to `number` when the cap of a second leaves no room to grow.
 */
export function nextNumber(number: number, elapsedMs: number, minRepeatMs: number): number {
  const grown = Math.trunc(Math.max(minRepeatMs / (elapsedMs / number) + 1, number * 1.618));
  const cap = Math.trunc(maxBatchMs / (elapsedMs / number));
  return Math.max(number, Math.min(grown, cap));
}

/** A run this much slower than the incumbent is not going to win; the mean of a whole batch decides, so one hiccup does not. */
export const clearlySlower = 1.5;
