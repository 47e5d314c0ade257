/** Matrix product on tensor cores of few rows or few tiles (latency-schedule.ts). matmul_latency_2 has these configs and more. */
import { defineTemplate } from "../define-template.ts";
import { latencyKnobs, latencyTemplate, scheduleLatency } from "./latency-schedule.ts";

export const matmulLatency = defineTemplate({
  ...latencyTemplate,
  name: "matmul_latency",
  summary: "matrix product float16 or bfloat16 of few rows or few tiles on tensor cores, the sum split over the warps of a block",
  space: (space) => latencyKnobs(space),
  schedule: (sch, knobs, { args }) => scheduleLatency(sch, { ...knobs, own: 0 }, args),
});
