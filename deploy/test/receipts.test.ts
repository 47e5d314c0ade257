/** A receipt from its key to a reader elsewhere: keys, records receipt, verify and its replay, on a farm whose runner is scripted. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import type { MeasureResult } from "@warpfarm/common";
import type { TuningRecord } from "@warpfarm/records";
import { expect, it, onTestFinished } from "vitest";
import { builder, cpu, freshStore, programOf, runner, testTracker, timedResult } from "../../test-support/farm/scripted.ts";
import { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import { command } from "./command.testing.ts";
import { Place } from "./warpfarm-process.ts";

const bytes = (n: number) => Buffer.from(`code of ${programOf(`p${n}`).digest}`);

it("a receipt is made, checked and measured again with the commands alone", async () => {
  const place = new Place();
  onTestFinished(() => place[Symbol.dispose]());
  const run = (...argv: string[]) => command(place, argv);
  const made = await run("keys", "rotate", "--file", "key");
  expect([made.code, made.stdout, statSync(place.path("key")).mode & 0o777]).toEqual([
    0,
    expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
    0o600,
  ]);
  const store = await freshStore();
  await using tracker = await testTracker(store, { receiptKey: place.path("key") });
  const address = `127.0.0.1:${tracker.grpcPort}`;
  const there = ["--tracker", address];
  /** What the runner tells of the next measurements. */
  const now: { seconds: number; more: Partial<MeasureResult> } = { seconds: 1, more: {} };
  const workers = [
    builder(address).start(),
    runner(address, 1, ({ job }) => {
      if (job.kind !== "run") throw new Error("not a run");
      return {
        kind: "run",
        result: { ...timedResult(now.seconds, cpu(1), job.artifact), checked: false, ...now.more } as MeasureResult,
      };
    }).start(),
  ];
  const client = new ScriptedClient(address);
  onTestFinished(async () => {
    await client.close();
    for (const worker of workers) await worker.kill();
  });
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

  const id = records[0]?.id ?? "";
  const written = await run("records", "receipt", id, "-o", "r.intoto.jsonl", ...there);
  expect([written.code, written.stdout]).toEqual([0, expect.stringContaining("r.intoto.jsonl is the receipt of")]);
  const unknown = await run("records", "receipt", "nobody/1", "-o", "x", ...there);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('none of your records is "nobody/1"')]);
  const keys = await run("keys", ...there);
  expect(keys.stdout).toContain("signs receipts now\n-----BEGIN PUBLIC KEY-----");
  writeFileSync(place.path("farm.pem"), keys.stdout);
  writeFileSync(place.path("k.so"), bytes(1));
  writeFileSync(place.path("other.so"), bytes(2));
  const verify = (...argv: string[]) => run("verify", "r.intoto.jsonl", "--key", "farm.pem", ...argv);

  const checked = await verify("k.so", "--json");
  expect([checked.code, checked.stderr]).toEqual([0, ""]);
  expect(JSON.parse(checked.stdout)).toMatchObject({
    ...{ outcome: "WARNED", sessions: 5, claim_verified: false, device: { key: "cpu/x86-64-v3", name: "A CPU" } },
    prediction: { level: 0.99, low: expect.any(Number), high: expect.any(Number) },
    subjects: { program: programOf("p1").digest },
  });
  const { low, high } = JSON.parse(checked.stdout).prediction;
  const refused = await verify("other.so");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("r.intoto.jsonl is not about other.so")]);

  // Each stands for what a reader elsewhere may find.
  const replays: readonly (readonly [what: string, seconds: number, more: Partial<MeasureResult>, code: number, says: RegExp])[] =
    [
      ["the same", (low + high) / 2, {}, 0, /replay +inside the prediction: 1\.00\d s\n/],
      ["its lower end", low, {}, 0, /inside/],
      ["its upper end", high, {}, 0, /inside/],
      ["slower", high * 1.0001, {}, 4, /replay +outside the prediction/],
      ["faster", low * 0.9999, {}, 4, /outside/],
      ["outputs compared", 1.002, { checked: true } as never, 2, /not comparable: its outputs were not compared/],
    ];
  for (const [, seconds, more, code, says] of replays) {
    Object.assign(now, { seconds, more });
    const again = await verify("--replay", ...there);
    expect([again.code, again.stdout]).toEqual([code, expect.stringMatching(says)]);
  }
  now.more = { kind: "failed", errorNo: 4, message: "it crashed" } as never;
  const failed = await verify("--replay", ...there);
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/the replay failed: RUNTIME_DEVICE: it crashed/)]);
  // Replays leave no records.
  expect((await client.tracker.records.query({})).records).toHaveLength(5);

  await run("records", "receipt", id, "-o", "closed.intoto.jsonl", "--no-source", ...there);
  expect(readFileSync(place.path("closed.intoto.jsonl"), "utf8").length).toBeLessThan(
    readFileSync(place.path("r.intoto.jsonl"), "utf8").length,
  );
  const closed = await run("verify", "closed.intoto.jsonl", "--key", "farm.pem", "--replay", ...there);
  expect([closed.code, closed.stdout]).toEqual([2, expect.stringContaining("not comparable: it has no source")]);
  await workers[1]?.kill();
  const [runnerElsewhere] = [runner(address, 2, undefined, { model: "Another CPU", node: "n2" }).start()];
  workers.push(runnerElsewhere);
  await until(
    async () => (await client.tracker.farm.listNodes()).nodes.some(({ node, state }) => node === "n2" && state === "ACTIVE"),
    "n2",
  );
  await store.query("update workers set lost = true where node <> 'n2' and role = 'runner'");
  const elsewhere = await verify("--replay", "--json", ...there);
  expect([elsewhere.code, JSON.parse(elsewhere.stdout).replay.verdict]).toEqual([2, "not comparable"]);

  const text = readFileSync(place.path("r.intoto.jsonl"), "utf8");
  const bad: readonly (readonly [file: string, text: string, key: string, code: number, says: RegExp])[] = [
    ["none", "", "farm.pem", 2, /none is no receipt: it is empty/],
    ["text", "hello", "farm.pem", 2, /text is no receipt: line 1 is no DSSE envelope/],
    [
      "changed",
      text.replace(/"sig":"...../, '"sig":"AAAAA'),
      "farm.pem",
      1,
      /changed proves nothing: no key of --key signed line 1/,
    ],
    ["right", text, "key", 2, /--key key holds no public key in PEM; warpfarm keys prints/],
    ["right", text, "gone.pem", 2, /gone\.pem/],
  ];
  await run("keys", "rotate", "--file", "other");
  const others = await run("keys", "rotate", "--file", "others");
  writeFileSync(place.path("others.pem"), others.stdout);
  for (const [file, content, key, code, says] of [
    ...bad,
    ["right", text, "others.pem", 1, /no key of --key signed/],
  ] as typeof bad) {
    writeFileSync(place.path(file), content);
    const said = await run("verify", file, "--key", key);
    expect([said.code, said.stderr]).toEqual([code, expect.stringMatching(says)]);
  }
  // Who rotates takes no receipt from anybody.
  await run("keys", "rotate", "--file", "key");
  const after = await run("keys", ...there);
  expect(after.stdout.match(/BEGIN PUBLIC KEY/g)).toHaveLength(2);
  expect(after.stdout).toMatch(/signs receipts now[\s\S]*, until 2/);
  writeFileSync(place.path("farm.pem"), after.stdout);
  expect((await verify()).code).toBe(0);
}, 120_000);
