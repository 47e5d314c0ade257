/** Sessions: opened once per request id, owned by the newest stream, removed when closed or after `idleMs` without a stream. */
import { FarmError, type MeasureOptions, type PairedOptions, type SessionId, toProgramDigest } from "@warpfarm/common";
import { type OpenSession, type OutstandingInput, recordsKept, type SessionStatus } from "@warpfarm/proto";
import type { Database, Queryable } from "../database.ts";
import { rowsOf, statement, value } from "../statement.ts";
import { buildStates, requestStates } from "../states.ts";
import type { FreedLease } from "./effects.ts";
import { sessionText } from "./unrecorded.ts";
import { addSpent, type Held, heldMs, spentBy } from "./usage.ts";
import { wantsBuilds } from "./wanted-builds.ts";

export interface SessionRow {
  readonly id: SessionId;
  readonly task: string;
  /** Resolved: never `cpu` or `cuda` alone. */
  readonly selector: string;
  readonly options: MeasureOptions;
  readonly priority: number;
  readonly maxInFlight: number;
  readonly stream: number;
  readonly acceptedThrough: number;
  readonly weight: number;
  readonly usedMs: number;
  readonly reuse: boolean;
  readonly principal: string;
  /** Each of its inputs has several programs, measured interleaved; null: one program. */
  readonly paired: PairedOptions | null;
  readonly paused: boolean;
  readonly moreTrials: number;
  readonly control: number;
  /** The span of its client's search; empty: nothing is traced. */
  readonly traceparent: string;
}

/** Absent: the caller has a right to everybody's. */
export type Owner = string | undefined;

const columns = `session_id as id, task, selector, options, priority, max_in_flight as "maxInFlight", stream,
  accepted_through as "acceptedThrough", weight, used_ms as "usedMs", reuse, principal, paired,
  paused, more_trials as "moreTrials", control, traceparent`;

export interface Opened {
  readonly row: SessionRow;
  readonly outstanding: readonly OutstandingInput[];
}

export interface Opening extends OpenSession {
  readonly idleMs: number;
  readonly principal: string;
  readonly owner: Owner;
}

const countLock = 7_246;

/** The limit is that of one principal. */
export class TooManySessions extends FarmError {}

interface Quota {
  readonly maxSessions: number;
  /** Limit for one principal; absent: as many as the farm has room for. */
  readonly maxOwnSessions?: number;
}

/** Whether the requested session exists, because this is a retry or may continue one. */
export async function isThere(db: Queryable, { principal, requestId, continues }: Opening): Promise<boolean> {
  const rows = await db.query("select 1 from sessions where (principal = $1 and request_id = $2) or session_id = $3", [
    principal,
    requestId,
    continues ?? null,
  ]);
  return rows.length > 0;
}

const settings = {
  ...{ id: value(), request: value(), task: value(), selector: value(), options: value("jsonb"), priority: value() },
  ...{ max_in_flight: value(), labels: value("jsonb"), idle_ms: value(), weight: value(), reuse: value() },
  ...{ provenance: value(), keep: value() },
};
const settingsOf = (request: Opening) => ({
  request: request.requestId,
  task: request.task,
  selector: request.selector,
  options: JSON.stringify(request.options),
  priority: request.priority,
  max_in_flight: request.maxInFlight,
  labels: JSON.stringify(request.labels),
  idle_ms: request.idleMs,
  weight: request.weight ?? 1,
  reuse: request.reuse ?? false,
  provenance: provenanceOf(request),
  keep: keepOf(request),
});
const opening = statement(
  { ...settings, principal: value(), paired: value("jsonb") },
  (s) => `insert into sessions (session_id, request_id, task, selector, options, priority, max_in_flight, labels, expires_at,
       weight, reuse, principal, paired, provenance, keep)
     values (${s.id}, ${s.request}, ${s.task}, ${s.selector}, ${s.options}, ${s.priority}, ${s.max_in_flight}, ${s.labels},
       now() + ${s.idle_ms} * interval '1 ms', ${s.weight}, ${s.reuse}, ${s.principal}, ${s.paired}, ${s.provenance}, ${s.keep})
     on conflict (principal, request_id) do update set request_id = excluded.request_id
     returning ${columns}`,
);
const continuing = statement(
  { ...settings, owner: value("text"), trials: value("bigint") },
  (s) => `update sessions set stream = stream + 1, request_id = ${s.request}, task = ${s.task}, priority = ${s.priority},
       max_in_flight = ${s.max_in_flight}, labels = ${s.labels},
       expires_at = now() + ${s.idle_ms} * interval '1 ms', weight = ${s.weight}, reuse = ${s.reuse}, provenance = ${s.provenance}, keep = ${s.keep},
       control = control + 1, trials_settled = false, more_trials = case when provenance = '' or ${s.trials} is null then more_trials
         else least(more_trials, greatest(more_trials + coalesce((provenance::json #>> '{search,budget,trials}')::bigint, ${s.trials}) - ${s.trials}, 0)) end
     where session_id = ${s.id} and selector = ${s.selector} and options = ${s.options} and paired is null and expires_at > now() and (${s.owner} is null or principal = ${s.owner})
     returning ${columns}`,
);

/** A retry with the same request id returns the first call's session. */
export async function openSession(db: Database, id: SessionId, request: Opening & Quota): Promise<Opened> {
  const found = await db.transaction(async (tx) => {
    const [there] = await tx.query<SessionRow>(
      `select ${columns} from sessions where principal = $1 and request_id = $2 for update`,
      [request.principal, request.requestId],
    );
    const row = there ?? (request.continues && !request.paired && (await continueSession(tx, request.continues, request)));
    return row && { row, outstanding: await outstandingInputs(tx, row.id) };
  });
  if (found) return found;
  const made = await db.transaction(async (tx) => {
    // Sessions that one principal opens at the same moment, at several trackers, are counted one after the other.
    await tx.query("select pg_advisory_xact_lock($1, hashtext($2))", [countLock, request.principal]);
    const [count] = await tx.query<{ n: number; own: number }>(
      "select count(*) as n, count(*) filter (where principal = $1) as own from sessions",
      [request.principal],
    );
    if (count && count.n >= request.maxSessions)
      throw new FarmError(
        "RESOURCE_EXHAUSTED",
        `${count.n} sessions are open; this tracker keeps at most ${request.maxSessions}: wait until one ends, or have an admin end one (warpfarm sessions)`,
      );
    if (count && request.maxOwnSessions !== undefined && count.own >= request.maxOwnSessions)
      throw new TooManySessions(
        "RESOURCE_EXHAUSTED",
        `${request.principal} has ${count.own} open session${count.own === 1 ? "" : "s"}; --quota sessions of this tracker allows ${request.maxOwnSessions}: ` +
          "wait until one ends, or end one (warpfarm sessions lists them, --cancel ID ends one)",
      );
    const [row] = await opening.query<SessionRow>(tx, {
      id,
      ...settingsOf(request),
      principal: request.principal,
      paired: request.paired ? JSON.stringify(request.paired) : null,
    });
    return row;
  });
  if (!made) throw new FarmError("INTERNAL", "the new session was not stored");
  return { row: made, outstanding: [] };
}

/**
 * An earlier process's session, if it is alive and this request has the same selector and options. It takes this request's
 * settings, and what its older streams still send is rejected. Trials that it was given count on, except those that this request
 * already includes.
 */
async function continueSession(db: Queryable, id: SessionId, request: Opening): Promise<SessionRow | undefined> {
  const [row] = await continuing.query<SessionRow>(db, {
    id,
    ...settingsOf(request),
    owner: request.owner ?? null,
    trials: request.provenance?.search?.budget?.trials ?? null,
  });
  return row;
}

const provenanceOf = ({ provenance }: Opening): string => (provenance ? JSON.stringify(provenance) : "");
const keepOf = ({ keep = "shared" }: Opening): number => recordsKept.indexOf(keep);

/** Accepted and not received, by sequence. */
async function outstandingInputs(db: Queryable, id: SessionId): Promise<readonly OutstandingInput[]> {
  const rows = await db.query<{ sequence: number; program: string; reference: string | null }>(
    `select sequence, program, reference from requests where session_id = $1 and state < ${requestStates.received} order by sequence`,
    [id],
  );
  return rows.map(({ sequence, program, reference }) => ({
    sequence,
    program: toProgramDigest(program),
    ...(reference === null ? {} : { reference: toProgramDigest(reference) }),
  }));
}

/** The newest stream owns the session. Its number rejects what an older one still sends. */
export async function takeSession(
  db: Queryable,
  id: SessionId,
  idleMs: number,
  owner: Owner,
  takesTrials = false,
  traceparent = "",
): Promise<SessionRow | undefined> {
  const [row] = await db.query<SessionRow>(
    `update sessions set stream = stream + 1, builds_until = null, takes_trials = $4, traceparent = $5, expires_at = now() + $2 * interval '1 ms'
     where session_id = $1 and expires_at > now() and ($3::text is null or principal = $3) returning ${columns}`,
    [id, idleMs, owner ?? null, takesTrials, traceparent],
  );
  return row;
}

export async function leaveSession(
  db: Queryable,
  id: SessionId,
  stream: number,
  idleMs: number,
  buildsMs: number,
): Promise<void> {
  await db.query(
    `update sessions set builds_until = case when stream = $2 then now() + $4 * interval '1 ms' else builds_until end,
       expires_at = now() + $3 * interval '1 ms' where session_id = $1`,
    [id, stream, idleMs, buildsMs],
  );
}

export async function keepSessions(db: Queryable, ids: readonly SessionId[], idleMs: number): Promise<void> {
  if (ids.length === 0) return;
  await db.query(
    `update sessions set expires_at = now() + $2 * interval '1 ms'
     where session_id in (select session_id from sessions where session_id = any($1::text[]) for update skip locked)`,
    [ids, idleMs],
  );
}

export async function findSession(db: Queryable, id: SessionId, owner: Owner): Promise<SessionRow | undefined> {
  const [row] = await db.query<SessionRow>(
    `select ${columns} from sessions where session_id = $1 and ($2::text is null or principal = $2)`,
    [id, owner ?? null],
  );
  return row;
}

export const listSessions = (db: Queryable) => db.query<SessionRow>(`select ${columns} from sessions`);

/** What results of a session took, in milliseconds: `ms` of devices, and the other times of SessionStatus. */
export interface Used extends Pick<SessionStatus, "queueMs" | "buildMs" | "transferMs" | "timedMs"> {
  readonly id: SessionId;
  readonly ms: number;
}

const usedTimes = { ms: "double precision", queue_ms: "double precision", build_ms: "double precision" } as const;
const addingUsed = statement(
  { u: rowsOf({ session_id: "text", ...usedTimes, transfer_ms: "double precision", timed_ms: "double precision" }) },
  ({
    u,
  }) => `update sessions s set used_ms = s.used_ms + u.ms, queue_ms = s.queue_ms + u.queue_ms, build_ms = s.build_ms + u.build_ms,
       transfer_ms = s.transfer_ms + u.transfer_ms, timed_ms = s.timed_ms + u.timed_ms
     from ${u.rows}
     join (select session_id from sessions where session_id = any(${u.session_id}) for update skip locked) free using (session_id)
     where s.session_id = u.session_id returning s.session_id as id`,
);

/**
 * Returns what was added. Locked rows are skipped, here and wherever many rows are updated: waiting for them while holding
 * others, which an accepting statement may need in another order, is a deadlock, and PostgreSQL takes a second to detect one.
 */
export async function addUsed(db: Queryable, used: readonly Used[]): Promise<ReadonlySet<SessionId>> {
  if (used.length === 0) return new Set();
  const rows = await addingUsed.query<{ id: SessionId }>(db, {
    u: {
      session_id: used.map((u) => u.id),
      ms: used.map((u) => u.ms),
      queue_ms: used.map((u) => u.queueMs),
      build_ms: used.map((u) => u.buildMs),
      transfer_ms: used.map((u) => u.transferMs),
      timed_ms: used.map((u) => u.timedMs),
    },
  });
  return new Set(rows.map(({ id }) => id));
}

export async function countInHand(db: Queryable): Promise<ReadonlyMap<SessionId, number>> {
  const rows = await db.query<{ session: SessionId; n: number }>(
    "select session_id as session, count(*)::integer as n from leases where session_id is not null group by session_id",
  );
  return new Map(rows.map(({ session, n }) => [session, n]));
}

export interface SessionCounts extends SessionStatus {
  /** How long the oldest building request, and the oldest ready one, has waited; null when there is none. */
  readonly oldestBuildMs: number | null;
  readonly oldestRunMs: number | null;
}

/**
 * Oldest first. Open requests are counted by the partial indexes of their states, because received ones stay for a while and are
 * many. A stream whose tracker died counts as attached for at most half of `idleMs`.
 */
export const sessionCounts = (db: Queryable, idleMs: number): Promise<readonly SessionCounts[]> =>
  db.query<SessionCounts>(
    `with open as (
       select session_id, state, accepted_at as since from requests where state = ${requestStates.building}
       union all select session_id, state, coalesce(ready_at, accepted_at) from requests where state = ${requestStates.ready} and avoid = '{}'
       union all select session_id, state, coalesce(ready_at, accepted_at) from requests where state = ${requestStates.ready} and avoid <> '{}'
       union all select session_id, ${requestStates.ready}, accepted_at from requests where state = ${requestStates.following}
       union all select session_id, 2, null from leases where session_id is not null),
     counts as (
       select session_id, count(*) filter (where state = ${requestStates.building})::integer as building, count(*) filter (where state = ${requestStates.ready})::integer as ready,
         count(*) filter (where state = ${requestStates.leased})::integer as running, min(since) filter (where state = ${requestStates.building}) as oldest_build,
         min(since) filter (where state = ${requestStates.ready}) as oldest_run
       from open group by session_id)
     select s.session_id as "sessionId", s.principal, s.task, s.selector, s.priority, s.weight, s.accepted_through as accepted,
       coalesce(c.building, 0) as building, coalesce(c.ready, 0) as ready, coalesce(c.running, 0) as running, s.used_ms as "deviceMs",
       s.queue_ms as "queueMs", s.build_ms as "buildMs", s.transfer_ms as "transferMs", s.timed_ms as "timedMs",
       ${msSince("s.opened_at")} as "ageMs", ${msSince(`case when ${wantsBuilds("s")} then c.oldest_build end`)} as "oldestBuildMs", ${msSince("c.oldest_run")} as "oldestRunMs",
       s.stream > 0 and s.builds_until is null and s.expires_at > now() + $1 * interval '0.5 ms' as streaming,
       greatest(extract(epoch from s.expires_at - now()), 0)::double precision * 1000 as "expiresInMs",
       s.paused, s.more_trials as "moreTrials", s.takes_trials and not s.trials_settled as "takesTrials"
     from sessions s left join counts c on c.session_id = s.session_id order by s.opened_at, s.session_id`,
    [idleMs],
  );

/** SQL; null when there was none. */
function msSince(at: string): string {
  return `case when ${at} is not null then greatest(extract(epoch from now() - ${at}), 0)::double precision * 1000 end`;
}

const keeping = statement(
  { ids: value("text[]"), k: rowsOf({ session_id: "text", session: "text" }) },
  ({ ids, k }) => `with gone as (delete from requests where session_id = any(${ids})
         returning session_id, sequence, program, others, reference, target, proposal, state, result)
       insert into unrecorded (session_id, sequence, session, program, others, reference, target, proposal, result)
       select g.session_id, g.sequence, k.session, g.program, g.others, g.reference, g.target, g.proposal, g.result
       from gone g join ${k.rows} on k.session_id = g.session_id
       where g.state >= ${requestStates.done} and g.result is not null on conflict do nothing`,
);

/**
 * Removes sessions with their requests and leases. Returns the leases that workers should give up. Builds charged to a removed
 * session go to another session that needs them, or are dropped: also those that a builder has, which ends them.
 */
export async function removeSessions(db: Database, ids: readonly SessionId[]): Promise<readonly FreedLease[]> {
  if (ids.length === 0) return [];
  return db.transaction(async (tx) => {
    // The session's row goes first, because a transaction that accepts inputs for it holds that row.
    const gone = await tx.query<{ id: SessionId; principal: string; text: string; keep: number }>(
      `delete from sessions s where session_id = any($1::text[]) returning session_id as id, principal, ${sessionText} as text, keep`,
      [ids],
    );
    const kept = gone.filter(({ keep }) => recordsKept[keep] !== "none");
    await keeping.query(tx, { ids, k: { session_id: kept.map(({ id }) => id), session: kept.map(({ text }) => text) } });
    const freed = await tx.query<FreedLease & Held>(
      `delete from leases where session_id = any($1::text[]) returning lease_id as lease, worker_id as worker, session_id as session,
         ${heldMs("granted_at")}`,
      [ids],
    );
    // The lease before its build, as whoever reports an outcome takes them.
    const building = await tx.query<Held & { program: string }>(
      `select b.program, b.session_id as session, ${heldMs("l.granted_at")}
       from builds b join leases l on l.program = b.program where b.state = ${buildStates.leased} and b.session_id = any($1::text[])
       order by l.lease_id for update of l`,
      [ids],
    );
    // A transaction that accepts inputs for these builds holds their rows, so the next statement sees what was accepted until
    // then.
    await tx.query(
      `select 1 from builds where state < ${buildStates.built} and session_id = any($1::text[]) order by program for update`,
      [ids],
    );
    await tx.query(
      `update builds b set session_id = coalesce(
         (select r.session_id from requests r where r.state = ${requestStates.building} and (r.program = b.program or r.reference = b.program) limit 1),
         (select r.session_id from requests r where r.state = ${requestStates.building} and r.others <> '{}' and r.others && array[b.program] limit 1),
         (select r.session_id from requests r where r.state = ${requestStates.following} and (r.program = b.program or r.reference = b.program) limit 1))
       where b.state < ${buildStates.built} and b.session_id = any($1::text[])`,
      [ids],
    );
    await tx.query(`delete from builds where state = ${buildStates.waiting} and session_id is null`);
    const dropped = await tx.query<FreedLease & { program: string }>(
      `with gone as (delete from builds where state = ${buildStates.leased} and session_id is null and program = any($1::text[]) returning program)
       delete from leases l using gone where l.program = gone.program
       returning l.lease_id as lease, l.worker_id as worker, gone.program`,
      [building.map(({ program }) => program)],
    );
    const stopped = new Set(dropped.map(({ program }) => program));
    await addSpent(tx, spentBy(gone, { deviceMs: freed, buildMs: building.filter(({ program }) => stopped.has(program)) }));
    return [...freed, ...dropped].map(({ lease, worker }) => ({ lease, worker }));
  });
}

export const expiredSessions = async (db: Queryable): Promise<readonly SessionId[]> =>
  (await db.query<{ id: SessionId }>("select session_id as id from sessions where expires_at <= now()")).map(({ id }) => id);
