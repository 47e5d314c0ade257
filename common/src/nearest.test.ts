import fc from "fast-check";
import { expect, test } from "vitest";
import { distance, nearest } from "./nearest.ts";

test("the distance is a metric of edits", () => {
  expect([distance("", "abc"), distance("kitten", "sitting"), distance("ab", "ba"), distance("same", "same")]).toEqual([
    3, 3, 1, 0,
  ]);
  fc.assert(
    fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), (a, b) => {
      expect(distance(a, b)).toBe(distance(b, a));
      expect(distance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      expect(distance(a, b)).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      expect(distance(a, b) === 0).toBe(a === b);
    }),
  );
});
test.each([
  ["matmul_tmo", "matmul_tma"],
  ["matmul", "matmul_mma"],
  ["MATMUL_MAA", "matmul_mma"],
  ["randmo", "random"],
  ["conv", "tutorial/conv2d"],
  ["tut", "tutorial/conv2d"],
  ["zebra", undefined],
  ["x", undefined],
])("%s: %s", (asked, word) => {
  expect(nearest(asked, ["tutorial/conv2d", "matmul_tma", "matmul_mma", "random"])).toBe(word);
});
