/**
 * The schedule that needs no thought: per op, all spatial loops fused and spread over threads or processors, reduction inside. It
 * is the reference that candidates are checked against, so it uses nothing else, except where that would take seconds: a
 * reduction of much work that reads its operands again and again is tiled, if the target knows how. The order in which an
 * element's terms are added is the same.
 */
import { canonicalJson, parseTarget } from "@warpfarm/common";
import { ScheduleError } from "../schedule/error.ts";
import { infer } from "../schedule/infer.ts";
import { createSchedule, type Schedule } from "../schedule/schedule.ts";
import type { LoopRef } from "../schedule/state.ts";
import type { TraceStep } from "../schedule/trace.ts";
import type { ComputeOp, Graph } from "../te/graph.ts";
import { verifyLimits } from "../verify/limits.ts";
import { gpuLimits } from "./gpu-limits.ts";
import { launches } from "./launches.ts";

/** Terms of a stage's sums from which it is tiled. With fewer, one thread per element takes some ms. */
const manyTerms = 5e8;

const termsOf = ({ axes, reduce }: ComputeOp): number => [...axes, ...reduce].reduce((n, { extent }) => n * extent, 1);

/** The schedule with the ops of `tiled` in tiles; undefined when the target cannot tile one of them. */
function scheduleOf(graph: Graph, target: string, tiled: readonly ComputeOp[]): Schedule | undefined {
  const schedule = createSchedule(graph);
  const { spread, tile } = launches.of(parseTarget(target).kind);
  for (const op of graph.ops) {
    if (tiled.includes(op)) {
      if (!tile?.(schedule, op)) return undefined;
      continue;
    }
    const axes = schedule.axes(schedule.stage(op.output.name));
    spread(schedule, axes.length > 1 ? schedule.fuse(axes) : (axes[0] as LoopRef));
  }
  return schedule;
}

/** The most shared memory of a block. */
const mostSharedBytes = 48 << 10;

/** Whether this op can be tiled, and the target can launch the result. */
function fits(graph: Graph, target: string, op: ComputeOp): boolean {
  try {
    const schedule = scheduleOf(graph, target, [op]);
    const inferred = schedule && infer(schedule.state);
    if (!inferred?.ok) return false;
    const limits = gpuLimits(target);
    const sharedBytesPerBlock = Math.min(limits.sharedBytesPerBlock, mostSharedBytes);
    return verifyLimits(inferred.value, { ...limits, sharedBytesPerBlock }).length === 0;
  } catch (error) {
    if (error instanceof ScheduleError) return false;
    throw error;
  }
}

/** `target` as in `cuda/sm_90` or `cpu/x86-64-v3`. `least`: number of terms from which a stage is tiled. */
export function defaultSchedule(graph: Graph, target: string, least = manyTerms): Schedule {
  const tiled = graph.ops.filter((op) => termsOf(op) >= least && fits(graph, target, op));
  return scheduleOf(graph, target, tiled) as Schedule;
}

/** The primitives of default schedules. */
const usedOps: ReadonlySet<string> = new Set([
  ...["cache_read", "cache_write", "split", "reorder", "fuse", "bind", "compute_at", "storage_align", "parallel"],
]);

export function isDefaultTrace(graph: Graph, target: string, trace: readonly TraceStep[]): boolean {
  if (trace.some(({ op }) => !usedOps.has(op))) return false;
  const text = canonicalJson(trace);
  return [manyTerms, Infinity].some((least) => {
    const schedule = defaultSchedule(graph, target, least);
    return schedule.trace.length === trace.length && canonicalJson(schedule.trace) === text;
  });
}
