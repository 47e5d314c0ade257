/**
 * What nobody can ask for any more goes, a bounded number of rows at a time: builds that no open request names, the blobs and
 * programs of such builds, requests whose results were received, results kept for others, workers lost long ago. What is used is
 * kept for `artifactsMs` after its last use; a received request for `requestsMs` after it was accepted. Programs are locked
 * before they are judged: an input that names one either waits for this transaction or has marked it as used (accept-usual.ts).
 */
import type { Garbage } from "@warpfarm/proto";
import type { Database, Queryable } from "../database.ts";
import { rowsOf, statement, value } from "../statement.ts";
import { buildStates, requestStates } from "../states.ts";
import { isLeft, usedWithinMs } from "./accept-usual.ts";
import { forgetClaims } from "./claims.ts";
import { forgetWorkers } from "./names.ts";
import { forgetSetAside } from "./unrecorded.ts";
import { forgetSpent } from "./usage.ts";

export interface Keep {
  readonly artifactsMs: number;
  readonly requestsMs: number;
}

/** An arbitrary number, the same in every tracker: one collects at a time. */
const lock = 7_246_553;
const programsAtOnce = 1_000;
const blobsAtOnce = 1_000;
const sessionsAtOnce = 50;
const requestsAtOnce = 4_096;
const reusesAtOnce = 5_000;

interface Batch extends Partial<Garbage> {
  readonly last: string | undefined;
}
type Step = (tx: Queryable, after: string, keep: Keep) => Promise<Batch>;

/** The least time, whatever was requested: an input that names a program by its digest may be in transit. */
const unusedMs = ({ artifactsMs }: Keep): number => Math.max(artifactsMs, 2 * usedWithinMs);

const collecting = statement(
  { s: rowsOf({ session_id: "text" }), each: value(), kept_ms: value() },
  ({ s, each, kept_ms }) => `with old as (
       select r.session_id, r.sequence from ${s.rows}
       cross join lateral (
         select session_id, sequence, state, result, accepted_at from requests where session_id = s.session_id order by sequence limit ${each}) r
       where r.state = ${requestStates.received} and r.result is null and r.accepted_at <= now() - ${kept_ms} * interval '1 ms')
     delete from requests r using old o where r.session_id = o.session_id and r.sequence = o.sequence and r.state = ${requestStates.received} returning 1`,
);

const receivedRequests: Step = async (tx, after, { requestsMs }) => {
  const sessions = await tx.query<{ id: string }>(
    "select session_id as id from sessions where session_id > $1 order by session_id limit $2",
    [after, sessionsAtOnce],
  );
  const gone = await collecting.query(tx, {
    s: { session_id: sessions.map((s) => s.id) },
    each: requestsAtOnce,
    kept_ms: requestsMs,
  });
  return { requests: gone.length, last: sessions.length === sessionsAtOnce ? sessions.at(-1)?.id : undefined };
};

const builtPrograms: Step = async (tx, after, keep) => {
  const old = await tx.query<{ digest: string }>(
    `select digest from programs where used_at <= now() - $1 * interval '1 ms' and digest > $2 order by digest limit $3 for update skip locked`,
    [unusedMs(keep), after, programsAtOnce],
  );
  const digests = old.map((p) => p.digest);
  const builds = await tx.query(
    `with open as materialized (
       select program, reference from requests where state = ${requestStates.ready} and avoid = '{}'
       union all select program, reference from requests where state = ${requestStates.ready} and avoid <> '{}'
       union all select program, reference from requests where state = ${requestStates.following}
       union all select r.program, r.reference from leases l join requests r on r.session_id = l.session_id and r.sequence = l.sequence)
     delete from builds b where b.program = any($2::text[]) and (b.state >= ${buildStates.built} or ${isLeft("b")})
       and coalesce(b.finished_at, '-infinity') <= now() - $1 * interval '1 ms'
       and not exists (select 1 from open o where o.program = b.program or o.reference = b.program)
       and not exists (select 1 from requests r where r.state = ${requestStates.building} and (r.program = b.program or r.reference = b.program))
       and not exists (select 1 from requests r join sessions s on s.session_id = r.session_id
         where s.paired is not null and r.state < ${requestStates.done} and b.program = any(r.others))
     returning 1`,
    [keep.artifactsMs, digests],
  );
  const programs = await tx.query(
    `delete from programs p where p.digest = any($1::text[]) and not exists (select 1 from builds b where b.program = p.digest)
     returning 1`,
    [digests],
  );
  return {
    builds: builds.length,
    programs: programs.length,
    last: digests.length === programsAtOnce ? digests.at(-1) : undefined,
  };
};

const unusedBlobs: Step = async (tx, after, keep) => {
  const old = await tx.query<{ digest: string }>(
    "select digest from blobs where used_at <= now() - $1 * interval '1 ms' and digest > $2 order by digest limit $3 for update skip locked",
    [unusedMs(keep), after, blobsAtOnce],
  );
  const digests = old.map((b) => b.digest);
  const gone = await tx.query<{ size: number }>(
    `delete from blobs b where b.digest = any($1::text[])
       and not exists (select 1 from builds d where d.state = ${buildStates.built} and d.artifact = b.digest)
       and not exists (select 1 from builds d where d.state = ${buildStates.built} and d.code = b.digest)
       and not exists (select 1 from suite_tasks t join suites s on s.suite_id = t.suite_id
         where t.template = b.digest and t.ended = '' and not s.cancelled)
     returning size`,
    [digests],
  );
  return {
    blobs: gone.length,
    bytes: gone.reduce((n, { size }) => n + size, 0),
    last: digests.length === blobsAtOnce ? digests.at(-1) : undefined,
  };
};

const whatNobodyWaitsFor: Step = async (tx, _after, { artifactsMs }) => {
  await tx.query(`delete from builds where state = ${buildStates.waiting} and session_id is null`);
  await tx.query(
    `delete from reuses where name in (
       select x.name from reuses x where x.used_at <= now() - $1 * interval '1 ms'
         and not exists (select 1 from requests r where r.session_id = x.session_id and r.sequence = x.sequence and r.state between ${requestStates.following} and ${requestStates.leased})
         and not exists (select 1 from requests r where r.state = ${requestStates.following} and r.reuse = x.name)
       limit $2)`,
    [artifactsMs, reusesAtOnce],
  );
  await tx.query("delete from cancelled_sessions where cancelled_at <= now() - $1 * interval '1 ms'", [artifactsMs]);
  await forgetWorkers(tx, artifactsMs);
  await forgetSpent(tx);
  await forgetSetAside(tx, artifactsMs);
  return { last: undefined };
};

const claims: Step = async (tx, after, { artifactsMs }) => ({
  last: await forgetClaims(tx, artifactsMs, after === "" ? "00000000-0000-0000-0000-000000000000" : after),
});

const steps: readonly Step[] = [receivedRequests, whatNobodyWaitsFor, claims, builtPrograms, unusedBlobs];

/** Each batch is a transaction. `dryRun` makes one of all and rolls it back. */
export async function collect(db: Database, keep: Keep, o: { readonly dryRun?: boolean } = {}): Promise<Garbage> {
  if (!o.dryRun) return collectBy((work) => db.transaction(work), keep);
  let counted: Garbage | undefined;
  try {
    await db.transaction(async (tx) => {
      counted = await collectBy((work) => work(tx), keep);
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
  if (!counted) throw new Error("a transaction ended without its work");
  return counted;
}

class Undo extends Error {}

async function collectBy(transact: (work: (tx: Queryable) => Promise<Batch>) => Promise<Batch>, keep: Keep): Promise<Garbage> {
  const sum = { builds: 0, programs: 0, blobs: 0, bytes: 0, requests: 0 };
  const all = async (step: Step) => {
    for (let after: string | undefined = ""; after !== undefined; ) {
      const from: string = after;
      const batch = await transact(async (tx) => {
        await tx.query("select pg_advisory_xact_lock($1)", [lock]);
        return step(tx, from, keep);
      });
      for (const what of ["builds", "programs", "blobs", "bytes", "requests"] as const) sum[what] += batch[what] ?? 0;
      after = batch.last;
    }
  };
  // A step that fails does not keep the others from their work.
  const failed: unknown[] = [];
  for (const step of steps) await all(step).catch((error: unknown) => failed.push(error));
  if (failed.length > 0) throw failed[0];
  return sum;
}
