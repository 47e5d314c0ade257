/**
 * Claims runs by count: dispatch says how many next runs of each session go to which devices, and one statement takes them. Only
 * taken rows are locked, and rows that another tracker is taking are skipped. claim.ts handles runs that were lost or failed
 * somewhere.
 */
import { type ArtifactDigest, type LeaseId, type NewId, type SessionId, toLeaseId, type WorkerId } from "@warpfarm/common";
import type { Grant, Job } from "../../policy/dispatch.ts";
import type { Queryable } from "../database.ts";
import { rowsOf, statement, value } from "../statement.ts";
import { requestStates } from "../states.ts";

export interface Granted<J extends Job> extends Grant<J> {
  readonly lease: LeaseId;
  readonly epoch: number;
}

export interface LeaseTerms {
  readonly epochs: ReadonlyMap<WorkerId, number>;
  readonly ttlMs: number;
  readonly newId: NewId;
}

/** SQL: the artifacts that row `r` of requests names for interleaved measurement, in order; null when it names none. */
export const othersArtifacts = (r: string): string => `case when ${r}.others <> '{}' then (
    select array_agg(b.artifact order by o.at) from unnest(${r}.others) with ordinality as o(program, at) join builds b on b.program = o.program) end`;

/** SQL: how long row `r` of requests has waited since it was accepted, without the time of its build, row `p`. */
export const queueMs = (r: string, p: string): string =>
  `greatest(extract(epoch from now() - ${r}.accepted_at)::double precision * 1000
     - case when ${r}.ready_at is null then 0 else least(${p}.build_ms, extract(epoch from ${r}.ready_at - ${r}.accepted_at)::double precision * 1000) end, 0) as "queueMs"`;

/** A free device, and the session whose next run it gets. */
export interface Slot {
  readonly worker: WorkerId;
  readonly epoch: number;
  readonly device: number;
  readonly session: SessionId;
}

export interface ClaimedRun extends Slot {
  readonly lease: LeaseId;
  readonly sequence: number;
  readonly attempt: number;
  readonly artifact: ArtifactDigest;
  readonly reference: ArtifactDigest | null;
  /** Measured interleaved with `artifact`; null: none. */
  readonly others: readonly ArtifactDigest[] | null;
  readonly buildMs: number;
  /** How long its input has waited for builders and devices. */
  readonly queueMs: number;
  /** Time since its artifacts existed; absent when it was assigned before. */
  readonly waitedMs?: number;
}

/**
 * Slots are sorted by session. `w`: the sessions, how many slots each has, and how many come before its first. The k-th run of a
 * session gets its k-th slot by subscript: a join of both lists would cost their product.
 */
const claiming = statement(
  {
    leases: value("text[]"),
    workers: value("text[]"),
    epochs: value("bigint[]"),
    devices: value("integer[]"),
    w: rowsOf({ session_id: "text", n: "integer", before: "integer" }),
    targets: value("text[]"),
    manifests: value("smallint[]"),
    ttl_ms: value(),
  },
  ({ leases, workers, epochs, devices, w, targets, manifests, ttl_ms }) => `
  with picked as (
    select r.session_id, r.sequence, (w.before + row_number() over (partition by r.session_id order by r.sequence))::integer as at
    from ${w.rows}
    join sessions s on s.session_id = w.session_id and not s.paused
    cross join lateral (
      select session_id, sequence from requests
      where session_id = w.session_id and state = ${requestStates.ready} and avoid = '{}' and target = any(${targets}) and manifest = any(${manifests})
      order by sequence limit w.n for update skip locked) r),
  given as (
    select p.session_id, p.sequence, p.at, (${leases})[p.at] as lease_id, w.worker_id, w.epoch, (${devices})[p.at] as device
    from picked p join workers w on w.worker_id = (${workers})[p.at]
    where w.epoch = (${epochs})[p.at] and not w.lost),
  leased as (
    insert into leases (lease_id, worker_id, epoch, device, session_id, sequence, until)
    select lease_id, worker_id, epoch, device, session_id, sequence, now() + ${ttl_ms} * interval '1 ms' from given),
  taken as (
    update requests r set state = ${requestStates.leased}, attempts = r.attempts + 1 from given g
    where r.session_id = g.session_id and r.sequence = g.sequence
    returning g.at, r.sequence, r.attempts, r.program, r.reference, r.others, r.accepted_at, r.ready_at)
  select t.at, t.sequence, t.attempts as attempt, p.artifact, f.artifact as reference, ${othersArtifacts("t")} as others, p.build_ms as "buildMs",
    ${queueMs("t", "p")}, greatest(extract(epoch from now() - coalesce(t.ready_at, t.accepted_at)), 0)::double precision * 1000 as "waitedMs"
  from taken t join builds p on p.program = t.program left join builds f on f.program = t.reference`,
);

interface Runnable {
  readonly targets: readonly string[];
  readonly manifests: readonly number[];
}

export async function claimRuns(
  db: Queryable,
  slots: readonly Slot[],
  { targets, manifests }: Runnable,
  { ttlMs, newId }: { readonly ttlMs: number; readonly newId: NewId },
): Promise<readonly ClaimedRun[]> {
  const bySession = new Map<SessionId, Slot[]>();
  for (const slot of slots) {
    const there = bySession.get(slot.session);
    if (there) there.push(slot);
    else bySession.set(slot.session, [slot]);
  }
  const sorted = [...bySession.values()].flat();
  const leases = sorted.map(() => toLeaseId(newId()));
  let before = 0;
  const befores: number[] = [];
  for (const { length } of bySession.values()) {
    befores.push(before);
    before += length;
  }
  const rows = await claiming.query<Required<Omit<ClaimedRun, keyof Slot | "lease">> & { readonly at: number }>(db, {
    leases,
    workers: sorted.map((s) => s.worker),
    epochs: sorted.map((s) => s.epoch),
    devices: sorted.map((s) => s.device),
    w: { session_id: [...bySession.keys()], n: [...bySession.values()].map((s) => s.length), before: befores },
    targets,
    manifests,
    ttl_ms: ttlMs,
  });
  // Field by field: spreading a row of the driver costs as much as reading it.
  return rows.map(({ at, sequence, attempt, artifact, reference, others, buildMs, queueMs, waitedMs }): ClaimedRun => {
    const { worker, epoch, device, session } = sorted[at - 1] as Slot;
    const lease = leases[at - 1] as LeaseId;
    return { worker, epoch, device, session, lease, sequence, attempt, artifact, reference, others, buildMs, queueMs, waitedMs };
  });
}

/** How many runs of each session may be claimed by count. */
export async function countReady(db: Queryable): Promise<ReadonlyMap<SessionId, number>> {
  const rows = await db.query<{ session: SessionId; n: number }>(
    `select session_id as session, count(*)::integer as n from requests where state = ${requestStates.ready} and avoid = '{}' group by session_id`,
  );
  return new Map(rows.map(({ session, n }) => [session, n]));
}
