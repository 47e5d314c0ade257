/** The tracker over real loopback gRPC, with scripted builders, runners and clients. */
import { defaultMeasureOptions, FarmError, toDigest, toProgramDigest, toSessionId } from "@warpfarm/common";
import { connect } from "@warpfarm/proto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Tracker, TrackerOptions } from "../src/tracker.ts";
import {
  build,
  builder,
  cpu,
  loggedErrors,
  pause,
  programOf,
  runner,
  ScriptedClient,
  type ScriptedWorker,
  SharedStore,
  target,
  testTracker,
  timedResult,
  until,
} from "./scripted.testing.ts";

const store = new SharedStore();
beforeAll(() => store.open());
afterAll(() => store.close());
let undo: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const f of undo.reverse()) await f();
  undo = [];
  expect(loggedErrors.splice(0)).toEqual([]);
});

/** Times that a test can wait for. */
const quick = { policy: { ttlMs: 1_500, suspectMs: 300 }, limits: { brokenOffMs: 200 } };

async function farm(options: Partial<TrackerOptions> = {}) {
  const tracker: Tracker = await testTracker(await store.fresh(), options);
  undo.push(() => tracker[Symbol.asyncDispose]());
  const address = `127.0.0.1:${tracker.grpcPort}`;
  const start = (worker: ScriptedWorker) => {
    undo.push(() => worker.kill());
    return worker.start();
  };
  const client = () => {
    const c = new ScriptedClient(address);
    undo.push(() => c.close());
    return c;
  };
  return { tracker, address, start, client };
}
const codeOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(FarmError);
  return { code: (error as FarmError).code, message: (error as FarmError).message };
};

describe("a measurement", () => {
  it("is built, run and delivered; equal programs are built once; the reference is built and named", async () => {
    const { address, start, client } = await farm();
    const b = start(builder(address));
    const r = start(runner(address, 1));
    const c = client();
    await c.open({ check: "reference" });
    c.stream();
    const reference = programOf("reference");
    for (let i = 1; i <= 20; i++) c.send(i, programOf(`p${i % 4}`), reference);
    await c.finish();
    expect(c.error).toBeUndefined();
    expect([...c.results.keys()].sort((x, y) => x - y)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(c.deliveries).toHaveLength(20);
    expect(b.jobs).toHaveLength(5); // four programs and the reference
    expect(r.jobs).toHaveLength(20);
    const references = new Set(r.jobs.map((a) => a.job.kind === "run" && a.job.reference));
    expect(references.size).toBe(1);
    for (const result of c.results.values()) expect(result).toMatchObject({ kind: "timed", costs: [1], buildMs: 5, attempt: 1 });
    await until(() => r.acknowledged.length === 20, "every outcome to be acknowledged");
  });

  it("reaches an idle worker at once: no polling interval in the way", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const r = start(runner(address, 1));
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("warm"));
    await until(() => c.results.size === 1, "the first result");
    await until(() => r.running.size === 0, "the runner to be idle");
    const began = performance.now();
    for (let i = 2; i <= 11; i++) {
      c.send(i, programOf("warm"));
      await until(() => c.results.has(i), `result ${i}`);
    }
    // Ten in a row, each through the store three times. A held call that nobody wakes would take 18 s.
    expect(performance.now() - began).toBeLessThan(9_000);
  });

  it("that cannot be built is told with the builder's words; one whose reference cannot be built is not blamed", async () => {
    const { address, start, client } = await farm();
    const bad = programOf("bad");
    start(
      builder(address, (assignment, worker) => {
        if (assignment.job.kind !== "build" || assignment.job.program.digest !== bad.digest) return build(assignment, worker);
        const result = {
          kind: "failed",
          errorNo: 3,
          message: "cc said no",
          log: "line 7",
          buildMs: 3,
          runMs: 0,
          timestampMs: 1,
          attempt: 1,
        } as const;
        return { kind: "build_failed", result, buildMs: 3, cached: false };
      }),
    );
    start(runner(address, 1));
    const c = client();
    await c.open({ check: "reference" });
    c.stream();
    c.send(1, bad, programOf("reference"));
    c.send(2, programOf("good"), bad);
    c.send(3, programOf("good"), programOf("reference"));
    await until(() => c.results.size === 3, "three results");
    expect(c.results.get(1)).toMatchObject({ kind: "failed", errorNo: 3, message: "cc said no", log: "line 7" });
    expect(c.results.get(2)).toMatchObject({ kind: "failed", errorNo: 8, rule: "reference.build", log: "line 7" });
    expect(c.results.get(3)).toMatchObject({ kind: "timed" });
    // Known to fail: answered at once, without a builder.
    c.send(4, bad, programOf("reference"));
    await until(() => c.results.has(4), "the fourth");
    expect(c.results.get(4)).toMatchObject({ errorNo: 3 });
    await c.finish();
  });

  it("goes to devices the selector names, by key and label", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const v3 = start(runner(address, 1));
    const v4 = start(runner(address, 2, undefined, { key: "cpu/x86-64-v4", labels: { zone: "a" } }));
    const b = start(runner(address, 3, undefined, { key: "cpu/x86-64-v4", labels: { zone: "b" } }));
    await until(() => [v3, v4, b].every((w) => w.registered), "registration");
    const c = client();
    await c.open({}, { selector: "cpu/x86-64-v2+,zone=b" });
    c.stream();
    for (let i = 1; i <= 6; i++) c.send(i, programOf(`p${i}`));
    await c.finish();
    expect([v3.jobs.length, v4.jobs.length, b.jobs.length]).toEqual([0, 0, 6]);
    const ambiguous = await codeOf(client().open({}, { selector: "cpu" }));
    expect(ambiguous.code).toBe("FAILED_PRECONDITION");
    expect(ambiguous.message).toContain("cpu/x86-64-v3, cpu/x86-64-v4");
    const none = await codeOf(client().open(defaultMeasureOptions("cuda"), { selector: "cuda" }));
    expect(none).toMatchObject({ code: "FAILED_PRECONDITION", message: "selector cuda: no cuda device is registered" });
  });

  it("`cpu` alone is the one key present", async () => {
    const { address, start, client } = await farm();
    const r = start(runner(address, 1));
    await until(() => r.registered !== undefined, "registration");
    expect((await client().open({}, { selector: "cpu" })).selector).toBe(target);
  });

  it("prefetch names the artifacts of jobs that come next", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const c = client();
    await c.open();
    c.stream();
    for (let i = 1; i <= 8; i++) c.send(i, programOf(`p${i}`));
    const watch = client();
    await until(() => c.acceptedThrough === 8, "acceptance");
    for (;;) {
      const { queues } = await watch.tracker.farm.listNodes();
      if (queues[0]?.waitingRuns === 8) break;
      await pause(20);
    }
    const r = start(runner(address, 1));
    await c.finish();
    const ran = new Set(r.jobs.map((a) => a.job.kind === "run" && a.job.artifact));
    expect(r.prefetched.length).toBeGreaterThanOrEqual(4);
    for (const digest of r.prefetched) expect(ran).toContain(digest);
  });
});

describe("the Measure stream", () => {
  it("resumes after a disconnect: finished work waits, nothing is measured twice, received results stay away", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const r = start(runner(address, 1));
    const c = client();
    await c.open();
    c.stream();
    for (let i = 1; i <= 4; i++) c.send(i, programOf(`p${i}`));
    await until(() => c.results.size === 4, "four results");
    await pause(50); // their receipts
    for (let i = 5; i <= 8; i++) c.send(i, programOf(`p${i}`));
    await until(() => c.acceptedThrough === 8, "acceptance");
    await c.cut();
    await until(() => r.jobs.length === 8, "the runner to go on alone");
    c.deliveries.length = 0;
    c.stream(4);
    for (let i = 7; i <= 9; i++) c.send(i, programOf(`p${i}`)); // 7 and 8 again, as a client that lost the acknowledgement does
    await c.finish();
    expect(c.error).toBeUndefined();
    expect(c.results.size).toBe(9);
    expect(c.deliveries.filter((s) => s <= 4)).toEqual([]);
    expect(r.jobs).toHaveLength(9);
  });

  it("sends a result again until it is received", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    start(runner(address, 1));
    const c = client();
    c.receipts = false;
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    c.send(2, programOf("p2"));
    await until(() => c.results.size === 2, "two results");
    await c.cut();
    c.stream();
    await until(() => c.deliveries.length === 4, "both again");
    c.raw({ kind: "receipt", receivedThrough: 1, received: [] });
    await pause(50);
    await c.cut();
    c.stream();
    await until(() => c.deliveries.length === 5, "the second again");
    expect(c.deliveries[4]).toBe(2);
    c.send(3, programOf("p3"));
    await until(() => c.results.size === 3, "the third");
    await c.cut();
    const before = c.deliveries.length;
    c.stream(1);
    // Receipts may also come before the results are sent again.
    c.raw({ kind: "receipt", receivedThrough: 1, received: [3] });
    c.raw({ kind: "receipt", receivedThrough: 2, received: [3] });
    await c.finish();
    expect(c.error).toBeUndefined();
    c.stream(3); // resume_after says it too
    await c.finish();
    expect(c.deliveries.length).toBeLessThanOrEqual(before + 2);
  });

  it("same sequence and content is a no-op; other content, a gap, an unknown digest are refused", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const r = start(runner(address, 1));
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    c.send(1, programOf("p1"));
    c.send(2, programOf("p1").digest);
    c.send(2, programOf("p1"));
    await until(() => c.results.size === 2, "two results");
    expect(r.jobs).toHaveLength(2);
    c.send(1, programOf("p2"));
    expect(await c.failure()).toMatchObject({ code: "ALREADY_EXISTS", message: expect.stringContaining("sequence 1") });
    c.stream(2);
    c.send(4, programOf("p4"));
    expect(await c.failure()).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("input.sequence is 4; allowed: at most 3"),
    });
    c.stream(2);
    c.send(3, programOf("never sent").digest);
    c.send(4, programOf("p4"));
    expect(await c.failure()).toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining(programOf("never sent").digest),
    });
    c.stream(2);
    await until(() => c.acceptedThrough === 2, "where it stands");
    c.send(3, programOf("p3"));
    c.send(4, programOf("p4"));
    await c.finish();
    expect(c.results.size).toBe(4);
    expect(r.jobs).toHaveLength(4);
  });

  it("back-pressure: more than max_in_flight not received is RESOURCE_EXHAUSTED; receipts make room", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    start(runner(address, 1));
    const c = client();
    c.receipts = false;
    expect((await c.open({}, { maxInFlight: 3 })).maxInFlight).toBe(3);
    c.stream();
    for (let i = 1; i <= 3; i++) c.send(i, programOf(`p${i}`));
    await until(() => c.results.size === 3, "three results");
    c.raw({ kind: "receipt", receivedThrough: 2, received: [] });
    c.send(4, programOf("p4"));
    c.send(5, programOf("p5"));
    await until(() => c.results.size === 5, "five results");
    c.send(6, programOf("p6"));
    expect(await c.failure()).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: expect.stringContaining("max_in_flight is 3"),
    });
    c.stream(5);
    await until(() => c.acceptedThrough === 5, "resumption");
    c.send(6, programOf("p6"));
    await until(() => c.results.has(6), "the sixth");
  });

  it("a newer stream takes the session over; unknown and closed sessions are NOT_FOUND", async () => {
    const { client } = await farm();
    const c = client();
    await c.open();
    c.stream();
    await until(() => c.acceptedThrough === 0 && c.error === undefined, "the stream");
    c.send(1, programOf("p1"));
    await until(() => c.acceptedThrough === 1, "acceptance");
    const other = client();
    other.session = c.session;
    other.stream();
    expect(await c.failure()).toMatchObject({ code: "ABORTED" });
    await until(() => other.acceptedThrough === 1, "the other's acceptance");
    await other.tracker.farm.closeSession(other.session as NonNullable<typeof other.session>);
    expect(await other.failure()).toMatchObject({ code: "NOT_FOUND" });
    await other.tracker.farm.closeSession(other.session as NonNullable<typeof other.session>);
    c.stream();
    expect(await c.failure()).toMatchObject({ code: "NOT_FOUND" });
  });

  it("OpenSession with the same request_id finds the same session", async () => {
    const { client } = await farm();
    const [a, b] = [client(), client()];
    await Promise.all([a.open({}, { requestId: "once" }), b.open({}, { requestId: "once" })]);
    expect(a.session).toBe(b.session);
  });

  it("programs are checked at the door: form, target, reference", async () => {
    const { client } = await farm();
    const c = client();
    await c.open({ check: "reference" });
    const refusal = async (send: () => void) => {
      c.stream();
      send();
      const { code, message } = await c.failure();
      expect(code).toBe("INVALID_ARGUMENT");
      return message;
    };
    expect(await refusal(() => c.send(1, programOf("p")))).toContain("input.reference is not set");
    expect(await refusal(() => c.send(1, programOf("p", "cpu/x86-64-v4"), programOf("r")))).toContain(
      "target cpu/x86-64-v4 does not run on",
    );
    expect(await refusal(() => c.send(1, programOf("p", "cuda/sm_90"), programOf("r")))).toContain(
      "target cuda/sm_90 does not run on",
    );
    const rubbish = { digest: toProgramDigest(`sha256:${"0".repeat(64)}`), bytes: Buffer.from("[1]") };
    expect(await refusal(() => c.send(1, rubbish, programOf("r")))).toContain("input.program: not a JSON object");
    const huge = { ...rubbish, bytes: Buffer.alloc((1 << 20) + 1) };
    expect(await refusal(() => c.send(1, huge, programOf("r")))).toContain("allowed: 1 to 1048576 bytes");
  });

  it("a client that does not read blocks nobody else", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const log = "x".repeat(60_000);
    start(
      runner(address, 1, ({ job }) => {
        if (job.kind !== "run") throw new Error("not a run");
        const result = {
          kind: "failed",
          errorNo: 4,
          message: "no",
          log,
          buildMs: 0,
          runMs: 0,
          timestampMs: 1,
          attempt: 1,
        } as const;
        return { kind: "run", result };
      }),
    );
    const slow = connect({ address });
    undo.push(() => slow[Symbol.asyncDispose]());
    const opener = client();
    const opened = await opener.open({}, { maxInFlight: 300 });
    const inputs = async function* () {
      yield { kind: "start", sessionId: opened.sessionId, resumeAfter: 0 } as const;
      for (let i = 1; i <= 300; i++)
        yield { kind: "input", sequence: i, program: { kind: "program", program: programOf("p") } } as const;
      await new Promise(() => {});
    };
    const events = slow.farm.measure(inputs());
    await events.next(); // and then it reads no more: 18 MB are on their way to it
    const c = client();
    await c.open();
    c.stream();
    for (let i = 1; i <= 10; i++) c.send(i, programOf("p"));
    await until(() => c.results.size === 10, "the other client's results", 20_000);
    await events.return?.();
  });
});

describe("workers", () => {
  it("a runner cut off loses its lease; another takes the job, and the lost one's late outcome is dropped", async () => {
    const { address, start, client } = await farm(quick);
    start(builder(address));
    const lost = start(runner(address, 1, () => "keep"));
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => lost.jobs.length === 1, "the first runner to have the job");
    const [assignment] = lost.jobs;
    const registered = lost.registered as NonNullable<typeof lost.registered>;
    await lost.kill();
    const second = start(runner(address, 2));
    await until(() => c.results.size === 1, "the result");
    expect(c.results.get(1)).toMatchObject({ kind: "timed", costs: [2], attempt: 2 });
    expect(second.jobs).toHaveLength(1);
    const late = connect({ address });
    undo.push(() => late[Symbol.asyncDispose]());
    if (assignment?.job.kind !== "run") throw new Error("no run");
    const report = late.worker.synchronize({
      workerId: registered.workerId,
      epoch: registered.epoch,
      sequence: 99,
      free: [],
      running: [],
      outcomes: [
        {
          leaseId: assignment.leaseId,
          epoch: assignment.epoch,
          kind: "run",
          result: timedResult(1, cpu(1), assignment.job.artifact),
        },
      ],
      trouble: "",
      cacheAdded: [],
      cacheDropped: [],
      reportOnly: true,
    });
    expect((await codeOf(report)).code).toBe("ABORTED");
    await c.finish();
    expect(c.deliveries).toEqual([1]);
  });

  it("a fault is retried elsewhere, not at the worker that had it", async () => {
    const { address, start, client } = await farm(quick);
    start(builder(address));
    const faulty = start(runner(address, 1, () => ({ kind: "fault", message: "the device is busy", suspect: false })));
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => faulty.jobs.length === 1, "the fault");
    const good = start(runner(address, 2));
    await until(() => c.results.size === 1, "the result");
    // Alone on the farm the first one may have been asked again before the second came; never after.
    expect(good.jobs).toHaveLength(1);
    expect(c.results.get(1)).toMatchObject({ kind: "timed", costs: [2] });
  });

  it("three faults end a job with UNKNOWN_ERROR; a suspect worker gets nothing until it recovers", async () => {
    const { address, start, client } = await farm(quick);
    start(builder(address));
    const times: number[] = [];
    const r = start(
      runner(address, 1, () => {
        times.push(performance.now());
        return { kind: "fault", message: "reference kernel failed", suspect: true };
      }),
    );
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => c.results.size === 1, "the verdict");
    expect(c.results.get(1)).toMatchObject({
      kind: "failed",
      errorNo: 8,
      rule: "farm.gave_up",
      message: expect.stringContaining("reference kernel failed"),
    });
    expect(r.jobs).toHaveLength(3);
    // 300 ms of suspicion, minus what the clocks of store and test may differ.
    for (const i of [1, 2]) expect((times[i] as number) - (times[i - 1] as number)).toBeGreaterThan(250);
  });

  it("a worker in trouble gets nothing, and work again when it is well", async () => {
    const { address, start, client } = await farm(quick);
    start(builder(address));
    const r = runner(address, 1);
    r.trouble = "disk full";
    start(r);
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => c.acceptedThrough === 1, "acceptance");
    await pause(300);
    expect(r.jobs).toHaveLength(0);
    expect((await c.tracker.farm.listNodes()).nodes.find((n) => n.role === "runner")?.state).toBe("SUSPECT");
    r.trouble = "";
    await until(() => c.results.size === 1, "the result");
  });

  it("a builder killed while building: the build goes to another", async () => {
    const { address, start, client } = await farm(quick);
    const first = start(builder(address, () => "keep"));
    start(runner(address, 1));
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => first.jobs.length === 1, "the first builder to have it");
    await first.kill();
    start(builder(address));
    await until(() => c.results.size === 1, "the result");
    expect(c.results.get(1)).toMatchObject({ kind: "timed" });
  });

  it("a builder that names what it did not upload is at fault, not the program", async () => {
    const { address, start, client } = await farm(quick);
    let lies = 0;
    start(
      builder(address, (assignment, worker) => {
        if (lies++ > 0) return build(assignment, worker);
        return { kind: "built", artifact: toDigest(`sha256:${"1".repeat(64)}`) as never, buildMs: 1, cached: false };
      }),
    );
    start(runner(address, 1));
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => c.results.size === 1, "the result");
    expect(c.results.get(1)).toMatchObject({ kind: "timed" });
    expect(lies).toBe(2);
  });

  it("an outcome reported twice counts once, and is acknowledged twice", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => r.jobs.length === 1, "the job");
    const [assignment] = r.jobs;
    const registered = r.registered as NonNullable<typeof r.registered>;
    if (assignment?.job.kind !== "run") throw new Error("no run");
    const { artifact } = assignment.job;
    const report = (seconds: number) =>
      c.tracker.worker.synchronize({
        workerId: registered.workerId,
        epoch: registered.epoch,
        sequence: 50,
        free: [],
        running: [],
        outcomes: [
          { leaseId: assignment.leaseId, epoch: assignment.epoch, kind: "run", result: timedResult(seconds, cpu(1), artifact) },
        ],
        trouble: "",
        cacheAdded: [],
        cacheDropped: [],
        reportOnly: true,
      });
    const [a, b] = await Promise.all([report(1), report(2)]);
    expect([a.acknowledged, b.acknowledged]).toEqual([[assignment.leaseId], [assignment.leaseId]]);
    await c.finish();
    expect(c.deliveries).toEqual([1]);
    expect(r.jobs).toHaveLength(1);
  });

  it("a lease whose answer was lost goes out again at once, as if never given", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const r = runner(address, 1);
    undo.push(() => r.kill());
    const registered = await r.tracker.worker.register(r.registration);
    const call = (sequence: number, running: readonly string[] = []) =>
      r.tracker.worker.synchronize({
        workerId: registered.workerId,
        epoch: registered.epoch,
        sequence,
        free: [{ device: 0, count: Math.max(0, 1 - running.length) }],
        running: running as never,
        outcomes: [],
        trouble: "",
        cacheAdded: [],
        cacheDropped: [],
        reportOnly: false,
      });
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    const [first] = (await call(1)).assignments;
    const [second] = (await call(2)).assignments; // as if the first answer had never come
    expect(second?.leaseId).not.toBe(first?.leaseId);
    expect(first?.job).toEqual(second?.job);
    expect(second?.job).toMatchObject({ kind: "run", attempt: 1 });
    // What it still names is renewed or, when it is not its own any more, to be given up.
    const third = await call(3, [first?.leaseId ?? "", second?.leaseId ?? ""]);
    expect(third.cancel).toEqual([first?.leaseId]);
  });

  it("registering again ends the old epoch: its leases go back, its calls are ABORTED", async () => {
    const { address, start, client } = await farm(quick);
    start(builder(address));
    const r = start(runner(address, 1, () => "keep", { instanceId: "the-same" }));
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => r.jobs.length === 1, "the job");
    const again = await c.tracker.worker.register(r.registration);
    expect(again.workerId).toBe(r.registered?.workerId);
    expect(again.epoch).toBe((r.registered?.epoch ?? 0) + 1);
    const stale = c.tracker.worker.synchronize({
      workerId: again.workerId,
      epoch: again.epoch - 1,
      sequence: 1,
      free: [],
      running: [],
      outcomes: [],
      trouble: "",
      cacheAdded: [],
      cacheDropped: [],
      reportOnly: true,
    });
    expect(await codeOf(stale)).toMatchObject({ code: "ABORTED" });
    await until(() => r.jobs.length === 2, "the job under the new epoch");
    expect(r.jobs[1]?.epoch).toBeGreaterThan(again.epoch - 1);
  });

  it("a device has one live holder; one that is gone is replaced at once", async () => {
    const { address, start } = await farm();
    const holder = start(runner(address, 7));
    await until(() => holder.registered !== undefined, "registration");
    await pause(50);
    const rival = start(runner(address, 7));
    await until(() => rival.errors.length > 0, "a refusal");
    expect(rival.errors[0]).toMatchObject({ code: "ALREADY_EXISTS", message: expect.stringContaining("cpu-7") });
    await holder.kill();
    await until(() => rival.registered !== undefined, "the takeover");
  });

  it("a closed session's running jobs are cancelled at their workers", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const c = client();
    const { sessionId } = await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => r.jobs.length === 1 && r.running.size === 1, "the job");
    await pause(50); // its held call
    await c.tracker.farm.closeSession(sessionId);
    await until(() => r.cancelled.length === 1, "the cancellation");
    expect(r.cancelled).toEqual([r.jobs[0]?.leaseId]);
  });

  it("protocol versions that differ are named", async () => {
    const { address } = await farm();
    const r = runner(address, 1);
    undo.push(() => r.kill());
    const refused = await codeOf(r.tracker.worker.register({ ...r.registration, protocolVersion: 99 }));
    expect(refused).toMatchObject({
      code: "FAILED_PRECONDITION",
      message: expect.stringContaining("protocol 99, this tracker 1"),
    });
  });
});

describe("sessions", () => {
  it("share workers turn by turn; a higher priority goes first", async () => {
    const { address, start, client } = await farm();
    const order: string[] = [];
    start(builder(address));
    const clients = await Promise.all(
      [0, 0, 5].map(async (priority, i) => {
        const c = client();
        await c.open({ cooldownMs: i }, { priority });
        c.stream();
        for (let s = 1; s <= 6; s++) c.send(s, programOf("shared"));
        await until(() => c.acceptedThrough === 6, "acceptance");
        return c;
      }),
    );
    const [first] = clients;
    for (;;) {
      const queues = (await first?.tracker.farm.listNodes())?.queues;
      if (queues?.[0]?.waitingRuns === 18) break;
      await pause(20);
    }
    start(
      runner(address, 1, ({ job }) => {
        if (job.kind !== "run") throw new Error("not a run");
        order.push("abc"[job.options.cooldownMs] ?? "?");
        return { kind: "run", result: timedResult(1, cpu(1), job.artifact) };
      }),
    );
    for (const c of clients) await c.finish();
    expect(order.slice(0, 6).join("")).toBe("cccccc");
    expect(order.slice(6).join("")).toMatch(/^(ab){6}$|^(ba){6}$/);
  });

  it("go on for a client's next process: all that was accepted is done meanwhile, told by program and measured once", async () => {
    const { address, start, client } = await farm();
    const c = client();
    const first = await c.open({ check: "reference" }, { maxInFlight: 8 });
    expect(first).toMatchObject({ acceptedThrough: 0, outstanding: [] });
    c.stream();
    const reference = programOf("reference");
    const input = (sequence: number) => ({ sequence, program: programOf(`p${sequence}`).digest, reference: reference.digest });
    c.send(1, programOf("p1"), reference);
    const b = start(builder(address));
    const r = start(runner(address, 1));
    await until(() => c.results.size === 1, "the first result");
    await pause(50); // its receipt
    c.receipts = false;
    for (let i = 2; i <= 8; i++) c.send(i, programOf(`p${i}`), reference);
    await until(() => c.acceptedThrough === 8, "acceptance");
    await c.cut();

    const again = client();
    again.receipts = false;
    const continues = first.sessionId;
    const second = await again.open({ check: "reference" }, { maxInFlight: 9, continues, requestId: "next-process" });
    expect(second).toMatchObject({ sessionId: continues, maxInFlight: 9, acceptedThrough: 8 });
    expect(second.outstanding).toEqual([2, 3, 4, 5, 6, 7, 8].map(input));
    await until(() => r.acknowledged.length === 8, "the farm to go on with nobody there");
    // The answer was lost: the same request finds the same session and tells the same.
    expect(await again.open({ check: "reference" }, { maxInFlight: 9, continues, requestId: "next-process" })).toEqual(second);
    again.stream(1);
    for (let i = 9; i <= 10; i++) again.send(i, programOf(`p${i}`), reference); // the wider window holds
    await again.finish();
    expect(again.error).toBeUndefined();
    expect([...again.results.keys()].sort((x, y) => x - y)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(r.jobs).toHaveLength(10);
    expect(b.jobs).toHaveLength(11);
  });

  it("go on only as what they are: another selector, other options or an unknown id open a new one; older streams are fenced off", async () => {
    const { client } = await farm();
    const c = client();
    const { sessionId: continues } = await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => c.acceptedThrough === 1, "acceptance");
    const next = client();
    const ids = [
      await next.open({ repeat: 7 }, { continues }),
      await next.open({}, { continues, selector: "cpu/x86-64-v2" }),
      await next.open({}, { continues: toSessionId("nobody") }),
    ].map(({ sessionId, acceptedThrough, outstanding }) => {
      expect({ acceptedThrough, outstanding }).toEqual({ acceptedThrough: 0, outstanding: [] });
      return sessionId;
    });
    expect(new Set([continues, ...ids]).size).toBe(4);
    expect(c.error).toBeUndefined();
    expect((await next.open({}, { continues })).outstanding).toEqual([{ sequence: 1, program: programOf("p1").digest }]);
    c.send(2, programOf("p2"));
    expect(await c.failure()).toMatchObject({ code: "ABORTED" });
  });

  it("expire when nobody comes back, and their work with them", async () => {
    const { address, start, client } = await farm({ ...quick, limits: { ...quick.limits, idleMs: 400 } });
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const c = client();
    await c.open();
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => r.jobs.length === 1, "the job");
    await pause(900); // connected: it stays
    expect(c.error).toBeUndefined();
    await c.cut();
    await until(() => r.cancelled.length === 1, "the cancellation");
    c.stream();
    expect(await c.failure()).toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("artifacts", () => {
  it("go up and down by digest; wrong bytes and unknown digests are refused", async () => {
    const { client } = await farm({ limits: { maxBlobBytes: 3_000_000 } });
    const { artifacts } = client().tracker;
    const bytes = Buffer.alloc(1_700_000, "abc");
    const digest = await artifacts.upload(bytes);
    expect(await artifacts.upload(bytes)).toBe(digest);
    expect(Buffer.from(await artifacts.download(digest)).equals(bytes)).toBe(true);
    const other = toDigest(`sha256:${"f".repeat(64)}`);
    expect([...(await artifacts.stat([digest, other]))]).toEqual([[digest, 1_700_000]]);
    expect(await codeOf(artifacts.download(other))).toMatchObject({ code: "NOT_FOUND" });
    expect(await codeOf(artifacts.upload(Buffer.alloc(3_000_001)))).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: expect.stringContaining("at most 3000000"),
    });
    expect(await artifacts.upload(Buffer.alloc(0))).toMatch(/^sha256:e3b0/);
  });
});
