import { after, type Clock } from "@warpfarm/common";
import type { StopRules } from "../tuner/stop-rules.ts";

const longestTimerMs = 2 ** 31 - 1;

/**
 * Calls `act` when the wall time is over that begins now. One of more than 24 days, the longest of a timer, is seen at the next
 * result.
 */
export const whenTimeIsOver = (
  clock: Clock,
  { wallSeconds = Number.POSITIVE_INFINITY }: StopRules,
  act: () => void,
): Disposable =>
  // Timers may be early by less than a millisecond.
  after(clock, Math.min(1000 * wallSeconds + 1, longestTimerMs), act);
