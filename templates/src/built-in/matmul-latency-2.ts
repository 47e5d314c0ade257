/**
 * matmul_latency with one more knob. The knobs of matmul_latency come first, and the first value of the new knob keeps its
 * behaviour, so a config of matmul_latency has the same index, entries and program here.
 */
import { defineTemplate } from "../define-template.ts";
import { latencyKnobs, latencyTemplate, scheduleLatency } from "./latency-schedule.ts";

export const matmulLatency2 = defineTemplate({
  ...latencyTemplate,
  name: "matmul_latency_2",
  summary: "matmul_latency with more to choose: warps that copy their own shares, and wait for no other before they multiply",
  space: (space) => ({ ...latencyKnobs(space), own: space.choice("own", [0, 1], { absent: 0 }) }),
  schedule: (sch, knobs, { args }) => scheduleLatency(sch, knobs, args),
});
