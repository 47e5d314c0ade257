import { type ConfigIndex, ConfigSpace, choiceKnob } from "@warpfarm/compiler";
import { expect, it } from "vitest";
import { Metric } from "./metric.ts";
import { Results } from "./results.ts";

const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);
const space = new ConfigSpace(numbers(3).map((k) => choiceKnob(`k${k}`, numbers(30))));
const at = (i: number): ConfigIndex => space.toIndex(i);
const timed = (i: number, seconds: number) => ({ index: at(i), outcome: { kind: "timed", seconds } as const });
const indices = (results: Results) => results.rows.map(({ index }) => index);

it("counts the first verdict on a config, and no second one", () => {
  const results = new Results(new Metric(space));
  results.asked(at(1));
  results.told(timed(1, 2));
  results.told(timed(1, 1));
  results.told({ index: at(2), outcome: { kind: "failed" } });
  results.told({ index: at(3), outcome: { kind: "skipped" } });
  results.told(timed(3, 0.1));
  results.told(timed(4, 3));
  expect([results.ran, results.known, results.best?.index, indices(results)]).toEqual([2, 3, 1, [1, 2, 3, 4]]);
  expect(results.top(9).map(({ index }) => index)).toEqual([1, 4]);
});

it("what ended early is never the best, and comes after all that are faster than its bound", () => {
  const results = new Results(new Metric(space));
  const slower = (i: number, atLeast: number) => results.told({ index: at(i), outcome: { kind: "slower", atLeast } });
  slower(1, 2);
  expect([results.best, results.ran, results.known]).toEqual([undefined, 1, 1]);
  results.told(timed(2, 3));
  results.told(timed(3, 2));
  expect([results.best?.index, results.top(9).map(({ index }) => index)]).toEqual([3, [3, 1, 2]]);
});

it("at 4000 rows keeps the best quarter and the latest, each time that it fills; who left is told of as new", () => {
  const results = new Results(new Metric(space));
  // The lower the faster, and every hundredth is in flight.
  const add = (i: number) => (i % 100 === 50 ? results.asked(at(i)) : results.told(timed(i, 1 + i)));
  for (const i of numbers(3999)) add(i);
  expect([results.rows.length, results.dropped]).toEqual([3999, 0]);
  add(3999);
  const flying = numbers(4000).filter((i) => i % 100 === 50);
  const best = numbers(4000)
    .filter((i) => !flying.includes(i))
    .slice(0, 1000);
  const first = numbers(4000).filter((i) => best.includes(i) || flying.includes(i) || i >= 3000);
  expect([indices(results), results.dropped]).toEqual([first, 4000 - first.length]);
  expect(results.best?.index).toBe(0);
  // 2000 is not known any more; 10 is.
  results.told(timed(2000, 0.5));
  results.told(timed(10, 0.1));
  expect([results.rows.length, results.best?.index]).toEqual([first.length + 1, 2000]);
  const once = results.dropped;
  let added = 4001;
  for (let i = 4000; results.dropped === once; i++, added++) add(i);
  expect(results.dropped + results.rows.length).toBe(added);
  expect(results.rows.length).toBeLessThan(2200);
  expect(results.top(3).map(({ index }) => index)).toEqual([2000, 0, 1]);
});

it("of rows in flight none leaves: there is room for twice as many", () => {
  const results = new Results(new Metric(space));
  for (const i of numbers(9000)) results.asked(at(i));
  expect([results.rows.length, results.dropped]).toEqual([9000, 0]);
});

it("a window of the results is all of them, or the best for half and the latest others, in their order", () => {
  const results = new Results(new Metric(space));
  for (const [i, seconds] of [9, 1, 8, 2, 7, 6].entries()) results.told(timed(i, seconds));
  const window = (most: number) => results.window(most).map(({ index }) => index);
  expect([window(6), window(5), window(4), window(2)]).toEqual([
    [0, 1, 2, 3, 4, 5],
    [1, 2, 3, 4, 5],
    [1, 3, 4, 5],
    [1, 5],
  ]);
});
