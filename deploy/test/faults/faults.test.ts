/**
 * Whichever process dies, the run ends with every sequence once, nothing that was acknowledged is lost or executed again, no
 * config is blamed, and a killed client or builder causes no further execution. `npm run campaign`: 100 trials for each process,
 * killed three times at random times, five repeats, and the rolling restart. In npm test a runner is asked to end three times,
 * others kill each process once
 * (../survival/kills.test.ts, ../suite.test.ts), and the tests of each process ask it to end.
 */
import { describe, expect, test } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { Place } from "../warpfarm-process.ts";
import { campaign, type Victim, victims } from "./campaign.ts";

interface Case {
  readonly name: string;
  readonly trials: number;
  readonly seed: number;
  readonly victims: readonly Victim[];
}

const cases: readonly Case[] = victims.flatMap((victim, v) =>
  [1, 2, 3, 4, 5].map((repeat) => ({
    name: `${victim}, repeat ${repeat}`,
    trials: 100,
    seed: 100 * (v + 1) + repeat,
    victims: [victim, victim, victim],
  })),
);

describe("kill -9 at random times", () => {
  test.for(cases)("$name", { timeout: 900_000 }, async ({ trials, seed, victims: order }, ctx) => {
    needs(ctx, "cc");
    if (!isFull) ctx.skip("part of the campaign: other tests kill each process once");
    using place = new Place();
    const report = await campaign(place, { trials, victims: order, seed, deadlineMs: 890_000 });
    const { kills, executions, last } = report;
    console.log(
      `seed ${seed}: killed ${kills.map((kill) => `${kill.victim} at ${kill.done}`).join(", ")}; ${executions} executions`,
    );
    expect(last.code, last.stderr).toBe(0);
    expect(report.sequences).toEqual(Array.from({ length: trials }, (_, i) => i + 1));
    expect(report.lostLines).toEqual([]);
    expect(report.repeated).toEqual([]);
    expect(report.unexplained).toEqual([]);
    expect(report.failures).toEqual([]);
    // Each measured trial is executed once, and the default schedule; more only when a runner or tracker was killed.
    if (order.some((victim) => victim === "tracker" || victim.startsWith("runner")))
      expect(executions).toBeGreaterThanOrEqual(report.measured + 1);
    else expect(executions).toBe(report.measured + 1);
    expect(kills.length).toBeGreaterThanOrEqual(Math.ceil(order.length / 2));
  });
});

/** As a pod of low priority or a task at its limit: bench/preemption.bench.mjs has the rate. */
test("a runner that is asked to end again and again during a tune hands everything back: nothing is lost or measured twice", {
  timeout: 900_000,
}, async (ctx) => {
  needs(ctx, "cc");
  using place = new Place();
  const trials = isFull ? 200 : 18;
  const order = Array.from({ length: isFull ? 20 : 3 }, () => "runner" as const);
  const report = await campaign(place, { trials, victims: order, seed: 3, signal: "SIGTERM", deadlineMs: 890_000 });
  expect(report.last.code, report.last.stderr).toBe(0);
  // A fast search may end before the last one is asked.
  expect(report.kills.length).toBeGreaterThanOrEqual(Math.ceil(order.length / 2));
  expect(report.clients).toBe(1);
  expect(report.sequences).toEqual(Array.from({ length: trials }, (_, i) => i + 1));
  expect([report.lostLines, report.repeated, report.unexplained, report.failures]).toEqual([[], [], [], []]);
  // Besides the default schedule, at most the one that each had begun is done again.
  expect(report.executions - report.measured).toBeGreaterThanOrEqual(1);
  expect(report.executions - report.measured).toBeLessThanOrEqual(1 + order.length);
});

/** In the order of docs/operations.md. */
test("a rolling restart of every part during a tune loses nothing, repeats nothing, and the client never notices", {
  timeout: 900_000,
}, async (ctx) => {
  needs(ctx, "cc");
  if (!isFull) ctx.skip("part of the campaign: the tests of builder, runner and tracker ask each to end");
  using place = new Place();
  const order = ["runner", "builder", "tracker"] as const;
  const trials = 24;
  const report = await campaign(place, { trials, victims: order, seed: 7, signal: "SIGTERM", deadlineMs: 890_000 });
  expect(report.last.code, report.last.stderr).toBe(0);
  expect(report.kills.map(({ victim }) => victim)).toEqual(order);
  expect(report.clients).toBe(1);
  expect(report.sequences).toEqual(Array.from({ length: trials }, (_, i) => i + 1));
  expect([report.lostLines, report.repeated, report.unexplained, report.failures]).toEqual([[], [], [], []]);
  // One more for the default schedule, and those that the runner had begun when it was ended.
  expect(report.executions - report.measured).toBeGreaterThanOrEqual(1);
  expect(report.executions - report.measured).toBeLessThanOrEqual(2);
});
