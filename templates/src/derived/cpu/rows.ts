/** Softmax, norms and the like on a CPU: a task takes some rows, and what a row needs is computed at the row. */
import { dtypeBits } from "@warpfarm/common";
import type { ComputeOp, LoopRef } from "@warpfarm/compiler/language";
import { vectorUnit } from "../../built-in/vector-unit.ts";
import type { Group } from "../groups.ts";
import { allowed, fused, knobsOf, type Part } from "../part.ts";
import { hasKind, powerIn, sizeOf } from "../stages.ts";
import { sumInLanes } from "./lanes.ts";
import { vectorized } from "./map.ts";

export function rowsPart({ root, sums, kept, inside }: Group, target: string): Part {
  const name = root.output.name;
  const prefix = (sums[0] as ComputeOp).axes.length;
  const columns = sizeOf(root.axes.slice(prefix));
  const most = Math.min(
    ...[root, ...sums].map(({ output }) => (vectorUnit(target).lanes * 32) / Math.max(32, dtypeBits(output.dtype))),
  );
  const inLast = powerIn((root.axes.at(-1) as { extent: number }).extent);
  const whole = [1, 2, 4].map((vectors) => vectors * most).filter((lanes) => columns % lanes === 0);
  const [first = powerIn(columns), ...others] = whole;
  const knobs = knobsOf(name, {
    lanes: [first, ...others],
    rows: allowed([1, 2, 4, 8], (rows) => rows <= sizeOf(root.axes.slice(0, prefix))),
  });
  const held = knobsOf(name, Object.fromEntries(kept.map(({ output }) => [`keep_${output.name}`, ["keep", "again"] as const])));
  const keeps = (op: ComputeOp): string => held.names[`keep_${op.output.name}`] as string;
  return {
    rule: "rows",
    knobs: [...knobs.knobs, ...held.knobs],
    constraints: [],
    score(values) {
      const { lanes, rows } = knobs.of(values);
      // A stage with a function is dearer to compute than to read.
      const right = kept.filter((op) => (values.get(keeps(op)) === "keep") === hasKind(op.body, ["Call"]));
      return (lanes === 2 * most ? 1 : 0) + (rows === 2 ? 0.1 : 0) + right.length;
    },
    apply(schedule, values) {
      const { lanes, rows } = knobs.of(values);
      for (const { output } of inside) schedule.computeInline(schedule.stage(output.name));
      const out = schedule.stage(name);
      const axes = schedule.axes(out);
      const [task, row] = schedule.split(fused(schedule, axes.slice(0, prefix)), [null, rows]);
      schedule.parallel(task);
      const inVector = Math.min(lanes, inLast);
      vectorized(schedule, fused(schedule, axes.slice(prefix)), inVector);
      for (const op of kept) {
        const stage = schedule.stage(op.output.name);
        if (values.get(keeps(op)) === "again") {
          schedule.computeInline(stage);
          continue;
        }
        schedule.computeAt(stage, out, row);
        vectorized(schedule, schedule.axes(stage).at(-1) as LoopRef, inVector);
      }
      for (const op of sums)
        sumInLanes(schedule, schedule.stage(op.output.name), op.axes.length, lanes, (stage) =>
          schedule.computeAt(stage, out, row),
        );
    },
  };
}
