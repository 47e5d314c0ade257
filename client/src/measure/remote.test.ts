/** The remote measurer over real loopback connections, against a tracker that keeps the protocol and breaks off when told to. */
import {
  type Clock,
  defaultMeasureOptions,
  digestOf,
  FarmError,
  type MeasureInput,
  type ProgramBytes,
  Random,
  type SessionId,
  systemClock,
  toProgramDigest,
  toSessionId,
} from "@warpfarm/common";
import type { TrackerConnection } from "@warpfarm/proto";
import { afterEach, describe, expect, it } from "vitest";
import { FakeTracker, type FakeTrackerOptions } from "./fake-tracker.testing.ts";
import type { MeasureRecord } from "./measurer.ts";
import { type RemoteMeasurerOptions, remoteMeasurer } from "./remote.ts";
import { failedResult, timedResult } from "./scripted.testing.ts";

const programOf = (text: string): ProgramBytes => {
  const bytes = new TextEncoder().encode(text);
  return { digest: toProgramDigest(digestOf(bytes)), bytes };
};
const reference = programOf("reference");
const secondsOf = (text: string) => Number(text.split(" ")[1]);
const signalOf = () => new AbortController().signal;

const cleanups: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const f of cleanups.splice(0).reverse()) await f();
});
async function start(options: Partial<FakeTrackerOptions> = {}, remote: Partial<RemoteMeasurerOptions> = {}) {
  const tracker = new FakeTracker({ execute: (text) => timedResult(secondsOf(text)), ...options });
  const connection: TrackerConnection = await tracker.start();
  cleanups.push(
    () => tracker[Symbol.asyncDispose](),
    () => connection[Symbol.asyncDispose](),
  );
  const lost: string[] = [];
  const { farm } = connection;
  const remoteOptions: RemoteMeasurerOptions = {
    farm,
    task: "toy",
    selector: "cpu",
    options: defaultMeasureOptions("cpu"),
    maxInFlight: 8,
    clock: systemClock,
    random: new Random(1),
    onLost: (error) => lost.push(error.code),
    ...remote,
  };
  return { tracker, farm, remote: remoteOptions, measurer: remoteMeasurer(remoteOptions), lost };
}

/** Inputs numbered from 100 in steps of 10: a caller's own numbers, not the wire's. */
async function* inputs(count: number): AsyncGenerator<MeasureInput> {
  for (let i = 1; i <= count; i++) yield { sequence: 90 + 10 * i, program: programOf(`program ${i}`), reference };
}
async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const got: T[] = [];
  for await (const value of source) got.push(value);
  return got;
}
async function* only<T>(source: AsyncIterable<T>, isWanted: (value: T) => boolean): AsyncGenerator<T> {
  for await (const value of source) if (isWanted(value)) yield value;
}
/** Every input answered once, with its own result. */
function expectEach(records: readonly MeasureRecord[], count: number): void {
  expect(records.map((r) => r.sequence).sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => 100 + 10 * i));
  for (const { sequence, result } of records) expect(result).toEqual(timedResult((sequence - 90) / 10));
}
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const shuffledDelay = (random: Random) => () => new Promise((resolve) => setTimeout(resolve, random.below(4)));

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

  it("asks the farm for nothing when there is nothing to measure", async () => {
    const { tracker, measurer } = await start();
    expect(await all(measurer.measure(inputs(0), { signal: signalOf() }))).toEqual([]);
    expect(tracker.sessions).toBe(0);
  });

  it("keeps to the window the tracker grants, though it asked for more", async () => {
    const { tracker, measurer } = await start({ maxInFlight: 3 }, { maxInFlight: 50 });
    expectEach(await all(measurer.measure(inputs(40), { signal: signalOf() })), 40);
    expect(tracker.executions.size).toBe(40);
  });

  it.each([1, 2, 3, 4])("loses and repeats nothing when a third of the events break the stream (seed %i)", async (seed) => {
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
      { clock: { ...systemClock, sleep: (_ms, o) => systemClock.sleep(1, o) } },
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
      // One in flight at most: the next is not even sent while this one is not safe.
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
    while (tracker.executions.size < 3) await pause(5);
    laterMs = 600_000; // in a queue
    const comeBack = await tracker.cut();
    while (lost.length === 0) await pause(5);
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
    while (tracker.executions.size < 3) await pause(5);
    controller.abort(reason);
    await expect(records).rejects.toBe(reason);
    expect(tracker.closed).toEqual(["s-1"]);
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
        while (input.sequence > 90 + 10 * many && !isCut) await pause(1);
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

describe("a process that was killed", () => {
  const before = 5;
  const window = 8;
  /** Its tracker; `safe` is what its log has. At the tracker are `window` inputs: one result that was lost, the others run until `finish`. */
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
        while (tracker.executions.size < before + window) await pause(1);
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
    expect(sessions).toEqual(["s-1"]);
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
      while (got.length === 0) await pause(1); // by now what was left behind is here as well
      yield* others;
    }
    for await (const record of again().measure(late(), { signal: signalOf() })) got.push(record);
    expect(got).toHaveLength(40 - before - 1);
    for (const { sequence, result } of got) expect(result).toEqual(timedResult((sequence - 90) / 10));
    once(tracker);
    expect(tracker.closed).toEqual(["s-1"]);
  });

  it("blocks nothing with results nobody asks for, even when they fill the window, and answers with them later", async () => {
    const { tracker, safe, finish, again, taken } = await killed();
    finish();
    const known = await all(only(inputs(before + window), isRest(safe)));
    async function* others() {
      for (let i = 41; i <= 60; i++) yield { sequence: i, program: programOf(`program ${i}`), reference };
      yield* known;
    }
    const got = await all(again().measure(others(), { signal: signalOf() }));
    expect(taken).toEqual([window]);
    expect(got).toHaveLength(20 + window);
    once(tracker);
    expect(tracker.executions.size).toBe(before + window + 20);
  });

  it("has its results answered only for the same reference", async () => {
    const { tracker, safe, finish, again } = await killed();
    finish();
    const [input] = await all(only(inputs(before + window), isRest(safe)));
    const other = input && { ...input, reference: programOf("another reference") };
    async function* inputsOf() {
      if (other) yield other;
    }
    expect(await all(again().measure(inputsOf(), { signal: signalOf() }))).toHaveLength(1);
    expect(other && tracker.executions.get(other.program.digest)).toBe(2);
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
    while (tracker.streams < 2) await pause(5);
    controller.abort(reason);
    await expect(records).rejects.toBe(reason);
    expect(tracker.closed).toEqual(["s-1"]);
    once(tracker);
  });
});
