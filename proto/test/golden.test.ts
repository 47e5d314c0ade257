/**
 * The messages of the wire as a file from which another language can be implemented (proto/test/golden/README.md). Each message
 * is checked in both directions: the domain value gives these bytes, and these bytes give the domain value. `npm run golden`
 * rewrites the file; a diff is a change of contract and needs a version and an ADR.
 */
import { toSessionId } from "@warpfarm/common";
import type protobuf from "protobufjs";
import { beforeAll, describe, expect, it } from "vitest";
import * as wire from "../src/index.ts";
import {
  artifact,
  device,
  golden,
  measureOptions,
  paired,
  pretty,
  programBytes,
  reference,
  refused,
  stagesArtifact,
  timed,
  wrong,
} from "./golden.testing.ts";
import {
  aKeptSuite,
  type Case,
  claimCases,
  event,
  farm,
  lease,
  message,
  register,
  reply,
  request,
  secret,
  sync,
  toolchainCases,
  worker,
  workerService,
} from "./golden-messages.testing.ts";
import { questionCases, recordCases } from "./golden-records.testing.ts";
import { fromJson, loadRoot, toJson } from "./proto-json.ts";

const assigned = { epoch: 3, ttlMs: 30_000 };

const devices = [{ device: 0, facts: device, memoryBytes: 34_359_738_368, limits: { threads: 8 } }];

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
      programVersions: [1, 2],
    },
  }),
  register("a runner registers", {
    protocolVersion: 1,
    node: "node-1",
    instanceId: "0a9b8c7d",
    labels: {},
    role: { kind: "runner", devices, manifestVersions: [1, 2] },
  }),
  message(
    "the tracker answers Register",
    "warpfarm.worker.v1.RegisterResponse",
    workerService.Register.responseType,
    { workerId: worker, epoch: 3, leaseTtlMs: 30_000, secret },
    wire.registeredToWire,
    wire.registeredFromWire,
  ),
  sync("a runner asks for work and names what it holds", {
    free: [{ device: 0, count: 1 }],
    running: [lease(7)],
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
  sync("a runner ends: one job had begun, another had not and is not named", {
    leaving: true,
    outcomes: [
      { leaseId: lease(5), epoch: 3, kind: "fault", message: "the worker is shutting down", suspect: false, leaving: true },
    ],
  }),
  reply("work for a builder", {
    acknowledged: [lease(1)],
    assignments: [{ leaseId: lease(4), ...assigned, job: { kind: "build", program: programBytes, timeoutMs: 30_000 } }],
  }),
  reply("work for a runner, something to stop", {
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
          queueMs: 950.5,
          owner: "mQ2sVnE0c1kJx8bTgYw4aA",
        },
      },
    ],
    cancel: [lease(8)],
  }),
  reply("two artifacts for a runner to measure in turns", {
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
          queueMs: 950.5,
          owner: "mQ2sVnE0c1kJx8bTgYw4aA",
          paired: { others: [stagesArtifact.digest], options: paired.options },
        },
      },
    ],
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
  recordCases[0],
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
      nodes: [],
    },
    wire.openedSessionToWire,
    wire.openedSessionFromWire,
  ),
  message(
    "a client opens a session that pairs",
    "warpfarm.farm.v1.OpenSessionRequest",
    farm.OpenSession.requestType,
    {
      requestId: "8d6b21",
      protocolVersion: 1,
      task: "matmul 4x6x8",
      selector: "cpu/x86-64-v3+",
      options: measureOptions,
      priority: 0,
      maxInFlight: 1,
      labels: {},
      paired: paired.options,
    },
    wire.openSessionToWire,
    wire.openSessionFromWire,
  ),
  message(
    "a session that pairs",
    "warpfarm.farm.v1.OpenSessionResponse",
    farm.OpenSession.responseType,
    {
      sessionId: toSessionId("session-1"),
      maxInFlight: 1,
      idleTimeoutMs: 900_000,
      selector: "cpu/x86-64-v3+",
      acceptedThrough: 0,
      outstanding: [],
      nodes: ["node-1", "node-2"],
    },
    wire.openedSessionToWire,
    wire.openedSessionFromWire,
  ),
  message(
    "a session with its share, that takes what others measured",
    "warpfarm.farm.v1.OpenSessionRequest",
    farm.OpenSession.requestType,
    {
      requestId: "request-3",
      protocolVersion: 1,
      task: "matmul",
      selector: "cpu/x86-64-v3",
      options: measureOptions,
      priority: -3,
      maxInFlight: 64,
      labels: {},
      weight: 5,
      reuse: true,
    },
    wire.openSessionToWire,
    wire.openSessionFromWire,
  ),
  message(
    "who is there",
    "warpfarm.farm.v1.ListNodesResponse",
    farm.ListNodes.responseType,
    {
      nodes: [
        {
          workerId: worker,
          node: "node-1",
          role: "runner",
          state: "SUSPECT",
          devices: [
            {
              facts: device,
              memoryBytes: 34_359_738_368,
              busy: true,
              limits: { max_shared_memory_per_block_optin: 232_448, max_threads_per_block: 1_024 },
            },
          ],
          slots: 0,
          targets: [],
          toolchains: [],
          labels: { zone: "a" },
          lastSeenMs: 1_763_740_800_250,
          leases: 1,
          reason: { what: "quarantined: 5 faults in a row", detail: "no output" },
        },
      ],
      queues: [{ key: "cpu/*", waitingBuilds: 3, waitingRuns: 2, running: 1, oldestRunMs: 12_000, devices: 1, idleDevices: 0 }],
      sessions: [
        {
          sessionId: toSessionId("session-1"),
          principal: "alice",
          task: "matmul",
          selector: "cpu/*",
          accepted: 14,
          finished: 8,
        },
      ],
    },
    (snapshot: wire.FarmSnapshot) => ({ snapshot: wire.snapshotToWire(snapshot) }),
    ({ snapshot }) => {
      if (!snapshot) throw new Error("no snapshot");
      return wire.snapshotFromWire(snapshot);
    },
  ),
  request("Measure: start", { kind: "start", sessionId: toSessionId("session-1"), resumeAfter: 12 }),
  request("Measure: start, of a client that takes control messages and more trials", {
    kind: "start",
    sessionId: toSessionId("session-1"),
    resumeAfter: 12,
    takesControl: true,
    takesTrials: true,
  }),
  request("Measure: an input with its program and a reference sent before", {
    kind: "input",
    sequence: 13,
    program: { kind: "program", program: programBytes },
    reference: { kind: "digest", digest: reference },
  }),
  recordCases[1],
  ...questionCases,
  request("Measure: two programs in turns, on another node when there is one", {
    kind: "input",
    sequence: 1,
    program: { kind: "program", program: programBytes },
    reference: { kind: "digest", digest: reference },
    others: [{ kind: "digest", digest: reference }],
    avoidNodes: ["node-1"],
  }),
  request("Measure: a receipt", { kind: "receipt", receivedThrough: 12, received: [14, 17] }),
  event("Measure: accepted", { kind: "accepted", acceptedThrough: 13 }),
  event("Measure: control", { kind: "control", paused: true, moreTrials: 500 }),
  event("Measure: a time", { kind: "result", sequence: 13, result: timed }),
  event("Measure: a failure", { kind: "result", sequence: 14, result: wrong }),
  event("Measure: times in turns", { kind: "result", sequence: 1, result: paired.timed }),
  event("Measure: a failure of the second in turns", { kind: "result", sequence: 1, result: paired.failed }),
  aKeptSuite,
  ...toolchainCases,
  ...claimCases,
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
    // A zero may be written or left out.
    for (const each of [bytes, Buffer.from(entry?.hex ?? "", "hex")])
      expect(toJson(type, type.decode(each))).toEqual(entry?.json);
  });
});
