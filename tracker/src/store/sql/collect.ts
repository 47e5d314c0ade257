/**
 * What nobody can ask for any more goes: builds that no open request names, the blobs and programs of such builds, workers lost long ago.
 * Everything is kept for `keepMs` after its last use, so that a session that comes soon finds it built. Programs are locked before they are
 * judged: an input that names one either waits for this transaction or has marked it as used (accept-usual.ts).
 */
import type { Database } from "../database.ts";
import { usedWithinMs } from "./accept-usual.ts";
import { forgetWorkers } from "./workers.ts";

export interface Collected {
  readonly builds: number;
  readonly programs: number;
  readonly blobs: number;
}

export async function collect(db: Database, keepMs: number): Promise<Collected> {
  const unusedMs = Math.max(keepMs, 2 * usedWithinMs);
  return db.transaction(async (tx) => {
    await tx.query("delete from builds where state = 0 and session_id is null");
    const old = await tx.query<{ digest: string }>(
      `select digest from programs where used_at <= now() - $1 * interval '1 ms' order by digest for update skip locked`,
      [unusedMs],
    );
    const digests = old.map((p) => p.digest);
    const builds = await tx.query(
      `with open as materialized (
         select program, reference from requests where state = 1 and avoid = '{}'
         union all select program, reference from requests where state = 1 and avoid <> '{}'
         union all select r.program, r.reference from leases l join requests r on r.session_id = l.session_id and r.sequence = l.sequence)
       delete from builds b where b.program = any($2::text[]) and b.state >= 2
         and coalesce(b.finished_at, '-infinity') <= now() - $1 * interval '1 ms'
         and not exists (select 1 from open o where o.program = b.program or o.reference = b.program)
         and not exists (select 1 from requests r where r.state = 0 and (r.program = b.program or r.reference = b.program))
       returning 1`,
      [keepMs, digests],
    );
    const programs = await tx.query(
      `delete from programs p where p.digest = any($1::text[]) and not exists (select 1 from builds b where b.program = p.digest)
       returning 1`,
      [digests],
    );
    const blobs = await tx.query(
      `delete from blobs b where b.used_at <= now() - $1 * interval '1 ms'
         and not exists (select 1 from builds d where d.state = 2 and d.artifact = b.digest)
         and not exists (select 1 from builds d where d.state = 2 and d.code = b.digest)
       returning 1`,
      [unusedMs],
    );
    await forgetWorkers(tx, keepMs);
    return { builds: builds.length, programs: programs.length, blobs: blobs.length };
  });
}
