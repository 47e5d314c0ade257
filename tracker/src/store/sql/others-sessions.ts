/**
 * A page gives a session's run to one owner, with all of its records. So imported records that name a session of somebody else,
 * such as those of a colleague's export, are kept without it: otherwise who imports them would own the run, and see what it has
 * besides.
 */
import type { PackedRecord } from "@warpfarm/records";
import type { Queryable } from "../database.ts";

/**
 * A session belongs to who opened it, also while its results wait for their records. Of another name, such as that of a session
 * of another farm, the first importer has it. Two that import it at the same moment both keep it, because the records are
 * appended in a later transaction.
 */
export async function withoutOthersSessions(
  db: Queryable,
  records: readonly PackedRecord[],
  owner: string,
): Promise<readonly PackedRecord[]> {
  const sessions = [...new Set(records.map(({ session }) => session))].filter((session) => session !== "");
  if (sessions.length === 0) return records;
  const rows = await db.query<{ session: string }>(
    `select s.session from unnest($1::text[]) as s(session)
     left join lateral (select owner from records r where r.session = s.session and r.session <> '' limit 1) r on true
     left join lateral (select u.session::json ->> 'principal' as principal from unrecorded u where u.session_id = s.session limit 1) u on true
     left join sessions o on o.session_id = s.session
     where coalesce(o.principal, u.principal, r.owner, $2) <> $2`,
    [sessions, owner],
  );
  const others = new Set(rows.map(({ session }) => session));
  return others.size === 0 ? records : records.map((each) => (others.has(each.session) ? each.withoutSession() : each));
}
