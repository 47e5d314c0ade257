/**
 * What views/waiting.ts reads of the store beside sessionCounts: runs in hand, targets of waiting builds, trials that will come.
 */
import type { SessionId, WorkerId } from "@warpfarm/common";
import type { Queryable } from "../database.ts";
import { buildStates } from "../states.ts";
import { heldMs } from "./usage.ts";

export interface RunningRun {
  readonly worker: WorkerId;
  readonly device: number;
  readonly session: SessionId;
  readonly heldMs: number;
}

export const readRunningRuns = (db: Queryable) =>
  db.query<RunningRun>(
    `select worker_id as worker, device, session_id as session, ${heldMs("granted_at")} from leases where session_id is not null`,
  );

/** The targets for which builds of a session wait. A build that several sessions need is the first one's. */
export async function readWaitingTargets(db: Queryable): Promise<ReadonlyMap<SessionId, readonly string[]>> {
  const rows = await db.query<{ session: SessionId; targets: readonly string[] }>(
    `select session_id as session, array_agg(distinct target order by target) as targets from builds
     where state = ${buildStates.waiting} and session_id is not null group by session_id`,
  );
  return new Map(rows.map(({ session, targets }) => [session, targets]));
}

/** How many inputs the searches of sessions have still to send, as far as their clients told. */
export async function readTrialsLeft(db: Queryable): Promise<ReadonlyMap<SessionId, number>> {
  const rows = await db.query<{ session: SessionId; left: number }>(
    `select session_id as session,
       greatest((provenance::json #>> '{search,budget,trials}')::double precision + more_trials - accepted_through, 0) as left
     from sessions where provenance <> '' and provenance::json #>> '{search,budget,trials}' is not null`,
  );
  return new Map(rows.map(({ session, left }) => [session, left]));
}
