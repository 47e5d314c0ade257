/**
 * A program is built once, farm-wide: one row of builds. This file moves requests along when a build ends: to READY when both artifacts
 * are there, to DONE with the failure when one cannot be.
 */
import { type FailedResult, measureErrorNo, type SessionId } from "@warpfarm/common";
import { farmFailure } from "../../policy/lease.ts";
import type { Queryable } from "../database.ts";
import { decodeResult, encodeResult } from "../result-bytes.ts";
import { type Effects, noEffects } from "./effects.ts";

/** What a request gets when its own program, or the one it must agree with, could not be built. */
export function buildVerdict(
  program: Uint8Array | null,
  reference: Uint8Array | null,
  referenceDigest: string | null,
  now: number,
): Uint8Array {
  if (program) return program;
  const why = reference ? (decodeResult(reference) as FailedResult) : undefined;
  // Builders that were lost say nothing about the program.
  const isGivenUp = why?.errorNo === measureErrorNo.UNKNOWN_ERROR;
  const log = why?.log === undefined ? {} : { log: why.log };
  return encodeResult({
    ...farmFailure(
      isGivenUp ? "farm.gave_up" : "reference.build",
      `the reference program ${referenceDigest} could not be built: ${why?.message ?? "no reason given"}`,
      now,
    ),
    ...log,
  });
}

/**
 * After builds of these programs ended, in the same transaction. The requests are locked first: two builds ending at once (a program
 * and its reference, in two trackers) must not each miss the other.
 */
export async function advanceRequests(tx: Queryable, programs: readonly string[], now: number): Promise<Effects> {
  if (programs.length === 0) return noEffects;
  const waiting = "r.state = 0 and (r.program = any($1::text[]) or r.reference = any($1::text[]))";
  await tx.query(`select 1 from requests r where ${waiting} order by session_id, sequence for update`, [programs]);
  const rows = await tx.query<{
    session: SessionId;
    sequence: number;
    ready: boolean;
    reference: string | null;
    own: Uint8Array | null;
    other: Uint8Array | null;
  }>(
    `with ready as (
       update requests r set state = 1, ready_at = now(), manifest = (
         select coalesce(max(b.manifest), 1) from builds b where b.program in (r.program, r.reference))
       where ${waiting}
         and exists (select 1 from builds p where p.program = r.program and p.state = 2)
         and (r.reference is null or exists (select 1 from builds f where f.program = r.reference and f.state = 2))
       returning session_id, sequence)
     select session_id as session, sequence, true as ready, null as reference, null::bytea as own, null::bytea as other from ready
     union all
     select r.session_id, r.sequence, false, r.reference, p.failure, f.failure
     from requests r join builds p on p.program = r.program left join builds f on f.program = r.reference
     where ${waiting} and (p.state = 3 or f.state = 3)`,
    [programs],
  );
  const failed = rows.filter((r) => !r.ready);
  if (failed.length > 0)
    await tx.query(
      `update requests r set state = 3, result = o.result
       from unnest($1::text[], $2::bigint[], $3::bytea[]) as o(session_id, sequence, result)
       where r.session_id = o.session_id and r.sequence = o.sequence`,
      [
        failed.map((r) => r.session),
        failed.map((r) => r.sequence),
        failed.map((r) => buildVerdict(r.own, r.other, r.reference, now)),
      ],
    );
  return {
    runs: rows.filter((r) => r.ready).map((r) => r.session),
    others: 0,
    finished: failed.map(({ session, sequence }) => ({ session, sequence })),
  };
}
