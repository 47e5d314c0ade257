/** Columns of the page that grow part by part. */
import { describe, expect, it } from "vitest";
import { bestSteps, bestTrial, Growing, positions, RunData, runNow } from "../page/model/run-data.ts";
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
