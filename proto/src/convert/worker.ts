/** WorkerService between wire and domain: registrations, workers' reports, the tracker's answers. */
import {
  type Assignment,
  limitCeilings,
  mostChecks,
  type Outcome,
  type OwnCheck,
  type PairedJob,
  pairedLimits,
  type Registered,
  type Registration,
  type SyncReply,
  type SyncRequest,
  toArtifactDigest,
  toLeaseId,
  toProgramDigest,
  toWorkerId,
} from "@warpfarm/common";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
import { readTraceparent } from "../trace/tracing.ts";
import * as field from "./fields.ts";
import { judgedJobFromWire } from "./judged.ts";
import {
  deviceFactsFromWire,
  deviceFactsToWire,
  jobOptionsFromWire,
  limits,
  measureResultFromWire,
  measureResultToWire,
  pairedFromWire,
} from "./measure.ts";

const maxEpoch = Number.MAX_SAFE_INTEGER;
const maxLeases = 1024;

export function registrationToWire(r: Registration): Sent<Wire.RegisterRequest> {
  const common = { protocol_version: r.protocolVersion, node: r.node, instance_id: r.instanceId, labels: { ...r.labels } };
  if (r.role.kind === "builder") {
    const { slots, targets, toolchains, compilerVersion, programVersions } = r.role;
    return {
      ...common,
      builder: {
        slots,
        targets: [...targets],
        toolchains: [...toolchains],
        compiler_version: compilerVersion,
        program_versions: [...programVersions],
      },
    };
  }
  const devices = r.role.devices.map((d) => ({
    device: d.device,
    facts: deviceFactsToWire(d.facts),
    memory_bytes: d.memoryBytes,
    limits: { ...d.limits },
  }));
  return {
    ...common,
    runner: { devices, manifest_versions: [...r.role.manifestVersions] },
  };
}

export function registrationFromWire(w: Wire.RegisterRequest): Registration {
  const common = {
    protocolVersion: w.protocol_version,
    node: field.text("node", w.node, 256, 1),
    instanceId: field.id("instance_id", w.instance_id),
    labels: field.labels("labels", w.labels),
  };
  if (w.builder) {
    const { slots, targets, toolchains, compiler_version, program_versions } = w.builder;
    if (targets.length === 0) field.refuse("builder.targets", "empty", "at least one target");
    return {
      ...common,
      role: {
        kind: "builder",
        slots: field.integer("builder.slots", slots, 1, 1024),
        targets: field.list("builder.targets", targets, 64, field.target),
        toolchains: field.list("builder.toolchains", toolchains, 32, (f, v) => field.text(f, v, 256)),
        compilerVersion: field.text("builder.compiler_version", compiler_version, 128),
        programVersions: versionsFromWire("builder.program_versions", program_versions),
      },
    };
  }
  const { devices, manifest_versions } = field.required("role (builder or runner)", w.runner);
  if (devices.length === 0) field.refuse("runner.devices", "empty", "at least one device");
  const seen = new Set<number>();
  return {
    ...common,
    role: {
      kind: "runner",
      devices: field.list("runner.devices", devices, 64, (f, d) => {
        if (seen.has(d.device)) field.refuse(`${f}.device`, String(d.device), "each device once");
        seen.add(d.device);
        const limits = field.counts(`${f}.limits`, d.limits);
        for (const [name, most] of Object.entries(limitCeilings))
          if (limits[name] !== undefined) field.integer(`${f}.limits.${name}`, limits[name], 1, most);
        return {
          device: field.integer(`${f}.device`, d.device, 0, 1023),
          facts: deviceFactsFromWire(`${f}.facts`, field.required(`${f}.facts`, d.facts)),
          memoryBytes: field.integer(`${f}.memory_bytes`, d.memory_bytes, 0, maxEpoch),
          limits,
        };
      }),
      manifestVersions: versionsFromWire("runner.manifest_versions", manifest_versions),
    },
  };
}

function versionsFromWire(name: string, versions: readonly number[]): number[] {
  if (versions.length === 0) field.refuse(name, "empty", "at least one version");
  return field.list(name, versions, 16, (f, v) => field.integer(f, v, 1, 65_535));
}

export function registeredToWire(r: Registered): Sent<Wire.RegisterResponse> {
  return {
    worker_id: r.workerId,
    epoch: r.epoch,
    lease_ttl: field.toDuration(r.leaseTtlMs),
    secret: Buffer.from(r.secret),
  };
}

export function registeredFromWire(w: Wire.RegisterResponse): Registered {
  return {
    workerId: toWorkerId(field.id("worker_id", w.worker_id)),
    epoch: field.integer("epoch", w.epoch, 1, maxEpoch),
    leaseTtlMs: field.durationMs("lease_ttl", field.required("lease_ttl", w.lease_ttl)),
    secret: secretField("secret", w.secret),
  };
}

function outcomeToWire(o: Outcome): Sent<Wire.Outcome> {
  const lease = { lease_id: o.leaseId, epoch: o.epoch };
  switch (o.kind) {
    case "built":
      return { ...lease, build: { artifact: o.artifact, build_time: field.toDuration(o.buildMs), cached: o.cached } };
    case "build_failed":
      return {
        ...lease,
        build: { failed: measureResultToWire(o.result), build_time: field.toDuration(o.buildMs), cached: o.cached },
      };
    case "run":
      return { ...lease, run: measureResultToWire(o.result) };
    case "replayed":
      return { ...lease, replay: { replayed: { program_digest: o.program, reference_digest: o.reference } } };
    case "replay_refused":
      return { ...lease, replay: { refused: field.clip(o.message, limits.messageBytes) } };
    case "fault":
      return {
        ...lease,
        fault: {
          message: field.clip(o.message, limits.messageBytes),
          suspect: o.suspect,
          ...(o.leaving ? { leaving: true } : {}),
          ...(o.busy ? { busy: true } : {}),
        },
      };
  }
}

function outcomeFromWire(name: string, w: Wire.Outcome): Outcome {
  const leaseId = toLeaseId(field.id(`${name}.lease_id`, w.lease_id));
  const epoch = field.integer(`${name}.epoch`, w.epoch, 1, maxEpoch);
  if (w.run) return { leaseId, epoch, kind: "run", result: measureResultFromWire(`${name}.run`, w.run) };
  const lease = { leaseId, epoch };
  if (w.fault)
    return {
      ...lease,
      kind: "fault",
      message: field.prose(`${name}.fault.message`, w.fault.message, limits.messageBytes),
      suspect: w.fault.suspect,
      ...(w.fault.leaving ? { leaving: true } : {}),
      ...(w.fault.busy ? { busy: true } : {}),
    };
  if (w.replay) return { ...lease, ...replayFromWire(`${name}.replay`, w.replay) };
  const build = field.required(`${name}.kind (build, run, replay or fault)`, w.build);
  const common = {
    ...lease,
    buildMs: build.build_time === null ? 0 : field.durationMs(`${name}.build.build_time`, build.build_time),
    cached: build.cached,
  };
  if (build.failed) {
    const result = measureResultFromWire(`${name}.build.failed`, build.failed);
    if (result.kind !== "failed") return field.refuse(`${name}.build.failed`, "a timed result", "a failed result");
    return { ...common, kind: "build_failed", result };
  }
  const artifact = field.required(`${name}.build.kind (artifact or failed)`, build.artifact);
  return { ...common, kind: "built", artifact: toArtifactDigest(field.digest(`${name}.build.artifact`, artifact)) };
}

function replayFromWire(name: string, { replayed, refused }: Wire.ReplayOutcome) {
  if (!replayed) {
    const message = field.required(`${name}.kind (replayed or refused)`, refused);
    return { kind: "replay_refused", message: field.prose(`${name}.refused`, message, limits.messageBytes) } as const;
  }
  const digest = (key: "program_digest" | "reference_digest") =>
    toProgramDigest(field.digest(`${name}.replayed.${key}`, replayed[key]));
  return { kind: "replayed", program: digest("program_digest"), reference: digest("reference_digest") } as const;
}

export function syncRequestToWire(r: SyncRequest): Sent<Wire.SynchronizeRequest> {
  return {
    worker_id: r.workerId,
    epoch: r.epoch,
    sequence: r.sequence,
    free: r.free.map(({ device, count }) => ({ device, count })),
    running_lease_ids: [...r.running],
    outcomes: r.outcomes.map(outcomeToWire),
    health: {
      trouble: field.clip(r.trouble, limits.messageBytes),
      ...(r.checks ? { checks: r.checks.map(({ agoMs, ratio }) => ({ ago: field.toDuration(agoMs), ratio })) } : {}),
    },
    report_only: r.reportOnly,
    ...(r.leaving ? { leaving: true } : {}),
    secret: Buffer.from(r.secret),
  };
}

export function syncRequestFromWire(w: Wire.SynchronizeRequest): SyncRequest {
  // Optional fields are added one by one, because thousands of messages a second come through here, and a spread costs as much as
  // all fields.
  const request: { -readonly [K in keyof SyncRequest]: SyncRequest[K] } = {
    workerId: toWorkerId(field.id("worker_id", w.worker_id)),
    epoch: field.integer("epoch", w.epoch, 1, maxEpoch),
    sequence: field.integer("sequence", w.sequence, 0, maxEpoch),
    free: field.list("free", w.free, 64, (f, v) => ({
      device: field.integer(`${f}.device`, v.device, 0, 1023),
      count: field.integer(`${f}.count`, v.count, 0, 1024),
    })),
    running: field.list("running_lease_ids", w.running_lease_ids, maxLeases, (f, v) => toLeaseId(field.id(f, v))),
    outcomes: field.list("outcomes", w.outcomes, maxLeases, outcomeFromWire),
    trouble: field.prose("health.trouble", w.health?.trouble ?? "", limits.messageBytes),
    reportOnly: w.report_only,
    secret: secretField("secret", w.secret),
  };
  if (w.leaving) request.leaving = true;
  if (w.health && w.health.checks.length > 0)
    request.checks = field.list("health.checks", w.health.checks, mostChecks, checkFromWire);
  return request;
}

const checkFromWire = (name: string, { ago, ratio }: Wire.OwnCheck): OwnCheck => ({
  agoMs: ago === null ? 0 : field.spanMs(`${name}.ago`, ago),
  ratio: field.finite(`${name}.ratio`, ratio, 0, 1e6),
});

function secretField(name: string, value: Uint8Array): Uint8Array {
  if (value.length > 64) field.refuse(name, `${value.length} bytes`, "at most 64 bytes");
  return value;
}

function assignmentFromWire(name: string, w: Wire.Assignment): Assignment {
  const lease = {
    leaseId: toLeaseId(field.id(`${name}.lease_id`, w.lease_id)),
    epoch: field.integer(`${name}.epoch`, w.epoch, 1, maxEpoch),
    ttlMs: field.durationMs(`${name}.ttl`, field.required(`${name}.ttl`, w.ttl)),
    // What is no traceparent is ignored.
    ...(readTraceparent(w.traceparent) ? { traceparent: w.traceparent } : {}),
  };
  if (w.build) {
    const timeout = field.required(`${name}.build.timeout`, w.build.timeout);
    const digest = toProgramDigest(field.digest(`${name}.build.program_digest`, w.build.program_digest));
    return {
      ...lease,
      job: {
        kind: "build",
        program: { digest, bytes: w.build.program },
        timeoutMs: field.durationMs(`${name}.build.timeout`, timeout, 1),
      },
    };
  }
  if (w.replay) {
    const timeout = field.required(`${name}.replay.timeout`, w.replay.timeout);
    const timeoutMs = field.durationMs(`${name}.replay.timeout`, timeout, 1);
    return { ...lease, job: { kind: "replay", claim: w.replay.claim, timeoutMs } };
  }
  const run = field.required(`${name}.job (build, run or replay)`, w.run);
  const options = field.required(`${name}.run.options`, run.options);
  return {
    ...lease,
    job: {
      kind: "run",
      device: field.integer(`${name}.run.device`, run.device, 0, 1023),
      artifact: toArtifactDigest(field.digest(`${name}.run.artifact`, run.artifact)),
      ...(run.reference_artifact === ""
        ? {}
        : { reference: toArtifactDigest(field.digest(`${name}.run.reference_artifact`, run.reference_artifact)) }),
      options: jobOptionsFromWire(`${name}.run.options`, options),
      attempt: field.integer(`${name}.run.attempt`, run.attempt, 1, 1_000_000),
      buildMs: run.build_time === null ? 0 : field.durationMs(`${name}.run.build_time`, run.build_time),
      queueMs: run.queue_time === null ? 0 : field.spanMs(`${name}.run.queue_time`, run.queue_time),
      owner: field.text(`${name}.run.owner`, run.owner, 64, 1),
      ...(run.incumbent === null ? {} : { incumbentMs: field.durationMs(`${name}.run.incumbent`, run.incumbent) }),
      ...(run.judged === null ? {} : { judged: judgedJobFromWire(`${name}.run.judged`, run.judged) }),
      ...(run.paired === null ? {} : { paired: pairedJobFromWire(`${name}.run.paired`, run.paired) }),
    },
  };
}

function pairedJobFromWire(name: string, { others, options }: Wire.PairedJob): PairedJob {
  if (others.length === 0) field.refuse(`${name}.others`, "empty", `1 to ${pairedLimits.programs.most - 1} entries`);
  return {
    others: field.list(`${name}.others`, others, pairedLimits.programs.most - 1, (f, v) => toArtifactDigest(field.digest(f, v))),
    options: pairedFromWire(`${name}.options`, field.required(`${name}.options`, options)),
  };
}

export function syncReplyFromWire(w: Wire.SynchronizeResponse): SyncReply {
  const lease = (f: string, v: string) => toLeaseId(field.id(f, v));
  return {
    acknowledged: field.list("acknowledged", w.acknowledged, maxLeases, lease),
    assignments: field.list("assignments", w.assignments, maxLeases, assignmentFromWire),
    cancel: field.list("cancel", w.cancel, 4 * maxLeases, lease),
    state: w.state === "STATE_DRAIN" ? "drain" : "active",
  };
}
