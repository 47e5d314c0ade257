import { expect, it } from "vitest";
import { plannedTask } from "../../../test-support/suite-plan.ts";
import { Entry } from "./entry.ts";

const entryOf = (onChange = () => {}) =>
  new Entry(plannedTask("t", "toy", { budget: { trials: 100, patience: 100 } }, { weight: 2 }), onChange);
const results = [
  { seconds: undefined, deviceMs: 5 },
  { seconds: 2, deviceMs: 10 },
  { seconds: 3, deviceMs: 20 },
];

it("knows its log as often as it is opened, and counts it once", () => {
  const entry = entryOf();
  for (const flops of [1, 2]) {
    entry.know({ flops, defaultSeconds: flops, results });
    expect(entry.course()).toEqual({
      ...{ weight: 2, flops, told: 3, outstanding: 0, deviceSeconds: 0.035, defaultSeconds: flops },
      bestAfter: [Number.POSITIVE_INFINITY, 2, 2],
    });
  }
  entry.count({ seconds: 1, deviceMs: 1 });
  expect([entry.told, entry.best, entry.deviceMs]).toEqual([4, 1, 36]);
});

it("has permits, which are taken one by one and given back, and none once it is closed; opened again it begins anew", () => {
  let changes = 0;
  const entry = entryOf(() => changes++);
  for (const state of ["parked", "ended"] as const) {
    expect(entry.take()).toBe(false);
    entry.permits = 3;
    expect([entry.take(), entry.take(), entry.outstanding, entry.asked]).toEqual([true, true, 3, 3]);
    entry.giveBack();
    expect([entry.outstanding, entry.isDry]).toEqual([2, true]);
    entry.isParked = true;
    entry.close(state);
    expect([entry.state, entry.outstanding, entry.isDry, entry.isParked]).toEqual([state, 0, false, false]);
  }
  expect(changes).toBe(2);
});

it("is given trials, never fewer than before, and says so once", () => {
  let changes = 0;
  const entry = entryOf(() => changes++);
  for (const trials of [5, 5, 3, 7]) entry.gave(trials);
  expect([entry.trials, changes]).toEqual([107, 2]);
});

it("a change while nobody waits ends the next wait, and only that one; one while somebody waits ends it for all", async () => {
  const entry = entryOf();
  const isOver = async (wait: Promise<void>) => {
    let over = false;
    void wait.then(() => {
      over = true;
    });
    await new Promise(setImmediate);
    return over;
  };
  for (let round = 0; round < 2; round++) {
    entry.wake();
    entry.wake();
    expect(await isOver(entry.changed())).toBe(true);
    const [first, second] = [entry.changed(), entry.changed()];
    expect(await isOver(first)).toBe(false);
    entry.wake();
    expect([await isOver(first), await isOver(second)]).toEqual([true, true]);
  }
});
