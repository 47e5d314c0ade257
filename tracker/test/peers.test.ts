/** Several trackers on one PostgreSQL database: clients and workers at any of them, one killed, the store itself killed. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { codeOf, looked, quick, stoppable } from "../../test-support/farm/farms.ts";
import { type PostgresServer, startPostgres } from "../../test-support/farm/postgres.ts";
import {
  builder,
  loggedErrors,
  pause,
  programOf,
  runner,
  type ScriptedWorker,
  testTracker,
  timed,
} from "../../test-support/farm/scripted.ts";
import { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { has, needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { openPostgres } from "../src/store/postgres.ts";
import type { TrackerOptions } from "../src/tracker.ts";
import { killAll, startProcess } from "./process.testing.ts";

let server: PostgresServer;
let databases = 0;
const undo: (() => PromiseLike<unknown>)[] = [];
beforeAll(async () => {
  if (has("postgres")) server = await startPostgres();
});
beforeEach((ctx) => needs(ctx, "postgres"));
afterEach(async () => {
  for (const f of undo.splice(0).reverse()) await f();
  await killAll();
  expect(loggedErrors.splice(0)).toEqual([]);
});
afterAll(() => server?.[Symbol.asyncDispose]());

const database = () => server.create(`peers${++databases}`);
const start = (worker: ScriptedWorker) => {
  undo.push(() => worker.kill());
  return worker.start();
};
const client = (address: string) => {
  const c = new ScriptedClient(address);
  undo.push(() => c.close());
  return c;
};

/** No lease runs out on a slow machine: that would be a second grant, and rightly. */
const ttlMs = 600_000;

/** Two trackers that know of each other. */
async function pair(options: Partial<TrackerOptions> = { ...quick, policy: { ...quick.policy, ttlMs } }) {
  const url = await database();
  const stores = [looked(await openPostgres(url)), looked(await openPostgres(url))] as const;
  const trackers = [await testTracker(stores[0].data, options), await testTracker(stores[1].data, options)];
  for (const t of trackers) undo.push(() => t[Symbol.asyncDispose]());
  for (const { look } of stores) await look(); // in which they see each other
  return trackers.map((t) => `127.0.0.1:${t.grpcPort}`) as [string, string];
}

describe("two trackers", () => {
  it("are one farm: a client at the one, workers at the other, nothing waits for a look at the store", async () => {
    const { options, stop } = stoppable();
    const [a, b] = await pair(options);
    const built = start(builder(b));
    const r = start(runner(b, 1));
    const c = client(a);
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => c.results.size === 1, "the first result");
    stop();
    for (let i = 2; i <= 12; i++) {
      c.send(i, programOf(`p${i}`));
      await until(() => c.results.has(i), `result ${i}`);
    }
    expect([built.jobs.length, r.jobs.length]).toEqual([12, 12]);
    expect([...built.errors, ...r.errors]).toEqual([]);
    await c.finish();
  });

  it("know at once of a session that is paused, resumed or extended at the other", async () => {
    const { options, stop } = stoppable();
    const [a, b] = await pair(options);
    start(builder(b));
    const r = start(runner(b, 1, () => "keep"));
    const c = client(b);
    const { sessionId } = await c.open();
    c.stream(0, { takesControl: true, takesTrials: true });
    c.send(1, programOf("p1"));
    c.send(2, programOf("p2"));
    await until(() => r.jobs.length === 1 && c.acceptedThrough === 2, "the first job");
    const { admin } = client(a).tracker;
    stop();
    await admin.pauseSession(sessionId, "pause");
    await until(() => c.controls.at(-1)?.paused === true, "the pause");
    r.measured(0);
    await until(() => c.results.size === 1, "what was in hand");
    expect(r.jobs.length).toBe(1);
    await admin.extendSession(sessionId, 9);
    await until(() => c.controls.at(-1)?.moreTrials === 9, "more trials");
    await admin.pauseSession(sessionId, "undo");
    await until(() => r.jobs.length === 2, "the second job");
  });

  it("give a job to one runner only, whichever tracker it asks; a program is built once", async () => {
    const [a, b] = await pair({ policy: { ttlMs } });
    const builders = [start(builder(a)), start(builder(b))];
    const runners = [a, b, a, b].map((address, i) => start(runner(address, i + 1)));
    const clients = [client(a), client(b)];
    for (const c of clients) {
      await c.open({}, { maxInFlight: 200 });
      c.stream();
      for (let i = 1; i <= 40; i++) c.send(i, programOf(`p${i}`));
    }
    for (const c of clients) await c.finish();
    for (const c of clients) {
      expect(c.error).toBeUndefined();
      expect(c.deliveries.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    }
    const programs = builders.flatMap((w) => w.jobs.map(({ job }) => job.kind === "build" && job.program.digest));
    expect([programs.length, new Set(programs).size]).toEqual([40, 40]);
    expect(runners.reduce((n, r) => n + r.jobs.length, 0)).toBe(80);
  });

  it("a session goes on at the other: the older stream is told, results are there", async () => {
    const [a, b] = await pair();
    start(builder(a));
    start(runner(a, 1));
    const first = client(a);
    await first.open();
    first.receipts = false;
    first.stream();
    first.send(1, programOf("p1"));
    await until(() => first.results.size === 1, "the result");
    const second = client(b);
    second.session = first.session;
    second.stream();
    await until(() => second.results.size === 1, "the result at the other tracker");
    expect(await first.failure()).toMatchObject({ code: "ABORTED" });
    second.send(2, programOf("p2"));
    await until(() => second.results.size === 2, "the next");
  });

  it("closing a session at the one stops what runs at the other; a device held at the one is refused at the other", async () => {
    // A sixth of this passes before the other tracker answers who holds a device.
    const [a, b] = await pair({ ...quick, policy: { ...quick.policy, ttlMs: 12_000 } });
    start(builder(a));
    const r = start(runner(a, 1, () => "keep"));
    const c = client(b);
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => r.running.size === 1, "the job");
    const rival = runner(b, 1);
    undo.push(() => rival.kill());
    expect(await codeOf(rival.tracker.worker.register(rival.registration))).toMatchObject({
      code: "ALREADY_EXISTS",
      message: expect.stringContaining("cpu-1"),
    });
    await c.tracker.farm.closeSession(c.session as NonNullable<typeof c.session>);
    await until(() => r.cancelled.length >= 1, "the cancellation");
  });

  it("what somebody does to the farm at the one holds at the other: a session cancelled, a node drained, a measurement reused", async () => {
    const [a, b] = await pair();
    start(builder(a));
    const r = start(runner(a, 1));
    const [first, second] = [client(a), client(b)];
    for (const c of [first, second]) {
      await c.open({}, { reuse: true });
      c.stream();
    }
    first.send(1, programOf("p1"));
    await until(() => first.results.size === 1, "the measurement");
    second.send(1, programOf("p1"));
    await until(() => second.results.size === 1, "its result at the other tracker");
    expect(r.jobs).toHaveLength(1);
    const { admin } = first.tracker;
    await admin.cancelSession(second.session as NonNullable<typeof second.session>, "");
    expect((await second.failure()).code).toBe("UNAVAILABLE"); // that tracker only saw that it is gone
    second.stream();
    expect(await second.failure()).toMatchObject({
      code: "FAILED_PRECONDITION",
      message: expect.stringContaining("was cancelled"),
    });
    await second.tracker.admin.drainNode("test-node", "drain");
    await until(() => r.state === "drain", "the word at the other tracker");
  });
});

describe("kill -9", () => {
  it("of one tracker of two: its clients and workers go on at the other, nothing is lost or comes twice", async () => {
    const url = await database();
    const args = ["--database-url", url, "--listen", "127.0.0.1:0", "--http", "none", "--lease-ttl", "2s"];
    const [doomed, other] = [await startProcess(args), await startProcess(args)];
    const answer = (n: number) =>
      runner(other.address, n, async (given) => {
        await pause(10);
        return timed(given, n, n);
      });
    start(builder(other.address));
    for (const n of [1, 2]) start(answer(n));
    const lost = start(runner(doomed.address, 3, () => "keep"));
    const c = client(doomed.address);
    await c.open();
    c.stream();
    for (let i = 1; i <= 40; i++) c.send(i, programOf(`p${i}`));
    await until(() => c.results.size >= 10 && lost.jobs.length === 1, "running work");
    doomed.child.kill("SIGKILL");
    await until(() => c.error !== undefined, "the stream to break");
    const moved = client(other.address);
    moved.session = c.session;
    moved.stream();
    for (let i = c.acceptedThrough + 1; i <= 40; i++) moved.send(i, programOf(`p${i}`));
    await moved.finish();
    expect(moved.error).toBeUndefined();
    const all = new Set([...c.results.keys(), ...moved.results.keys()]);
    expect(all.size).toBe(40);
    expect(new Set(moved.deliveries).size).toBe(moved.deliveries.length);
    for (const [i, result] of moved.results) expect([i, result.kind]).toEqual([i, "timed"]);
  });
});
