/** Estimates against waits worked out by hand, and against what then happens on a simulated farm. */
import { Random, type SessionId, toSessionId, toWorkerId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { errorsOf, simulateDay } from "../../../test-support/waiting-day.mjs";
import { FairShare } from "./fair-share.ts";
import { type Farm, playAhead, type Waiter } from "./play-ahead.ts";

const [a, b, c] = ["a", "b", "c"].map(toSessionId) as [SessionId, SessionId, SessionId];
const waiter = (id: SessionId, ready: number, more: Partial<Waiter> = {}): Waiter => ({
  ...{ id, principal: id, priority: 0, building: 0, ready, more: 0, paused: false },
  ...more,
});

/** Runs take 1,000 ms for each session. Nothing waits but what the waiters say. */
function play(waiters: readonly Waiter[], { groups, ...more }: Partial<Farm> = {}) {
  const shares = new FairShare();
  for (const { id, principal, priority, paused } of waiters) {
    shares.put({ id, principal, priority, weight: 1, usedMs: 0, paused });
    shares.used(id, 1_000);
  }
  const devices = groups ?? [{ key: "g", free: 1, running: [] }];
  return playAhead({ shares, waiters, groups: devices, fits: () => true, builders: 1, buildMs: 10, ...more });
}

it("principals take turns, and each is told of the runs before its next", () => {
  expect(play([waiter(a, 2), waiter(b, 2)])).toEqual(
    new Map([
      [a, { before: 0, startsInMs: 0, doneInMs: 3_000 }],
      [b, { before: 1, startsInMs: 1_000, doneInMs: 4_000 }],
    ]),
  );
});

it("what a search will still send delays others; a paused session delays nobody and is told nothing", () => {
  expect(play([waiter(a, 3), waiter(b, 1)]).get(a)?.doneInMs).toBe(4_000);
  // The next input of b is built while a run of a has the device.
  expect(play([waiter(a, 3), waiter(b, 1, { more: 5 })]).get(a)?.doneInMs).toBe(5_000);
  const paused = play([waiter(a, 3), waiter(b, 1, { more: 5, paused: true })]);
  expect([paused.get(a)?.doneInMs, paused.get(b)]).toEqual([3_000, undefined]);
});

it("runs in hand end after what is left of the mean, a fifth of it at least", () => {
  const after = (heldMs: number) =>
    play([waiter(a, 1)], { groups: [{ key: "g", free: 0, running: [{ session: a, heldMs }] }] }).get(a);
  expect([after(0), after(300), after(900), after(5_000)].map((told) => told?.startsInMs)).toEqual([1_000, 700, 200, 200]);
  expect(after(300)?.doneInMs).toBe(1_700);
});

it("goes by the devices that fit, by priority among one's own, and over builders", () => {
  const groups = ["g", "h"].map((key) => ({ key, free: 1, running: [] }));
  const fits = (session: SessionId, group: string) => session !== c || group === "h";
  const told = play([waiter(a, 2), waiter(c, 2)], { groups, fits });
  expect([told.get(a)?.doneInMs, told.get(c)?.doneInMs]).toEqual([2_000, 2_000]);
  const own = play([waiter(a, 1, { principal: "p" }), waiter(b, 1, { principal: "p", priority: 3 })]);
  expect([own.get(b)?.startsInMs, own.get(a)?.startsInMs, own.get(a)?.before]).toEqual([0, 1_000, 1]);
  const built = play([waiter(a, 0, { building: 2 }), waiter(b, 0, { building: 1 })]);
  expect([built.get(a)?.startsInMs, built.get(b)?.startsInMs, built.get(a)?.doneInMs]).toEqual([10, 1_010, 3_010]);
  expect(play([waiter(a, 0, { building: 1 })], { builders: 0 })).toEqual(new Map());
  expect(play([waiter(a, 1)], { groups: [] })).toEqual(new Map());
});

it("looks no further than a bounded number of steps, and what was served goes on at its rate", () => {
  const groups = Array.from({ length: 64 }, (_, i) => ({ key: `g${i}`, free: 1, running: [] }));
  let asked = 0;
  const fits = () => ++asked > 0;
  const told = play([waiter(a, 1_000_000), waiter(b, 0, { building: 1_000_000 })], { groups, fits });
  expect(asked).toBeLessThan(100_000);
  // A step costs something however few there are to look at.
  asked = 0;
  expect(play([waiter(a, 1_000_000)], { fits }).get(a)?.doneInMs).toBeCloseTo(1_000_000_000, -7);
  expect(asked).toBeLessThan(20_000);
  // Each of two principals with something to do has half of the devices, but for the first builds of b.
  const seconds = (told.get(a)?.doneInMs ?? 0) / 1e3;
  expect(seconds).toBeGreaterThan(0.9 * (1_000_000 / 32));
  expect(seconds).toBeLessThan(1.1 * (1_000_000 / 32));
});

it("does nothing to the accounts that it plays with", () => {
  const shares = new FairShare();
  for (const id of [a, b]) shares.put({ id, principal: id, priority: 0, weight: 1, usedMs: 0 });
  shares.addReady([a, a, b]);
  const next = () => [shares.positionOf(a), shares.positionOf(b), shares.meanMsOf(a), shares.anyReady];
  const before = next();
  playAhead({
    ...{ shares, fits: () => true, builders: 0, buildMs: 1, waiters: [waiter(a, 2), waiter(b, 1)] },
    groups: [{ key: "g", free: 2, running: [] }],
  });
  expect(next()).toEqual(before);
  const device = { worker: toWorkerId("w"), epoch: 1, device: 0, free: 9 };
  expect(shares.plan([{ key: "g", devices: [device] }], () => true, 9)).toHaveLength(3);
});

it("predicts two hours of a simulated farm: half of the errors are below a quarter", () => {
  const parts = { FairShare, playAhead, toSessionId, toWorkerId };
  const { told } = simulateDay(parts, new Random(7), { principals: 12, devices: 16, hours: 2, everyMs: 300_000 });
  const errors = errorsOf(told, "doneInMs", "doneMs");
  expect(errors.length).toBeGreaterThan(100);
  expect(errors[errors.length >> 1]).toBeLessThan(0.25);
});
