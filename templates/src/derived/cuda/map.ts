/** An elementwise stage: neighbours in vectors, a thread each. */
import { type Axis, accessesOf, moveOf } from "@warpfarm/compiler/language";
import type { Group } from "../groups.ts";
import { allowed, fused, knobsOf, type Part } from "../part.ts";
import { hasKind } from "../stages.ts";

export function mapPart({ root }: Group): Part {
  const last = root.axes.at(-1) as Axis;
  const isVector =
    !hasKind(root.body, ["Select"]) &&
    accessesOf(root.body).every((load) => ["none", "next"].includes(moveOf(load, last.loopVar).kind));
  const knobs = knobsOf(root.output.name, {
    threads: [64, 128, 256, 512],
    vector: allowed([1, 2, 4], (lanes) => lanes === 1 || (isVector && last.extent % lanes === 0)),
    items: [1, 2, 4],
  });
  return {
    rule: "map",
    knobs: knobs.knobs,
    constraints: [],
    score(values) {
      const { threads, vector, items } = knobs.of(values);
      return vector - Math.abs(Math.log2(threads / 256)) - items / 10;
    },
    apply(schedule, values) {
      const { threads, vector, items } = knobs.of(values);
      const all = fused(schedule, schedule.axes(schedule.stage(root.output.name)));
      const [block, item, thread, lane] = schedule.split(all, [null, items, threads, vector]);
      schedule.bind(block, "blockIdx.x");
      schedule.bind(item, "vthread");
      schedule.bind(thread, "threadIdx.x");
      if (vector > 1) schedule.vectorize(lane);
    },
  };
}
