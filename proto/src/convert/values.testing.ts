import {
  type Assignment,
  auditSets,
  type JudgedOutcome,
  type MeasureOptions,
  type MeasureResult,
  notJudged,
  type Outcome,
  type Registration,
  racechecks,
  type SyncReply,
  type SyncRequest,
  toArtifactDigest,
  toLeaseId,
  toProgramDigest,
  toSessionId,
  toWorkerId,
} from "@warpfarm/common";
import fc from "fast-check";
import {
  type MeasureEvent,
  type MeasureRequest,
  measureRequestFromWire,
  mostMoreTrials,
  type OpenedSession,
  type OpenSession,
} from "./farm.ts";
import type { FarmSnapshot } from "./snapshot.ts";

const text = (max: number, min = 0) =>
  fc.string({ unit: "grapheme", minLength: min, maxLength: Math.floor(max / 32) }).map((s) => s.replaceAll("\0", "0"));
/** Times on the wire are whole nanoseconds: values with at most six decimals of a millisecond come back exactly. */
export const ms = (max: number, min = 0) => fc.integer({ min: min * 1000, max: max * 1000 }).map((us) => us / 1000);
const hex = fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 64, maxLength: 64 });
const artifact = hex.map((h) => toArtifactDigest(`sha256:${h}`));
const id = fc.stringMatching(/^[\w.:-]{1,40}$/);
const lease = id.map(toLeaseId);
const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const positive = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const anyNumber = fc.double().map((x) => (Object.is(x, -0) ? 0 : x));
const keys = {
  cpu: fc.constantFrom("cpu/x86-64-v1", "cpu/x86-64-v4", "cpu/arm64"),
  cuda: fc.constantFrom("cuda/sm_90", "cuda/sm_120"),
};
const labels = fc.dictionary(fc.stringMatching(/^[A-Za-z_][\w.-]{0,20}$/), text(128), {
  maxKeys: 16,
  noNullPrototype: true,
});
const optional = <T>(key: string, value: fc.Arbitrary<T>) =>
  fc.option(value, { nil: undefined }).map((v) => (v === undefined ? {} : { [key]: v }));

const options = (backend: "cpu" | "cuda"): fc.Arbitrary<MeasureOptions> =>
  fc
    .tuple(
      fc.record({
        number: fc.integer({ min: 0, max: 1_000_000 }),
        repeat: fc.integer({ min: 1, max: 1000 }),
        precision: fc.double({ min: 0, max: 0.5, noNaN: true }),
        minRepeatMs: ms(60_000),
        buildTimeoutMs: ms(600_000, 1),
        runTimeoutMs: ms(600_000, 1),
        cooldownMs: ms(60_000),
        l2: fc.constantFrom("warm", "flushed"),
        timer: backend === "cpu" ? fc.constant("wall") : fc.constantFrom("cuda_graph", "events"),
        check: fc.constantFrom("reference", "none"),
        inputs: fc.constantFrom("full", "exact"),
        power: fc.constantFrom("sustained", "as_asked"),
      }),
      optional("incumbent", fc.oneof(fc.constant("best"), fc.double({ min: 1e-12, max: 100, noNaN: true }))),
    )
    .map(([a, b]) => ({ ...a, ...b }) as MeasureOptions);

const device = fc.record({
  key: fc.oneof(keys.cpu, keys.cuda),
  name: text(256),
  uuid: text(128, 1),
  node: text(256),
  driver: text(256),
});
const phases = fc
  .tuple(
    fc.record({
      buildMs: ms(80_000),
      runMs: ms(80_000),
      timestampMs: fc.integer({ min: 0, max: 4e12 }),
      attempt: fc.integer({ min: 1, max: 99 }),
    }),
    optional("lease", fc.record({ queueMs: ms(80_000), transferMs: ms(80_000), heldMs: ms(80_000) })),
  )
  .map(([a, b]) => ({ ...a, ...b }));
const observations = fc
  .tuple(
    optional("smClockMhz", fc.double({ min: 0, max: 5000, noNaN: true })),
    optional("steady", fc.boolean()),
    optional("energyJ", fc.double({ min: 0, max: 1e9, noNaN: true })),
    optional("throttleReasons", fc.array(text(128), { minLength: 1, maxLength: 4 })),
  )
  .map((parts) => Object.assign({}, ...parts));
const timing = {
  costs: fc.array(
    fc.double({ min: 0, max: 10, noNaN: true }).map((x) => x + 0),
    { minLength: 1, maxLength: 20 },
  ),
  number: fc.integer({ min: 1, max: 1e9 }),
  artifact,
};
const paired = fc.record({ rounds: fc.integer({ min: 1, max: 1000 }), idleMs: ms(10_000) });
const sets = fc.integer({ min: 2, max: auditSets.most });
const audit = fc
  .tuple(fc.record({ sets, secret: hex, scored: timing.costs }), optional("unlike", fc.integer({ min: 1, max: 32 })))
  .map(([a, b]) => ({ ...a, ...b }));
const judged: fc.Arbitrary<JudgedOutcome> = fc.oneof(
  fc.record({ not: fc.constantFrom(...notJudged) }),
  fc
    .tuple(fc.record({ sets, commitment: hex }), optional("audit", audit), optional("racecheck", fc.constantFrom(...racechecks)))
    .map(([a, b, c]) => ({ ...a, ...b, ...c })),
);
const timed = fc
  .tuple(
    fc.record({
      kind: fc.constant("timed"),
      ...timing,
      busyMs: ms(80_000),
      checked: fc.boolean(),
      device,
      observations,
    }),
    phases,
    optional("paired", fc.array(fc.record(timing), { minLength: 1, maxLength: 8 })),
    optional("toolchain", text(256, 1)),
    optional("judged", judged),
  )
  .map((parts) => Object.assign({}, ...parts) as Extract<MeasureResult, { kind: "timed" }>);
const failed = fc
  .tuple(
    fc.record({ kind: fc.constant("failed"), errorNo: fc.integer({ min: 1, max: 8 }), message: text(1024) }),
    phases,
    optional("rule", text(128, 1)),
    optional("log", text(4096, 1)),
    optional("device", device),
    optional("busyMs", ms(80_000)),
    optional("toolchain", text(256, 1)),
    optional("failedProgram", fc.integer({ min: 0, max: 7 })),
    optional("mismatch", fc.record({ buffer: text(64), index: count, expected: anyNumber, got: anyNumber, count })),
  )
  .map((parts) => Object.assign({}, ...parts) as Extract<MeasureResult, { kind: "failed" }>);
const slower = fc
  .tuple(timed, fc.double({ min: 1e-12, max: 100, noNaN: true }))
  .map(([{ paired: _, ...ran }, atLeast]): MeasureResult => ({ ...ran, kind: "slower", atLeast }));
const result: fc.Arbitrary<MeasureResult> = fc.oneof(timed, slower, failed);

const programDigest = hex.map((h) => toProgramDigest(`sha256:${h}`));
const outcome: fc.Arbitrary<Outcome> = fc
  .tuple(
    fc.record({ leaseId: lease, epoch: positive }),
    fc.oneof(
      fc.record({ kind: fc.constant("built" as const), artifact, buildMs: ms(80_000), cached: fc.boolean() }),
      fc.record({ kind: fc.constant("build_failed" as const), result: failed, buildMs: ms(80_000), cached: fc.boolean() }),
      fc.record({ kind: fc.constant("run" as const), result }),
      fc.record({ kind: fc.constant("replayed" as const), program: programDigest, reference: programDigest }),
      fc.record({ kind: fc.constant("replay_refused" as const), message: text(1024) }),
      fc.record(
        {
          ...{ kind: fc.constant("fault" as const), message: text(1024), suspect: fc.boolean() },
          ...{ leaving: fc.constant(true as const), busy: fc.constant(true as const) },
        },
        { requiredKeys: ["kind", "message", "suspect"] },
      ),
    ),
  )
  .map(([a, b]) => ({ ...a, ...b }));

/** Some are longer than a one-byte length can express. */
const bytes = fc.uint8Array({ minLength: 1, maxLength: 200, size: "max" }).map((a) => Buffer.from(a));
const job = fc.oneof(
  fc.record({
    kind: fc.constant("build" as const),
    program: fc.record({ digest: programDigest, bytes }),
    timeoutMs: ms(600_000, 1),
  }),
  fc.record({ kind: fc.constant("replay" as const), claim: bytes, timeoutMs: ms(600_000, 1) }),
  fc
    .tuple(
      fc.record({
        kind: fc.constant("run" as const),
        device: fc.integer({ min: 0, max: 63 }),
        artifact,
        options: fc.oneof(options("cpu"), options("cuda")),
        attempt: fc.integer({ min: 1, max: 9 }),
        buildMs: ms(80_000),
        queueMs: ms(80_000),
        owner: text(64).filter((tag) => tag !== ""),
      }),
      optional("reference", artifact),
      optional(
        "paired",
        fc.record({
          others: fc.array(artifact, { minLength: 1, maxLength: 7 }),
          options: fc.tuple(paired, optional("sequential", fc.constant(true))).map(([a, b]) => ({ ...a, ...b })),
        }),
      ),
      optional(
        "judged",
        fc
          .tuple(fc.record({ secret: hex, leaseSecret: hex }), optional("auditBelowMs", ms(80_000)))
          .map(([a, b]) => ({ ...a, ...b })),
      ),
      optional("incumbentMs", ms(80_000)),
    )
    .map((parts) => Object.assign({}, ...parts)),
);
const traceparent = hex.map((h) => `00-${h.slice(0, 31)}1-${h.slice(0, 15)}1-01`);
const assignment = fc
  .tuple(fc.record({ leaseId: lease, epoch: positive, ttlMs: ms(80_000), job }), optional("traceparent", traceparent))
  .map(([a, b]) => ({ ...a, ...b })) as fc.Arbitrary<Assignment>;

const limits = fc
  .tuple(
    fc.dictionary(fc.stringMatching(/^[a-z_]{1,30}$/), count, { maxKeys: 4, noNullPrototype: true }),
    fc.record({ max_shared_memory_per_block_optin: fc.integer({ min: 1, max: 2 ** 24 }) }, { requiredKeys: [] }),
  )
  .map(([any, known]) => ({ ...any, ...known }));
export const registration = fc.record({
  protocolVersion: fc.integer({ min: 0, max: 9 }),
  node: text(256, 1),
  instanceId: id,
  labels,
  role: fc.oneof(
    fc.record({
      kind: fc.constant("builder" as const),
      slots: fc.integer({ min: 1, max: 1024 }),
      targets: fc.array(fc.constantFrom("cpu/x86-64-v3", "cuda/sm_90a"), { minLength: 1, maxLength: 4 }),
      toolchains: fc.array(text(256), { maxLength: 3 }),
      compilerVersion: text(128),
      programVersions: fc.array(fc.integer({ min: 1, max: 65_535 }), { minLength: 1, maxLength: 16 }),
    }),
    fc.record({
      kind: fc.constant("runner" as const),
      devices: fc
        .array(fc.record({ facts: device, memoryBytes: count, limits }), { minLength: 1, maxLength: 3 })
        .map((devices) => devices.map((d, i) => ({ device: i, ...d }))),
      manifestVersions: fc.array(fc.integer({ min: 1, max: 65_535 }), { minLength: 1, maxLength: 16 }),
    }),
  ),
}) as fc.Arbitrary<Registration>;

const requestFields = {
  workerId: id.map(toWorkerId),
  epoch: positive,
  sequence: count,
  free: fc.array(fc.record({ device: fc.integer({ min: 0, max: 63 }), count: fc.integer({ min: 0, max: 64 }) }), {
    maxLength: 3,
  }),
  running: fc.array(lease, { maxLength: 3 }),
  outcomes: fc.array(outcome, { maxLength: 3 }),
  trouble: text(1024),
  reportOnly: fc.boolean(),
  secret: fc.uint8Array({ maxLength: 64 }).map((b) => Buffer.from(b)),
};
export const request: fc.Arbitrary<SyncRequest> = fc
  .tuple(
    fc.record(requestFields),
    optional("leaving", fc.constant(true as const)),
    optional(
      "checks",
      fc.array(fc.record({ agoMs: ms(86_400_000), ratio: fc.double({ min: 0, max: 1e6, noNaN: true }).map((r) => r + 0) }), {
        minLength: 1,
        maxLength: 3,
      }),
    ),
  )
  .map(([a, b, c]) => ({ ...a, ...b, ...c }));
export const reply: fc.Arbitrary<SyncReply> = fc.record({
  acknowledged: fc.array(lease, { maxLength: 3 }),
  assignments: fc.array(assignment, { maxLength: 3 }),
  cancel: fc.array(lease, { maxLength: 3 }),
  state: fc.constantFrom("active", "drain"),
});

const ref = fc.oneof(
  fc.record({ kind: fc.constant("digest" as const), digest: programDigest }),
  bytes.map((b) => {
    const wire = { json: b, digest: "", kind: "json" as const };
    const read = measureRequestFromWire({
      input: { sequence: 1, program: wire, reference: null, others: [], avoid_nodes: [] },
    } as never);
    if (read.kind !== "input") throw new Error("not an input");
    return read.program;
  }),
);
export const measureRequest: fc.Arbitrary<MeasureRequest> = fc.oneof(
  fc.record(
    {
      kind: fc.constant("start" as const),
      sessionId: id.map(toSessionId),
      resumeAfter: count,
      takesControl: fc.constant(true as const),
      takesTrials: fc.constant(true as const),
    },
    { requiredKeys: ["kind", "sessionId", "resumeAfter"] },
  ),
  fc
    .tuple(
      fc.record({ kind: fc.constant("input" as const), sequence: positive, program: ref }),
      optional("reference", ref),
      optional("others", fc.array(ref, { minLength: 1, maxLength: 7 })),
      optional("avoidNodes", fc.array(text(256, 1), { minLength: 1, maxLength: 16 })),
    )
    .map((parts) => Object.assign({}, ...parts)),
  fc.record({ kind: fc.constant("receipt" as const), receivedThrough: count, received: fc.array(positive, { maxLength: 5 }) }),
);
export const measureEvent: fc.Arbitrary<MeasureEvent> = fc.oneof(
  fc.record({ kind: fc.constant("accepted" as const), acceptedThrough: count }),
  fc.record({
    kind: fc.constant("control" as const),
    paused: fc.boolean(),
    moreTrials: fc.integer({ min: 0, max: mostMoreTrials }),
  }),
  fc.record({ kind: fc.constant("result" as const), sequence: positive, result }),
);
const newSession = fc.constantFrom("cpu" as const, "cuda" as const).chain((backend) =>
  fc.record({
    requestId: id,
    protocolVersion: fc.integer({ min: 0, max: 9 }),
    task: text(256),
    selector: fc.constantFrom(backend, `${backend}/*`, backend === "cpu" ? "cpu/x86-64-v3+" : "cuda/sm_80,zone=a"),
    options: options(backend),
    priority: fc.integer({ min: -100, max: 100 }),
    maxInFlight: fc.integer({ min: 1, max: 1024 }),
    labels,
  }),
);
export const openSession = fc
  .tuple(newSession, optional("continues", id.map(toSessionId)), optional("paired", paired))
  .map(([a, b, c]) => ({ ...a, ...b, ...c })) as fc.Arbitrary<OpenSession>;
export const openedSession = fc.record({
  sessionId: id.map(toSessionId),
  maxInFlight: fc.integer({ min: 1, max: 1024 }),
  idleTimeoutMs: fc.integer({ min: 0, max: 86_400_000 }),
  selector: fc.constantFrom("cpu/*", "cuda/sm_80,zone=a"),
  acceptedThrough: count,
  nodes: fc.array(text(256, 1)),
  outstanding: fc.array(
    fc
      .tuple(fc.record({ sequence: positive, program: programDigest }), optional("reference", programDigest))
      .map(([a, b]) => ({ ...a, ...b })),
  ),
}) as fc.Arbitrary<OpenedSession>;
export const snapshot = fc.record({
  nodes: fc.array(
    fc.record({
      workerId: id.map(toWorkerId),
      node: text(256),
      role: fc.constantFrom("builder", "runner"),
      state: fc.constantFrom("ACTIVE", "DRAIN", "SUSPECT", "LOST"),
      devices: fc.array(fc.record({ facts: device, memoryBytes: count, busy: fc.boolean(), limits }), { maxLength: 2 }),
      slots: fc.integer({ min: 0, max: 99 }),
      targets: fc.array(fc.constantFrom("cpu/x86-64-v3"), { maxLength: 2 }),
      toolchains: fc.array(text(256), { maxLength: 3 }),
      labels,
      lastSeenMs: fc.integer({ min: 0, max: 4e12 }),
      leases: fc.integer({ min: 0, max: 99 }),
    }),
    { maxLength: 2 },
  ),
  queues: fc.array(
    fc.record({
      key: text(256),
      waitingBuilds: fc.nat(),
      waitingRuns: fc.nat(),
      running: fc.nat(),
      devices: fc.nat(),
      idleDevices: fc.nat(),
    }),
    {
      maxLength: 2,
    },
  ),
  sessions: fc.array(
    fc.record({
      sessionId: id.map(toSessionId),
      principal: text(128),
      task: text(256),
      selector: text(256),
      accepted: count,
      finished: count,
    }),
    { maxLength: 2 },
  ),
}) as fc.Arbitrary<FarmSnapshot>;
