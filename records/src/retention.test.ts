import { expect, it } from "vitest";
import { overOf } from "./retention.ts";

const over = (most: number, ...counts: number[]) => {
  const found = overOf(
    counts.map((n, i) => ({ owner: "abcdef"[i] as string, n })),
    most,
  );
  return Object.fromEntries(found.map(({ owner, over: n }) => [owner, n]));
};

it("at the limit nobody loses any, and with one more who has most loses one", () => {
  expect([over(10, 4, 6), over(10), over(0, 0)]).toEqual([{}, {}, {}]);
  expect(over(9, 4, 6)).toEqual({ b: 1 });
});

it("who has less than an equal part keeps all, and leaves the rest of it to the others", () => {
  expect(over(10, 1, 20, 2)).toEqual({ b: 13 });
  expect(over(10, 20, 1, 30)).toEqual({ a: 16, c: 25 });
  expect(over(3, 5, 5)).toEqual({ a: 4, b: 3 });
  expect(over(0, 2, 3)).toEqual({ a: 2, b: 3 });
});
