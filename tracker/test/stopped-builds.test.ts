/** A build that a builder has for a client who left is taken back at once, unless somebody else waits for it. */
import type { LeaseId, SessionId } from "@warpfarm/common";
import { pino } from "pino";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, programOf, ScriptedWorker } from "../../test-support/farm/scripted.ts";
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
    async () => (await made.store.query("select 1 from sessions where not streaming")).length === 1,
    "the stream's end",
  );
  await made.store.query("update sessions set expires_at = now() - interval '1 s'");
  await until(() => b.cancelled.includes(lease), "the word to stop");
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

it("and its time counts for whoever asked", async () => {
  const lines = ["client alice", "builder maker"].map((words) => `${words} sha256:${hashOf(`token-of-${words.split(" ")[1]}`)}`);
  const doors = new TokenDoors(parseTokenFile(lines.join("\n")));
  const made = await farm({ doors, log: pino({ level: "silent" }) });
  const { registration } = builder(made.address);
  const b = new ScriptedWorker(made.address, registration.role, keep, { token: "token-of-maker" });
  made.start(b);
  const c = made.client("token-of-alice");
  await c.open();
  c.stream();
  c.send(1, programOf("a bomb"));
  await until(() => b.jobs.length === 1, "the build");
  await made.store.query("update leases set granted_at = granted_at - interval '100 s'");
  await c.tracker.farm.closeSession(idOf(c));
  const [spent] = await made.store.query<{ ms: number; device: number }>(
    "select sum(build_ms)::double precision as ms, sum(device_ms)::double precision as device from spent where principal = 'alice'",
  );
  expect(spent?.ms).toBeGreaterThanOrEqual(100_000);
  expect(spent?.device).toBe(0);
});
