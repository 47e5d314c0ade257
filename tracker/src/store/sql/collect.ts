/**
 * What nobody can ask for any more goes: builds that no open request names, the blobs and programs of such builds, workers lost long ago.
 * Everything is kept for `keepMs` after its last use, so that a session that comes soon finds it built.
 */
import type { Database } from "../database.ts";
import { forgetWorkers } from "./workers.ts";

export async function collect(db: Database, keepMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query("delete from builds where state = 0 and session_id is null");
    await tx.query(
      `delete from builds b using programs p
       where p.digest = b.program and b.state >= 2 and p.used_at <= now() - $1 * interval '1 ms'
         and coalesce(b.finished_at, p.used_at) <= now() - $1 * interval '1 ms'
         and not exists (select 1 from requests r where r.program = b.program and r.state < 3)
         and not exists (select 1 from requests r where r.reference = b.program and r.state < 3)`,
      [keepMs],
    );
    await tx.query(
      `delete from programs p where p.used_at <= now() - $1 * interval '1 ms'
         and not exists (select 1 from builds b where b.program = p.digest)`,
      [keepMs],
    );
    await tx.query(
      `delete from blobs b where b.used_at <= now() - $1 * interval '1 ms'
         and not exists (select 1 from builds d where d.state = 2 and d.artifact = b.digest)
         and not exists (select 1 from builds d where d.state = 2 and d.code = b.digest)`,
      [keepMs],
    );
    await forgetWorkers(tx, keepMs);
  });
}
