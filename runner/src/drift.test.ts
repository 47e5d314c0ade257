import { expect, test } from "vitest";
import { Drift } from "./drift.ts";

const minute = 60_000;

test("a kernel that takes what it took is well, and looked at again after the time", () => {
  const drift = new Drift({ everyMs: 10 * minute, restMs: 5, maxPercent: 30 });
  expect(drift.isDue(0, true)).toBe(true);
  drift.look({ memory: 1e-3 }, 0);
  expect([drift.isDue(9 * minute, true), drift.isDue(10 * minute, true)]).toEqual([false, true]);
  drift.look({ memory: 1.3e-3 }, 10 * minute);
  expect([drift.trouble, drift.isDue(11 * minute, true)]).toEqual(["", false]);
});

test("one slow time is looked at again soon; two are trouble, until it takes what it took at its best", () => {
  const drift = new Drift({ everyMs: 10 * minute, restMs: 5, maxPercent: 30 });
  const look = (seconds: number) => {
    drift.look({ memory: seconds }, 0);
    return [drift.trouble, drift.isDue(1, true)];
  };
  look(1.1e-3);
  look(1e-3); // faster: this is what counts from now on
  expect(look(2e-3)).toEqual(["", true]);
  expect(look(1.01e-3)).toEqual(["", false]);
  look(1.4e-3);
  expect(look(1.4e-3)).toEqual([
    `of the node's own kernels "memory" takes 1400.0 us, 40 % more than the 1000.0 us it took before; allowed: 30 %`,
    true,
  ]);
  expect(look(1.35e-3)[0]).toContain("35 % more");
  expect(look(1.2e-3)).toEqual(["", false]);
});

test("looks are told with when they were and how slow the slowest kernel was, the last 128 of them", () => {
  const drift = new Drift({ everyMs: minute, restMs: 5, maxPercent: 30 });
  expect(drift.checks(0)).toEqual({ count: 0, last: [] });
  drift.look({ memory: 2e-3, arithmetic: 1e-2 }, 1_000);
  drift.look({ memory: 2.1e-3, arithmetic: 1.2e-2 }, 4_000);
  drift.look({ memory: 1e-3, arithmetic: 1e-2 }, 5_000);
  expect(drift.checks(6_000)).toEqual({
    count: 3,
    last: [
      { agoMs: 5_000, ratio: 1 },
      { agoMs: 2_000, ratio: 1.2 },
      { agoMs: 1_000, ratio: 1 },
    ],
  });
  drift.look({ memory: 1.25e-3, arithmetic: 1e-2 }, 6_000); // over what became its best
  expect(drift.checks(6_000).last.at(-1)).toEqual({ agoMs: 0, ratio: 1.25 });
  for (let i = 0; i < 200; i++) drift.look({ memory: 1e-3 }, 7_000 + i);
  const { count, last } = drift.checks(7_199);
  expect([count, last.length, last[0]?.agoMs, last.at(-1)?.agoMs]).toEqual([204, 128, 127, 0]);
});

test("each kernel is held against itself, and one that is slow is trouble whatever the other takes", () => {
  const drift = new Drift({ everyMs: minute, restMs: 5, maxPercent: 30 });
  for (let i = 0; i < 3; i++) drift.look({ memory: 1e-3, arithmetic: 1e-2 }, 0);
  expect(drift.trouble).toBe("");
  for (let i = 0; i < 2; i++) drift.look({ memory: 1e-3, arithmetic: 2e-2 }, 0);
  expect(drift.trouble).toContain('"arithmetic" takes 20000.0 us, 100 % more than the 10000.0 us');
  expect(drift.trouble).not.toContain("memory");
});

test("a look that follows a slow one has a rest before it, and no other", () => {
  const drift = new Drift({ everyMs: minute, restMs: 5, maxPercent: 30 });
  const rests = [1e-3, 2e-3, 2e-3, 1e-3].map((memory) => {
    const before = drift.restMs;
    drift.look({ memory }, 0);
    return before;
  });
  expect([...rests, drift.restMs]).toEqual([0, 0, 5, 5, 0]);
});

test("a device that is never idle is looked at all the same, half as often; a slow time there is looked at again soon, too", () => {
  const drift = new Drift({ everyMs: 10 * minute, restMs: 5, maxPercent: 30 });
  const due = (...minutes: readonly number[]) => minutes.map((at) => drift.isDue(at * minute, false));
  expect(due(5, 14, 15)).toEqual([false, false, true]);
  drift.look({ memory: 1e-3 }, 15 * minute);
  expect(due(34, 35)).toEqual([false, true]);
  drift.look({ memory: 2e-3 }, 35 * minute);
  expect(due(36)).toEqual([true]);
  drift.look({ memory: 2e-3 }, 36 * minute);
  expect(drift.trouble).toContain("100 % more");
});
