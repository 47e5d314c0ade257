/** Softmax, norms and the like on a CPU: a task takes some rows, and what a row needs is computed at the row. */
import { dtypeBits } from "@warpfarm/common";
import { accessesOf, type ComputeOp, type LoopRef } from "@warpfarm/compiler/language";
import { vectorUnit } from "../../built-in/vector-unit.ts";
import type { Group } from "../groups.ts";
import { allowed, knobsOf, type Part, rowLoops } from "../part.ts";
import { hasKind, powerIn, sizeOf } from "../stages.ts";
import { sumInLanes } from "./lanes.ts";
import { vectorized } from "./map.ts";

export function rowsPart({ root, sums, kept: all, inside }: Group, target: string): Part {
  const name = root.output.name;
  const [sum] = sums as readonly [ComputeOp, ...ComputeOp[]];
  const columns = sizeOf(sum.reduce);
  const most = Math.min(
    ...[root, ...sums].map(({ output }) => (vectorUnit(target).lanes * 32) / Math.max(32, dtypeBits(output.dtype))),
  );
  const inLast = powerIn(Math.min(columns, root.axes.findLast(({ extent }) => extent > 1)?.extent ?? 1));
  const whole = [1, 2, 4].map((vectors) => vectors * most).filter((lanes) => columns % lanes === 0);
  const [first = powerIn(columns), ...others] = whole;
  const knobs = knobsOf(name, {
    lanes: [first, ...others],
    rows: allowed([1, 2, 4, 8], (rows) => rows <= sizeOf(sum.axes)),
  });
  /** Others are read once, or are their operand's elements. */
  const kept = all.filter(({ body, output }) => {
    const readers = [...sums, ...all, root].filter((op) => accessesOf(op.body).some(({ buffer }) => buffer === output));
    return body.kind !== "Load" && readers.length > 1;
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
      for (const { output } of [...inside, ...all.filter((op) => !kept.includes(op))])
        schedule.computeInline(schedule.stage(output.name));
      const out = schedule.stage(name);
      const loops = rowLoops(schedule, { root, sums });
      const [task, row] = schedule.split(loops.rows, [null, rows]);
      schedule.parallel(task);
      const inVector = Math.min(lanes, inLast);
      vectorized(schedule, loops.columns, inVector);
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
