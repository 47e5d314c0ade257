/**
 * The schedule that needs no thought: per op, all spatial loops fused and spread over threads or processors, reduction inside. It
 * is the reference that candidates are checked against, so it uses nothing else.
 */
import { parseTarget } from "@warpfarm/common";
import { createSchedule, type Schedule } from "../schedule/schedule.ts";
import type { LoopRef } from "../schedule/state.ts";
import type { Graph } from "../te/graph.ts";
import { launches } from "./launches.ts";

/** All its trace ever holds. */
export const defaultSteps: ReadonlySet<string> = new Set(["fuse", "split", "bind", "parallel"]);

/** `target` as in `cuda/sm_90` or `cpu/x86-64-v3`. */
export function defaultSchedule(graph: Graph, target: string): Schedule {
  const schedule = createSchedule(graph);
  const { spread } = launches.of(parseTarget(target).kind);
  for (const op of graph.ops) {
    const axes = schedule.axes(schedule.stage(op.output.name));
    spread(schedule, axes.length > 1 ? schedule.fuse(axes) : (axes[0] as LoopRef));
  }
  return schedule;
}
