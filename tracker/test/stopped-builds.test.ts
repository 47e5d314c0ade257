/** A build that a builder has for a client who left is taken back at once, unless somebody else waits for it. */
import type { LeaseId, SessionId } from "@warpfarm/common";
import { pino } from "pino";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, programOf, runner, ScriptedWorker } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { TokenDoors } from "../src/doors/token-doors.ts";
import { hashOf, parseTokenFile } from "../src/doors/token-file.ts";

const { farm } = useFarms();
const idOf = ({ session }: ScriptedClient): SessionId => session as SessionId;
const keep: Answer = () => "keep";

/** A builder of one slot that works for ever, and what it does for whom. */
async function withBuilder(made: Awaited<ReturnType<typeof farm>>, slots = 1) {
  const b = builder(made.address, keep, slots);
  made.start(b);
  const leases = () => made.store.query<{ n: number }>("select count(*)::integer as n from leases").then(([row]) => row?.n);
  const begins = async (c: ScriptedClient, name: string) => {
    const before = b.jobs.length;
    await c.open();
    c.stream();
    c.send(1, programOf(name));
    await until(() => b.jobs.length > before, `${name} in a builder's hands`);
    return b.jobs.at(-1)?.leaseId as LeaseId;
  };
  return { b, leases, begins };
}

it.each([
  ["closes its session", (c: ScriptedClient) => c.tracker.farm.closeSession(idOf(c))],
  ["cancels it", (c: ScriptedClient) => c.tracker.admin.cancelSession(idOf(c), "enough")],
])("when the client %s; the slot takes the next build", async (_, leaves: (c: ScriptedClient) => Promise<unknown>) => {
  const made = await farm();
  const { b, leases, begins } = await withBuilder(made);
  const c = made.client();
  const lease = await begins(c, "a bomb");
  await leaves(c);
  await until(() => b.cancelled.includes(lease), "the word to stop");
  expect(await leases()).toBe(0);
  expect(await made.store.query("select program from builds")).toEqual([]);
  b.running.delete(lease); // as a builder does when its compiler is gone
  const next = await begins(made.client(), "an honest one");
  expect(next).not.toBe(lease);
});

it("when its session expires", async () => {
  const made = await farm({ limits: { idleMs: 60_000 } });
  const { b, begins } = await withBuilder(made);
  const c = made.client();
  const lease = await begins(c, "a bomb");
  await c.close();
  await until(
    async () => (await made.store.query("select 1 from sessions where builds_until is not null")).length === 1,
    "the stream's end",
  );
  await made.store.query("update sessions set expires_at = now() - interval '1 s'");
  await until(() => b.cancelled.includes(lease), "the word to stop");
});

/** Its client was killed. */
const away = (made: Awaited<ReturnType<typeof farm>>, n = 1) =>
  until(
    async () => (await made.store.query("select 1 from sessions where builds_until is not null")).length === n,
    "the end of its stream",
  );
const soon = { limits: { buildsOutliveMs: 0 } };

it("when its client was killed; the slot takes the next build, and a client that comes back has its own built again", async () => {
  const made = await farm(soon);
  const { b, begins, leases } = await withBuilder(made);
  const c = made.client();
  const lease = await begins(c, "a bomb");
  c.send(2, programOf("another bomb"));
  await until(() => c.acceptedThrough === 2, "the second input");
  await c.close();
  await until(() => b.cancelled.includes(lease), "the word to stop");
  b.running.delete(lease);
  await made.look();
  expect([await leases(), b.jobs.length]).toEqual([0, 1]);
  const honest = made.client();
  await begins(honest, "an honest one");
  await honest.tracker.farm.closeSession(idOf(honest));
  await until(() => b.cancelled.length === 2, "the end of the honest one");
  b.running.clear();
  await made.look();
  expect(b.jobs).toHaveLength(2);
  const back = made.client();
  await back.open({}, { continues: idOf(c) });
  back.stream();
  await until(() => b.jobs.length === 3, "the build of the one who came back");
  expect(b.jobs[2]?.job).toMatchObject({ program: programOf("a bomb") });
  expect(await made.store.query("select attempts, losses, faults from builds where state = 1")).toEqual([
    { attempts: 1, losses: 0, faults: 0 },
  ]);
});

it("not while its client may come back, and never while it has a stream", async () => {
  const made = await farm();
  const { b, begins, leases } = await withBuilder(made, 2);
  const [c, streaming] = [made.client(), made.client()];
  await begins(c, "of one who lost the connection");
  await begins(streaming, "of one who streams");
  await c.close();
  await away(made);
  await made.look();
  expect([b.cancelled, await leases()]).toEqual([[], 2]);
  await made.store.query("update sessions set builds_until = now() where builds_until is not null");
  await until(() => b.cancelled.length === 1, "the word to stop");
  await made.look();
  expect([b.cancelled.length, await leases()]).toEqual([1, 1]);
});

it("nor while another who streams waits for it; one who also left does not count", async () => {
  const made = await farm(soon);
  const { b, begins, leases } = await withBuilder(made);
  const [c, other] = [made.client(), made.client()];
  const lease = await begins(c, "wanted");
  await other.open();
  other.stream();
  other.send(1, programOf("wanted"));
  await until(() => other.acceptedThrough === 1, "the other's input");
  await c.close();
  await away(made);
  await made.look();
  expect([b.cancelled, await leases()]).toEqual([[], 1]);
  await other.close();
  await until(() => b.cancelled.includes(lease), "the word to stop");
});

it("and who would have taken the result of a client who left has it built for itself", async () => {
  const made = await farm(soon);
  const { b } = await withBuilder(made, 2);
  const c = made.client();
  await c.open({}, { reuse: true });
  c.stream();
  c.send(1, programOf("wanted by two"));
  await until(() => b.jobs.length === 1, "the build");
  const other = made.client();
  await other.open({}, { reuse: true });
  other.stream();
  other.send(1, programOf("wanted by two"));
  await until(async () => (await made.store.query("select 1 from requests where state = -1")).length === 1, "the follower");
  await c.close();
  const owner = () => made.store.query("select session_id as id from reuses");
  await until(async () => JSON.stringify(await owner()) === JSON.stringify([{ id: idOf(other) }]), "another owner");
  await until(async () => (await made.store.query("select 1 from builds where state = 1")).length === 1, "its build");
});

it("but what is built is measured for both who wait, though the first of them left", async () => {
  const made = await farm(soon);
  made.start(builder(made.address));
  const [c, other] = [made.client(), made.client()];
  for (const each of [c, other]) {
    await each.open({}, { reuse: true });
    each.stream();
    each.send(1, programOf("wanted by two"));
    await until(() => each.acceptedThrough === 1, "an input");
  }
  const states = () => made.store.query("select state from requests order by state").then((rows) => JSON.stringify(rows));
  await until(async () => (await states()) === '[{"state":-1},{"state":1}]', "the build");
  await c.close();
  await away(made);
  await made.look();
  await made.look();
  expect(await states()).toBe('[{"state":-1},{"state":1}]');
  const r = made.start(runner(made.address, 1));
  await until(() => other.results.size === 1, "the result");
  expect(r.jobs).toHaveLength(1);
});

it("but not while another session waits for the program, as its own, its reference or one of several", async () => {
  const made = await farm();
  const { b, begins, leases } = await withBuilder(made);
  const c = made.client();
  const lease = await begins(c, "wanted");
  const other = made.client();
  await other.open({ check: "reference" });
  other.stream();
  other.raw({
    kind: "input",
    sequence: 1,
    program: { kind: "program", program: programOf("another") },
    reference: { kind: "program", program: programOf("wanted") },
  });
  await until(() => other.acceptedThrough === 1, "the other's input");
  await c.tracker.farm.closeSession(idOf(c));
  await made.look();
  expect(b.cancelled).toEqual([]);
  expect(await leases()).toBe(1);
  await other.tracker.farm.closeSession(idOf(other));
  await until(() => b.cancelled.includes(lease), "the word to stop");
});

it("and the others of the same builder go on", async () => {
  const made = await farm();
  const { b, begins } = await withBuilder(made, 2);
  const [c, honest] = [made.client(), made.client()];
  const lease = await begins(c, "a bomb");
  const kept = await begins(honest, "an honest one");
  await c.tracker.farm.closeSession(idOf(c));
  await until(() => b.cancelled.includes(lease), "the word to stop");
  await made.look();
  expect(b.cancelled).toEqual([lease]);
  expect([...b.running]).toContain(kept);
});

it.each([
  ["closes", (c: ScriptedClient) => c.tracker.farm.closeSession(idOf(c))],
  ["was killed", (c: ScriptedClient) => c.close()],
])("and its time counts for whoever asked and %s", async (_, leaves) => {
  const lines = ["client alice", "builder maker"].map((words) => `${words} sha256:${hashOf(`token-of-${words.split(" ")[1]}`)}`);
  const doors = new TokenDoors(parseTokenFile(lines.join("\n")));
  const made = await farm({ doors, log: pino({ level: "silent" }), ...soon });
  const { registration } = builder(made.address);
  const b = new ScriptedWorker(made.address, registration.role, keep, { token: "token-of-maker" });
  made.start(b);
  const c = made.client("token-of-alice");
  await c.open();
  c.stream();
  c.send(1, programOf("a bomb"));
  await until(() => b.jobs.length === 1, "the build");
  await made.store.query("update leases set granted_at = granted_at - interval '100 s'");
  await leaves(c);
  await until(() => b.cancelled.length === 1, "the word to stop");
  const [spent] = await made.store.query<{ ms: number; device: number }>(
    "select sum(build_ms)::double precision as ms, sum(device_ms)::double precision as device from spent where principal = 'alice'",
  );
  expect(spent?.ms).toBeGreaterThanOrEqual(100_000);
  expect(spent?.device).toBe(0);
});
