/** What people are told of sessions, leases and queues: each field has a value of its own, so none can stand for another. */
import { toSessionId, toWorkerId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { loadServices } from "../rpc/load.ts";
import {
  type EndedLease,
  endedLeaseFromWire,
  endedLeaseToWire,
  type SessionStatus,
  sessionStatusFromWire,
  sessionStatusToWire,
} from "./admin.ts";
import { type FarmSnapshot, type NodeView, snapshotFromWire, snapshotToWire } from "./snapshot.ts";

const { admin, farm } = loadServices();

it.each<[what: string, more: Partial<SessionStatus>]>([
  ["nothing waits", {}],
  ["it waits for an unknown time", { waiting: { holds: [{ kind: "no_runner", what: "no runner" }], share: 0.25, due: 0.5 } }],
  ["it waits", { waiting: { holds: [], share: 0.125, due: 0.375, before: 21, startsInMs: 22, doneInMs: 23 } }],
])("a session, %s", (_what, more) => {
  const status: SessionStatus = {
    ...{ sessionId: toSessionId("s-1"), principal: "alice", task: "matmul", selector: "cuda/*" },
    ...{ priority: -1, weight: 2, accepted: 3, building: 4, ready: 5, running: 6 },
    ...{ deviceMs: 7, queueMs: 8, buildMs: 9, transferMs: 10, timedMs: 11.5, ageMs: 12, expiresInMs: 13 },
    ...{ streaming: true, paused: false, moreTrials: 14, takesTrials: true },
    ...more,
  };
  const { responseSerialize, responseDeserialize } = admin.ListSessions;
  const { sessions } = responseDeserialize(responseSerialize({ sessions: [sessionStatusToWire(status)] } as never));
  expect(sessions.map((each, i) => sessionStatusFromWire(`sessions[${i}]`, each))).toEqual([status]);
});

it.each([toSessionId("s-1"), undefined])("a lease that ended, of %s", (session) => {
  const lease: EndedLease = {
    ...{ endMs: 1_763_740_800_250, heldMs: 2, node: "n", device: "GPU-1", deviceName: "H100", session, sequence: 3 },
    ...{ outcome: "timed", queueMs: 4, buildMs: 5, transferMs: 6, timedMs: 7 },
  };
  const { responseSerialize, responseDeserialize } = admin.ListLeases;
  const { leases } = responseDeserialize(responseSerialize({ leases: [endedLeaseToWire(lease)] } as never));
  expect(leases.map(endedLeaseFromWire)).toEqual([lease]);
});

it("queues and builders of the farm", () => {
  const queue = { key: "cuda/*", waitingBuilds: 1, waitingRuns: 2, running: 3, devices: 4, idleDevices: 5 };
  const builder: NodeView = {
    ...{ workerId: toWorkerId("w-1"), node: "n", devices: [], slots: 6, lastSeenMs: 7_000, leases: 8 },
    ...{ targets: ["cuda/sm_90"], toolchains: ["nvcc 12.4"], labels: { a: "b" } },
    role: "builder",
    state: "DRAIN",
    reason: { what: "drained" },
  };
  const snapshot: FarmSnapshot = {
    nodes: [builder],
    queues: [
      { ...queue, oldestBuildMs: 9, oldestRunMs: 10, unread: ["update one"] },
      { ...queue, oldestBuildMs: 11 },
    ],
    sessions: [],
  };
  const { responseSerialize, responseDeserialize } = farm.ListNodes;
  const read = responseDeserialize(responseSerialize({ snapshot: snapshotToWire(snapshot) } as never));
  expect(read.snapshot && snapshotFromWire(read.snapshot)).toEqual(snapshot);
});
