/**
 * Builds ahead of any measurement (0018-ahead.ts). A request becomes a row of builds in the statement that leases it, so that a
 * program a measurement wants is never in a builder's queue as such a request: that one is wanted by its own row, or in a
 * builder's hands already.
 *
 *   requested --lease--> begun ahead --outcome--> built, or failed
 *                         |
 *                         '--makes way, or its builder or its session is gone, and nobody waits for it--> gone (begun-ahead.ts)
 */
import type { FailedResult, ProgramDigest, SessionId } from "@warpfarm/common";
import { measureErrorNo, toLeaseId } from "@warpfarm/common";
import { buildNeedSql } from "../../policy/build-need.ts";
import type { Grant, Queue } from "../../policy/dispatch.ts";
import type { Database, Queryable } from "../database.ts";
import { decodeResult } from "../result-bytes.ts";
import type { ProgramInput } from "./accept.ts";
import { storePrograms } from "./accept-careful.ts";
import { bySession, type GrantedBuild, type LeaseTerms, type ReadyBuild } from "./claim.ts";
import { buildersOfSayers, buildFailureIsCurrent, buildFailureStandsFor } from "./verdicts.ts";

export interface AheadRequest {
  readonly session: SessionId;
  readonly principal: string;
  /** All builds that are requested now, the most urgent first. */
  readonly programs: readonly ProgramInput[];
}

export type Ahead =
  | { readonly kind: "waiting" }
  | { readonly kind: "built"; readonly manifest: Uint8Array }
  | { readonly kind: "failed"; readonly result: FailedResult };

/** The most bytes of manifests in one answer. The client asks again for the rest. */
const manifestBytes = 2 << 20;

/**
 * Stores the request in place of the session's last one. Returns the state of each program, or one that the tracker does not
 * have.
 */
export async function wantAhead(
  db: Database,
  { session, principal, programs }: AheadRequest,
): Promise<readonly Ahead[] | { readonly unknown: ProgramDigest }> {
  const digests = programs.map(({ digest }) => digest);
  return db.transaction(async (tx) => {
    const known = await storePrograms(
      tx,
      programs.map((p) => ({ ...p, principal })),
    );
    const unknown = digests.find((digest) => !known.has(digest));
    if (unknown) return { unknown };
    await tx.query("delete from builds_ahead where session_id = $1 and program <> all($2::text[])", [session, digests]);
    // A failure of this session's time is told even if not all builders agree: it would be built again with every call.
    await tx.query(
      `delete from builds b using sessions s where s.session_id = $1 and b.program = any($2::text[]) and b.state = 3
         and b.finished_at < s.opened_at and not ${buildFailureIsCurrent("b")}`,
      [session, digests],
    );
    // Another principal's, on the word of one builder: a build like one that a measurement waits for, so that the row keeps whose
    // word it was.
    await tx.query(
      `update builds b set state = 0, session_id = s.session_id, principal = s.principal, queued_at = now(), attempts = 0, losses = 0,
         faults = 0, failure = null, avoid = ${buildersOfSayers("b")}
       from sessions s where s.session_id = $1 and b.program = any($2::text[]) and b.state = 3 and b.error_no <> 8
         and not ${buildFailureStandsFor("b", "s.principal")}`,
      [session, digests],
    );
    await tx.query(
      `insert into builds_ahead (session_id, program, rank)
       select s.session_id, w.program, min(w.rank) from unnest($2::text[]) with ordinality as w(program, rank)
       join sessions s on s.session_id = $1 where not exists (select 1 from builds b where b.program = w.program)
       group by s.session_id, w.program
       on conflict (session_id, program) do update set rank = excluded.rank`,
      [session, digests],
    );
    return statesOf(tx, digests);
  });
}

async function statesOf(tx: Queryable, digests: readonly ProgramDigest[]): Promise<readonly Ahead[]> {
  const rows = await tx.query<{ program: string; manifest: Uint8Array | null; failure: Uint8Array | null }>(
    `select b.program, m.bytes as manifest, b.failure from builds b left join blobs m on m.digest = b.artifact
     where b.program = any($1::text[]) and b.state >= 2`,
    [digests],
  );
  const ended = new Map(rows.map((row) => [row.program, row]));
  let room = manifestBytes;
  return digests.map((digest): Ahead => {
    const { manifest = null, failure = null } = ended.get(digest) ?? {};
    if (manifest !== null) {
      room -= manifest.length;
      return room < 0 ? { kind: "waiting" } : { kind: "built", manifest };
    }
    const result = failure === null ? undefined : decodeResult(failure);
    return result?.kind === "failed" && result.errorNo !== measureErrorNo.UNKNOWN_ERROR
      ? { kind: "failed", result }
      : { kind: "waiting" };
  });
}

/** Builds ahead for builders that meet these needs. */
export async function readAhead(db: Queryable, needs: readonly string[], limit: number): Promise<readonly Queue<ReadyBuild>[]> {
  const rows = await db.query<ReadyBuild & { principal: string; priority: number }>(
    `select a.session_id as session, s.principal, s.priority, a.program, a.need, '{}'::text[] as avoid,
       (s.options ->> 'buildTimeoutMs')::double precision as "timeoutMs", a.bytes
     from sessions s
     cross join lateral (
       select a.session_id, a.program, a.rank, p.need, octet_length(p.bytes) as bytes from builds_ahead a
       join (select digest, bytes, ${buildNeedSql} as need from programs) p on p.digest = a.program
       where a.session_id = s.session_id and p.need = any($1::text[])
         and not exists (select 1 from builds b where b.program = a.program)
       order by a.rank, a.program limit $2) a
     where not s.paused order by a.session_id, a.rank, a.program`,
    [needs, limit],
  );
  return bySession(rows);
}

/** Leases for those that nobody else took or needed meanwhile. */
export async function leaseAhead(
  db: Queryable,
  grants: readonly Grant<ReadyBuild>[],
  { epochs, ttlMs, newId }: LeaseTerms,
): Promise<readonly GrantedBuild[]> {
  if (grants.length === 0) return [];
  const all = grants.map((g) => ({ ...g, lease: toLeaseId(newId()), epoch: epochs.get(g.worker) ?? 0 }));
  const rows = await db.query<{ lease: string; bytes: Uint8Array }>(
    `with g as (
       select g.* from unnest($1::text[], $2::text[], $3::bigint[], $4::integer[], $5::text[], $6::text[], $7::double precision[])
         as g(lease_id, worker_id, epoch, device, program, session_id, timeout_ms)
       join workers w on w.worker_id = g.worker_id and w.epoch = g.epoch and not w.lost),
     begun as (
       insert into builds (program, target, version, session_id, principal, priority, timeout_ms, state, attempts, ahead)
       select distinct on (g.program) g.program, p.target, p.version, g.session_id, s.principal, s.priority, g.timeout_ms, 1, 1, true
       from g join programs p on p.digest = g.program join sessions s on s.session_id = g.session_id order by g.program, g.lease_id
       on conflict (program) do nothing returning program, session_id),
     leased as (
       insert into leases (lease_id, worker_id, epoch, device, program, until)
       select distinct on (g.program) g.lease_id, g.worker_id, g.epoch, g.device, g.program, now() + $8 * interval '1 ms'
       from g join begun on begun.program = g.program and begun.session_id = g.session_id order by g.program, g.lease_id
       returning lease_id, program),
     granted as (delete from builds_ahead a using begun where a.program = begun.program)
     select leased.lease_id as lease, p.bytes from leased join programs p on p.digest = leased.program`,
    [
      all.map((g) => g.lease),
      all.map((g) => g.worker),
      all.map((g) => g.epoch),
      all.map((g) => g.device),
      all.map((g) => g.job.program),
      all.map((g) => g.session),
      all.map((g) => g.job.timeoutMs),
      ttlMs,
    ],
  );
  const leased = new Map(rows.map((r) => [r.lease, r.bytes]));
  return all.flatMap((g) => {
    const bytes = leased.get(g.lease);
    return bytes ? [{ ...g, program: { digest: g.job.program, bytes } }] : [];
  });
}
