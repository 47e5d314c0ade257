/** A receipt from its key to a reader elsewhere: keys, records receipt, verify and its replay. The runner is scripted. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { MeasureResult } from "@warpfarm/common";
import type { TuningRecord } from "@warpfarm/records";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builder, cpu, freshStore, programOf, runner, testTracker, timedResult } from "../../test-support/farm/scripted.ts";
import { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { command } from "./command.testing.ts";
import { Place } from "./warpfarm-process.ts";

const bytes = (n: number) => Buffer.from(`code of ${programOf(`p${n}`).digest}`);

/** What the runner tells of the next measurements. */
const now: { seconds: number; more: Partial<MeasureResult> } = { seconds: 1, more: {} };
const ends: (() => PromiseLike<unknown> | undefined)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

let place: Place;
let client: ScriptedClient;
let there: readonly string[] = [];
let id = "";
const run = (...argv: string[]) => command(place, argv);
const textOf = (name: string) => readFileSync(place.path(name), "utf8");
const verify = (...argv: string[]) => run("verify", "r.intoto.jsonl", "--key", "farm.pem", ...argv);

/** A farm, and five sessions of p1 on it. */
beforeAll(async () => {
  place = new Place();
  mkdirSync(place.path("elsewhere"));
  const made = await run("keys", "rotate", "--file", "key");
  expect([made.code, made.stdout, statSync(place.path("key")).mode & 0o777]).toEqual([
    0,
    expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
    0o600,
  ]);
  const tracker = await testTracker(await freshStore(), { receiptKey: place.path("key") });
  const address = `127.0.0.1:${tracker.grpcPort}`;
  there = ["--tracker", address];
  const worker = runner(address, 1, ({ job }) => {
    if (job.kind !== "run") throw new Error("not a run");
    const result = { ...timedResult(now.seconds, cpu(1), job.artifact), checked: false, ...now.more };
    return { kind: "run", result: result as MeasureResult };
  });
  const workers = [builder(address).start(), worker.start()];
  client = new ScriptedClient(address);
  ends.push(
    async () => place[Symbol.dispose](),
    () => tracker[Symbol.asyncDispose](),
    ...[client.close.bind(client), ...workers.map((each) => each.kill.bind(each))],
  );
  for (const seconds of [1, 1.001, 1.002, 1.003, 1.004]) {
    now.seconds = seconds;
    client.results.clear();
    await client.open();
    client.stream();
    client.raw({ kind: "input", sequence: 1, program: { kind: "program", program: programOf("p1") } });
    await until(() => client.results.size === 1, "the result");
    await client.finish();
  }
  let records: readonly TuningRecord[] = [];
  await until(async () => {
    ({ records } = await client.tracker.records.query({}));
    return records.length === 5;
  }, "the records");
  id = records[0]?.id ?? "";
  const written = await run("records", "receipt", id, "-o", "r.intoto.jsonl", ...there);
  expect([written.code, written.stdout]).toEqual([0, expect.stringContaining("r.intoto.jsonl is the receipt of")]);
  const keys = await run("keys", ...there);
  expect(keys.stdout).toContain("signs receipts now\n-----BEGIN PUBLIC KEY-----");
  writeFileSync(place.path("farm.pem"), keys.stdout);
}, 300_000);

describe("verify", () => {
  it("says what is signed, and refuses a file that it is not about", async () => {
    writeFileSync(place.path("k.so"), bytes(1));
    writeFileSync(place.path("other.so"), bytes(2));
    const checked = await verify("k.so", "--json");
    expect([checked.code, checked.stderr]).toEqual([0, ""]);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      ...{ outcome: "WARNED", sessions: 5, claim_verified: false, device: { key: "cpu/x86-64-v3", name: "A CPU" } },
      prediction: { level: 0.99, low: expect.any(Number), high: expect.any(Number) },
      subjects: { program: programOf("p1").digest },
    });
    expect((await verify()).stdout).toMatch(/conditions +full inputs, power burst, L2 cache warm\n/);
    expect((await verify()).stdout).toMatch(/confidence +997\.9 ms to 1\.006 s \(99 %\)\n/);
    const refused = await verify("other.so");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("r.intoto.jsonl is not about other.so")]);
    const idle = await verify("--device", "cpu");
    expect([idle.code, idle.stderr]).toEqual([2, expect.stringContaining("--device and --where say where --replay measures")]);
  });

  it.each([
    ["none", () => "", "farm.pem", 2, /none is no receipt: it is empty/],
    ["text", () => "hello", "farm.pem", 2, /text is no receipt: line 1 is no DSSE envelope/],
    [
      "changed",
      (text: string) => text.replace(/"sig":"...../, '"sig":"AAAAA'),
      "farm.pem",
      1,
      /changed proves nothing: no key of --key signed line 1/,
    ],
    ["right", (text: string) => text, "elsewhere.pem", 1, /no key of --key signed/],
    ["right", (text: string) => text, "key", 2, /--key key holds no public key in PEM; warpfarm keys prints/],
    ["right", (text: string) => text, "gone.pem", 2, /gone\.pem/],
  ] as const)("ends with its code for %s", async (file, change, key, code, says) => {
    writeFileSync(place.path("elsewhere.pem"), (await run("keys", "rotate", "--file", "elsewhere/key")).stdout);
    writeFileSync(place.path(file), change(textOf("r.intoto.jsonl")));
    const said = await run("verify", file, "--key", key);
    expect([said.code, said.stderr]).toEqual([code, expect.stringMatching(says)]);
  });
});

describe("verify --replay", () => {
  it("says whether the time is inside, and leaves no record", async () => {
    const { low, high } = JSON.parse((await verify("--json")).stdout).prediction;
    const replays = [
      [(low + high) / 2, {}, 0, /replay +inside the prediction: 1\.00\d s\n/],
      [low, {}, 0, /inside/],
      [high, {}, 0, /inside/],
      [high * 1.0001, {}, 4, /replay +outside the prediction/],
      [low * 0.9999, {}, 4, /outside/],
      [1.002, { checked: true } as never, 2, /not comparable: its outputs were not compared/],
    ] as const;
    for (const [seconds, more, code, says] of replays) {
      Object.assign(now, { seconds, more });
      const again = await verify("--replay", ...there);
      expect([seconds, again.code, again.stdout]).toEqual([seconds, code, expect.stringMatching(says)]);
    }
    now.more = { kind: "failed", errorNo: 4, message: "it crashed" } as never;
    const failed = await verify("--replay", ...there);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/the replay failed: RUNTIME_DEVICE: it crashed/)]);
    expect((await client.tracker.records.query({})).records).toHaveLength(5);
  });

  it("compares nothing without the source, and nothing with a farm that has no such device", async () => {
    await run("records", "receipt", id, "-o", "closed.intoto.jsonl", "--no-source", ...there);
    const closed = await run("verify", "closed.intoto.jsonl", "--key", "farm.pem", "--replay", ...there);
    expect([closed.code, closed.stdout]).toEqual([2, expect.stringContaining("not comparable: it has no source")]);
    const elsewhere = await testTracker("memory");
    ends.push(() => elsewhere[Symbol.asyncDispose]());
    const said = await verify("--replay", "--json", "--tracker", `127.0.0.1:${elsewhere.grpcPort}`);
    expect([said.code, JSON.parse(said.stdout).replay]).toEqual([
      2,
      { verdict: "not comparable", why: "it was measured on A CPU (cpu/x86-64-v3), and here there is no device" },
    ]);
  });
});

it("records receipt names what is no record, and who rotates takes no receipt from anybody", async () => {
  const unknown = await run("records", "receipt", "nobody/1", "-o", "x", ...there);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('none of your records is "nobody/1"')]);
  await run("keys", "rotate", "--file", "key");
  const after = await run("keys", ...there);
  expect(after.stdout.match(/BEGIN PUBLIC KEY/g)).toHaveLength(2);
  expect(after.stdout).toMatch(/signs receipts now[\s\S]*, until 2/);
  writeFileSync(place.path("farm.pem"), after.stdout);
  expect((await verify()).code).toBe(0);
});
