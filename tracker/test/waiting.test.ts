/** Why inputs wait and until when, as a tracker tells it to those who ask; and what can never run is refused at once. */
import type { SessionId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { claimDoors, tokenOf } from "../../test-support/farm/claims.ts";
import { codeOf, quick, useFarms } from "../../test-support/farm/farms.ts";
import {
  build,
  builder,
  cpu,
  programOf,
  runner,
  type ScriptedWorker,
  target,
  timedResult,
} from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();

async function there(worker: ScriptedWorker): Promise<ScriptedWorker> {
  await until(() => worker.registered !== undefined, "the registration");
  return worker;
}

it("refuses what no device of the farm can run, and names the condition and what the farm has", async () => {
  const f = await farm(quick);
  const ask = (selector: string, more = {}) => f.client().open({}, { selector, ...more });
  await ask(`${target},zone=asia`); // no runner has come yet
  await there(f.start(runner(f.address, 1, () => "keep", { labels: { zone: "eu" } })));
  const refused = (why: string) => ({ code: "FAILED_PRECONDITION", message: expect.stringContaining(why) });
  expect(await codeOf(ask("cpu/arm64"))).toEqual(
    refused(`can never run on this farm as it is: it has no device cpu/arm64; its devices are ${target}`),
  );
  expect(await codeOf(ask(`${target},zone=us`))).toEqual(refused(`none of its devices ${target} has zone=us; their zone is eu`));
  expect(await codeOf(ask(`${target},memory>=4000GB`))).toEqual(refused("has 4000 GB of memory; the most is"));
  await ask(`${target},zone=eu`);
});

it("lets a session open whose only node was just lost, and says that it waits for that node", async () => {
  const f = await farm(quick);
  const lost = f.client();
  const worker = await there(f.start(runner(f.address, 1, () => "keep", { labels: { zone: "eu" }, node: "far" })));
  await there(f.start(runner(f.address, 2, () => "keep")));
  await worker.kill();
  await f.store.query("update workers set lost = true where node = 'far'");
  await f.look();
  await lost.open({}, { selector: `${target},zone=eu` });
  lost.stream();
  lost.send(1, programOf("p1"));
  await until(
    async () => (await lost.tracker.admin.listSessions())[0]?.waiting?.holds.at(-1)?.what === "runner far (LOST) takes no work",
    "what it waits for",
  );
  await f.store.query("update workers set last_seen = now() - interval '11 minutes' where node = 'far'");
  expect((await codeOf(f.client().open({}, { selector: `${target},zone=eu` }))).code).toBe("FAILED_PRECONDITION");
});

it("says what holds each session, its shares, and until when", async () => {
  const f = await farm({ ...quick, http: "127.0.0.1:0" });
  const { admin } = f.client().tracker;
  const waitingOf = async (id: SessionId | undefined) =>
    (await admin.listSessions()).find(({ sessionId }) => sessionId === id)?.waiting;
  const kinds = async (id: SessionId | undefined) => (await waitingOf(id))?.holds.map(({ kind }) => kind).join(" ");
  const told = (id: SessionId | undefined, what: string) => until(async () => (await kinds(id)) === what, `${id}: ${what}`);
  const first = await f.measuring(3);
  await told(first.session, "no_device");
  const far = await f.start(runner(f.address, 1, () => "keep", { node: "far" }));
  await told(first.session, "no_builder");
  await f.start(builder(f.address, build));
  await until(async () => (await waitingOf(first.session))?.share === 1, "its run");
  expect(await waitingOf(first.session)).toMatchObject({
    holds: [{ kind: "devices_busy", what: "1 device busy with 1 job, 1 of this session" }],
    ...{ share: 1, due: 1, before: 0, startsInMs: expect.any(Number), doneInMs: expect.any(Number) },
  });
  const second = await f.measuring(2, {}, { priority: 5, weight: 3 });
  await told(second.session, "devices_busy");
  expect(await waitingOf(second.session)).toMatchObject({ share: 0, due: 1, before: 0 });
  await told(first.session, "priority devices_busy");
  expect((await waitingOf(first.session))?.due).toBe(0);
  await admin.pauseSession(second.session as SessionId, "pause");
  await told(second.session, "paused");
  expect(await waitingOf(second.session)).not.toHaveProperty("startsInMs");
  expect((await waitingOf(second.session))?.due).toBe(0);
  await told(first.session, "devices_busy");
  await admin.drainNode("far", "drain");
  await until(async () => (await waitingOf(first.session))?.holds[0]?.what === "runner far (drained) takes no work", "the drain");
  expect(far.jobs).toHaveLength(1);
});

it("names builders that are busy, a client that left, and a quota that is used up", async () => {
  const f = await farm({ ...quick, doors: claimDoors(), limits: { ...quick.limits, maxDeviceMs: 1_000 } });
  const { admin } = f.client(tokenOf("admin")).tracker;
  const kinds = async () => (await admin.listSessions())[0]?.waiting?.holds.map(({ kind }) => kind).join(" ");
  const told = (what: string) => until(async () => (await kinds()) === what, what);
  await f.start(runner(f.address, 1, () => "keep", { token: tokenOf("runner") }));
  await f.start(builder(f.address, () => "keep", 1, tokenOf("builder")));
  const alice = f.client(tokenOf("alice"));
  await alice.open();
  alice.stream();
  for (const i of [1, 2]) alice.send(i, programOf(`p${i}`));
  await told("builders_busy");
  await f.store.query("insert into spent (principal, minute, device_ms) values ('alice', now(), 1500)");
  await until(async () => (await kinds())?.endsWith("quota") === true, "the quota");
  await alice.cut();
  const left = () =>
    f.store.query("update sessions set builds_until = now() - interval '1 s' where builds_until is not null returning 1");
  await until(async () => (await left()).length === 1, "its stream to end");
  await until(async () => (await kinds())?.startsWith("client_gone") === true, "the client that left");
});

it("tells a runner how long its job waited, and sums what results took", async () => {
  const f = await farm(quick);
  const c = await f.measuring(2);
  await f.start(builder(f.address, build));
  const isReady = async () => (await f.store.query("select 1 from requests where state = 1")).length === 2;
  await until(isReady, "both to be built");
  await f.store.query("update requests set accepted_at = now() - interval '10 s', ready_at = now() - interval '4 s'");
  await f.store.query("update builds set build_ms = case when program = $1 then 2000 else 9000 end", [programOf("p1").digest]);
  const worker = await f.start(
    runner(f.address, 1, ({ job }) => {
      if (job.kind !== "run") throw new Error("no run");
      const lease = { queueMs: job.queueMs, transferMs: 30, heldMs: 400 };
      return { kind: "run", result: { ...timedResult(1, cpu(1), job.artifact, job.attempt, job.buildMs), lease } };
    }),
  );
  await until(() => c.results.size === 2, "the results");
  // Ten seconds without the build of two; and a build of nine that had begun for another had six of the ten.
  const queued = worker.jobs.map(({ job }) => (job.kind === "run" ? Math.floor(job.queueMs / 1000) : -1));
  expect([...queued].sort()).toEqual([4, 8]);
  expect(c.results.get(1)?.lease).toMatchObject({ transferMs: 30, heldMs: 400 });
  const spent = async () => (await c.tracker.admin.listSessions())[0];
  await until(async () => (await spent())?.transferMs === 60, "the sums");
  expect(await spent()).toMatchObject({ buildMs: 11_000, timedMs: 2, queueMs: expect.closeTo(12_500, -4) });
});
