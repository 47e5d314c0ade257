/**
 * What a client says of a program is a claim: others see the record after a builder has replayed it. Real trackers, scripted
 * workers; the builder's replay is the real one, without its child (builder/src/replay.test.ts has the child).
 */
import { describe, expect, it } from "vitest";
import { argsOf, measured, replaying, type Sent, timing } from "../../test-support/farm/claims.ts";
import { quick, useFarms } from "../../test-support/farm/farms.ts";
import { builder, programOf, runner } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { bestOf, cheap, honest, opened, real, refuted, seen, verified } from "./claims.testing.ts";

const { farm } = useFarms();
const open = opened(farm);

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
    expect(first).toMatchObject({
      config: { entity: JSON.parse(real.configAt(3)) },
      reference: real.task.reference.digest,
      origin: { by: "" },
    });
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
    await measured(bob, { ...real.provenance, templateVersion: `sha256:${"1".repeat(64)}` }, [honest(3)]);
    await recorded(2);
    expect(await bestOf(alice)).toEqual({ seconds: [], standing: [], waiting: 0 });
    expect((await seen(bob)).map(({ standing }) => standing)).toEqual(["own", "own"]);
    // One that is shared follows, and is all that is replayed.
    await measured(bob, real.provenance, [honest(3)]);
    await until(async () => (await bestOf(alice)).seconds.length === 1, "the shared one");
    expect(await claims(verified)).toBe(1);
    expect(await store.query("select standing, namespace from records where standing <> 2 order by id")).toEqual(
      Array(2).fill({ standing: 0, namespace: "bob" }),
    );
  });

  it("that was compared with nothing names no reference, whatever was sent with it, and is replayed by its program alone", async () => {
    const { hire, alice, bob, claims } = await open();
    hire();
    await bob.open({ check: "none" }, { provenance: real.provenance });
    bob.stream();
    const { program, config = "" } = honest(3);
    bob.raw({
      ...{ kind: "input", sequence: 1, program: { kind: "program", program } },
      reference: { kind: "program", program: cheap.task.reference },
      proposal: { config, trial: 1, told: 0 },
    });
    await until(async () => (await claims(verified)) === 1, "the verdict");
    const [record, ...more] = await seen(alice);
    expect(more).toEqual([]);
    expect(record).toMatchObject({ program: program.digest, standing: "verified" });
    expect(record).not.toHaveProperty("reference");
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
    ["another template", { task: "matmul_mma" }, honest(3)],
    ["a template that there is not", { task: "matmul_best_of_all" }, honest(3)],
  ];
  it.each(lies)("stays with who said it: %s", async (_what, words, sent) => {
    const { hire, alice, bob, admin, seconds, claims, recorded } = await open();
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
    // Nor does the liar's own search go by it, and no admin's word makes it true.
    expect(await bestOf(bob, { ...real, provenance })).toMatchObject({ seconds: [] });
    const { task = "" } = provenance;
    for (const order of ["newest", "fastest"] as const)
      expect((await bob.tracker.records.query({ task, order, believed: true })).records).toEqual([]);
    expect(await admin.tracker.records.share({ task })).toBe(0);
    // An honest result is seen, and the same lie is known when it is told again.
    await measured(alice, real.provenance, [honest(5)]);
    await until(async () => (await claims(verified)) === 1, "the honest one");
    expect((await bestOf(alice)).seconds).toEqual([1]);
    await measured(bob, provenance, [sent]);
    await recorded(3);
    expect((await seen(bob)).map(({ standing }) => standing).filter((s) => s !== "verified")).toEqual(["refuted", "refuted"]);
    expect((await bestOf(bob)).seconds).toEqual([1]);
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
      (await client.tracker.records.query({ task: "matmul_derived", args: argsOf(real.provenance), outcome: "failed" })).records;
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

it("what no replay proves stays with its owner: a space, words about a search", async () => {
  const { hire, alice, bob, admin, claims } = await open();
  hire();
  const words = { space: `sha256:${"5".repeat(64)}`, tuner: "mine", seed: 5, trials: 9, defaultSeconds: 1e-9, librarySeconds: 1 };
  await measured(bob, { ...real.provenance, ...words }, [honest(3)], { labels: { who: "bob" } });
  await until(async () => (await claims(verified)) === 1, "the verdict");
  const entity = JSON.parse(real.configAt(3));
  const [own] = await seen(bob);
  expect(own).toMatchObject({ space: words.space, search: { tuner: "mine" } });
  const task = real.task.name;
  for (const { tracker } of [alice, admin])
    for (const [record] of [
      (await tracker.records.query({ task })).records,
      (await tracker.records.best({ task, args: argsOf(real.provenance) })).map(({ record }) => record),
      (await tracker.records.query({ task, order: "fastest", believed: true })).records,
    ]) {
      expect(record).toMatchObject({ program: real.programAt(3).digest, standing: "verified" });
      expect(record?.config).toEqual({ code_hash: null, entity });
      for (const field of ["space", "search", "templateVersion", "foreign"]) expect(record).not.toHaveProperty(field);
    }
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
    expect(await admin.tracker.records.share({ task: "matmul_derived" })).toBe(1);
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
    await alice.tracker.records.query({ task: "matmul_derived" }, { waiting: told });
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
