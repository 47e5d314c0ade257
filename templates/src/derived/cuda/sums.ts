/**
 * Reductions that are no products: each sum by a thread (windows), or by a row of threads along memory (means, products with a
 * vector).
 */

import type { LoopRef } from "@warpfarm/compiler/language";
import { type Axis, accessesOf, type ComputeOp, moveOf } from "@warpfarm/compiler/language";
import type { Group } from "../groups.ts";
import { accumulator, allowed, fused, knobsOf, type Part } from "../part.ts";
import { sizeOf } from "../stages.ts";

const leastShared = 32;

export function sumsPart({ root, sums, inside }: Group): Part {
  const sum = sums[0] as ComputeOp;
  const inner = sum.reduce.at(-1) as Axis;
  const terms = sizeOf(sum.reduce);
  const last = root.axes.at(-1) as Axis;
  const isAlong = accessesOf(sum.body).every((load) => ["none", "next"].includes(moveOf(load, inner.loopVar).kind));
  const knobs = knobsOf(sum.output.name, {
    row_threads: allowed(
      [1, 8, 16, 32, 64, 128, 256],
      (threads) => threads === 1 || (isAlong && terms >= leastShared && threads <= terms),
    ),
    threads: [32, 64, 128, 256, 512],
    items: [1, 2, 4, 8],
    along: allowed([1, 2, 4], (elements) => last.extent % elements === 0),
    unroll_most: [0, 16, 64],
  });
  const { names } = knobs;
  return {
    rule: isAlong && terms >= leastShared ? "sums by threads or rows of threads" : "sums by threads",
    knobs: knobs.knobs,
    constraints: [
      `${names.row_threads} == 1 or (${names.row_threads} <= ${names.threads} and ${names.items} == 1 and ${names.along} == 1 and ${names.unroll_most} == 0)`,
    ],
    score(values) {
      const { row_threads, threads, items, along, unroll_most } = knobs.of(values);
      const row = isAlong && terms >= leastShared ? -Math.abs(Math.log2(row_threads / leastShared)) : 0;
      return (
        row - 0.2 * Math.abs(Math.log2(threads / 128)) + (along === 2 ? 0.2 : 0) + (unroll_most === 16 ? 0.1 : 0) - 0.05 * items
      );
    },
    apply(schedule, values) {
      const { row_threads, threads, items, along, unroll_most } = knobs.of(values);
      for (const { output } of inside) schedule.computeInline(schedule.stage(output.name));
      const own = accumulator(schedule, sum, root);
      const out = schedule.stage(root.output.name);
      const axes = schedule.axes(out);
      if (row_threads > 1) {
        const [block, row] = schedule.split(fused(schedule, axes), [null, threads / row_threads]);
        schedule.bind(block, "blockIdx.x");
        schedule.bind(row, "threadIdx.y");
        schedule.computeAt(own, out, row);
        schedule.bind(schedule.split(fused(schedule, schedule.reduceAxes(own)), [null, row_threads])[1], "threadIdx.x");
        return;
      }
      const [outer, neighbour] = schedule.split(axes.at(-1) as LoopRef, [null, along]);
      const [block, item, thread] = schedule.split(fused(schedule, [...axes.slice(0, -1), outer]), [null, items, threads]);
      schedule.bind(block, "blockIdx.x");
      schedule.bind(item, "vthread");
      schedule.bind(thread, "threadIdx.x");
      if (along > 1) schedule.vectorize(neighbour);
      schedule.computeAt(own, out, thread);
      const [reduction, spatial] = [schedule.reduceAxes(own), schedule.axes(own)];
      schedule.reorder([...reduction, ...spatial]);
      for (const loop of spatial) schedule.unroll(loop);
      schedule.pragma(reduction[0] as LoopRef, "auto_unroll_max_step", unroll_most);
    },
  };
}
