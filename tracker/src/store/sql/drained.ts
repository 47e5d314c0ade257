/** Drained nodes: their workers finish their jobs and get nothing more. */
import { FarmError } from "@warpfarm/common";
import type { Queryable } from "../database.ts";

const namedAtMost = 20;

/**
 * Drains the node, or gives it work again, whatever had taken it out. Returns its live workers and their jobs, or throws
 * NOT_FOUND when no worker of it is known.
 */
export async function setDrained(
  db: Queryable,
  node: string,
  drained: boolean,
): Promise<{ readonly workers: number; readonly running: number }> {
  await checkKnown(db, node);
  await db.query(
    drained
      ? "insert into drained_nodes (node) values ($1) on conflict (node) do nothing"
      : "delete from drained_nodes where node = $1",
    [node],
  );
  if (!drained) await db.query("update workers set faults = 0, quarantine = '', suspect_until = null where node = $1", [node]);
  const [status] = await db.query<{ workers: number; running: number }>(
    `select count(distinct w.worker_id)::integer as workers, count(l.lease_id)::integer as running
     from workers w left join leases l on l.worker_id = w.worker_id where w.node = $1 and not w.lost`,
    [node],
  );
  return status ?? { workers: 0, running: 0 };
}

/** Throws NOT_FOUND, with the known nodes, when no worker of this one is known. */
export async function checkKnown(db: Queryable, node: string): Promise<void> {
  const known = await db.query<{ node: string }>("select node from workers union select node from drained_nodes order by node");
  if (known.some((k) => k.node === node)) return;
  const named = known.slice(0, namedAtMost).map((k) => k.node);
  if (known.length > named.length) named.push(`${known.length - named.length} more`);
  throw new FarmError(
    "NOT_FOUND",
    `no worker of node ${JSON.stringify(node)} is known; ${named.length === 0 ? "no worker is registered" : `known are ${named.join(", ")}`}`,
  );
}
