/** Audits a candidate that was timed, where its job says so. */
import { medianSeconds, type Seconds } from "@warpfarm/common";
import type { DeviceApi, DeviceDescription } from "../device/device-api.ts";
import { audit, roundsFor, setsFor } from "../measure/audit.ts";
import type { Failure } from "../measure/batches.ts";
import type { Judged } from "../measure/judged.ts";
import type { MeasureHooks, Timing } from "../measure/measure.ts";
import { isSuspect, suspected } from "../measure/suspicion.ts";
import { AuditMemory, type AuditSource, bytesOfSet } from "./audit-memory.ts";
import type { JudgedRequest } from "./messages.ts";

const mostBytes = 4 * 2 ** 30;
/** The part of a device's memory that an audit takes at most. */
const mostOfMemory = 1 / 16;
/** A time is suspected when it was too fast for as many audits. */
const audits = 2;

interface AuditContext {
  readonly device: DeviceApi;
  readonly hooks: MeasureHooks;
  readonly description: DeviceDescription;
  /** Milliseconds of the reference kernel. */
  readonly referenceMs: number;
}

/** The timing with the audit's costs; or why it is none. Throws DeviceError. */
export async function audited(
  timing: Timing,
  judged: Judged,
  source: AuditSource,
  { options, judged: { leaseSecret } }: JudgedRequest,
  { device, hooks, description, referenceMs }: AuditContext,
): Promise<Timing | Failure> {
  if (timing.judged === undefined || "not" in timing.judged) return timing;
  const bytes = bytesOfSet(source);
  const room = Math.min(mostBytes, description.memoryBytes * mostOfMemory);
  await hooks.enter("check");
  const times = { runMs: medianSeconds(timing.costs) * 1e3, referenceMs };
  using memory = new AuditMemory(device, source, setsFor(bytes, room, times));
  const repeat = roundsFor(timing.costs.length, memory.sets.length, times);
  const all: Seconds[] = [];
  for (let done = 1; ; done++) {
    const round = await audit(device, memory, judged.reload, judged.draws, { ...options, repeat }, hooks);
    if ("kind" in round) return { ...round, busyMs: timing.busyMs };
    const { costs, sets } = round;
    const scored = timing.costs;
    all.push(...costs);
    const { target } = source.reference.manifest;
    const found = { scored, audited: all, bytes, target, name: description.facts.name };
    if (!isSuspect(found))
      return { ...timing, costs, number: sets, judged: { ...timing.judged, audit: { sets, secret: leaseSecret, scored } } };
    if (done === audits) return { ...suspected(found, sets), busyMs: timing.busyMs };
  }
}
