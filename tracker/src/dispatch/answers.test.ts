/** What one pass gave out, by worker: calls that are gone give their leases back. */
import {
  defaultMeasureOptions,
  type MeasureOptions,
  type RunJob,
  type SessionId,
  toLeaseId,
  toSessionId,
  toWorkerId,
  type WorkerId,
} from "@warpfarm/common";
import { expect, it } from "vitest";
import { defaultLeasePolicy } from "../policy/lease.ts";
import type { GrantedBuild } from "../store/sql/claim.ts";
import type { ClaimedRun } from "../store/sql/claim-runs.ts";
import { Answers } from "./answers.ts";
import type { Poll, Work } from "./held-poll.ts";

const session = (name: string): SessionId => toSessionId(name);
const [w1, w2] = [toWorkerId("w1"), toWorkerId("w2")];

/** Its devices are an H200 and an H100. */
const runner = { kind: "runner", devices: ["H200", "H100"].map((name, device) => ({ device, facts: { name } })) };

function opened() {
  const options: MeasureOptions = { ...defaultMeasureOptions("cpu"), check: "none" };
  const rows = new Map([
    [session("a"), { options, paired: null, principal: "ada" }],
    [session("traced"), { options, paired: null, principal: "ada", traceparent: "00-..." }],
    [session("judged"), { options: { ...options, judged: true as const }, paired: null, principal: "ada" }],
    [session("races"), { options: { ...options, incumbent: "best" as const }, paired: null, principal: "ada" }],
    [session("b"), { options: { ...options, check: "reference" }, paired: { rounds: 3, idleMs: 0 }, principal: "bob" }],
  ]);
  const granted: unknown[] = [];
  const answers = new Answers({
    sessions: {
      get: (id: SessionId) => (rows.has(id) ? { row: rows.get(id) } : undefined),
      incumbentOf: (id: SessionId, { name }: { readonly name: string }) =>
        `${id} on ${name}` === "races on H100" ? 0.002 : undefined,
    } as never,
    registry: { get: (worker: WorkerId) => ({ facts: worker === w1 ? runner : { kind: "builder" } }) } as never,
    policy: { ...defaultLeasePolicy, ttlMs: 7_000 },
    secrets: { ownerTag: (principal) => `tag of ${principal}` },
    leaseSpans: {
      granted: (lease, of, sequence) => (of?.traceparent ? { traceparent: `${lease} of ${sequence}` } : {}),
    },
    judge: {
      jobFor: ({ session, lease, epoch, isFinal }, device) => ({
        secret: `of ${session} on ${device?.name}`,
        leaseSecret: `${lease} ${epoch} ${isFinal}`,
      }),
    },
    onGranted: (...what) => granted.push(what),
  });
  const heard = new Map<string, Work>();
  const poll = (name: string, isOpen = true) =>
    ({ isOpen, answer: (work: Work) => void heard.set(name, work) }) as unknown as Poll;
  return { answers, granted, heard, poll };
}
const run = (lease: string, of: string, worker = w1, more: Partial<ClaimedRun> = {}): ClaimedRun =>
  ({
    ...{
      worker,
      epoch: 2,
      device: 1,
      session: session(of),
      lease: toLeaseId(lease),
      sequence: 1,
      attempt: 1,
      buildMs: 5,
      queueMs: 8,
      waitedMs: 3,
    },
    ...{ artifact: `artifact of ${lease}`, reference: "reference", others: ["other"] },
    ...more,
  }) as ClaimedRun;
const build = (lease: string, worker = w2): GrantedBuild =>
  ({
    worker,
    epoch: 4,
    device: 0,
    lease: toLeaseId(lease),
    job: { timeoutMs: 9 },
    program: `program of ${lease}`,
    waitedMs: 8,
  }) as unknown as GrantedBuild;

it("a job of a session that is traced brings its span's parent; a build that of its session's search", () => {
  const { answers, heard, poll } = opened();
  answers.addRun(run("l1", "traced", w1, { sequence: 3 }));
  answers.addRun(run("l2", "a", w1));
  answers.addBuild({ ...build("l3"), session: session("traced") });
  answers.give(new Map([w1, w2].map((w) => [w, poll(w)])));
  expect([w1, w2].flatMap((w) => heard.get(w)?.assignments.map(({ traceparent }) => traceparent))).toEqual([
    "l1 of 3",
    undefined,
    "l3 of undefined",
  ]);
});

it("a job of a session that races has the time to beat on its kind of device, once there is one", () => {
  const { answers, heard, poll } = opened();
  for (const [i, of] of ["a", "races", "races"].entries()) answers.addRun(run(`l${i}`, of, w1, { device: i === 2 ? 0 : 1 }));
  answers.give(new Map([[w1, poll("w1")]]));
  const jobs = heard.get("w1")?.assignments.map(({ job }) => job as RunJob);
  expect(jobs?.map(({ incumbentMs }) => incumbentMs)).toEqual([undefined, 2, undefined]);
});

it("a judged job has the secrets of its session, its lease and its device", () => {
  const { answers, heard, poll } = opened();
  answers.addRun(run("l1", "judged", w1, { device: 0 }));
  answers.addRun(run("l2", "judged", w1, { device: 1 }));
  answers.give(new Map([[w1, poll("w1")]]));
  expect(heard.get("w1")?.assignments.map(({ job }) => (job as RunJob).judged)).toEqual([
    { secret: "of judged on H200", leaseSecret: "l1 2 false" },
    { secret: "of judged on H100", leaseSecret: "l2 2 false" },
  ]);
});

it("each open call has its own jobs, once, as its session wants them; what was given out is told by kind", () => {
  const { answers, granted, heard, poll } = opened();
  answers.addRun(run("l1", "a"));
  answers.addRun(run("l2", "b", w1, { attempt: 2, waitedMs: 30 }));
  answers.addBuild(build("l3"));
  expect(answers.count).toBe(3);
  expect(
    answers.give(
      new Map([
        [w1, poll("w1")],
        [w2, poll("w2")],
      ]),
    ),
  ).toEqual([]);
  const given = (name: string) => heard.get(name)?.assignments;
  expect(given("w1")).toEqual([
    {
      ...{ leaseId: "l1", epoch: 2, ttlMs: 7_000 },
      job: {
        kind: "run",
        device: 1,
        artifact: "artifact of l1",
        options: expect.anything(),
        attempt: 1,
        buildMs: 5,
        queueMs: 8,
        owner: "tag of ada",
      },
    },
    {
      ...{ leaseId: "l2", epoch: 2, ttlMs: 7_000 },
      job: {
        ...{
          kind: "run",
          device: 1,
          artifact: "artifact of l2",
          options: expect.anything(),
          attempt: 2,
          buildMs: 5,
          queueMs: 8,
          owner: "tag of bob",
        },
        reference: "reference",
        paired: { others: ["other"], options: { rounds: 3, idleMs: 0 } },
      },
    },
  ]);
  expect(given("w2")).toEqual([
    { leaseId: "l3", epoch: 4, ttlMs: 7_000, job: { kind: "build", program: "program of l3", timeoutMs: 9 } },
  ]);
  expect(granted).toEqual([
    ["run", 2, [3, 30]],
    ["build", 1, [8]],
  ]);
});

it("leases of calls that are gone, of workers without a call and of sessions that were closed go back; of nothing nothing is told", () => {
  const { answers, granted, heard, poll } = opened();
  expect([answers.give(new Map()), granted]).toEqual([[], []]);
  answers.addRun(run("closed", "c"));
  answers.addRun(run("gone", "a"));
  answers.addRun(run("gone-too", "b"));
  answers.addRun(run("nobody", "a", w2));
  expect(answers.count).toBe(3);
  expect(answers.give(new Map([[w1, poll("w1", false)]]))).toEqual(["closed", "gone", "gone-too", "nobody"]);
  expect([heard.size, granted]).toEqual([0, [["run", 3, [3, 3, 3]]]]);
});
