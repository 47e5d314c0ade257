/**
 * The contracts as files another language could implement from: proto/test/golden/README.md says what each is. Every file is checked both
 * ways: the domain value gives these bytes, these bytes give the domain value. `npm run golden` rewrites them; the diff is a change of
 * contract and needs a version and an ADR.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import {
  type ArtifactManifest,
  canonicalJson,
  type DeviceFacts,
  type DType,
  digestOf,
  dtypes,
  type FailedResult,
  fillValue,
  type ProgramBytes,
  philoxBits,
  type TimedResult,
  toDigest,
  toLeaseId,
  toProgramDigest,
  toSessionId,
  toWorkerId,
} from "@warpfarm/common";
import { decodeProgram, encodeDocument } from "@warpfarm/compiler";
import type protobuf from "protobufjs";
import { beforeAll, describe, expect, it } from "vitest";
import { decodeLine, encodeTrial } from "../../client/src/record/autotvm-line.ts";
import type { TrialRecord } from "../../client/src/record/record.ts";
import * as wire from "../src/index.ts";
import { fromJson, loadRoot, toJson } from "./proto-json.ts";

const directory = new URL("golden/", import.meta.url);
const rewrite = process.env.WARPFARM_GOLDEN === "write";

/** The file's bytes; in rewrite mode they are `current` from now on. */
function golden(name: string, current: string): string {
  const path = new URL(name, directory);
  if (rewrite) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(path, current);
  }
  return readFileSync(path, "utf8");
}
const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** C[i, j] = sum over k of A[i, k]·B[k, j], its columns split, reordered and vectorized. */
const program = {
  version: 1,
  kind: "schedule",
  target: "cpu/x86-64-v3",
  graph: {
    inputs: [
      { name: "A", dtype: "float32", shape: [4, 8] },
      { name: "B", dtype: "float32", shape: [8, 6] },
    ],
    ops: [
      {
        name: "C",
        axes: [
          { name: "i", extent: 4 },
          { name: "j", extent: 6 },
        ],
        reduce: [{ name: "k", extent: 8 }],
        dtype: "float32",
        body: ["sum", ["mul", ["load", "A", ["i", "k"]], ["load", "B", ["k", "j"]]]],
      },
    ],
    outputs: ["C"],
  },
  intrinsics: [],
  trace: [
    { op: "split", in: ["l1"], args: { factors: [null, 2] }, out: ["l3", "l4"] },
    { op: "reorder", in: ["l0", "l3", "l2", "l4"], args: {}, out: [] },
    { op: "vectorize", in: ["l4"], args: {}, out: [] },
  ],
};
const programText = canonicalJson(program);
const programBytes: ProgramBytes = { digest: toProgramDigest(digestOf(programText)), bytes: Buffer.from(programText) };
const reference: ProgramBytes["digest"] = toProgramDigest(digestOf(canonicalJson({ ...program, trace: [] })));

const manifest: ArtifactManifest = {
  version: 1,
  program: programBytes.digest,
  target: "cpu/x86-64-v3",
  format: "so",
  code: toDigest(digestOf("the bytes of the shared object")),
  kernels: [
    { name: "C_kernel", grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: ["A", "B", "C"] },
  ],
  buffers: [
    { name: "A", dtype: "float32", shape: [4, 8], bytes: 128, align: 64, role: "in", reduction: 1 },
    { name: "B", dtype: "float32", shape: [8, 6], bytes: 192, align: 64, role: "in", reduction: 1 },
    { name: "C", dtype: "float32", shape: [4, 6], bytes: 96, align: 64, role: "out", reduction: 8 },
  ],
  resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
  toolchain: "gcc 12.2.0",
  notes: [],
};
const artifact = wire.encodeManifest(manifest);

const device: DeviceFacts = { key: "cpu/x86-64-v4", name: "A CPU", uuid: "cpu-6a2f", node: "node-1", driver: "Linux 6.1" };
const timed: TimedResult = {
  kind: "timed",
  costs: [0.0000125, 0.0000127, 0.0000126],
  number: 1600,
  busyMs: 64.5,
  checked: true,
  device,
  observations: { smClockMhz: 2600.5, throttleReasons: ["thermal"] },
  artifact: artifact.digest,
  buildMs: 180.25,
  runMs: 92.000001,
  timestampMs: 1_750_000_000_123,
  attempt: 1,
};
const wrong: FailedResult = {
  kind: "failed",
  errorNo: 5,
  rule: "check.reference",
  message: "C[23] is NaN, expected 1.5",
  mismatch: { buffer: "C", index: 23, expected: 1.5, got: Number.NaN, count: 1 },
  device,
  buildMs: 180.25,
  runMs: 40,
  timestampMs: 1_750_000_001_000,
  attempt: 2,
};
const refused: FailedResult = {
  kind: "failed",
  errorNo: 3,
  message: "cc ended with status 1",
  log: "C.c:7:3: error: expected ';'\n",
  buildMs: 31,
  runMs: 0,
  timestampMs: 1_750_000_000_000,
  attempt: 1,
};
const options = { number: 0, repeat: 3, minRepeatMs: 20, buildTimeoutMs: 30_000, runTimeoutMs: 10_000, cooldownMs: 0 } as const;
const measureOptions = { ...options, l2: "warm", timer: "wall", check: "reference", cutoffSeconds: 0.25 } as const;

const lease = (n: number) => toLeaseId(`lease-${n}`);
const worker = toWorkerId("worker-1");
const { farm, worker: workerService } = wire.loadServices();

interface Case {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
  readonly encode: () => Buffer;
  readonly decode: (bytes: Buffer) => unknown;
}
function message<D, W, O>(
  name: string,
  type: string,
  codec: { serialize(w: W): Buffer; deserialize(b: Buffer): O },
  value: D,
  to: (d: D) => W,
  from: (o: O) => D,
): Case {
  return { name, type, value, encode: () => codec.serialize(to(value)), decode: (bytes) => from(codec.deserialize(bytes)) };
}
const register = (name: string, value: wire.Registration) =>
  message(
    name,
    "warpfarm.worker.v1.RegisterRequest",
    workerService.Register.requestType,
    value,
    wire.registrationToWire,
    wire.registrationFromWire,
  );
const request = (name: string, value: wire.MeasureRequest) =>
  message(
    name,
    "warpfarm.farm.v1.MeasureRequest",
    farm.Measure.requestType,
    value,
    wire.measureRequestToWire,
    wire.measureRequestFromWire,
  );
const event = (name: string, value: wire.MeasureEvent) =>
  message(
    name,
    "warpfarm.farm.v1.MeasureResponse",
    farm.Measure.responseType,
    value,
    wire.measureEventToWire,
    wire.measureEventFromWire,
  );
const sync = (name: string, value: Partial<wire.SyncRequest>) =>
  message(
    name,
    "warpfarm.worker.v1.SynchronizeRequest",
    workerService.Synchronize.requestType,
    {
      workerId: worker,
      epoch: 3,
      sequence: 41,
      free: [],
      running: [],
      outcomes: [],
      trouble: "",
      cacheAdded: [],
      cacheDropped: [],
      reportOnly: false,
      ...value,
    },
    wire.syncRequestToWire,
    wire.syncRequestFromWire,
  );
const reply = (name: string, value: Partial<wire.SyncReply>) =>
  message(
    name,
    "warpfarm.worker.v1.SynchronizeResponse",
    workerService.Synchronize.responseType,
    {
      acknowledged: [],
      assignments: [],
      prefetch: [],
      cancel: [],
      state: "active",
      nextCallAfterMs: 0,
      ...value,
    } as wire.SyncReply,
    wire.syncReplyToWire,
    wire.syncReplyFromWire,
  );
const assigned = { epoch: 3, ttlMs: 30_000 };

const cases: readonly Case[] = [
  register("a builder registers", {
    protocolVersion: 1,
    node: "node-1",
    instanceId: "f3b1c2d4",
    labels: { zone: "a" },
    role: {
      kind: "builder",
      slots: 2,
      targets: ["cpu/x86-64-v3", "cuda/sm_90a"],
      toolchains: ["gcc 12.2.0"],
      compilerVersion: "0.1.0",
    },
  }),
  register("a runner registers", {
    protocolVersion: 1,
    node: "node-1",
    instanceId: "0a9b8c7d",
    labels: {},
    role: { kind: "runner", devices: [{ device: 0, facts: device, memoryBytes: 34_359_738_368, limits: { threads: 8 } }] },
  }),
  message(
    "the tracker answers Register",
    "warpfarm.worker.v1.RegisterResponse",
    workerService.Register.responseType,
    { workerId: worker, epoch: 3, leaseTtlMs: 30_000, nextCallAfterMs: 0 },
    wire.registeredToWire,
    wire.registeredFromWire,
  ),
  sync("a runner asks for work and names what it holds", {
    free: [{ device: 0, count: 1 }],
    running: [lease(7)],
    cacheAdded: [artifact.digest],
  }),
  sync("a runner reports a time and a wrong answer", {
    reportOnly: true,
    outcomes: [
      { leaseId: lease(7), epoch: 3, kind: "run", result: timed },
      { leaseId: lease(8), epoch: 3, kind: "run", result: wrong },
    ],
  }),
  sync("a builder reports an artifact, a refusal and a fault", {
    free: [{ device: 0, count: 2 }],
    trouble: "disk full",
    outcomes: [
      { leaseId: lease(1), epoch: 3, kind: "built", artifact: artifact.digest, buildMs: 180.25, cached: false },
      { leaseId: lease(2), epoch: 3, kind: "build_failed", result: refused, buildMs: 31, cached: false },
      { leaseId: lease(3), epoch: 3, kind: "fault", message: "no space left on device", suspect: true },
    ],
  }),
  reply("work for a builder", {
    acknowledged: [lease(1)],
    assignments: [{ leaseId: lease(4), ...assigned, job: { kind: "build", program: programBytes, timeoutMs: 30_000 } }],
  }),
  reply("work for a runner, something to prefetch, something to stop", {
    assignments: [
      {
        leaseId: lease(9),
        ...assigned,
        job: {
          kind: "run",
          device: 0,
          artifact: artifact.digest,
          reference: artifact.digest,
          options: measureOptions,
          attempt: 2,
          buildMs: 180.25,
        },
      },
    ],
    prefetch: [artifact.digest],
    cancel: [lease(8)],
    nextCallAfterMs: 250,
  }),
  message(
    "a client opens a session",
    "warpfarm.farm.v1.OpenSessionRequest",
    farm.OpenSession.requestType,
    {
      requestId: "8d6b1f",
      protocolVersion: 1,
      task: "matmul 4x6x8",
      selector: "cpu/x86-64-v3+,zone=a",
      options: measureOptions,
      priority: -5,
      maxInFlight: 64,
      labels: { team: "kernels" },
    },
    wire.openSessionToWire,
    wire.openSessionFromWire,
  ),
  message(
    "a client goes on with the session of its earlier process",
    "warpfarm.farm.v1.OpenSessionRequest",
    farm.OpenSession.requestType,
    {
      requestId: "8d6b20",
      protocolVersion: 1,
      task: "matmul 4x6x8",
      selector: "cpu/x86-64-v3+,zone=a",
      options: measureOptions,
      priority: 0,
      maxInFlight: 64,
      labels: {},
      continues: toSessionId("session-1"),
    },
    wire.openSessionToWire,
    wire.openSessionFromWire,
  ),
  message(
    "a session that goes on",
    "warpfarm.farm.v1.OpenSessionResponse",
    farm.OpenSession.responseType,
    {
      sessionId: toSessionId("session-1"),
      maxInFlight: 64,
      idleTimeoutMs: 900_000,
      selector: "cpu/x86-64-v3+,zone=a",
      acceptedThrough: 14,
      outstanding: [
        { sequence: 12, program: programBytes.digest, reference },
        { sequence: 14, program: reference },
      ],
    },
    wire.openedSessionToWire,
    wire.openedSessionFromWire,
  ),
  request("Measure: start", { kind: "start", sessionId: toSessionId("session-1"), resumeAfter: 12 }),
  request("Measure: an input with its program and a reference sent before", {
    kind: "input",
    sequence: 13,
    program: { kind: "program", program: programBytes },
    reference: { kind: "digest", digest: reference },
  }),
  request("Measure: a receipt", { kind: "receipt", receivedThrough: 12, received: [14, 17] }),
  event("Measure: accepted", { kind: "accepted", acceptedThrough: 13 }),
  event("Measure: a time", { kind: "result", sequence: 13, result: timed }),
  event("Measure: a failure", { kind: "result", sequence: 14, result: wrong }),
];

describe("messages", () => {
  let root: protobuf.Root;
  let file: readonly { readonly name: string; readonly message: string; readonly json: unknown; readonly hex: string }[];
  beforeAll(async () => {
    root = await loadRoot();
    const current = cases.map((c) => {
      const bytes = c.encode();
      const type = root.lookupType(c.type);
      return { name: c.name, message: c.type, json: toJson(type, type.decode(bytes)), hex: bytes.toString("hex") };
    });
    file = JSON.parse(golden("messages.json", pretty(current)));
  });

  it("the file has exactly these", () => expect(file.map((m) => m.name)).toEqual(cases.map((c) => c.name)));
  it.each(cases)("$name: value -> bytes -> value", ({ name, value, encode, decode }) => {
    const entry = file.find((m) => m.name === name);
    expect(encode().toString("hex")).toBe(entry?.hex);
    expect(decode(Buffer.from(entry?.hex ?? "", "hex"))).toEqual(value);
  });
  it.each(cases)("$name: JSON -> bytes -> JSON, without our code", ({ name }) => {
    const entry = file.find((m) => m.name === name);
    const type = root.lookupType(entry?.message ?? "");
    const bytes = type.encode(type.fromObject(fromJson(type, entry?.json))).finish();
    expect(Buffer.from(bytes).toString("hex")).toBe(entry?.hex);
    expect(toJson(type, type.decode(bytes))).toEqual(entry?.json);
  });
});

describe("documents", () => {
  it("program.json is canonical, named by program.sha256, and the compiler reads and writes it", () => {
    const text = golden("program.json", programText);
    expect(text).toBe(programText);
    expect(`sha256:${golden("program.sha256", `${programBytes.digest.slice(7)}\n`).trim()}`).toBe(digestOf(text));
    expect(wire.programEnvelope("program", Buffer.from(text))).toEqual({ kind: "schedule", target: "cpu/x86-64-v3" });
    const read = decodeProgram(Buffer.from(text));
    expect(read).toMatchObject({ ok: true });
    if (read.ok) expect(Buffer.from(encodeDocument(read.value).bytes).toString()).toBe(text);
  });
  it("manifest.json is canonical, named by manifest.sha256", () => {
    const text = golden("manifest.json", Buffer.from(artifact.bytes).toString());
    expect(`sha256:${golden("manifest.sha256", `${artifact.digest.slice(7)}\n`).trim()}`).toBe(digestOf(text));
    expect(wire.decodeManifest(Buffer.from(text))).toEqual({ ok: true, value: manifest });
  });
  it("log-line.jsonl: a time and a failure, as the client writes and reads them", () => {
    const trial = (sequence: number, result: TrialRecord["result"]): TrialRecord => ({
      run: {
        task: "conv2d_nchw_cpu",
        args: [1, 7, 7, 512, 512, 3, 3, [1, 1], [1, 1]],
        target: "cpu/x86-64-v3",
        tuner: "random",
        seed: 7,
      },
      session: "session-1",
      sequence,
      told: sequence - 1,
      config: {
        index: 17,
        code_hash: null,
        entity: [
          ["tile_f", "sp", [-1, 8]],
          ["unroll", "ot", 512],
        ],
      },
      program: programBytes.digest,
      options: measureOptions,
      result,
    });
    const { got: _, ...finite } = { ...wrong.mismatch, got: 0 } as NonNullable<typeof wrong.mismatch>;
    const trials = [trial(1, timed), trial(2, { ...wrong, mismatch: { ...finite, got: 2.5 } })];
    const lines = golden("log-line.jsonl", trials.map((t) => `${encodeTrial(t)}\n`).join(""))
      .trimEnd()
      .split("\n");
    expect(lines).toEqual(trials.map(encodeTrial));
    expect(lines.map(decodeLine)).toEqual(trials.map((t) => ({ kind: "warpfarm", trial: t })));
  });
});

describe("Philox fill", () => {
  it("philox.json: the first eight bits and values of some seeds and buffers, in every dtype", () => {
    const current = [
      [0, 0],
      [0, 1],
      [1, 0],
      [2 ** 32 + 5, 3],
      [Number.MAX_SAFE_INTEGER, 255],
    ].map(([seed = 0, buffer = 0]) => {
      const bits = Array.from({ length: 8 }, (_, i) => philoxBits(seed, buffer, i));
      const values = Object.fromEntries(dtypes.map((dtype: DType) => [dtype, bits.map((b) => fillValue(dtype, b))]));
      return { seed, buffer, bits: bits.map((b) => `0x${b.toString(16).padStart(8, "0")}`), values };
    });
    expect(JSON.parse(golden("philox.json", pretty(current)))).toEqual(current);
    // Known answer of Random123's kat_vectors: philox4x32-10, counter 0, key 0.
    expect(current[0]?.bits[0]).toBe("0x6627e8d5");
  });
});
