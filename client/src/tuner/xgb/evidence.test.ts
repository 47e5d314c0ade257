/** Which results a cost model is trained on where there are more than it takes. */
import type { ConfigIndex } from "@warpfarm/compiler";
import { expect, test } from "vitest";
import { Evidence } from "./evidence.ts";

test("of more results than it takes, half are the fastest and the others the latest; sorted by config", () => {
  const evidence = new Evidence();
  const seconds = [5, 1, 6, 7, 2, 8, 9, 3];
  for (const [i, each] of seconds.entries())
    evidence.add({ index: (7 - i) as ConfigIndex, outcome: { kind: "timed", seconds: each } });
  const kept = (most: number) => evidence.rows(most).map(({ index }) => seconds[7 - index]);
  expect(kept(8)).toEqual(seconds.toReversed());
  // 1 and 2 are the fastest; of the others 9 and 3 came last.
  expect(kept(4)).toEqual([3, 9, 2, 1]);
  expect(kept(5)).toEqual([3, 9, 8, 2, 1]);
});
