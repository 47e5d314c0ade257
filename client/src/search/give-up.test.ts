/** A run without results ends. The test controls time. */
import { ManualClock } from "@warpfarm/common";
import { expect, test } from "vitest";
import { GiveUp } from "./give-up.ts";

test("gives up when nothing was heard for its time, counted anew from each result", async () => {
  const clock = new ManualClock();
  using giveUp = new GiveUp(clock, 600_000);
  for (let second = 0; second < 599; second++) await clock.advance(1_000);
  expect(giveUp.signal.aborted).toBe(false);
  giveUp.heard();
  for (let second = 0; second < 599; second++) await clock.advance(1_000);
  expect(giveUp.signal.aborted).toBe(false);
  for (let second = 0; second < 2; second++) await clock.advance(1_000);
  expect(giveUp.signal.reason).toMatchObject({
    code: "DEADLINE_EXCEEDED",
    message: expect.stringMatching(/^no result came for 10m \(--give-up\)/),
  });
});
test("a run that is held is not given up; once it goes on the time begins anew", async () => {
  const clock = new ManualClock();
  using giveUp = new GiveUp(clock, 60_000);
  giveUp.held(true);
  for (let second = 0; second < 600; second++) await clock.advance(1_000);
  giveUp.held(false);
  for (let second = 0; second < 59; second++) await clock.advance(1_000);
  expect(giveUp.signal.aborted).toBe(false);
  for (let second = 0; second < 3; second++) await clock.advance(1_000);
  expect(giveUp.signal.aborted).toBe(true);
});
test("a run that has ended is not given up", async () => {
  const clock = new ManualClock();
  const giveUp = new GiveUp(clock, 5_000);
  giveUp[Symbol.dispose]();
  for (let second = 0; second < 20; second++) await clock.advance(1_000);
  expect(giveUp.signal.aborted).toBe(false);
});
