import { expect, test } from "vitest";
import { bestAfterEach, type Course, nextShare } from "./share-trials.ts";

/** Plays searches whose times are known; the trials of each at the end. */
function played(times: readonly ((nth: number) => number | undefined)[], trials: number, sizes = times.map(() => Infinity)) {
  const told = times.map(() => [] as (number | undefined)[]);
  const courses = (): Course[] =>
    told.map((seconds, at) => ({ bestAfter: bestAfterEach(seconds), isOver: seconds.length >= (sizes[at] ?? 0) }));
  for (let turns = 0; turns < 100; turns++) {
    const share = nextShare(courses(), trials);
    if (share === undefined) return told.map(({ length }) => length);
    for (const [at, upTo] of share.entries())
      while ((told[at]?.length ?? 0) < Math.min(upTo, sizes[at] ?? 0)) told[at]?.push(times[at]?.(told[at]?.length ?? 0));
  }
  throw new Error("it does not end");
}

test("one that is far behind has its starts, and the others all the rest", () => {
  expect(played([() => 1, () => 2], 64)).toEqual([56, 8]);
  expect(played([() => 3, () => 1, () => 1.1], 64)).toEqual([8, 28, 28]);
  // Where nothing of it runs, it is far behind.
  expect(played([() => undefined, () => 1], 64)).toEqual([8, 56]);
});

test("one within a fifth of the leader goes on, and is left when the leader gets better", () => {
  expect(played([() => 1.15, () => 1], 64)).toEqual([32, 32]);
  expect(played([() => 1.2, () => 1], 64)).toEqual([32, 32]);
  // While none has a time, none is behind.
  expect(played([() => undefined, (n) => (n < 20 ? undefined : 1)], 64)).toEqual([24, 40]);
  expect(played([() => 1.15, (n) => (n < 12 ? 1 : 0.5)], 64)).toEqual([24, 40]);
  // It wins, though it began slower.
  expect(played([(n) => (n < 10 ? 1.15 : 0.5), () => 1], 64)).toEqual([40, 24]);
});

test("all trials are spent and no more, however few", () => {
  for (const trials of [1, 2, 3, 5, 7, 16, 17, 100])
    for (const count of [1, 2, 3, 6]) {
      const spent = played(
        Array.from({ length: count }, (_, i) => () => 1 + i / 10),
        trials,
      );
      expect(spent.reduce((a, b) => a + b, 0)).toBe(trials);
    }
});

test("a space without more configs gives its trials to the others, and two such end the search", () => {
  expect(played([() => 1, () => 1], 64, [5, Infinity])).toEqual([5, 59]);
  expect(played([() => 1, () => 1], 64, [5, 6])).toEqual([5, 6]);
});

test("what is next follows from the results alone: cut off anywhere, it goes on as it would have", () => {
  const times = [(n: number) => 1 / (1 + n), (n: number) => 1.3 - n / 64];
  const whole = played(times, 64);
  for (const cut of [3, 8, 11, 20]) {
    const seconds = times.map((of, at) => Array.from({ length: Math.min(cut, whole[at] ?? 0) }, (_, n) => of(n)));
    const share = nextShare(
      seconds.map((each) => ({ bestAfter: bestAfterEach(each), isOver: false })),
      64,
    );
    for (const [at, upTo] of (share ?? []).entries()) expect(upTo).toBeLessThanOrEqual(whole[at] ?? 0);
  }
});

test("the last that is left has all of the rest at once, so its search is not closed between", () => {
  expect(nextShare([{ bestAfter: [], isOver: false }], 100)).toEqual([100]);
});

test("rounds are of doubling length, from the number of starts on", () => {
  const shares: number[][] = [];
  const told = [0, 0];
  for (;;) {
    const share = nextShare(
      told.map((length) => ({ bestAfter: new Array<number>(length).fill(1), isOver: false })),
      200,
    );
    if (share === undefined) break;
    shares.push([...share]);
    told.splice(0, 2, ...share);
  }
  expect(shares).toEqual([8, 24, 56, 100].map((each) => [each, each]));
});
