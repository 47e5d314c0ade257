/**
 * matmul_latency with more to choose. Its knobs come first and the new one's first entry is what it does, so a config of
 * matmul_latency has the same index, entries and program here.
 */
import { defineTemplate } from "../define-template.ts";
import { latencyKnobs, latencyTemplate, scheduleLatency } from "./latency-schedule.ts";

export const matmulLatency2 = defineTemplate({
  ...latencyTemplate,
  name: "matmul_latency_2",
  summary: "matmul_latency with more to choose: warps that copy their own shares, and wait for no other before they multiply",
  space: (space) => ({ ...latencyKnobs(space), own: space.choice("own", [0, 1]) }),
  schedule: (sch, knobs, { args }) => scheduleLatency(sch, knobs, args),
});
