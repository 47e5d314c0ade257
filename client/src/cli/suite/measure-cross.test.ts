/**
 * `suite table --measure` and `suite report --measure`: which pairs of a winner and a shape are measured, several shapes at a
 * time, and what is kept of them.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FarmError, type MeasureResult, medianSeconds, systemClock } from "@warpfarm/common";
import { type ConfigIndex, configNamed, configToJson } from "@warpfarm/compiler/language";
import { crossTimes, nameOfConfig, type TaskResults } from "@warpfarm/records/suites";
import { createTask } from "@warpfarm/templates";
import { expect, it, onTestFinished } from "vitest";
import { plannedTask, suitePlan } from "../../../../test-support/suite-plan.ts";
import { until } from "../../../../test-support/until.ts";
import { FakeTracker } from "../../measure/fake-tracker.testing.ts";
import { timedResult } from "../../measure/scripted.testing.ts";
import { SuiteDirectory } from "../../suite/directory.ts";
import type { PlannedTask } from "../../suite/plan.ts";
import { measureCross, pairsOfTables } from "./measure-cross.ts";
import type { ReadSuite } from "./report.ts";
import { Sources } from "./sources.ts";

const key = "cuda/sm_90";
const template = "conv2d_nchw_gemm";
/** More than are measured at the same time. */
const arguments_ = [4, 8, 12, 16, 20, 24, 28, 32, 40, 64].map((channels) => [1, 8, 8, 16, channels, 1, 1, [1, 1], [0, 0]]);
const tasks = arguments_.map((args, i) => plannedTask(`t${i}`, template, { args, key }));
const spaces = arguments_.map((args) => createTask(template, args, key).space);

/** Each shape's winner is another config. That of the last splits a sum that is too short at the others. */
const winners = spaces.map((space, i) => {
  const splits = i === arguments_.length - 1 ? 2 : 1;
  const all = Array.from({ length: 64 }, (_, n) => space.toIndex(space.valid.nth(Math.floor((space.valid.count * n) / 64))));
  const fitting = all.filter((index) => space.get(index).values.get("splits") === splits);
  return configToJson(space, space.get(fitting[i] as ConfigIndex));
});

/** A suite whose searches found these winners, and a farm that answers with `execute`. */
async function opened(execute: (done: number) => MeasureResult | Promise<MeasureResult>) {
  const folder = await mkdtemp(join(tmpdir(), "warpfarm-cross-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  let done = 0;
  const tracker = new FakeTracker({ execute: () => execute(++done) });
  await using _closed = await tracker.start();
  onTestFinished(() => tracker[Symbol.asyncDispose]());
  const directory = new SuiteDirectory(join(folder, "suite"));
  await directory.create(suitePlan({ name: "s", tasks }));
  const results = tasks.map((task, i) => {
    const config = winners[i] as (typeof winners)[number];
    const best = { config: config.entity, seconds: 1e-3 };
    return { task, best, timeOf: new Map([[nameOfConfig(config.entity), best.seconds]]) } as unknown as TaskResults<PlannedTask>;
  });
  const said: string[] = [];
  const context = { stderr: { write: (text: string) => said.push(text) }, clock: systemClock, cwd: folder } as never;
  const device = { key, labels: {}, memoryBytes: 80e9, limits: { name: "H100" } };
  const farm = {
    channel: { address: tracker.address },
    devices: [device],
    keys: [key],
    signal: new AbortController().signal,
  } as never;
  const file = join(directory.path, "cross.jsonl");
  const kept = async () =>
    (await readFile(file, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { task: string; config: string; seconds: number | null });
  const measure = async (known: Awaited<ReturnType<typeof kept>> = []) => {
    const suite: ReadSuite = { directory, results, times: crossTimes(results, known) };
    return measureCross(context, farm, suite, new Sources(folder), pairsOfTables(suite, 8));
  };
  return { tracker, measure, kept, said };
}

const pairs = tasks.flatMap((task, i) =>
  winners.flatMap((config, j) => (i === j ? [] : [{ task: task.id, config: nameOfConfig(config.entity) }])),
);
const order = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
const named = (lines: readonly { task: string; config: string }[]) =>
  lines.map(({ task, config }) => ({ task, config })).sort(order);

it("measures each winner on each other shape, the shapes at the same time; a config that a shape has not does not run", async () => {
  let together = 0;
  const { tracker, measure, kept, said } = await opened(async () => {
    await until(() => together > 0 || tracker.sessions >= 8, "eight sessions");
    // What was open before the first result.
    together ||= tracker.sessions;
    return timedResult(2);
  });
  const { times } = await measure();
  expect(together).toBe(8);
  expect(named(await kept())).toEqual(named(pairs));
  const seconds = medianSeconds((timedResult(2) as Extract<MeasureResult, { kind: "timed" }>).costs);
  for (const { task, config, seconds: found } of await kept()) {
    const space = spaces[Number(task.slice(1))];
    expect(found).toBe(configNamed(space as never, JSON.parse(config)).ok ? seconds : null);
    expect(times.get(task)?.get(config)).toBe(found);
  }
  expect((await kept()).filter(({ seconds: found }) => found === null)).toHaveLength(arguments_.length - 1);
  expect(said[0]).toBe("90 pairs of a winner and a shape to measure\n");
});

it("ends with the first error, and the next call measures what is left", async () => {
  let isDown = true;
  const { tracker, measure, kept } = await opened((done) => {
    if (isDown && done === 2) throw new FarmError("FAILED_PRECONDITION", "the farm is gone");
    return timedResult(done);
  });
  await expect(measure()).rejects.toThrow("the farm is gone");
  // The shapes that had not begun do not.
  expect(tracker.sessions).toBe(8);
  const before = await kept();
  expect(before.length).toBeLessThan(pairs.length);
  isDown = false;
  await measure(before);
  expect(named(await kept())).toEqual(named(pairs));
  expect((await kept()).slice(0, before.length)).toEqual(before);
});
