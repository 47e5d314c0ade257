/**
 * Calls of Synchronize, many at a time in one transaction: presence, outcomes, leases renewed, leases the worker never got. When it
 * resolves, everything acknowledged is durable.
 */
import type { ArtifactDigest, LeaseId, SessionId, WorkerId } from "@warpfarm/common";
import { decodeManifest, type Outcome } from "@warpfarm/proto";
import type { LeasePolicy } from "../../lease.ts";
import type { Database, Queryable } from "../database.ts";
import { encodeResult } from "../result-bytes.ts";
import { advanceRequests, type Finished } from "./builds.ts";
import { both, type Effects, type LeaseRow, noEffects, returnLeases } from "./give-back.ts";

export interface WorkerCall {
  readonly worker: WorkerId;
  readonly epoch: number;
  readonly running: readonly LeaseId[];
  readonly outcomes: readonly Outcome[];
  readonly trouble: string;
  /** The worker's main call: what it does not name here it does not have. */
  readonly main: boolean;
}

export type CallResult =
  | { readonly kind: "stale" }
  | {
      readonly kind: "known";
      readonly healthy: boolean;
      readonly acknowledged: readonly LeaseId[];
      /** Leases it works on that are no longer its own. */
      readonly cancel: readonly LeaseId[];
    };

type Settled = LeaseRow & { readonly outcome: Outcome };

export interface Reported {
  readonly results: readonly CallResult[];
  readonly effects: Effects;
}

export async function reportCalls(
  db: Database,
  calls: readonly WorkerCall[],
  policy: LeasePolicy,
  now: number,
): Promise<Reported> {
  // Presence, renewals and outcomes of runs, which is nearly all there ever is, are one statement and so need no transaction.
  const simple = calls.every((c) => c.outcomes.every((o) => o.kind === "run"));
  if (simple) return toReported(calls, await recordCalls(db, calls, policy), noEffects);
  return db.transaction(async (tx) => {
    const record = await recordCalls(tx, calls, policy);
    let effects = await applyBuilds(tx, record.settled, policy, now);
    const faults = record.settled.filter((s) => s.outcome.kind === "fault");
    if (faults.length > 0) effects = both(effects, await applyFaults(tx, faults, record, policy, now));
    return toReported(calls, record, effects);
  });
}

function toReported(calls: readonly WorkerCall[], record: CallRecord, effects: Effects): Reported {
  const results = calls.map((call): CallResult => {
    const presence = record.present.get(call.worker);
    if (presence?.epoch !== call.epoch) return { kind: "stale" };
    const reported = new Set(call.outcomes.map((o) => o.leaseId));
    return {
      kind: "known",
      healthy: presence.healthy,
      acknowledged: [...reported],
      cancel: call.running.filter((lease) => !record.held.has(lease) && !reported.has(lease)),
    };
  });
  return { results, effects: both(record.effects, effects) };
}

interface Presence {
  readonly epoch: number;
  readonly healthy: boolean;
}

interface CallRecord {
  readonly present: Map<WorkerId, Presence>;
  /** Leases whose outcome counts; runs are recorded already. */
  readonly settled: readonly Settled[];
  /** Leases renewed. */
  readonly held: ReadonlySet<LeaseId>;
  readonly effects: Effects;
}

interface RecordRow {
  readonly what: "present" | "settled" | "renewed" | "undelivered";
  readonly worker: WorkerId;
  readonly epoch: number | null;
  readonly healthy: boolean | null;
  readonly lease: LeaseId | null;
  readonly session: SessionId | null;
  readonly sequence: number | null;
  readonly program: string | null;
}

/**
 * present      the workers whose epoch is current; everything below is for them alone
 * settled      deletes the leases of the outcomes: a row that was there is an outcome that counts, and no other can count after it. A run
 *              ends by a run's outcome and a build by a build's: a worker that mixes them up has not done the job
 * done         the results of settled runs
 * renewed      leases the calls name as running
 * undelivered  leases of main calls that name neither them nor their outcome: the answer that gave them was lost; back as if never given
 */
const recordStatement = `
  with calls as (
    select * from unnest($1::text[], $2::bigint[], $3::text[], $4::boolean[]) as c(worker_id, epoch, trouble, main)),
  present as (
    update workers w set last_seen = now(), trouble = c.trouble from calls c
    where w.worker_id = c.worker_id and w.epoch = c.epoch and not w.lost
    returning w.worker_id, w.epoch, c.main, (w.trouble = '' and coalesce(w.suspect_until <= now(), true)) as healthy),
  settled as (
    delete from leases l
    using unnest($5::text[], $6::text[], $7::bigint[], $8::text[], $9::bigint[]) as o(lease_id, worker_id, epoch, kind, call_epoch), present p
    where p.worker_id = o.worker_id and p.epoch = o.call_epoch
      and l.lease_id = o.lease_id and l.worker_id = o.worker_id and l.epoch = o.epoch
      and (o.kind = 'fault' or (o.kind = 'run') = (l.program is null))
    returning l.lease_id, l.worker_id, l.session_id, l.sequence, l.program),
  done as (
    update requests r set state = 3, result = o.result
    from settled s join unnest($10::text[], $11::bytea[]) as o(lease_id, result) on o.lease_id = s.lease_id
    where r.session_id = s.session_id and r.sequence = s.sequence and r.state = 2),
  renewed as (
    update leases l set until = now() + $14 * interval '1 ms'
    from unnest($12::text[], $13::text[]) as n(lease_id, worker_id), present p
    where p.worker_id = n.worker_id and l.lease_id = n.lease_id and l.worker_id = n.worker_id
    returning l.lease_id, l.worker_id),
  undelivered as (
    delete from leases l using present p
    where p.main and l.worker_id = p.worker_id and not (l.lease_id = any($5::text[])) and not (l.lease_id = any($12::text[]))
    returning l.lease_id, l.worker_id, l.session_id, l.sequence, l.program),
  runs_back as (
    update requests r set state = 1, attempts = greatest(r.attempts - 1, 0) from undelivered u
    where r.session_id = u.session_id and r.sequence = u.sequence and r.state = 2),
  builds_back as (
    update builds b set state = 0, attempts = greatest(b.attempts - 1, 0) from undelivered u where b.program = u.program and b.state = 1)
  select 'present' as what, worker_id as worker, epoch, healthy, null as lease, null as session, null::bigint as sequence, null as program
    from present
  union all select 'settled', worker_id, null, null, lease_id, session_id, sequence, program from settled
  union all select 'renewed', worker_id, null, null, lease_id, null, null, null from renewed
  union all select 'undelivered', worker_id, null, null, lease_id, null, null, null from undelivered`;

async function recordCalls(db: Queryable, calls: readonly WorkerCall[], policy: LeasePolicy): Promise<CallRecord> {
  // One row a worker and epoch: its last call speaks for its health, and any main call makes it one.
  const speakers = new Map<string, WorkerCall>();
  for (const call of calls) {
    const key = `${call.worker} ${call.epoch}`;
    speakers.set(key, { ...call, main: call.main || (speakers.get(key)?.main ?? false) });
  }
  const last = [...speakers.values()];
  const reported = new Map<LeaseId, { readonly outcome: Outcome; readonly call: WorkerCall }>();
  for (const call of calls) for (const outcome of call.outcomes) reported.set(outcome.leaseId, { outcome, call });
  const outcomes = [...reported.values()];
  const results = outcomes.flatMap(({ outcome: o }) =>
    o.kind === "run" ? [{ lease: o.leaseId, result: encodeResult(o.result) }] : [],
  );
  const running = calls.flatMap((c) =>
    c.running.filter((lease) => !reported.has(lease)).map((lease) => ({ lease, worker: c.worker })),
  );
  const rows = await db.query<RecordRow>(recordStatement, [
    last.map((c) => c.worker),
    last.map((c) => c.epoch),
    last.map((c) => c.trouble),
    last.map((c) => c.main),
    outcomes.map((o) => o.outcome.leaseId),
    outcomes.map((o) => o.call.worker),
    outcomes.map((o) => o.outcome.epoch),
    outcomes.map((o) => o.outcome.kind),
    outcomes.map((o) => o.call.epoch),
    results.map((r) => r.lease),
    results.map((r) => r.result),
    running.map((r) => r.lease),
    running.map((r) => r.worker),
    policy.ttlMs,
  ]);
  return readRecord(rows, reported);
}

function readRecord(rows: readonly RecordRow[], reported: ReadonlyMap<LeaseId, { readonly outcome: Outcome }>): CallRecord {
  const present = new Map<WorkerId, Presence>();
  const settled: Settled[] = [];
  const held = new Set<LeaseId>();
  const finished: Finished[] = [];
  let ready = 0;
  for (const { what, worker, epoch, healthy, lease, session, sequence, program } of rows) {
    if (what === "present") present.set(worker, { epoch: epoch ?? 0, healthy: healthy ?? false });
    else if (what === "undelivered") ready++;
    else if (lease === null) continue;
    else if (what === "renewed") held.add(lease);
    else {
      const outcome = reported.get(lease)?.outcome;
      if (!outcome) continue;
      settled.push({ lease, worker, session, sequence, program, outcome });
      if (outcome.kind === "run" && session !== null && sequence !== null) finished.push({ session, sequence });
    }
  }
  return { present, settled, held, effects: { ready, finished } };
}

async function applyBuilds(tx: Queryable, settled: readonly Settled[], policy: LeasePolicy, now: number): Promise<Effects> {
  const built: { program: string; artifact: string; code: string; buildMs: number }[] = [];
  const failed: { program: string; errorNo: number; failure: Uint8Array }[] = [];
  const unusable: { lease: Settled; why: string }[] = [];
  const artifacts = await readArtifacts(tx, settled);
  for (const lease of settled) {
    const { program, outcome } = lease;
    if (program === null) continue;
    if (outcome.kind === "build_failed")
      failed.push({ program, errorNo: outcome.result.errorNo, failure: encodeResult(outcome.result) });
    if (outcome.kind !== "built") continue;
    const found = artifacts.get(outcome.artifact) ?? { fault: `the manifest ${outcome.artifact} was not uploaded` };
    if ("fault" in found) unusable.push({ lease, why: found.fault });
    else if (found.program !== program)
      unusable.push({ lease, why: `the manifest ${outcome.artifact} is of program ${found.program}` });
    else built.push({ program, artifact: outcome.artifact, code: found.code, buildMs: outcome.buildMs });
  }
  if (built.length > 0)
    await tx.query(
      `update builds b set state = 2, artifact = o.artifact, code = o.code, build_ms = o.build_ms, finished_at = now()
       from unnest($1::text[], $2::text[], $3::text[], $4::double precision[]) as o(program, artifact, code, build_ms)
       where b.program = o.program and b.state = 1`,
      [built.map((b) => b.program), built.map((b) => b.artifact), built.map((b) => b.code), built.map((b) => b.buildMs)],
    );
  if (failed.length > 0)
    await tx.query(
      `update builds b set state = 3, failure = o.failure, error_no = o.error_no, finished_at = now()
       from unnest($1::text[], $2::bytea[], $3::smallint[]) as o(program, failure, error_no) where b.program = o.program and b.state = 1`,
      [failed.map((b) => b.program), failed.map((b) => b.failure), failed.map((b) => b.errorNo)],
    );
  let effects: Effects = await advanceRequests(
    tx,
    [...built, ...failed].map((b) => b.program),
    now,
  );
  for (const { lease, why } of unusable) effects = both(effects, await returnLeases(tx, [lease], "fault", why, policy, now));
  return effects;
}

/** What the manifests reported say, or why one cannot be used. */
async function readArtifacts(tx: Queryable, settled: readonly Settled[]) {
  const digests = settled.flatMap(({ outcome }) => (outcome.kind === "built" ? [outcome.artifact] : []));
  const artifacts = new Map<ArtifactDigest, { readonly fault: string } | { readonly program: string; readonly code: string }>();
  if (digests.length === 0) return artifacts;
  const manifests = await tx.query<{ digest: ArtifactDigest; bytes: Uint8Array }>(
    "select digest, bytes from blobs where digest = any($1::text[])",
    [digests],
  );
  for (const { digest, bytes } of manifests) {
    const manifest = decodeManifest(bytes);
    if (manifest.ok) artifacts.set(digest, { program: manifest.value.program, code: manifest.value.code });
    else artifacts.set(digest, { fault: `the manifest ${digest} is refused: ${manifest.error.path}: ${manifest.error.message}` });
  }
  const codes = [...artifacts.values()].flatMap((a) => ("code" in a ? [a.code] : []));
  const there = await tx.query<{ digest: string }>(
    "update blobs set used_at = now() where digest = any($1::text[]) returning digest",
    [[...codes, ...digests]],
  );
  const present = new Set(there.map((b) => b.digest));
  for (const [digest, a] of artifacts)
    if ("code" in a && !present.has(a.code))
      artifacts.set(digest, { fault: `the code ${a.code} of manifest ${digest} was not uploaded` });
  return artifacts;
}

async function applyFaults(
  tx: Queryable,
  faults: readonly Settled[],
  { present }: CallRecord,
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
      present.set(worker, { epoch: present.get(worker)?.epoch ?? 0, healthy: false });
    }
    effects = both(effects, await returnLeases(tx, [lease], "fault", outcome.message, policy, now));
  }
  return effects;
}
