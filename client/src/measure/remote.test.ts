/** The remote measurer over real loopback connections, against a tracker that keeps the protocol and breaks off when told to. */
import {
  defaultMeasureOptions,
  digestOf,
  FarmError,
  type MeasureInput,
  type ProgramBytes,
  Random,
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
  const measurer = remoteMeasurer({
    farm: connection.farm,
    task: "toy",
    selector: "cpu",
    options: defaultMeasureOptions("cpu"),
    maxInFlight: 8,
    clock: systemClock,
    random: new Random(1),
    onLost: (error) => lost.push(error.code),
    ...remote,
  });
  return { tracker, measurer, lost };
}

/** Inputs numbered from 100 in steps of 10: a caller's own numbers, not the wire's. */
async function* inputs(count: number): AsyncGenerator<MeasureInput> {
  for (let i = 1; i <= count; i++) yield { sequence: 90 + 10 * i, program: programOf(`program ${i}`), reference };
}
async function all(records: AsyncIterable<MeasureRecord>): Promise<MeasureRecord[]> {
  const got: MeasureRecord[] = [];
  for await (const record of records) got.push(record);
  return got;
}
/** Every input answered once, with its own result. */
function expectEach(records: readonly MeasureRecord[], count: number): void {
  expect(records.map((r) => r.sequence).sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => 100 + 10 * i));
  for (const { sequence, result } of records) expect(result).toEqual(timedResult((sequence - 90) / 10));
}
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

  it("closes the sessions that a cut-off run left behind, and tells its own before anything is sent", async () => {
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
    setTimeout(() => controller.abort(reason), 50);
    await expect(all(measurer.measure(inputs(3), { signal: controller.signal }))).rejects.toBe(reason);
    expect(tracker.closed).toEqual(["s-1"]);
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
