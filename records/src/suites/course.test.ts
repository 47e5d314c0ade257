/** The share over device time and what sources of knowledge brought, against figures worked out by hand. */
import { expect, it } from "vitest";
import type { TrialRecord } from "../log/record.ts";
import { broughtBy, broughtWords, type Course, shareOver, shippedSuffix, sourcesOf } from "./course.ts";

const course = (
  rows: readonly (readonly [seconds: number | undefined, deviceMs: number, source: Course["sources"][number]])[],
) => ({
  landed: rows.map(([seconds, deviceMs]) => ({ seconds, deviceMs })),
  sources: rows.map(([, , source]) => source),
});
/** Its best, 2 us, comes after 3.5 s; before it 4 us after 0.5 s. */
const slow = course([
  [undefined, 400, "shipped"],
  [4e-6, 100, "starts"],
  [8e-6, 1000, "shipped"],
  [2e-6, 2000, "search"],
  [2.5e-6, 0, "search"],
]);
/** Its first trial is its best. */
const quick = course([[1e-6, 100, "starts"]]);
const untimed = course([[undefined, 9000, "search"]]);

it("counts what had landed by then; a task that ended stays at its best, one without a time is left out", () => {
  const over = shareOver([slow, quick, untimed]);
  const at = (seconds: number) => over.find((each) => each.seconds === seconds);
  expect(at(0.05)).toEqual({ seconds: 0.05, share: 0, worst: 0 });
  expect(at(0.1)).toEqual({ seconds: 0.1, share: 0.5, worst: 0 });
  expect(at(0.5)).toEqual({ seconds: 0.5, share: 0.75, worst: 0.5 });
  expect(at(2)).toEqual({ seconds: 2, share: 0.75, worst: 0.5 });
  expect(over.at(-1)).toEqual({ seconds: 5, share: 1, worst: 1 });
  expect(shareOver([untimed])).toEqual([]);
});

it("a source brought the best of its own trials, by tasks", () => {
  expect(broughtBy([slow, quick, untimed])).toEqual([
    { source: "shipped", trials: 2, deviceSeconds: 1.4, tasks: 1, best: 0, share: 0.25 },
    { source: "starts", trials: 2, deviceSeconds: 0.2, tasks: 2, best: 1, share: 0.75 },
    { source: "search", trials: 3, deviceSeconds: 11, tasks: 1, best: 1, share: 1 },
  ]);
  expect(broughtBy([slow, quick, untimed]).map((each) => broughtWords(each, 3))).toContain(
    "the templates' starts: 2 trials, 0.750 of the best in 2 tasks; found the best of 1 of 3",
  );
});

it("a trial's source is where its config was known, by values; a template's of an operator is its own", () => {
  const trial = (task: string, tile: number, stages: number): TrialRecord =>
    ({
      run: { task, args: [8], target: "cuda/sm_90a", tuner: "auto", seed: 0 },
      config: {
        index: 0,
        code_hash: null,
        entity: [
          ["stages", "ot", stages],
          ["tile", "ot", tile],
        ],
      },
    }) as unknown as TrialRecord;
  const start = (name: string, target: string, ...tiles: readonly number[]) => ({
    ...{ name, of: { args: [16], target } },
    rows: tiles.map((tile) => [[tile, 2], 1e-6]),
  });
  const search = (task: object) => ({ search: { version: 1, task } });
  const knobs = [
    ["tile", "ot"],
    ["stages", "ot"],
  ];
  const began = {
    warm_start: [
      start("[16] on an H100", "cuda/sm_90", 1, 2),
      start(`[16] on an H100${shippedSuffix}`, "cuda/sm_90a", 2, 3),
      start(`[16] on an A100${shippedSuffix}`, "cuda/sm_80", 3, 4),
    ],
    ...{ starts: [[5, 2]], knobs },
  };
  const trials = [1, 2, 3, 4, 5, 6].map((tile) => trial("a", tile, 2));
  const expected = ["records", "records", "shipped", "transfer", "starts", "search"];
  expect(sourcesOf([...trials, trial("a", 1, 3)], { notes: [began] })).toEqual([...expected, "search"]);
  const notes = [search({ operator: "o" }), search({ template: "a" }), began, search({ template: "b" })];
  expect(sourcesOf([...trials, trial("b", 1, 2)], { notes })).toEqual([...expected, "search"]);
  expect(sourcesOf(trials, { notes: [] })).toEqual(trials.map(() => "search"));
});
