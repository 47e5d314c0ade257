/**
 * What a schedule must know of a kind of target before anything is lowered. Apart from `TargetDef`, so that commands which lower
 * nothing load nothing that does.
 */
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
   * Tiles a reduction that reads its operands again and again, where the target gains by it: what a default schedule does to
   * those of much work. Says whether the op is one; if not, nothing was done.
   */
  readonly tile?: (schedule: Schedule, op: ComputeOp) => boolean;
}
