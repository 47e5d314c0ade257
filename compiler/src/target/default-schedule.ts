/**
 * The schedule that needs no thought: per op, all spatial loops fused and spread over threads or processors, reduction inside. It
 * uses nothing else, except where that would take seconds: a reduction of much work that reads its operands again and again is
 * tiled, if the target knows how. The order in which an element's terms are added is the same. The reference that candidates are
 * checked against is this schedule, with sums of floats in float64.
 */
import { canonicalJson, isFloat, parseTarget } from "@warpfarm/common";
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

/** Is every step of its sum rounded to fewer digits than float64 has? */
const isRounded = ({ combiner, output: { dtype } }: ComputeOp): boolean =>
  combiner === "sum" && isFloat(dtype) && dtype !== "float64";

/** The schedule with the ops of `tiled` in tiles; undefined when the target cannot tile one of them. */
function scheduleOf(graph: Graph, target: string, tiled: readonly ComputeOp[], isReference: boolean): Schedule | undefined {
  const schedule = createSchedule(graph);
  const { spread, tile } = launches.of(parseTarget(target).kind);
  for (const op of graph.ops) {
    if (tiled.includes(op)) {
      const sums = tile?.(schedule, op);
      if (sums === undefined) return undefined;
      if (isReference && isRounded(op)) schedule.setDtype(sums, "float64");
      continue;
    }
    const out = schedule.stage(op.output.name);
    const axes = schedule.axes(out);
    // Nothing of a scan along its only axis runs beside another.
    if (axes.length === 0) continue;
    const loop = spread(schedule, axes.length > 1 ? schedule.fuse(axes) : (axes[0] as LoopRef));
    if (!isReference || !isRounded(op)) continue;
    const sums = schedule.cacheWrite(out, "local");
    schedule.computeAt(sums, out, loop);
    schedule.setDtype(sums, "float64");
  }
  return schedule;
}

/** The most shared memory of a block. */
const mostSharedBytes = 48 << 10;

/** Can this op be tiled, and can the target launch the result? */
function fits(graph: Graph, target: string, op: ComputeOp, isReference: boolean): boolean {
  try {
    const schedule = scheduleOf(graph, target, [op], isReference);
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

function standardSchedule(graph: Graph, target: string, least: number, isReference: boolean): Schedule {
  const tiled = graph.ops.filter((op) => termsOf(op) >= least && fits(graph, target, op, isReference));
  return scheduleOf(graph, target, tiled, isReference) as Schedule;
}

/** `target` as in `cuda/sm_90` or `cpu/x86-64-v3`. `least`: number of terms from which a stage is tiled. */
export const defaultSchedule = (graph: Graph, target: string, least = manyTerms): Schedule =>
  standardSchedule(graph, target, least, false);

/**
 * The same with sums of floats in float64, rounded once: a serial sum in float32 can err by more than every right kernel does, in
 * one direction at that, and would refuse them.
 */
export const referenceSchedule = (graph: Graph, target: string, least = manyTerms): Schedule =>
  standardSchedule(graph, target, least, true);

/** The primitives of references. A trace with any other is not one, and most candidates have others. */
const usedOps: ReadonlySet<string> = new Set([
  ...["cache_read", "cache_write", "split", "reorder", "fuse", "bind", "compute_at", "set_dtype", "storage_align", "parallel"],
]);

/** Is this the trace of references? All their stages are buffers. */
export function isReferenceTrace(graph: Graph, target: string, trace: readonly TraceStep[]): boolean {
  if (trace.some(({ op }) => !usedOps.has(op))) return false;
  const { trace: own } = referenceSchedule(graph, target);
  return own.length === trace.length && canonicalJson(own) === canonicalJson(trace);
}
