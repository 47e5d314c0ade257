/** The audit log: the line of each kind of action, with who did it, in which role, from where, and to what. */
import { randomUUID } from "node:crypto";
import type { SessionId } from "@warpfarm/common";
import { connect } from "@warpfarm/proto";
import { pino } from "pino";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { asRegistered, builder, openRequest, synchronized } from "../../test-support/farm/scripted.ts";
import { TokenDoors } from "../src/doors/token-doors.ts";
import { hashOf, parseTokenFile } from "../src/doors/token-file.ts";

const { farm, undo } = useFarms();

const lines = ["client alice", "client bob", "builder maker", "admin boss"].map(
  (words) => `${words} sha256:${hashOf(`token-of-${words.split(" ")[1]}`)}`,
);
/** RFC 9562, version 4: 122 bits of chance. */
const unguessable = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

async function audited() {
  const told: Record<string, unknown>[] = [];
  const read = (line: string) => {
    const names = [...line.matchAll(/"(\w+)":/g)].map(([, name]) => name);
    expect(names, line).toHaveLength(new Set(names).size);
    told.push(JSON.parse(line));
  };
  // As in tracker/src/main.ts.
  const log = pino({ name: "tracker", level: "info" }, { write: read });
  const { address, store } = await farm({ doors: new TokenDoors(parseTokenFile(lines.join("\n"))), log });
  const as = (name: string) => {
    const c = connect({ address, token: `token-of-${name}` });
    undo.push(() => c[Symbol.asyncDispose]());
    return c;
  };
  const actions = () =>
    told
      .filter(({ log, level }) => log === "audit" && level === 30)
      .map(({ level: _l, time: _t, pid: _p, hostname: _h, name: _n, ...rest }) => rest);
  return { address, store, as, actions };
}

it("has a line for each action, and none for what changed nothing", async () => {
  const { address, as, actions } = await audited();
  const [alice, boss, maker] = [as("alice"), as("boss"), as("maker")];
  const open = () => alice.farm.openSession({ ...openRequest, requestId: randomUUID() });

  const { sessionId } = await open();
  await alice.farm.openSession({ ...openRequest, requestId: randomUUID(), continues: sessionId });
  const stop = new AbortController();
  async function* sent(id: SessionId) {
    yield { kind: "start" as const, sessionId: id, resumeAfter: 0, takesControl: true, takesTrials: true } as const;
    await new Promise((_, reject) => stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true }));
  }
  const stream = alice.farm.measure(sent(sessionId), { signal: stop.signal });
  await stream.next();
  await expect(as("bob").farm.closeSession(sessionId)).resolves.not.toThrow();
  await alice.farm.closeSession(sessionId);
  const { sessionId: second } = await open();
  await alice.admin.pauseSession(second, "pause");
  await boss.admin.pauseSession(second, "undo");
  await expect(as("bob").admin.pauseSession(second, "pause")).rejects.toMatchObject({ code: "NOT_FOUND" });
  const search = alice.farm.measure(sent(second), { signal: stop.signal });
  await search.next();
  await alice.admin.extendSession(second, 5);
  await boss.admin.cancelSession(second, "enough");
  stop.abort(new Error("over"));
  await Promise.allSettled([stream.next(), search.next()]);
  const b = builder(address);
  undo.push(() => b.kill());
  const registered = await maker.worker.register(b.registration);
  const bytes = Buffer.from(randomUUID());
  const digest = await maker.artifacts.upload(bytes);
  await maker.artifacts.stat([digest]);
  await boss.admin.drainNode("test-node", "drain");
  await boss.admin.drainNode("test-node", "undo");
  await boss.admin.collectGarbage({ dryRun: true });
  await boss.admin.collectGarbage({ keepMs: 3_600_000 });
  await boss.admin.listSessions();
  const suite = { requestId: "s", name: "mine", plan: bytes, tasks: [{ taskId: "t", document: bytes, template: "" }] };
  const made = await alice.suites.create(suite);
  await alice.suites.cancel(made);
  await synchronized(maker, { ...asRegistered(registered), reportOnly: false, leaving: true });

  const by = (principal: string, role: string) => ({
    log: "audit",
    principal,
    role,
    peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
  });
  const { task, selector } = openRequest;
  const { workerId: worker, epoch } = registered;
  expect([sessionId, second, worker]).toEqual([unguessable, unguessable, unguessable]);
  const alices = by("alice", "client");
  expect(actions()).toEqual([
    { ...alices, msg: "open_session", session: sessionId, task, selector },
    { ...alices, msg: "continue_session", session: sessionId, task, selector },
    { ...alices, msg: "stream_session", session: sessionId },
    { ...alices, msg: "close_session", session: sessionId, cancelled: 0 },
    { ...alices, msg: "open_session", session: second, task, selector },
    { ...alices, msg: "pause_session", session: second, waiting: 0, running: 0 },
    { ...by("boss", "admin"), msg: "resume_session", session: second, waiting: 0, running: 0 },
    { ...alices, msg: "stream_session", session: second },
    { ...alices, msg: "extend_session", session: second, trials: 5, moreTrials: 5 },
    { ...by("boss", "admin"), msg: "cancel_session", session: second, reason: "enough", stopped: 0, dropped: 0 },
    { ...by("maker", "builder"), msg: "register_worker", worker, epoch, kind: "builder", node: "test-node" },
    { ...by("maker", "builder"), msg: "upload", digest, bytes: bytes.length, stored: true },
    expect.objectContaining({ ...by("boss", "admin"), msg: "drain_node", node: "test-node" }),
    expect.objectContaining({ ...by("boss", "admin"), msg: "undrain_node", node: "test-node" }),
    expect.objectContaining({ ...by("boss", "admin"), msg: "collect_garbage" }),
    { ...alices, msg: "create_suite", suite: made, suite_name: "mine", tasks: 1 },
    { ...alices, msg: "cancel_suite", suite: made },
    { ...by("maker", "builder"), msg: "worker_left", worker, outcomes: 0 },
  ]);
});

it("a worker's secret is good at every tracker of the store, and after a restart; of another epoch it is not", async () => {
  const one = await audited();
  const b = builder(one.address);
  undo.push(() => b.kill());
  const registered = await one.as("maker").worker.register(b.registration);
  // A tracker that starts later, with its own memory, stands for both.
  const { address } = await farm({ data: one.store, doors: new TokenDoors(parseTokenFile(lines.join("\n"))) });
  const later = connect({ address, token: "token-of-maker" });
  undo.push(() => later[Symbol.asyncDispose]());
  await synchronized(later, asRegistered(registered));
  const again = await later.worker.register(b.registration);
  expect([again.workerId, again.epoch]).toEqual([registered.workerId, registered.epoch + 1]);
  await expect(synchronized(later, asRegistered(registered))).rejects.toMatchObject({ code: "ABORTED" });
  const mixed = { ...asRegistered(again), secret: registered.secret };
  await expect(synchronized(later, mixed)).rejects.toMatchObject({ code: "ABORTED" });
  await synchronized(later, asRegistered(again));
});

it("where nobody is asked who they are, everybody is local with every right", async () => {
  const { address } = await farm();
  const c = connect({ address });
  undo.push(() => c[Symbol.asyncDispose]());
  const { sessionId } = await c.farm.openSession({ ...openRequest, requestId: randomUUID() });
  expect((await c.admin.listSessions()).map((s) => [s.sessionId, s.principal])).toEqual([[sessionId, "local"]]);
  await c.admin.cancelSession(sessionId, "");
});
