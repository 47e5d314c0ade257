/** The messages of golden.test.ts as values, with both conversions. */
import { type ProgramDigest, toLeaseId, toProgramDigest, toWorkerId } from "@warpfarm/common";
import * as wire from "../src/index.ts";
import { syncReplyToBytes } from "../src/rpc/hot-messages.ts";
import { withToolchain } from "./golden.testing.ts";

const [digestA, digestB] = ["a", "b"].map((hex) => toProgramDigest(`sha256:${hex.repeat(64)}`)) as [ProgramDigest, ProgramDigest];
export const lease = (n: number) => toLeaseId(`lease-${n}`);
export const worker = toWorkerId("worker-1");
export const { farm, worker: workerService } = wire.loadServices();

export interface Case {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
  readonly encode: () => Buffer;
  readonly decode: (bytes: Buffer) => unknown;
}
export function message<D, W, O>(
  name: string,
  type: string,
  codec: { serialize(w: W): Buffer; deserialize(b: Buffer): O },
  value: D,
  to: (d: D) => W,
  from: (o: O) => D,
): Case {
  return { name, type, value, encode: () => codec.serialize(to(value)), decode: (bytes) => from(codec.deserialize(bytes)) };
}
export const register = (name: string, value: wire.Registration) =>
  message(
    name,
    "warpfarm.worker.v1.RegisterRequest",
    workerService.Register.requestType,
    value,
    wire.registrationToWire,
    wire.registrationFromWire,
  );
export const request = (name: string, value: wire.MeasureRequest) =>
  message(
    name,
    "warpfarm.farm.v1.MeasureRequest",
    farm.Measure.requestType,
    value,
    wire.measureRequestToWire,
    wire.measureRequestFromWire,
  );
/** As Get answers it. */
const keptSuite = (name: string, value: wire.KeptSuite) =>
  message(
    name,
    "warpfarm.suite.v1.GetResponse",
    wire.loadServices().suite.Get.responseType,
    value,
    (suite) => ({ suite: wire.suiteToWire(suite) }),
    ({ suite }) => {
      if (!suite) throw new Error("the answer has no suite");
      return wire.suiteFromWire(suite);
    },
  );
export const event = (name: string, value: wire.MeasureEvent) =>
  message(
    name,
    "warpfarm.farm.v1.MeasureResponse",
    farm.Measure.responseType,
    value,
    wire.measureEventToWire,
    wire.measureEventFromWire,
  );
export const secret = Buffer.from("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "hex");
export const sync = (name: string, value: Partial<wire.SyncRequest>) =>
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
      reportOnly: false,
      secret,
      ...value,
    },
    wire.syncRequestToWire,
    wire.syncRequestFromWire,
  );
/** By the bytes that a tracker sends. */
export function reply(name: string, said: Partial<wire.SyncReply>): Case {
  const value: wire.SyncReply = {
    ...{ acknowledged: [], assignments: [], cancel: [], state: "active" },
    ...said,
  };
  return {
    name,
    type: "warpfarm.worker.v1.SynchronizeResponse",
    value,
    encode: () => syncReplyToBytes(value, 0),
    decode: (bytes) => wire.syncReplyFromWire(workerService.Synchronize.responseDeserialize(bytes)),
  };
}

export const aKeptSuite = keptSuite("a suite that the farm keeps, one task claimed, one ended, one that waits for a template", {
  suiteId: "suite-1",
  name: "resnet50",
  principal: "alice",
  plan: Buffer.from('{"version":1}'),
  cancelled: false,
  tasks: [
    { taskId: "a", document: Buffer.from("{}"), template: "", ended: "", worker: "w-1", logBytes: 4096 },
    { taskId: "b", document: Buffer.from("{}"), template: "", ended: "trials", worker: "", logBytes: 8192 },
    {
      taskId: "c",
      document: Buffer.from("{}"),
      template: `sha256:${"1".repeat(64)}`,
      ended: "",
      worker: "",
      logBytes: 0,
    },
  ],
  taskCount: 3,
  endedCount: 1,
});

const claim =
  '{"args":[16,16,16,"float32","NN"],"config":[["tile","ot",[8,8]]],"target":"cpu/x86-64-v3","task":"matmul_cpu","template":"matmul_cpu"}';
/** What clients say of programs, and what builders say of that. */
export const claimCases: readonly Case[] = [
  reply("a claim for a builder", {
    assignments: [
      {
        ...{ leaseId: lease(6), epoch: 3, ttlMs: 30_000 },
        job: { kind: "replay", claim: Buffer.from(claim), timeoutMs: 20_000 },
      },
    ],
  }),
  sync("what a claim gives at a builder, and one that gives nothing", {
    outcomes: [
      ...[{ leaseId: lease(6), epoch: 3, kind: "replayed", program: digestA, reference: digestB } as const],
      { leaseId: lease(7), epoch: 3, kind: "replay_refused", message: 'there is no task "matmul"' },
    ],
  }),
];

/** Since MeasureResult.toolchain and Node.toolchains. */
export const toolchainCases: readonly Case[] = [
  sync("a result and a failed build that name their toolchain", {
    reportOnly: true,
    outcomes: [
      { leaseId: lease(7), epoch: 3, kind: "run", result: withToolchain.timed },
      { leaseId: lease(2), epoch: 3, kind: "build_failed", result: withToolchain.refused, buildMs: 31, cached: false },
    ],
  }),
  message(
    "a builder with its toolchains",
    "warpfarm.farm.v1.ListNodesResponse",
    farm.ListNodes.responseType,
    {
      nodes: [
        {
          workerId: worker,
          node: "node-1",
          role: "builder",
          state: "ACTIVE",
          devices: [],
          slots: 2,
          targets: ["cpu/x86-64-v3"],
          toolchains: ["gcc 12.2.0", "warpfarm 0.1.0"],
          labels: {},
          lastSeenMs: 1_763_740_800_250,
          leases: 0,
        },
      ],
      queues: [],
      sessions: [],
    },
    (snapshot: wire.FarmSnapshot) => ({ snapshot: wire.snapshotToWire(snapshot) }),
    ({ snapshot }) => {
      if (!snapshot) throw new Error("no snapshot");
      return wire.snapshotFromWire(snapshot);
    },
  ),
];
