/** The snapshot of the farm between wire and domain. Meaning: farm_service.proto. */
import { type DeviceFacts, type SessionId, toSessionId, toWorkerId, type WorkerId } from "@warpfarm/common";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
import * as field from "./fields.ts";
import { deviceFactsFromWire, deviceFactsToWire } from "./measure.ts";

export type NodeState = "ACTIVE" | "DRAIN" | "SUSPECT" | "LOST";

export interface DeviceView {
  readonly facts: DeviceFacts;
  readonly memoryBytes: number;
  readonly busy: boolean;
  /** As its runner registered them. Checks rely on those in common's device-limits.ts. */
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
  /** Of a builder: what results can name as the toolchain of its builds. */
  readonly toolchains: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly lastSeenMs: number;
  readonly leases: number;
  /** Why it is not ACTIVE. `detail` may quote anybody's job: a client gets none. */
  readonly reason?: { readonly what: string; readonly detail?: string };
}

export interface FarmSnapshot {
  readonly nodes: readonly NodeView[];
  readonly queues: readonly {
    readonly key: string;
    readonly waitingBuilds: number;
    readonly waitingRuns: number;
    readonly running: number;
    /** Age of the oldest input that waits for a build or a run; absent when none waits. */
    readonly oldestBuildMs?: number;
    readonly oldestRunMs?: number;
    readonly devices: number;
    readonly idleDevices: number;
    /** One sentence for each kind of input that waits because no live worker reads its version; absent: none. */
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

const max = Number.MAX_SAFE_INTEGER;

export function snapshotToWire(s: FarmSnapshot): Sent<Wire.FarmSnapshot> {
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
      ...(n.reason === undefined ? {} : { reason: { what: n.reason.what, detail: n.reason.detail ?? "" } }),
      toolchains: [...n.toolchains],
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

export function snapshotFromWire(w: Wire.FarmSnapshot): FarmSnapshot {
  const device = (f: string, d: Wire.Device) => ({
    facts: deviceFactsFromWire(`${f}.facts`, field.required(`${f}.facts`, d.facts)),
    memoryBytes: field.integer(`${f}.memory_bytes`, d.memory_bytes, 0, max),
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
      ...(n.reason === null
        ? {}
        : { reason: { what: n.reason.what, ...(n.reason.detail === "" ? {} : { detail: n.reason.detail }) } }),
      toolchains: n.toolchains,
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
