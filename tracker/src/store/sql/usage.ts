/**
 * What principals have outstanding, keep in the store, and used within an hour, for quotas.ts. Nothing is counted for `local`.
 */
import type { SessionId } from "@warpfarm/common";
import type { Queryable } from "../database.ts";
import { rowsOf, statement } from "../statement.ts";
import { requestStates } from "../states.ts";

export interface Spent {
  readonly principal: string;
  readonly buildMs: number;
  readonly deviceMs: number;
}

const adding = statement(
  { n: rowsOf({ principal: "text", build_ms: "double precision", device_ms: "double precision" }) },
  ({ n }) => `insert into spent (principal, minute, build_ms, device_ms)
     select principal, date_trunc('minute', now()), build_ms, device_ms
     from ${n.rows}
     on conflict (principal, minute) do update set build_ms = spent.build_ms + excluded.build_ms,
       device_ms = spent.device_ms + excluded.device_ms`,
);

/** Adds to the current minute. All statements use one order, so that two trackers do not wait for each other. */
export async function addSpent(db: Queryable, spent: readonly Spent[]): Promise<void> {
  const rows = [...spent].sort((a, b) => (a.principal < b.principal ? -1 : 1));
  if (rows.length === 0) return;
  await adding.query(db, {
    n: {
      principal: rows.map((r) => r.principal),
      build_ms: rows.map((r) => r.buildMs),
      device_ms: rows.map((r) => r.deviceMs),
    },
  });
}

/** Milliseconds for which a lease has been held. */
export const heldMs = (grantedAt: string): string =>
  `greatest(extract(epoch from now() - ${grantedAt})::double precision * 1000, 0) as "heldMs"`;

export interface Held {
  readonly session: SessionId;
  readonly heldMs: number;
}

/** The time of runs and builds that are stopped here. Nobody will report it. */
export function spentBy(
  sessions: readonly { readonly id: SessionId; readonly principal: string }[],
  stopped: { readonly deviceMs: readonly Held[]; readonly buildMs: readonly Held[] },
): readonly Spent[] {
  const owners = new Map(sessions.map(({ id, principal }) => [id, principal]));
  const spent = new Map<string, Spent>();
  for (const kind of ["deviceMs", "buildMs"] as const)
    for (const { session, heldMs } of stopped[kind]) {
      const principal = owners.get(session) ?? "local";
      const before = spent.get(principal) ?? { principal, buildMs: 0, deviceMs: 0 };
      if (principal !== "local") spent.set(principal, { ...before, [kind]: before[kind] + heldMs });
    }
  return [...spent.values()];
}

export interface Outstanding {
  readonly principal: string;
  readonly inputs: number;
  /** Bytes of their programs, without references. */
  readonly bytes: number;
}

/** Uses the partial indexes of the open states, as sessionCounts does. */
export const outstandingByPrincipal = (db: Queryable): Promise<readonly Outstanding[]> =>
  db.query<Outstanding>(
    `with owned as materialized (select session_id, principal from sessions where principal <> 'local'),
     open as (
       select session_id, program, others from requests where state = ${requestStates.building}
       union all select session_id, program, others from requests where state = ${requestStates.ready} and avoid = '{}'
       union all select session_id, program, others from requests where state = ${requestStates.ready} and avoid <> '{}'
       union all select session_id, program, others from requests where state = ${requestStates.done}
       union all select session_id, program, others from requests where state = ${requestStates.following}
       union all select r.session_id, r.program, r.others from leases l
         join requests r on r.session_id = l.session_id and r.sequence = l.sequence and r.state = ${requestStates.leased})
     select s.principal, count(*)::integer as inputs, (coalesce(sum(p.size), 0) + coalesce(sum(t.size), 0))::bigint as bytes
     from open o join owned s on s.session_id = o.session_id left join programs p on p.digest = o.program
     left join lateral (select sum(size) as size from programs where digest = any(o.others)) t on o.others <> '{}'
     group by s.principal`,
  );

export interface Kept {
  readonly principal: string;
  /** Bytes of programs and blobs that it sent first, and of artifacts built for it. */
  readonly bytes: number;
}

export const keptByPrincipal = (db: Queryable): Promise<readonly Kept[]> =>
  db.query<Kept>(
    `select principal, sum(bytes)::bigint as bytes from (
       select principal, size::bigint as bytes from programs where principal <> 'local'
       union all select principal, bytes from builds where principal <> 'local'
       union all select principal, size as bytes from blobs where principal <> 'local') as kept
     group by principal`,
  );

/** Bytes of imported records. */
export async function importedBytes(db: Queryable, principal: string): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(
    "select coalesce(sum(octet_length(doc)), 0)::double precision as bytes from records where imported and owner = $1",
    [principal],
  );
  return row?.bytes ?? 0;
}

interface HourSpent extends Spent {
  /** When the use of the last hour falls below the limit; null while it is below. */
  readonly buildRoomInMs: number | null;
  readonly deviceRoomInMs: number | null;
}

/** The time from the end of the newest minute with which the limit is exceeded. */
const roomIn = (what: string, limit: string): string =>
  `extract(epoch from max(minute) filter (where ${what} >= ${limit}::double precision) + interval '61 minutes' - now())::double precision * 1000`;

/** A minute counts until an hour after its end. */
export const spentByPrincipal = (db: Queryable, limits: { readonly buildMs: number | null; readonly deviceMs: number | null }) =>
  db.query<HourSpent>(
    `select principal, sum(build_ms) as "buildMs", sum(device_ms) as "deviceMs",
       ${roomIn("build_run", "$1")} as "buildRoomInMs", ${roomIn("device_run", "$2")} as "deviceRoomInMs"
     from (select *, sum(build_ms) over later as build_run, sum(device_ms) over later as device_run from spent
       where minute > now() - interval '61 minutes' window later as (partition by principal order by minute desc)) as hour
     group by principal`,
    [limits.buildMs, limits.deviceMs],
  );

export const forgetSpent = (db: Queryable) => db.query("delete from spent where minute <= now() - interval '2 hours'");
