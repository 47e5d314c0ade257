import {
  type ArtifactManifest,
  defaultMeasureOptions,
  defined,
  FarmError,
  type LeaseId,
  ManualClock,
  type MeasureOptions,
  toArtifactDigest,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import type { Assignment, OutcomeKind } from "@warpfarm/proto";
import { describe, expect, test } from "vitest";
import { RunnerRole } from "./runner-role.ts";
import type { DeviceJob, JobOutcome } from "./worker/host.ts";
import type { AfterJob } from "./worker/racecheck.ts";

const hex = `sha256:${"1".repeat(64)}`;
const manifest: ArtifactManifest = {
  version: 1,
  program: toProgramDigest(hex),
  target: "cuda/sm_90",
  format: "cubin",
  code: toDigest(hex),
  kernels: [],
  buffers: [],
  resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
  toolchain: "scripted",
  notes: [],
};
const artifact = toArtifactDigest(hex);
const assignment = (attempt: number, incumbentMs?: number): Assignment => ({
  leaseId: `lease-${attempt}` as LeaseId,
  epoch: 1,
  ttlMs: 1000,
  job: {
    kind: "run",
    device: 0,
    artifact,
    options: defaultMeasureOptions("cuda"),
    attempt,
    buildMs: 0,
    queueMs: 7,
    owner: "alice",
    ...(incumbentMs === undefined ? {} : { incumbentMs }),
  },
});

/** A role over a device whose jobs end as the test says. */
function runner(ahead: number, clock = new ManualClock(), afterJob?: AfterJob, fetched: () => void = () => {}) {
  const begun: { readonly attempt: number; readonly options: MeasureOptions; readonly end: (outcome: JobOutcome) => void }[] = [];
  const host = {
    trouble: "",
    busy: "",
    recheck: async () => {},
    timeOwn: async () => (host.seconds === undefined ? undefined : { arithmetic: 1e-3, memory: host.seconds }),
    seconds: undefined as number | undefined,
    run: ({ attempt, options }: DeviceJob) => new Promise<JobOutcome>((end) => begun.push({ attempt, options, end })),
  };
  const told: string[] = [];
  /** Attempts that were said to begin. */
  const announced: number[] = [];
  const work = (attempt: number, { signal } = new AbortController(), incumbentMs?: number) =>
    role.work(assignment(attempt, incumbentMs), { signal, begin: () => announced.push(attempt) });
  const role: RunnerRole = new RunnerRole({
    node: "n",
    labels: {},
    description: { facts: { key: "cuda/sm_90", name: "", uuid: "", driver: "" }, memoryBytes: 1, limits: {} },
    host,
    ahead,
    cache: {
      get: async (digest) => {
        clock.advance(30);
        fetched();
        return { digest, manifest, codePath: "" };
      },
      trouble: "",
      probe: async () => {},
    },
    onTrouble: () => told.push(role.trouble()),
    clock,
    ...defined({ afterJob }),
    drift: { everyMs: 60_000, restMs: 0, maxPercent: 30 },
  });
  return { role, host, work, begun, announced, told, clock };
}
const result: Extract<JobOutcome, { kind: "result" }> = {
  kind: "result",
  result: { kind: "failed", errorNo: 7, message: "late", buildMs: 0, runMs: 0, timestampMs: 0, attempt: 1 },
};

test("a result says how long it waited, how long fetching took, and how long the lease was held", async () => {
  const { work, begun, clock } = runner(1);
  const outcomes = [work(1), work(2)];
  await expect.poll(() => begun.length).toBe(1);
  clock.advance(200);
  begun[0]?.end(result);
  await expect.poll(() => begun.length).toBe(2);
  clock.advance(50);
  begun[1]?.end(result);
  const leaseOf = (outcome: OutcomeKind) => (outcome.kind === "run" ? outcome.result.lease : undefined);
  const [first, second] = (await Promise.all(outcomes)).map(leaseOf);
  // By the clock of this test both are fetched one after the other, from when each job came.
  expect(first).toEqual({ queueMs: 7, transferMs: 60, heldMs: 260 });
  expect(second).toEqual({ queueMs: 7, transferMs: 30, heldMs: 280 });
});

test("what is done after a job changes its result, has the device for itself, and is given up with the job", async () => {
  const seen: string[] = [];
  const looked: (() => void)[] = [];
  const { work, begun } = runner(1, new ManualClock(), async ({ attempt }, { kind }, signal) => {
    seen.push(`${attempt} ${kind}`);
    await new Promise<void>((end) => {
      looked.push(end);
      signal.addEventListener("abort", () => end());
    });
    return { ...result.result, message: `looked at ${attempt}` };
  });
  const giveUp = new AbortController();
  const outcomes = [work(1), work(2, giveUp)];
  await expect.poll(() => begun.length).toBe(1);
  begun[0]?.end(result);
  await expect.poll(() => looked.length).toBe(1);
  await new Promise(setImmediate);
  expect([begun.length, seen]).toEqual([1, ["1 failed"]]);
  looked[0]?.();
  expect(await outcomes[0]).toMatchObject({ kind: "run", result: { message: "looked at 1", lease: { queueMs: 7 } } });
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.end(result);
  await expect.poll(() => looked.length).toBe(2);
  giveUp.abort(new Error("given up"));
  await expect(outcomes[1]).rejects.toThrow("given up");
});

test("a job races against the time that the tracker knows, in seconds, and without one against what its options say", async () => {
  const { work, begun } = runner(1);
  const outcomes = [work(1), work(2, undefined, 3)];
  for (const n of [1, 2]) {
    await expect.poll(() => begun.length).toBe(n);
    begun[n - 1]?.end(result);
  }
  await Promise.all(outcomes);
  const usual = defaultMeasureOptions("cuda");
  expect(begun.map(({ options }) => options)).toEqual([usual, { ...usual, incumbent: 0.003 }]);
});

test("a job whose artifact is not there, or is malformed, is not fetched again", async () => {
  for (const code of ["NOT_FOUND", "DATA_LOSS"] as const) {
    let fetches = 0;
    const { work, begun } = runner(1, new ManualClock(), undefined, () => {
      fetches++;
      throw new FarmError(code, "gone");
    });
    await expect(work(1)).rejects.toMatchObject({ code });
    expect([fetches, begun]).toEqual([1, []]);
  }
});

describe("a job that was taken ahead", () => {
  test("is asked for besides the one that runs, and waits for it", async () => {
    const { role, work, begun, announced } = runner(1);
    expect(role.capacity).toEqual([{ device: 0, count: 2 }]);
    const outcomes = [work(1), work(2)];
    await expect.poll(() => begun.length).toBe(1);
    await new Promise(setImmediate);
    expect(begun.map((b) => b.attempt)).toEqual([1]);
    expect(announced).toEqual([1]);
    begun[0]?.end(result);
    expect(await outcomes[0]).toMatchObject({ kind: "run" });
    await expect.poll(() => begun.map((b) => b.attempt)).toEqual([1, 2]);
    begun[1]?.end(result);
    expect(await outcomes[1]).toMatchObject({ kind: "run" });
    expect(announced).toEqual([1, 2]);
  });

  test("goes elsewhere when the one before it made the node suspect, and is not begun when it was given up", async () => {
    const { host, work, begun, announced } = runner(1);
    const givenUp = new AbortController();
    const [first, second, third] = [work(1), work(2), work(3, givenUp)];
    const rejected = expect(third).rejects.toThrow("taken back");
    await expect.poll(() => begun.length).toBe(1);
    givenUp.abort(new Error("taken back"));
    host.trouble = "the node's own kernels failed";
    begun[0]?.end({ kind: "fault", message: host.trouble, suspect: true });
    expect(await first).toMatchObject({ kind: "fault" });
    expect(await second).toEqual({ kind: "fault", message: "the node's own kernels failed", suspect: true });
    await rejected;
    expect(announced).toEqual([1]);
    expect(begun.map((b) => b.attempt)).toEqual([1]);
  });

  test("is handed back uncounted when the one before it found the device busy with others, and so is that one", async () => {
    const { host, work, begun, told } = runner(1);
    const [first, second] = [work(1), work(2)];
    await expect.poll(() => begun.length).toBe(1);
    host.busy = host.trouble = "device busy: process 7";
    begun[0]?.end({ kind: "fault", message: host.busy, suspect: false });
    const back = { kind: "fault", message: host.busy, suspect: false, busy: true };
    expect([await first, await second]).toEqual([back, back]);
    expect([told, begun.length]).toEqual([[host.busy], 1]);
    // A trouble of another kind counts, although the device is busy too.
    host.trouble = "the node's own kernels failed";
    expect(await work(3)).toEqual({ kind: "fault", message: host.trouble, suspect: true });
  });

  test("and is given up while it waits ends at once; who waits behind it still waits for the one that runs", async () => {
    const { work, begun, announced } = runner(2);
    const givenUp = new AbortController();
    const [first, second, third] = [work(1), work(2, givenUp), work(3)];
    await expect.poll(() => begun.length).toBe(1);
    givenUp.abort(new Error("taken back"));
    await expect(second).rejects.toThrow("taken back");
    await expect(work(4, givenUp)).rejects.toThrow("taken back");
    await new Promise(setImmediate);
    expect(begun.map((b) => b.attempt)).toEqual([1]);
    begun[0]?.end(result);
    await first;
    await expect.poll(() => begun.map((b) => b.attempt)).toEqual([1, 3]);
    begun[1]?.end(result);
    await third;
    expect(announced).toEqual([1, 3]);
  });
});

describe("a device that got slower", () => {
  test("is looked at for the first time when it is idle, which it is after a job, whatever became of that", async () => {
    let isThere = false;
    const { role, host, work, begun } = runner(0, new ManualClock(), undefined, () => {
      if (!isThere) throw new FarmError("DATA_LOSS", "malformed");
    });
    host.seconds = 1e-3;
    await expect(work(1)).rejects.toThrow("malformed");
    isThere = true;
    const working = work(2);
    await expect.poll(() => begun.length).toBe(1);
    begun[0]?.end(result);
    await working;
    await role.lookAfter(0, { signal: new AbortController().signal });
    expect(role.checks().count).toBe(1);
  });
  test("is trouble that jobs are refused for, told when it begins and ends; it is timed after a job, not beside it", async () => {
    const { role, host, work, begun, told } = runner(0);
    const { signal } = new AbortController();
    const look = async (seconds: number | undefined, atMs: number) => {
      host.seconds = seconds;
      await role.lookAfter(atMs, { signal });
      return role.trouble();
    };
    expect(await look(undefined, 0)).toBe(""); // they were not timed
    expect(await look(1e-3, 0)).toBe("");
    expect(await look(2e-3, 1_000)).toBe(""); // not due
    expect(await look(2e-3, 61_000)).toBe("");
    const working = work(1);
    await expect.poll(() => begun.length).toBe(1);
    const looked = look(2e-3, 71_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([]);
    begun[0]?.end(result);
    await working;
    const why = await looked;
    expect(why).toContain("takes 2000.0 us, 100 % more than the 1000.0 us");
    expect(await work(2)).toEqual({ kind: "fault", message: why, suspect: true });
    expect(await look(1e-3, 91_000)).toBe("");
    expect(told).toEqual([why, ""]);
    expect(role.checks().last.map(({ ratio }) => ratio)).toEqual([1, 2, 2, 1]);
    expect(begun).toHaveLength(1);
  });
});
