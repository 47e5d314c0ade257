/** Registered workers. An epoch is greater than any earlier one of its worker, so messages of an older epoch are void. */
import type { LeaseId, OwnCheck, WorkerId } from "@warpfarm/common";
import type { BuilderFacts, Registration, RunnerFacts } from "@warpfarm/proto";
import type { LeasePolicy } from "../../policy/lease.ts";
import type { Database, Queryable } from "../database.ts";
import { both, type Effects, noEffects } from "./effects.ts";
import { type LeaseRow, leaseColumns, returnLeases } from "./give-back.ts";
import { refuseAnothersNames } from "./names.ts";

export interface WorkerRow {
  readonly id: WorkerId;
  readonly instanceId: string;
  readonly epoch: number;
  readonly node: string;
  readonly facts: BuilderFacts | RunnerFacts;
  readonly labels: Readonly<Record<string, string>>;
  readonly lost: boolean;
  readonly healthy: boolean;
  readonly draining: boolean;
  /** Why it gets nothing until it registers anew; empty: it gets work. */
  readonly quarantine: string;
  /** Faults in a row that put the worker itself in doubt. */
  readonly faults: number;
  /** Unix seconds by the clock of the store. */
  readonly lastSeen: number;
  /** The time of this epoch's registration, in Unix milliseconds. */
  readonly registeredMs: number;
  readonly principal: string;
}

const state = `worker_id as id, epoch, lost, extract(epoch from last_seen)::double precision as "lastSeen", faults, quarantine,
  exists (select 1 from drained_nodes d where d.node = workers.node) as draining,
  (not lost and trouble = '' and coalesce(suspect_until <= now(), true) and quarantine = ''
    and not exists (select 1 from drained_nodes d where d.node = workers.node)) as healthy`;
const columns = `${state}, instance_id as "instanceId", node, facts, labels, principal,
  extract(epoch from registered_at)::double precision * 1000 as "registeredMs"`;

/** A new worker, or the next epoch of one that registers again. Leases of its old epoch are returned. */
export async function registerWorker(
  db: Database,
  id: WorkerId,
  registration: Registration & Pick<WorkerRow, "principal"> & { readonly vouched: boolean },
  policy: LeasePolicy,
  now: number,
): Promise<{ readonly worker: WorkerRow; readonly effects: Effects }> {
  return db.transaction(async (tx) => {
    await refuseAnothersNames(tx, registration);
    const [worker] = await tx.query<WorkerRow>(
      `insert into workers (worker_id, instance_id, epoch, role, node, facts, labels, principal, vouched)
       values ($1, $2, 1, $3, $4, $5::jsonb, $6::jsonb, $7, $8)
       on conflict (principal, instance_id) do update set epoch = workers.epoch + 1, role = excluded.role, node = excluded.node, facts = excluded.facts,
         labels = excluded.labels, lost = false, trouble = '', suspect_until = null, faults = 0, quarantine = '', last_seen = now(),
         registered_at = now(), vouched = excluded.vouched
       returning ${columns}`,
      [
        id,
        registration.instanceId,
        registration.role.kind,
        registration.node,
        JSON.stringify(registration.role),
        JSON.stringify(registration.labels),
        registration.principal,
        registration.vouched,
      ],
    );
    if (!worker) throw new Error("insert into workers returned nothing");
    const leases = await tx.query<LeaseRow>(`delete from leases where worker_id = $1 and epoch < $2 returning ${leaseColumns}`, [
      worker.id,
      worker.epoch,
    ]);
    const effects = await returnLeases(tx, leases, "loss", `worker ${worker.id} registered again`, policy, now);
    return { worker, effects };
  });
}

/**
 * Workers that are not lost. The facts of an epoch are read only for workers that are not `known` with it, because a thousand are
 * read each second.
 */
export async function listWorkers(db: Queryable, known: (id: WorkerId) => WorkerRow | undefined): Promise<readonly WorkerRow[]> {
  type State = Omit<WorkerRow, "instanceId" | "node" | "facts" | "labels" | "registeredMs" | "principal">;
  const states = await db.query<State>(`select ${state} from workers where not lost`);
  const rows: WorkerRow[] = [];
  const fresh: WorkerId[] = [];
  for (const row of states) {
    const there = known(row.id);
    if (there?.epoch === row.epoch) rows.push({ ...there, ...row });
    else fresh.push(row.id);
  }
  if (fresh.length > 0)
    rows.push(
      ...(await db.query<WorkerRow>(`select ${columns} from workers where worker_id = any($1::text[]) and not lost`, [fresh])),
    );
  return rows;
}

/**
 * Changes when anything changes that listWorkers returns, except when they were last seen: a thousand rows a second cost more
 * than the work for a few hundred jobs.
 */
export async function workersStamp(db: Queryable): Promise<string> {
  const [row] = await db.query<{ stamp: string }>(
    `select concat(count(*), ' ', sum(hashtextextended(concat_ws(' ', id, epoch, faults, quarantine, draining, healthy, suspect_until), 0))) as stamp
     from (select ${state}, suspect_until from workers where not lost) w`,
  );
  return row?.stamp ?? "";
}

/** Their calls are held, however long ago these came. Locked rows are skipped, as in addUsed: they are being written now. */
export async function keepPresent(db: Queryable, ids: readonly WorkerId[], policy: LeasePolicy): Promise<void> {
  if (ids.length === 0) return;
  await db.query(
    `update workers set last_seen = now() where worker_id in (
       select worker_id from workers where worker_id = any($1::text[]) and last_seen < now() - $2 * interval '1 ms' for update skip locked)`,
    [ids, policy.ttlMs / 6],
  );
}

/** Counts one fault. After too many in a row the worker gets nothing more until it registers anew or its node is undrained. */
export async function countFault(db: Queryable, id: WorkerId, why: string, policy: LeasePolicy): Promise<void> {
  await db.query(
    `update workers set faults = faults + 1,
       quarantine = case when quarantine = '' and faults + 1 >= $2 then (faults + 1)::text || ' faults in a row' else quarantine end,
       last_fault = $3
     where worker_id = $1`,
    [id, policy.maxWorkerFaults, why],
  );
}

/** Resets the faults of workers that did a job. */
export async function forgetFaults(db: Queryable, ids: readonly WorkerId[]): Promise<void> {
  if (ids.length === 0) return;
  await db.query("update workers set faults = 0 where worker_id = any($1::text[]) and faults > 0", [ids]);
}

/** Times of the node's own kernels, as the worker last reported them: pairs of Unix time and ratio. */
export async function keepChecks(db: Queryable, id: WorkerId, nowMs: number, checks: readonly OwnCheck[]): Promise<void> {
  const told = checks.map(({ agoMs, ratio }) => [Math.round(nowMs - agoMs), ratio]);
  await db.query("update workers set checks = $2 where worker_id = $1", [id, JSON.stringify(told)]);
}

type KeptChecks = readonly (readonly [atMs: number, ratio: number])[];

export async function readChecks(db: Queryable): Promise<ReadonlyMap<WorkerId, KeptChecks>> {
  const rows = await db.query<{ id: WorkerId; checks: string }>(
    "select worker_id as id, checks from workers where checks <> ''",
    [],
  );
  return new Map(rows.map(({ id, checks }) => [id, JSON.parse(checks) as KeptChecks]));
}

/** Workers whose last sign of life is older than `silentMs`, or those of `only`. */
export async function silentWorkers(db: Queryable, silentMs: number, only?: readonly WorkerId[]): Promise<readonly WorkerId[]> {
  const rows = await db.query<{ id: WorkerId }>(
    `select worker_id as id from workers
     where not lost and last_seen <= now() - $1 * interval '1 ms' and ($2::text[] is null or worker_id = any($2::text[]))`,
    [silentMs, only ?? null],
  );
  return rows.map(({ id }) => id);
}

/** Declares those of them lost whose last sign of life is older than `silentMs`, and returns their leases. */
export async function loseWorkers(
  db: Database,
  silentMs: number,
  policy: LeasePolicy,
  now: number,
  ids: readonly WorkerId[],
): Promise<{ readonly lost: readonly WorkerId[]; readonly effects: Effects }> {
  return db.transaction(async (tx) => {
    const rows = await tx.query<{ id: WorkerId }>(
      `update workers set lost = true
       where not lost and last_seen <= now() - $1 * interval '1 ms' and worker_id = any($2::text[]) returning worker_id as id`,
      [silentMs, ids],
    );
    const lost = rows.map(({ id }) => id);
    if (lost.length === 0) return { lost, effects: noEffects };
    const leases = await tx.query<LostLease>(
      `delete from leases where worker_id = any($1::text[])
       returning ${leaseColumns}, device, extract(epoch from granted_at)::double precision as granted`,
      [lost],
    );
    const { begun, waiting } = dividedByBegin(leases);
    const ended = await returnLeases(tx, begun, "end", "its worker was lost", policy, now);
    const others = await returnLeases(tx, waiting, "loss", "its worker was lost", policy, now);
    return { lost, effects: both(ended, others) };
  });
}

type LostLease = LeaseRow & { readonly device: number; readonly granted: number };

/** A builder does all its jobs at a time; a device does the oldest, and the others wait for it. */
function dividedByBegin(leases: readonly LostLease[]): Record<"begun" | "waiting", readonly LostLease[]> {
  const first = new Map<string, LostLease>();
  for (const lease of leases) {
    const device = `${lease.worker} ${lease.device}`;
    const there = first.get(device);
    if (lease.session !== null && (there === undefined || lease.granted < there.granted)) first.set(device, lease);
  }
  const isBegun = (lease: LostLease): boolean => lease.session === null || first.get(`${lease.worker} ${lease.device}`) === lease;
  return { begun: leases.filter(isBegun), waiting: leases.filter((lease) => !isBegun(lease)) };
}

/** Leases that expired while their worker is alive: it no longer says that it works on them. */
export const expiredLeases = async (db: Queryable): Promise<readonly LeaseId[]> =>
  (await db.query<{ id: LeaseId }>("select lease_id as id from leases where until <= now()")).map(({ id }) => id);

/** Returns those of them that were not renewed meanwhile. */
export async function expireLeases(db: Database, ids: readonly LeaseId[], policy: LeasePolicy, now: number): Promise<Effects> {
  return db.transaction(async (tx) => {
    const leases = await tx.query<LeaseRow>(
      `delete from leases where lease_id = any($1::text[]) and until <= now() returning ${leaseColumns}`,
      [ids],
    );
    return returnLeases(tx, leases, "loss", "its lease ran out", policy, now);
  });
}

/**
 * At a tracker's start and when the store is back: nobody could renew anything, so every lease, worker and session gets its full
 * time again. With other live trackers this only delays expiries by at most one term.
 */
export async function grantGrace(db: Database, ttlMs: number, idleMs: number): Promise<void> {
  await db.query("update leases set until = greatest(until, now() + $1 * interval '1 ms')", [ttlMs]);
  await db.query("update workers set last_seen = now() where not lost");
  await db.query("update sessions set expires_at = greatest(expires_at, now() + $1 * interval '1 ms')", [idleMs]);
}
