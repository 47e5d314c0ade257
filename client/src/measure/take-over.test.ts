/**
 * A process that was killed, and the next one: the latter takes over the results of the session at the tracker, and nothing is
 * executed twice.
 */
import { defaultMeasureOptions, type MeasureInput, Random, type SessionId, systemClock } from "@warpfarm/common";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../../test-support/until.ts";
import type { FakeTracker, FakeTrackerOptions } from "./fake-tracker.testing.ts";
import type { MeasureRecord } from "./measurer.ts";
import { all, cleanUp, expectEach, inputs, only, secondsOf, signalOf, start } from "./remote.testing.ts";
import { type RemoteMeasurerOptions, remoteMeasurer } from "./remote.ts";
import { timedResult } from "./scripted.testing.ts";

afterEach(cleanUp);

describe("a process that was killed", () => {
  const before = 5;
  const window = 8;
  /**
   * The tracker of the killed process; `safe` is the content of its log. The tracker has `window` inputs: one result that was
   * lost, the others run until `finish`.
   */
  async function killed(options: Partial<FakeTrackerOptions> = {}) {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const { tracker, farm, remote } = await start({
      execute: async (text) => {
        if (secondsOf(text) > before + 1) await finished;
        return timedResult(secondsOf(text));
      },
      ...options,
    });
    const sessions: SessionId[] = [];
    const onSession = async (session: SessionId) => void sessions.push(session);
    const safe: MeasureRecord[] = [];
    const mute = { ...farm, closeSession: async () => {} };
    for await (const record of remoteMeasurer({ ...remote, farm: mute, onSession }).measure(inputs(40), { signal: signalOf() })) {
      if (safe.length === before) {
        await until(() => tracker.executions.size === before + window, "the window to be full");
        break;
      }
      safe.push(record);
    }
    expect(tracker.closed).toEqual([]);
    const taken: number[] = [];
    const again = (change: Partial<RemoteMeasurerOptions> = {}) =>
      remoteMeasurer({ ...remote, onSession, leftBehind: sessions, onTakeOver: (n) => taken.push(n), ...change });
    return { tracker, farm, safe, finish, again, taken, sessions };
  }
  const isRest = (safe: readonly MeasureRecord[]) => (input: MeasureInput) => !safe.some((r) => r.sequence === input.sequence);
  const once = (tracker: FakeTracker) => expect([...tracker.executions.values()].filter((n) => n !== 1)).toEqual([]);

  it("goes on in its session: what it left there answers the next process, and nothing is executed twice", async () => {
    const { tracker, safe, finish, again, taken, sessions } = await killed();
    setTimeout(finish, 20);
    const rest = await all(again().measure(only(inputs(40), isRest(safe)), { signal: signalOf() }));
    expectEach([...safe, ...rest], 40);
    once(tracker);
    expect(tracker.executions.size).toBe(40);
    expect(taken).toEqual([window]);
    expect(sessions).toEqual(["s-1", "s-1"]);
    expect(tracker.closed).toEqual(["s-1"]);
  });

  it("or was not, and another goes on with its session: it stops, and leaves the session open for the other", async () => {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const sessions: SessionId[] = [];
    const { tracker, remote } = await start(
      {
        execute: async (text) => {
          await finished;
          return timedResult(secondsOf(text));
        },
      },
      { onSession: async (session) => void sessions.push(session) },
    );
    const first = all(remoteMeasurer(remote).measure(inputs(20), { signal: signalOf() })).catch((error: unknown) => error);
    await until(() => tracker.executions.size === window, "the first's window to be full");
    const second = all(remoteMeasurer({ ...remote, leftBehind: sessions }).measure(inputs(20), { signal: signalOf() }));
    expect(await first).toMatchObject({ code: "ABORTED", message: "another run continues session s-1; this one stops" });
    expect([tracker.closed, tracker.streams]).toEqual([[], 2]);
    finish();
    expectEach(await second, 20);
    once(tracker);
    expect(tracker.closed).toEqual(["s-1"]);
  });

  it("may be killed again while it takes over, and lose its connection, and still nothing is executed twice", async () => {
    const random = new Random(7);
    let mayBreak = false;
    const { tracker, farm, safe, finish, again, taken } = await killed({
      fate: () => (mayBreak && random.below(3) === 0 ? "break" : "send"),
    });
    finish();
    mayBreak = true;
    const clock = { ...systemClock, sleep: (_ms: number, o?: { signal?: AbortSignal }) => systemClock.sleep(1, o) };
    for (const stopAt of [before + 3, before + 6, before + 20]) {
      const mute = { ...farm, closeSession: async () => {} };
      const rest = only(inputs(40), isRest([...safe]));
      for await (const record of again({ farm: mute, clock }).measure(rest, { signal: signalOf() })) {
        if (safe.length === stopAt) break;
        safe.push(record);
      }
    }
    const rest = await all(again({ clock }).measure(only(inputs(40), isRest([...safe])), { signal: signalOf() }));
    expectEach([...safe, ...rest], 40);
    once(tracker);
    expect(taken).toHaveLength(4);
  });

  it("leaves results for later: an input that comes after its result is answered, and one that never comes is dropped", async () => {
    const { tracker, safe, finish, again } = await killed();
    finish();
    const never = 90 + 10 * (before + 4);
    const isAsked = (input: MeasureInput) => isRest(safe)(input) && input.sequence !== never;
    const got: MeasureRecord[] = [];
    async function* late() {
      const [first, ...others] = (await all(only(inputs(40), isAsked))).reverse();
      if (first) yield first;
      await until(() => got.length > 0, "the first"); // by now what was left behind is here as well
      yield* others;
    }
    for await (const record of again().measure(late(), { signal: signalOf() })) got.push(record);
    expect(got).toHaveLength(40 - before - 1);
    for (const { sequence, result } of got) expect(result).toEqual(timedResult((sequence - 90) / 10));
    once(tracker);
    expect(tracker.closed).toEqual(["s-1"]);
  });

  it("loses its session when options or selector differ: another is opened, the old one closed", async () => {
    const { tracker, safe, finish, again, taken, sessions } = await killed();
    finish();
    const options = { ...defaultMeasureOptions("cpu"), repeat: 9 };
    const rest = await all(again({ options }).measure(only(inputs(40), isRest(safe)), { signal: signalOf() }));
    expectEach([...safe, ...rest], 40);
    expect(taken).toEqual([]);
    expect(sessions).toEqual(["s-1", "s-2"]);
    expect(tracker.closed).toEqual(["s-1", "s-2"]);
  });

  it("is taken over once: when the tracker then forgets the session, what is outstanding goes to a new one", async () => {
    let events = -1;
    const { safe, finish, again, sessions } = await killed({
      fate: () => (events >= 0 && ++events === 3 ? "lose" : "send"),
    });
    events = 0;
    finish();
    const rest = await all(again().measure(only(inputs(40), isRest(safe)), { signal: signalOf() }));
    expectEach([...safe, ...rest], 40);
    expect(sessions).toEqual(["s-1", "s-2"]);
  });

  it("can be stopped while it waits for what was left behind", async () => {
    const { tracker, safe, again } = await killed();
    const controller = new AbortController();
    const reason = new Error("ctrl-C");
    const known = only(inputs(before + window), (input) => isRest(safe)(input) && input.sequence > 90 + 10 * (before + 1));
    const records = all(again().measure(known, { signal: controller.signal }));
    await until(() => tracker.streams === 2, "its stream");
    controller.abort(reason);
    await expect(records).rejects.toBe(reason);
    expect(tracker.closed).toEqual(["s-1"]);
    once(tracker);
  });
});
