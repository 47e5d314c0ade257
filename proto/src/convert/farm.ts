/**
 * FarmService between wire and domain: sessions and the measurement stream (the snapshot: snapshot.ts). Meaning:
 * farm_service.proto.
 */
import {
  type DeviceFacts,
  defined,
  type MeasureOptions,
  type MeasureResult,
  type PairedOptions,
  type ProgramDigest,
  pairedLimits,
  parseSelector,
  type Seconds,
  type SessionId,
  toProgramDigest,
  toSessionId,
} from "@warpfarm/common";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
import * as field from "./fields.ts";
import {
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
import {
  keepFromWire,
  keepToWire,
  type Proposal,
  type Provenance,
  proposalFromWire,
  proposalToWire,
  provenanceFromWire,
  provenanceToWire,
  type RecordsKept,
} from "./provenance.ts";

const defaultMaxInFlight = 64;
export const maxMaxInFlight = 1024;

export interface OpenSession {
  /** Chosen by the client. A retry with the same id returns the same session. */
  readonly requestId: string;
  readonly protocolVersion: number;
  /** Shown to people; at most 256 characters. */
  readonly task: string;
  readonly selector: string;
  readonly options: MeasureOptions;
  readonly priority: number;
  readonly maxInFlight: number;
  readonly labels: Readonly<Record<string, string>>;
  /** A session of an earlier process, to be continued if it is alive and has the same selector and options. */
  readonly continues?: SessionId;
  /** Weight of the share of device time among sessions of equal priority; absent: 1. */
  readonly weight?: number;
  /** A result that another such session has measured, or is about to, answers an equal input. */
  readonly reuse?: boolean;
  /** Every input names several programs, which are measured interleaved for one result. */
  readonly paired?: PairedOptions;
  readonly provenance?: Provenance;
  /** Absent: shared. */
  readonly keep?: RecordsKept;
}

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
  /** The selector; `cpu` or `cuda` alone is replaced by the one key present. */
  readonly selector: string;
  /** 0 in a new session. */
  readonly acceptedThrough: number;
  /** In order of sequence. An accepted input that is not here was received. */
  readonly outstanding: readonly OutstandingInput[];
  /** Of a paired session: the nodes of live runners of the selector that get work, at this time. Of another session: empty. */
  readonly nodes: readonly string[];
}

export type MeasureRequest =
  | {
      readonly kind: "start";
      readonly sessionId: SessionId;
      readonly resumeAfter: number;
      /** The client takes control messages. `takesTrials`: it also measures more when they say so. */
      readonly takesControl?: true;
      readonly takesTrials?: true;
    }
  | {
      readonly kind: "input";
      readonly sequence: number;
      readonly program: ProgramRef;
      readonly reference?: ProgramRef;
      readonly others?: readonly ProgramRef[];
      readonly avoidNodes?: readonly string[];
      readonly proposal?: Proposal;
    }
  | { readonly kind: "receipt"; readonly receivedThrough: number; readonly received: readonly number[] }
  | ({ readonly kind: "incumbent" } & Incumbent);

/** The least time that a client knows of its search, on one kind of device. */
export interface Incumbent extends Pick<DeviceFacts, "key" | "name"> {
  readonly seconds: Seconds;
}

/** Settings of a session by its owner or an admin. */
export interface SessionControl {
  readonly paused: boolean;
  readonly moreTrials: number;
}

export type MeasureEvent =
  | { readonly kind: "accepted"; readonly acceptedThrough: number }
  | ({ readonly kind: "control" } & SessionControl)
  | { readonly kind: "result"; readonly sequence: number; readonly result: MeasureResult };

const max = Number.MAX_SAFE_INTEGER;
export const mostMoreTrials = 2_000_000_000;

export function openSessionToWire(o: OpenSession): Sent<Wire.OpenSessionRequest> {
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
    ...defined({ weight: o.weight }),
    ...(o.reuse ? { reuse: true } : {}),
    ...(o.paired ? { paired: pairedToWire(o.paired) } : {}),
    ...(o.provenance ? { provenance: provenanceToWire(o.provenance) } : {}),
    ...(o.keep ? { keep: keepToWire(o.keep) } : {}),
  };
}

export function openSessionFromWire(w: Wire.OpenSessionRequest): OpenSession {
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
    ...(w.provenance === null ? {} : { provenance: provenanceFromWire("provenance", w.provenance) }),
    ...(w.keep === "KEEP_UNSPECIFIED" ? {} : { keep: keepFromWire("keep", w.keep) }),
    ...(w.continues === "" ? {} : { continues: toSessionId(field.id("continues", w.continues)) }),
  };
}

export function openedSessionToWire(o: OpenedSession): Sent<Wire.OpenSessionResponse> {
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
    nodes: [...o.nodes],
  };
}

export function openedSessionFromWire(w: Wire.OpenSessionResponse): OpenedSession {
  return {
    sessionId: toSessionId(field.id("session_id", w.session_id)),
    maxInFlight: field.integer("max_in_flight", w.max_in_flight, 1, maxMaxInFlight),
    idleTimeoutMs: field.durationMs("idle_timeout", field.required("idle_timeout", w.idle_timeout)),
    selector: field.text("selector", w.selector, 1024, 1),
    acceptedThrough: field.integer("accepted_through", w.accepted_through, 0, max),
    outstanding: field.list("outstanding", w.outstanding, maxMaxInFlight, (f, { sequence, program, reference }) => ({
      sequence: field.integer(`${f}.sequence`, sequence, 1, max),
      program: toProgramDigest(field.digest(`${f}.program`, program)),
      ...(reference === "" ? {} : { reference: toProgramDigest(field.digest(`${f}.reference`, reference)) }),
    })),
    nodes: w.nodes.map((node, i) => field.text(`nodes[${i}]`, node, 256, 1)),
  };
}

export function measureRequestToWire(r: MeasureRequest): Sent<Wire.MeasureRequest> {
  switch (r.kind) {
    case "start":
      return {
        start: {
          session_id: r.sessionId,
          resume_after: r.resumeAfter,
          ...(r.takesControl ? { takes_control: true } : {}),
          ...(r.takesTrials ? { takes_trials: true } : {}),
        },
      };
    case "input":
      return {
        input: {
          sequence: r.sequence,
          program: programRefToWire(r.program),
          reference: r.reference ? programRefToWire(r.reference) : null,
          ...(r.others ? { others: r.others.map(programRefToWire) } : {}),
          ...(r.avoidNodes ? { avoid_nodes: [...r.avoidNodes] } : {}),
          ...(r.proposal ? { proposal: proposalToWire(r.proposal) } : {}),
        },
      };
    case "receipt":
      return { receipt: { received_through: r.receivedThrough, received: [...r.received] } };
    case "incumbent":
      return { incumbent: { key: r.key, name: r.name, seconds: r.seconds } };
  }
}

export function measureRequestFromWire(w: Wire.MeasureRequest): MeasureRequest {
  if (w.input) {
    const { sequence, program, reference, others, avoid_nodes, proposal } = w.input;
    const { most } = pairedLimits.programs;
    if (others.length >= most) field.refuse("input.others", `${others.length} entries`, `at most ${most - 1} entries`);
    return {
      kind: "input",
      sequence: field.integer("input.sequence", sequence, 1, max),
      program: programRefFromWire("input.program", field.required("input.program", program)),
      ...(reference === null ? {} : { reference: programRefFromWire("input.reference", reference) }),
      ...(others.length === 0 ? {} : { others: others.map((o, i) => programRefFromWire(`input.others[${i}]`, o)) }),
      ...(avoid_nodes.length === 0
        ? {}
        : { avoidNodes: field.list("input.avoid_nodes", avoid_nodes, 16, (f, v) => field.text(f, v, 256, 1)) }),
      ...(!proposal ? {} : { proposal: proposalFromWire("input.proposal", proposal) }),
    };
  }
  if (w.receipt)
    return {
      kind: "receipt",
      receivedThrough: field.integer("receipt.received_through", w.receipt.received_through, 0, max),
      received: field.list("receipt.received", w.receipt.received, maxMaxInFlight, (f, v) => field.integer(f, v, 1, max)),
    };
  if (w.incumbent)
    return {
      kind: "incumbent",
      key: field.matchKey("incumbent.key", w.incumbent.key),
      name: field.text("incumbent.name", w.incumbent.name, 256),
      seconds: field.finite("incumbent.seconds", w.incumbent.seconds, Number.MIN_VALUE, 86_400),
    };
  const start = field.required("kind (start, input, receipt or incumbent)", w.start);
  return {
    kind: "start",
    sessionId: toSessionId(field.id("start.session_id", start.session_id)),
    resumeAfter: field.integer("start.resume_after", start.resume_after, 0, max),
    ...(start.takes_control ? { takesControl: true } : {}),
    ...(start.takes_trials ? { takesTrials: true } : {}),
  };
}

export function measureEventToWire(e: MeasureEvent): Sent<Wire.MeasureResponse> {
  switch (e.kind) {
    case "accepted":
      return { accepted: { accepted_through: e.acceptedThrough } };
    case "control":
      return { control: { paused: e.paused, more_trials: e.moreTrials } };
    case "result":
      return { result: { sequence: e.sequence, result: measureResultToWire(e.result) } };
  }
}

export function measureEventFromWire(w: Wire.MeasureResponse): MeasureEvent {
  if (w.accepted)
    return { kind: "accepted", acceptedThrough: field.integer("accepted.accepted_through", w.accepted.accepted_through, 0, max) };
  if (w.control) {
    const { paused, more_trials } = w.control;
    return { kind: "control", paused, moreTrials: field.integer("control.more_trials", more_trials, 0, mostMoreTrials) };
  }
  const { sequence, result } = field.required("kind (accepted, result or control)", w.result);
  return {
    kind: "result",
    sequence: field.integer("result.sequence", sequence, 1, max),
    result: measureResultFromWire("result.result", field.required("result.result", result)),
  };
}
