import { FarmError, type LeaseId, type MeasureResult, toLeaseId } from "@warpfarm/common";
import type { OutcomeKind } from "@warpfarm/proto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { assignment, built, fault, type Held, registered, Stage } from "./synchronizer.testing.ts";

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(async () => {
  stage.stop.abort(new FarmError("CANCELLED", "test over"));
  await stage.settle();
  for (const call of stage.calls) call.answer();
  await stage.ended.catch(() => {});
});

const ids = (outcomes: readonly { readonly leaseId: LeaseId }[]) => outcomes.map((o) => o.leaseId);

describe("one job after the other", () => {
  test("asks with what is free, starts what comes, gives up the idle call when the job is done and tells its outcome", async () => {
    const first = await stage.call(1);
    expect(first.request).toMatchObject({
      workerId: "w1",
      epoch: 1,
      free: [{ device: 0, count: 1 }],
      running: [],
      reportOnly: false,
    });
    first.answer({ assignments: [assignment("a")] });
    const job = await stage.job(1);
    const busy = await stage.call(2);
    expect(busy.request).toMatchObject({ free: [{ device: 0, count: 0 }], running: ["a"], outcomes: [] });
    job.finish(built);
    const next = await stage.call(3);
    expect(busy.signal?.aborted).toBe(true);
    expect(next.request).toMatchObject({
      free: [{ device: 0, count: 1 }],
      running: [],
      outcomes: [{ leaseId: "a", epoch: 1, kind: "built" }],
    });
    expect(next.request.sequence).toBeGreaterThan(busy.request.sequence);
  });

  test("a job that throws is a fault of this worker, with its words", async () => {
    (await stage.call(1)).answer({ assignments: [assignment("a")] });
    (await stage.job(1)).fail(new Error("disk full"));
    await stage.settle();
    const last = stage.calls.at(-1);
    expect(last?.request.outcomes).toEqual([{ leaseId: "a", epoch: 1, kind: "fault", message: "disk full", suspect: false }]);
  });

  test("an assignment that comes twice is started once", async () => {
    (await stage.call(1)).answer({ assignments: [assignment("a", 3)] });
    await stage.job(1);
    (await stage.call(2)).answer({ assignments: [assignment("a", 3), assignment("a", 2)] });
    await stage.settle();
    expect(stage.jobs).toHaveLength(1);
  });

  test("after an answer with nothing in it the next call waits a moment, after any other none", async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    (await stage.call(1)).answer();
    await turn();
    stage.clock.advance(19);
    await turn();
    expect(stage.calls).toHaveLength(1);
    stage.clock.advance(1);
    await turn();
    expect(stage.calls).toHaveLength(2);
    stage.calls[1]?.answer({ cancel: [toLeaseId("a")] });
    await turn();
    expect(stage.calls).toHaveLength(3);
  });

  test("cancelled: the job is stopped and no outcome is sent", async () => {
    (await stage.call(1)).answer({ assignments: [assignment("a")] });
    const job = await stage.job(1);
    (await stage.call(2)).answer({ cancel: [toLeaseId("a")] });
    const next = await stage.call(3);
    await stage.settle();
    expect(job.signal.aborted).toBe(true);
    expect(stage.calls.at(-1)?.request).toMatchObject({ running: [], outcomes: [], free: [{ count: 1 }] });
    expect(next).toBeDefined();
  });

  test("drain: finishes what runs and asks for nothing", async () => {
    (await stage.call(1)).answer({ assignments: [assignment("a")], state: "drain" });
    (await stage.job(1)).finish(built);
    await stage.settle();
    expect(stage.calls.at(-1)?.request).toMatchObject({ free: [{ count: 0 }], outcomes: [{ leaseId: "a" }] });
  });
});

describe("again", () => {
  test("drained, and active again: it asks for work again, and does it", async () => {
    for (const [round, id] of ["a", "b"].entries()) {
      await stage.settle();
      expect(stage.calls.at(-1)?.request).toMatchObject({ free: [{ count: 1 }], running: [] });
      stage.calls.at(-1)?.answer({ assignments: [assignment(id)], state: "drain" });
      (await stage.job(round + 1)).finish(built);
      await stage.settle();
      expect(stage.calls.at(-1)?.request).toMatchObject({ free: [{ count: 0 }], outcomes: [{ leaseId: id }] });
      stage.calls.at(-1)?.answer({ acknowledged: [toLeaseId(id)], state: "active" });
    }
    await stage.settle();
    const states = stage.events.flatMap((event) => (event.kind === "state" ? [event.state] : []));
    expect(states).toEqual(["drain", "active", "drain", "active"]);
  });

  test("a tracker that was away and is away again is left alone as short as at first, and never longer than 5 s", async () => {
    const retries = () => stage.events.flatMap((event) => (event.kind === "connection_lost" ? [event.retryInMs] : []));
    for (let lost = 0; lost < 2; lost++) {
      for (let tries = 0; tries < 9; tries++) {
        (await stage.call(stage.calls.length)).fail("UNAVAILABLE");
        await stage.settle(10_000);
      }
      stage.calls.at(-1)?.answer();
      await stage.settle();
    }
    // Half of 100 ms doubled each time, and as much again at most.
    const least = [50, 100, 200, 400, 800, 1600, 2500, 2500, 2500];
    expect(retries()).toHaveLength(18);
    for (const [i, ms] of retries().entries()) {
      expect(ms).toBeGreaterThanOrEqual(least[i % 9] as number);
      expect(ms).toBeLessThanOrEqual(2 * (least[i % 9] as number));
    }
  });
});

describe("outcomes", () => {
  test("are sent again until acknowledged, over any number of lost connections", async () => {
    (await stage.call(1)).answer({ assignments: [assignment("a")] });
    (await stage.job(1)).finish(built);
    await stage.settle();
    for (let i = 0; i < 5; i++) {
      const call = stage.calls.at(-1);
      expect(ids(call?.request.outcomes ?? [])).toEqual(["a"]);
      call?.fail("UNAVAILABLE");
      await stage.settle();
    }
    stage.calls.at(-1)?.answer({ acknowledged: [toLeaseId("a")] });
    await stage.settle();
    expect(stage.calls.at(-1)?.request.outcomes).toEqual([]);
    expect(stage.events.filter((e) => e.kind === "connection_lost")).toHaveLength(5);
  });

  test("a tracker that is away is left alone for the time that is told, and longer each time", async () => {
    const times: number[] = [];
    for (let i = 1; i <= 4; i++) {
      const call = await stage.call(i);
      const from = stage.clock.monotonic();
      call.fail("UNAVAILABLE");
      await stage.call(i + 1);
      times.push(stage.clock.monotonic() - from);
    }
    const told = stage.events.flatMap((e) => (e.kind === "connection_lost" ? [e.retryInMs] : []));
    for (const [i, ms] of times.entries()) expect(ms).toBeGreaterThanOrEqual(told[i] ?? Number.NaN);
    for (const [i, ms] of told.entries()) expect(ms).toBeGreaterThanOrEqual(50 * 2 ** i);
  });

  test("outlive ABORTED: registered again, running jobs are given up, the outcome is sent under its own epoch", async () => {
    stage.stop.abort();
    stage = new Stage(2, [registered(1), registered(2)]);
    (await stage.call(1)).answer({ assignments: [assignment("a"), assignment("b")] });
    (await stage.job(1)).finish(built);
    const running = await stage.job(2);
    await stage.settle();
    for (const call of [...stage.calls]) call.fail("ABORTED");
    await stage.settle();
    expect(stage.registerCalls).toBe(2);
    expect(running.signal.aborted).toBe(true);
    expect(stage.calls.at(-1)?.request).toMatchObject({ epoch: 2, running: [], outcomes: [{ leaseId: "a", epoch: 1 }] });
  });

  test("travel in a second, report-only call while the first waits for work; not twice at the same time", async () => {
    stage.stop.abort();
    stage = new Stage(3);
    (await stage.call(1)).answer({ assignments: [assignment("a"), assignment("b")] });
    const held = await stage.call(2);
    expect(held.request).toMatchObject({ free: [{ count: 1 }], reportOnly: false });
    (await stage.job(1)).finish(built);
    const report = await stage.call(3);
    expect(report.request).toMatchObject({ reportOnly: true, outcomes: [{ leaseId: "a" }], running: ["b"] });
    expect(held.signal?.aborted).toBe(false);
    report.answer({ acknowledged: [toLeaseId("a")] });
    (await stage.job(2)).finish(built);
    const second = await stage.call(4);
    expect(ids(second.request.outcomes)).toEqual(["b"]);
    second.answer();
    await stage.settle();
    // It is not acknowledged, so the next call carries it again.
    held.answer();
    await stage.settle();
    expect(ids(stage.calls.at(-1)?.request.outcomes ?? [])).toEqual(["b"]);
  });

  test("more than one call carries are still named, so that none counts as lost", async () => {
    stage.stop.abort();
    stage = new Stage(100);
    const all = Array.from({ length: 100 }, (_, i) => assignment(`l${i}`));
    (await stage.call(1)).answer({ assignments: all });
    await stage.job(100);
    const held = await stage.call(2);
    held.fail("UNAVAILABLE");
    for (const job of stage.jobs) job.finish(built);
    const next = await stage.call(3);
    const named = [...next.request.running, ...ids(next.request.outcomes)];
    expect(next.request.outcomes.length).toBeLessThan(100);
    expect(new Set(named)).toEqual(new Set(all.map((a) => a.leaseId)));
    expect(named).toHaveLength(100);
  });

  test("trouble is told at once, and said once, as is its end", async () => {
    await stage.call(1);
    stage.trouble = "disk full";
    stage.synchronizer.touch();
    const told = await stage.call(2);
    expect(told.request).toMatchObject({ trouble: "disk full", reportOnly: true });
    told.answer();
    stage.synchronizer.touch();
    const again = await stage.call(3);
    expect(again.request.trouble).toBe("disk full");
    again.answer();
    stage.trouble = "";
    stage.synchronizer.touch();
    expect((await stage.call(4)).request.trouble).toBe("");
    const said = stage.events.flatMap((event) => (event.kind === "trouble" ? [event.trouble] : []));
    expect(said).toEqual(["disk full", ""]);
  });

  test("trouble is told once: a change of which there is nothing to tell makes no further call", async () => {
    stage.stop.abort();
    stage = new Stage(2);
    (await stage.call(1)).answer({ assignments: [assignment("a")] });
    await stage.job(1);
    await stage.call(2);
    stage.synchronizer.touch();
    // The job ends without an outcome.
    (await stage.call(3)).answer({ cancel: [toLeaseId("a")] });
    await stage.settle();
    expect(stage.jobs[0]?.signal.aborted).toBe(true);
    expect(stage.calls).toHaveLength(3);
  });

  test("times of the node's own kernels are told until a call is answered, and again to whoever it registers at", async () => {
    stage.stop.abort();
    stage = new Stage(1, [registered(1), registered(2)]);
    const last = [{ agoMs: 5, ratio: 1.2 }];
    (await stage.call(1)).answer();
    stage.checks = { count: 1, last };
    const failed = await stage.call(2);
    expect(failed.request.checks).toEqual(last);
    failed.fail("UNAVAILABLE");
    const told = await stage.call(3);
    expect(told.request.checks).toEqual(last);
    told.answer();
    const known = await stage.call(4);
    expect(known.request).not.toHaveProperty("checks");
    known.fail("ABORTED");
    expect((await stage.call(5)).request).toMatchObject({ epoch: 2, checks: last });
  });
});

describe("the ends", () => {
  const end = async () => {
    stage.stop.abort(new FarmError("CANCELLED", "SIGTERM"));
    await stage.settle(0);
  };

  test("asked to end: jobs are given up; its last call hands back those that had begun, as nobody's fault, and does not name the others", async () => {
    stage.stop.abort();
    stage = new Stage(2);
    (await stage.call(1)).answer({ assignments: [assignment("a"), assignment("b")] });
    (await stage.job(1)).begin();
    const waiting = await stage.job(2);
    await stage.call(2);
    await end();
    const last = stage.calls.at(-1);
    expect(stage.jobs[0]?.signal.aborted).toBe(true);
    expect(waiting.signal.aborted).toBe(true);
    expect(last?.request).toMatchObject({
      leaving: true,
      reportOnly: false,
      free: [{ count: 0 }],
      running: [],
      outcomes: [{ leaseId: "a", kind: "fault", suspect: false, leaving: true }],
    });
    expect(last?.request.outcomes).toHaveLength(1);
    last?.answer({ acknowledged: [toLeaseId("a")] });
    await stage.ended;
  });

  test("asked to end with nothing in hand it says so too: a job may be on its way here; one that comes is not started", async () => {
    await stage.call(1);
    await end();
    const last = stage.calls.at(-1);
    expect(last?.request).toMatchObject({ leaving: true, free: [{ count: 0 }], running: [], outcomes: [] });
    last?.answer({ assignments: [assignment("a")] });
    await stage.ended;
    expect(stage.jobs).toEqual([]);
  });

  test("asked to end with more than one call carries: the rest is told before, and nothing that had begun goes unnamed", async () => {
    stage.stop.abort();
    stage = new Stage(100);
    const all = Array.from({ length: 100 }, (_, i) => assignment(`l${i}`));
    (await stage.call(1)).answer({ assignments: all });
    await stage.job(100);
    for (const job of stage.jobs) job.begin();
    const before = stage.calls.length;
    await end();
    const told: LeaseId[] = [];
    for (let n = before; stage.calls[n] !== undefined; n++) {
      const { request, answer } = stage.calls[n] as Held;
      const isLast = told.length + request.outcomes.length === 100;
      expect(request.leaving === true).toBe(isLast);
      expect(request.reportOnly).toBe(!isLast);
      told.push(...ids(request.outcomes));
      answer({ acknowledged: ids(request.outcomes) });
      await stage.settle(0);
    }
    expect(new Set(told)).toEqual(new Set(all.map((a) => a.leaseId)));
    await stage.ended;
  });

  test.each([
    "FAILED_PRECONDITION",
    "UNAUTHENTICATED",
    "INVALID_ARGUMENT",
  ] as const)("a first registration refused with %s ends the worker", async (code) => {
    stage.stop.abort();
    stage = new Stage(1, [new FarmError(code, "no")]);
    await expect(stage.ended).rejects.toMatchObject({ code });
  });

  test.each([
    "UNAVAILABLE",
    "ALREADY_EXISTS",
    "DEADLINE_EXCEEDED",
  ] as const)("a registration that fails with %s is tried until it succeeds", async (code) => {
    stage.stop.abort();
    stage = new Stage(1, [...Array.from({ length: 6 }, () => new FarmError(code, "later")), registered(1)]);
    for (let i = 0; i < 60 && stage.calls.length === 0; i++) {
      await stage.settle();
      stage.clock.advance(5_000);
    }
    expect(stage.registerCalls).toBe(7);
    expect((await stage.call(1)).request.epoch).toBe(1);
  });
});

// A run's outcome is a MeasureResult, so the types keep a candidate's outcome from being sent as a fault.
const timed: MeasureResult | undefined = undefined;
// @ts-expect-error a fault carries no result
const _wrong: OutcomeKind = { ...fault, result: timed };

test("it is idle since its last call began, not since it was answered; and never while it tries in vain", async () => {
  await stage.call(1);
  stage.clock.advance(60_000);
  expect(stage.synchronizer.idleMs).toBeGreaterThanOrEqual(60_000);
  stage.calls[0]?.fail("UNAVAILABLE");
  await stage.call(2);
  expect(stage.synchronizer.idleMs).toBeLessThan(10_000);
  stage.calls[1]?.fail("UNAVAILABLE");
  await stage.call(3);
  expect(stage.synchronizer.idleMs).toBeLessThan(10_000);
});
