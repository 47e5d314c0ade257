/** Runs a device until its power is steady, which is when times of the power state `sustained` are taken. */
import type { DeviceApi } from "../device/device-api.ts";
import type { Failure } from "./batches.ts";

/** After this time the repeats begin anyway, and the observations say that the power was not steady. */
export const mostHeatMs = 5_000;
/** The driver's reading is a mean of about this time, so only readings this far apart are independent. */
const apartMs = 1_000;
/** Readings within this share of each other are equal. */
const spread = 0.02;

/**
 * `run` keeps the device busy for a moment. True when two readings a second apart were equal, false when none were before the
 * limit, undefined at once where the device does not tell its power.
 */
export function heat(
  device: Pick<DeviceApi, "powerW">,
  run: () => Failure | undefined,
  monotonic: () => number,
): boolean | undefined | Failure {
  const readings: { readonly atMs: number; readonly watts: number }[] = [];
  for (const begunMs = monotonic(); ; ) {
    const watts = device.powerW();
    if (watts === undefined) return undefined;
    const atMs = monotonic();
    const earlier = readings.findLast((reading) => atMs - reading.atMs >= apartMs);
    if (earlier !== undefined && Math.abs(watts - earlier.watts) <= spread * earlier.watts) return true;
    if (atMs - begunMs >= mostHeatMs) return false;
    readings.push({ atMs, watts });
    const failure = run();
    if (failure !== undefined) return failure;
  }
}
