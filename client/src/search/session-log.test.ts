import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SpaceBuilder } from "@warpfarm/compiler";
import { readLog } from "@warpfarm/records/logs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ScriptedMeasurer, scriptedMeasurer } from "../measure/scripted.testing.ts";
import { type TunerName, tuners } from "../tuner/index.ts";
import { MoreTrials } from "./more-trials.ts";
import { answer, collect, optionsOf, space, specFor, summaryOf, taskOf, textOf, trialsOf } from "./session.testing.ts";
import { type TuneOptions, tune } from "./session.ts";
import type { TuneEvent } from "./tune-events.ts";
import { openTuningLog, type TuningLog } from "./tuning-log.ts";

describe("a log", () => {
  let dir = "";
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "warpfarm-tune-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  const withLog = async (
    name: TunerName,
    resume: boolean,
    change: Partial<TuneOptions>,
    each: (event: TuneEvent, log: TuningLog) => Promise<boolean> | boolean = () => true,
  ) => {
    await using log = await openTuningLog(join(dir, "run.jsonl"), { spec: specFor(taskOf(), name), resume });
    const events: TuneEvent[] = [];
    for await (const event of tune(optionsOf({ name, log, ...change }))) {
      events.push(event);
      if (!(await each(event, log))) break;
    }
    return events;
  };
  const logged = async () =>
    readLog(await readFile(join(dir, "run.jsonl"), "utf8")).records.flatMap((r) => (r.kind === "warpfarm" ? [r.trial] : []));

  it("counts for the stop rules of the run that goes on with it", async () => {
    const serial = () => ({ measurer: scriptedMeasurer(answer, { width: 1 }), inFlight: 1 });
    await withLog("random", false, { ...serial(), trials: 4 });
    const events = await withLog("random", true, { ...serial(), trials: 40, stop: { deviceSeconds: 0.013 } });
    expect(summaryOf(events)).toMatchObject({ reason: "device_seconds", trials: 7, measured: 3 });
  });

  it("has a result before its event", async () => {
    let seen = 0;
    await withLog("random", false, {}, async (event) => {
      if (event.kind === "trial") {
        seen++;
        expect((await logged()).length).toBeGreaterThanOrEqual(seen);
        expect((await logged())[seen - 1]).toEqual(event.trial);
      }
      return true;
    });
    expect(seen).toBe(40);
  });

  // ga breeds only after 100; the others plan from the first results.
  it.each([
    ["random", [30, 60]],
    ["grid", [30, 60]],
    ["ga", [70, 140, 199, 260]],
    ["xgb", [10, 25, 49, 70]],
    ["auto", [10, 25, 36]],
  ] as const)("of %s resumes to the proposals of a run that was never cut", async (name, stops) => {
    const serial = () => scriptedMeasurer(answer, { width: 1 });
    const trials = Math.max(...stops);
    const whole = trialsOf(await collect(optionsOf({ name, measurer: serial(), trials, inFlight: 1 })));
    const measured: number[] = [];
    for (const [part, stopAt] of stops.entries()) {
      const measurer = serial();
      let done = 0;
      const events = await withLog(name, part > 0, { measurer, trials, inFlight: 1, session: `s-${part}` }, (event) => {
        if (event.kind === "trial") done = event.done;
        return done < stopAt || stopAt === trials;
      });
      expect(events.filter((e) => e.kind === "resumed")).toHaveLength(part > 0 ? 1 : 0);
      for (const e of events) if (e.kind === "resumed") expect(e.diverged).toBe(0);
      expect(measurer.inputs.filter((i) => textOf(i) === "default")).toHaveLength(part === 0 ? 1 : 0);
      measured.push(...trialsOf(events).map((t) => t.trial.config.index));
    }
    expect(measured).toEqual(whole.map((t) => t.trial.config.index));
    expect((await logged()).map((t) => t.sequence)).toEqual(whole.map((t) => t.trial.sequence));
  });

  it.each([
    "random",
    "grid",
    "ga",
  ] as const)("of %s, cut with many in flight, measures those and loses and repeats nothing", async (name) => {
    const executions = new Map<string, number>();
    const counting = (seed: number): ScriptedMeasurer => scriptedMeasurer(answer, { width: 16, seed });
    for (const [part, stopAt] of [37, 111, 163, 240].entries()) {
      let done = 0;
      const events = await withLog(name, part > 0, { measurer: counting(part), trials: 240, inFlight: 24 }, (event) => {
        if (event.kind === "trial") done = event.done;
        return done < stopAt || stopAt === 240;
      });
      for (const { trial } of trialsOf(events))
        executions.set(trial.program ?? "", (executions.get(trial.program ?? "") ?? 0) + 1);
      if (stopAt === 240) expect(summaryOf(events)).toMatchObject({ reason: "trials", trials: 240 });
      for (const e of events) if (e.kind === "resumed") expect(e.diverged).toBe(0);
    }
    const trials = await logged();
    expect(trials.map((t) => t.sequence).sort((a, b) => a - b)).toEqual(Array.from({ length: 240 }, (_, i) => i + 1));
    expect(new Set(trials.map((t) => t.config.index)).size).toBe(240);
    expect([...executions.values()].every((n) => n === 1)).toBe(true);
  });

  it("resumed after its end does nothing more", async () => {
    await withLog("random", false, {});
    const before = await readFile(join(dir, "run.jsonl"), "utf8");
    const measurer = scriptedMeasurer(answer);
    const events = await withLog("random", true, { measurer });
    expect(events.map((e) => e.kind)).toEqual(["resumed", "finished"]);
    expect(summaryOf(events)).toMatchObject({ reason: "trials", trials: 40, measured: 0, default: { score: { seconds: 1 } } });
    expect(measurer.inputs).toEqual([]);
    expect(await readFile(join(dir, "run.jsonl"), "utf8")).toBe(before);
  });

  it("resumed after its end has the trials that it was given before it could hear of them", async () => {
    await withLog("random", false, {});
    const more = new MoreTrials();
    more.givenBy(async () => more.set(5));
    const events = await withLog("random", true, { more });
    expect(summaryOf(events)).toMatchObject({ reason: "trials", trials: 45, measured: 5 });
    expect(await logged()).toHaveLength(45);
  });

  it.each(
    Object.keys(tuners) as TunerName[],
  )("parked as it opens, ends if its log has the whole space (%s), and is parked if one config is left", async (name) => {
    const small = new SpaceBuilder();
    small.choice("a", [1, 2, 4, 8]);
    small.choice("b", ["x", "y", "z"]);
    const of = small.build();
    const made = (): Partial<TuneOptions> => ({
      task: { ...taskOf(), space: of },
      tuner: { name, seed: 5, tuner: tuners[name]({ space: of, seed: 5, isValid: () => true }) },
      trials: 64,
    });
    await withLog(name, false, { ...made(), trials: 11 });
    const parked = { take: () => false, giveBack: () => {}, gave: () => {}, isOver: false, isParked: true };
    const pace = { ...parked, changed: () => new Promise<void>(() => {}) };
    expect(summaryOf(await withLog(name, true, { ...made(), pace }))).toMatchObject({ reason: "parked", trials: 11 });
    await withLog(name, true, { ...made(), trials: 12 });
    expect(summaryOf(await withLog(name, true, { ...made(), pace }))).toMatchObject({
      reason: "exhausted",
      trials: 12,
      measured: 0,
    });
    const late = { ...pace, isParked: false, isOver: true };
    expect(summaryOf(await withLog(name, true, { ...made(), pace: late }))).toMatchObject({ reason: "budget", trials: 12 });
  });

  it("goes on when today's static check refuses what the log measured: told as foreign, counted as diverged", async () => {
    await withLog("grid", false, { trials: 20 });
    const tuner = { name: "grid", seed: 5, tuner: tuners.grid({ space, seed: 5, isValid: (i) => i % 2 === 0 }) };
    const events = await withLog("grid", true, { tuner, trials: 40 });
    expect(events[0]).toMatchObject({ kind: "resumed", trials: 20 });
    expect(events[0]?.kind === "resumed" && events[0].diverged).toBeGreaterThan(0);
    const trials = await logged();
    expect(trials).toHaveLength(40);
    expect(new Set(trials.map((t) => t.config.index)).size).toBe(40);
    expect(new Set(trials.map((t) => t.sequence)).size).toBe(40);
  });

  it("of a log with duplicates: a program of before is answered by the trial that measured it", async () => {
    const task = taskOf((i) => `program ${i - (i % 5)}`);
    await withLog("grid", false, { task, trials: 9 });
    const before = await logged();
    expect(before.some(({ duplicateOf }) => duplicateOf !== undefined)).toBe(true);
    const measured = new Map(before.flatMap((t) => (t.duplicateOf === undefined ? [[t.program, t.sequence]] : [])));
    const again = trialsOf(await withLog("grid", true, { task, trials: 12 })).map(({ trial }) => trial);
    const answered = again.filter(({ program }) => measured.has(program));
    expect(answered.length).toBeGreaterThan(0);
    for (const { program, duplicateOf } of answered) expect(duplicateOf).toBe(measured.get(program));
  });

  it("with a torn last line measures that trial again", async () => {
    await withLog("random", false, { trials: 12 });
    const text = await readFile(join(dir, "run.jsonl"), "utf8");
    await writeFile(join(dir, "run.jsonl"), text.slice(0, -30));
    const events = await withLog("random", true, { trials: 12 });
    expect(trialsOf(events)).toHaveLength(1);
    const trials = await logged();
    expect(trials.map((t) => t.sequence).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });
});
