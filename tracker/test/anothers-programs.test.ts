/**
 * A program's text and artifact belong to its senders. Shared records show digests of programs to everybody, but a digest gives
 * neither: not by a measurement, not by a record that claims it, and not by the record itself.
 */
import { randomUUID } from "node:crypto";
import { type ArtifactDigest, toProgramDigest } from "@warpfarm/common";
import type { TuningRecord } from "@warpfarm/records";
import type { RecordDetail } from "@warpfarm/web";
import { pino } from "pino";
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { builder, programOf, runner, target } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { TokenDoors } from "../src/doors/token-doors.ts";
import { hashOf, parseTokenFile } from "../src/doors/token-file.ts";
import type { Database } from "../src/store/database.ts";

const { farm } = useFarms();
const lines = ["client alice", "client bob", "admin boss", "builder maker", "runner racer"]
  .map((words) => `${words} sha256:${hashOf(`token-of-${words.split(" ")[1]}`)}`)
  .join("\n");
const paired = { rounds: 3, idleMs: 5 };

async function guarded(data?: Database) {
  const doors = new TokenDoors(parseTokenFile(lines));
  const log = pino({ level: "silent" });
  const f = await farm({ doors, log, http: "127.0.0.1:0", ...(data ? { data } : {}) });
  const open = async (name: string, ...more: Parameters<ScriptedClient["open"]>) => {
    const c = f.client(`token-of-${name}`);
    await c.open(...more);
    c.stream();
    return c;
  };
  return { ...f, open };
}
const withWorkers = async () => {
  const f = await guarded();
  f.start(builder(f.address, undefined, 4, "token-of-maker"));
  f.start(runner(f.address, 1, undefined, { token: "token-of-racer" }));
  return f;
};
const secret = programOf("alice's own");

/** Alice has measured her program, an admin shared the record, and Bob reads it. */
async function measuredByAlice() {
  const f = await withWorkers();
  const alice = await f.open("alice");
  alice.send(1, secret);
  await until(() => alice.results.size === 1, "alice's result");
  const result = alice.results.get(1);
  if (result?.kind !== "timed") throw new Error("not timed");
  const bob = await f.open("bob");
  const read = async ({ tracker }: ScriptedClient) => (await tracker.records.query({ task: "a task" })).records;
  await until(async () => (await read(alice)).length === 1, "her record");
  const share = (task: string) => f.client("token-of-boss").tracker.records.share({ task });
  expect(await share("a task")).toBe(1);
  return { share, ...f, alice, bob, artifact: result.artifact, record: (await read(bob))[0] as TuningRecord };
}

it("a shared record tells a program's digest, and not its artifact's, nor its labels, nor what else a file said", async () => {
  const { record, alice, bob, artifact, share } = await measuredByAlice();
  expect(record.program).toBe(secret.digest);
  expect(JSON.stringify(record)).not.toContain(artifact);
  const [own] = (await alice.tracker.records.query({ task: "a task" })).records;
  expect(own?.artifact).toBe(artifact);
  const task = randomUUID();
  const imported = {
    ...(own as TuningRecord),
    id: task,
    task,
    labels: { desk: "alice's desk" },
    foreign: { note: "alice's file" },
  };
  await alice.tracker.records.append([imported]);
  expect(await share(task)).toBe(1);
  const seenBy = async ({ tracker }: ScriptedClient) => JSON.stringify((await tracker.records.query({ task })).records);
  const hers = ["alice's desk", "alice's file"].map((text) => expect.stringContaining(text));
  for (const text of hers) expect(await seenBy(alice)).toEqual(text);
  expect(await seenBy(bob)).toContain(task);
  expect(await seenBy(bob)).not.toMatch(/alice's (?:desk|file)/);
});

it("a program named by its digest is not here for who never sent it, as program, reference, or one of several", async () => {
  const { open, artifact } = await measuredByAlice();
  const ref = (digest: string) => ({ kind: "digest", digest: toProgramDigest(digest) }) as const;
  const mine = { kind: "program", program: programOf("bob's") } as const;
  const asProgram = await open("bob");
  asProgram.send(1, secret.digest);
  const asReference = await open("bob", { check: "reference" });
  asReference.raw({ kind: "input", sequence: 1, program: mine, reference: ref(secret.digest) });
  const inTurns = async (digest: string) => {
    const c = await open("bob", {}, { paired });
    c.raw({ kind: "input", sequence: 1, program: mine, others: [ref(digest)] });
    return c;
  };
  for (const c of [asProgram, asReference, await inTurns(secret.digest), await inTurns(artifact)]) {
    expect(await c.failure()).toMatchObject({ code: "NOT_FOUND", message: expect.stringContaining("send its bytes") });
    expect(c.acceptedThrough).toBe(0);
  }
});

it("who sent it, second or first, names it from then on, at a tracker that never saw it as well", async () => {
  const { open, store, start } = await measuredByAlice();
  const bob = await open("bob");
  bob.send(1, secret);
  bob.send(2, secret.digest);
  await until(() => bob.results.size === 2, "bob's results");
  const artifact = bob.results.get(1);
  if (artifact?.kind !== "timed") throw new Error("not timed");
  const other = await guarded({ ...store, [Symbol.asyncDispose]: async () => {} });
  start(runner(other.address, 2, undefined, { token: "token-of-racer" }));
  for (const name of ["alice", "bob"]) {
    const c = await other.open(name);
    c.send(1, secret.digest);
    await until(() => c.results.size === 1, `${name}'s result`);
  }
  const inTurns = await other.open("bob", {}, { paired });
  const built = { kind: "digest", digest: toProgramDigest(artifact.artifact) } as const;
  inTurns.raw({ kind: "input", sequence: 1, program: { kind: "digest", digest: secret.digest }, others: [built] });
  await until(() => inTurns.acceptedThrough === 1, "the input in turns");
});

it("whose two programs nobody measured: who sent them in turns still names both after the session, and nobody else does", async () => {
  const f = await guarded();
  const first = await f.open("bob", {}, { paired });
  const [one, two] = [programOf("bob's first"), programOf("bob's second")];
  first.raw({
    ...{ kind: "input", sequence: 1, program: { kind: "program", program: one } },
    others: [{ kind: "program", program: two }],
  });
  await until(() => first.acceptedThrough === 1, "the input");
  await first.tracker.farm.closeSession(first.session as NonNullable<typeof first.session>);
  const other = await guarded({ ...f.store, [Symbol.asyncDispose]: async () => {} });
  const bob = await other.open("bob");
  bob.send(1, one.digest);
  bob.send(2, two.digest);
  await until(() => bob.acceptedThrough === 2, "both by their digests");
  for (const { digest } of [one, two]) {
    const alice = await other.open("alice");
    alice.send(1, digest);
    expect(await alice.failure()).toMatchObject({ code: "NOT_FOUND", message: expect.stringContaining("send its bytes") });
  }
});

it("a record that bob imports with the digests of what is alice's shows neither text nor manifest", async () => {
  const { bob, alice, artifact, tracker } = await measuredByAlice();
  const claim: TuningRecord = {
    id: randomUUID(),
    origin: { kind: "imported", by: "", format: "test" },
    task: "claimed",
    args: [],
    program: secret.digest,
    artifact: artifact as ArtifactDigest,
    target,
    result: { kind: "timed", costs: [1], checked: true },
    timestampMs: 1,
  };
  await bob.tracker.records.append([claim]);
  const idOf = async (c: ScriptedClient, task: string) => {
    const [record] = (await c.tracker.records.query({ task })).records.filter(
      ({ session }) => session !== undefined || task === "claimed",
    );
    return record?.id ?? "";
  };
  const detail = async (name: string, id: string) => {
    const headers = { authorization: `Bearer token-of-${name}` };
    const reply = await fetch(`http://127.0.0.1:${tracker.httpPort}/api/records/${id}`, { headers });
    expect(reply.status).toBe(200);
    return (await reply.json()) as RecordDetail;
  };
  const claimed = await detail("bob", await idOf(bob, "claimed"));
  expect([claimed.program, claimed.manifest]).toEqual([undefined, undefined]);
  const own = await detail("alice", await idOf(alice, "a task"));
  expect(own.program).toBe(Buffer.from(secret.bytes).toString("utf8"));
  expect(own.manifest).toMatchObject({ toolchain: "scripted" });
});
