import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MeasureInput, MeasureResult } from "@warpfarm/common";
import { bestOfLog } from "@warpfarm/records/logs";
import { describe, expect, it } from "vitest";
import { scriptedMeasurer } from "../measure/scripted.testing.ts";
import { tuners } from "../tuner/index.ts";
import type { Tuner } from "../tuner/tuner.ts";
import { RunTally } from "./run-tally.ts";
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
import { openTuningLog } from "./tuning-log.ts";

/** A third of the configs end early, with a bound and a single repeat that are below all times. */
const raced = (input: MeasureInput): MeasureResult => {
  const result = answer(input);
  if (result.kind !== "timed" || textOf(input) === "default" || indexOf(input) % 3 > 0) return result;
  const { paired: _, ...ran } = result;
  return { ...ran, kind: "slower", atLeast: 0.05 + indexOf(input) / 1e6, costs: [1e-9] };
};

describe("programs that end early", () => {
  it("are trials without an error and never the best, come back from the log, and are told to the tuner as bounds", async () => {
    const folder = await mkdtemp(join(tmpdir(), "warpfarm-raced-"));
    const log = { spec: specFor(taskOf(), "random", 5), resume: false };
    const path = join(folder, "a.jsonl");
    const told: unknown[] = [];
    const spied = (): Tuner => {
      const tuner = tuners.random({ space, seed: 5, isValid });
      const tell = tuner.tell.bind(tuner);
      tuner.tell = (pairs) => {
        told.push(...pairs);
        tell(pairs);
      };
      return tuner;
    };
    try {
      const first = await openTuningLog(path, log);
      const events = await collect(
        optionsOf({ measurer: scriptedMeasurer(raced), log: first, tuner: { name: "random", seed: 5, tuner: spied() } }),
      );
      await first[Symbol.asyncDispose]();
      const slower = trialsOf(events).filter(({ trial }) => trial.result.kind === "slower");
      expect(slower.length).toBeGreaterThan(3);
      const summary = summaryOf(events);
      expect(summary).toMatchObject({ slower: slower.length, best: { seconds: bestByRule(trialsOf(events)) } });
      expect(summary.best?.trial.result.kind).toBe("timed");
      expect(slower.every(({ score }) => score === undefined)).toBe(true);
      for (const { trial } of slower)
        expect(told).toContainEqual({
          index: trial.config.index,
          outcome: { kind: "slower", atLeast: 0.05 + trial.config.index / 1e6 },
        });
      // Their few repeats are no time: they are no finalists, and by themselves they have no best.
      const tally = new RunTally(1, () => programOf(""));
      for (const { trial } of trialsOf(events)) tally.count(trial);
      const early = new Set(slower.map(({ trial }) => trial.program));
      const fastest = tally.fastest(100);
      expect(fastest.length).toBeGreaterThan(3);
      expect(fastest.filter(({ program }) => early.has(program))).toEqual([]);
      expect(
        bestOfLog(
          slower.map(({ trial }) => ({ kind: "warpfarm", trial })),
          [],
        ),
      ).toBeUndefined();
      const again = await openTuningLog(path, { ...log, resume: true });
      expect(again.trials).toEqual(trialsOf(events).map(({ trial }) => trial));
      const resumed = await collect(optionsOf({ measurer: scriptedMeasurer(raced), log: again }));
      await again[Symbol.asyncDispose]();
      expect(summaryOf(resumed)).toMatchObject({ slower: slower.length, best: { seconds: summary.best?.seconds } });
      // AutoTVM's field has what ran.
      const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line.includes('"slower"'));
      expect(lines.map((line) => JSON.parse(line).result.slice(0, 2))).toEqual(slower.map(() => [[1e-9], 0]));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
