/**
 * Builds ahead that a builder has. One that no open request names is dropped without a trace when a waiting build needs its slot,
 * or its builder or session is gone. A client that still wants it asks again.
 */
import type { LeaseId, ProgramDigest, SessionId, WorkerId } from "@warpfarm/common";
import { buildNeedSql } from "../../policy/build-need.ts";
import type { Database, Queryable } from "../database.ts";

export interface BegunAhead {
  readonly lease: LeaseId;
  readonly worker: WorkerId;
  readonly program: ProgramDigest;
}

/** SQL: of a row `b` of builds. A builder has it, and no open request waits for it. */
const isForNobody = `b.state = 1
  and not exists (select 1 from requests r where r.state = 0 and r.program = b.program)
  and not exists (select 1 from requests r where r.state = 0 and r.reference = b.program)
  and not exists (select 1 from requests r where r.state = 0 and r.others <> '{}' and r.others && array[b.program])`;
const isUnwanted = `b.ahead and ${isForNobody}`;

export interface Contention {
  /** The latest first. */
  readonly begun: readonly BegunAhead[];
  /** Builds that measurements wait for and no builder has, by need (build-need.ts). */
  readonly waiting: readonly { readonly need: string; readonly n: number }[];
}

export async function readContention(db: Queryable): Promise<Contention> {
  const begun = await db.query<BegunAhead>(
    `select l.lease_id as lease, l.worker_id as worker, b.program from builds b join leases l on l.program = b.program
     where ${isUnwanted} order by l.granted_at desc, b.program`,
  );
  if (begun.length === 0) return { begun, waiting: [] };
  const waiting = await db.query<{ need: string; n: number }>(
    `select ${buildNeedSql} as need, count(*)::integer as n from builds b
     where state = 0 and not exists (select 1 from sessions s where s.session_id = b.session_id and s.paused) group by 1 order by 1`,
  );
  return { begun, waiting };
}

/** Preempts these. Returns their leases, which workers should give up. */
export const yieldAhead = (db: Database, programs: readonly ProgramDigest[]): Promise<readonly BegunAhead[]> =>
  db.transaction((tx) => drop(tx, "b.ahead and b.program = any($1::text[])", [programs]));

/** Builds that builders have for sessions that are gone and nobody else waits for, and the requests of builds ahead. */
export async function dropBegun(tx: Queryable, sessions: readonly SessionId[]): Promise<readonly BegunAhead[]> {
  await tx.query("delete from builds_ahead where session_id = any($1::text[])", [sessions]);
  return drop(tx, "b.session_id is null", []);
}

/** Their leases are gone already. */
export async function forgetAhead(tx: Queryable, programs: readonly (string | null)[]): Promise<void> {
  await tx.query(`delete from builds b where b.program = any($1::text[]) and ${isUnwanted}`, [programs]);
}

/** An accepting transaction that names one holds its row, and is seen here once it committed. */
async function drop(tx: Queryable, which: string, params: readonly (readonly string[])[]): Promise<readonly BegunAhead[]> {
  const held = await tx.query<{ program: string }>(
    `select b.program from builds b where b.state = 1 and ${which} order by b.program for update skip locked`,
    [...params],
  );
  if (held.length === 0) return [];
  return tx.query<BegunAhead>(
    `with gone as (delete from builds b where b.program = any($1::text[]) and ${isForNobody} returning b.program)
     delete from leases l using gone where l.program = gone.program
     returning l.lease_id as lease, l.worker_id as worker, gone.program`,
    [held.map(({ program }) => program)],
  );
}
