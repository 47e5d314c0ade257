/** The end of a run whose time is over while candidates are in flight. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock, type MeasureInput } from "@warpfarm/common";
import { afterEach, describe, expect, it } from "vitest";
import type { Measurer } from "../measure/measurer.ts";
import { failedResult, scriptedMeasurer } from "../measure/scripted.testing.ts";
import { answer, collect, optionsOf, specFor, summaryOf, textOf, trialsOf } from "./session.testing.ts";
import type { TuneOptions } from "./session.ts";
import { whenTimeIsOver } from "./time-over.ts";
import { openTuningLog } from "./tuning-log.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});
async function logPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "warpfarm-time-"));
  folders.push(folder);
  return join(folder, "t.jsonl");
}

/** Answers the first inputs, of which one is the default schedule. The others stay in flight; then `onStuck` is called, once. */
function stuckAfter(answers: number, onStuck: () => void) {
  const given: MeasureInput[] = [];
  const of = { given, isClosed: false };
  const measurer: Measurer = {
    async *measure(inputs, { signal }) {
      const from = inputs[Symbol.asyncIterator]();
      try {
        for (let i = 0; i < answers; i++) {
          const next = await from.next();
          if (next.done) return;
          given.push(next.value);
          yield { sequence: next.value.sequence, result: answer(next.value) };
        }
        const over = new Promise<never>((_, reject) => {
          const abort = () => reject(signal.reason);
          signal.addEventListener("abort", abort, { once: true });
          if (signal.aborted) abort();
        });
        setImmediate(onStuck);
        await over;
      } finally {
        of.isClosed = true;
      }
    },
  };
  return { ...of, measurer, isClosed: () => of.isClosed };
}

describe("when its time is over", () => {
  it("is told once, after that many seconds, and not without a limit", async () => {
    const clock = new ManualClock();
    const told: string[] = [];
    using _some = whenTimeIsOver(clock, { wallSeconds: 30 }, () => told.push("30 s"));
    using _none = whenTimeIsOver(clock, {}, () => told.push("never"));
    for (const ms of [31, 29_960, 20, 60_000]) {
      clock.advance(ms);
      await new Promise(setImmediate);
      told.push(`${ms} ms`);
    }
    expect(told).toEqual(["31 ms", "29960 ms", "30 s", "20 ms", "60000 ms"]);
  });
  it("a run withdraws what is in flight, and goes on with its finals; resumed, it measures that first", async () => {
    const path = await logPath();
    const clock = new ManualClock();
    const stuck = stuckAfter(4, () => clock.advance(35_001));
    const finals: string[][] = [];
    const finalists: NonNullable<TuneOptions["finalists"]> = {
      ...{ count: 2, paired: { rounds: 1, idleMs: 0, sequential: true }, options: optionsOf().options },
      measure: async ({ program, others }) => {
        finals.push([program, ...others].map(({ digest }) => digest));
        return [];
      },
    };
    const stop = { wallSeconds: 35 };
    const log = await openTuningLog(path, { spec: specFor(), resume: false });
    const events = await collect(optionsOf({ measurer: stuck.measurer, clock, stop, log, finalists }));
    await log[Symbol.asyncDispose]();
    expect(summaryOf(events)).toMatchObject({ reason: "wall_seconds", trials: 3, default: { score: { seconds: 1 } } });
    expect([stuck.isClosed(), finals.length]).toEqual([true, 1]);

    const again = await openTuningLog(path, { spec: specFor(), resume: true });
    const rest = scriptedMeasurer(answer, { width: 1 });
    const whole = await collect(optionsOf({ measurer: rest, log: again }));
    await again[Symbol.asyncDispose]();
    expect(summaryOf(whole)).toMatchObject({ reason: "trials", trials: 40 });
    // As one run without an end would have: no proposal is lost, and none is measured twice.
    const asOne = scriptedMeasurer(answer, { width: 1 });
    await collect(optionsOf({ measurer: asOne }));
    const measured = [...stuck.given, ...rest.inputs].map(textOf);
    expect(measured.slice(0, 12)).toEqual(asOne.inputs.map(textOf).slice(0, 12));
    expect(new Set(measured).size).toBe(measured.length);
  });

  it("a run that its results have stopped withdraws what is still in flight, and keeps its reason", async () => {
    const clock = new ManualClock();
    // With nothing valid, patience counts from the first.
    const stuck = stuckAfter(4, () => clock.advance(35_001));
    const failing: Measurer = {
      async *measure(inputs, options) {
        for await (const record of stuck.measurer.measure(inputs, options))
          yield record.sequence === 0 ? record : { ...record, result: failedResult(4) };
      },
    };
    const stop = { patience: 3, wallSeconds: 35 };
    const events = await collect(optionsOf({ measurer: failing, clock, stop }));
    expect(summaryOf(events)).toMatchObject({ reason: "patience", trials: 3 });
    expect(stuck.isClosed()).toBe(true);
  });

  it.each([
    ["no trial", 1],
    ["not even the default schedule", 0],
  ])("a run that has %s waits for the first results, and then ends", async (_, answers) => {
    const clock = new ManualClock();
    let late = 0;
    const measurer: Measurer = {
      async *measure(inputs, options) {
        for await (const record of scriptedMeasurer(answer, { width: 1 }).measure(inputs, options)) {
          if (late++ === answers) clock.advance(10_000);
          yield record;
        }
      },
    };
    const events = await collect(optionsOf({ measurer, clock, stop: { wallSeconds: 5 } }));
    expect(summaryOf(events)).toMatchObject({ reason: "wall_seconds", trials: 1, default: { score: { seconds: 1 } } });
  });

  it("of devices, too; where results say that it is enough, what is in flight still lands", async () => {
    const measurer = () => scriptedMeasurer(answer, { width: 6 });
    const busy = await collect(optionsOf({ measurer: measurer(), stop: { deviceSeconds: 0.005 } }));
    expect(summaryOf(busy)).toMatchObject({ reason: "device_seconds", trials: 3 });
    const patient = await collect(optionsOf({ measurer: measurer(), stop: { patience: 1 } }));
    const { reason, trials } = summaryOf(patient);
    expect(reason).toBe("patience");
    const last = trialsOf(patient).findIndex(({ done, best }) => done > 1 && best !== undefined);
    expect(trials).toBeGreaterThan(last + 1);
  });

  it("a pace that is over withdraws as well, and has the permits of what was withdrawn back", async () => {
    let taken = 0;
    const pace = {
      take: () => ++taken > 0,
      giveBack: () => void taken--,
      isOver: false,
      isParked: false,
      gave() {},
      change: () => {},
      changed() {
        return new Promise<void>((resolve) => {
          pace.change = resolve;
        });
      },
    };
    const stuck = stuckAfter(6, () => {
      pace.isOver = true;
      pace.change();
    });
    const events = await collect(optionsOf({ measurer: stuck.measurer, pace }));
    expect(summaryOf(events)).toMatchObject({ reason: "budget", trials: 5 });
    expect(stuck.isClosed()).toBe(true);
    expect(taken).toBe(5);
  });
});
