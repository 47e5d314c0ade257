/**
 * Claims one by one: builds, and runs that were lost or failed at some worker (claim-runs.ts takes the rest by count). The heads
 * of the queues are read (readQueues), dispatch decides, and leases are written (lease) for those that nobody else took
 * meanwhile. Every state has a partial index. The reaper puts back expired leases; this file never does.
 */
import type { ArtifactDigest, LeaseId, ProgramBytes, ProgramDigest, SessionId } from "@warpfarm/common";
import { toLeaseId } from "@warpfarm/common";
import { buildNeedSql } from "../../policy/build-need.ts";
import type { Grant, Job, Queue } from "../../policy/dispatch.ts";
import type { LeasePolicy } from "../../policy/lease.ts";
import type { Database, Queryable } from "../database.ts";
import { rowsOf, statement, value } from "../statement.ts";
import { buildStates, requestStates } from "../states.ts";
import { type ClaimedRun, type Granted, type LeaseTerms, othersArtifacts, queueMs } from "./claim-runs.ts";
import { type Effects, noEffects } from "./effects.ts";
import { type LeaseRow, leaseColumns, returnLeases } from "./give-back.ts";
import { othersWait, wantsBuilds } from "./wanted-builds.ts";

export interface RetriedRun extends Job {
  readonly session: SessionId;
  readonly sequence: number;
  readonly target: string;
  readonly manifest: number;
  readonly artifact: ArtifactDigest;
  readonly reference: ArtifactDigest | null;
  readonly others: readonly ArtifactDigest[] | null;
  readonly buildMs: number;
  readonly queueMs: number;
  readonly attempts: number;
}

interface ReadyBuild extends Job {
  readonly session: SessionId;
  readonly program: ProgramDigest;
  readonly need: string;
  readonly timeoutMs: number;
}

export type GrantedBuild = Granted<ReadyBuild> & { readonly program: ProgramBytes; readonly waitedMs?: number };

/** What to search for: at most `limit` of each session, and builds of these needs. */
export interface Wanted {
  readonly runs: { readonly limit: number } | undefined;
  readonly builds: { readonly needs: readonly string[]; readonly limit: number } | undefined;
}

export interface Found {
  readonly runs: readonly Queue<RetriedRun>[];
  readonly builds: readonly Queue<ReadyBuild>[];
}

export interface Grants {
  readonly runs: readonly Grant<RetriedRun>[];
  readonly builds: readonly Grant<ReadyBuild>[];
}

export interface Claimed {
  readonly runs: readonly ClaimedRun[];
  readonly builds: readonly GrantedBuild[];
}

/** What is left, or may be (rows beyond the limit were not read): whether there are runs; the needs of builds. */
export interface Left {
  readonly runs: boolean;
  readonly builds: readonly string[];
}

export const readQueues = async (db: Queryable, { runs, builds }: Wanted): Promise<Found> => ({
  runs: runs ? await retriedRuns(db, runs) : [],
  builds: builds ? await readyBuilds(db, builds) : [],
});

/** Leases for those that nobody else took meanwhile. */
export const lease = async (db: Queryable, { runs, builds }: Grants, terms: LeaseTerms): Promise<Claimed> => ({
  runs: runs.length > 0 ? await leaseRuns(db, runs, terms) : [],
  builds: builds.length > 0 ? await leaseBuilds(db, builds, terms) : [],
});

export function leftOf(wanted: Wanted, found: Found, claimed: Claimed): Left {
  const waiting = found.runs.reduce((n, q) => n + q.jobs.length, 0);
  const built = new Set(claimed.builds.map(({ job }) => job));
  return {
    runs: waiting > claimed.runs.length || mayHaveMore(found.runs, wanted.runs?.limit),
    builds: mayHaveMore(found.builds, wanted.builds?.limit)
      ? (wanted.builds?.needs ?? [])
      : found.builds.flatMap(({ jobs }) => jobs.filter((job) => !built.has(job)).map(({ need }) => need)),
  };
}

/** A session may have more when as many rows were read as were asked for. */
const mayHaveMore = (queues: readonly Queue<Job>[], limit = Number.POSITIVE_INFINITY): boolean =>
  queues.some((q) => q.jobs.length >= limit);

function bySession<J extends Job & { readonly session: SessionId }>(
  jobs: readonly (J & Pick<Queue<J>, "principal" | "priority">)[],
): readonly Queue<J>[] {
  const queues = new Map<SessionId, Queue<J> & { readonly jobs: J[] }>();
  for (const job of jobs) {
    const { session, principal = "", priority } = job;
    const queue = queues.get(session) ?? { session, principal, priority, jobs: [] };
    queues.set(session, queue);
    queue.jobs.push(job);
  }
  return [...queues.values()];
}

async function retriedRuns(db: Queryable, { limit }: NonNullable<Wanted["runs"]>): Promise<readonly Queue<RetriedRun>[]> {
  const rows = await db.query<RetriedRun & { principal: string; priority: number }>(
    `select r.session_id as session, s.principal, s.priority, r.sequence, r.target, r.manifest, r.attempts, r.avoid, 0 as bytes,
       p.artifact, f.artifact as reference, ${othersArtifacts("r")} as others, p.build_ms as "buildMs", ${queueMs("r", "p")}
     from (select session_id, principal, priority from sessions where not paused) s
     cross join lateral (
       select session_id, sequence, target, manifest, program, reference, others, attempts, avoid, accepted_at, ready_at from requests
       where session_id = s.session_id and state = ${requestStates.ready} and avoid <> '{}' order by sequence limit $1) r
     join builds p on p.program = r.program
     left join builds f on f.program = r.reference
     order by r.session_id, r.sequence`,
    [limit],
  );
  return bySession(rows);
}

/**
 * A build counts for the session that asked first, with the highest priority of all that ask. If that session does not want
 * it now, the build is made for others that wait for it.
 */
async function readyBuilds(
  db: Queryable,
  { needs, limit }: NonNullable<Wanted["builds"]>,
): Promise<readonly Queue<ReadyBuild>[]> {
  const rows = await db.query<ReadyBuild & { principal: string; priority: number }>(
    `select b.session_id as session, s.principal, max(b.priority) over (partition by b.session_id)::integer as priority, b.program, b.need, b.avoid,
       b.timeout_ms as "timeoutMs", octet_length(p.bytes) as bytes
     from sessions s
     cross join lateral (
       select program, session_id, priority, ${buildNeedSql} as need, avoid, timeout_ms, queued from builds b
       where session_id = s.session_id and state = ${buildStates.waiting} and ${buildNeedSql} = any($1::text[]) and (${wantsBuilds("s")} or ${othersWait})
       order by queued limit $2) b
     join programs p on p.digest = b.program
     order by b.session_id, b.queued`,
    [needs, limit],
  );
  return bySession(rows);
}

const leasingRuns = statement(
  {
    g: rowsOf({
      ...{ lease_id: "text", worker_id: "text", epoch: "bigint", device: "integer" },
      ...{ session_id: "text", sequence: "bigint" },
    }),
    ttl_ms: value(),
  },
  ({ g, ttl_ms }) => `with g as (
       select g.* from ${g.rows}
       join workers w on w.worker_id = g.worker_id and w.epoch = g.epoch and not w.lost),
     free as (
       select r.session_id, r.sequence, g.lease_id from g join requests r on r.session_id = g.session_id and r.sequence = g.sequence
       where r.state = ${requestStates.ready} order by r.session_id, r.sequence for update of r skip locked),
     taken as (
       update requests r set state = ${requestStates.leased}, attempts = r.attempts + 1 from free
       where r.session_id = free.session_id and r.sequence = free.sequence returning free.lease_id)
     insert into leases (lease_id, worker_id, epoch, device, session_id, sequence, until)
     select g.lease_id, g.worker_id, g.epoch, g.device, g.session_id, g.sequence, now() + ${ttl_ms} * interval '1 ms'
     from g join taken on taken.lease_id = g.lease_id returning lease_id as lease`,
);

async function leaseRuns(
  db: Queryable,
  grants: readonly Grant<RetriedRun>[],
  { epochs, ttlMs, newId }: LeaseTerms,
): Promise<readonly ClaimedRun[]> {
  const all = grants.map((g) => ({ ...g, lease: toLeaseId(newId()), epoch: epochs.get(g.worker) ?? 0 }));
  const rows = await leasingRuns.query<{ lease: LeaseId }>(db, {
    g: {
      lease_id: all.map((g) => g.lease),
      worker_id: all.map((g) => g.worker),
      epoch: all.map((g) => g.epoch),
      device: all.map((g) => g.device),
      session_id: all.map((g) => g.session),
      sequence: all.map((g) => g.job.sequence),
    },
    ttl_ms: ttlMs,
  });
  const leased = new Set(rows.map((r) => r.lease));
  return all
    .filter((g) => leased.has(g.lease))
    .map(({ job: { sequence, attempts, artifact, reference, others, buildMs, queueMs }, ...grant }) => ({
      ...grant,
      sequence,
      attempt: attempts + 1,
      artifact,
      reference,
      others,
      buildMs,
      queueMs,
    }));
}

const leasingBuilds = statement(
  {
    g: rowsOf({ lease_id: "text", worker_id: "text", epoch: "bigint", device: "integer", program: "text" }),
    ttl_ms: value(),
  },
  ({ g, ttl_ms }) => `with g as (
       select g.* from ${g.rows}
       join workers w on w.worker_id = g.worker_id and w.epoch = g.epoch and not w.lost),
     free as (
       select b.program, g.lease_id from g join builds b on b.program = g.program where b.state = ${buildStates.waiting}
       order by b.program for update of b skip locked),
     taken as (
       update builds b set state = ${buildStates.leased}, attempts = b.attempts + 1 from free where b.program = free.program
       returning free.lease_id, case when b.attempts = 1 then greatest(extract(epoch from now() - b.queued_at), 0)::double precision * 1000 end as waited),
     leased as (
       insert into leases (lease_id, worker_id, epoch, device, program, until)
       select g.lease_id, g.worker_id, g.epoch, g.device, g.program, now() + ${ttl_ms} * interval '1 ms'
       from g join taken on taken.lease_id = g.lease_id returning lease_id, program)
     select leased.lease_id as lease, p.bytes, taken.waited as "waitedMs"
     from leased join taken on taken.lease_id = leased.lease_id join programs p on p.digest = leased.program`,
);

async function leaseBuilds(db: Queryable, grants: readonly Grant<ReadyBuild>[], { epochs, ttlMs, newId }: LeaseTerms) {
  const all = grants.map((g) => ({ ...g, lease: toLeaseId(newId()), epoch: epochs.get(g.worker) ?? 0 }));
  const rows = await leasingBuilds.query<{ lease: LeaseId; bytes: Uint8Array; waitedMs: number | null }>(db, {
    g: {
      lease_id: all.map((g) => g.lease),
      worker_id: all.map((g) => g.worker),
      epoch: all.map((g) => g.epoch),
      device: all.map((g) => g.device),
      program: all.map((g) => g.job.program),
    },
    ttl_ms: ttlMs,
  });
  const leased = new Map(rows.map((r) => [r.lease, r]));
  return all.flatMap((g) => {
    const row = leased.get(g.lease);
    if (!row) return [];
    const waited = row.waitedMs === null ? {} : { waitedMs: row.waitedMs };
    return [{ ...g, program: { digest: g.job.program, bytes: row.bytes }, ...waited }];
  });
}

/** Leases of a call that ended before it could be answered. */
export async function ungrant(db: Database, leases: readonly LeaseId[], policy: LeasePolicy, now: number): Promise<Effects> {
  if (leases.length === 0) return noEffects;
  return db.transaction(async (tx) => {
    const rows = await tx.query<LeaseRow>(`delete from leases where lease_id = any($1::text[]) returning ${leaseColumns}`, [
      leases,
    ]);
    return returnLeases(tx, rows, "undelivered", "its call was gone", policy, now);
  });
}
