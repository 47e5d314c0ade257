/**
 * FarmService between wire and domain: sessions, the measurement stream, the snapshot people look at. Meaning:
 * farm_service.proto.
 */
import {
  type DeviceFacts,
  type MeasureOptions,
  type MeasureResult,
  type PairedOptions,
  type ProgramDigest,
  pairedLimits,
  parseSelector,
  type SessionId,
  toProgramDigest,
  toSessionId,
  toWorkerId,
  type WorkerId,
} from "@warpfarm/common";
import type { Device__Output } from "../gen/warpfarm/farm/v1/Device.ts";
import type { FarmSnapshot__Output, FarmSnapshot as WireSnapshot } from "../gen/warpfarm/farm/v1/FarmSnapshot.ts";
import type { MeasureRequest__Output, MeasureRequest as WireMeasureRequest } from "../gen/warpfarm/farm/v1/MeasureRequest.ts";
import type { MeasureResponse__Output, MeasureResponse as WireMeasureResponse } from "../gen/warpfarm/farm/v1/MeasureResponse.ts";
import type {
  OpenSessionRequest__Output,
  OpenSessionRequest as WireOpenSession,
} from "../gen/warpfarm/farm/v1/OpenSessionRequest.ts";
import type { OpenSessionResponse, OpenSessionResponse__Output } from "../gen/warpfarm/farm/v1/OpenSessionResponse.ts";
import * as field from "./fields.ts";
import {
  deviceFactsFromWire,
  deviceFactsToWire,
  measureOptionsFromWire,
  measureOptionsToWire,
  measureResultFromWire,
  measureResultToWire,
  type ProgramRef,
  pairedFromWire,
  pairedToWire,
  programRefFromWire,
  programRefToWire,
} from "./measure.ts";

const defaultMaxInFlight = 64;
export const maxMaxInFlight = 1024;

export interface OpenSession {
  /** Client-chosen; a retry with the same id returns the same session. */
  readonly requestId: string;
  readonly protocolVersion: number;
  /** For people, at most 256 characters. */
  readonly task: string;
  readonly selector: string;
  readonly options: MeasureOptions;
  readonly priority: number;
  readonly maxInFlight: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Session of an earlier process to go on with, if it lives and is of the same selector and options. */
  readonly continues?: SessionId;
  /** Share of device time among sessions of equal priority; absent = 1. */
  readonly weight?: number;
  /** What another such session measured, or is about to, will do. */
  readonly reuse?: boolean;
  /** Every input names several programs, which are measured in turns for one result. */
  readonly paired?: PairedOptions;
}

/** An accepted input whose result was not received. */
export interface OutstandingInput {
  readonly sequence: number;
  readonly program: ProgramDigest;
  /** Absent when the session does not check. */
  readonly reference?: ProgramDigest;
}

export interface OpenedSession {
  readonly sessionId: SessionId;
  readonly maxInFlight: number;
  readonly idleTimeoutMs: number;
  /** With `cpu` or `cuda` alone resolved to the one key present. */
  readonly selector: string;
  /** 0 in a new session. */
  readonly acceptedThrough: number;
  /** By sequence; what was accepted and is not here was received. */
  readonly outstanding: readonly OutstandingInput[];
  /** Of a session that pairs; absent from a tracker that cannot. */
  readonly paired?: PairedNodes;
}

/** Nodes of the live runners selected. */
export interface PairedNodes {
  readonly able: readonly string[];
  /** Their runners are too old to measure programs in turns. */
  readonly outdated: readonly string[];
}

export type MeasureRequest =
  | { readonly kind: "start"; readonly sessionId: SessionId; readonly resumeAfter: number }
  | {
      readonly kind: "input";
      readonly sequence: number;
      readonly program: ProgramRef;
      readonly reference?: ProgramRef;
      /** In a session that pairs. */
      readonly others?: readonly ProgramRef[];
      readonly avoidNodes?: readonly string[];
    }
  | { readonly kind: "receipt"; readonly receivedThrough: number; readonly received: readonly number[] };

export type MeasureEvent =
  | { readonly kind: "accepted"; readonly acceptedThrough: number }
  | { readonly kind: "result"; readonly sequence: number; readonly result: MeasureResult };

export type NodeState = "ACTIVE" | "DRAIN" | "SUSPECT" | "LOST";

export interface DeviceView {
  readonly facts: DeviceFacts;
  readonly memoryBytes: number;
  readonly busy: boolean;
  /** As its runner registered them; common's device-limits.ts names those that count. */
  readonly limits: Readonly<Record<string, number>>;
}

export interface NodeView {
  readonly workerId: WorkerId;
  readonly node: string;
  readonly role: "builder" | "runner";
  readonly state: NodeState;
  readonly devices: readonly DeviceView[];
  readonly slots: number;
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly lastSeenMs: number;
  readonly leases: number;
  /** Why it is not ACTIVE. */
  readonly reason?: string;
}

export interface FarmSnapshot {
  readonly nodes: readonly NodeView[];
  readonly queues: readonly {
    readonly key: string;
    readonly waitingBuilds: number;
    readonly waitingRuns: number;
    readonly running: number;
    /** Of what waits to be built or run; absent when nothing does. */
    readonly oldestBuildMs?: number;
    readonly oldestRunMs?: number;
    /** Of live runners, that the key selects. */
    readonly devices: number;
    readonly idleDevices: number;
    /** What waits because no live worker reads its version, a sentence each; absent = nothing does. */
    readonly unread?: readonly string[];
  }[];
  readonly sessions: readonly {
    readonly sessionId: SessionId;
    readonly task: string;
    readonly selector: string;
    readonly accepted: number;
    readonly finished: number;
    readonly principal: string;
  }[];
}

const MAX = Number.MAX_SAFE_INTEGER;

export function openSessionToWire(o: OpenSession): WireOpenSession {
  return {
    request_id: o.requestId,
    protocol_version: o.protocolVersion,
    task: o.task,
    selector: o.selector,
    options: measureOptionsToWire(o.options),
    priority: o.priority,
    max_in_flight: o.maxInFlight,
    labels: { ...o.labels },
    ...(o.continues ? { continues: o.continues } : {}),
    ...(o.weight === undefined ? {} : { weight: o.weight }),
    ...(o.reuse ? { reuse: true } : {}),
    ...(o.paired ? { paired: pairedToWire(o.paired) } : {}),
  };
}

export function openSessionFromWire(w: OpenSessionRequest__Output): OpenSession {
  const requestId = field.id("request_id", w.request_id);
  const selector = parseSelector(field.text("selector", w.selector, 1024, 1));
  if (w.task.length > 256) field.refuse("task", `${w.task.length} characters`, "at most 256 characters");
  return {
    requestId,
    protocolVersion: w.protocol_version,
    task: field.text("task", w.task, 1024),
    selector: w.selector,
    options: measureOptionsFromWire("options", w.options, selector.backend),
    priority: field.integer("priority", w.priority, -100, 100),
    maxInFlight: w.max_in_flight === 0 ? defaultMaxInFlight : field.integer("max_in_flight", w.max_in_flight, 1, maxMaxInFlight),
    labels: field.labels("labels", w.labels),
    ...(w.weight === 0 ? {} : { weight: field.integer("weight", w.weight, 1, 1_000) }),
    ...(w.reuse ? { reuse: true } : {}),
    ...(w.paired === null ? {} : { paired: pairedFromWire("paired", w.paired) }),
    ...(w.continues === "" ? {} : { continues: toSessionId(field.id("continues", w.continues)) }),
  };
}

export function openedSessionToWire(o: OpenedSession): OpenSessionResponse {
  return {
    session_id: o.sessionId,
    max_in_flight: o.maxInFlight,
    idle_timeout: field.toDuration(o.idleTimeoutMs),
    selector: o.selector,
    accepted_through: o.acceptedThrough,
    outstanding: o.outstanding.map(({ sequence, program, reference }) => ({
      sequence,
      program,
      ...(reference ? { reference } : {}),
    })),
    ...(o.paired ? { paired: { able: [...o.paired.able], outdated: [...o.paired.outdated] } } : {}),
  };
}

export function openedSessionFromWire(w: OpenSessionResponse__Output): OpenedSession {
  return {
    sessionId: toSessionId(field.id("session_id", w.session_id)),
    maxInFlight: field.integer("max_in_flight", w.max_in_flight, 1, maxMaxInFlight),
    idleTimeoutMs: field.durationMs("idle_timeout", field.required("idle_timeout", w.idle_timeout)),
    selector: field.text("selector", w.selector, 1024, 1),
    acceptedThrough: field.integer("accepted_through", w.accepted_through, 0, MAX),
    outstanding: field.list("outstanding", w.outstanding, maxMaxInFlight, (f, { sequence, program, reference }) => ({
      sequence: field.integer(`${f}.sequence`, sequence, 1, MAX),
      program: toProgramDigest(field.digest(`${f}.program`, program)),
      ...(reference === "" ? {} : { reference: toProgramDigest(field.digest(`${f}.reference`, reference)) }),
    })),
    ...(w.paired === null
      ? {}
      : {
          paired: {
            able: nodesFromWire("paired.able", w.paired.able),
            outdated: nodesFromWire("paired.outdated", w.paired.outdated),
          },
        }),
  };
}

const nodesFromWire = (name: string, nodes: readonly string[]): readonly string[] =>
  nodes.map((node, i) => field.text(`${name}[${i}]`, node, 256, 1));

export function measureRequestToWire(r: MeasureRequest): WireMeasureRequest {
  switch (r.kind) {
    case "start":
      return { start: { session_id: r.sessionId, resume_after: r.resumeAfter } };
    case "input":
      return {
        input: {
          sequence: r.sequence,
          program: programRefToWire(r.program),
          reference: r.reference ? programRefToWire(r.reference) : null,
          ...(r.others ? { others: r.others.map(programRefToWire) } : {}),
          ...(r.avoidNodes ? { avoid_nodes: [...r.avoidNodes] } : {}),
        },
      };
    case "receipt":
      return { receipt: { received_through: r.receivedThrough, received: [...r.received] } };
  }
}

export function measureRequestFromWire(w: MeasureRequest__Output): MeasureRequest {
  if (w.input) {
    const { sequence, program, reference, others, avoid_nodes } = w.input;
    const { most } = pairedLimits.programs;
    if (others.length >= most) field.refuse("input.others", `${others.length} entries`, `at most ${most - 1} entries`);
    return {
      kind: "input",
      sequence: field.integer("input.sequence", sequence, 1, MAX),
      program: programRefFromWire("input.program", field.required("input.program", program)),
      ...(reference === null ? {} : { reference: programRefFromWire("input.reference", reference) }),
      ...(others.length === 0 ? {} : { others: others.map((o, i) => programRefFromWire(`input.others[${i}]`, o)) }),
      ...(avoid_nodes.length === 0
        ? {}
        : { avoidNodes: field.list("input.avoid_nodes", avoid_nodes, 16, (f, v) => field.text(f, v, 256, 1)) }),
    };
  }
  if (w.receipt)
    return {
      kind: "receipt",
      receivedThrough: field.integer("receipt.received_through", w.receipt.received_through, 0, MAX),
      received: field.list("receipt.received", w.receipt.received, maxMaxInFlight, (f, v) => field.integer(f, v, 1, MAX)),
    };
  const start = field.required("kind (start, input or receipt)", w.start);
  return {
    kind: "start",
    sessionId: toSessionId(field.id("start.session_id", start.session_id)),
    resumeAfter: field.integer("start.resume_after", start.resume_after, 0, MAX),
  };
}

export function measureEventToWire(e: MeasureEvent): WireMeasureResponse {
  return e.kind === "accepted"
    ? { accepted: { accepted_through: e.acceptedThrough } }
    : { result: { sequence: e.sequence, result: measureResultToWire(e.result) } };
}

export function measureEventFromWire(w: MeasureResponse__Output): MeasureEvent {
  if (w.accepted)
    return { kind: "accepted", acceptedThrough: field.integer("accepted.accepted_through", w.accepted.accepted_through, 0, MAX) };
  const { sequence, result } = field.required("kind (accepted or result)", w.result);
  return {
    kind: "result",
    sequence: field.integer("result.sequence", sequence, 1, MAX),
    result: measureResultFromWire("result.result", field.required("result.result", result)),
  };
}

export function snapshotToWire(s: FarmSnapshot): WireSnapshot {
  return {
    nodes: s.nodes.map((n) => ({
      worker_id: n.workerId,
      node: n.node,
      role: n.role === "builder" ? "ROLE_BUILDER" : "ROLE_RUNNER",
      state: n.state,
      devices: n.devices.map((d) => ({
        facts: deviceFactsToWire(d.facts),
        memory_bytes: d.memoryBytes,
        busy: d.busy,
        limits: { ...d.limits },
      })),
      slots: n.slots,
      targets: [...n.targets],
      labels: { ...n.labels },
      last_seen: field.toTimestamp(n.lastSeenMs),
      leases: n.leases,
      reason: n.reason ?? "",
    })),
    queues: s.queues.map((q) => ({
      key: q.key,
      waiting_builds: q.waitingBuilds,
      waiting_runs: q.waitingRuns,
      running: q.running,
      ...(q.oldestBuildMs === undefined ? {} : { oldest_build: field.toDuration(q.oldestBuildMs) }),
      ...(q.oldestRunMs === undefined ? {} : { oldest_run: field.toDuration(q.oldestRunMs) }),
      devices: q.devices,
      idle_devices: q.idleDevices,
      unread: [...(q.unread ?? [])],
    })),
    sessions: s.sessions.map((v) => ({
      session_id: v.sessionId,
      task: v.task,
      selector: v.selector,
      accepted: v.accepted,
      finished: v.finished,
      principal: v.principal,
    })),
  };
}

const nodeStates: readonly string[] = ["ACTIVE", "DRAIN", "SUSPECT", "LOST"] satisfies NodeState[];

export function snapshotFromWire(w: FarmSnapshot__Output): FarmSnapshot {
  const device = (f: string, d: Device__Output) => ({
    facts: deviceFactsFromWire(`${f}.facts`, field.required(`${f}.facts`, d.facts)),
    memoryBytes: field.integer(`${f}.memory_bytes`, d.memory_bytes, 0, MAX),
    busy: d.busy,
    limits: field.counts(`${f}.limits`, d.limits),
  });
  const many = 1_000_000;
  return {
    nodes: field.list("nodes", w.nodes, many, (f, n) => ({
      workerId: toWorkerId(field.id(`${f}.worker_id`, n.worker_id)),
      node: n.node,
      role: n.role === "ROLE_BUILDER" ? ("builder" as const) : ("runner" as const),
      state: nodeStates.includes(n.state)
        ? (n.state as NodeState)
        : field.refuse(`${f}.state`, field.shown(n.state), nodeStates.join(", ")),
      devices: field.list(`${f}.devices`, n.devices, 1024, device),
      slots: n.slots,
      targets: n.targets,
      labels: n.labels,
      lastSeenMs: n.last_seen === null ? 0 : field.timestampMs(`${f}.last_seen`, n.last_seen),
      leases: n.leases,
      ...(n.reason === "" ? {} : { reason: n.reason }),
    })),
    queues: field.list("queues", w.queues, many, (f, q) => ({
      key: q.key,
      waitingBuilds: q.waiting_builds,
      waitingRuns: q.waiting_runs,
      running: q.running,
      ...(q.oldest_build === null ? {} : { oldestBuildMs: field.spanMs(`${f}.oldest_build`, q.oldest_build) }),
      ...(q.oldest_run === null ? {} : { oldestRunMs: field.spanMs(`${f}.oldest_run`, q.oldest_run) }),
      devices: q.devices,
      idleDevices: q.idle_devices,
      ...(q.unread.length === 0 ? {} : { unread: field.list(`${f}.unread`, q.unread, 64, (g, v) => field.text(g, v, 512)) }),
    })),
    sessions: field.list("sessions", w.sessions, many, (f, s) => ({
      sessionId: toSessionId(field.id(`${f}.session_id`, s.session_id)),
      task: s.task,
      selector: s.selector,
      accepted: s.accepted,
      finished: s.finished,
      principal: s.principal,
    })),
  };
}
