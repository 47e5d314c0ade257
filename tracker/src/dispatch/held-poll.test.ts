/** How long calls are held, and that each is answered once. */
import { ManualClock, toWorkerId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { HoldTimes, nothing, Poll, type Work } from "./held-poll.ts";

function opened() {
  const clock = new ManualClock(0);
  const polls = new Set<Poll>();
  const heard: string[] = [];
  const owner = { answered: (poll: Poll) => void polls.delete(poll) };
  const times = new HoldTimes(
    clock,
    () => polls,
    (poll) => poll.answer(nothing),
  );
  const hold = (name: string, until: number, signal = new AbortController().signal) => {
    const takes = {
      take: ({ cancel }: Work) => void heard.push(`${name} at ${clock.monotonic()}${cancel.length > 0 ? " cancel" : ""}`),
    };
    const poll = new Poll(owner, toWorkerId(name), [], undefined, { until, signal }, takes);
    polls.add(poll);
    times.add(poll);
    poll.hold();
    return poll;
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await new Promise(setImmediate);
    return heard.splice(0);
  };
  return { hold, pass, polls, heard };
}

it("a call is answered when its time is over and not before, the earliest first, whichever came first, and the next ones too", async () => {
  const { hold, pass, polls } = opened();
  hold("late", 1_000);
  hold("early", 500);
  expect(await pass(499)).toEqual([]);
  expect(await pass(1)).toEqual(["early at 500"]);
  hold("between", 700);
  expect(await pass(199)).toEqual([]);
  expect(await pass(1)).toEqual(["between at 700"]);
  expect(await pass(300)).toEqual(["late at 1000"]);
  expect(polls.size).toBe(0);
  hold("again", 1_200);
  expect(await pass(199)).toEqual([]);
  expect(await pass(1)).toEqual(["again at 1200"]);
});

it("those that end within a tenth of a second may be answered together, none later than that", async () => {
  const { hold, pass } = opened();
  for (const [name, until] of [
    ["a", 500],
    ["b", 510],
    ["c", 601],
  ] as const)
    hold(name, until);
  expect(await pass(500)).toEqual(["a at 500"]);
  expect(await pass(99)).toEqual([]);
  expect(await pass(1)).toEqual(["b at 600"]);
  expect(await pass(100)).toEqual(["c at 700"]);
});

it("a call has one answer: the first, or nothing when it is given up, before or while it is held", async () => {
  const { hold, pass, heard, polls } = opened();
  const gone = new AbortController();
  const [first, second] = [hold("first", 500), hold("second", 500, gone.signal)];
  first.answer({ ...nothing, cancel: ["l" as never] });
  first.answer(nothing);
  expect([first.isOpen, second.isOpen, heard.splice(0)]).toEqual([false, true, ["first at 0 cancel"]]);
  gone.abort();
  expect([second.isOpen, heard.splice(0)]).toEqual([false, ["second at 0"]]);
  second.answer({ ...nothing, cancel: ["l" as never] });
  hold("third", 500, AbortSignal.abort());
  expect([heard.splice(0), polls.size]).toEqual([["third at 0"], 0]);
  expect(await pass(1_000)).toEqual([]);
});
