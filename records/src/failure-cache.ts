/**
 * Which recorded failures replace a measurement. Program, kind of device and driver must be the same, and so must the reference
 * with which a run's output is compared: an answer is wrong for the two of them. Every builder must have the toolchain: a record
 * that names none stands for nothing. The failure must be measured and final; a fault of the farm (error 8) says nothing about
 * the program. A time-out counts for limits up to its own. A verdict expires, because compilers, drivers and machines change
 * without a new name.
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
  const { result, options, device, origin, toolchain = "" } = record;
  if (result.kind !== "failed" || result.errorNo === measureErrorNo.UNKNOWN_ERROR) return false;
  if (record.program !== query.program || nowMs - record.timestampMs >= failureExpiresMs) return false;
  if (origin.kind === "imported" && query.origin !== "any") return false;
  if (!query.toolchains.has(toolchain)) return false;
  // A program that did not build never met a device.
  if (!buildFailures.has(result.errorNo)) {
    if (record.reference !== query.reference) return false;
    if (device?.key !== query.device || device.name !== query.deviceName || device.driver !== query.driver) return false;
  }
  if (result.errorNo === measureErrorNo.BUILD_TIMEOUT) return (options?.buildTimeoutMs ?? 0) >= query.buildTimeoutMs;
  if (result.errorNo === measureErrorNo.RUN_TIMEOUT) return (options?.runTimeoutMs ?? 0) >= query.runTimeoutMs;
  return true;
}
