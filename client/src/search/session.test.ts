import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { err, FarmError, ManualClock, type MeasureInput, type MeasureResult } from "@warpfarm/common";
import { type ConfigIndex, SpaceBuilder } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import type { Measurer } from "../measure/measurer.ts";
import { failedResult, scriptedMeasurer, timedResult } from "../measure/scripted.testing.ts";
import { tuners } from "../tuner/index.ts";
import type { Tuner } from "../tuner/tuner.ts";
import { MoreTrials } from "./more-trials.ts";
import {
  answer,
  bestByRule,
  collect,
  indexOf,
  isValid,
  optionsOf,
  programOf,
  space,
  specFor,
  summaryOf,
  taskOf,
  textOf,
  trialsOf,
} from "./session.testing.ts";
import { type TunableTask, type TuneOptions, tune } from "./session.ts";
import type { TuneEvent } from "./tune-events.ts";
import { openTuningLog } from "./tuning-log.ts";

describe("a run", () => {
  it.each([
    "random",
    "grid",
    "ga",
  ] as const)("of %s measures the default first, then every trial once, results in any order", async (name) => {
    const measurer = scriptedMeasurer(answer, { seed: 3, width: 6 });
    const events = await collect(optionsOf({ name, measurer }));
    expect(textOf(measurer.inputs[0] as MeasureInput)).toBe("default");
    expect(measurer.inputs.slice(1).map(textOf)).not.toContain("default");
    expect(measurer.inputs.every((i) => i.reference?.digest === programOf("default").digest)).toBe(true);
    const trials = trialsOf(events);
    expect(trials.map((t) => t.trial.sequence).sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(new Set(trials.map((t) => t.trial.config.index)).size).toBe(40);
    for (const { trial } of trials) expect(isValid(space.toIndex(trial.config.index))).toBe(true);
    expect(trials.map((t) => t.done)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    const summary = summaryOf(events);
    const best = bestByRule(trials);
    expect(summary).toMatchObject({
      reason: "trials",
      trials: 40,
      measured: 40,
      best: { seconds: best },
      default: { score: { seconds: 1, gflops: 2 } },
    });
    const failures = trials.filter((t) => t.trial.config.index % 7 === 0).length;
    expect(summary.errors).toEqual({ NO_ERROR: 40 - failures, ...(failures > 0 ? { RUNTIME_DEVICE: failures } : {}) });
  });

  it("goes on with trials that are added while something is outstanding, the last one too", async () => {
    for (const at of [1, 39, 40]) {
      const more = new MoreTrials();
      let done = 0;
      const measurer: Measurer = {
        async *measure(inputs, options) {
          for await (const record of scriptedMeasurer(answer).measure(inputs, options)) {
            if (record.sequence > 0 && ++done === at) more.set(25);
            yield record;
          }
        },
      };
      const events = await collect(optionsOf({ measurer, more }));
      expect([at, trialsOf(events).length, summaryOf(events).reason]).toEqual([at, 65, "trials"]);
    }
    expect(trialsOf(await collect(optionsOf({ more: new MoreTrials() })))).toHaveLength(40);
  });

  it("begins with added trials at once, and does not wait for the next result", async () => {
    const more = new MoreTrials();
    let taken = 0;
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const measurer: Measurer = {
      async *measure(inputs, options) {
        const all = async function* () {
          for await (const input of inputs) {
            if (++taken === 3) more.set(1); // the default and both trials
            if (taken === 4) release?.();
            yield input;
          }
        };
        for await (const record of scriptedMeasurer(answer).measure(all(), options)) {
          await held;
          yield record;
        }
      },
    };
    expect(trialsOf(await collect(optionsOf({ measurer, more, trials: 2 })))).toHaveLength(3);
  });

  it("keeps inFlight configs outstanding, never more", async () => {
    const measurer = scriptedMeasurer(answer, { width: 100 });
    await collect(optionsOf({ measurer, inFlight: 8 }));
    expect(measurer.peak).toBeGreaterThanOrEqual(8);
    expect(measurer.peak).toBeLessThanOrEqual(9); // the default schedule beside them
  });

  it("has no more outstanding than the tuner wants, and asks again after a result", async () => {
    const inner = tuners.random({ space, seed: 1, isValid });
    let told = 0;
    const slow: Tuner = {
      ask: (n) => inner.ask(n),
      tell: (pairs) => {
        told += pairs.length;
        inner.tell(pairs);
      },
      get exhausted() {
        return inner.exhausted;
      },
      get mostOutstanding() {
        return 1 + told;
      },
    };
    const options = optionsOf({ measurer: scriptedMeasurer(answer, { width: 100 }), inFlight: 8 });
    const trials = trialsOf(await collect({ ...options, tuner: { name: "random", seed: 1, tuner: slow } }));
    expect(trials).toHaveLength(40);
    // Of those asked before a trial, its told ones are over, and no more than that number were in flight beside it.
    for (const { trial } of trials) expect(trial.sequence - 1 - trial.told).toBeLessThanOrEqual(trial.told);
    expect(Math.max(...trials.map(({ trial }) => trial.sequence - trial.told))).toBe(8);
  });

  it("ends when the space is exhausted", async () => {
    const small = new SpaceBuilder();
    small.choice("a", [1, 2, 3]);
    const three = small.build();
    const task = { ...taskOf(), space: three };
    const tuner = { name: "grid", seed: 0, tuner: tuners.grid({ space: three, seed: 0, isValid: (i) => i !== 1 }) };
    const events = await collect(optionsOf({ task, tuner }));
    expect(summaryOf(events)).toMatchObject({ reason: "exhausted", trials: 2 });
    const none = { name: "grid", seed: 0, tuner: tuners.grid({ space: three, seed: 0, isValid: () => false }) };
    expect(summaryOf(await collect(optionsOf({ task, tuner: none })))).toMatchObject({ reason: "exhausted", trials: 0 });
  });

  it("ends by its stop rules: no better result for a time, or too much device time", async () => {
    const alike = scriptedMeasurer(() => timedResult(0.5), { width: 1 });
    const patient = await collect(optionsOf({ name: "grid", measurer: alike, inFlight: 1, stop: { patience: 6 } }));
    // The first is the best, and six more do not improve on it.
    expect(summaryOf(patient)).toMatchObject({ reason: "patience", trials: 7 });
    const never = optionsOf({ name: "grid", measurer: scriptedMeasurer(answer, { width: 6 }), stop: { patience: 1000 } });
    expect(summaryOf(await collect(never))).toMatchObject({ reason: "trials", trials: 40 });
    const busy = optionsOf({
      name: "random",
      inFlight: 4,
      stop: { deviceSeconds: 1e-9 },
      measurer: scriptedMeasurer(answer, { width: 4 }),
    });
    const end = summaryOf(await collect(busy));
    expect(end.reason).toBe("device_seconds");
    // What was in flight still counts.
    expect(end.trials).toBeGreaterThanOrEqual(1);
    expect(end.trials).toBeLessThan(40);
  });

  it("ends when 80 results have brought less than was asked for, whatever came before the first valid one", async () => {
    const endAt = async (until: number, seconds: (nth: number) => number | undefined) => {
      let nth = 0;
      const reply = (input: MeasureInput) => {
        const time = textOf(input) === "default" ? 1 : seconds(nth++);
        return time === undefined ? failedResult(4) : timedResult(time);
      };
      const measurer = scriptedMeasurer(reply, { width: 1 });
      const { reason, trials } = summaryOf(await collect(optionsOf({ measurer, inFlight: 1, stop: { until }, trials: 150 })));
      return { reason, trials };
    };
    // The tenth is twice as fast as all others.
    const tenth = (nth: number) => (nth === 9 ? 0.5 : 1);
    expect(await endAt(0.9, tenth)).toEqual({ reason: "until", trials: 90 });
    expect(await endAt(0.5, tenth)).toEqual({ reason: "until", trials: 81 });
    expect(await endAt(0.9, (nth) => (nth < 20 ? undefined : 1))).toEqual({ reason: "until", trials: 101 });
    expect(await endAt(0.99, (nth) => 0.9998 ** nth)).toEqual({ reason: "trials", trials: 150 });
  });

  it("counts every rule's budget exactly when one config is in flight", async () => {
    const serial = (reply: (input: MeasureInput) => MeasureResult) => ({
      measurer: scriptedMeasurer(reply, { width: 1 }),
      inFlight: 1,
    });
    const clock = new ManualClock();
    const within = async (stop: TuneOptions["stop"], reply: (input: MeasureInput) => MeasureResult = answer) => {
      const { reason, trials } = summaryOf(await collect(optionsOf({ ...serial(reply), ...(stop ? { stop } : {}), clock })));
      return { reason, trials };
    };
    // A scripted run takes 2 ms of the device.
    expect(await within({ deviceSeconds: 0.009 })).toEqual({ reason: "device_seconds", trials: 5 });
    // Without a valid result patience counts from the first trial (AutoTVM's early_stopping).
    expect(await within({ patience: 6 }, () => failedResult(4))).toEqual({ reason: "patience", trials: 6 });
    const slow = (input: MeasureInput) => {
      clock.advance(textOf(input) === "default" ? 0 : 1500);
      return answer(input);
    };
    expect(await within({ wallSeconds: 4 }, slow)).toEqual({ reason: "wall_seconds", trials: 3 });
    expect(await within({ patience: 40, deviceSeconds: 1, wallSeconds: 1e6 })).toEqual({ reason: "trials", trials: 40 });
  });

  it("answers equal programs from the first and measures them once", async () => {
    const measurer = scriptedMeasurer(answer, { seed: 1 });
    const task = taskOf((i) => `program ${i - (i % 5)}`);
    const events = await collect(optionsOf({ task, measurer, trials: 200, name: "grid" }));
    const digests = measurer.inputs.map((i) => i.program.digest);
    expect(new Set(digests).size).toBe(digests.length);
    const trials = trialsOf(events);
    expect(trials).toHaveLength(200);
    const bySequence = new Map(trials.map((t) => [t.trial.sequence, t.trial]));
    for (const { trial } of trials) {
      if (trial.duplicateOf === undefined) continue;
      expect(trial.result).toEqual(bySequence.get(trial.duplicateOf)?.result);
      expect(trial.program).toBe(bySequence.get(trial.duplicateOf)?.program);
    }
    expect(summaryOf(events).measured).toBe(digests.length - 1);
  });

  it("of equal programs one takes device time, and the second best is another program", async () => {
    // Each program is proposed five times, the first ones fastest; a scripted run takes 2 ms of the device.
    const task = taskOf((i) => `program ${i - (i % 5)}`);
    const reply = (input: MeasureInput) => timedResult(textOf(input) === "default" ? 1 : 0.1 + indexOf(input) / 1000);
    const serial = { task, measurer: scriptedMeasurer(reply, { width: 1 }), inFlight: 1, name: "grid" } as const;
    const events = await collect(optionsOf({ ...serial, stop: { deviceSeconds: 0.005 } }));
    const summary = summaryOf(events);
    expect(summary).toMatchObject({ reason: "device_seconds", measured: 3 });
    expect(summary.trials).toBeGreaterThan(6);
    const seconds = [...new Set(trialsOf(events).flatMap(({ score }) => (score ? [score.seconds] : [])))].sort((a, b) => a - b);
    expect([summary.best?.seconds, summary.runnerUp?.seconds]).toEqual(seconds.slice(0, 2));
    expect(summary.runnerUp?.trial.program).not.toBe(summary.best?.trial.program);
  });

  it("records a config that does not instantiate as INSTANTIATION_ERROR, without measuring it", async () => {
    const base = taskOf();
    const task: TunableTask = {
      ...base,
      instantiate: (index) => (index % 2 === 0 ? err({ rule: "split.cover", message: "no" }) : base.instantiate(index)),
    };
    const measurer = scriptedMeasurer(answer);
    const events = await collect(optionsOf({ task, measurer, name: "grid", trials: 30 }));
    for (const { trial } of trialsOf(events)) {
      if (trial.config.index % 2 === 0) expect(trial.result).toMatchObject({ kind: "failed", errorNo: 1, rule: "split.cover" });
    }
    expect(summaryOf(events).errors.INSTANTIATION_ERROR).toBeGreaterThan(5);
    expect(measurer.inputs.slice(1).every((i) => indexOf(i) % 2 === 1)).toBe(true);
  });

  it("ends at once when the task itself cannot be measured, and keeps no such trial; a job that was given up is a trial", async () => {
    const refused = { ...failedResult(8, "its plain form fails: SIGFPE"), rule: "reference.SIGFPE" } as MeasureResult;
    const measurer = scriptedMeasurer((input) => (indexOf(input) % 2 === 0 ? refused : answer(input)));
    const directory = await mkdtemp(join(tmpdir(), "warpfarm-refused-"));
    const path = join(directory, "t.jsonl");
    const log = await openTuningLog(path, { spec: specFor(), resume: false });
    const run = collect(optionsOf({ measurer, log, trials: 1_000 }));
    await expect(run).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/^toy \[4096\] cannot be measured: its plain form fails: SIGFPE; correct /),
    });
    expect(measurer.inputs.length).toBeLessThan(100);
    await log[Symbol.asyncDispose]();
    expect(await readFile(path, "utf8")).not.toContain("SIGFPE");
    await rm(directory, { recursive: true });
    const givenUp = { ...failedResult(8, "given up"), rule: "farm.gave_up" } as MeasureResult;
    const events = await collect(optionsOf({ measurer: scriptedMeasurer(() => givenUp), trials: 5 }));
    expect(summaryOf(events)).toMatchObject({ trials: 5, errors: { UNKNOWN_ERROR: 5 } });
  });

  it("tells the tuner what failed by itself, and that the farm's own failures say nothing", async () => {
    const told = new Map<ConfigIndex, string>();
    const inner = tuners.grid({ space, seed: 5, isValid });
    const tuner: Tuner = {
      ask: (n) => inner.ask(n),
      tell(pairs) {
        for (const { index, outcome } of pairs) told.set(index, outcome.kind);
        inner.tell(pairs);
      },
      get exhausted() {
        return inner.exhausted;
      },
    };
    const verdicts = [timedResult(0.5), failedResult(8), failedResult(4)];
    const kinds = ["timed", "skipped", "failed"];
    const measurer = scriptedMeasurer((input) =>
      textOf(input) === "default" ? timedResult(1) : (verdicts[indexOf(input) % 3] as MeasureResult),
    );
    await collect(optionsOf({ measurer, tuner: { name: "grid", seed: 5, tuner } }));
    expect(told.size).toBe(40);
    for (const [index, kind] of told) expect([index, kind]).toEqual([index, kinds[index % 3]]);
  });

  it("says how trials failed, the most frequent first with its first message, and which program comes second", async () => {
    const measurer = scriptedMeasurer(
      (input) => {
        if (textOf(input) === "default") return timedResult(1);
        const index = indexOf(input);
        if (index % 7 === 0) return failedResult(4, `crash of ${index}`);
        return index % 3 === 0 ? { ...failedResult(3, `wrong ${index}`), rule: "check.x" } : timedResult(0.1 + index / 1000);
      },
      { width: 1 },
    );
    const events = await collect(optionsOf({ measurer, name: "grid" }));
    const failed = trialsOf(events).map(({ trial }) => ({ index: trial.config.index, result: trial.result }));
    const of = (rule: string | undefined) =>
      failed.flatMap(({ result }) => (result.kind === "failed" && result.rule === rule ? [result.message] : []));
    expect(summaryOf(events).failures).toEqual([
      { error: "COMPILE_DEVICE", rule: "check.x", count: of("check.x").length, message: of("check.x")[0] },
      { error: "RUNTIME_DEVICE", rule: undefined, count: of(undefined).length, message: of(undefined)[0] },
    ]);
    const best = bestByRule(trialsOf(events));
    const others = trialsOf(events).flatMap(({ score }) => (score && score.seconds !== best ? [score.seconds] : []));
    expect([summaryOf(events).best?.seconds, summaryOf(events).runnerUp?.seconds]).toEqual([best, Math.min(...others)]);
  });

  it("throws what the farm throws", async () => {
    const measurer = scriptedMeasurer(() => Promise.reject(new FarmError("UNAVAILABLE", "tracker away")));
    await expect(collect(optionsOf({ measurer }))).rejects.toThrow("tracker away");
  });

  it("stops on abort with a summary, and stops the measurer", async () => {
    const controller = new AbortController();
    let closed = false;
    const inner = scriptedMeasurer(answer);
    const measurer: Measurer = {
      async *measure(inputs, o) {
        try {
          yield* inner.measure(inputs, o);
        } finally {
          closed = true;
        }
      },
    };
    const events: TuneEvent[] = [];
    for await (const event of tune(optionsOf({ measurer, trials: 1000, signal: controller.signal }))) {
      events.push(event);
      if (trialsOf(events).length === 10) controller.abort(new Error("ctrl-C"));
    }
    expect(summaryOf(events)).toMatchObject({ reason: "aborted" });
    expect(trialsOf(events).length).toBeLessThan(30);
    expect(closed).toBe(true);
  });

  it.each([false, true])("closes the measurer's stream when the consumer leaves; with a pace: %s", async (hasPace) => {
    let closed = 0;
    const inner = scriptedMeasurer(answer);
    const measurer: Measurer = {
      async *measure(inputs, o) {
        try {
          yield* inner.measure(inputs, o);
        } finally {
          closed++;
        }
      },
    };
    const pace = {
      take: () => true,
      giveBack() {},
      isOver: false,
      isParked: false,
      gave() {},
      changed: () => new Promise<void>(() => {}),
    };
    const run = tune(optionsOf({ measurer, trials: 1000, ...(hasPace ? { pace } : {}) }));
    for await (const event of run) if (event.kind === "trial") break;
    expect(closed).toBe(1);
  });
});
