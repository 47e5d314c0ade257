/** AdminService: sessions for people, and the results of a collection. */
import { defined, type SessionId, toSessionId } from "@warpfarm/common";
import type { Waiting } from "@warpfarm/common/waiting";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
import * as field from "./fields.ts";

export interface SessionStatus {
  readonly sessionId: SessionId;
  readonly principal: string;
  readonly task: string;
  readonly selector: string;
  readonly priority: number;
  readonly weight: number;
  readonly accepted: number;
  readonly building: number;
  readonly ready: number;
  readonly running: number;
  readonly deviceMs: number;
  /** Of its results: waiting for builders and devices, building, fetching at runners, and timed launches. */
  readonly queueMs: number;
  readonly buildMs: number;
  readonly transferMs: number;
  readonly timedMs: number;
  readonly ageMs: number;
  readonly streaming: boolean;
  readonly expiresInMs: number;
  readonly paused: boolean;
  readonly moreTrials: number;
  readonly takesTrials: boolean;
  /** Present while an input waits for a builder or a device. */
  readonly waiting?: Waiting;
}

/** A lease that ended. Times in milliseconds; `endMs`: since 1970, by the tracker's clock. */
export interface EndedLease {
  readonly endMs: number;
  readonly heldMs: number;
  readonly node: string;
  /** The device's uuid and name; empty for a build. */
  readonly device: string;
  readonly deviceName: string;
  /** Undefined for a build, and where it is another principal's. */
  readonly session: SessionId | undefined;
  readonly sequence: number;
  readonly outcome: string;
  readonly queueMs: number;
  readonly buildMs: number;
  readonly transferMs: number;
  readonly timedMs: number;
}

export const endedLeaseToWire = (l: EndedLease): Sent<Wire.EndedLease> => ({
  ...{ end_ms: l.endMs, held_ms: l.heldMs, node: l.node, device: l.device, device_name: l.deviceName },
  ...{ session_id: l.session ?? "", sequence: l.sequence, outcome: l.outcome },
  ...{ queue_ms: l.queueMs, build_ms: l.buildMs, transfer_ms: l.transferMs, timed_ms: l.timedMs },
});

export const endedLeaseFromWire = (w: Wire.EndedLease): EndedLease => ({
  ...{ endMs: w.end_ms, heldMs: w.held_ms, node: w.node, device: w.device, deviceName: w.device_name },
  ...{ session: w.session_id === "" ? undefined : toSessionId(w.session_id), sequence: w.sequence, outcome: w.outcome },
  ...{ queueMs: w.queue_ms, buildMs: w.build_ms, transferMs: w.transfer_ms, timedMs: w.timed_ms },
});

export interface Garbage {
  readonly builds: number;
  readonly programs: number;
  readonly blobs: number;
  readonly bytes: number;
  readonly requests: number;
}

export const sessionStatusToWire = ({
  sessionId,
  deviceMs,
  queueMs,
  buildMs,
  transferMs,
  timedMs,
  ageMs,
  expiresInMs,
  moreTrials,
  takesTrials,
  waiting,
  ...same
}: SessionStatus): Sent<Wire.SessionStatus> => ({
  ...same,
  ...(waiting === undefined ? {} : { waiting: waitingToWire(waiting) }),
  more_trials: moreTrials,
  takes_trials: takesTrials,
  session_id: sessionId,
  device_time: field.toDuration(deviceMs),
  queue_time: field.toDuration(queueMs),
  build_time: field.toDuration(buildMs),
  transfer_time: field.toDuration(transferMs),
  timed_time: field.toDuration(timedMs),
  age: field.toDuration(ageMs),
  expires_in: field.toDuration(expiresInMs),
});

export const sessionStatusFromWire = (name: string, w: Wire.SessionStatus): SessionStatus => ({
  sessionId: toSessionId(field.id(`${name}.session_id`, w.session_id)),
  principal: w.principal,
  task: w.task,
  selector: w.selector,
  priority: w.priority,
  weight: w.weight,
  accepted: w.accepted,
  building: w.building,
  ready: w.ready,
  running: w.running,
  deviceMs: spanFromWire(`${name}.device_time`, w.device_time),
  queueMs: spanFromWire(`${name}.queue_time`, w.queue_time),
  buildMs: spanFromWire(`${name}.build_time`, w.build_time),
  transferMs: spanFromWire(`${name}.transfer_time`, w.transfer_time),
  timedMs: spanFromWire(`${name}.timed_time`, w.timed_time),
  ageMs: spanFromWire(`${name}.age`, w.age),
  streaming: w.streaming,
  expiresInMs: spanFromWire(`${name}.expires_in`, w.expires_in),
  paused: w.paused,
  moreTrials: w.more_trials,
  takesTrials: w.takes_trials,
  ...(w.waiting === null ? {} : { waiting: waitingFromWire(`${name}.waiting`, w.waiting) }),
});

const waitingToWire = ({ holds, share, due, before, startsInMs, doneInMs }: Waiting): Sent<Wire.Waiting> => ({
  ...{ holds: [...holds], share, due },
  ...defined({ before }),
  ...(startsInMs === undefined ? {} : { starts_in: field.toDuration(startsInMs) }),
  ...(doneInMs === undefined ? {} : { done_in: field.toDuration(doneInMs) }),
});

const waitingFromWire = (name: string, { holds, share, due, before, starts_in, done_in }: Wire.Waiting): Waiting => ({
  ...{ holds, share, due },
  ...(starts_in === null ? {} : { before, startsInMs: field.spanMs(`${name}.starts_in`, starts_in) }),
  ...(done_in === null ? {} : { doneInMs: field.spanMs(`${name}.done_in`, done_in) }),
});

type WireSpan = Wire.SessionStatus["age"];
/** Unset: 0. */
const spanFromWire = (name: string, d: WireSpan): number => (d === null ? 0 : field.spanMs(name, d));

export const spanToWire = field.toDuration;
/** Undefined: the tracker's own. */
export const keepFromWire = ({ keep }: Wire.CollectGarbageRequest): number | undefined =>
  keep === null ? undefined : field.spanMs("keep", keep);

export const garbageToWire = (g: Garbage): Sent<Wire.CollectGarbageResponse> => ({ ...g });
export const garbageFromWire = (w: Wire.CollectGarbageResponse): Garbage => ({ ...w });
