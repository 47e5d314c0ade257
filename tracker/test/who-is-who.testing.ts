/** What everybody may do of every method of every service, on what is alice's and gpu1's: who-is-who.test.ts tries it. */
import { randomUUID } from "node:crypto";
import * as grpc from "@grpc/grpc-js";
import { digestOf, FarmError, type SessionId, toDigest } from "@warpfarm/common";
import { protocolVersion, type Registered, type TrackerConnection } from "@warpfarm/proto";
import type { TuningRecord } from "@warpfarm/records";
import { cpu, openRequest, synchronized } from "../../test-support/farm/scripted.ts";

/** Who tries. `bob` and `gpu2` are of the roles of those whose things are tried; `nobody` shows no token. */
export const parties = ["bob", "builder1", "gpu2", "boss", "nobody"] as const;
type Party = (typeof parties)[number];

export const runnerOf = (n: number) => ({
  protocolVersion,
  node: `node-${n}`,
  instanceId: `instance-of-gpu${n}`,
  labels: {},
  role: {
    kind: "runner" as const,
    devices: [{ device: 0, facts: cpu(n), memoryBytes: 2 ** 30, limits: { threads: 2 } }],
    manifestVersions: [1],
  },
});

export interface Stage {
  readonly tracker: TrackerConnection;
  /** Without our conversions. */
  readonly raw: (path: string) => Promise<unknown>;
  /** A session of alice, opened for this attempt. */
  readonly session: SessionId;
  readonly requestId: string;
  readonly sessionLives: () => Promise<boolean>;
  readonly worker: Registered;
  /** A suite of alice with the task "a", kept for this attempt. */
  readonly suite: string;
  /** Task of a record that alice imported for this attempt, and that she alone may see. */
  readonly recorded: string;
}
/** What came of it: a word of the row's own, or the code of its refusal. */
type Attempt = (stage: Stage) => Promise<string>;
/** `comes`: by party, in their order. */
interface Row {
  readonly attempt: Attempt;
  readonly comes: Readonly<Record<Party, string>>;
}
const denied = "PERMISSION_DENIED";
const unknown = "UNAUTHENTICATED";
const row = (
  attempt: Attempt,
  ...[bob, builder1, gpu2, boss, nobody]: readonly [string, string, string, string, string]
): Row => ({
  attempt,
  comes: { bob, builder1, gpu2, boss, nobody },
});

export const suiteOf = () => {
  const document = new TextEncoder().encode("{}");
  return { requestId: randomUUID(), name: "s", plan: document, tasks: [{ taskId: "a", document, template: "" }] };
};

const forAdmins = (attempt: Attempt): Row => row(attempt, denied, denied, denied, "ok", unknown);

/** A private record; whose it is the tracker says. */
export const recordOf = (task: string): TuningRecord => ({
  id: task,
  origin: { kind: "imported", by: "", format: "test" },
  task,
  args: [],
  private: true,
  target: "cpu/x86-64-v3",
  result: { kind: "timed", costs: [1], checked: true },
  timestampMs: 1,
});
const found = (records: readonly unknown[]) => (records.length === 1 ? "sees it" : "sees it not");

/** `ok`, or the code of the refusal. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ok",
    (error: unknown) => {
      if (error instanceof FarmError) return error.code;
      const { code } = error as { code?: number };
      return code === undefined ? String(error) : (grpc.status[code] ?? "?");
    },
  );

export const speakAs = ({ worker: { workerId, epoch } }: Stage) => ({
  workerId,
  epoch,
  reportOnly: false,
  leaving: true as const,
});
const guess = { secret: Buffer.alloc(32) };
const none = { secret: Buffer.alloc(0) };
const seen = (snapshot: unknown, { session, worker }: Stage): string => {
  const text = JSON.stringify(snapshot);
  return text.includes(session) || text.includes(worker.workerId) ? "sees both" : "sees neither";
};
const ok = async (work: Promise<unknown>) => {
  await work;
  return "ok";
};
const nothingThere = toDigest(digestOf("nothing of that content"));

export const rows: Readonly<Record<string, Row>> = {
  "farm.v1.FarmService/OpenSession": row(
    async ({ tracker, session, requestId }) => {
      const again = await tracker.farm.openSession({ ...openRequest, requestId });
      const on = await tracker.farm.openSession({ ...openRequest, requestId: randomUUID(), continues: session });
      return `${again.sessionId === session ? "hers" : "a new one"}, ${on.sessionId === session ? "hers" : "a new one"}`;
    },
    "a new one, a new one",
    denied,
    denied,
    "a new one, hers",
    unknown,
  ),
  "farm.v1.FarmService/Measure": row(
    async ({ tracker, session }) => {
      async function* start() {
        yield { kind: "start" as const, sessionId: session, resumeAfter: 0 };
      }
      for await (const event of tracker.farm.measure(start())) return event.kind;
      return "ended";
    },
    "NOT_FOUND",
    denied,
    denied,
    "accepted",
    unknown,
  ),
  "farm.v1.FarmService/CloseSession": row(
    async ({ tracker, session, sessionLives }) => {
      await tracker.farm.closeSession(session);
      return (await sessionLives()) ? "it lives" : "it is gone";
    },
    "it lives",
    denied,
    denied,
    "it is gone",
    unknown,
  ),
  "farm.v1.FarmService/SettleTrials": row(
    ({ tracker, session }) => ok(tracker.farm.settleTrials(session, 0)),
    "NOT_FOUND",
    denied,
    denied,
    "ok",
    unknown,
  ),
  "farm.v1.FarmService/ListNodes": row(
    async (stage) => seen(await stage.tracker.farm.listNodes(), stage),
    "sees neither",
    denied,
    denied,
    "sees both",
    unknown,
  ),
  "worker.v1.WorkerService/Register": row(
    async ({ tracker, worker }) => {
      const { workerId } = await tracker.worker.register({ ...runnerOf(1), role: runnerOf(9).role });
      if (workerId === worker.workerId) return "it is gpu1";
      return ok(tracker.worker.register(runnerOf(1)));
    },
    denied,
    denied,
    "ALREADY_EXISTS",
    denied,
    unknown,
  ),
  "worker.v1.WorkerService/Synchronize": row(
    async (stage) => {
      const without = await ok(synchronized(stage.tracker, { ...speakAs(stage), ...none }));
      const guessed = await ok(synchronized(stage.tracker, { ...speakAs(stage), ...guess }));
      return without === guessed ? without : `${without}, ${guessed}`;
    },
    denied,
    "ABORTED",
    "ABORTED",
    "ABORTED",
    unknown,
  ),
  "artifact.v1.ArtifactService/Upload": row(
    // Not by `upload`, which asks first whether it is there.
    ({ tracker }) => ok(tracker.artifacts.upload(Buffer.from(randomUUID()))),
    "ok",
    "ok",
    denied,
    "ok",
    unknown,
  ),
  "artifact.v1.ArtifactService/Download": row(
    ({ tracker }) => ok(tracker.artifacts.download(nothingThere)),
    "NOT_FOUND",
    "NOT_FOUND",
    "NOT_FOUND",
    "NOT_FOUND",
    unknown,
  ),
  "artifact.v1.ArtifactService/Stat": row(
    ({ tracker }) => ok(tracker.artifacts.stat([nothingThere])),
    "ok",
    "ok",
    "ok",
    "ok",
    unknown,
  ),
  "admin.v1.AdminService/DrainNode": forAdmins(({ tracker }) => ok(tracker.admin.drainNode("node-1", "undo"))),
  "admin.v1.AdminService/ListSessions": row(
    async (stage) => seen(await stage.tracker.admin.listSessions(), stage),
    "sees neither",
    denied,
    denied,
    "sees both",
    unknown,
  ),
  "admin.v1.AdminService/ListLeases": row(({ tracker }) => ok(tracker.admin.listLeases()), "ok", denied, denied, "ok", unknown),
  "admin.v1.AdminService/CancelSession": row(
    ({ tracker, session }) => ok(tracker.admin.cancelSession(session, "because")),
    "NOT_FOUND",
    denied,
    denied,
    "ok",
    unknown,
  ),
  "admin.v1.AdminService/PauseSession": row(
    async ({ tracker, session }) => {
      await tracker.admin.pauseSession(session, "pause");
      return ok(tracker.admin.pauseSession(session, "undo"));
    },
    "NOT_FOUND",
    denied,
    denied,
    "ok",
    unknown,
  ),
  "admin.v1.AdminService/ExtendSession": row(
    // Nobody's search: whoever may touch it is told so.
    ({ tracker, session }) => ok(tracker.admin.extendSession(session, 5)),
    "NOT_FOUND",
    denied,
    denied,
    "FAILED_PRECONDITION",
    unknown,
  ),
  "admin.v1.AdminService/CollectGarbage": forAdmins(({ tracker }) => ok(tracker.admin.collectGarbage({ dryRun: true }))),
  "suite.v1.SuiteService/Create": row(({ tracker }) => ok(tracker.suites.create(suiteOf())), "ok", denied, denied, "ok", unknown),
  "suite.v1.SuiteService/Get": row(
    ({ tracker, suite }) => ok(tracker.suites.get(suite)),
    "NOT_FOUND",
    denied,
    denied,
    "ok",
    unknown,
  ),
  "suite.v1.SuiteService/Watch": row(
    async ({ tracker, suite }) => {
      for await (const _ of tracker.suites.watch(suite)) break;
      return "ok";
    },
    "NOT_FOUND",
    denied,
    denied,
    "ok",
    unknown,
  ),
  "suite.v1.SuiteService/Claim": row(
    ({ tracker }) => ok(tracker.suites.claim({ worker: "w", limit: 1, templates: [] })),
    "ok",
    denied,
    denied,
    "ok",
    unknown,
  ),
  "suite.v1.SuiteService/Report": row(
    ({ tracker, suite }) =>
      ok(tracker.suites.report({ suiteId: suite, taskId: "a", epoch: 77, logAt: 0, log: new Uint8Array() })),
    "NOT_FOUND",
    denied,
    denied,
    "ABORTED",
    unknown,
  ),
  "suite.v1.SuiteService/Cancel": row(
    ({ tracker, suite }) => ok(tracker.suites.cancel(suite)),
    "NOT_FOUND",
    denied,
    denied,
    "ok",
    unknown,
  ),
  "record.v1.RecordService/Query": row(
    async ({ tracker, recorded }) => found((await tracker.records.query({ task: recorded })).records),
    "sees it not",
    denied,
    denied,
    "sees it",
    unknown,
  ),
  "record.v1.RecordService/Best": row(
    async ({ tracker, recorded }) => found(await tracker.records.best({ task: recorded, args: [], origin: "any" })),
    "sees it not",
    denied,
    denied,
    // A best is of what everybody reads, and of one's own.
    "sees it not",
    unknown,
  ),
  "record.v1.RecordService/Append": row(
    ({ tracker }) => ok(tracker.records.append([recordOf(randomUUID())])),
    "ok",
    denied,
    denied,
    "ok",
    unknown,
  ),
  "record.v1.RecordService/Export": row(
    async ({ tracker, recorded }) => {
      const all: unknown[] = [];
      for await (const record of tracker.records.export({ task: recorded })) all.push(record);
      return found(all);
    },
    "sees it not",
    denied,
    denied,
    "sees it",
    unknown,
  ),
  "record.v1.RecordService/Delete": forAdmins(({ tracker, recorded }) => ok(tracker.records.delete({ task: recorded }))),
  "record.v1.RecordService/SignReceipt": row(
    ({ tracker, recorded }) => ok(tracker.receipts.sign(recorded, { withDocuments: false })),
    "FAILED_PRECONDITION",
    denied,
    denied,
    "FAILED_PRECONDITION",
    unknown,
  ),
  "record.v1.RecordService/ListReceiptKeys": row(
    ({ tracker }) => ok(tracker.receipts.keys()),
    "ok",
    denied,
    denied,
    "ok",
    unknown,
  ),
  "record.v1.RecordService/Share": forAdmins(({ tracker, recorded }) => ok(tracker.records.share({ task: recorded }))),
  "/grpc.health.v1.Health/Check": row(({ raw }) => ok(raw("/grpc.health.v1.Health/Check")), "ok", "ok", "ok", "ok", "ok"),
  "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": row(
    ({ raw }) => ok(raw("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")),
    "ok",
    "ok",
    "ok",
    "ok",
    unknown,
  ),
};
