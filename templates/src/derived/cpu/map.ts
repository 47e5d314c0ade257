/** An elementwise stage on a CPU: tasks of some vectors. */
import { dtypeBits } from "@warpfarm/common";
import { accessesOf, type LoopRef, moveOf, type Schedule } from "@warpfarm/compiler/language";
import { vectorUnit } from "../../built-in/vector-unit.ts";
import type { Group } from "../groups.ts";
import { allowed, fused, knobsOf, type Part } from "../part.ts";
import { hasKind, isAtOwnAxes, powerIn, sizeOf } from "../stages.ts";

/** Elements after which another task costs nothing. */
const usualElements = 512;

export function mapPart({ root }: Group, target: string): Part {
  const { output, axes, body } = root;
  const last = axes.at(-1) as (typeof axes)[number];
  const loads = accessesOf(body);
  const isStraight = !hasKind(body, ["Select"]);
  /** All tensors lie as the result does, so that one loop goes over all elements. */
  const isFlat = isStraight && loads.every((load) => load.indices.length === axes.length && isAtOwnAxes(root, load));
  const most = (vectorUnit(target).lanes * 32) / Math.max(32, dtypeBits(output.dtype));
  const isVector = isStraight && loads.every((load) => ["none", "next"].includes(moveOf(load, last.loopVar).kind));
  const lanes = isVector ? Math.min(most, powerIn(isFlat ? sizeOf(axes) : last.extent)) : 1;
  const knobs = knobsOf(output.name, {
    items: allowed([1, 4, 16, 64, 256], (items) => items === 1 || items * lanes * 2 <= sizeOf(axes)),
  });
  return {
    rule: "map",
    knobs: knobs.knobs,
    constraints: [],
    score: (values) => -Math.abs(Math.log2((knobs.of(values).items * lanes) / usualElements)),
    apply(schedule, values) {
      const { items } = knobs.of(values);
      const loops = schedule.axes(schedule.stage(output.name));
      if (isFlat || loops.length === 1) {
        const [task, , lane] = schedule.split(fused(schedule, loops), [null, items, lanes]);
        schedule.parallel(task);
        if (lanes > 1) schedule.vectorize(lane);
        return;
      }
      const rows = sizeOf(axes.slice(0, -1));
      const each = Math.max(1, Math.min(rows, Math.round((items * lanes) / last.extent)));
      schedule.parallel(schedule.split(fused(schedule, loops.slice(0, -1)), [null, each])[0]);
      vectorized(schedule, loops.at(-1) as LoopRef, lanes);
    },
  };
}

/** Cuts lanes from a loop, where there is more than one. */
export function vectorized(schedule: Schedule, loop: LoopRef, lanes: number): void {
  if (lanes > 1) schedule.vectorize(schedule.split(loop, [null, lanes])[1]);
}
