/** A builder's word that a program does not compile, and for whom it stands. */
import type { FailedResult } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, build, builder, programOf, runner } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { TokenDoors } from "../src/doors/token-doors.ts";
import { hashOf, parseTokenFile } from "../src/doors/token-file.ts";

const { farm } = useFarms();
const lines = ["client alice", "client bob", "client carol", "builder liar", "builder honest", "runner racer", "admin boss"];

const refuses: Answer = () => {
  const result: FailedResult = {
    ...{ kind: "failed", errorNo: 3, message: "no", toolchain: "scripted" },
    ...{ buildMs: 3, runMs: 0, timestampMs: 1_750_000_000_000, attempt: 1 },
  };
  return { kind: "build_failed", result, buildMs: 3, cached: false };
};

async function guarded() {
  const words = lines.map((line) => `${line} sha256:${hashOf(`token-of-${line.split(" ")[1]}`)}`);
  const f = await farm({ doors: new TokenDoors(parseTokenFile(words.join("\n"))) });
  f.start(runner(f.address, 1, undefined, { token: "token-of-racer" }));
  const made = (name: string, answer: Answer) => builder(f.address, answer, 4, `token-of-${name}`);
  const start = async (name: string, answer: Answer) => {
    const worker = made(name, answer);
    Object.assign(worker.registration, { node: `node of ${name}` });
    f.start(worker);
    await until(() => worker.registered !== undefined, `the builder of ${name}`);
    return worker;
  };
  const ask = async (name: string, ...programs: string[]) => {
    const c = f.client(`token-of-${name}`);
    await c.open();
    c.stream();
    for (const [i, program] of programs.entries()) c.send(i + 1, programOf(program));
    return c;
  };
  const kindFor = async (c: ScriptedClient, sequence = 1) => {
    await until(() => c.results.size >= sequence, "the result");
    return c.results.get(sequence)?.kind;
  };
  return { ...f, start, ask, kindFor };
}
/** Jobs of the program that it was given. */
const jobsOf = (worker: { readonly jobs: readonly unknown[] }) => worker.jobs.length;

describe("one builder says that a program does not compile", () => {
  it("which is final for who asked, and for nobody else while there is a builder of another principal", async () => {
    const { start, ask, kindFor } = await guarded();
    const liar = await start("liar", refuses);
    expect(await kindFor(await ask("alice", "p1"))).toBe("failed");
    const honest = await start("honest", build);
    expect(await kindFor(await ask("alice", "p1"))).toBe("failed");
    expect([jobsOf(liar), jobsOf(honest)]).toEqual([1, 0]);
    expect(await kindFor(await ask("bob", "p1"))).toBe("timed");
    expect([jobsOf(liar), jobsOf(honest)]).toEqual([1, 1]);
    // It is built now, for everybody.
    expect(await kindFor(await ask("alice", "p1"))).toBe("timed");
    expect([jobsOf(liar), jobsOf(honest)]).toEqual([1, 1]);
  });

  it("and a second of another principal says so too: then it stands for everybody", async () => {
    const { start, ask, kindFor } = await guarded();
    const liar = await start("liar", refuses);
    await kindFor(await ask("alice", "p1"));
    const honest = await start("honest", refuses);
    for (const name of ["bob", "carol", "alice"]) expect(await kindFor(await ask(name, "p1"))).toBe("failed");
    expect([jobsOf(liar), jobsOf(honest)]).toEqual([1, 1]);
  });

  it("and a second of the same principal says so too: that is one word", async () => {
    const { start, ask, kindFor } = await guarded();
    await start("liar", refuses);
    await kindFor(await ask("alice", "p1"));
    const again = await start("liar", refuses);
    const honest = await start("honest", build);
    expect(await kindFor(await ask("bob", "p1"))).toBe("timed");
    expect([jobsOf(again), jobsOf(honest)]).toEqual([0, 1]);
  });

  it("which is told where nobody else can be asked", async () => {
    const { start, ask, kindFor } = await guarded();
    const liar = await start("liar", refuses);
    await kindFor(await ask("alice", "p1"));
    expect(await kindFor(await ask("bob", "p1"))).toBe("failed");
    expect(jobsOf(liar)).toBe(1);
  });

  it("while others wait for the same program: it is built again before anybody is told", async () => {
    const { start, ask, kindFor, store } = await guarded();
    const alice = await ask("alice", "p1");
    await until(() => alice.acceptedThrough === 1, "alice's input");
    const bob = await ask("bob", "p1");
    await until(() => bob.acceptedThrough === 1, "bob's input");
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const liar = await start("liar", async (...job) => {
      await held;
      return refuses(...job);
    });
    await until(() => liar.jobs.length === 1, "its job");
    const honest = await start("honest", build);
    release();
    expect([await kindFor(alice), await kindFor(bob)]).toEqual(["timed", "timed"]);
    expect([jobsOf(liar), jobsOf(honest)]).toEqual([1, 1]);
    expect(await store.query("select said_by, vouched from builds")).toEqual([{ said_by: [], vouched: false }]);
  });
});

it("an admin's builder is believed alone", async () => {
  const { start, ask, kindFor } = await guarded();
  const boss = await start("boss", refuses);
  await kindFor(await ask("alice", "p1"));
  const honest = await start("honest", build);
  expect(await kindFor(await ask("bob", "p1"))).toBe("failed");
  expect([jobsOf(boss), jobsOf(honest)]).toEqual([1, 0]);
});

it("an admin's token registers no runner", async () => {
  const { address } = await guarded();
  const worker = runner(address, 9, undefined, { token: "token-of-boss", node: "other" });
  await expect(worker.tracker.worker.register(worker.registration)).rejects.toThrow(/role admin and cannot register a runner/);
  await worker.kill();
});
