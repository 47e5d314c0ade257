/** A suite of more tasks than may be open at once, on scripted devices: searches take turns, and no log shows it. */
import { getMaxListeners } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FarmError, systemClock } from "@warpfarm/common";
import { expect, onTestFinished, test } from "vitest";
import { plannedTask, suitePlan } from "../../../test-support/suite-plan.ts";
import { scriptedMeasurer } from "../measure/scripted.testing.ts";
import { MoreTrials } from "../search/more-trials.ts";
import { answer, isValid, optionsOf, space, specFor, taskOf } from "../search/session.testing.ts";
import { type TunableTask, tune } from "../search/session.ts";
import { openTuningLog } from "../search/tuning-log.ts";
import { type TunerName, tuners } from "../tuner/index.ts";
import type { PlannedTask } from "./plan.ts";
import { runSuite } from "./run-suite.ts";

const trials = 24;
/** Each task gets faster in its own steps, so that gains differ. */
const toy = (i: number): TunableTask => ({
  ...taskOf((index) => `program ${(index * (i + 1)) % 4096}`),
  args: [4096, i],
  flops: 1e9 * (1 + (i % 5)),
});

const tasksOf = (count: number, inFlight: number): readonly PlannedTask[] =>
  Array.from({ length: count }, (_, i) =>
    plannedTask(
      `t${i}`,
      "toy",
      { args: [i], in_flight: inFlight, budget: { trials, patience: trials } },
      { weight: 1 + (i % 3) },
    ),
  );

async function suiteOf(
  count: number,
  mostOpen: number,
  { inFlight = 1, tuner = "random" as TunerName, total = Infinity, added = {} as Readonly<Record<string, number>> } = {},
) {
  const dir = await mkdtemp(join(tmpdir(), "warpfarm-parking-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const tasks = tasksOf(count, inFlight);
  const landed: string[] = [];
  const configs = new Map<string, number[]>(tasks.map(({ id }) => [id, []]));
  const openings = new Map<string, number>();
  const defaults: string[] = [];
  const endedFor: string[] = [];
  let open = 0;
  let peak = 0;
  const measurer = scriptedMeasurer(answer, { width: inFlight });
  const end = await runSuite({
    plan: suitePlan({ name: "toys", tasks, budget: Number.isFinite(total) ? { trials: total } : {} }),
    ended: new Map(),
    begun: new Map(),
    mostOpen,
    capacity: () => 8,
    clock: systemClock,
    signal: new AbortController().signal,
    onEnded: async ({ id }, reason) => void endedFor.push(`${id} ${reason}`),
    open: async ({ id }, signal) => {
      // All searches listen on it, and Node would warn of the eleventh.
      expect(getMaxListeners(signal)).toBe(Number.POSITIVE_INFINITY);
      const task = toy(Number(id.slice(1)));
      const before = openings.get(id) ?? 0;
      openings.set(id, before + 1);
      peak = Math.max(peak, ++open);
      const log = await openTuningLog(join(dir, `${id}.jsonl`), { spec: specFor(task, tuner), resume: before > 0 });
      const search = { name: tuner, seed: 5, tuner: tuners[tuner]({ space, seed: 5, isValid }) };
      return {
        flops: task.flops,
        trials: log.trials,
        defaultSeconds: log.defaultResult ? 1 : undefined,
        async *events(pace) {
          const more = new MoreTrials();
          if (before > 0) more.set(added[id] ?? 0);
          const options = { task, tuner: search, log, measurer, trials, more, inFlight, pace, signal };
          for await (const event of tune(optionsOf(options))) {
            if (event.kind === "resumed") expect(event.diverged).toBe(0);
            if (event.kind === "default") defaults.push(id);
            if (event.kind === "trial") {
              landed.push(id);
              more.set(added[id] ?? 0);
              pace.gave(added[id] ?? 0);
              configs.get(id)?.push(event.trial.config.index);
            }
            yield event;
          }
        },
        async [Symbol.asyncDispose]() {
          await log[Symbol.asyncDispose]();
          open--;
        },
      };
    },
  });
  return { end, landed, configs, openings, defaults, endedFor, peak, open };
}

const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0);

// A tuner that plans from its results proposes the same only if it gets the same results in the same order.
test.each([
  ["random", 8],
  ["ga", 8],
  ["xgb", 4],
  ["auto", 4],
] as const)("%s: tasks that are parked again and again are searched as if all had been open at once", async (tuner, count) => {
  const mostOpen = count > 6 ? 4 : 2;
  const parking = await suiteOf(count, mostOpen, { tuner });
  const whole = await suiteOf(count, count, { tuner });
  expect(parking.configs).toEqual(whole.configs);
  expect(parking.landed.length).toBe(count * trials);
  expect([parking.peak, parking.open, whole.peak]).toEqual([mostOpen, 0, count]);
  // How often they were parked depends on how long turns take.
  expect(sum(parking.openings.values())).toBeGreaterThan(count);
  expect(sum(whole.openings.values())).toBe(count);
  // No default schedule is timed twice, and each task ends once.
  expect(new Set(parking.defaults).size).toBe(parking.defaults.length);
  expect(parking.endedFor.toSorted()).toEqual(whole.endedFor.toSorted());
  expect(parking.end.reason).toBe("done");
});

test("with many in flight nothing is lost or measured twice", async () => {
  const { configs } = await suiteOf(10, 3, { inFlight: 6 });
  expect(configs.size).toBe(10);
  for (const [id, indices] of configs) expect([id, new Set(indices).size, indices.length]).toEqual([id, trials, trials]);
});

test("every task has its first trials before any has more than two turns", async () => {
  const { landed } = await suiteOf(30, 4, { total: 300 });
  const of = new Map<string, number>();
  let most = 0;
  for (const id of landed) {
    of.set(id, (of.get(id) ?? 0) + 1);
    most = Math.max(most, of.get(id) as number);
    if (of.size === 30) break;
  }
  expect(of.size).toBe(30);
  expect(most).toBeLessThanOrEqual(16);
});

test("a budget that is spent opens what is parked once more, to end in order", async () => {
  const { end, endedFor, landed, peak } = await suiteOf(20, 3, { total: 240 });
  expect([end.reason, landed.length, peak]).toEqual(["budget", 240, 3]);
  expect(new Set(endedFor.map((each) => each.split(" ")[0])).size).toBe(20);
  expect(endedFor.length).toBe(20);
  expect(endedFor.filter((each) => each.endsWith(" budget")).length).toBeGreaterThan(10);
});

test("a task that fails and whose end cannot be written ends the suite with that error, after the others have ended", async () => {
  const signals: AbortSignal[] = [];
  let closed = 0;
  const run = runSuite({
    plan: suitePlan({ tasks: tasksOf(3, 1) }),
    ...{ ended: new Map(), begun: new Map(), capacity: () => 8, clock: systemClock, signal: new AbortController().signal },
    onEnded: async () => {
      throw new FarmError("UNAVAILABLE", "the end cannot be written");
    },
    open: async ({ id }, signal) => {
      if (id === "t1") throw new FarmError("INVALID_ARGUMENT", "no such kernel");
      signals.push(signal);
      const over = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return {
        ...{ flops: 1, trials: [], defaultSeconds: undefined },
        // biome-ignore lint/correctness/useYield: it waits for ever
        async *events() {
          await over;
        },
        async [Symbol.asyncDispose]() {
          closed++;
        },
      };
    },
  });
  await expect(run).rejects.toThrow("the end cannot be written");
  expect([signals.map(({ aborted }) => aborted), closed]).toEqual([[true, true], 2]);
});

test("a search keeps the trials that it was given through parking, and nobody else has them", async () => {
  const { end, configs, openings } = await suiteOf(3, 1, { added: { t1: 10 } });
  expect(end.reason).toBe("done");
  expect([...configs].map(([id, found]) => [id, found.length])).toEqual([
    ["t0", trials],
    ["t1", trials + 10],
    ["t2", trials],
  ]);
  expect(openings.get("t1")).toBeGreaterThan(1);
});
