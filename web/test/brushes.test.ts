/** Brushes in the address are values, so they keep the same trials when more come; values stand in the order of people. */
import { recordOfTrial } from "@warpfarm/records";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RunData } from "../page/model/run-data.ts";
import { Coordinates, compareValues, fastestPart, heatMap } from "../page/model/space.ts";
import { RunTrials } from "../src/run/run-trials.ts";
import { trial } from "./logs.testing.ts";

const few = 40;
const many = 400;
const trials = new RunTrials();
for (let i = 1; i <= many; i++) trials.add(recordOfTrial(trial(i, { failing: 0.2 }), "local"));
const dataOf = (count: number): RunData => {
  const data = new RunData();
  data.append(trials.columns(0, count));
  return data;
};

/** What the words of a brush let through, by the records alone. */
function kept(data: RunData, text: string, count: number): readonly number[] {
  const ranges = (text === "" ? [] : JSON.parse(text)) as [string, string | number, string | number][];
  return Array.from({ length: count }, (_, i) => i).filter((i) =>
    ranges.every(([name, from, to]) => {
      if (name === "") {
        const seconds = data.columns.seconds.at(i);
        return seconds > 0 && seconds <= Number(from) && seconds >= Number(to);
      }
      const knob = data.knobs.findIndex((each) => each.name === name);
      const value = Number(data.knobText(knob, i));
      return value >= Number(from) && value <= Number(to);
    }),
  );
}

const brush = (axis: number) =>
  fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 100 })).map(([from, more]) => ({
    ...{ axis, from: from / 100, to: Math.min(1, (from + more) / 100) },
  }));

describe("brushes", () => {
  it("keep the trials whose values they name, when few are here and when many are", () => {
    const [before, after] = [dataOf(few), dataOf(many)];
    // The last trials bring values and times beyond the first ones'.
    expect(new Coordinates(after).labels[0]).toHaveLength(6);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 1, -1), { maxLength: 3 }).chain((axes) => fc.tuple(...[...new Set(axes)].map(brush))),
        (brushes) => {
          const text = new Coordinates(before).textOf(brushes);
          for (const [data, count] of [
            [before, few],
            [after, many],
          ] as const) {
            const at = new Coordinates(data);
            expect([...at.passing(at.brushesOf(text))]).toEqual(kept(after, text, count));
            expect(at.textOf(at.brushesOf(text))).toBe(text);
            // Nothing that was under the pointer is lost by rounding.
            if (data === before && brushes.every(({ axis }) => axis === -1))
              expect(kept(data, text, count)).toEqual(expect.arrayContaining([...at.passing(brushes)]));
          }
        },
      ),
    );
  });

  it("are told by the value next to where they end", () => {
    const at = new Coordinates(dataOf(many));
    const [first, second, third] = at.labels[0] ?? [];
    // Six values stand a fifth apart.
    expect([0, 0.09, 0.11, 0.29, 0.31].map((place) => at.valueAt(0, place))).toEqual([first, first, second, second, third]);
  });

  it("of an address that names nothing here are none", () => {
    const at = new Coordinates(dataOf(few));
    for (const text of [
      "",
      "x",
      "{}",
      "[1]",
      "[[]]",
      '[["tile_x","9","9"]]',
      '[["none","1","2"]]',
      '[["",0,1]]',
      '[["",-1,"a"]]',
    ])
      expect([text, at.brushesOf(text)]).toEqual([text, []]);
  });
});

it("values stand by size, lists by their items, texts behind them", () => {
  expect(["10", "9", "-1"].sort(compareValues)).toEqual(["-1", "9", "10"]);
  expect(["[-1,1,16]", "[-1,1,4]", "[-1,1]"].sort(compareValues)).toEqual(["[-1,1]", "[-1,1,4]", "[-1,1,16]"]);
  expect(['"b"', "2", '"a"'].sort(compareValues)).toEqual(["2", '"a"', '"b"']);
});

it("a heat map that is cut keeps the fastest of its rows and columns", () => {
  const whole = heatMap(dataOf(many), 0, 1);
  const part = fastestPart(whole, 2);
  const least = (times: readonly number[]) => Math.min(...times.filter((time) => !Number.isNaN(time)));
  const rows = whole.rows.map((name, i) => [least(whole.best[i] ?? []), name] as const).sort(([a], [b]) => a - b);
  expect([...part.rows].sort()).toEqual(
    rows
      .slice(0, 2)
      .map(([, name]) => name)
      .sort(),
  );
  expect(part.columns).toHaveLength(2);
  expect(least(part.best.flat())).toBe(least(whole.best.flat()));
  expect(fastestPart(whole, 99)).toEqual(whole);
});
