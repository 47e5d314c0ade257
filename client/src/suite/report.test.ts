import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toProgramDigest } from "@warpfarm/common";
import type { ConfigJson } from "@warpfarm/compiler/language";
import type { TaskResults } from "@warpfarm/records/suites";
import { byShape, byTemplate, crossTimes, missingPairs, nameOfConfig, readCross, resultsOf } from "@warpfarm/records/suites";
import { expect, onTestFinished, test } from "vitest";
import { plannedTask, suitePlan } from "../../../test-support/suite-plan.ts";
import { entityAt, suiteIn, tasks } from "./pack.testing.ts";
import type { PlannedTask } from "./plan.ts";
import { reportOf } from "./report.ts";
import { courseWords, kindWords, modelWords } from "./report-words.ts";

const task = (id: string, key: string, more: Partial<PlannedTask> = {}): PlannedTask => ({
  ...plannedTask(id, "toy", { args: [id.slice(0, 1)], key, budget: { trials: 4, patience: 4 } }),
  ...more,
});
const configOf = (value: number): ConfigJson => ({
  index: value,
  code_hash: null,
  entity: [["tile", "ot", value]] as [string, string, number][],
});
/** Times by config in the order they came; undefined = failed. */
function results(
  planned: PlannedTask,
  times: readonly (readonly [config: number, seconds: number | undefined])[],
  defaultSeconds = 8,
): TaskResults {
  const timed = times.flatMap(([value, seconds]) => (seconds === undefined ? [] : [{ value, seconds }]));
  const best = timed.toSorted((a, b) => a.seconds - b.seconds)[0];
  return {
    task: planned,
    trials: times.map(() => ({}) as TaskResults["trials"][number]),
    landed: times.map(([, seconds]) => ({ seconds, deviceMs: 500 })),
    defaultSeconds,
    best: best && {
      config: configOf(best.value).entity,
      seconds: best.seconds,
      low: best.seconds * 0.9,
      high: best.seconds * 1.1,
      isJudged: false,
      program: toProgramDigest(`sha256:${"0".repeat(64)}`),
      trial: { result: { device: { name: `the ${planned.search.key}` } } } as TaskResults["trials"][number],
      tied: [],
    },
    finals: [],
    sources: () => times.map((_, i) => (i === 0 ? ("starts" as const) : ("search" as const))),
    deviceSeconds: times.length / 2,
    timeOf: new Map(timed.map(({ value, seconds }) => [nameOfConfig(configOf(value).entity), seconds])),
    failures: times.length - timed.length,
  };
}

const plan = suitePlan({});
// a: config 1 wins on sm_80, 2 on sm_90; 3 is second on both. b: on sm_90 alone.
const all = [
  results(task("a80", "cuda/sm_80", { librarySeconds: 1 }), [
    [9, 8],
    [1, 2],
    [3, 2.2],
    [2, 6],
  ]),
  results(task("a90", "cuda/sm_90", { weight: 3 }), [
    [2, 1],
    [3, 1.2],
    [9, undefined],
    [7, 4],
  ]),
  results(task("b90", "cuda/sm_90"), [
    [5, undefined],
    [6, 4],
  ]),
];
const lines = readCross(`{"task":"a90","config":${JSON.stringify(nameOfConfig([["tile", "ot", 1]]))},"seconds":5}\n{"torn`);
const times = crossTimes(all, lines);
const report = reportOf({
  ...{ plan, results: all, ended: new Map([["a80", "trials"]]), wallMs: 60_000, times, kernels: 1 },
});

test("the report ends with the model's time: counts times best times, what it lacks, and the library's beside it", () => {
  const failed = results(task("c90", "cuda/sm_90", { librarySeconds: 9 }), [[5, undefined]]);
  const known = results(task("d90", "cuda/sm_90", { weight: 2, librarySeconds: 1.5 }), [[1, 0.5]]);
  const whole = reportOf({
    ...{ plan, results: [...all, failed, known], ended: new Map(), wallMs: 1, times, kernels: 1 },
  });
  expect(whole.kinds.map(({ untimed }) => untimed)).toEqual([0, 1]);
  const lines = [
    "the model's time on cuda/sm_80: 2000 ms, the sum of 1 kernel; the library's operators take 1000 ms: 0.50x",
    // 3 x 1 + 4 + 2 x 0.5, and 2 x 1.5 beside 2 x 0.5.
    "the model's time on cuda/sm_90: 8000 ms, the sum of 6 kernels, without 1 task of unknown time; the library's operators take 3000 ms for 1 of 3 tasks, where ours take 1000 ms: 3.00x",
  ];
  expect(modelWords(whole)).toBe(lines.join("\n"));
});

test("speed-ups, device time and share of the best, by task and by kind of device", () => {
  const [a80, a90, b90] = report.tasks;
  expect(a80).toMatchObject({
    ended: "trials",
    failures: 0,
    deviceSeconds: 2,
    best: { seconds: 2, config: configOf(1).entity },
    librarySeconds: 1,
  });
  expect(a80?.share).toEqual([1, 2, 4].map((k, i) => ({ k, share: [2 / 8, 1, 1][i] })));
  expect(b90?.share).toEqual([
    { k: 1, share: 0 },
    { k: 2, share: 1 },
  ]);
  expect(a90?.failures).toBe(1);
  const sm90 = report.kinds.find(({ key }) => key === "cuda/sm_90");
  expect(sm90?.weightedSeconds).toBe(3 * 1 + 4);
  expect(sm90?.overDefault).toMatchObject({ least: 2, count: 2 });
  expect(sm90?.overDefault?.mean).toBeCloseTo(Math.sqrt(8 * 2), 12);
  expect(report.kinds[0]?.overLibrary?.mean).toBe(0.5);
  expect(kindWords(sm90 as NonNullable<typeof sm90>)).toContain("speed-up over the default schedule 4.00x (geometric mean of 2,");
  expect(sm90?.share[0]).toEqual({ k: 1, share: 0.5, worst: 0 });
  // Half a second each: a90's first trial is its best, b90's first failed.
  expect(sm90?.shareOver.find(({ seconds }) => seconds === 0.5)).toEqual({ seconds: 0.5, share: 0.5, worst: 0 });
  expect(courseWords(sm90 as NonNullable<typeof sm90>)).toMatch(
    /^share of the best after device time of each task, mean: .*0\.5 s: 50\.0 %.*\n.*\n {2}the templates' starts: 2 trials, 1\.000 of the best in 1 task; found the best of 1 of 2\n/,
  );
  expect(report.deviceSeconds).toBe(5);
});

test("the loss of a winner elsewhere, and the one config that loses least at worst", () => {
  const [one] = report.portability;
  expect(report.portability.length).toBe(1);
  expect(one?.devices).toEqual(["cuda/sm_80", "cuda/sm_90"]);
  expect(one?.loss).toEqual([
    [0, 4],
    [2, 0],
  ]);
  expect(one?.common?.config).toEqual([["tile", "ot", 3]]);
  expect(one?.common?.worstLoss).toBeCloseTo(0.2, 12);
});

test("pairs to measure are winners on other devices that nobody has measured there", () => {
  expect(missingPairs(all, crossTimes(all, []), byShape).map(({ task: id, entity }) => [id, entity[0]?.[2]])).toEqual([
    ["a90", 1],
  ]);
  expect(missingPairs(all, times, byShape)).toEqual([]);
});

test("of many winners those are measured elsewhere that serve the most weight, by what is known; none of a task without a time", () => {
  const on = (id: string, weight: number, times: Parameters<typeof results>[1]) =>
    results(task(id, "cuda/sm_90", { weight }), times);
  const many = [
    // 1 is within 5 % of the best on a and b, so 2, which wins on b alone, comes after 3 and 4.
    on("a", 1, [[1, 1]]),
    on("b", 1, [
      [2, 1],
      [1, 1.04],
    ]),
    on("c", 5, [
      [3, 1],
      [1, 1.06],
    ]),
    on("d", 1, [[4, 1]]),
    on("e", 9, [[1, undefined]]),
  ];
  const measured = (most?: number) =>
    missingPairs(many, crossTimes(many, []), byTemplate, most)
      .map(({ task: id, entity }) => `${id}${entity[0]?.[2]}`)
      .sort();
  expect(measured(1)).toEqual(["a3", "b3", "d3", "e3"]);
  expect(measured(2)).toEqual(["a3", "b3", "d1", "d3", "e1", "e3"]);
  expect(measured(3)).toEqual(["a3", "a4", "b3", "b4", "c4", "d1", "d3", "e1", "e3", "e4"]);
  expect(measured()).toHaveLength(4 * 5 - 6);
});

test("a table serves only shapes that its kernels were measured on", () => {
  // Configs of a90 and b90 have nothing in common: one kernel cannot serve both.
  expect(report.tables).toEqual([]);
  const two = reportOf({ ...{ plan, results: all, ended: new Map(), wallMs: 0, times, kernels: 2 } });
  expect(two.tables.map(({ key, meanRegret, kernels, unmeasured }) => [key, meanRegret, kernels.length, unmeasured])).toEqual([
    ["cuda/sm_90", 0, 2, 2],
  ]);
});

test("a config's time in its own search counts before one that was measured for the matrix, and of several the least", async () => {
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const suite = await suiteIn(join(folder, "s"), [[2e-6, 1e-6, 3e-6]], {}, { indices: [2, 2, 2] });
  const of = resultsOf(tasks[0] as PlannedTask, await suite.log("t0"));
  const [own, other] = [2, 3].map((index) => nameOfConfig(entityAt(0, index))) as [string, string];
  expect([...of.timeOf]).toEqual([[own, 1e-6]]);
  const lines = [own, other].map((config) => ({ task: "t0", config, seconds: 9e-6 }));
  expect([...(crossTimes([of], lines).get("t0") ?? [])].toSorted()).toEqual(
    [
      [own, 1e-6],
      [other, 9e-6],
    ].toSorted(),
  );
});
