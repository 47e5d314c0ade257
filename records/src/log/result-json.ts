/**
 * MeasureOptions and MeasureResult in a log line: flat, snake_case, with every field, so that reading a line gives the value that
 * was written. zod checks shapes. Unknown fields are ignored, because a later minor version may add some.
 */
import {
  defined,
  type MeasureErrorNo,
  type MeasureOptions,
  type MeasureResult,
  type Mismatch,
  toArtifactDigest,
} from "@warpfarm/common";
import { z } from "zod";

export const deviceSchema = z.object({
  key: z.string(),
  name: z.string(),
  uuid: z.string(),
  node: z.string(),
  driver: z.string(),
});
/** JSON has no NaN and no infinities. They are written as in proto3 JSON. */
const element = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);
const elementToJson = (value: number) => (Number.isFinite(value) ? value : (String(value) as "NaN"));
const mismatch = z.object({ buffer: z.string(), index: z.number(), expected: element, got: element, count: z.number() });
const mismatchToJson = (m: Mismatch): z.infer<typeof mismatch> => ({
  ...m,
  expected: elementToJson(m.expected),
  got: elementToJson(m.got),
});
const mismatchFromJson = (m: z.infer<typeof mismatch>): Mismatch => ({ ...m, expected: Number(m.expected), got: Number(m.got) });
const observations = z.object({
  sm_clock_mhz: z.number().optional(),
  memory_clock_mhz: z.number().optional(),
  temperature_c: z.number().optional(),
  power_w: z.number().optional(),
  energy_j: z.number().optional(),
  throttle_reasons: z.array(z.string()).optional(),
});
export const optionsSchema = z.object({
  number: z.number(),
  repeat: z.number(),
  min_repeat_ms: z.number(),
  build_timeout_ms: z.number(),
  run_timeout_ms: z.number(),
  cooldown_ms: z.number(),
  l2: z.enum(["warm", "flushed"]),
  timer: z.enum(["cuda_graph", "events", "wall"]),
  check: z.enum(["reference", "none"]),
  cutoff_seconds: z.number().optional(),
});
const phases = {
  build_ms: z.number(),
  run_ms: z.number(),
  timestamp_ms: z.number(),
  attempt: z.number(),
  toolchain: z.string().optional(),
};
export const resultSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("timed"),
    costs: z.array(z.number().positive()).min(1),
    number: z.number(),
    busy_ms: z.number(),
    checked: z.boolean(),
    device: deviceSchema,
    observations,
    artifact: z.string(),
    ...phases,
  }),
  z.object({
    kind: z.literal("failed"),
    error_no: z.number().int().min(1).max(8),
    rule: z.string().optional(),
    message: z.string(),
    log: z.string().optional(),
    mismatch: mismatch.optional(),
    busy_ms: z.number().optional(),
    device: deviceSchema.optional(),
    ...phases,
  }),
]);
type OptionsJson = z.infer<typeof optionsSchema>;
type ResultJson = z.infer<typeof resultSchema>;

export const optionsToJson = (o: MeasureOptions): OptionsJson =>
  defined({
    number: o.number,
    repeat: o.repeat,
    min_repeat_ms: o.minRepeatMs,
    build_timeout_ms: o.buildTimeoutMs,
    run_timeout_ms: o.runTimeoutMs,
    cooldown_ms: o.cooldownMs,
    l2: o.l2,
    timer: o.timer,
    check: o.check,
    cutoff_seconds: o.cutoffSeconds,
  }) as OptionsJson;

export const optionsFromJson = (o: OptionsJson): MeasureOptions => ({
  number: o.number,
  repeat: o.repeat,
  minRepeatMs: o.min_repeat_ms,
  buildTimeoutMs: o.build_timeout_ms,
  runTimeoutMs: o.run_timeout_ms,
  cooldownMs: o.cooldown_ms,
  l2: o.l2,
  timer: o.timer,
  check: o.check,
  ...defined({ cutoffSeconds: o.cutoff_seconds }),
});

export function resultToJson(r: MeasureResult): ResultJson {
  const { buildMs, runMs, timestampMs, attempt, toolchain } = r;
  const end = { build_ms: buildMs, run_ms: runMs, timestamp_ms: timestampMs, attempt, ...defined({ toolchain }) };
  if (r.kind === "failed") {
    const { errorNo, rule, message, log, mismatch: worst, busyMs, device: where } = r;
    return defined({
      kind: "failed" as const,
      error_no: errorNo,
      rule,
      message,
      log,
      mismatch: worst && mismatchToJson(worst),
      busy_ms: busyMs,
      device: where,
      ...end,
    }) as ResultJson;
  }
  const o = r.observations;
  return {
    kind: "timed",
    costs: [...r.costs],
    number: r.number,
    busy_ms: r.busyMs,
    checked: r.checked,
    device: r.device,
    observations: defined({
      sm_clock_mhz: o.smClockMhz,
      memory_clock_mhz: o.memoryClockMhz,
      temperature_c: o.temperatureC,
      power_w: o.powerW,
      energy_j: o.energyJ,
      throttle_reasons: o.throttleReasons && [...o.throttleReasons],
    }) as z.infer<typeof observations>,
    artifact: r.artifact,
    ...end,
  };
}

export function resultFromJson(r: ResultJson): MeasureResult {
  const { build_ms: buildMs, run_ms: runMs, timestamp_ms: timestampMs, attempt, toolchain } = r;
  const end = { buildMs, runMs, timestampMs, attempt, ...defined({ toolchain }) };
  if (r.kind === "failed") {
    const { rule, log, mismatch: worst, busy_ms: busyMs, device: where } = r;
    const errorNo = r.error_no as Exclude<MeasureErrorNo, 0>;
    return {
      kind: "failed",
      errorNo,
      message: r.message,
      ...defined({ rule, log, mismatch: worst && mismatchFromJson(worst), busyMs, device: where }),
      ...end,
    } as MeasureResult;
  }
  const o = r.observations;
  return {
    kind: "timed",
    costs: r.costs,
    number: r.number,
    busyMs: r.busy_ms,
    checked: r.checked,
    device: r.device,
    observations: defined({
      smClockMhz: o.sm_clock_mhz,
      memoryClockMhz: o.memory_clock_mhz,
      temperatureC: o.temperature_c,
      powerW: o.power_w,
      energyJ: o.energy_j,
      throttleReasons: o.throttle_reasons,
    }),
    artifact: toArtifactDigest(r.artifact),
    ...end,
  };
}
