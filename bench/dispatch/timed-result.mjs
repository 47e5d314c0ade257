/**
 * What every runner of the load reports; `device` undefined for the bytes of a result without its device.
 * @returns {import("@warpfarm/common").TimedResult}
 */
export const timedResult = (artifact, device, timestampMs = 1_750_000_000_000) => ({
  kind: "timed",
  costs: [0.001, 0.0011, 0.0012],
  number: 10,
  busyMs: 1,
  checked: true,
  device,
  observations: {},
  artifact,
  buildMs: 1,
  runMs: 1,
  timestampMs,
  attempt: 1,
});
