/**
 * The rule for what no other rule takes: a thread, or a task of a processor, computes one element after the other, straight from
 * global memory.
 *
 *   out[all]: block, item, thread     items of a thread lie `threads` apart, so that lanes read and write neighbours (CUDA)
 *   out[all]: task, item              items of a task are neighbours (CPU)
 */
import { parseTarget } from "@warpfarm/common";
import type { ComputeOp, LoopRef } from "@warpfarm/compiler/language";
import type { Group } from "./groups.ts";
import { accumulator, fused, knobsOf, type Part } from "./part.ts";
import type { Nest } from "./planned.ts";
import { isSum, sizeOf } from "./stages.ts";

/** Stages of the group that stay in memory; others of it are inlined. */
const storedOf = ({ root, sums, kept }: Group): readonly ComputeOp[] => [...new Set([...sums, ...kept, root])];

/**
 * All stages of a group apart, each with a nest of its own, except that a single reduction is summed where its root needs it.
 * Any op fits.
 */
export function directPart(group: Group, target: string): Part {
  const isCpu = parseTarget(target).kind === "cpu";
  const { root, sums, kept, inside } = group;
  const knobs = knobsOf(root.output.name, {
    threads: isCpu ? [1] : [32, 64, 128, 256, 512],
    items: isCpu ? [1, 8, 64, 512, 4096] : [1, 2, 4, 8],
    unroll_most: sums.length > 0 ? [0, 16, 64] : [0],
  });
  const usual = isCpu ? Math.min(64, Math.ceil(sizeOf(root.axes) / 4)) : 1;
  return {
    rule: "direct",
    knobs: knobs.knobs,
    constraints: [],
    score(values) {
      const { threads, items, unroll_most: unroll } = knobs.of(values);
      return -Math.abs(Math.log2(threads / 128)) - Math.abs(Math.log2(items / usual)) - Math.abs(unroll - 16) / 100;
    },
    apply(schedule, values) {
      const { threads, items, unroll_most: unroll } = knobs.of(values);
      const nest = (op: ComputeOp): LoopRef => {
        const axes = schedule.axes(schedule.stage(op.output.name));
        if (axes.length === 0) return schedule.scanAxes(schedule.stage(op.output.name))[0] as LoopRef;
        const [outer, item, thread] = schedule.split(fused(schedule, axes), [null, items, threads]);
        if (isCpu) schedule.parallel(outer);
        else {
          schedule.bind(outer, "blockIdx.x");
          schedule.bind(item, "vthread");
          schedule.bind(thread, "threadIdx.x");
        }
        return thread;
      };
      /** A reduction in a thread's own array, at a loop of the stage that reads or stores it. */
      const summed = (op: ComputeOp, reader: ComputeOp): void => {
        const sum = accumulator(schedule, op, reader);
        schedule.computeAt(sum, schedule.stage(reader.output.name), nest(reader));
        schedule.pragma(schedule.reduceAxes(sum)[0] as LoopRef, "auto_unroll_max_step", unroll);
      };
      for (const op of inside) schedule.computeInline(schedule.stage(op.output.name));
      if (sums.length === 1 && kept.length === 0) summed(sums[0] as ComputeOp, root);
      else for (const op of storedOf(group)) isSum(op) ? summed(op, op) : nest(op);
    },
  };
}

/** The direct rule for a recurrence: the loop of its steps is serial, in a thread or task for each element beside it. */
export function inOrder(group: Group, target: string): Nest {
  const direct = directPart(group, target);
  return { group, part: direct, direct, why: "its steps are done in order" };
}
