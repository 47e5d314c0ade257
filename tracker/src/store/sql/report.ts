/** Calls of Synchronize, many in one transaction: presence, outcomes, renewed leases, leases that the worker never got. */
import { type LeaseId, type MeasureResult, type SessionId, toLeaseId, toWorkerId, type WorkerId } from "@warpfarm/common";
import type { Outcome } from "@warpfarm/proto";
import type { LeasePolicy } from "../../policy/lease.ts";
import type { Database, Queryable } from "../database.ts";
import { encodeResult } from "../result-bytes.ts";
import { rowsOf, statement, value } from "../statement.ts";
import { buildStates, claimStates, requestStates } from "../states.ts";
import { applyBuilds, type Paid, readArtifacts, type Settled } from "./built.ts";
import { decideClaims } from "./claims.ts";
import { both, type Effects, type Finished, noEffects } from "./effects.ts";
import { returnLeases } from "./give-back.ts";
import { giveReused, isReusable } from "./reuses.ts";
import type { Used } from "./sessions.ts";
import { heldMs } from "./usage.ts";
import { countFault } from "./workers.ts";

/**
 * `device`: the worker's device of a run's result, if the worker has several. The outcome counts only for a lease of that device.
 */
export type HeldOutcome = Outcome & { readonly device?: number };

export interface WorkerCall {
  readonly worker: WorkerId;
  readonly epoch: number;
  readonly running: readonly LeaseId[];
  readonly outcomes: readonly HeldOutcome[];
  readonly trouble: string;
  /** The worker's main call: it does not have leases that the call does not name. */
  readonly main: boolean;
  /** The worker's last call: jobs that it does not report have not begun there, and it gets nothing more. */
  readonly leaving: boolean;
}

export type CallResult =
  | { readonly kind: "stale" }
  | {
      readonly kind: "known";
      readonly healthy: boolean;
      readonly acknowledged: readonly LeaseId[];
      /** Leases that it works on and that are no longer its own. */
      readonly cancel: readonly LeaseId[];
    };

export interface Reported {
  readonly results: readonly CallResult[];
  readonly effects: Effects;
  readonly used: readonly (Used & { readonly key: string })[];
  readonly built: readonly Paid[];
  /** The leases that these calls ended. */
  readonly ended: readonly Settled[];
}

export async function reportCalls(
  db: Database,
  calls: readonly WorkerCall[],
  policy: LeasePolicy,
  now: number,
): Promise<Reported> {
  // Presence, renewals and outcomes of runs, which is nearly everything, take one statement and no transaction. Without outcomes
  // nothing can be lost.
  if (calls.every((c) => c.outcomes.every((o) => o.kind === "run"))) {
    const target = calls.some((c) => c.outcomes.length > 0) ? db : db.lazy;
    const record = await recordCalls(target, calls, policy);
    return toReported(calls, record, record.reused ? await giveReused(db) : noEffects, []);
  }
  const artifacts = await readArtifacts(
    db,
    calls.flatMap((c) => c.outcomes.flatMap((o) => (o.kind === "built" ? [o.artifact] : []))),
  );
  return db.transaction(async (tx) => {
    const record = await recordCalls(tx, calls, policy);
    const applied = await applyBuilds(tx, record.settled, artifacts, policy, now);
    let { effects } = applied;
    if (record.reused) effects = both(effects, await giveReused(tx));
    const faults = record.settled.filter((s) => s.outcome.kind === "fault");
    if (faults.length > 0) effects = both(effects, await applyFaults(tx, faults, record, policy, now));
    const decided = await decideClaims(tx, record.settled);
    if (decided.length > 0) effects = both(effects, { ...noEffects, decided });
    return toReported(calls, record, effects, applied.built);
  });
}

function toReported(calls: readonly WorkerCall[], record: CallRecord, effects: Effects, built: readonly Paid[]): Reported {
  const results = calls.map((call): CallResult => {
    if (record.stale.has(`${call.worker} ${call.epoch}`)) return { kind: "stale" };
    const reported = new Set(call.outcomes.map((o) => o.leaseId));
    return {
      kind: "known",
      healthy: call.trouble === "" && !record.doubted.has(call.worker),
      acknowledged: [...reported],
      cancel: call.running.filter((lease) => record.gone.has(lease) && !reported.has(lease)),
    };
  });
  const used = record.settled.flatMap(({ session, heldMs, outcome }) =>
    session === null || outcome.kind !== "run" ? [] : [{ ...timesOf(outcome.result), id: session, ms: heldMs }],
  );
  return { results, effects: both(record.effects, effects), used, built, ended: record.settled };
}

function timesOf({ device, buildMs, busyMs = 0, lease }: MeasureResult) {
  const { queueMs = 0, transferMs = 0 } = lease ?? {};
  return { key: device?.key ?? "unknown", buildMs, timedMs: busyMs, queueMs, transferMs };
}

interface CallRecord {
  /** "worker epoch" of calls whose epoch is over. */
  readonly stale: ReadonlySet<string>;
  readonly doubted: Set<WorkerId>;
  readonly settled: readonly Settled[];
  /** Leases named as running that are not the caller's. */
  readonly gone: ReadonlySet<LeaseId>;
  readonly reused: boolean;
  readonly effects: Effects;
}

interface RecordRow {
  readonly what: "stale" | "doubted" | "gone" | "settled" | "back" | "reused";
  readonly id: string;
  readonly session: SessionId | null;
  /** For a settled run its sequence; for a stale call its epoch; for a returned run 1 when it may go anywhere. */
  readonly n: number | null;
  readonly program: string | null;
  readonly claim: string | null;
  readonly heldMs: number | null;
}

/**
 * callers  the calls, with the worker's row where its epoch is current
 * seen     presence, written when the last one is old: a busy worker calls a hundred times a second; a worker that leaves is lost
 *          from here on
 * settled  deletes the leases of the outcomes: a row that was there is an outcome that counts, and no other can count after it. A
 *          run ends by a run's outcome, a build by a build's and a replay by a replay's: a worker that mixes them up has not done
 *          the job. A lease of a former epoch is not there any more, so this needs no look at the worker
 * done     the results of settled runs
 * kept     results that others may be given (reuses.ts)
 * renewed  leases the calls name as running, before they get old
 * unnamed  leases of main calls that name neither them nor their outcome: the answer that gave them was lost, or the worker
 *          leaves and has not begun them; back as if never given
 *
 * What is as it should be returns no row.
 */
const recording = statement(
  {
    c: rowsOf({ worker_id: "text", epoch: "bigint", trouble: "text", main: "boolean", named: "text", leaving: "boolean" }),
    o: rowsOf({
      ...{ lease_id: "text", worker_id: "text", epoch: "bigint", kind: "text", result: "bytea" },
      ...{ reusable: "boolean", slower: "boolean", device: "integer" },
    }),
    n: rowsOf({ lease_id: "text", worker_id: "text" }),
    presence_ms: value(),
    ttl_ms: value(),
  },
  ({ c, o, n, presence_ms, ttl_ms }) => `
  with calls as (
    select * from ${c.rows}),
  callers as (
    select c.*, w.worker_id is not null as known, w.trouble as known_trouble, w.last_seen, w.suspect_until, w.quarantine
    from calls c left join workers w on w.worker_id = c.worker_id and w.epoch = c.epoch and not w.lost),
  seen as (
    update workers w set last_seen = now(), trouble = c.trouble, lost = c.leaving from callers c
    where c.known and (c.leaving or c.known_trouble <> c.trouble or c.last_seen < now() - ${presence_ms} * interval '1 ms') and w.worker_id = c.worker_id),
  settled as (
    delete from leases l using ${o.rows}
    where l.lease_id = o.lease_id and l.worker_id = o.worker_id and l.epoch = o.epoch
      and case o.kind when 'fault' then true when 'run' then l.session_id is not null
        when 'replayed' then l.claim is not null when 'replay_refused' then l.claim is not null else l.program is not null end
      and (o.device is null or l.device = o.device)
    returning l.lease_id, l.session_id, l.sequence, l.program, l.claim, l.granted_at, o.kind, o.result, o.reusable, o.slower),
  done as (
    update requests r set state = ${requestStates.done}, result = s.result from settled s
    where s.kind = 'run' and r.session_id = s.session_id and r.sequence = s.sequence and r.state = ${requestStates.leased}
    returning r.reuse, s.result, s.reusable, s.slower),
  kept as (
    update reuses x set result = case when d.reusable then d.result end, slower = case when d.slower then d.result end,
      used_at = now() from done d
    where d.reuse is not null and (d.reusable or d.slower) and x.name = d.reuse and x.result is null returning x.name, d.reusable),
  running as (
    select n.lease_id, l.lease_id is null as gone, l.until from ${n.rows}
    left join leases l on l.lease_id = n.lease_id and l.worker_id = n.worker_id),
  renewed as (
    update leases l set until = now() + ${ttl_ms} * interval '1 ms' from running n
    where n.until < now() + ${ttl_ms} * interval '0.8 ms' and l.lease_id = n.lease_id),
  unnamed as (
    delete from leases l using callers c
    where c.known and c.main and l.worker_id = c.worker_id and position(l.lease_id in c.named) = 0
    returning l.session_id, l.sequence, l.program, l.claim),
  runs_back as (
    update requests r set state = ${requestStates.ready}, attempts = greatest(r.attempts - 1, 0) from unnamed u
    where r.session_id = u.session_id and r.sequence = u.sequence and r.state = ${requestStates.leased} returning r.session_id, r.avoid = '{}' as free),
  builds_back as (
    update builds b set state = ${buildStates.waiting}, attempts = greatest(b.attempts - 1, 0) from unnamed u
    where b.program = u.program and b.state = ${buildStates.leased} returning b.program),
  claims_back as (
    update claims c set state = ${claimStates.waiting}, attempts = greatest(c.attempts - 1, 0) from unnamed u
    where c.claim = u.claim and c.state = ${claimStates.leased})
  select 'settled' as what, lease_id as id, session_id as session, sequence as n, program, claim::text as claim,
    ${heldMs("granted_at")} from settled
  union all select 'stale', worker_id, null, epoch, null, null, null from callers where not known
  union all select 'doubted', worker_id, null, null, null, null, null from callers where suspect_until > now() or quarantine <> ''
  union all select 'gone', lease_id, null, null, null, null, null from running where gone
  union all select 'back', '', session_id, free::integer, null, null, null from runs_back
  union all select 'back', '', null, null, program, null, null from builds_back
  union all select 'reused', name, null, null, null, null, null from kept where reusable`,
);

interface Report {
  readonly outcome: HeldOutcome;
  readonly call: WorkerCall;
  /** The bytes of a run's result. */
  readonly encoded: Uint8Array | undefined;
}

const encodedOf = (outcome: Outcome): Uint8Array | undefined =>
  outcome.kind === "run" ? (outcome.encoded ?? encodeResult(outcome.result)) : undefined;

async function recordCalls(db: Queryable, calls: readonly WorkerCall[], policy: LeasePolicy): Promise<CallRecord> {
  const keyOf = (call: WorkerCall) => `${call.worker} ${call.epoch}`;
  const leavers = new Set(calls.filter((c) => c.leaving).map(keyOf));
  // A leaving worker no longer does what it was doing a moment ago.
  const runningOf = (call: WorkerCall) => (leavers.size > 0 && leavers.has(keyOf(call)) ? [] : call.running);
  // One row per worker and epoch: its last call speaks for its health, and any main call makes it one.
  const speakers = new Map<string, Omit<WorkerCall, "running" | "outcomes"> & { readonly named: string[] }>();
  for (const call of calls) {
    const { worker, epoch, trouble } = call;
    const key = keyOf(call);
    const { main = false, named = [] } = speakers.get(key) ?? {};
    named.push(...runningOf(call), ...call.outcomes.map((o) => o.leaseId));
    // Field by field: a spread with more fields makes garbage that only a full collection frees.
    speakers.set(key, { worker, epoch, trouble, main: call.main || main, leaving: leavers.has(key), named });
  }
  const last = [...speakers.values()];
  const reported = new Map<LeaseId, Report>();
  // An outcome from an epoch that is over for the call itself is useless.
  for (const call of calls)
    for (const outcome of call.outcomes)
      if (outcome.epoch <= call.epoch) reported.set(outcome.leaseId, { outcome, call, encoded: encodedOf(outcome) });
  const outcomes = [...reported.values()];
  const running = calls.flatMap((c) =>
    runningOf(c)
      .filter((lease) => !reported.has(lease))
      .map((lease) => ({ lease, worker: c.worker })),
  );
  const rows = await recording.query<RecordRow>(db, {
    c: {
      worker_id: last.map((c) => c.worker),
      epoch: last.map((c) => c.epoch),
      trouble: last.map((c) => c.trouble),
      main: last.map((c) => c.main),
      named: last.map((c) => c.named.join()),
      leaving: last.map((c) => c.leaving),
    },
    o: {
      lease_id: outcomes.map((o) => o.outcome.leaseId),
      worker_id: outcomes.map((o) => o.call.worker),
      epoch: outcomes.map((o) => o.outcome.epoch),
      kind: outcomes.map((o) => o.outcome.kind),
      result: outcomes.map(({ encoded }) => encoded ?? null),
      reusable: outcomes.map(({ outcome }) => outcome.kind === "run" && isReusable(outcome.result)),
      slower: outcomes.map(({ outcome }) => outcome.kind === "run" && outcome.result.kind === "slower"),
      device: outcomes.map(({ outcome }) => outcome.device ?? null),
    },
    n: { lease_id: running.map((r) => r.lease), worker_id: running.map((r) => r.worker) },
    presence_ms: policy.ttlMs / 6,
    ttl_ms: policy.ttlMs,
  });
  return readRecord(rows, reported);
}

function readRecord(rows: readonly RecordRow[], reported: ReadonlyMap<LeaseId, Report>): CallRecord {
  const stale = new Set<string>();
  const doubted = new Set<WorkerId>();
  const gone = new Set<LeaseId>();
  const settled: Settled[] = [];
  const finished: Finished[] = [];
  const runs: SessionId[] = [];
  let others = 0;
  let reused = false;
  for (const { what, id, session, n, program, claim, heldMs } of rows) {
    if (what === "stale") stale.add(`${id} ${n}`);
    else if (what === "doubted") doubted.add(toWorkerId(id));
    else if (what === "gone") gone.add(toLeaseId(id));
    else if (what === "reused") reused = true;
    else if (what === "back") {
      if (session !== null && n === 1) runs.push(session);
      else others++;
    } else {
      const lease = toLeaseId(id);
      const report = reported.get(lease);
      if (!report) continue;
      const { outcome, call, encoded } = report;
      settled.push({ lease, worker: call.worker, session, sequence: n, program, claim, outcome, heldMs: heldMs ?? 0 });
      if (encoded && session !== null && n !== null) finished.push({ session, sequence: n, encoded });
    }
  }
  return { stale, doubted, settled, gone, reused, effects: { runs, others, finished } };
}

async function applyFaults(
  tx: Queryable,
  faults: readonly Settled[],
  { doubted }: CallRecord,
  policy: LeasePolicy,
  now: number,
): Promise<Effects> {
  let effects = noEffects;
  for (const lease of faults) {
    const { outcome, worker } = lease;
    if (outcome.kind !== "fault") continue;
    if (outcome.suspect) {
      await tx.query("update workers set suspect_until = now() + $2 * interval '1 ms' where worker_id = $1", [
        worker,
        policy.suspectMs,
      ]);
      // The job may have caused what a worker does not report of itself, and no number of a client's jobs may take a node from
      // others.
      await countFault(tx, worker, outcome.message, policy);
      doubted.add(worker);
    }
    const reason = outcome.busy ? "undelivered" : outcome.leaving ? "loss" : "fault";
    effects = both(effects, await returnLeases(tx, [lease], reason, outcome.message, policy, now));
  }
  return effects;
}
