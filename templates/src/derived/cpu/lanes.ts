/**
 * Reductions over neighbours in memory on a CPU: each lane of a vector sums a part (rfactor), and the parts are added at the end.
 */
import { dtypeBits } from "@warpfarm/common";
import type { ComputeOp, LoopRef, Schedule, StageRef } from "@warpfarm/compiler/language";
import { vectorUnit } from "../../built-in/vector-unit.ts";
import type { Group } from "../groups.ts";
import { accumulator, allowed, fused, knobsOf, type Part } from "../part.ts";
import { powerIn, sizeOf } from "../stages.ts";

/** Divides a reduction among lanes. `place` computes a stage at its loop. */
export function sumInLanes(
  schedule: Schedule,
  sum: StageRef,
  rank: number,
  lanes: number,
  place: (stage: StageRef) => void,
): void {
  if (lanes > 1) {
    const [, lane] = schedule.split(fused(schedule, schedule.reduceAxes(sum)), [null, lanes]);
    const part = schedule.rfactor(lane, rank);
    // Vectors alone touch the sums, so that they stay in registers; the sum over lanes reads a copy.
    const own = schedule.cacheWrite(part, "local");
    schedule.setScope(part, "local");
    place(part);
    place(own);
    schedule.vectorize(schedule.axes(part).at(-1) as LoopRef);
    const across = schedule.axes(own).at(-1) as LoopRef;
    schedule.reorder([...schedule.reduceAxes(own), across]);
    schedule.vectorize(across);
    for (const loop of schedule.reduceAxes(sum)) schedule.unroll(loop);
  }
  place(sum);
}

/** Vectors of a type, or fewer lanes where they divide neither the terms nor leave a small rest. */
export const lanesOf = (terms: number, most: number): readonly [number, ...number[]] => {
  const several = [1, 2, 4].map((vectors) => vectors * most).filter((lanes) => terms % lanes === 0 || terms > 2 * lanes);
  const [first = 1, ...rest] = [...new Set([1, Math.min(64, powerIn(terms)), ...several])].sort((a, b) => a - b);
  return [first, ...rest];
};

export function lanesPart({ root, sums, inside }: Group, target: string): Part {
  const sum = sums[0] as ComputeOp;
  const most = (vectorUnit(target).lanes * 32) / dtypeBits(sum.output.dtype);
  const knobs = knobsOf(sum.output.name, {
    lanes: lanesOf(sizeOf(sum.reduce), most),
    items: allowed([1, 4, 16, 64], (items) => items <= sizeOf(sum.axes)),
  });
  return {
    rule: "sum in lanes",
    knobs: knobs.knobs,
    constraints: [],
    score(values) {
      const { lanes, items } = knobs.of(values);
      return Math.log2(Math.min(lanes, 2 * most)) - Math.abs(Math.log2(items / 16)) / 4;
    },
    apply(schedule, values) {
      const { lanes, items } = knobs.of(values);
      for (const { output } of inside) schedule.computeInline(schedule.stage(output.name));
      const own = accumulator(schedule, sum, root);
      const out = schedule.stage(root.output.name);
      const [task, item] = schedule.split(fused(schedule, schedule.axes(out)), [null, items]);
      schedule.parallel(task);
      sumInLanes(schedule, own, sum.axes.length, lanes, (stage) => schedule.computeAt(stage, out, item));
    },
  };
}
