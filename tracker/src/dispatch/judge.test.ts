/** What a runner is told for a judged job: secrets of the farm, and which times it audits. */
import { defaultMeasureOptions, type MeasureResult, toArtifactDigest, toLeaseId, toSessionId } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { Secrets } from "../doors/secrets.ts";
import { encodeResult } from "../store/result-bytes.ts";
import { Judge } from "./judge.ts";

const [a, b] = [toSessionId("a"), toSessionId("b")];
const options = { ...defaultMeasureOptions("cpu"), judged: true } as const;

const judgeOf = (key: number, judged = true) =>
  new Judge(new Secrets(new Uint8Array(32).fill(key), () => new Uint8Array()), {
    get: () => ({ row: { options: judged ? options : defaultMeasureOptions("cpu") } }) as never,
  });
const [here, there] = [
  { key: "cpu/x86-64-v1", name: "" },
  { key: "cpu/x86-64-v1", name: "another" },
];
const digits = "ab".repeat(32);
type Timed = Extract<MeasureResult, { readonly kind: "timed" }>;
const timed = (costs: readonly number[], more: Partial<Timed> = {}): Uint8Array =>
  encodeResult({
    ...{ kind: "timed", costs, number: 1, busyMs: 1, checked: true, observations: {} },
    device: { ...here, uuid: "u", node: "", driver: "" },
    artifact: toArtifactDigest(`sha256:${"0".repeat(64)}`),
    ...{ buildMs: 0, runMs: 0, timestampMs: 0, attempt: 1 },
    ...more,
  } satisfies MeasureResult);

const job = (lease: string, more: object = {}) => ({
  ...{ session: a, sequence: 1, lease: toLeaseId(lease), epoch: 1, reference: "r", isFinal: true },
  ...more,
});
/** Gives job 1 out and hears of its result. */
function measured(judge: Judge, encoded: Uint8Array, more: object = {}): void {
  judge.jobFor(job("l", more), here);
  judge.saw([{ session: a, sequence: 1, encoded }]);
}
/** Below what a job is audited whose lease is not among the random ones. */
function bound(judge: Judge, more: object = {}, device = here): number | undefined {
  for (let i = 0; i < 100; i++) {
    const { auditBelowMs } = judge.jobFor(job(`l${i}`, { isFinal: false, ...more }), device);
    if (auditBelowMs !== undefined) return auditBelowMs;
  }
  return undefined;
}

describe("the secrets of a judged job", () => {
  it("are the session's, which all its jobs have, and the lease's, which no other has; another farm has others", () => {
    const judge = judgeOf(1);
    const [one, two] = ["l1", "l2"].map((lease) => judge.jobFor(job(lease), here));
    expect(one?.secret).toMatch(/^[\da-f]{64}$/);
    expect(two?.secret).toBe(one?.secret);
    const all = [one, two, judge.jobFor(job("l1", { epoch: 2 }), here), judgeOf(2).jobFor(job("l1"), here)];
    expect(new Set(all.map((each) => each?.leaseSecret)).size).toBe(4);
    expect(judge.jobFor(job("l1", { session: b }), here).secret).not.toBe(one?.secret);
    expect(judgeOf(2).jobFor(job("l1"), here).secret).not.toBe(one?.secret);
    // The same assignment is sent again when an answer is lost.
    expect(judge.jobFor(job("l1"), here)).toEqual(one);
  });
});

describe("a time is audited", () => {
  it("when it is the first of its session, or could be tied with the least median so far", () => {
    const judge = judgeOf(1);
    expect(bound(judge)).toBeUndefined();
    measured(judge, timed([0.003, 0.005, 0.004]));
    expect(bound(judge)).toBeCloseTo(4 * 1.05, 9);
    measured(judge, timed([0.009]));
    expect(bound(judge)).toBeCloseTo(4 * 1.05, 9);
    measured(judge, timed([0.002]));
    expect(bound(judge)).toBeCloseTo(2 * 1.05, 9);
    expect(bound(judge, { session: b })).toBeUndefined();
  });

  it("whatever another computation took, or a faster device, or a job without an audit", () => {
    const judge = judgeOf(1);
    measured(judge, timed([0.002]));
    expect(bound(judge, { reference: "of another computation" })).toBeUndefined();
    expect(bound(judge, {}, there)).toBeUndefined();
    measured(judge, timed([0.001], { judged: { sets: 3, commitment: digits } }));
    expect(bound(judge)).toBeCloseTo(2 * 1.05, 9);
    measured(
      judge,
      timed([0.001], { judged: { sets: 3, commitment: digits, audit: { sets: 3, secret: digits, scored: [0.001] } } }),
    );
    expect(bound(judge)).toBeCloseTo(1.05, 9);
    // What another tracker assigned.
    judge.saw([{ session: a, sequence: 7, encoded: timed([1e-6]) }]);
    expect(bound(judge)).toBeCloseTo(1.05, 9);
  });

  it("of a finalist whatever it is, and of about 2 % of all jobs, which the farm's key draws", () => {
    const judge = judgeOf(3);
    measured(judge, timed([0.001]));
    expect(judge.jobFor(job("l"), here).auditBelowMs).toBeUndefined();
    const drawn = Array.from({ length: 5_000 }, (_, i) => judge.jobFor(job(`l${i}`, { isFinal: false }), here));
    const share = drawn.filter(({ auditBelowMs }) => auditBelowMs === undefined).length / drawn.length;
    expect(share).toBeGreaterThan(0.012);
    expect(share).toBeLessThan(0.028);
  });

  it("of failures, and of sessions that are not judged, learns nothing", () => {
    const judge = judgeOf(1, false);
    measured(judge, timed([0.001]));
    expect(bound(judge)).toBeUndefined();
    judgeOf(1).saw([{ session: a, sequence: 1 }]);
  });
});
