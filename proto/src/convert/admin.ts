/** AdminService: sessions as people see them. */
import { type SessionId, toSessionId } from "@warpfarm/common";
import type { SessionStatus__Output, SessionStatus as WireSession } from "../gen/warpfarm/admin/v1/SessionStatus.ts";
import * as field from "./fields.ts";

export interface SessionStatus {
  readonly sessionId: SessionId;
  readonly task: string;
  readonly selector: string;
  readonly priority: number;
  readonly weight: number;
  readonly accepted: number;
  readonly building: number;
  readonly ready: number;
  readonly running: number;
  readonly deviceMs: number;
  readonly ageMs: number;
}

export const sessionStatusToWire = ({ sessionId, deviceMs, ageMs, ...same }: SessionStatus): WireSession => ({
  ...same,
  session_id: sessionId,
  device_time: field.toDuration(deviceMs),
  age: field.toDuration(ageMs),
});

export const sessionStatusFromWire = (name: string, w: SessionStatus__Output): SessionStatus => ({
  sessionId: toSessionId(field.id(`${name}.session_id`, w.session_id)),
  task: w.task,
  selector: w.selector,
  priority: w.priority,
  weight: w.weight,
  accepted: w.accepted,
  building: w.building,
  ready: w.ready,
  running: w.running,
  deviceMs: durationFromWire(`${name}.device_time`, w.device_time),
  ageMs: durationFromWire(`${name}.age`, w.age),
});

export const durationToWire = field.toDuration;
/** Unset = 0. */
export const durationFromWire = (name: string, d: Parameters<typeof field.durationMs>[1] | null): number =>
  d === null ? 0 : field.durationMs(name, d);
