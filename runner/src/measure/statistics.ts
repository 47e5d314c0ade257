/**
 * The number of runs in a batch: AutoTVM's time_evaluator (WrapTimeEvaluator in TVM's runtime) with two changes: the state lives
 * for one candidate only, and no batch is made longer than a second on purpose.
 */
/** A batch does not grow beyond this: a larger min_repeat_ms only adds waiting. */
export const maxBatchMs = 1_000;

/** After this many batches in which the timer did not advance, the kernel has no measurable time. */
export const zeroTimeBatches = 100;

/**
 * Runs of the next batch when `number` runs took `elapsedMs` > 0: enough for `minRepeatMs`, and at least the golden ratio more.
 * Equal to `number` when `mostMs`, the limit of a batch, allows no growth.
 */
export function nextNumber(number: number, elapsedMs: number, minRepeatMs: number, mostMs = maxBatchMs): number {
  const grown = Math.trunc(Math.max(minRepeatMs / (elapsedMs / number) + 1, number * 1.618));
  const cap = Math.trunc(mostMs / (elapsedMs / number));
  return Math.max(number, Math.min(grown, cap));
}
