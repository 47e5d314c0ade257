/**
 * Calls of Synchronize, many at a time in one transaction: presence, outcomes, leases renewed, leases the worker never got. When it
 * resolves, everything acknowledged is durable.
 */
import type { ArtifactDigest, LeaseId, WorkerId } from "@warpfarm/common";
import { decodeManifest, type Outcome } from "@warpfarm/proto";
import type { LeasePolicy } from "../../lease.ts";
import type { Database, Queryable } from "../database.ts";
import { encodeResult } from "../result-bytes.ts";
import { advanceRequests } from "./builds.ts";
import { both, type Effects, type LeaseRow, leaseColumns, noEffects, returnLeases } from "./give-back.ts";

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

export async function reportCalls(
  db: Database,
  calls: readonly WorkerCall[],
  policy: LeasePolicy,
  now: number,
): Promise<{ readonly results: readonly CallResult[]; readonly effects: Effects }> {
  return db.transaction(async (tx) => {
    let present = await markPresent(tx, calls);
    const known = calls.filter((c) => present.get(c.worker)?.epoch === c.epoch);
    const settled = await settle(tx, known);
    let effects = await applyRuns(tx, settled);
    effects = both(effects, await applyBuilds(tx, settled, policy, now));
    const faults = settled.filter((s) => s.outcome.kind === "fault");
    if (faults.length > 0) {
      effects = both(effects, await applyFaults(tx, faults, policy, now));
      if (faults.some(({ outcome }) => outcome.kind === "fault" && outcome.suspect)) present = await markPresent(tx, known);
    }
    effects = both(effects, await returnUndelivered(tx, known, policy, now));
    const held = await renew(tx, known, policy);
    const results = calls.map((call): CallResult => {
      const presence = present.get(call.worker);
      if (presence?.epoch !== call.epoch) return { kind: "stale" };
      const reported = new Set(call.outcomes.map((o) => o.leaseId));
      return {
        kind: "known",
        healthy: presence.healthy,
        acknowledged: [...reported],
        cancel: call.running.filter((lease) => !held.has(lease) && !reported.has(lease)),
      };
    });
    return { results, effects };
  });
}

interface Presence {
  readonly worker: WorkerId;
  readonly epoch: number;
  readonly healthy: boolean;
}

async function markPresent(tx: Queryable, calls: readonly WorkerCall[]): Promise<Map<WorkerId, Presence>> {
  // The last call of a worker in the batch speaks for its health.
  const last = [...new Map(calls.map((c) => [`${c.worker} ${c.epoch}`, c])).values()];
  const rows = await tx.query<Presence>(
    `update workers w set last_seen = now(), trouble = c.trouble
     from unnest($1::text[], $2::bigint[], $3::text[]) as c(worker_id, epoch, trouble)
     where w.worker_id = c.worker_id and w.epoch = c.epoch and not w.lost
     returning w.worker_id as worker, w.epoch, (w.trouble = '' and coalesce(w.suspect_until <= now(), true)) as healthy`,
    [last.map((c) => c.worker), last.map((c) => c.epoch), last.map((c) => c.trouble)],
  );
  return new Map(rows.map((r) => [r.worker, r]));
}

/** Deletes the leases of the outcomes: a row that was there is an outcome that counts, and no other can count after it. */
async function settle(tx: Queryable, calls: readonly WorkerCall[]): Promise<readonly Settled[]> {
  const reported = new Map<LeaseId, { outcome: Outcome; worker: WorkerId }>();
  for (const { worker, outcomes } of calls) for (const outcome of outcomes) reported.set(outcome.leaseId, { outcome, worker });
  if (reported.size === 0) return [];
  const all = [...reported.values()];
  // A run can only be ended by a run's outcome and a build by a build's: a worker that mixes them up has not done the job.
  const rows = await tx.query<LeaseRow>(
    `delete from leases l using unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) as o(lease_id, worker_id, epoch, kind)
     where l.lease_id = o.lease_id and l.worker_id = o.worker_id and l.epoch = o.epoch
       and (o.kind = 'fault' or (o.kind = 'run') = (l.program is null))
     returning l.lease_id as lease, l.worker_id as worker, l.session_id as session, l.sequence, l.program`,
    [
      all.map((o) => o.outcome.leaseId),
      all.map((o) => o.worker),
      all.map((o) => o.outcome.epoch),
      all.map((o) => o.outcome.kind),
    ],
  );
  return rows.flatMap((row) => {
    const outcome = reported.get(row.lease)?.outcome;
    return outcome ? [{ ...row, outcome }] : [];
  });
}

async function applyRuns(tx: Queryable, settled: readonly Settled[]): Promise<Effects> {
  const runs = settled.flatMap(({ session, sequence, outcome }) =>
    outcome.kind === "run" && session !== null && sequence !== null
      ? [{ session, sequence, result: encodeResult(outcome.result) }]
      : [],
  );
  if (runs.length === 0) return noEffects;
  await tx.query(
    `update requests r set state = 3, result = o.result
     from unnest($1::text[], $2::bigint[], $3::bytea[]) as o(session_id, sequence, result)
     where r.session_id = o.session_id and r.sequence = o.sequence and r.state = 2`,
    [runs.map((r) => r.session), runs.map((r) => r.sequence), runs.map((r) => r.result)],
  );
  return { ready: 0, finished: runs.map(({ session, sequence }) => ({ session, sequence })) };
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

async function applyFaults(tx: Queryable, faults: readonly Settled[], policy: LeasePolicy, now: number): Promise<Effects> {
  let effects = noEffects;
  for (const lease of faults) {
    const { outcome } = lease;
    if (outcome.kind !== "fault") continue;
    if (outcome.suspect)
      await tx.query("update workers set suspect_until = now() + $2 * interval '1 ms' where worker_id = $1", [
        lease.worker,
        policy.suspectMs,
      ]);
    effects = both(effects, await returnLeases(tx, [lease], "fault", outcome.message, policy, now));
  }
  return effects;
}

/** Leases granted in an answer that the worker never got: its next main call names neither them nor their outcome. */
async function returnUndelivered(
  tx: Queryable,
  calls: readonly WorkerCall[],
  policy: LeasePolicy,
  now: number,
): Promise<Effects> {
  const main = calls.filter((c) => c.main);
  if (main.length === 0) return noEffects;
  const known = main.flatMap((c) => [...c.running, ...c.outcomes.map((o) => o.leaseId)]);
  const rows = await tx.query<LeaseRow>(
    `delete from leases where worker_id = any($1::text[]) and not (lease_id = any($2::text[])) returning ${leaseColumns}`,
    [main.map((c) => c.worker), known],
  );
  return returnLeases(tx, rows, "undelivered", "the answer that gave it was lost", policy, now);
}

async function renew(tx: Queryable, calls: readonly WorkerCall[], policy: LeasePolicy): Promise<ReadonlySet<LeaseId>> {
  const running = calls.flatMap((c) => c.running.map((lease) => ({ lease, worker: c.worker })));
  if (running.length === 0) return new Set();
  const rows = await tx.query<{ lease: LeaseId }>(
    `update leases l set until = now() + $3 * interval '1 ms'
     from unnest($1::text[], $2::text[]) as r(lease_id, worker_id)
     where l.lease_id = r.lease_id and l.worker_id = r.worker_id returning l.lease_id as lease`,
    [running.map((r) => r.lease), running.map((r) => r.worker), policy.ttlMs],
  );
  return new Set(rows.map((r) => r.lease));
}
