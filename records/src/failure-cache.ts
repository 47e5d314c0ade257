/**
 * Which failures stand for a measurement that is to be made: those of the same program, toolchain, kind of device and driver,
 * measured, and final: a fault of the farm (error 8) says nothing of the program. A time-out counts for limits up to its own. A
 * verdict expires, for compilers, drivers and machines change under their names.
 */
import { measureErrorNo } from "@warpfarm/common";
import type { FailureQuery } from "./store.ts";
import type { TuningRecord } from "./tuning-record.ts";

export const failureExpiresMs = 7 * 24 * 3_600_000;

const buildFailures: ReadonlySet<number> = new Set([
  measureErrorNo.COMPILE_HOST,
  measureErrorNo.COMPILE_DEVICE,
  measureErrorNo.BUILD_TIMEOUT,
]);

export function stands(record: TuningRecord, query: FailureQuery, nowMs: number): boolean {
  const { result, options, device, origin, toolchain } = record;
  if (result.kind !== "failed" || result.errorNo === measureErrorNo.UNKNOWN_ERROR) return false;
  if (record.program !== query.program || nowMs - record.timestampMs >= failureExpiresMs) return false;
  if (origin.kind === "imported" && query.origin !== "any") return false;
  if (toolchain !== query.toolchain) return false;
  // What did not build never met a device.
  if (!buildFailures.has(result.errorNo)) {
    if (device?.key !== query.device || device.name !== query.deviceName || device.driver !== query.driver) return false;
  }
  if (result.errorNo === measureErrorNo.BUILD_TIMEOUT) return (options?.buildTimeoutMs ?? 0) >= query.buildTimeoutMs;
  if (result.errorNo === measureErrorNo.RUN_TIMEOUT) return (options?.runTimeoutMs ?? 0) >= query.runTimeoutMs;
  return true;
}
