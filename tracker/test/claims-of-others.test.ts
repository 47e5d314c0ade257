/** What one client says of its programs, and what another one reads of it, over real loopback gRPC. */
import { defined } from "@warpfarm/common";
import type { TuningRecord } from "@warpfarm/records";
import { expect, it } from "vitest";
import { doorsOf } from "../../test-support/farm/claims.ts";
import { useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, cpu, programOf, runner, target, timed } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import type { Told } from "../../test-support/farm/told.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();
const task = "matmul_derived";
const args = [512, 512, 512];
const provenance: Told = { task, args, tuner: "auto" };
const configOf = (i: number) => JSON.stringify([["tile", "sp", [-1, i]]]);
const secondsOf: Answer = (given) => timed(given, 5.3e-8);
const wrong: Answer = () => ({
  kind: "run",
  result: {
    kind: "failed",
    errorNo: 5,
    rule: "check.wrong",
    message: "another answer",
    ...{ buildMs: 0, runMs: 1, timestampMs: Date.now(), attempt: 1, toolchain: "cc 13", device: cpu(1) },
  },
});

async function clients(answer: Answer) {
  const doors = doorsOf(["client ada", "client bob", "admin root", "builder b", "runner r"]);
  const { address, start, client, store } = await farm({ doors, limits: { verifyPerSecond: 0 } }); // all claims wait
  start(builder(address, undefined, 4, "token-of-b"));
  start(runner(address, 1, answer, { token: "token-of-r" }));
  const [ada, bob, root] = ["token-of-ada", "token-of-bob", "token-of-root"].map(client) as [
    ScriptedClient,
    ScriptedClient,
    ScriptedClient,
  ];
  return { ada, bob, root, store };
}

/** What its sender calls the reference. */
const copy = { kind: "program", program: programOf("a copy of 8 elements") } as const;

async function measures(client: ScriptedClient, programs: number): Promise<void> {
  await client.open({ check: "reference" }, { keep: "shared", provenance });
  client.stream();
  for (let i = 1; i <= programs; i++) {
    const program = { kind: "program", program: programOf(`of ${i}`) } as const;
    client.raw({ kind: "input", sequence: i, program, reference: copy, proposal: { config: configOf(i), trial: i, told: 0 } });
  }
  await until(() => client.results.size === programs, "results");
  await until(async () => (await client.tracker.records.query({ task })).records.length === programs, "records");
}

it("a program under another's name is nobody's best but its sender's, and others are told that it waits", async () => {
  const { ada, bob, root } = await clients(secondsOf);
  await measures(bob, 2);
  expect(await bob.tracker.records.best({ task, args, unchecked: true })).toMatchObject([{ record: { standing: "unverified" } }]);
  for (const { tracker } of [ada, root]) {
    const waiting: number[] = [];
    const o = { waiting: (records: number) => void waiting.push(records) };
    expect(await tracker.records.best({ task, args, unchecked: true, origin: "any" }, o)).toEqual([]);
    expect((await tracker.records.query({ task, believed: true, order: "fastest" }, o)).records).toEqual([]);
    expect(waiting).toEqual([2, 2]);
  }
  const waiting: number[] = [];
  const exported: TuningRecord[] = [];
  for await (const each of ada.tracker.records.export({ task }, { waiting: (n) => void waiting.push(n) })) exported.push(each);
  expect([exported, waiting]).toEqual([[], [2]]);
});

it("failures of programs that were compared with something else are nobody's but their sender's", async () => {
  const { ada, bob } = await clients(wrong);
  await measures(bob, 3);
  const failures = { task, args, outcome: "failed", believed: true } as const;
  expect((await bob.tracker.records.query(failures)).records.map(({ standing }) => standing)).toEqual(
    Array(3).fill("unverified"),
  );
  const waiting: number[] = [];
  expect((await ada.tracker.records.query(failures, { waiting: (n) => void waiting.push(n) })).records).toEqual([]);
  expect(waiting).toEqual([3]);
});

it("an import has its own id, whatever others imported before, and is told where a record has another content", async () => {
  const { ada, bob, store } = await clients(secondsOf);
  const result = (seconds: number) => ({ kind: "timed", costs: [seconds] }) as const;
  const origin = { kind: "imported", by: "", format: "csv" } as const;
  const id = `csv/sha256:${"1".repeat(64)}`;
  const honest: TuningRecord = { id, origin, task, args, target, result: result(1), timestampMs: 1 };
  const lies = [1e-15, 1].map((seconds) => ({ ...honest, result: result(seconds) }));
  expect(await bob.tracker.records.append(lies)).toMatchObject({ added: 2 });
  expect(await ada.tracker.records.append([honest])).toEqual({ added: 1, existed: 0, conflicts: [] });
  const seen = (await ada.tracker.records.query({ task })).records;
  expect(seen.map((each) => each.result)).toEqual([honest.result]);
  expect(await ada.tracker.records.append([honest])).toEqual({ added: 0, existed: 1, conflicts: [] });
  // Somebody changed the row.
  await store.query("update records set doc = replace(doc, '\"timestamp_ms\":1', '\"timestamp_ms\":2') where id = $1", [
    (seen[0] as TuningRecord).id,
  ]);
  expect(await ada.tracker.records.append([honest])).toEqual({ added: 0, existed: 0, conflicts: [seen[0]?.id] });
  expect((await ada.tracker.records.query({ task, ...defined({ limit: 5 }) })).records).toMatchObject([{ timestampMs: 2 }]);
});
