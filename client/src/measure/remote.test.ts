/** The remote measurer against a tracker that follows the protocol and breaks off on command. */
import { type Clock, FarmError, Random, systemClock, toSessionId } from "@warpfarm/common";
import type { SessionControl } from "@warpfarm/proto";
import { afterEach, describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import { until } from "../../../test-support/until.ts";
import { MoreTrials } from "../search/more-trials.ts";
import type { MeasureRecord } from "./measurer.ts";
import { all, cleanUp, expectEach, inputs, secondsOf, signalOf, start } from "./remote.testing.ts";
import { failedResult, timedResult } from "./scripted.testing.ts";

afterEach(cleanUp);

const shuffledDelay = (random: Random) => () => new Promise((resolve) => setTimeout(resolve, random.below(4)));

const quick: Clock = { ...systemClock, sleep: (_ms, o) => systemClock.sleep(1, o) };

describe("the remote measurer", () => {
  it("answers every input once, in any order, and closes the session", async () => {
    const pause = shuffledDelay(new Random(2));
    const { tracker, measurer } = await start({
      execute: async (text) => {
        await pause();
        return timedResult(secondsOf(text));
      },
    });
    expectEach(await all(measurer.measure(inputs(60), { signal: signalOf() })), 60);
    expect([...tracker.executions.values()].every((n) => n === 1)).toBe(true);
    expect(tracker.streams).toBe(1);
    expect(tracker.closed).toEqual(["s-1"]);
  });

  it("sends each program's bytes once, the reference's too", async () => {
    const { tracker, measurer } = await start();
    await all(measurer.measure(inputs(20), { signal: signalOf() }));
    expect(tracker.carried).toBe(21);
  });

  it("closes the sessions that a cut-off run left behind and the tracker does not know, and tells its own before anything is sent", async () => {
    const told: string[] = [];
    const { tracker, measurer } = await start(
      {},
      {
        leftBehind: [toSessionId("old-1"), toSessionId("old-2")],
        onSession: async (session) => {
          expect(tracker.streams).toBe(0);
          told.push(session);
        },
      },
    );
    expectEach(await all(measurer.measure(inputs(3), { signal: signalOf() })), 3);
    expect(told).toEqual(["s-1"]);
    expect(tracker.closed).toEqual(["old-1", "old-2", "s-1"]);
  });

  it("tells what is made of its session, with the trials that a lost one was given", async () => {
    const told: SessionControl[] = [];
    const given: Readonly<Record<string, number>> = { "s-1": 30, "s-2": 4 };
    let events = 0;
    const { tracker, measurer } = await start(
      {
        control: (session) => ({ paused: session === "s-2", moreTrials: given[session] ?? 5 }),
        fate: () => (++events === 6 || events === 10 ? "lose" : "send"),
      },
      { clock: quick, onControl: (control) => void told.push(control), more: new MoreTrials() },
    );
    expectEach(await all(measurer.measure(inputs(8), { signal: signalOf() })), 8);
    expect(tracker.begun).toMatchObject({ sessionId: "s-3", takesControl: true, takesTrials: true });
    expect(told).toEqual([
      { paused: false, moreTrials: 30 },
      { paused: true, moreTrials: 34 },
      { paused: false, moreTrials: 39 },
    ]);
    const silent = await start({ control: () => ({ paused: true, moreTrials: 1 }) });
    expectEach(await all(silent.measurer.measure(inputs(2), { signal: signalOf() })), 2);
    expect(Object.keys(silent.tracker.begun ?? {})).toEqual(["kind", "sessionId", "resumeAfter"]);
  });

  it("asks whether the trials of its session are all, and takes no more from then on", async () => {
    const told: SessionControl[] = [];
    const asked: (readonly [string, number])[] = [];
    const answers = [9, 9];
    let breaks = false;
    const more = new MoreTrials();
    const { tracker, measurer } = await start(
      {
        control: () => ({ paused: false, moreTrials: 4 }),
        settle: (session, heard) => {
          asked.push([session, heard]);
          if (asked.length === 1) throw new FarmError("UNAVAILABLE", "the tracker was away");
          return answers[asked.length - 2] ?? 0;
        },
        fate: () => {
          const fate = breaks ? "break" : "send";
          breaks = false;
          return fate;
        },
      },
      { clock: quick, onControl: (control) => void told.push(control), more },
    );
    async function* asking() {
      for await (const input of inputs(3)) yield input;
      await until(() => told.length === 1, "the first word");
      for (let i = 0; i < 2; i++) await more.settle(signalOf());
      breaks = true;
      let skipped = 0;
      for await (const input of inputs(5)) if (++skipped > 3) yield input;
    }
    expectEach(await all(measurer.measure(asking(), { signal: signalOf() })), 5);
    // The stream told of 4, and the tracker was away at first.
    expect(asked.map(([, heard]) => heard)).toEqual([4, 4, 9]);
    expect(told.at(-1)).toEqual({ paused: false, moreTrials: 9 });
    expect(tracker.streams).toBe(2);
    expect(tracker.begun).toMatchObject({ takesControl: true });
    expect(tracker.begun).not.toHaveProperty("takesTrials");
  });

  it("asks for the trials of the session that an earlier process left behind", async () => {
    const asked: string[] = [];
    const told: SessionControl[] = [];
    const more = new MoreTrials();
    const { measurer } = await start(
      { settle: (session) => asked.push(session) && 5 },
      { leftBehind: [toSessionId("old-1"), toSessionId("old-2")], onControl: (control) => void told.push(control), more },
    );
    for (let i = 0; i < 2; i++) await more.settle(signalOf());
    expect(await all(measurer.measure(inputs(0), { signal: signalOf() }))).toEqual([]);
    expect([asked, told]).toEqual([["old-2", "old-2"], [{ paused: false, moreTrials: 5 }]]);
  });

  it("asks the farm for nothing when there is nothing to measure", async () => {
    const { tracker, measurer } = await start();
    expect(await all(measurer.measure(inputs(0), { signal: signalOf() }))).toEqual([]);
    expect(tracker.sessions).toBe(0);
  });

  it("keeps to the window the tracker grants, though it asked for more", async () => {
    const fewer: number[] = [];
    const { tracker, measurer } = await start({ maxInFlight: 3 }, { maxInFlight: 50, onFewer: (allowed) => fewer.push(allowed) });
    expectEach(await all(measurer.measure(inputs(40), { signal: signalOf() })), 40);
    expect(fewer).toEqual([3]);
    const granted = await start({ maxInFlight: 8 }, { maxInFlight: 8, onFewer: (allowed) => fewer.push(allowed) });
    expectEach(await all(granted.measurer.measure(inputs(3), { signal: signalOf() })), 3);
    expect(fewer).toEqual([3]);
    expect(tracker.executions.size).toBe(40);
  });

  it.each(
    some([1, 2, 3, 4], 0, 1),
  )("loses and repeats nothing when a third of the events break the stream (seed %i)", async (seed) => {
    const random = new Random(seed);
    const pause = shuffledDelay(random);
    const { tracker, measurer, lost } = await start(
      {
        execute: async (text) => {
          await pause();
          return timedResult(secondsOf(text));
        },
        fate: () => (random.below(3) === 0 ? "break" : "send"),
      },
      { clock: quick },
    );
    expectEach(await all(measurer.measure(inputs(50), { signal: signalOf() })), 50);
    expect([...tracker.executions.values()].every((n) => n === 1)).toBe(true);
    expect(tracker.streams).toBeGreaterThan(10);
    expect(lost.every((code) => code === "UNAVAILABLE")).toBe(true);
    expect(tracker.sessions).toBe(1);
  });

  it("opens another session when the tracker has forgotten this one, and answers each input once", async () => {
    let events = 0;
    const { tracker, measurer } = await start({ fate: () => (++events === 15 ? "lose" : "send") });
    expectEach(await all(measurer.measure(inputs(30), { signal: signalOf() })), 30);
    expect(tracker.sessions).toBe(2);
    expect(tracker.closed).toEqual(["s-2"]);
  });

  it("gives up when session after session is lost, with no result in between", async () => {
    const { tracker, measurer } = await start({ fate: () => "lose" }, { clock: quick });
    await expect(all(measurer.measure(inputs(3), { signal: signalOf() }))).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(tracker.sessions).toBe(4);
  });

  it("counts lost sessions anew after a result", async () => {
    const lost = ["lose", "lose", "lose"] as const;
    const fates = [...lost, "send", "send", ...lost] as const;
    let events = 0;
    const { tracker, measurer } = await start({ fate: () => fates[events++] ?? "send" }, { clock: quick, maxInFlight: 1 });
    expectEach(await all(measurer.measure(inputs(3), { signal: signalOf() })), 3);
    expect(tracker.sessions).toBe(7);
  });

  it("waits twice as long after each failure in a row, 5 s at most, and as at first after an answer", async () => {
    const broken = Array.from({ length: 9 }, () => "break" as const);
    const fates = [...broken, "send", ...broken] as const;
    const waits: number[] = [];
    let events = 0;
    const { measurer } = await start(
      { fate: () => fates[events++] ?? "send" },
      { clock: quick, maxInFlight: 1, onLost: (_, retryInMs) => waits.push(retryInMs) },
    );
    expectEach(await all(measurer.measure(inputs(2), { signal: signalOf() })), 2);
    expect(waits).toHaveLength(18);
    for (const [i, ms] of waits.entries()) {
      const most = Math.min(5_000, 100 * 2 ** (i % 9));
      expect([i, ms >= most / 2, ms <= most]).toEqual([i, true, true]);
    }
  });

  it("takes an ABORTED for its own doing once after a stream of its own broke, and stops at the next", async () => {
    const fates = ["break", "abort", "send", "send", "abort"] as const;
    let events = 0;
    const { tracker, measurer, lost } = await start({ fate: () => fates[events++] ?? "send" }, { clock: quick });
    await expect(all(measurer.measure(inputs(30), { signal: signalOf() }))).rejects.toMatchObject({ code: "ABORTED" });
    expect(lost).toEqual(["UNAVAILABLE", "ABORTED"]);
    expect(tracker.streams).toBe(3);
    expect(tracker.closed).toEqual([]);
  });

  it("survives a tracker that goes away and comes back", async () => {
    const { tracker, measurer, lost } = await start();
    const got: MeasureRecord[] = [];
    let comeBack: (() => Promise<void>) | undefined;
    for await (const record of measurer.measure(inputs(30), { signal: signalOf() })) {
      got.push(record);
      if (got.length === 10) {
        comeBack = await tracker.cut();
        setTimeout(() => void comeBack?.(), 150);
      }
    }
    expectEach(got, 30);
    expect(lost.length).toBeGreaterThan(0);
    expect([...tracker.executions.values()].every((n) => n === 1)).toBe(true);
  });

  it("acknowledges a result only after its consumer came back for more", async () => {
    const { tracker, measurer } = await start({}, { maxInFlight: 1 });
    let taken = 0;
    for await (const record of measurer.measure(inputs(5), { signal: signalOf() })) {
      expect(record.sequence).toBe(100 + 10 * taken++);
      await new Promise((resolve) => setTimeout(resolve, 10));
      // One in flight at most: the next is not even sent until this one is safe.
      expect(tracker.executions.size).toBe(taken);
    }
    expect(taken).toBe(5);
  });

  it("gives up with the last error when nothing is heard for its patience", async () => {
    const { tracker, measurer } = await start({}, { patienceMs: 300 });
    await tracker.cut();
    const failure = await all(measurer.measure(inputs(3), { signal: signalOf() })).catch((e: unknown) => e);
    expect(failure).toBeInstanceOf(FarmError);
    expect(failure).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(/^no answer from the tracker for \d+ s: /),
    });
  });

  it("has patience with a connection lost after a silence that was longer", async () => {
    let laterMs = 0;
    const clock: Clock = {
      now: () => systemClock.now(),
      monotonic: () => systemClock.monotonic() + laterMs,
      sleep: (ms, options) => systemClock.sleep(ms, options),
    };
    let finish = () => {};
    const turn = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const execute = async (text: string) => {
      await turn;
      return timedResult(secondsOf(text));
    };
    const { tracker, measurer, lost } = await start({ execute }, { clock });
    const records = all(measurer.measure(inputs(3), { signal: signalOf() }));
    await until(() => tracker.executions.size === 3, "the inputs");
    laterMs = 600_000; // in a queue
    const comeBack = await tracker.cut();
    await until(() => lost.length > 0, "the loss");
    await comeBack();
    finish();
    expectEach(await records, 3);
  });

  it("does not retry what no retry can help", async () => {
    const { measurer, lost } = await start({}, { selector: "cpu/none" });
    await expect(all(measurer.measure(inputs(3), { signal: signalOf() }))).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(lost).toEqual([]);
  });

  it("passes a candidate's failure on as a result", async () => {
    const { measurer } = await start({ execute: () => failedResult(5, "wrong") });
    const [record] = await all(measurer.measure(inputs(1), { signal: signalOf() }));
    expect(record).toEqual({ sequence: 100, result: failedResult(5, "wrong") });
  });

  it("on abort rejects with the reason and closes the session", async () => {
    const controller = new AbortController();
    const reason = new Error("ctrl-C");
    const { tracker, measurer } = await start({ execute: () => new Promise(() => undefined) });
    const records = all(measurer.measure(inputs(3), { signal: controller.signal }));
    await until(() => tracker.executions.size === 3, "the inputs");
    controller.abort(reason);
    await expect(records).rejects.toBe(reason);
    expect(tracker.closed).toEqual(["s-1"]);
  });

  it("aborted before it begins, or while it waits to try again, asks for nothing more", async () => {
    const over = new AbortController();
    const reason = new Error("ctrl-C");
    over.abort(reason);
    const { tracker, measurer } = await start();
    await expect(all(measurer.measure(inputs(3), { signal: over.signal }))).rejects.toBe(reason);
    expect([tracker.sessions, tracker.streams]).toEqual([0, 0]);

    const later = new AbortController();
    const never: Clock = { ...systemClock, sleep: (_, o) => systemClock.sleep(3_600_000, o) };
    const away = await start({ fate: () => "break" }, { clock: never, onLost: () => queueMicrotask(() => later.abort(reason)) });
    await expect(all(away.measurer.measure(inputs(3), { signal: later.signal }))).rejects.toBe(reason);
    expect(away.tracker.streams).toBe(1);
  });

  it("tells a new stream all that it has, however many finish before the first", async () => {
    const many = 1_050; // more than one receipt may name
    const count = many + 20;
    let finishFirst = (): void => {};
    const first = new Promise<void>((resolve) => (finishFirst = resolve));
    const { tracker, measurer } = await start({
      execute: async (text) => {
        if (text === `program ${count}`) finishFirst();
        if (text === "program 1") await first;
        return timedResult(secondsOf(text));
      },
    });
    const got: MeasureRecord[] = [];
    let isCut = false;
    async function* source() {
      for await (const input of inputs(count)) {
        await until(() => input.sequence <= 90 + 10 * many || isCut, "the cut");
        yield input;
      }
    }
    for await (const record of measurer.measure(source(), { signal: signalOf() })) {
      got.push(record);
      if (got.length !== many - 1) continue;
      const comeBack = await tracker.cut();
      await comeBack();
      isCut = true;
    }
    expectEach(got, count);
    expect([...tracker.executions.values()].every((n) => n === 1)).toBe(true);
    expect(tracker.streams).toBe(2);
  });

  it("on a break closes the session", async () => {
    const { tracker, measurer } = await start();
    for await (const _ of measurer.measure(inputs(30), { signal: signalOf() })) break;
    expect(tracker.closed).toEqual(["s-1"]);
  });

  it("throws what its inputs throw", async () => {
    async function* broken() {
      yield* inputs(2);
      throw new TypeError("bad input");
    }
    const { measurer } = await start();
    await expect(all(measurer.measure(broken(), { signal: signalOf() }))).rejects.toThrow("bad input");
  });
});
