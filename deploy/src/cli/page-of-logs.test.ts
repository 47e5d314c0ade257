/** The page of log files shows programs, though logs have only their digests. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Json, systemClock, toArtifactDigest, toProgramDigest } from "@warpfarm/common";
import { configToJson } from "@warpfarm/compiler/language";
import { encodeTrial, type TrialRecord } from "@warpfarm/records/logs";
import { createTask } from "@warpfarm/templates";
import { expect, it, onTestFinished } from "vitest";
import { Place } from "../../test/warpfarm-process.ts";
import { servePageOfLogs } from "./page-of-logs.ts";

const viewer = { name: "local", isAdmin: true };
const none = `sha256:${"0".repeat(64)}`;

/** What the page has of a log's only trial. */
async function programShown(change: Partial<TrialRecord>): Promise<Json | undefined> {
  const task = createTask("matmul_derived", [8, 64, 12, "float32", "NN"], "cpu/x86-64-v3");
  const instance = task.instantiate(task.space.toIndex(5));
  if (!instance.ok) throw new Error(instance.error.message);
  const device = { key: "cpu/x86-64-v3", name: "A processor", uuid: "u", node: "n", driver: "" };
  const log = encodeTrial({
    run: { task: task.name, args: task.args, target: task.target, tuner: "random", seed: 1 },
    ...{ session: "s", sequence: 1, told: 0, program: instance.value.program.digest },
    // The index is of another edition of the space: the values are what counts.
    config: { ...configToJson(task.space, task.space.get(5)), index: 7 },
    options: {
      ...{ number: 0, repeat: 3, precision: 0, minRepeatMs: 20, buildTimeoutMs: 30_000, runTimeoutMs: 10_000, cooldownMs: 0 },
      ...{ l2: "warm", timer: "wall", check: "reference", inputs: "full", power: "burst" },
    },
    result: {
      ...{ kind: "timed", costs: [1e-5], number: 10, busyMs: 40, checked: true, device, observations: {} },
      ...{ artifact: toArtifactDigest(none), buildMs: 20, runMs: 30, attempt: 1, timestampMs: 1_700_000_000_000 },
    },
    ...change,
  } as TrialRecord);
  const place = new Place();
  onTestFinished(() => place[Symbol.dispose]());
  const path = join(place.directory, "a.jsonl");
  writeFileSync(path, `${log}\n`);
  const context = { stderr: process.stderr, clock: systemClock } as unknown as Parameters<typeof servePageOfLogs>[0];
  const { source, server } = await servePageOfLogs(context, { paths: [path], port: 0, version: "test" });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { records } = await source.records({}, viewer);
  const detail = await source.record(records[0]?.id ?? "", viewer);
  return detail?.program as Json | undefined;
}

it("shows the program of a template that comes with Warpfarm, found by the values of its knobs", async () => {
  expect(JSON.parse(String(await programShown({})))).toMatchObject({ kind: "schedule", target: "cpu/x86-64-v3" });
});

it.each<[string, Partial<TrialRecord>]>([
  ["a program with another digest", { program: toProgramDigest(none) }],
  [
    "a task that does not come with Warpfarm",
    { run: { task: "mine", args: [8], target: "cpu/x86-64-v3", tuner: "random", seed: 1 } },
  ],
  ["values that the space does not have", { config: { index: 5, code_hash: null, entity: [["tile", "ot", 3]] } }],
])("leaves out %s", async (_, change) => expect(await programShown(change)).toBeUndefined());
