/**
 * Which builds somebody waits for. A session wants its builds unless it is paused, or its client left: its stream ended longer
 * ago than Limits.buildsOutliveMs and no other began. Unwanted builds are not given to builders and are taken back from them. A
 * client that comes back wants them again, and loses only time.
 */
import type { SessionId } from "@warpfarm/common";
import type { LeasePolicy } from "../../policy/lease.ts";
import type { Database } from "../database.ts";
import { buildStates, requestStates } from "../states.ts";
import { type Effects, type FreedLease, noEffects } from "./effects.ts";
import { type LeaseRow, leaseColumns, returnLeases } from "./give-back.ts";
import { addSpent, type Held, heldMs, spentBy } from "./usage.ts";

/** SQL: the row of sessions wants its builds. */
export const wantsBuilds = (session: string): string =>
  `(not ${session}.paused and coalesce(${session}.builds_until > now(), true))`;

/** SQL: a session that wants its builds waits for the program of row `b` of builds. One condition for each index. */
export const othersWait = [
  "r.program = b.program",
  "r.reference = b.program",
  "r.others <> '{}' and r.others && array[b.program]",
]
  .map(
    (asks) =>
      `exists (select 1 from requests r join sessions o on o.session_id = r.session_id where r.state = ${requestStates.building} and ${asks} and ${wantsBuilds("o")})`,
  )
  .join(" or ");

interface Unwanted {
  readonly freed: readonly FreedLease[];
  readonly effects: Effects;
}

/** Takes back what builders have for clients who left. The time counts for them: nobody will report it. */
export async function takeUnwanted(db: Database, policy: LeasePolicy, now: number): Promise<Unwanted> {
  const [left] = await db.query("select 1 from sessions where builds_until <= now() limit 1");
  if (!left) return { freed: [], effects: noEffects };
  return db.transaction(async (tx) => {
    const held = await tx.query<Held & { readonly lease: string; readonly id: SessionId; readonly principal: string }>(
      `select l.lease_id as lease, s.session_id as id, s.session_id as session, s.principal,
         ${heldMs("l.granted_at")}
       from sessions s join builds b on b.session_id = s.session_id and b.state = ${buildStates.leased} join leases l on l.program = b.program
       where s.builds_until <= now() and not (${othersWait}) order by l.lease_id for update of l skip locked`,
    );
    if (held.length === 0) return { freed: [], effects: noEffects };
    const leases = await tx.query<LeaseRow>(`delete from leases where lease_id = any($1::text[]) returning ${leaseColumns}`, [
      held.map(({ lease }) => lease),
    ]);
    const effects = await returnLeases(tx, leases, "undelivered", "its client left", policy, now);
    await addSpent(tx, spentBy(held, { deviceMs: [], buildMs: held }));
    return { freed: leases.map(({ lease, worker }) => ({ lease, worker })), effects };
  });
}
