/**
 * A program is built once in the whole farm: one row of builds. This file advances requests when a build ends: to READY when all
 * artifacts exist, to DONE with the failure when one cannot be built.
 */
import { type FailedResult, measureErrorNo, type SessionId } from "@warpfarm/common";
import { clip } from "@warpfarm/proto";
import { farmFailure } from "../../policy/lease.ts";
import type { Queryable } from "../database.ts";
import { decodeResult, encodeResult } from "../result-bytes.ts";
import { rowsOf, statement } from "../statement.ts";
import { buildStates, requestStates } from "../states.ts";
import { type Effects, noEffects } from "./effects.ts";

/**
 * The verdict of a request when its own program, one measured interleaved with it, or its reference could not be built.
 * `programs`: the failure of each, the request's own first; null = none.
 */
export function buildVerdict(
  programs: readonly (Uint8Array | null)[],
  reference: Uint8Array | null,
  referenceDigest: string | null,
  now: number,
): Uint8Array {
  const at = programs.findIndex((failure) => failure !== null);
  const failure = programs[at];
  if (failure) return programs.length === 1 ? failure : inTurns(failure, at, programs.length);
  const why = reference ? (decodeResult(reference) as FailedResult) : undefined;
  // Lost builders say nothing about the program.
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

function inTurns(failure: Uint8Array, at: number, count: number): Uint8Array {
  const result = decodeResult(failure) as FailedResult;
  return encodeResult({
    ...result,
    message: clip(`program ${at + 1} of ${count} interleaved: ${result.message}`, 1024),
    failedProgram: at,
  });
}

export const finishing = statement(
  { o: rowsOf({ session_id: "text", sequence: "bigint", result: "bytea" }) },
  ({ o }) => `update requests r set state = ${requestStates.done}, result = o.result
       from ${o.rows}
       where r.session_id = o.session_id and r.sequence = o.sequence`,
);

/**
 * Runs after builds of these programs ended, in the same transaction. The requests are locked first: two builds that end at once
 * (a program and its reference, at two trackers) must not each miss the other.
 */
export async function advanceRequests(tx: Queryable, programs: readonly string[], now: number): Promise<Effects> {
  if (programs.length === 0) return noEffects;
  const waiting = `r.state = ${requestStates.building} and (r.program = any($1::text[]) or r.reference = any($1::text[]) or (r.others <> '{}' and r.others && $1::text[]))`;
  await tx.query(`select 1 from requests r where ${waiting} order by session_id, sequence for update`, [programs]);
  const rows = await tx.query<{
    session: SessionId;
    sequence: number;
    ready: boolean;
    free: boolean;
    reference: string | null;
    /** Failures of its own program, of the reference, and of those measured interleaved with it. */
    own: Uint8Array | null;
    agreed: Uint8Array | null;
    others: readonly (Uint8Array | null)[] | null;
  }>(
    `with ready as (
       update requests r set state = ${requestStates.ready}, ready_at = now(), manifest = (
         select coalesce(max(b.manifest), 1) from builds b where b.program = any(r.others || r.program || r.reference))
       where ${waiting}
         and exists (select 1 from builds p where p.program = r.program and p.state = ${buildStates.built})
         and (r.reference is null or exists (select 1 from builds f where f.program = r.reference and f.state = ${buildStates.built}))
         and (r.others = '{}' or not exists (
           select 1 from unnest(r.others) as o(program) left join builds b on b.program = o.program where b.state is distinct from ${buildStates.built}))
       returning session_id, sequence, avoid = '{}' as free)
     select session_id as session, sequence, true as ready, free, null as reference, null::bytea as own, null::bytea as agreed, null::bytea[] as others
     from ready
     union all
     select r.session_id, r.sequence, false, false, r.reference, p.failure, f.failure, o.failures
     from requests r join builds p on p.program = r.program left join builds f on f.program = r.reference
     left join lateral (
       select array_agg(b.failure order by n.at) as failures, bool_or(b.state = ${buildStates.failed}) as failed
       from unnest(r.others) with ordinality as n(program, at) left join builds b on b.program = n.program) o on r.others <> '{}'
     where ${waiting} and (p.state = ${buildStates.failed} or f.state = ${buildStates.failed} or o.failed)`,
    [programs],
  );
  const failed = rows.filter((r) => !r.ready);
  if (failed.length > 0)
    await finishing.query(tx, {
      o: {
        session_id: failed.map((r) => r.session),
        sequence: failed.map((r) => r.sequence),
        result: failed.map((r) => buildVerdict([r.own, ...(r.others ?? [])], r.agreed, r.reference, now)),
      },
    });
  return {
    runs: rows.filter((r) => r.ready && r.free).map((r) => r.session),
    others: rows.filter((r) => r.ready && !r.free).length,
    finished: failed.map(({ session, sequence }) => ({ session, sequence })),
  };
}
