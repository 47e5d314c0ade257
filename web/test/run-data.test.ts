/** Columns of the page that grow part by part. */
import { describe, expect, it } from "vitest";
import { bestSteps, bestTrial, Growing, paceOf, positions, RunData, runNow } from "../page/model/run-data.ts";
import { Coordinates, histogram } from "../page/model/space.ts";
import type { RunDetail, TrialColumns } from "../src/api.ts";

/** Trials numbered from `first`, whose times are `seconds`, by default 0. */
function trials(
  first: number,
  names: readonly string[],
  values: readonly (readonly number[])[],
  seconds?: readonly number[],
): TrialColumns {
  const zeros = Array<number>(values[0]?.length ?? 0).fill(0);
  return {
    ...{
      sequence: zeros.map((_, i) => i + 1),
      seconds: seconds ?? zeros,
      atLeast: zeros,
      spread: zeros,
      errorNo: zeros,
      rule: zeros,
      node: zeros,
    },
    ...{ atMs: zeros, busyMs: zeros, rules: [], nodes: [], id: zeros.map((_, i) => `${first + i}`), idPrefix: "id", left: 0 },
    knobs: names.map((name) => ({ name, values: ["8", "16", "32"] })),
    config: values,
  } as TrialColumns;
}

describe("columns", () => {
  it("of a knob that came up later begin with the trials that have it", () => {
    const late = new RunData();
    const part = (names: readonly string[], values: readonly (readonly number[])[]) => trials(late.count, names, values);
    late.append(part(["a"], [[0, 1, 2]]));
    late.append(
      part(
        ["a", "b"],
        [
          [2, 1],
          [1, 0],
        ],
      ),
    );
    late.append(part(["a", "b", "c"], [[0], [2], [1]]));
    const texts = (knob: number) => Array.from({ length: late.count }, (_, i) => late.knobText(knob, i));
    expect([0, 1, 2].map(texts)).toEqual([
      ["8", "16", "32", "32", "16", "8"],
      [undefined, undefined, undefined, "16", "8", "32"],
      [undefined, undefined, undefined, undefined, undefined, "16"],
    ]);
    expect([late.knobText(3, 0), late.knobText(0, 6)]).toEqual([undefined, undefined]);
  });

  it("grow beyond any size that they began with", () => {
    const grown = new Growing();
    for (const size of [1, 1_023, 1, 2_000, 0, 5_000]) grown.push(Array.from({ length: size }, (_, i) => grown.length + i));
    expect(grown.length).toBe(8_025);
    expect([...grown.view]).toEqual(Array.from({ length: 8_025 }, (_, i) => i));
    expect(grown.at(8_025)).toBeNaN();
  });
});

it("the default schedule is among the columns, and is no trial of the curve", () => {
  const data = new RunData();
  const part = { ...trials(0, [], [[], [], [], []], [2, 5, 3, 1]), id: ["a", "b", "c", "d"], sequence: [0, 1, 2, 3] };
  const zeros = [0, 0, 0, 0];
  data.append({
    ...part,
    config: [],
    atLeast: zeros,
    spread: zeros,
    errorNo: zeros,
    rule: zeros,
    node: zeros,
    atMs: zeros,
    busyMs: [1, 1, 1, 1],
  });
  expect([data.count, data.trialCount, data.isTrial(0), data.isTrial(1)]).toEqual([4, 3, false, true]);
  expect([...positions(data, "trial")]).toEqual([0, 1, 2, 3]);
  expect([...positions(data, "device-seconds")]).toEqual([0.001, 0.002, 0.003, 0.004]);
  expect(bestSteps(data)).toEqual([
    { trial: 1, seconds: 5 },
    { trial: 2, seconds: 3 },
    { trial: 3, seconds: 1 },
  ]);
});

interface Result {
  readonly sequence: number;
  readonly at: number;
  readonly seconds?: number;
  readonly errorNo?: number;
}

/** Results in their order, of which the one of sequence 0 is the default schedule. */
function results(given: readonly Result[]): RunData {
  const data = new RunData();
  const column = (of: (one: Result) => number) => given.map(of);
  data.append({
    ...trials(0, ["tile"], [column(({ sequence }) => (sequence === 0 ? -1 : sequence % 3))]),
    ...{ sequence: column(({ sequence }) => sequence), atMs: column(({ at }) => at), busyMs: column(() => 10) },
    ...{ seconds: column(({ seconds = 0 }) => seconds), errorNo: column(({ errorNo = 0 }) => errorNo) },
  });
  return data;
}

it("the default schedule is in no count, no share and on no axis of trials, wherever it ended", () => {
  const one = { sequence: 1, at: 1, seconds: 1 };
  const others = [
    { sequence: 2, at: 2, errorNo: 4 },
    { sequence: 3, at: 3, seconds: 3 },
    { sequence: 4, at: 4, seconds: 4 },
  ];
  for (const first of [
    { sequence: 0, at: 0, errorNo: 4 },
    { sequence: 0, at: 0, seconds: 100 },
  ])
    for (const [places, data] of [
      [[1, 2, 3, 4], results([first, one, ...others])],
      [[0, 2, 3, 4], results([one, first, ...others])],
    ] as const) {
      expect([data.trials, data.trialCount, data.failedCount]).toEqual([places, 4, 1]);
      expect(histogram(data, 5).counts.reduce((a, b) => a + b, 0)).toBe(3);
      const coordinates = new Coordinates(data);
      expect([...coordinates.passing([])]).toEqual(places);
      expect([...coordinates.passing([{ axis: -1, from: 0, to: 1 }])]).toEqual(places.filter((i) => i !== places[1]));
      // The slowest trial is at the bottom.
      expect(coordinates.valueAt(-1, 0)).toBeCloseTo(4);
    }
});

it("the rate is that of the last hundred trials, and what is left are the trials that did not end", () => {
  const every = (ms: number, from: number, n: number) =>
    Array.from({ length: n }, (_, i) => ({ sequence: from + i, at: 10_000 + (from + i) * ms }));
  const open = { state: "open", trials: 8 } as const;
  // Without the default schedule's ten seconds: seven trials, one every 500 ms.
  const seven = results([{ sequence: 0, at: 0 }, ...every(500, 1, 7)]);
  expect(paceOf(seven, open)).toEqual({ rate: 2, busy: 80 / 13_500, leftMs: 500 });
  expect(paceOf(seven, { ...open, trials: 7 })?.leftMs).toBe(0);
  expect(paceOf(seven, { ...open, trials: 3 })?.leftMs).toBe(0);
  for (const run of [{ ...open, paused: true } as const, { ...open, state: "ended" } as const, { state: "open" } as const])
    expect(paceOf(seven, run)).toEqual({ rate: 2, busy: 80 / 13_500 });
  expect(paceOf(results([{ sequence: 0, at: 0 }, ...every(500, 1, 1)]), open)).toBeUndefined();
  expect(paceOf(results(every(500, 1, 2)), open)?.rate).toBe(2);
  // The first of 101 came long before, and the default schedule among the last does not take its place.
  const long = results([{ sequence: 1, at: 0 }, ...every(100, 2, 100), { sequence: 0, at: 20_105 }]);
  expect(paceOf(long, open)?.rate).toBeCloseTo(10, 9);
});

it("shows the kernel that the run's rule chose, and the fastest trial while that is not known here", () => {
  const data = new RunData();
  expect(bestTrial(data, { bestId: "id0" })).toBe(-1);
  data.append(trials(0, ["a"], [[0, 1, 2]], [3, 1, 2]));
  expect(bestTrial(data, { bestId: "id2" })).toBe(2);
  expect(bestTrial(data, { bestId: "id3" })).toBe(1);
  expect(bestTrial(data, {})).toBe(1);
  const of = (more: object) => ({ id: "r", state: "open", ...more }) as RunDetail;
  const both = ({ best, bestId }: RunDetail) => [best, bestId];
  expect(both(runNow(of({ best: 3, bestId: "id0" }), of({ best: 1, bestId: "id1" })))).toEqual([1, "id1"]);
  expect(both(runNow(of({ best: 3, bestId: "id0" }), of({ best: 1 })))).toEqual([1, undefined]);
  // Its finalists' rounds.
  expect(both(runNow(of({ state: "ended", best: 2, bestId: "id2" }), of({ best: 1, bestId: "id1" })))).toEqual([2, "id2"]);
});
