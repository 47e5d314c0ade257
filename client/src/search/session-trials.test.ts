/** A search that would end asks whether it has all its trials. */
import { expect, it } from "vitest";
import { scriptedMeasurer, timedResult } from "../measure/scripted.testing.ts";
import { MoreTrials } from "./more-trials.ts";
import type { Pace } from "./pace.ts";
import { collect, optionsOf, summaryOf, trialsOf } from "./session.testing.ts";

/** Gives leave for `count` candidates, and wants the search parked then. */
const parkedAfter = (count: number): Pace => {
  let taken = 0;
  return {
    take: () => taken < count && ++taken > 0,
    giveBack: () => void taken--,
    gave: () => {},
    isOver: false,
    get isParked() {
      return taken === count;
    },
    changed: () => new Promise(() => {}),
  };
};

it("asks whether its trials are all before it ends, and measures what it is given then", async () => {
  const gifts = [25, 30];
  const asked: number[] = [];
  const more = new MoreTrials();
  more.givenBy(async () => {
    asked.push(more.count);
    more.set(gifts[asked.length - 1] ?? 0);
  });
  const events = await collect(optionsOf({ more }));
  expect([trialsOf(events).length, summaryOf(events).reason]).toEqual([70, "trials"]);
  expect(asked).toEqual([0, 25, 30]);
});

it("has heard of every trial when it stops earlier or is parked", async () => {
  for (const early of [{ stop: { patience: 6 } }, { pace: parkedAfter(10) }]) {
    const more = new MoreTrials();
    let asked = 0;
    more.givenBy(async () => more.set(++asked < 3 ? asked : 0));
    const alike = scriptedMeasurer(() => timedResult(1));
    const events = await collect(optionsOf({ more, measurer: alike, inFlight: 4, ...early }));
    expect([asked, more.count]).toEqual([3, 2]);
    expect(summaryOf(events).reason).toBe("pace" in early ? "parked" : "patience");
  }
});
