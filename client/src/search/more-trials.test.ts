import { expect, it } from "vitest";
import { MoreTrials } from "./more-trials.ts";

it("tells of each increase, and of nothing that is none", async () => {
  const more = new MoreTrials();
  const set = async (count: number) => {
    let isTold = false;
    void more.changed().then(() => {
      isTold = true;
    });
    more.set(count);
    await new Promise(setImmediate);
    return [isTold, more.count];
  };
  for (const [count, told] of [
    [5, [true, 5]],
    [5, [false, 5]],
    [3, [false, 5]],
    [6, [true, 6]],
    [9, [true, 9]],
  ] as const)
    expect(await set(count)).toEqual(told);
});

it("a search ends when whoever gives them gave no more, each time that it asks", async () => {
  const more = new MoreTrials();
  const { signal } = new AbortController();
  expect(await more.settle(signal)).toBe(true);
  const given = [4, 4, 6];
  more.givenBy(async () => more.set(given.shift() ?? 6));
  expect([await more.settle(signal), await more.settle(signal), await more.settle(signal), await more.settle(signal)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  more.givenBy(async (heard) => heard.throwIfAborted());
  const over = new AbortController();
  over.abort(new Error("ctrl-C"));
  await expect(more.settle(over.signal)).rejects.toThrow("ctrl-C");
});
