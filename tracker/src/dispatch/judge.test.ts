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
const timed = (...costs: readonly number[]): Uint8Array =>
  encodeResult({
    ...{ kind: "timed", costs, number: 1, busyMs: 1, checked: true, observations: {} },
    device: { key: "cpu/x86-64-v1", name: "", uuid: "u", node: "", driver: "" },
    artifact: toArtifactDigest(`sha256:${"0".repeat(64)}`),
    ...{ buildMs: 0, runMs: 0, timestampMs: 0, attempt: 1 },
  } satisfies MeasureResult);
/** A lease that is not among the random ones. */
const usual = (judge: Judge, session = a) => {
  for (let i = 0; ; i++) {
    const job = judge.jobFor(session, toLeaseId(`l${i}`), 1, false);
    if (job.auditBelowMs !== undefined) return job.auditBelowMs;
    if (i > 100) return undefined;
  }
};

describe("the secrets of a judged job", () => {
  it("are the session's, which all its jobs have, and the lease's, which no other has; another farm has others", () => {
    const judge = judgeOf(1);
    const [one, two] = ["l1", "l2"].map((lease) => judge.jobFor(a, toLeaseId(lease), 1, true));
    expect(one?.secret).toMatch(/^[\da-f]{64}$/);
    expect(two?.secret).toBe(one?.secret);
    const all = [one, two, judge.jobFor(a, toLeaseId("l1"), 2, true), judgeOf(2).jobFor(a, toLeaseId("l1"), 1, true)];
    expect(new Set(all.map((job) => job?.leaseSecret)).size).toBe(4);
    expect(judge.jobFor(b, toLeaseId("l1"), 1, true).secret).not.toBe(one?.secret);
    expect(judgeOf(2).jobFor(a, toLeaseId("l1"), 1, true).secret).not.toBe(one?.secret);
    // The same assignment is sent again when an answer is lost.
    expect(judge.jobFor(a, toLeaseId("l1"), 1, true)).toEqual(one);
  });
});

describe("a time is audited", () => {
  it("when it is the first of its session, or below the least median so far", () => {
    const judge = judgeOf(1);
    expect(usual(judge)).toBeUndefined();
    judge.saw([{ session: a, sequence: 1, encoded: timed(0.003, 0.005, 0.004) }]);
    expect(usual(judge)).toBeCloseTo(4, 9);
    judge.saw([{ session: a, sequence: 2, encoded: timed(0.009) }]);
    expect(usual(judge)).toBeCloseTo(4, 9);
    judge.saw([{ session: a, sequence: 3, encoded: timed(0.002) }]);
    expect(usual(judge)).toBeCloseTo(2, 9);
    expect(usual(judge, b)).toBeUndefined();
  });

  it("of a finalist whatever it is, and of about 2 % of all jobs, which the farm's key draws", () => {
    const judge = judgeOf(3);
    judge.saw([{ session: a, sequence: 1, encoded: timed(0.001) }]);
    expect(judge.jobFor(a, toLeaseId("l"), 1, true).auditBelowMs).toBeUndefined();
    const drawn = Array.from({ length: 5_000 }, (_, i) => judge.jobFor(a, toLeaseId(`l${i}`), 1, false));
    const share = drawn.filter(({ auditBelowMs }) => auditBelowMs === undefined).length / drawn.length;
    expect(share).toBeGreaterThan(0.012);
    expect(share).toBeLessThan(0.028);
  });

  it("of failures, and of sessions that are not judged, learns nothing", () => {
    const judge = judgeOf(1, false);
    judge.saw([{ session: a, sequence: 1, encoded: timed(0.001) }]);
    expect(usual(judge)).toBeUndefined();
    judgeOf(1).saw([{ session: a, sequence: 1 }]);
  });
});
