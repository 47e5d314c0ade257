/** Changes of an open session by its owner or an admin. Undefined: there is no such session, or it is not theirs. */
import { badInput, FarmError, type SessionId } from "@warpfarm/common";
import { mostMoreTrials } from "@warpfarm/proto";
import type { Database, Queryable } from "../database.ts";
import { requestStates } from "../states.ts";
import type { FreedLease } from "./effects.ts";
import { type Owner, removeSessions } from "./sessions.ts";

export async function setPaused(
  db: Queryable,
  id: SessionId,
  paused: boolean,
  owner: Owner,
): Promise<{ readonly waiting: number; readonly running: number } | undefined> {
  const [row] = await db.query<{ id: string }>(
    `update sessions set control = control + case when paused = $2 then 0 else 1 end, paused = $2
     where session_id = $1 and expires_at > now() and ($3::text is null or principal = $3) returning session_id as id`,
    [id, paused, owner ?? null],
  );
  if (!row) return undefined;
  const [counts] = await db.query<{ waiting: number; running: number }>(
    `select (select count(*)::integer from requests where session_id = $1 and state < ${requestStates.leased}) as waiting,
       (select count(*)::integer from leases where session_id = $1) as running`,
    [id],
  );
  return counts;
}

/** Throws FAILED_PRECONDITION, INVALID_ARGUMENT. */
export async function addTrials(
  db: Queryable,
  id: SessionId,
  trials: number,
  owner: Owner,
): Promise<{ readonly moreTrials: number } | undefined> {
  const mine = "session_id = $1 and expires_at > now() and ($2::text is null or principal = $2)";
  const [row] = await db.query<{ moreTrials: number }>(
    `update sessions set control = control + 1, more_trials = more_trials + $3
     where ${mine} and takes_trials and not trials_settled and more_trials + $3 <= $4 returning more_trials as "moreTrials"`,
    [id, owner ?? null, trials, mostMoreTrials],
  );
  if (row) return row;
  const [there] = await db.query<{ takesTrials: boolean; isSettled: boolean; moreTrials: number }>(
    `select takes_trials as "takesTrials", trials_settled as "isSettled", more_trials as "moreTrials" from sessions where ${mine}`,
    [id, owner ?? null],
  );
  if (!there) return undefined;
  if (there.isSettled)
    throw new FarmError(
      "FAILED_PRECONDITION",
      `session ${id} takes no more trials: its search has come to its end; resume it with more (--resume --trials N)`,
    );
  if (!there.takesTrials)
    throw new FarmError("FAILED_PRECONDITION", `session ${id} cannot take more trials: its client does not search`);
  throw badInput(
    `trials is ${trials}, with which session ${id} would have ${there.moreTrials + trials} more than it began with; allowed: at most ${mostMoreTrials}`,
  );
}

/**
 * Unless it has more trials than its search has heard of, none is added any more: a statement that adds some at the same moment
 * comes before, and is heard of, or after, and is refused. Returns how many there are.
 */
export async function settleTrials(db: Queryable, id: SessionId, heard: number, owner: Owner): Promise<number | undefined> {
  const [row] = await db.query<{ moreTrials: number }>(
    `update sessions set trials_settled = trials_settled or more_trials <= $3
     where session_id = $1 and expires_at > now() and ($2::text is null or principal = $2) returning more_trials as "moreTrials"`,
    [id, owner ?? null, heard],
  );
  return row?.moreTrials;
}

/** Removes it and remembers why. Undefined when there is no such session, or it is not theirs. */
export async function cancelSession(
  db: Database,
  id: SessionId,
  reason: string,
  owner: Owner,
): Promise<{ readonly freed: readonly FreedLease[]; readonly dropped: number; readonly principal: string } | undefined> {
  const [there] = await db.query<{ dropped: number; principal: string }>(
    `with cancelled as (
       insert into cancelled_sessions (session_id, reason, principal) select session_id, $2, principal from sessions
       where session_id = $1 and ($3::text is null or principal = $3)
       on conflict (session_id) do nothing)
     select s.principal, count(r.state)::integer as dropped from sessions s left join requests r on r.session_id = s.session_id and r.state < ${requestStates.done}
     where s.session_id = $1 and ($3::text is null or s.principal = $3) group by s.session_id, s.principal`,
    [id, reason, owner ?? null],
  );
  return there && { ...there, freed: await removeSessions(db, [id]) };
}

/** Why there is no such session. The answer does not distinguish another's session from one that never existed. */
export async function whyGone(db: Queryable, id: SessionId, owner: Owner): Promise<FarmError> {
  const [cancelled] = await db.query<{ reason: string }>(
    "select reason from cancelled_sessions where session_id = $1 and ($2::text is null or principal = $2)",
    [id, owner ?? null],
  );
  if (cancelled) return sessionCancelled(id, cancelled.reason);
  const whose = owner === undefined ? "" : `, or not one of ${owner}`;
  return new FarmError("NOT_FOUND", `session ${id} is not known: never opened, closed or expired${whose}`);
}

export const sessionCancelled = (id: SessionId, reason: string): FarmError =>
  new FarmError("FAILED_PRECONDITION", `session ${id} was cancelled at the tracker${reason === "" ? "" : `: ${reason}`}`);
