/**
 * What a schedule must know of a kind of target before lowering. Separate from `TargetDef`, so commands that lower nothing do not
 * load lowering.
 */
import type { Target } from "@warpfarm/common";
import type { Schedule } from "../schedule/schedule.ts";
import type { LoopRef, StageRef } from "../schedule/state.ts";
import type { ComputeOp } from "../te/graph.ts";
import type { Limits } from "../verify/limits.ts";

export interface LaunchDef {
  readonly limits: (target: Target) => Omit<Limits, "name">;
  /**
   * Spreads a loop of independent iterations over threads or processors: what a default schedule does. Returns the loop of one
   * iteration.
   */
  readonly spread: (schedule: Schedule, loop: LoopRef) => LoopRef;
  /**
   * Tiles a reduction that reads its operands again and again, if the target gains by it. Default schedules use it for large
   * reductions. Returns the stage of the sums. It returns undefined and changes nothing if the op is no such reduction.
   */
  readonly tile?: (schedule: Schedule, op: ComputeOp) => StageRef | undefined;
}
