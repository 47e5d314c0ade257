/** What a schedule must know of a kind of target before lowering. */
import type { Target } from "@warpfarm/common";
import type { Schedule } from "../schedule/schedule.ts";
import type { LoopRef } from "../schedule/state.ts";
import type { ComputeOp } from "../te/graph.ts";
import type { Limits } from "../verify/limits.ts";

export interface LaunchDef {
  readonly limits: (target: Target) => Omit<Limits, "name">;
  /** Spreads a loop of independent iterations over threads or processors: what a default schedule does. */
  readonly spread: (schedule: Schedule, loop: LoopRef) => void;
  /**
   * Tiles a reduction that reads its operands again and again, if the target gains by it. Default schedules use it for large
   * reductions. Returns whether the op is one.
   */
  readonly tile?: (schedule: Schedule, op: ComputeOp) => boolean;
}
