/** What a run tells of itself, from its records. */
import { recordOfTrial, type TuningRecord } from "@warpfarm/records";
import { expect, it } from "vitest";
import { ofTrials, trialWords } from "../page/model/units.ts";
import { detailOf, summaryOf } from "../src/run/describe.ts";
import { RunTrials, spreadOf } from "../src/run/run-trials.ts";
import { defaultOf, trial } from "./logs.testing.ts";

function detail(records: readonly TuningRecord[]) {
  const trials = new RunTrials();
  for (const record of records) trials.add(record);
  return detailOf(summaryOf(trials, { id: "x", state: "ended", mine: true }), trials);
}

it("has the default schedule's time from the measurement that came first, and from no other", () => {
  const [one, two] = [1, 2].map((n) => recordOfTrial(trial(n), "local")) as [TuningRecord, TuningRecord];
  expect(detail([defaultOf(one), one, two]).defaultSeconds).toBe(2);
  expect(detail([one, two]).defaultSeconds).toBeUndefined();
  // Finalists are measured once more at the end.
  expect(detail([one, two, defaultOf(one)]).defaultSeconds).toBeUndefined();
  // No search: somebody measured a program.
  const { search: _, ...alone } = defaultOf(one);
  expect(detail([alone]).defaultSeconds).toBeUndefined();
});

it("lists the default schedule as 0 among its trials, wherever it ended, and numbers what is no search", () => {
  const [one, two] = [1, 2].map((n) => recordOfTrial(trial(n), "local")) as [TuningRecord, TuningRecord];
  const sequences = (...records: readonly TuningRecord[]) => {
    const trials = new RunTrials();
    for (const record of records) trials.add(record);
    return trials.columns(0).sequence;
  };
  expect(sequences(defaultOf(one), one, two)).toEqual([0, 1, 2]);
  expect(sequences(two, defaultOf(one), one)).toEqual([2, 0, 1]);
  const { search: _, ...alone } = defaultOf(one);
  expect(sequences(alone, { ...alone, id: "again" })).toEqual([1, 2]);
  // One of the programs that were measured in turns.
  expect(sequences({ ...defaultOf(one), interleaved: { run: "s/1", place: 1, of: 2 } })).toEqual([1]);
  expect([0, 1, 12].map(trialWords)).toEqual(["default schedule", "trial 1", "trial 12"]);
});

it("counts trials and their failures without the default schedule", () => {
  const [one, two] = [1, 2].map((n) => recordOfTrial(trial(n), "local")) as [TuningRecord, TuningRecord];
  const failed = (record: TuningRecord) => ({ ...record, result: { kind: "failed", errorNo: 4, message: "" } }) as TuningRecord;
  const counts = (...records: readonly TuningRecord[]) => {
    const { accepted, finished, failed: none } = detail(records);
    return [accepted, finished, none];
  };
  expect(counts(defaultOf(one), one, failed(two))).toEqual([2, 2, 1]);
  expect(counts(failed(defaultOf(one)), one, failed(two))).toEqual([2, 2, 1]);
  expect(counts(failed(defaultOf(one)))).toEqual([0, 0, 0]);
});

it("begins before its first build, and its best is one that was measured, not one that is equal to it", () => {
  const [slow, fast] = [
    [1, 2e-3],
    [2, 1e-3],
  ].map(([n, seconds = 0]) => {
    const record = recordOfTrial(trial(n as number), "local");
    return { ...record, result: { kind: "timed", costs: [seconds], number: 1, checked: true } } as TuningRecord;
  }) as [TuningRecord, TuningRecord];
  const trials = new RunTrials();
  trials.add({ ...slow, timestampMs: 5_000, buildMs: 300, runMs: 40 });
  trials.add({ ...fast, timestampMs: 6_000 }, false);
  expect([trials.startedMs, trials.best?.seconds, trials.count]).toEqual([4_660, 2e-3, 2]);
});

it("names the record of the kernel whose time it tells: the median of its measurements, and not the least of them", () => {
  const [lucky, again, steady] = [
    [1, 1e-3, "a"],
    [2, 9e-3, "a"],
    [3, 2e-3, "b"],
  ].map(([n, seconds, program]) => {
    const record = recordOfTrial(trial(n as number), "local");
    const result = { kind: "timed", costs: [seconds], number: 1, checked: true };
    return { ...record, program, result } as TuningRecord;
  }) as [TuningRecord, TuningRecord, TuningRecord];
  const found = detail([lucky, again, steady]);
  expect([found.best, found.bestId]).toEqual([2e-3, steady.id]);
});

it("a time's spread is the half-width of its median's interval; two repeats tell nothing", () => {
  // By hand: the median is 10, the deviations are 2, 1, 0, 1, 2 with the median 1, and the square root of 5 repeats.
  const byHand = (1.96 * Math.sqrt(Math.PI / 2) * 1.4826 * 1) / Math.sqrt(5) / 10;
  expect(spreadOf([8, 9, 10, 11, 12])).toBeCloseTo(byHand, 5);
  expect([spreadOf([1, 2]), spreadOf([3, 3, 3])]).toEqual([0, 0]);
});

it("says how many trials there will be until they are done", () => {
  const at = (finished: number, trials?: number) => ofTrials({ finished, ...(trials === undefined ? {} : { trials }) });
  expect([at(3, 1_000), at(80, 80), at(81, 80), at(5)]).toEqual([" of 1,000", "", "", ""]);
});
