/**
 * Jobs whose lease ended without an outcome wait again, or end with UNKNOWN_ERROR after their limits (lease.ts).
 */
import type { LeaseId, SessionId, WorkerId } from "@warpfarm/common";
import { farmFailure, type LeasePolicy, type ReturnReason } from "../../policy/lease.ts";
import type { Queryable } from "../database.ts";
import { encodeResult } from "../result-bytes.ts";
import { rowsOf, statement } from "../statement.ts";
import { buildStates, claimStates, requestStates } from "../states.ts";
import { advanceRequests, finishing } from "./builds.ts";
import { both, type Effects, noEffects } from "./effects.ts";

export interface LeaseRow {
  readonly lease: LeaseId;
  readonly worker: WorkerId;
  readonly session: SessionId | null;
  readonly sequence: number | null;
  readonly program: string | null;
  readonly claim: string | null;
}
export const leaseColumns =
  "lease_id as lease, worker_id as worker, session_id as session, sequence, program, claim::text as claim";

interface Returned {
  readonly attempts: number;
  readonly losses: number;
  readonly ends: number;
  readonly faults: number;
}
const isOver = (j: Returned, { maxFaults, maxLosses, maxEnds }: LeasePolicy): boolean =>
  j.faults >= maxFaults || j.losses >= maxLosses || j.ends >= maxEnds;

const returningFor = (counted: string) => ({
  runs: statement(
    { g: rowsOf({ session_id: "text", sequence: "bigint", worker_id: "text" }) },
    ({ g }) => `update requests j set state = ${requestStates.ready}, ${counted}
     from ${g.rows}
     where j.session_id = g.session_id and j.sequence = g.sequence and j.state = ${requestStates.leased}
     returning j.session_id as session, j.sequence, j.attempts, j.losses, j.ends, j.faults, j.avoid = '{}' as free`,
  ),
  builds: statement(
    { g: rowsOf({ program: "text", worker_id: "text" }) },
    ({ g }) => `update builds j set state = ${buildStates.waiting}, ${counted}
     from ${g.rows}
     where j.program = g.program and j.state = ${buildStates.leased}
     returning j.program, j.attempts, j.losses, j.ends, j.faults`,
  ),
  claims: statement(
    { g: rowsOf({ claim: "text[]::uuid", worker_id: "text" }) },
    ({ g }) => `update claims j set state = ${claimStates.waiting}, ${counted}
     from ${g.rows}
     where j.claim = g.claim and j.state = ${claimStates.leased}
     returning j.claim::text as claim, j.attempts, j.losses, j.faults`,
  ),
});
/** Every reason counts and avoids the worker, except an undelivered lease, which never began. */
const returning: Readonly<Record<ReturnReason, ReturnType<typeof returningFor>>> = {
  undelivered: returningFor("attempts = greatest(j.attempts - 1, 0)"),
  fault: returningFor("faults = j.faults + 1, avoid = array_append(j.avoid, g.worker_id)"),
  loss: returningFor("losses = j.losses + 1, avoid = array_append(j.avoid, g.worker_id)"),
  end: returningFor("losses = j.losses + 1, ends = j.ends + 1, avoid = array_append(j.avoid, g.worker_id)"),
};
const givingUpBuilds = statement(
  { o: rowsOf({ program: "text", failure: "bytea" }) },
  ({ o }) => `update builds b set state = ${buildStates.failed}, error_no = 8, failure = o.failure, finished_at = now()
     from ${o.rows} where b.program = o.program`,
);

/** `leases` are rows that this transaction has deleted. */
export async function returnLeases(
  tx: Queryable,
  leases: readonly LeaseRow[],
  reason: ReturnReason,
  why: string,
  policy: LeasePolicy,
  now: number,
): Promise<Effects> {
  const runs = leases.filter((l) => l.session !== null);
  const builds = leases.filter((l) => l.program !== null);
  const claims = leases.filter((l) => l.claim !== null);
  const a = runs.length > 0 ? await returnRuns(tx, runs, reason, why, policy, now) : noEffects;
  const b = builds.length > 0 ? await returnBuilds(tx, builds, reason, why, policy, now) : noEffects;
  return both(both(a, b), claims.length > 0 ? await returnClaims(tx, claims, reason, why, policy) : noEffects);
}

const giveUp = (what: string, j: Returned, why: string, now: number) =>
  encodeResult(
    farmFailure(
      "farm.gave_up",
      `${what} was given up after ${j.losses} losses, ${j.ends} of them by the end of its host, and ${j.faults} faults; the last: ${why}`,
      now,
      Math.max(j.attempts, 1),
    ),
  );

async function returnRuns(
  tx: Queryable,
  runs: readonly LeaseRow[],
  reason: ReturnReason,
  why: string,
  policy: LeasePolicy,
  now: number,
) {
  const back = await returning[reason].runs.query<Returned & { session: SessionId; sequence: number; free: boolean }>(tx, {
    g: {
      session_id: runs.map((l) => l.session),
      sequence: runs.map((l) => l.sequence),
      worker_id: runs.map((l) => l.worker),
    },
  });
  const over = back.filter((j) => isOver(j, policy));
  if (over.length > 0)
    await finishing.query(tx, {
      o: {
        session_id: over.map((j) => j.session),
        sequence: over.map((j) => j.sequence),
        result: over.map((j) => giveUp("the measurement", j, why, now)),
      },
    });
  const ready = back.filter((j) => !over.includes(j));
  return {
    runs: ready.filter((j) => j.free).map((j) => j.session),
    others: ready.filter((j) => !j.free).length,
    finished: over.map(({ session, sequence }) => ({ session, sequence })),
  };
}

async function returnBuilds(
  tx: Queryable,
  builds: readonly LeaseRow[],
  reason: ReturnReason,
  why: string,
  policy: LeasePolicy,
  now: number,
) {
  const back = await returning[reason].builds.query<Returned & { program: string }>(tx, {
    g: { program: builds.map((l) => l.program), worker_id: builds.map((l) => l.worker) },
  });
  const over = back.filter((j) => isOver(j, policy));
  if (over.length === 0) return { ...noEffects, others: back.length };
  await givingUpBuilds.query(tx, {
    o: { program: over.map((j) => j.program), failure: over.map((j) => giveUp("the build", j, why, now)) },
  });
  const moved = await advanceRequests(
    tx,
    over.map((j) => j.program),
    now,
  );
  return { ...moved, others: moved.others + back.length - over.length };
}

/** A claim that no builder can replay in three tries stays as it is: its records are their owner's. */
async function returnClaims(
  tx: Queryable,
  claims: readonly LeaseRow[],
  reason: ReturnReason,
  why: string,
  { maxFaults }: LeasePolicy,
): Promise<Effects> {
  const back = await returning[reason].claims.query<Returned & { claim: string }>(tx, {
    g: { claim: claims.map((l) => l.claim), worker_id: claims.map((l) => l.worker) },
  });
  const over = back.filter(({ losses, faults }) => losses + faults >= maxFaults);
  if (over.length === 0) return noEffects;
  await tx.query(
    `update claims set state = ${claimStates.unverifiable}, decided_at = now(), message = $2 where claim = any($1::text[]::uuid[])`,
    [over.map((j) => j.claim), why],
  );
  return { ...noEffects, decided: over.map(({ claim }) => ({ claim, verdict: "unverifiable", message: why })) };
}
