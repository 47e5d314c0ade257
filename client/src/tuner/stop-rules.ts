/**
 * When a run ends before its trials are used up. Nothing new is submitted then; what is in flight still lands and counts. Of a
 * resumed run the device time and the trials since the best include those of the log, the wall time does not.
 *
 *   patience        this many results in a row have not improved the best one (AutoTVM's early_stopping: with nothing valid, from
 *                   the first)
 *   device_seconds  devices have been busy with this run for this time, builds and queues not counted
 *   wall_seconds    this time has passed since the run began
 */
export interface StopRules {
  readonly patience?: number;
  readonly deviceSeconds?: number;
  readonly wallSeconds?: number;
}

/** `budget`: whoever divides the farm among searches gives this one no more (pace.ts). */
export type StopReason = "patience" | "device_seconds" | "wall_seconds" | "budget";

export interface Spent {
  readonly sinceBest: number;
  readonly deviceSeconds: number;
  readonly wallSeconds: number;
}

export function stopReason(rules: StopRules, spent: Spent): StopReason | undefined {
  const { patience, deviceSeconds, wallSeconds } = rules;
  if (patience !== undefined && spent.sinceBest >= patience) return "patience";
  if (deviceSeconds !== undefined && spent.deviceSeconds >= deviceSeconds) return "device_seconds";
  if (wallSeconds !== undefined && spent.wallSeconds >= wallSeconds) return "wall_seconds";
  return undefined;
}
