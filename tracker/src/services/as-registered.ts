/**
 * A worker's outcome may claim only what the worker registered: a result's device is one of its devices, with the registered
 * facts, a failed build's toolchain is one of its own, and its time lies between the registration and now. A changed result is
 * encoded anew. A result of an honest worker with a correct clock is unchanged.
 */
import { type DeviceFacts, type MeasureResult, toolchainsOf } from "@warpfarm/common";
import type { Outcome, RunnerDevice } from "@warpfarm/proto";
import type { HeldOutcome } from "../store/sql/report.ts";
import type { WorkerRow } from "../store/sql/workers.ts";

/** Returns the same list when all are unchanged, which is the usual case. */
export function asRegistered(outcomes: readonly Outcome[], row: WorkerRow, now: number): readonly HeldOutcome[] {
  let changed: HeldOutcome[] | undefined;
  for (let i = 0; i < outcomes.length; i++) {
    const outcome = outcomes[i] as Outcome;
    if (outcome.kind === "run" && isHonest(outcome.result, row, now)) continue;
    changed ??= [...outcomes];
    changed[i] = corrected(outcome, row, now);
  }
  return changed ?? outcomes;
}

/** Whether the outcome is unchanged, for a worker with one device. */
function isHonest({ device, timestampMs }: MeasureResult, { facts, registeredMs }: WorkerRow, now: number): boolean {
  if (facts.kind !== "runner" || facts.devices.length !== 1 || timestampMs < registeredMs || timestampMs > now) return false;
  return device === undefined || isSame(device, (facts.devices[0] as RunnerDevice).facts);
}

function corrected(outcome: Outcome, { facts, registeredMs }: WorkerRow, now: number): HeldOutcome {
  const boundTime = (ms: number) => Math.min(Math.max(ms, registeredMs), now);
  if (outcome.kind === "build_failed") {
    const { device: _none, toolchain, ...result } = outcome.result;
    const isRegistered = facts.kind === "builder" && toolchain !== undefined && toolchainsOf(facts).includes(toolchain);
    const bound = { ...result, timestampMs: boundTime(result.timestampMs), ...(isRegistered ? { toolchain } : {}) };
    return { ...outcome, result: bound };
  }
  if (outcome.kind !== "run" || facts.kind !== "runner") return outcome;
  const { leaseId, epoch, kind, result } = outcome;
  const { devices } = facts;
  const timestampMs = boundTime(result.timestampMs);
  const registered = registeredDevice(devices, result.device);
  const of = devices.length > 1 && registered && result.device ? { device: registered.device } : {};
  const isAsRegistered = !result.device || (registered && isSame(result.device, registered.facts));
  if (isAsRegistered && timestampMs === result.timestampMs) return devices.length > 1 ? { ...outcome, ...of } : outcome;
  return { leaseId, epoch, kind, result: withDevice({ ...result, timestampMs }, registered?.facts), ...of };
}

/** The device that it names; for a worker with one device always that one. */
const registeredDevice = (devices: readonly RunnerDevice[], claimed: DeviceFacts | undefined): RunnerDevice | undefined =>
  devices.find((d) => d.facts.uuid === claimed?.uuid) ?? devices[0];

const isSame = (a: DeviceFacts, b: DeviceFacts): boolean =>
  a.uuid === b.uuid && a.key === b.key && a.name === b.name && a.node === b.node && a.driver === b.driver;

const withDevice = (result: MeasureResult, device: DeviceFacts | undefined): MeasureResult =>
  result.device && device ? { ...result, device } : result;
