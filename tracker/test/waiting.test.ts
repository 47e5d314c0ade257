/** Why inputs wait and until when, as a tracker tells it to those who ask; and what can never run is refused at once. */
import { parseSelector, type SessionId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { codeOf, quick, useFarms } from "../../test-support/farm/farms.ts";
import { builder, built, programOf, runner, target } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();

it("refuses what no device of the farm can run, and names the condition and what the farm has", async () => {
  const f = await farm(quick);
  const ask = (selector: string, more = {}) => f.client().open({}, { selector, ...more });
  await ask("cuda/sm_90"); // no runner has come yet
  await f.start(runner(f.address, 1, () => "keep", { labels: { zone: "eu" } }));
  const refused = (why: string) => ({ code: "FAILED_PRECONDITION", message: expect.stringContaining(why) });
  expect(await codeOf(ask("cuda/sm_80"))).toEqual(
    refused(`can never run on this farm as it is: it has no device cuda/sm_80; its devices are ${target}`),
  );
  expect(await codeOf(ask(`${target},zone=us`))).toEqual(refused(`none of its devices ${target} has zone=us; their zone is eu`));
  expect(await codeOf(ask(`${target},memory>=4000GB`))).toEqual(refused("has 4000 GB of memory; the most is"));
  await ask(`${target},zone=eu`);
});

it("lets a session open whose only node was just lost", async () => {
  const f = await farm(quick);
  const lost = f.client();
  const worker = await f.start(runner(f.address, 1, () => "keep", { labels: { zone: "eu" }, node: "far" }));
  await f.start(runner(f.address, 2, () => "keep"));
  await worker.kill();
  await f.store.query("update workers set lost = true where node = 'far'");
  await f.look();
  await lost.open({}, { selector: `${target},zone=eu` });
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
  await f.start(builder(f.address, built()));
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
  await told(first.session, "devices_busy");
  await admin.drainNode("far", {});
  await until(async () => (await waitingOf(first.session))?.holds[0]?.what === "runner far (drained) takes no work", "the drain");
  expect(parseSelector(target).backend).toBe("cpu");
  expect(far.jobs).toHaveLength(1);
});
