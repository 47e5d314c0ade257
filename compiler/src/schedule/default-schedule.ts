/**
 * The schedule that needs no thought: per op, all spatial loops fused and spread over threads or processors, reduction inside. It is the
 * reference that candidates are checked against (design §3a), so it uses nothing else.
 */
import { backendOf } from "@warpfarm/common";
import type { Graph } from "../te/graph.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import type { LoopRef } from "./state.ts";

/** Threads of a block; the last block is guarded. */
const threads = 256;

/** All its trace ever holds. */
export const defaultSteps: ReadonlySet<string> = new Set(["fuse", "split", "bind", "parallel"]);

/** `target` as in `cuda/sm_90` or `cpu/x86-64-v3`. */
export function defaultSchedule(graph: Graph, target: string): Schedule {
  const schedule = createSchedule(graph);
  const onCuda = backendOf(target) === "cuda";
  for (const op of graph.ops) {
    const axes = schedule.axes(schedule.stage(op.output.name));
    const fused = axes.length > 1 ? schedule.fuse(axes) : (axes[0] as LoopRef);
    if (!onCuda) {
      schedule.parallel(fused);
      continue;
    }
    const [block, thread] = schedule.split(fused, [null, threads]) as [LoopRef, LoopRef];
    schedule.bind(block, "blockIdx.x");
    schedule.bind(thread, "threadIdx.x");
  }
  return schedule;
}
