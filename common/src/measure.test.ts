/** The score of a result. */
import { expect, test } from "vitest";
import { medianSeconds } from "./measure.ts";

test.each([
  [[7], 7],
  [[3, 1], 2],
  [[5, 1, 9], 5],
  [[4, 1, 3, 2], 2.5],
  [[100, 1, 2, 3, 200, 0], 2.5],
])("the median of %j is %d", (costs, median) => {
  expect(medianSeconds(costs)).toBe(median);
});
test("of nothing there is none", () => {
  expect(() => medianSeconds([])).toThrow(RangeError);
});
