/**
 * Every method of every service, tried by everybody on what is somebody else's: alice's session and gpu1's registration. The
 * table says what comes of it. A method that has no row fails the test.
 */
import { randomUUID } from "node:crypto";
import * as grpc from "@grpc/grpc-js";
import { digestOf, FarmError, type SessionId, toDigest } from "@warpfarm/common";
import { connect, loadServices, protocolVersion, type Registered, type TrackerConnection } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { TokenDoors } from "../src/doors/token-doors.ts";
import { hashOf, parseTokenFile } from "../src/doors/token-file.ts";
import { useFarms } from "./farms.testing.ts";
import { cpu, openRequest } from "./scripted.testing.ts";

const { farm, undo } = useFarms();

/** Who tries. `bob` and `gpu2` are of the roles of those whose things are tried; `nobody` shows no token. */
const parties = ["bob", "builder1", "gpu2", "boss", "nobody"] as const;
type Party = (typeof parties)[number];

const tokenFile = [
  ["client", "alice"],
  ["client", "bob"],
  ["builder", "builder1"],
  ["runner", "gpu1"],
  ["runner", "gpu2"],
  ["admin", "boss"],
].map(([role, name]) => `${role} ${name} sha256:${hashOf(`token-of-${name}`)}`);

const runnerOf = (n: number) => ({
  protocolVersion,
  node: `node-${n}`,
  instanceId: `instance-of-gpu${n}`,
  labels: {},
  role: {
    kind: "runner" as const,
    devices: [{ device: 0, facts: cpu(n), memoryBytes: 2 ** 30, limits: { threads: 2 } }],
  },
});

interface Stage {
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
}
/** What came of it: a word of the row's own, or the code of its refusal. */
type Attempt = (stage: Stage) => Promise<string>;
/** `comes`: by party, in their order. */
interface Row {
  readonly attempt: Attempt;
  readonly comes: Readonly<Record<Party, string>>;
}
const row = (
  attempt: Attempt,
  ...[bob, builder1, gpu2, boss, nobody]: readonly [string, string, string, string, string]
): Row => ({
  attempt,
  comes: { bob, builder1, gpu2, boss, nobody },
});

const suiteOf = () => {
  const document = new TextEncoder().encode("{}");
  return { requestId: randomUUID(), name: "s", plan: document, tasks: [{ taskId: "a", document, template: "" }] };
};

const denied = "PERMISSION_DENIED";
const unknown = "UNAUTHENTICATED";

const speakAs = ({ worker: { workerId, epoch } }: Stage) => ({
  workerId,
  epoch,
  sequence: 1,
  free: [],
  running: [],
  outcomes: [],
  trouble: "",
  cacheAdded: [],
  cacheDropped: [],
  reportOnly: false,
  leaving: true as const,
});
const guess = { secret: Buffer.alloc(32) };
const seen = (snapshot: unknown, { session, worker }: Stage): string => {
  const text = JSON.stringify(snapshot);
  return text.includes(session) || text.includes(worker.workerId) ? "sees both" : "sees neither";
};
const ok = async (work: Promise<unknown>) => {
  await work;
  return "ok";
};
const nothingThere = toDigest(digestOf("nothing of that content"));

const rows: Readonly<Record<string, Row>> = {
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
  "farm.v1.FarmService/ListNodes": row(
    async (stage) => seen(await stage.tracker.farm.listNodes(), stage),
    "sees neither",
    denied,
    denied,
    "sees both",
    unknown,
  ),
  "farm.v1.FarmService/WatchFarm": row(
    async (stage) => {
      for await (const snapshot of stage.tracker.farm.watchFarm()) return seen(snapshot, stage);
      return "ended";
    },
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
      const without = await codeOf(stage.tracker.worker.synchronize(speakAs(stage)));
      const guessed = await codeOf(stage.tracker.worker.synchronize({ ...speakAs(stage), ...guess }));
      return without === guessed ? without : `${without}, ${guessed}`;
    },
    denied,
    "FAILED_PRECONDITION, ABORTED",
    "FAILED_PRECONDITION, ABORTED",
    denied,
    unknown,
  ),
  "worker.v1.WorkerService/SynchronizeStream": row(
    async (stage) => ok(stage.tracker.worker.stream().synchronize({ ...speakAs(stage), ...guess })),
    denied,
    "ABORTED",
    "ABORTED",
    denied,
    unknown,
  ),
  "artifact.v1.ArtifactService/Upload": row(
    // Not by `upload`, which asks first whether it is there.
    ({ tracker }) => ok(tracker.artifacts.upload(Buffer.from(randomUUID()))),
    denied,
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
  "admin.v1.AdminService/DrainNode": row(
    ({ tracker }) => ok(tracker.admin.drainNode("node-1", "undo")),
    denied,
    denied,
    denied,
    "ok",
    unknown,
  ),
  "admin.v1.AdminService/ListSessions": row(
    async (stage) => seen(await stage.tracker.admin.listSessions(), stage),
    "sees neither",
    denied,
    denied,
    "sees both",
    unknown,
  ),
  "admin.v1.AdminService/CancelSession": row(
    ({ tracker, session }) => ok(tracker.admin.cancelSession(session, "because")),
    "NOT_FOUND",
    denied,
    denied,
    "ok",
    unknown,
  ),
  "admin.v1.AdminService/CollectGarbage": row(
    ({ tracker }) => ok(tracker.admin.collectGarbage({ dryRun: true })),
    denied,
    denied,
    denied,
    "ok",
    unknown,
  ),
  "suite.v1.SuiteService/Create": row(({ tracker }) => ok(tracker.suites.create(suiteOf())), "ok", denied, denied, "ok", unknown),
  "suite.v1.SuiteService/Get": row(
    ({ tracker, suite }) => ok(tracker.suites.get(suite)),
    "NOT_FOUND",
    denied,
    denied,
    "ok",
    unknown,
  ),
  "suite.v1.SuiteService/List": row(
    ({ tracker, suite }) =>
      tracker.suites.list().then((all) => (all.some(({ suiteId }) => suiteId === suite) ? "sees it" : "sees it not")),
    "sees it not",
    denied,
    denied,
    "sees it",
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

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ok",
    (error: unknown) => {
      if (error instanceof FarmError) return error.code;
      const { code } = error as { code?: number };
      return code === undefined ? String(error) : (grpc.status[code] ?? "?");
    },
  );

it("every method of every service has a row", () => {
  const paths = Object.values(loadServices().definition)
    .filter((d) => !("format" in d))
    .flatMap((service) => Object.values(service as grpc.ServiceDefinition).map(({ path }) => path));
  expect(paths.length).toBeGreaterThanOrEqual(15);
  expect(Object.keys(rows).filter((name) => !name.startsWith("/grpc."))).toEqual(
    expect.arrayContaining(paths.map((path) => path.replace("/warpfarm.", ""))),
  );
});

it("nobody touches or sees what is another's, an admin does", async () => {
  const doors = new TokenDoors(parseTokenFile(tokenFile.join("\n")));
  const { address } = await farm({ doors });
  const as = (name: string) => {
    const c = connect({ address, ...(name === "nobody" ? {} : { token: `token-of-${name}` }) });
    undo.push(() => c[Symbol.asyncDispose]());
    return c;
  };
  const rawAs = (name: string) => {
    const client = new grpc.Client(address, grpc.credentials.createInsecure());
    undo.push(async () => client.close());
    const metadata = new grpc.Metadata();
    if (name !== "nobody") metadata.set("authorization", `Bearer token-of-${name}`);
    const same = (b: Buffer) => b;
    return (path: string) =>
      new Promise<unknown>((resolve, reject) => {
        const stream = client.makeBidiStreamRequest(path, same, same, metadata);
        stream.on("data", resolve);
        stream.on("error", reject);
        stream.on("end", () => resolve(undefined));
        stream.write(Buffer.alloc(0));
        stream.end();
      });
  };
  const alice = as("alice");
  const gpu1 = as("gpu1");
  const worker = await gpu1.worker.register(runnerOf(1));
  const table: Record<string, Record<string, string>> = {};
  for (const [name, { attempt }] of Object.entries(rows)) {
    const came: Record<string, string> = {};
    for (const party of parties) {
      const requestId = randomUUID();
      const { sessionId: session } = await alice.farm.openSession({ ...openRequest, requestId });
      const sessionLives = async () => (await alice.admin.listSessions()).some((s) => s.sessionId === session);
      const suite = await alice.suites.create(suiteOf());
      const stage: Stage = { tracker: as(party), raw: rawAs(party), session, requestId, sessionLives, worker, suite };
      let outcome = "";
      const code = await codeOf(
        attempt(stage).then((word) => {
          outcome = word;
        }),
      );
      came[party] = code === "ok" ? outcome : code;
      await alice.suites.cancel(suite);
      await alice.farm.closeSession(session);
      // gpu1 is who it was, whatever was tried.
      const { secret = Buffer.alloc(0) } = worker;
      const { leaving: _not, ...alive } = speakAs(stage);
      await gpu1.worker.synchronize({ ...alive, reportOnly: true, secret });
    }
    table[name] = came;
  }
  expect(table).toEqual(Object.fromEntries(Object.entries(rows).map(([name, { comes }]) => [name, comes])));
});
