/** Against the Trace Event Format as Perfetto reads it: fields, units, and slices of a thread that do not overlap. */
import { toSessionId } from "@warpfarm/common";
import type { EndedLease } from "@warpfarm/proto";
import fc from "fast-check";
import { expect, it } from "vitest";
import "../../../test-support/seed.ts";
import { perfettoTrace } from "./perfetto.ts";

interface Event {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly args: Readonly<Record<string, unknown>>;
}
const eventsOf = (leases: readonly EndedLease[], tasks: Record<string, string> = {}): readonly Event[] =>
  JSON.parse(JSON.stringify(perfettoTrace(leases, (session) => tasks[session]))).traceEvents;

const lease = (more: Partial<EndedLease>): EndedLease => ({
  ...{ endMs: 1_000, heldMs: 100, node: "box", device: "", deviceName: "", session: undefined, sequence: 0, outcome: "built" },
  ...{ queueMs: 0, buildMs: 0, transferMs: 0, timedMs: 0 },
  ...more,
});
const run = (more: Partial<EndedLease> = {}) =>
  lease({
    device: "gpu-1",
    deviceName: "H200",
    session: toSessionId("s-1"),
    sequence: 7,
    outcome: "timed",
    timedMs: 30,
    ...more,
  });

it("has a lane for each device and builder, under its node, and says what each lease was", () => {
  const events = eventsOf([run(), lease({ endMs: 950 }), run({ node: "other", session: undefined })], { "s-1": "matmul" });
  const named = (what: string) => events.filter(({ name }) => name === what).map(({ pid, tid, args }) => [pid, tid, args.name]);
  expect(named("process_name")).toEqual([
    [1, 0, "node box"],
    [2, 0, "node other"],
  ]);
  expect(named("thread_name")).toEqual([
    [1, 1, "builder"],
    [1, 2, "H200 gpu-1"],
    [2, 3, "H200 gpu-1"],
  ]);
  const slices = events.filter(({ ph }) => ph === "X");
  // In microseconds, from the first begin.
  expect(slices.map(({ name, tid, ts, dur }) => [name, tid, ts, dur])).toEqual([
    ["build", 1, 0, 100_000],
    ["matmul", 2, 50_000, 100_000],
    ["run", 3, 50_000, 100_000],
  ]);
  expect(slices[1]?.args).toMatchObject({ outcome: "timed", session: "s-1", sequence: 7, timed_ms: 30 });
  expect(slices[2]?.args).not.toHaveProperty("session");
  // A build that took no time was none: the code was there.
  expect(slices[1]?.args).not.toHaveProperty("build_ms");
  expect(eventsOf([run({ buildMs: 0.5 })]).at(-1)?.args).toMatchObject({ queue_ms: 0, build_ms: 0.5 });
});

it("of no leases is an empty trace", () => {
  expect(eventsOf([])).toEqual([]);
});

it("slices of a thread never overlap, and each lease has one", () => {
  const any = fc.array(
    fc.record({
      endMs: fc.integer({ min: 500, max: 2_000 }),
      heldMs: fc.integer({ min: 0, max: 400 }),
      node: fc.constantFrom("a", "b"),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(any, (some) => {
      const slices = eventsOf(some.map((one) => lease(one))).filter(({ ph }) => ph === "X");
      expect(slices).toHaveLength(some.length);
      const until = new Map<number, number>();
      for (const { tid, ts, dur } of slices.toSorted((a, b) => a.ts - b.ts)) {
        expect(ts).toBeGreaterThanOrEqual(until.get(tid) ?? 0);
        until.set(tid, ts + dur);
      }
    }),
  );
});
