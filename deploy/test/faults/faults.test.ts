/**
 * Whichever process is asked to end, the run ends with every sequence once, nothing that was acknowledged is lost or executed
 * again, and no config is blamed. A runner is asked twenty times, and all parts in a rolling restart. For the campaign: the tests
 * of builder, runner and tracker ask each to end. Kills with -9: ../survival/kills.test.ts, ../suite.test.ts.
 */
import { expect, test } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { Place } from "../warpfarm-process.ts";
import { campaign } from "./campaign.ts";

const why = "part of the campaign: the tests of builder, runner and tracker ask each to end";

/** As a pod of low priority or a task at its limit: bench/preemption.bench.mjs has the rate. */
test("a runner that is asked to end again and again during a tune hands everything back: nothing is lost or measured twice", {
  timeout: 900_000,
}, async (ctx) => {
  needs(ctx, "cc");
  if (!isFull) ctx.skip(why);
  using place = new Place();
  const trials = 200;
  const asked = Array.from({ length: 20 }, () => "runner" as const);
  const report = await campaign(place, { trials, asked, seed: 3, deadlineMs: 890_000 });
  expect(report.last.code, report.last.stderr).toBe(0);
  // A fast search may end before the last one is asked.
  expect(report.ended.length).toBeGreaterThanOrEqual(Math.ceil(asked.length / 2));
  expect(report.sequences).toEqual(Array.from({ length: trials }, (_, i) => i + 1));
  expect([report.lostLines, report.repeated, report.unexplained, report.failures]).toEqual([[], [], [], []]);
  // Besides the default schedule, at most the one that each had begun is done again.
  expect(report.executions - report.measured).toBeGreaterThanOrEqual(1);
  expect(report.executions - report.measured).toBeLessThanOrEqual(1 + asked.length);
});

/** In the order of docs/operations.md. */
test("a rolling restart of every part during a tune loses nothing, repeats nothing, and the client never notices", {
  timeout: 900_000,
}, async (ctx) => {
  needs(ctx, "cc");
  if (!isFull) ctx.skip(why);
  using place = new Place();
  const asked = ["runner", "builder", "tracker"] as const;
  const trials = 24;
  const report = await campaign(place, { trials, asked, seed: 7, deadlineMs: 890_000 });
  expect(report.last.code, report.last.stderr).toBe(0);
  expect(report.ended).toEqual(asked);
  expect(report.sequences).toEqual(Array.from({ length: trials }, (_, i) => i + 1));
  expect([report.lostLines, report.repeated, report.unexplained, report.failures]).toEqual([[], [], [], []]);
  // One more for the default schedule, and those that the runner had begun when it was ended.
  expect(report.executions - report.measured).toBeGreaterThanOrEqual(1);
  expect(report.executions - report.measured).toBeLessThanOrEqual(2);
});
