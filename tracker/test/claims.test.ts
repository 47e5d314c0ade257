/**
 * What a client says of a program is a claim: others see the record after a builder has replayed it. Real trackers, scripted
 * workers; the builder's replay is the real one, without its child (builder/src/replay.test.ts has the child).
 */
import type { MeasureResult } from "@warpfarm/common";
import { protocolVersion } from "@warpfarm/proto";
import type { TuningRecord } from "@warpfarm/records";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { argsOf, claimDoors, measured, product, replaying, type Sent, timing, tokenOf } from "../../test-support/farm/claims.ts";
import { quick, useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, build, builder, programOf, runner } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { collect } from "../src/store/sql/collect.ts";
import type { TrackerOptions } from "../src/tracker.ts";

const { farm } = useFarms();
const silent = pino({ level: "silent" });
const real = product(16);
/** Another computation: nothing to do, and compared with itself. */
const cheap = product(1);

const honest = (index: number): Sent => ({
  program: real.programAt(index),
  reference: real.task.reference,
  config: real.configAt(index),
});

/** A farm of two principals, whose builder builds and whose runner measures in the times of a table. */
async function open(options: Partial<TrackerOptions> & { readonly answer?: Answer; readonly data?: never } = {}) {
  const { answer = replaying, ...more } = options;
  const f = await farm({ doors: claimDoors(), http: "127.0.0.1:0", ...quick, log: silent, ...more });
  const seconds = new Map<string, number | "wrong">();
  const hire = (does: Answer = answer, slots = 4) =>
    f.start(builder(f.address, does, slots, protocolVersion, tokenOf("builder")));
  f.start(runner(f.address, 1, timing(seconds), { token: tokenOf("runner"), paired: true }));
  const [alice, bob, admin] = (["alice", "bob", "admin"] as const).map((who) => f.client(tokenOf(who))) as [
    ScriptedClient,
    ScriptedClient,
    ScriptedClient,
  ];
  const claims = async (state: number) => (await f.store.query("select 1 from claims where state = $1", [state])).length;
  const recorded = (n: number) => until(async () => (await f.store.query("select 1 from records")).length >= n, `${n} records`);
  return { ...f, seconds, hire, alice, bob, admin, claims, recorded };
}

/** The best of the product, and how many of others' records wait. */
async function bestOf(client: ScriptedClient, of = real) {
  let waiting = 0;
  const told = (n: number) => {
    waiting = n;
  };
  const { task = "", args = [] } = { task: of.provenance.task, args: argsOf(of.provenance) };
  const best = await client.tracker.records.best({ task, args }, { waiting: told });
  return { seconds: best.map((b) => b.seconds), standing: best.map((b) => b.record.standing), waiting };
}
const seen = async (client: ScriptedClient): Promise<readonly TuningRecord[]> =>
  (await client.tracker.records.query({ order: "oldest", limit: 1_000 })).records;

const verified = 2;
const refuted = 3;
const unverifiable = 4;

describe("an honest best", () => {
  it("is its owner's until a builder has replayed it, who sees it marked; others hear how many wait, and then see it", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { hire, alice, bob, seconds, recorded } = await open();
    hire(async (assignment, worker) => {
      if (assignment.job.kind === "replay") await gate;
      return replaying(assignment, worker);
    });
    seconds.set(real.programAt(3).digest, 0.5);
    await measured(bob, real.provenance, [honest(2), honest(3)]);
    await recorded(2);
    expect(await bestOf(bob)).toEqual({ seconds: [0.5], standing: ["unverified"], waiting: 0 });
    expect(await bestOf(alice)).toEqual({ seconds: [], standing: [], waiting: 2 });
    expect(await seen(alice)).toEqual([]);
    release();
    await until(async () => (await bestOf(alice)).seconds[0] === 0.5, "alice sees it");
    expect((await bestOf(alice)).standing).toEqual(["verified"]);
    expect((await bestOf(bob)).standing).toEqual(["verified"]);
    const [first] = (await seen(alice)).filter(({ program }) => program === real.programAt(3).digest);
    expect(first).toMatchObject({ config: { index: 3 }, reference: real.task.reference.digest, origin: { by: "" } });
    // Measured again, by anybody, it is known already.
    await measured(alice, real.provenance, [honest(3)]);
    await recorded(3);
    const again = await seen(bob);
    expect(again.filter(({ program, standing }) => program === real.programAt(3).digest && standing === "verified")).toHaveLength(
      2,
    );
  });

  it("stays a private one's owner's, and a user's template's, whatever they compute", async () => {
    const { hire, alice, bob, recorded, claims, store } = await open();
    hire();
    await measured(bob, real.provenance, [honest(3)], { keep: "private" });
    await measured(bob, { ...real.provenance, templateVersion: "1" }, [honest(3)]);
    await measured(bob, { ...real.provenance, template: undefined as never }, [honest(3)]);
    await recorded(3);
    expect(await bestOf(alice)).toEqual({ seconds: [], standing: [], waiting: 0 });
    expect((await seen(bob)).map(({ standing }) => standing)).toEqual(["own", "own", "own"]);
    // One that is shared follows, and is all that is replayed.
    await measured(bob, real.provenance, [honest(3)]);
    await until(async () => (await bestOf(alice)).seconds.length === 1, "the shared one");
    expect(await claims(verified)).toBe(1);
    expect(await store.query("select standing, namespace from records where standing <> 2 order by id")).toEqual(
      Array(3).fill({ standing: 0, namespace: expect.stringContaining("client") }),
    );
  });

  it("has a twin without config where it was measured interleaved, which others see with it", async () => {
    const { hire, alice, bob, recorded } = await open();
    hire();
    const inTurns = async (sequence: number) => {
      await bob.open({ check: "reference" }, { provenance: real.provenance, paired: { rounds: 3, idleMs: 0 } });
      bob.results.clear();
      bob.stream();
      const [program, ...others] = [2, 3].map((i) => ({ kind: "program", program: real.programAt(i) }) as const);
      if (!program) throw new Error("no program");
      bob.raw({ kind: "input", sequence, program, others, reference: { kind: "program", program: real.task.reference } });
      await until(() => bob.results.size === 1, "the result");
      await bob.finish();
    };
    await inTurns(1);
    await recorded(2);
    expect((await seen(bob)).map(({ standing }) => standing)).toEqual(["own", "own"]);
    await measured(bob, real.provenance, [honest(3)]);
    const finals = async () => (await seen(alice)).filter(({ config }) => config === undefined).map(({ program }) => program);
    await until(async () => (await finals()).length === 1, "the final");
    expect(await finals()).toEqual([real.programAt(3).digest]);
    // One that comes after the verdict.
    await inTurns(1);
    await until(async () => (await finals()).length === 2, "the second final");
    expect(new Set(await finals())).toEqual(new Set([real.programAt(3).digest]));
  });
});

describe("a claim that is not true", () => {
  const lies: readonly (readonly [what: string, provenance: Partial<typeof real.provenance>, sent: Sent])[] = [
    [
      "another program under a task's name, compared with itself",
      {},
      { program: cheap.programAt(0), reference: cheap.programAt(0), config: real.configAt(3) },
    ],
    [
      "another program, with the task's own reference",
      {},
      { program: cheap.programAt(0), reference: real.task.reference, config: real.configAt(3) },
    ],
    ["the right program, with another config's values", {}, { ...honest(3), config: real.configAt(2) }],
    ["the right program, compared with another reference", {}, { ...honest(3), reference: real.programAt(3) }],
    ["other arguments", { args: argsOf(cheap.provenance) }, honest(3)],
    ["another template", { template: "matmul_mma" }, honest(3)],
    ["another task", { task: "matmul_best_of_all" }, honest(3)],
  ];
  it.each(lies)("stays with who said it: %s", async (_what, words, sent) => {
    const { hire, alice, bob, seconds, claims, recorded } = await open();
    hire();
    seconds.set(sent.program.digest, 1e-6);
    const provenance = { ...real.provenance, ...words };
    await measured(bob, provenance, [sent]);
    await recorded(1);
    // Whoever asks has it replayed, if it was not by then.
    await bestOf(alice, { ...real, provenance });
    await until(async () => (await claims(refuted)) === 1, "the verdict");
    expect(await bestOf(alice, { ...real, provenance })).toEqual({ seconds: [], standing: [], waiting: 0 });
    expect(await seen(alice)).toEqual([]);
    expect((await seen(bob)).map(({ standing }) => standing)).toEqual(["refuted"]);
    // An honest result is seen, and the same lie is known when it is told again.
    seconds.delete(sent.program.digest);
    await measured(alice, real.provenance, [honest(5)]);
    await until(async () => (await claims(verified)) === 1, "the honest one");
    expect((await bestOf(alice)).seconds).toEqual([1]);
    await measured(bob, provenance, [sent]);
    await recorded(3);
    expect((await seen(bob)).map(({ standing }) => standing).filter((s) => s !== "verified")).toEqual(["refuted", "refuted"]);
    expect((await seen(alice)).map(({ standing }) => standing)).toEqual(["verified"]);
  });

  it("does not answer for others as a failure: honest programs with a wrong reference", async () => {
    const { hire, alice, bob, seconds, recorded, claims } = await open();
    hire();
    const forged = [2, 3, 4, 5].map((i): Sent => ({ ...honest(i), reference: cheap.task.reference }));
    for (const { program } of forged) seconds.set(program.digest, "wrong");
    await measured(bob, real.provenance, forged);
    await recorded(forged.length);
    const failed = async (client: ScriptedClient) =>
      (await client.tracker.records.query({ task: "matmul_cpu", args: argsOf(real.provenance), outcome: "failed" })).records;
    expect(await failed(alice)).toEqual([]);
    await until(async () => (await claims(refuted)) === forged.length, "the verdicts");
    expect(await failed(alice)).toEqual([]);
    expect((await failed(bob)).map(({ standing }) => standing)).toEqual(Array(4).fill("refuted"));
    // A failure with the task's own reference is one, for all.
    await measured(bob, real.provenance, [honest(2)]);
    await until(async () => (await failed(alice)).length === 1, "the true failure");
    expect(await failed(alice)).toMatchObject([{ program: real.programAt(2).digest, standing: "verified" }]);
  });
});

describe("builders", () => {
  it("that are gone keep results with their owners, and readers hear how many wait; the next builder replays them", async () => {
    const { hire, alice, bob, recorded, claims, tracker } = await open();
    const first = hire(build);
    const held: MeasureResult[] = [];
    await measured(bob, real.provenance, [honest(2)], { keep: "none" });
    await first.kill();
    await until(async () => (await bestOf(alice)).waiting === 0, "nothing waits");
    // Built already: no builder is needed for it to be measured.
    await measured(bob, real.provenance, [honest(2)]);
    held.push(...bob.results.values());
    await recorded(1);
    expect(held).toHaveLength(1);
    expect(await bestOf(alice)).toEqual({ seconds: [], standing: [], waiting: 1 });
    expect((await bestOf(bob)).standing).toEqual(["unverified"]);
    const metrics = await (
      await fetch(`http://127.0.0.1:${tracker.httpPort}/metrics`, { headers: { authorization: `Bearer ${tokenOf("admin")}` } })
    ).text();
    expect(metrics).toMatch(/^warpfarm_claims_waiting 1$/m);
    hire();
    await until(async () => (await claims(verified)) === 1, "the verdict");
    expect((await bestOf(alice)).standing).toEqual(["verified"]);
  });

  it("that die with a claim lose it to the next one", async () => {
    const { hire, alice, bob, claims, store } = await open();
    const dying = hire(async (assignment, worker) => (assignment.job.kind === "replay" ? "keep" : replaying(assignment, worker)));
    await measured(bob, real.provenance, [honest(2)]);
    await until(() => dying.jobs.some(({ job }) => job.kind === "replay"), "it has the claim");
    expect(await claims(1)).toBe(1);
    await dying.kill();
    const next = hire();
    await until(async () => (await claims(verified)) === 1, "the verdict of the next");
    expect((await bestOf(alice)).standing).toEqual(["verified"]);
    expect(next.jobs.filter(({ job }) => job.kind === "replay")).toHaveLength(1);
    expect(await store.query("select losses, faults, avoid from claims")).toMatchObject([{ losses: 1, faults: 0 }]);
  });

  it("that cannot replay a claim in three tries leave it with its owner, for a day; the log names it", async () => {
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
    const { hire, alice, bob, claims, store } = await open({ log });
    let tries = 0;
    hire(async (assignment, worker) => {
      if (assignment.job.kind !== "replay") return replaying(assignment, worker);
      tries++;
      return { kind: "fault", message: "not replayed within 1 ms", suspect: false };
    });
    await measured(bob, real.provenance, [honest(2)]);
    await until(async () => (await claims(unverifiable)) === 1, "it is given up");
    expect(tries).toBe(3);
    expect(lines.filter((line) => line.includes("unverifiable"))).toEqual([expect.stringContaining("not replayed within 1 ms")]);
    expect(await bestOf(alice)).toMatchObject({ seconds: [], waiting: 1 });
    expect((await bestOf(bob)).standing).toEqual(["unverified"]);
    const day = 24 * 3_600_000;
    await collect(store, { artifactsMs: day, requestsMs: day });
    expect(await claims(unverifiable)).toBe(1);
    await store.query("update claims set decided_at = now() - interval '25 hours'");
    await collect(store, { artifactsMs: day, requestsMs: day });
    expect(await claims(unverifiable)).toBe(0);
    // And is wanted anew by who reads.
    await bestOf(alice);
    await until(() => tries > 3, "another try");
  });

  it("hear what is claimed, and not what was measured; and do one at a time", async () => {
    let [now, most] = [0, 0];
    const { hire, bob, claims } = await open();
    const b = hire(async (assignment, worker) => {
      if (assignment.job.kind !== "replay") return build(assignment, worker);
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 20));
      now--;
      return replaying(assignment, worker);
    });
    await measured(bob, real.provenance, [2, 3, 4, 5].map(honest));
    await until(async () => (await claims(verified)) > 0, "a verdict");
    const [job] = b.jobs.flatMap((assignment) => (assignment.job.kind === "replay" ? [assignment.job] : []));
    const told = JSON.parse(Buffer.from(job?.claim ?? "").toString());
    expect(Object.keys(told)).toEqual(["args", "config", "target", "task", "template"]);
    expect(JSON.stringify(told)).not.toContain("sha256");
    expect(most).toBe(1);
  });

  it("serve principals in turns: one's many claims do not keep another's waiting", async () => {
    const order: number[] = [];
    let open2 = () => {};
    const gate = new Promise<void>((resolve) => {
      open2 = resolve;
    });
    const small = product(8);
    const { hire, alice, bob, recorded, claims } = await open({ limits: { ...quick.limits, verifyPerSecond: 1_000 } });
    hire(async (assignment, worker) => {
      if (assignment.job.kind !== "replay") return build(assignment, worker);
      await gate;
      order.push((JSON.parse(Buffer.from(assignment.job.claim).toString()) as { args: number[] }).args[0] as number);
      return replaying(assignment, worker);
    });
    await measured(bob, real.provenance, [0, 1, 2, 3, 4, 5, 6, 7].map(honest));
    await measured(alice, small.provenance, [
      { program: small.programAt(1), reference: small.task.reference, config: small.configAt(1) },
    ]);
    await recorded(9);
    await until(async () => (await claims(0)) === 8, "eight wait, and one is at the builder");
    open2();
    await until(() => order.includes(8), "alice's");
    expect(order.indexOf(8)).toBeLessThanOrEqual(2);
  });

  it("that leave hand a claim back as if never given", async () => {
    const { hire, bob, store, claims } = await open();
    const leaving = hire(async (assignment, worker) =>
      assignment.job.kind === "replay" ? "keep" : replaying(assignment, worker),
    );
    await measured(bob, real.provenance, [honest(2)]);
    await until(() => leaving.jobs.some(({ job }) => job.kind === "replay"), "it has the claim");
    await leaving.leave();
    expect(await store.query("select state, attempts, losses from claims")).toEqual([{ state: 0, attempts: 0, losses: 0 }]);
    hire();
    await until(async () => (await claims(verified)) === 1, "the verdict");
  });
});

describe("nothing is replayed", () => {
  it("where everything is one user's", async () => {
    const { address, start, client, store } = await farm();
    const b = start(builder(address, replaying));
    start(runner(address, 1, timing(new Map())));
    const c = client();
    await measured(c, real.provenance, [honest(2)]);
    await until(async () => (await store.query("select 1 from records")).length === 1, "the record");
    const [record] = await seen(c);
    expect(record).toMatchObject({ program: real.programAt(2).digest, reference: real.task.reference.digest });
    expect(record).not.toHaveProperty("standing");
    expect((await bestOf(c)).seconds).toEqual([1]);
    expect(await store.query("select 1 from claims")).toEqual([]);
    expect(b.jobs.every(({ job }) => job.kind === "build")).toBe(true);
  });

  it("where the tracker is told so, and an admin shares instead", async () => {
    const { hire, alice, bob, admin, recorded, store } = await open({ limits: { ...quick.limits, verifyPerSecond: 0 } });
    const b = hire();
    await measured(bob, real.provenance, [honest(2)]);
    await recorded(1);
    expect(await bestOf(alice)).toMatchObject({ seconds: [], waiting: 1 });
    expect(await store.query("select 1 from claims")).toEqual([]);
    expect(await admin.tracker.records.share({ task: "matmul_cpu" })).toBe(1);
    expect(await bestOf(alice)).toMatchObject({ seconds: [1], standing: ["shared"] });
    expect(b.jobs.every(({ job }) => job.kind === "build")).toBe(true);
  });

  it("of what would not win, until somebody reads it", async () => {
    const { hire, alice, bob, seconds, recorded, claims } = await open();
    hire();
    seconds.set(real.programAt(2).digest, 0.1);
    await measured(bob, real.provenance, [honest(2)]);
    await until(async () => (await claims(verified)) === 1, "the best");
    await measured(bob, real.provenance, [honest(3)]);
    await recorded(2);
    // Slower than the best by far. The next one that is as fast shows that the recorder has looked at it.
    seconds.set(real.programAt(4).digest, 0.1);
    await measured(bob, real.provenance, [honest(4)]);
    await until(async () => (await claims(verified)) === 2, "another as fast");
    expect(await seen(alice)).toHaveLength(2);
    let waiting = 0;
    const told = (n: number) => {
      waiting = n;
    };
    await alice.tracker.records.query({ task: "matmul_cpu" }, { waiting: told });
    expect(waiting).toBe(1);
    await until(async () => (await seen(alice)).length === 3, "it was read");
  });
});

it("a program that no client sent as a claim is measured and recorded as before", async () => {
  const { hire, bob, recorded } = await open();
  hire();
  await bob.open();
  bob.stream();
  bob.send(1, programOf("p1"));
  await recorded(1);
  expect((await seen(bob)).map(({ standing }) => standing)).toEqual(["own"]);
});
