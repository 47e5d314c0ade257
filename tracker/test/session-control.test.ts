/**
 * Sessions that are held, let go on, and given more trials, over real loopback gRPC: what is given out, and what clients are
 * told.
 */
import type { SessionId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { codeOf, stoppable, useFarms } from "../../test-support/farm/farms.ts";
import { builder, programOf, runner } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { readBacklog } from "../src/views/snapshot.ts";

const { farm } = useFarms();
const takes = { takesControl: true, takesTrials: true } as const;
const idOf = ({ session }: ScriptedClient): SessionId => session as SessionId;

it("a paused session ends what is in hand and gets nothing more, others go on, and its client is told", async () => {
  const { address, start, client, look, store } = await farm();
  start(builder(address));
  const r = start(runner(address, 1, () => "keep"));
  const c = client();
  await c.open();
  c.stream(0, takes);
  for (let i = 1; i <= 3; i++) c.send(i, programOf(`p${i}`));
  await until(() => r.jobs.length === 1 && c.acceptedThrough === 3, "the first job");
  expect(c.controls).toEqual([{ paused: false, moreTrials: 0 }]);
  const { admin } = c.tracker;
  expect(await admin.pauseSession(idOf(c), "pause")).toEqual({ waiting: 2, running: 1 });
  await until(() => c.controls.length === 2, "the word");
  expect(await admin.pauseSession(idOf(c), "pause")).toEqual({ waiting: 2, running: 1 });
  r.measured(0);
  await until(() => c.results.size === 1, "what was in hand");
  await look();
  await look();
  expect(r.jobs.length).toBe(1);
  expect(await admin.listSessions()).toMatchObject([{ paused: true, ready: 2, running: 0 }]);
  const { queues } = await c.tracker.farm.listNodes();
  expect(queues).toMatchObject([{ waitingRuns: 2, idleDevices: 1 }]);
  expect([queues[0]?.oldestRunMs, await readBacklog(store)]).toEqual([undefined, []]);

  const other = client();
  await other.open();
  other.stream();
  other.send(1, programOf("p2"));
  await until(() => r.jobs.length === 2, "the job of the other");
  r.measured(1);
  await until(() => other.results.size === 1, "its result");
  expect(other.controls).toEqual([]); // an older client

  expect(await admin.pauseSession(idOf(c), "undo")).toEqual({ waiting: 2, running: 0 });
  await until(() => r.jobs.length === 3, "the next job");
  r.measured(2);
  await until(() => r.jobs.length === 4, "the last job");
  r.measured(3);
  await until(() => c.results.size === 3, "all results");
  expect(c.controls.map(({ paused }) => paused)).toEqual([false, true, false]);
});

it("a job that is lost while its session is paused waits as well", async () => {
  const { address, start, client, look } = await farm({ policy: { suspectMs: 50 } });
  start(builder(address));
  const r = start(runner(address, 1, () => "keep"));
  const c = client();
  await c.open();
  c.stream();
  c.send(1, programOf("p1"));
  await until(() => r.jobs.length === 1, "the job");
  await c.tracker.admin.pauseSession(idOf(c), "pause");
  const second = start(runner(address, 2));
  await until(() => second.registered !== undefined, "another runner");
  r.finish(r.jobs[0] as NonNullable<(typeof r.jobs)[0]>, { kind: "fault", message: "the node lost it", suspect: false });
  await until(async () => (await c.tracker.admin.listSessions())[0]?.running === 0, "the loss");
  await look();
  await look();
  expect([r.jobs.length, second.jobs.length]).toEqual([1, 0]);
  await c.tracker.admin.pauseSession(idOf(c), "undo");
  await until(() => c.results.size === 1, "its result");
  expect(second.jobs.length).toBe(1);
});

it("a tracker that has not heard of a pause gives nothing out either", async () => {
  const { options, stop } = stoppable();
  const { address, start, client, store } = await farm(options);
  start(builder(address));
  const r = start(runner(address, 1));
  const [c, other] = [client(), client()];
  for (const each of [c, other]) {
    await each.open();
    each.stream();
    each.send(1, programOf("p1"));
    await until(() => each.results.size === 1, "its first result");
  }
  stop();
  await store.query("update sessions set paused = true, control = control + 1 where session_id = $1", [idOf(c)]);
  c.send(2, programOf("p1"));
  c.send(3, programOf("p3"));
  await until(() => c.acceptedThrough === 3, "acceptance");
  for (const i of [2, 3]) {
    other.send(i, programOf(`q${i}`));
    await until(() => other.results.has(i), `result ${i} of the other`);
  }
  expect([c.results.size, r.jobs.length]).toEqual([1, 4]);
});

it("what a paused session asked for first is built for others, and nothing else of it", async () => {
  const { address, start, client, look } = await farm();
  const c = client();
  await c.open();
  await c.tracker.admin.pauseSession(idOf(c), "pause");
  c.stream(0, takes);
  for (const i of [1, 2, 3]) c.send(i, programOf(`p${i}`));
  await until(() => c.acceptedThrough === 3, "acceptance");
  expect(c.controls).toEqual([{ paused: true, moreTrials: 0 }]);
  const other = client();
  await other.open({ check: "reference" });
  other.stream();
  other.send(1, programOf("p2"), programOf("p3"));
  const b = start(builder(address));
  const r = start(runner(address, 1));
  await until(() => other.results.size === 1, "the other's result");
  await look();
  expect([b.jobs.length, r.jobs.length, c.results.size]).toEqual([2, 1, 0]);
});

it("whoever reuses what a paused session was to measure does not wait for it", async () => {
  const { address, start, client } = await farm();
  const c = client();
  await c.open({}, { reuse: true });
  c.stream();
  c.send(1, programOf("p1"));
  await until(() => c.acceptedThrough === 1, "acceptance");
  await c.tracker.admin.pauseSession(idOf(c), "pause");
  const other = client();
  await other.open({}, { reuse: true });
  other.stream();
  other.send(1, programOf("p1"));
  start(builder(address));
  const r = start(runner(address, 1));
  await until(() => other.results.size === 1, "the other's result");
  expect([r.jobs.length, c.results.size]).toEqual([1, 0]);
  await c.tracker.admin.pauseSession(idOf(c), "undo");
  await until(() => c.results.size === 1, "its own");
});

it("two trackers that cancel a session at the same moment both end it, for the reason of the first", async () => {
  const { store, client } = await farm();
  const c = client();
  await c.open();
  await store.query("insert into cancelled_sessions (session_id, reason, principal) values ($1, 'first', 'local')", [idOf(c)]);
  expect(await c.tracker.admin.cancelSession(idOf(c), "second")).toEqual({ stopped: 0, dropped: 0 });
  expect(await codeOf(c.tracker.farm.settleTrials(idOf(c), 0))).toMatchObject({ message: expect.stringMatching(/: first$/) });
});

it("a pause and more trials outlive the tracker; a client that comes back is told", async () => {
  const { tracker, store, client, address } = await farm();
  const c = client();
  await c.open({}, { provenance: { trials: 10 } });
  c.stream(0, takes);
  await until(() => c.controls.length === 1, "the stream");
  await c.tracker.admin.pauseSession(idOf(c), "pause");
  expect(await c.tracker.admin.extendSession(idOf(c), 5)).toEqual({ moreTrials: 5 });
  expect(await c.tracker.admin.extendSession(idOf(c), 2)).toEqual({ moreTrials: 7 });
  await until(() => c.controls.at(-1)?.moreTrials === 7, "the word");
  await tracker[Symbol.asyncDispose]();

  const again = await farm({ data: store });
  expect(again.address).not.toBe(address);
  again.start(builder(again.address));
  const r = again.start(runner(again.address, 1));
  const d = again.client();
  d.session = idOf(c);
  d.stream(0, takes);
  d.send(1, programOf("p1"));
  await until(() => d.acceptedThrough === 1 && d.controls.length > 0, "acceptance and the word");
  expect(d.controls).toEqual([{ paused: true, moreTrials: 7 }]);
  await again.look();
  await again.look();
  expect(r.jobs.length).toBe(0);
  await d.tracker.admin.pauseSession(idOf(c), "undo");
  await until(() => d.results.size === 1, "the result");
});

it("a process that goes on with a session has the trials that it brings, or those that were added, not both", async () => {
  const { client } = await farm();
  const c = client();
  await c.open({}, { provenance: { trials: 100 } });
  c.stream(0, takes);
  await until(() => c.controls.length === 1, "the stream");
  await c.tracker.admin.extendSession(idOf(c), 50);
  const moreOf = async (trials: number) => {
    const next = client();
    await next.open({}, { continues: idOf(c), provenance: { trials } });
    return (await next.tracker.admin.listSessions())[0]?.moreTrials;
  };
  expect([await moreOf(100), await moreOf(120), await moreOf(500), await moreOf(100)]).toEqual([50, 30, 0, 0]);
});

it("trials are refused to a client that takes none, in wrong numbers, and when the session is over", async () => {
  const { client } = await farm();
  const c = client();
  await c.open();
  c.stream(0, { takesControl: true });
  await until(() => c.controls.length === 1, "the stream");
  const { admin } = c.tracker;
  expect(await codeOf(admin.extendSession(idOf(c), 5))).toMatchObject({
    code: "FAILED_PRECONDITION",
    message: expect.stringContaining("cannot take more trials"),
  });
  for (const trials of [0, 1_000_001])
    expect(await codeOf(admin.extendSession(idOf(c), trials))).toEqual({
      code: "INVALID_ARGUMENT",
      message: `trials is ${trials}; allowed: 1 to 1000000`,
    });
  c.stream(0, takes);
  await until(() => c.controls.length === 2, "the stream of a search");
  expect(await admin.extendSession(idOf(c), 5)).toEqual({ moreTrials: 5 });
  await c.tracker.farm.closeSession(idOf(c));
  for (const call of [admin.extendSession(idOf(c), 5), admin.pauseSession(idOf(c), "pause")])
    expect(await codeOf(call)).toEqual({ code: "NOT_FOUND", message: `session ${idOf(c)} is not open` });
});

it("a search that ends hears of every trial that was added, and none is added after it has", async () => {
  const { client } = await farm();
  const c = client();
  await c.open({}, { provenance: { trials: 10 } });
  c.stream(0, takes);
  await until(() => c.controls.length === 1, "the stream");
  const { admin, farm: calls } = c.tracker;
  const extend = () => admin.extendSession(idOf(c), 5);
  // What was added before the search asks, it hears of.
  await extend();
  expect(await calls.settleTrials(idOf(c), 0)).toBe(5);
  await extend();
  expect(await calls.settleTrials(idOf(c), 5)).toBe(10);
  // In whatever order the two come to the store: what was added is heard of, or it is refused.
  const [added, answer] = await Promise.allSettled([extend(), calls.settleTrials(idOf(c), 10)]);
  let heard = 10;
  if (added.status === "fulfilled") {
    expect(answer).toMatchObject({ value: 15 });
    heard = 15;
  } else expect(answer).toMatchObject({ value: 10 });
  expect(await calls.settleTrials(idOf(c), heard)).toBe(heard);
  const isOver = {
    code: "FAILED_PRECONDITION",
    message: expect.stringMatching(/takes no more trials: its search has come to its end/),
  };
  expect(await codeOf(extend())).toEqual(isOver);
  expect(await admin.listSessions()).toMatchObject([{ takesTrials: false, moreTrials: heard }]);
  // A stream that began before does not open it again; a process that goes on with it does.
  const told = c.controls.length;
  c.stream(0, takes);
  await until(() => c.controls.length > told, "another stream");
  expect(await codeOf(extend())).toEqual(isOver);
  const next = client();
  await next.open({}, { continues: idOf(c), provenance: { trials: 10 } });
  next.stream(0, takes);
  await until(() => next.controls.length === 1, "its stream");
  expect(await extend()).toEqual({ moreTrials: heard + 5 });
  await calls.closeSession(idOf(c));
  expect(await codeOf(calls.settleTrials(idOf(c), 0))).toMatchObject({ code: "NOT_FOUND" });
});
