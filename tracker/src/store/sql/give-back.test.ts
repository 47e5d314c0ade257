/** How often a job may fail before it is given up: at each limit, and one before it, of two jobs that have failed unequally. */
import { digestOf, type SessionId, toLeaseId, toSessionId, toWorkerId } from "@warpfarm/common";
import { beforeEach, describe, expect, it } from "vitest";
import { freshStore } from "../../../../test-support/farm/scripted.ts";
import { defaultLeasePolicy, type ReturnReason } from "../../policy/lease.ts";
import type { Database } from "../database.ts";
import { decodeResult } from "../result-bytes.ts";
import { buildStates, claimStates, requestStates } from "../states.ts";
import { type LeaseRow, returnLeases } from "./give-back.ts";

let db: Database;
const [a, b] = ["s-a", "s-b"].map(toSessionId) as [SessionId, SessionId];
const policy = { ...defaultLeasePolicy, maxFaults: 3, maxLosses: 5, maxEnds: 2 };
const claim = "00000000-0000-0000-0000-00000000000a";
const none: Omit<LeaseRow, "lease"> = { worker: toWorkerId("w"), session: null, sequence: null, program: null, claim: null };
const lease = (of: Partial<LeaseRow>): LeaseRow => ({ ...none, lease: toLeaseId("l"), ...of });
const back = (reason: ReturnReason, ...leases: LeaseRow[]) =>
  db.transaction((tx) => returnLeases(tx, leases, reason, "the last why", policy, 7));

beforeEach(async () => {
  db = await freshStore();
});

describe("runs", () => {
  beforeEach(async () => {
    for (const id of [a, b])
      await db.query(
        `insert into sessions (session_id, request_id, task, selector, options, priority, max_in_flight, labels, expires_at)
         values ($1, $1, 't', 'cpu', '{}', 0, 1, '{}', now() + interval '1 hour')`,
        [id],
      );
  });
  const put = (session: SessionId, counts: { attempts?: number; faults?: number; losses?: number; ends?: number } = {}) => {
    const { attempts = 1, faults = 0, losses = 0, ends = 0 } = counts;
    return db.query(
      `insert into requests (session_id, sequence, program, target, state, attempts, faults, losses, ends) values ($1, 1, 'p', 't', $2, $3, $4, $5, $6)
       on conflict (session_id, sequence) do update set state = excluded.state, attempts = $3, faults = $4, losses = $5, ends = $6, avoid = '{}', result = null`,
      [session, requestStates.leased, attempts, faults, losses, ends],
    );
  };
  const rows = () =>
    db.query<{ id: string; state: number; counts: string; result: Uint8Array | null }>(
      "select session_id as id, state, concat_ws(' ', attempts, faults, losses, ends, cardinality(avoid)) as counts, result from requests order by 1",
    );
  const [runA, runB] = [lease({ session: a, sequence: 1 }), lease({ session: b, sequence: 1 })];

  it.each<[ReturnReason, Parameters<typeof put>[1], Parameters<typeof put>[1], string]>([
    ["fault", { faults: 1, losses: 4, ends: 1 }, { faults: 2 }, "0 losses, 0 of them by the end of its host, and 3 faults"],
    ["loss", { losses: 3, faults: 2, ends: 1 }, { losses: 4 }, "5 losses, 0 of them by the end of its host, and 0 faults"],
    ["end", { losses: 3, faults: 2 }, { ends: 1, losses: 1 }, "2 losses, 2 of them by the end of its host, and 0 faults"],
    ["end", {}, { losses: 4 }, "5 losses, 1 of them by the end of its host, and 0 faults"],
  ])("are given up at the last %s and not at the one before", async (reason, before, last, words) => {
    await put(a, before);
    await put(b, last);
    expect(await back(reason, runA, runB)).toMatchObject({ runs: [], others: 1, finished: [{ session: b, sequence: 1 }] });
    const [ready, over] = await rows();
    expect([ready?.state, ready?.result, over?.state]).toEqual([requestStates.ready, null, requestStates.done]);
    expect(decodeResult(over?.result as Uint8Array)).toMatchObject({
      kind: "failed",
      errorNo: 8,
      rule: "farm.gave_up",
      attempt: 1,
      timestampMs: 7,
      message: `the measurement was given up after ${words}; the last: the last why`,
    });
  });

  it("count what happened, each reason its own, and avoid the worker; what was not delivered never began", async () => {
    const expected: Readonly<Record<ReturnReason, string>> = {
      undelivered: "1 0 0 0 0",
      fault: "2 1 0 0 1",
      loss: "2 0 1 0 1",
      end: "2 0 1 1 1",
    };
    for (const [reason, counts] of Object.entries(expected) as [ReturnReason, string][]) {
      await put(a, { attempts: 2 });
      const { runs, others } = await back(reason, runA);
      expect([reason, (await rows())[0]?.counts, runs, others]).toEqual([
        reason,
        counts,
        ...(reason === "undelivered" ? [[a], 0] : [[], 1]),
      ]);
    }
    await put(a, { attempts: 0 });
    await back("undelivered", runA);
    expect((await rows())[0]?.counts).toBe("0 0 0 0 0");
  });

  it("that somebody settled meanwhile stay as they are", async () => {
    await put(a);
    await db.query("update requests set state = $1", [requestStates.done]);
    expect(await back("loss", runA)).toMatchObject({ runs: [], others: 0, finished: [] });
    expect((await rows())[0]).toMatchObject({ state: requestStates.done, counts: "1 0 0 0 0" });
  });
});

it("builds are given up at the last fault and not at the one before, and those that wait for them are told", async () => {
  const build = async (name: string, faults: number) => {
    const program = digestOf(name);
    await db.query(
      "insert into builds (program, target, state, priority, timeout_ms, faults, attempts) values ($1, 't', $2, 0, 1, $3, $3)",
      [program, buildStates.leased, faults],
    );
    return lease({ program });
  };
  const [early, late] = [await build("early", 1), await build("late", 2)];
  expect(await back("fault", early, late)).toMatchObject({ others: 1 });
  const states = async (l: LeaseRow) =>
    (
      await db.query<{ state: number; faults: number; error: number | null }>(
        "select state, faults, error_no as error from builds where program = $1",
        [l.program],
      )
    )[0];
  expect([await states(early), await states(late)]).toEqual([
    { state: buildStates.waiting, faults: 2, error: null },
    { state: buildStates.failed, faults: 3, error: 8 },
  ]);
});

it("a claim is unverifiable when no builder could replay it in as many tries as a job has faults, lost ones too", async () => {
  await db.query("insert into claims (claim, owner, state) values ($1, 'ada', $2)", [claim, claimStates.leased]);
  const state = async () => (await db.query<{ state: number; message: string }>("select state, message from claims"))[0];
  for (const reason of ["fault", "loss"] as const) {
    expect((await back(reason, lease({ claim }))).decided ?? []).toEqual([]);
    expect(await state()).toEqual({ state: claimStates.waiting, message: "" });
    await db.query("update claims set state = $1", [claimStates.leased]);
  }
  expect((await back("fault", lease({ claim }))).decided).toEqual([{ claim, verdict: "unverifiable", message: "the last why" }]);
  expect(await state()).toEqual({ state: claimStates.unverifiable, message: "the last why" });
});
