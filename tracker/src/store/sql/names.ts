/**
 * Names belong to principals. The name of a node, among workers of one role, and the uuid of a device are those of the principal
 * whose worker has them, and stay so for a week after that worker was gone: otherwise its results could come from anybody while
 * it restarts. An admin frees a node's names at once (`warpfarm drain NODE --forget`).
 *
 * Rows of lost workers keep the names: the last of each node, and of one principal the last thousand. `local`, everybody at a
 * tracker that asks nobody, keeps none.
 */
import { FarmError } from "@warpfarm/common";
import { localPrincipal, type Registration } from "@warpfarm/proto";
import type { Queryable } from "../database.ts";
import { checkKnown } from "./drained.ts";

const keptDays = 7;
const mostOfPrincipal = 1_000;

interface Holder {
  readonly node: string;
  readonly lost: boolean;
  readonly hours: number;
}

/** In the transaction that registers the worker. Throws ALREADY_EXISTS. */
export async function refuseAnothersNames(
  tx: Queryable,
  { role, node, principal }: Registration & { readonly principal: string },
): Promise<void> {
  if (principal === localPrincipal.name) return;
  const uuids = role.kind === "runner" ? role.devices.map(({ facts }) => facts.uuid) : [];
  // Two that register the same name at once: the second waits, and then sees the first.
  for (const name of [`${role.kind} ${node}`, ...uuids].sort())
    await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 7))", [name]);
  const [holder] = await tx.query<Holder>(
    `select node, lost, extract(epoch from now() - last_seen)::double precision / 3600 as hours from workers
     where principal <> $1 and principal <> $5 and role = $2 and last_seen > now() - interval '${keptDays} days'
       and (node = $3 or exists (select 1 from jsonb_array_elements(facts -> 'devices') d where d -> 'facts' ->> 'uuid' = any($4::text[])))
     order by lost, last_seen desc limit 1`,
    [principal, role.kind, node, uuids, localPrincipal.name],
  );
  if (holder) throw new FarmError("ALREADY_EXISTS", whose(holder, node, role.kind));
}

function whose({ node, lost, hours }: Holder, asked: string, kind: string): string {
  const isName = node === asked;
  const what = isName ? `the ${kind} name ${JSON.stringify(asked)}` : "a device of this runner";
  const seen = lost ? `was last there ${hours < 1 ? "less than an hour" : `${Math.floor(hours)} h`} ago` : "is there now";
  const own = isName ? "Give this worker another name with --node, or " : "Register it with that principal's token, or ";
  return (
    `${what} belongs to another principal, whose ${kind} ${seen}. ${own}${lost ? "" : "stop the other one and "}` +
    `ask an admin to free it: warpfarm drain ${node} --forget. It is free ${keptDays} days after that ${kind} was last there`
  );
}

/**
 * Frees the names of a node. Returns how many workers are forgotten. Throws NOT_FOUND, and FAILED_PRECONDITION while one of its
 * workers lives.
 */
export async function freeNames(tx: Queryable, node: string): Promise<number> {
  await checkKnown(tx, node);
  const rows = await tx.query<{ lost: boolean }>("select lost from workers where node = $1 for update", [node]);
  const live = rows.filter(({ lost }) => !lost).length;
  if (live > 0)
    throw new FarmError(
      "FAILED_PRECONDITION",
      `node ${JSON.stringify(node)} has ${live} live workers; stop them before it is forgotten`,
    );
  await tx.query("delete from drained_nodes where node = $1", [node]);
  await tx.query("delete from workers where node = $1", [node]);
  return rows.length;
}

/** Deletes rows of workers lost long ago, except those that keep a name. */
export async function forgetWorkers(db: Queryable, afterMs: number): Promise<void> {
  await db.query(
    `delete from workers where worker_id in (
       select worker_id from (
         select worker_id, principal, last_seen,
           row_number() over (partition by principal, role, node order by last_seen desc, worker_id) as of_node,
           row_number() over (partition by principal order by last_seen desc, worker_id) as of_principal
         from workers where lost) w
       where last_seen <= now() - $1 * interval '1 ms'
         and (principal = $2 or of_node > 1 or of_principal > $3 or last_seen <= now() - interval '${keptDays} days'))`,
    [afterMs, localPrincipal.name, mostOfPrincipal],
  );
}
