/**
 * When a run ends before its trials are used up. Nothing new is submitted then. What is in flight still lands and counts where
 * the results say that it is enough; where a time is over it is withdrawn. Of a resumed run the device time and the trials since
 * the best include those of the log, the wall time does not.
 *
 *   patience        this many results in a row have not improved the best one (AutoTVM's early_stopping: with nothing valid, from
 *                   the first)
 *   until           the last `untilResults` results have not made the best time shorter than this share of what it was
 *   device_seconds  devices have been busy with this run for this time, builds and queues not counted
 *   wall_seconds    this time has passed since the run began
 */
export interface StopRules {
  readonly patience?: number;
  readonly until?: number;
  readonly deviceSeconds?: number;
  readonly wallSeconds?: number;
}

/**
 * Results after which a gain that did not come is not expected any more. On the recorded spaces of client/test/spaces nine in ten
 * searches of `auto` that stop so are as near to the optimum as they were asked to be, for shares of 0.9 to 0.98.
 * The model's own expected improvement says no more: it stops as late where it is as often right.
 */
export const untilResults = 80;

/** `budget`: whoever divides the farm among searches gives this one no more (pace.ts). */
export type StopReason = "patience" | "until" | "device_seconds" | "wall_seconds" | "budget";

export interface Spent {
  readonly sinceBest: number;
  /** keptOver of the best times so far. */
  readonly kept: number | undefined;
  readonly deviceSeconds: number;
  readonly wallSeconds: number;
}

export function stopReason(rules: StopRules, spent: Spent): StopReason | undefined {
  const { patience, until, deviceSeconds, wallSeconds } = rules;
  if (patience !== undefined && spent.sinceBest >= patience) return "patience";
  if (until !== undefined && spent.kept !== undefined && spent.kept >= until) return "until";
  if (deviceSeconds !== undefined && spent.deviceSeconds >= deviceSeconds) return "device_seconds";
  if (wallSeconds !== undefined && spent.wallSeconds >= wallSeconds) return "wall_seconds";
  return undefined;
}

/** The best time over the best one `untilResults` results ago. Undefined while nothing had a time then: its best is Infinity. */
export function keptOver(bestAfter: ArrayLike<number>): number | undefined {
  const before = bestAfter[bestAfter.length - 1 - untilResults] ?? Number.POSITIVE_INFINITY;
  return before === Number.POSITIVE_INFINITY ? undefined : (bestAfter[bestAfter.length - 1] as number) / before;
}
